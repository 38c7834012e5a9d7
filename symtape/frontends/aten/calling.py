"""Calling: a function of torch tensors, run on arrays or read on Tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from symtape.frontends.aten.escapes import EscapeMode
from symtape.frontends.aten.lines import Lines
from symtape.frontends.aten.memory import Memory
from symtape.frontends.aten.mode import ReadingMode
from symtape.frontends.aten.remembering import RememberedPrograms
from symtape.frontends.aten.table import WithheldResult, unreadable
from symtape.frontends.aten.values import to_array, to_torch, torch
from symtape.recording.tensor import Tensor, constant

_WANTS_GRADIENTS = ("does not require grad", "requires_grad")


class Program:
    """A function of tensors, as one of arrays and Tensors.

    Parameters
    ----------
    function : callable
        As torch wants to be called.

    Attributes
    ----------
    original : callable
        The function behind ``torch.compile``, which is what is read.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.original = _unwrap_compiled(function)
        self._grad = False
        self._remembered = RememberedPrograms(self._follow_torch)

    @property
    def __wrapped__(self) -> Any:
        return self.original

    @property
    def __name__(self) -> str:
        return str(getattr(self.original, "__name__", type(self.original).__name__))

    def __call__(self, *arguments: Any) -> Any:
        """Run it on arrays; read it if any argument is a Tensor."""
        if any(isinstance(x, Tensor) for x in arguments):
            return self.read(*arguments)
        return self.run(*arguments)

    def run(self, *arrays: Any) -> Any:
        """What torch returns for NumPy arrays, as arrays of the dtypes of its answer.

        Raises
        ------
        numpy.linalg.LinAlgError
            Where torch raises its own.
        """
        return self._ran([to_torch(x) for x in arrays])

    def run_on(self, *arrays: Any) -> Any:
        """As :meth:`run`; what the function writes into its arguments, is written into `arrays`.

        Raises
        ------
        numpy.linalg.LinAlgError
            Where torch raises its own.
        """
        tensors = [to_torch(x) for x in arrays]
        answer = self._ran(tensors)
        for array, tensor in zip(arrays, tensors, strict=True):
            if tensor._version and type(array) is np.ndarray:
                array[...] = to_array(tensor)
        return answer

    def _ran(self, tensors: list[Any]) -> Any:
        threads = torch.get_num_threads()
        try:
            if threads != 1:
                # Small arrays are quicker on one, and sums always go the same way.
                torch.set_num_threads(1)
            answer, leaves = self._call_with_leaves(self.function, tensors)
        except torch.linalg.LinAlgError as error:
            raise np.linalg.LinAlgError(str(error)) from error
        finally:
            if threads != 1:
                torch.set_num_threads(threads)
        return _map_answer(_gradients_of(answer, leaves), to_array, leaves)

    def read(self, *tensors: Any) -> Any:
        """What the function does, repeated on Tensors.

        Raises
        ------
        Unreadable
            It uses an operation that has no reading; names the operation and the line.
        """
        given = [x._read() if isinstance(x, Tensor) else constant(x) for x in tensors]
        return self._remembered(*given)

    def _follow_torch(self, *given: Tensor) -> Any:
        """What is read while torch runs."""
        memory, lines = Memory(), Lines(self.original)

        def call_listening(*leaves: Any) -> Any:
            for leaf, x in zip(leaves, given, strict=True):
                memory.hold(leaf, x)
            with EscapeMode(memory, lines), ReadingMode(memory, lines, given):
                return self.original(*leaves)

        start = [to_torch(x._value) for x in given]
        try:
            answer, leaves = self._call_with_leaves(call_listening, start)
        except torch.linalg.LinAlgError as error:
            raise np.linalg.LinAlgError(str(error)) from error
        return _map_answer(
            _gradients_of(answer, leaves), lambda one: _find_value(memory, one), leaves
        )

    def _call_with_leaves(
        self, function: Callable[..., Any], leaves: list[Any]
    ) -> tuple[Any, list[Any]]:
        """Call with leaves that ask for gradients only if the function cannot do without."""
        if not self._grad:
            try:
                return function(*leaves), leaves
            except RuntimeError as error:
                if not any(words in str(error) for words in _WANTS_GRADIENTS):
                    raise
        leaves = [leaf.detach().clone() for leaf in leaves]
        for leaf in leaves:
            leaf.requires_grad_(leaf.is_floating_point())
        answer = function(*leaves)
        self._grad = True
        return answer, leaves


def _unwrap_compiled(function: Any) -> Any:
    for name in ("_torchdynamo_orig_callable", "_orig_mod"):
        inner = getattr(function, name, None)
        if inner is not None:
            return inner
    return function


def _gradients_of(answer: Any, leaves: list[Any]) -> Any:
    """The answer; where there is none, what the function left in ``x.grad``."""
    if answer is None and any(leaf.grad is not None for leaf in leaves):
        return tuple(leaf.grad for leaf in leaves) if len(leaves) > 1 else leaves[0].grad
    return answer


def _map_answer(answer: Any, convert: Callable[[Any], Any], leaves: list[Any]) -> Any:
    """The answer with its tensors converted; None in place of an argument's gradient is zeros."""
    if isinstance(answer, torch.Tensor):
        return convert(answer)
    if isinstance(answer, dict):
        return {key: _map_answer(value, convert, []) for key, value in answer.items()}
    if isinstance(answer, list | tuple):
        zeros = [np.zeros(tuple(leaf.shape), to_array(leaf).dtype) for leaf in leaves]
        whole = len(zeros) == len(answer)
        items = [
            zeros[place] if part is None and whole else _map_answer(part, convert, [])
            for place, part in enumerate(answer)
        ]
        return tuple(items)
    return answer


def _find_value(memory: Memory, tensor: Any) -> Any:
    found = memory.find(tensor)
    if isinstance(found, WithheldResult):
        raise unreadable("that ends it", "", f"{found.words} cannot be returned")
    return np.array(found) if type(found) is np.ndarray else found
