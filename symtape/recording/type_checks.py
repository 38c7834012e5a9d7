"""What a tensor is to code that asks: an array, or a number, as the plain value would be.

``isinstance`` looks at ``__class__`` beside the type, and so do ``numbers.Real``, ``np.isscalar``
and ``functools.singledispatch``. NumPy's C code looks at the type alone, for which a tensor is no
array. What asks ``type(x) is float`` cannot be answered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any


class _NoLength(AttributeError, TypeError):
    """A number has no length: ``hasattr`` answers no, and ``len`` raises."""


class _Length:
    """``__len__``, which an array has and a number has not."""

    def __get__(self, tensor: Any, owner: type) -> Callable[[], int]:
        if tensor is None or not tensor._value.ndim:
            raise _NoLength("len() of a tensor of shape () ; it has no axis to count")
        length: Callable[[], int] = tensor._value.__len__
        return length


class TypeChecks:
    """The face of the array, or number, that a tensor stands for."""

    __slots__ = ()
    _value: Any
    __getitem__: Callable[..., Any]

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """The type of the value: code that asks goes the way that it goes for plain arrays."""
        return type(self._value)

    __len__ = _Length()

    def __iter__(self) -> Iterator[Any]:
        if not self._value.ndim:
            raise TypeError("iteration over a tensor of shape () ; it has no axis to walk along")
        return (self[i] for i in range(len(self._value)))

    @property
    def flags(self) -> Any:
        """As ``numpy.ndarray.flags``."""
        return self._value.flags

    @property
    def strides(self) -> tuple[int, ...]:
        """As ``numpy.ndarray.strides``."""
        found: tuple[int, ...] = self._value.strides
        return found

    @property
    def base(self) -> None:
        """None: a tensor is a view of nothing."""
        return None
