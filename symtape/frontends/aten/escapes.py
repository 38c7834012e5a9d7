"""Escapes: where values go out of torch, and where the user says that they are constants."""

from __future__ import annotations

from typing import Any, Final

from symtape.frontends.aten.lines import Lines, is_called_by_user, is_switched_by_user
from symtape.frontends.aten.memory import Memory
from symtape.frontends.aten.values import torch
from symtape.recording.custom import stop_gradient
from symtape.recording.origin import record_from
from symtape.recording.structure import flatten, pack
from symtape.recording.tensor import Tensor

_ESCAPING_METHODS: Final = frozenset(
    (torch.Tensor.numpy, torch.Tensor.tolist, torch.Tensor.data_ptr)
)
"""Ways out of torch that no operation is dispatched for."""

_CONSTANT: Final = {
    torch.Tensor.detach: 0,
    torch.detach: 0,
    torch.Tensor.detach_: 0,
    torch.detach_: 0,
    torch.Tensor.data.__get__: 0,
    torch.tensor: 0,
    torch.Tensor.new_tensor: 1,
}
"""Ways to make a constant of a tensor, and which argument that is."""


class EscapeMode(torch.overrides.TorchFunctionMode):  # type: ignore[misc]
    """Notes where a value leaves torch for NumPy or Python: what comes back is a constant.

    What the user detaches is a constant of the function, and of its derivative, by intention.

    Parameters
    ----------
    memory : Memory
    lines : Lines
    """

    def __init__(self, memory: Memory, lines: Lines) -> None:
        super().__init__()
        self._memory = memory
        self._lines = lines
        self._stopping = False

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Call `func`, after telling the recorders if a value leaves by it."""
        result = func(*args, **(kwargs or {}))
        if func in _ESCAPING_METHODS:
            value = self._find_tensor(args[0])
            if value is not None:
                with record_from(self._lines.here()):
                    value.numpy()
        elif func is torch._C._set_grad_enabled and is_switched_by_user():
            self._stopping = not args[0]
        elif is_called_by_user() and (place := _CONSTANT.get(func)) is not None:
            return self._stop_result(result, args[place]) if place < len(args) else result
        elif self._stopping:
            parts = [self._stop_result(y, y, args) for y in flatten(result)]
            return pack(result, iter(parts))
        return result

    def _stop_result(self, result: Any, tensor: Any, written: Any = ()) -> Any:
        """`result`, with the values of `tensor`, as a constant, unless it is one of `written`."""
        value = self._find_tensor(tensor) if isinstance(tensor, torch.Tensor) else None
        if value is None or value.dtype.kind != "f" or any(result is one for one in written):
            return result
        with record_from(self._lines.here()):
            if result is tensor and not self._stopping:
                self._memory.write(result, stop_gradient(value))
                return result
            # In memory of its own: what it looks at goes on being followed.
            result = result.clone()
            self._memory.hold(result, stop_gradient(value))
        return result

    def _find_tensor(self, tensor: Any) -> Tensor | None:
        """The Tensor that `tensor` stands for; None for what ``torch.func`` has wrapped."""
        if torch._C._functorch.is_functorch_wrapped_tensor(tensor):
            return None
        if not self._memory.holds(tensor):
            return None
        value = self._memory.find(tensor)
        return value if isinstance(value, Tensor) else None
