"""Lists and tuples with tensors in them, and with arrays that can be written into."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from symtape.errors import NotOnTape
from symtape.primitives.joining import STACK_UP
from symtape.recording.place import Place
from symtape.recording.storage import reshape_tensor
from symtape.recording.tensor import Tensor

_SEQUENCES: Final = (list, tuple)
_NUMBERS: Final = frozenset((float, int, np.float64))
_MOST_NUMBERS: Final = 64
"""Numbers in nested lists that are stacked at once; of more there may be many without a tensor."""


def holds_tensor(x: Any) -> bool:
    """Whether `x` is a tensor, or nested sequences with one inside."""
    if issubclass(type(x), Tensor):
        return True
    return isinstance(x, _SEQUENCES) and any(map(holds_tensor, x))


def join_nested(x: Any) -> Any:
    """Nested sequences with tensors in them as one tensor; what has none as an array."""
    if isinstance(x, Tensor):
        return x._read()
    if not holds_tensor(x):
        return np.asarray(x)
    numbers: list[Any] = []
    shape = _take_numbers(x, numbers)
    if shape is None or len(numbers) > _MOST_NUMBERS:
        return np.stack([join_nested(item) for item in x])
    return reshape_tensor(STACK_UP(*numbers, axis=0), shape)


def _take_numbers(x: Any, numbers: list[Any]) -> tuple[int, ...] | None:
    """The shape of nested lists of `numbers`, which are appended; None of what isn't such."""
    inner: tuple[int, ...] = ()
    for place, item in enumerate(x):
        kind, found = type(item), None
        if kind in _SEQUENCES:
            found = _take_numbers(item, numbers)
        else:
            item = item._read() if issubclass(kind, Place) else item
            numbers.append(item)
            if not item._value.ndim if type(item) is Tensor else kind in _NUMBERS:
                found = ()
        if found is None or (place and found != inner):
            return None
        inner = found
    return (len(x), *inner)


def lower_buffers(x: Any) -> Any:
    """Nested sequences and mappings, with buffers replaced by the tensors that are in them now."""
    kind = type(x)
    if issubclass(kind, Place):
        return x._read()
    if kind is tuple or kind is list:
        return kind([lower_buffers(item) for item in x])
    if kind is dict:
        return {key: lower_buffers(item) for key, item in x.items()}
    return x


def plain_array_error(name: str) -> NotOnTape:
    """What is raised where a tensor is written into an array that takes none."""
    return NotOnTape(f"{name} wrote a tensor into a plain array", code="inplace:plain")


def to_decision(x: Any) -> Any:
    """A mask, or indices, by their values, which are a decision of the recording."""
    if not holds_tensor(x):
        return x
    found = join_nested(x)
    if found.dtype.kind in "fc":
        found = found != 0
    # Not by np.asarray, which asks for much before it asks for this.
    return found.__array__()
