"""PyTorch: functions of tensors, what autograd and ``torch.func`` make of them, and modules."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, Final

from symtape.process.extras import load
from verify.adapters.lookups import uses
from verify.adapters.torch_modes import MODES
from verify.errors import UsageError
from verify.model.foreign import (
    Foreign,
    check_positional,
    leaves_mapped,
    original_of,
    shorten_error,
    wrap_transform,
)

_NEEDED_BY: Final = "verify.adapters.torch"

Function = Callable[..., Any]


def adapt(function: Function) -> Foreign:
    """A function of tensors, or a derivative by PyTorch, as one that can be verified.

    Parameters
    ----------
    function : callable
        Takes CPU tensors and returns a tensor, or a tuple of them. A ``torch.autograd.Function``
        stands for its ``apply``, a module for a function of its input. Inputs have
        ``requires_grad`` if it cannot do without. It may return its gradients or leave them in
        ``x.grad``; None in place of one is zeros, as autograd means it.

    Raises
    ------
    MissingExtra
        PyTorch is not installed.
    UsageError
        It needs arguments by keyword.
    """
    load("torch", _NEEDED_BY)
    from symtape.frontends.aten.calling import Program

    function = _wrap_autograd_function(function)
    check_positional(function)
    program = Program(function)
    name = str(getattr(function, "__name__", type(function).__name__))
    return Foreign(
        framework="torch",
        original=program.original,
        run=_explain_errors(program.run, function, name),
        read=_explain_errors(program.read, function, name),
        shared=_explain_errors(program.run_on, function, name),
    )


def _wrap_autograd_function(function: Any) -> Any:
    """What a ``torch.autograd.Function`` computes, under its own name and signature."""
    torch = load("torch", _NEEDED_BY)
    kind = getattr(function, "__self__", function)
    if not (isinstance(kind, type) and issubclass(kind, torch.autograd.Function)):
        return function
    if kind is not function and getattr(function, "__name__", "") != "apply":
        return function

    def call_apply(*arguments: Any) -> Any:
        return kind.apply(*arguments)  # type: ignore[attr-defined]

    call_apply.__name__ = call_apply.__qualname__ = kind.__name__
    call_apply.__module__ = kind.__module__
    call_apply.__wrapped__ = kind.forward  # type: ignore[attr-defined]
    parameters = list(inspect.signature(kind.forward).parameters.values())  # type: ignore[attr-defined]
    if kind.setup_context is torch.autograd.Function.setup_context:  # type: ignore[attr-defined]
        parameters = parameters[1:]
    call_apply.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return call_apply


def _explain_errors(call: Function, function: Function, name: str) -> Function:
    """`call`, whose answers are arrays, and whose errors say what to do."""

    def call_explaining(*arguments: Any) -> Any:
        try:
            answer = call(*arguments)
        except (RuntimeError, TypeError) as error:
            if words := _advice(error, function, arguments, name):
                raise UsageError(words) from error
            raise
        return leaves_mapped(answer, lambda x: x, name)

    return call_explaining


def _advice(error: Exception, function: Any, arguments: Sequence[Any], name: str) -> str:
    """What to do about an error that is about how `function` was called; empty otherwise."""
    if type(error).__module__.startswith(("torch._dynamo", "torch._inductor")):
        return (
            f"torch.compile could not compile {name} here: {shorten_error(error)}; verify the "
            "function without torch.compile"
        )
    name = "it" if name == "<lambda>" else name
    words = str(error)
    dtypes = {str(x.dtype) for x in arguments if hasattr(x, "dtype")}
    tensors = _tensors_kept(function)
    kept = {str(x.dtype).removeprefix("torch.") for x in tensors}
    if "dtype" in words and kept - dtypes:
        return (
            f"{name} keeps tensors of {' and '.join(sorted(kept))}, and the points are "
            f"{' and '.join(sorted(dtypes))}: {shorten_error(error)}; give points of one "
            "precision, as np.float32 arrays or verify.box(..., dtype=np.float32), or take the "
            "module to theirs, as with .double()"
        )
    if "device" in words or "meta" in words or any(x.device.type != "cpu" for x in tensors):
        return (
            f"{name} works on another device than its points, which are on the CPU: "
            f"{shorten_error(error)}; move it there, as with .cpu()"
        )
    return ""


def _tensors_kept(function: Any) -> list[Any]:
    """The parameters and buffers of a module or a method's, the tensors that a function names."""
    torch = load("torch", _NEEDED_BY)
    owner = getattr(function, "__self__", function)
    owner = getattr(owner, "_orig_mod", owner)
    if isinstance(owner, FunctionType):
        named = [use.value for use in uses(owner)]
        return [x for x in named if isinstance(x, torch.Tensor) and x.is_floating_point()]
    if not isinstance(owner, torch.nn.Module):
        return []
    tensors = [*owner.parameters(), *owner.buffers()]
    return [x for x in tensors if x.is_floating_point()]


def derivatives(function: Function, quantity: str) -> dict[str, Foreign]:
    """The derivatives that PyTorch itself takes of `function`, reverse mode first.

    Parameters
    ----------
    function : callable
        Of tensors, or what :func:`adapt` made of it.
    quantity : str
        ``gradient``, ``jacobian``, ``hessian``, ``vjp``, ``jvp`` or ``hvp``.

    Returns
    -------
    dict
        By the name of the mode; each takes what a claim of that quantity takes. A mode that
        PyTorch refuses, as forward mode of a ``torch.autograd.Function`` without ``jvp``, raises
        what PyTorch raises.
    """
    torch, original = load("torch", _NEEDED_BY), _wrap_autograd_function(original_of(function))
    return {
        mode: adapt(wrap_transform(functools.partial(take, torch), original, name))
        for mode, (name, take) in MODES[quantity].items()
    }
