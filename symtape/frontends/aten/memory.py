"""Memory: which Tensor each stretch of torch's memory stands for, through views and writes.

Torch's tensors share memory: ``x[0] = y`` changes ``x``, and every view of it. Here a storage has
one Tensor for each way in which it is looked at (shape, strides, offset), and a write through one
of them makes new Tensors of the others.
"""

from __future__ import annotations

import functools
from typing import Any, Final, NamedTuple

import numpy as np

from symtape.errors import Unreadable
from symtape.frontends.aten.values import STRIDED, dtype_of, to_constant
from symtape.frontends.placing import replace_at


class _Look(NamedTuple):
    """A way to look at a storage; equal for tensors that hold the same elements in one order."""

    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int

    def places(self) -> Any:
        """The position in the storage of each element."""
        steps = (np.arange(n) * step for n, step in zip(self.shape, self.strides, strict=True))
        return functools.reduce(np.add.outer, steps, np.asarray(self.offset))


def _look_of(tensor: Any) -> _Look:
    shape = tuple(tensor.shape)
    # The stride of an axis of length 1 says nothing, and torch leaves it to chance.
    strides = tuple(
        0 if count <= 1 else stride for count, stride in zip(shape, tensor.stride(), strict=True)
    )
    return _Look(str(dtype_of(tensor)), shape, strides, tensor.storage_offset())


class _Storage:
    """The looks at one storage, of which the first shows all that is known of it."""

    __slots__ = ("known", "whole")

    def __init__(self, whole: _Look, value: Any) -> None:
        self.whole = whole
        self.known: dict[_Look, Any] = {whole: value}

    def find(self, look: _Look) -> Any:
        if look not in self.known:
            self.known[look] = self._gather_elements(look)
        return self.known[look]

    def _gather_elements(self, look: _Look) -> Any:
        """The elements of another look, gathered from those of the whole."""
        if look.dtype != self.whole.dtype:
            raise Unreadable(
                f"torch looks at memory of {self.whole.dtype} as {look.dtype}, bit by bit; give "
                "the function in NumPy, or pass evidence='sampled'"
            )
        return np.ravel(self.known[self.whole])[self._indices(look)]

    def _indices(self, look: _Look) -> Any:
        """Where, among the elements of the whole, those of another look are."""
        places = self.whole.places().ravel()
        order = np.argsort(places, kind="stable")
        wanted = look.places()
        found = np.minimum(np.searchsorted(places[order], wanted), max(places.size - 1, 0))
        if wanted.size and not (places.size and np.array_equal(places[order][found], wanted)):
            raise Unreadable(
                "torch looks at memory beyond the tensor that it was given, as with as_strided; "
                "give the function in NumPy, or pass evidence='sampled'"
            )
        return order[found] if places.size else found

    def write(self, look: _Look, value: Any) -> None:
        if look == self.whole:
            self.known = {look: value}
            return
        at = np.unravel_index(self._indices(look), self.whole.shape or (1,))
        before = self.known[self.whole]
        if not self.whole.shape:
            after = np.reshape(value, ())
        else:
            after = replace_at(before, tuple(np.asarray(axis) for axis in at), value)
        self.known = {self.whole: after, look: value}


class Memory:
    """What the tensors that depend on the inputs stand for.

    Attributes
    ----------
    kept : list of tensors
        All that were ever held, so that no address is given out twice.
    """

    def __init__(self) -> None:
        self._storages: Final[dict[int, _Storage]] = {}
        self.kept: list[Any] = []

    def holds(self, tensor: Any) -> bool:
        """Whether `tensor` depends on the inputs."""
        return _address(tensor) in self._storages

    def find(self, tensor: Any) -> Any:
        """The Tensor that `tensor` stands for now; an array, if it depends on no input."""
        storage = self._storages.get(_address(tensor))
        return to_constant(tensor) if storage is None else storage.find(_look_of(tensor))

    def hold(self, tensor: Any, value: Any) -> None:
        """From here on `tensor`, which nothing was written through, stands for `value`."""
        look, storage = _look_of(tensor), self._storages.get(_address(tensor))
        if storage is not None:
            storage.known[look] = value
            return
        self.kept.append(tensor)
        self._storages[_address(tensor)] = _Storage(look, value)

    def write(self, tensor: Any, value: Any) -> None:
        """`value` was written through `tensor`: every other look at that memory changes with it."""
        address = _address(tensor)
        if address not in self._storages:
            whole = tensor.detach().as_strided(
                (tensor.untyped_storage().nbytes() // tensor.element_size(),), (1,), 0
            )
            self.kept.append(tensor)
            self._storages[address] = _Storage(_look_of(whole), to_constant(whole).copy())
        self._storages[address].write(_look_of(tensor), value)


def _address(tensor: Any) -> int:
    if tensor.layout is not STRIDED or tensor._is_zerotensor():
        return 0
    return int(tensor.untyped_storage()._cdata)
