"""Structured arrays whose fields take tensors: a buffer for each field of real numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.errors import NotOnTape
from symtape.recording.in_place import Buffer


class StructuredStandIn:
    """What ``np.zeros(shape, dtype=[("a", float), ...])`` gives, by its fields.

    Parameters
    ----------
    fields : dict of arrays
        All of the same leading axes.
    ndim : int
        How many these are.

    Examples
    --------
    >>> y = StructuredStandIn.from_array(np.zeros(2, dtype=[("a", float), ("b", int)]))
    >>> y["a"][1] = 3.0
    >>> y[1]["a"]
    <symtape.Tensor: shape=(), dtype=float64, numpy=3.0>
    """

    def __init__(self, fields: dict[str, Any], ndim: int) -> None:
        self.__dict__.update(_fields=fields, ndim=ndim)

    @classmethod
    def from_array(cls, array: Any) -> StructuredStandIn:
        """A structured array of NumPy's."""
        fields = {name: _writable(array[name]) for name in array.dtype.names}
        return cls(fields, array.ndim)

    @property
    def shape(self) -> tuple[int, ...]:
        """As ``numpy.ndarray.shape``."""
        shape: tuple[int, ...] = np.shape(next(iter(self._fields.values())))[: self.ndim]
        return shape

    @property
    def size(self) -> int:
        """As ``numpy.ndarray.size``."""
        return int(np.prod(self.shape))

    def __len__(self) -> int:
        return self.shape[0]

    def __getattr__(self, name: str) -> Any:
        # Fields of record arrays are attributes.
        if name in self.__dict__.get("_fields", ()):
            return self._fields[name]
        if name.startswith("__"):
            raise AttributeError(name)
        words = f"{name} of a structured array is not recorded; compute with its fields"
        raise NotOnTape(words, code="dtype:masked")

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, str):
            return self._fields[index]
        if isinstance(index, list) and all(isinstance(name, str) for name in index):
            return StructuredStandIn({name: self._fields[name] for name in index}, self.ndim)
        found = {
            name: array[_index_fields(index, self.ndim)] for name, array in self._fields.items()
        }
        left = np.empty(self.shape)[index].ndim
        return StructuredStandIn(found, left)

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, str):
            self._fields[index][...] = value
            return
        parts = value._fields.values() if isinstance(value, StructuredStandIn) else value
        for array, part in zip(self._fields.values(), parts, strict=True):
            array[index] = part

    def __iter__(self) -> Any:
        return (self[k] for k in range(len(self)))


def _index_fields(index: Any, ndim: int) -> Any:
    """An index of all fields, which keeps views of single entries."""
    given = index if isinstance(index, tuple) else (index,)
    whole = len(given) == ndim and all(isinstance(k, int | np.integer) for k in given)
    return (*given, ...) if whole else index


def _writable(field: Any) -> Any:
    if field.dtype.names:
        return StructuredStandIn.from_array(field)
    return Buffer(np.ascontiguousarray(field)) if field.dtype.kind == "f" else field
