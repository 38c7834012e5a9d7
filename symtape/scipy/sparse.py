"""Sparse matrices whose entries are tensors, under the names of ``scipy.sparse``.

Entries move, places do not: what depends on which entries are zero is decided by the places. A
matrix that is made from an array of tensors keeps each entry, for one of 0 has a derivative too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from symtape.errors import Unsupported
from symtape.primitives.arithmetic import to_array
from symtape.primitives.indexing import SCATTER
from symtape.recording.tensor import Tensor, value_of

__all__ = [
    "SparseTensor",
    "coo_array",
    "csc_array",
    "csr_array",
    "dia_array",
    "diags",
    "diags_array",
]


class SparseTensor:
    """A matrix by its entries that are not zero; several at one place are added.

    Parameters
    ----------
    data : Tensor or array, shape (k,)
        The entries.
    rows, columns : int arrays, shape (k,)
        Their places.
    shape : pair of int
    is_matrix : bool
        ``*`` is the product of matrices, as with ``scipy.sparse.csr_matrix``.
    from_array : bool
        It was an array, of which SciPy stores what is not 0.

    Examples
    --------
    >>> import numpy as np
    >>> from symtape.scipy.sparse import SparseTensor
    >>> SparseTensor(np.array([2.0, 3.0]), [0, 1], [1, 0], (2, 2)) @ np.array([1.0, 10.0])
    array([20.,  3.])
    """

    __array_ufunc__ = None
    ndim = 2

    def __init__(
        self,
        data: Any,
        rows: Any,
        columns: Any,
        shape: Sequence[int],
        is_matrix: bool = False,
        from_array: bool = False,
    ) -> None:
        self.data = data
        self.rows, self.columns = (np.asarray(x, dtype=np.intp) for x in (rows, columns))
        self.shape: tuple[int, int] = (int(shape[0]), int(shape[1]))
        self.is_matrix, self.from_array = is_matrix, from_array

    @classmethod
    def from_matrix(cls, matrix: Any) -> SparseTensor:
        """A matrix of SciPy's, or one of these as it is."""
        if isinstance(matrix, SparseTensor):
            return matrix
        entries = matrix.tocoo()
        is_matrix = type(matrix).__name__.endswith("_matrix")
        return cls(entries.data, entries.row, entries.col, matrix.shape, is_matrix)

    def _replace_data(self, data: Any) -> SparseTensor:
        kind = self.is_matrix, self.from_array
        return SparseTensor(data, self.rows, self.columns, self.shape, *kind)

    @property
    def T(self) -> SparseTensor:  # SciPy's name
        """The transpose."""
        back = self.shape[::-1]
        kind = self.is_matrix, self.from_array
        return SparseTensor(self.data, self.columns, self.rows, back, *kind)

    def transpose(self, *_: Any, **__: Any) -> SparseTensor:
        """The transpose."""
        return self.T

    @property
    def nnz(self) -> int:
        """How many entries there are; of a matrix that was an array, those that are not 0."""
        return int(np.count_nonzero(self.data)) if self.from_array else len(self.rows)

    @property
    def dtype(self) -> Any:
        """That of the entries."""
        return self.data.dtype

    def _return_self(self, *_: Any, **__: Any) -> SparseTensor:
        return self

    tocsr = tocsc = tocoo = tolil = todok = todia = tobsr = asformat = copy = conj = _return_self

    def toarray(self, *_: Any, **__: Any) -> Any:
        """All of the matrix."""
        return SCATTER(self.data, shape=self.shape, index=(self.rows, self.columns))

    todense = toarray

    def diagonal(self, k: int = 0) -> Any:
        """As ``scipy.sparse.csr_array.diagonal``."""
        return np.diagonal(self.toarray(), k)

    def trace(self, offset: int = 0) -> Any:
        """The sum of a diagonal."""
        return np.sum(self.data * (self.columns - self.rows == offset))

    def sum(self, axis: int | None = None) -> Any:
        """As ``scipy.sparse.csr_array.sum``."""
        return np.sum(self.data) if axis is None else np.sum(self.toarray(), axis=axis)

    def power(self, n: Any) -> SparseTensor:
        """Each entry to a power; of entries at places of their own."""
        data = self._check_unique().data
        if not n > 0 and np.any(value_of(data) == 0):
            raise Unsupported(f"power({n}) of a sparse matrix of tensors with entries that are 0")
        return self._replace_data(data**n)

    def _check_unique(self) -> SparseTensor:
        places = self.rows * self.shape[1] + self.columns
        if len(np.unique(places)) < len(places):
            raise Unsupported("sparse entries at one place, which are added; give one for each")
        return self

    def dot(self, other: Any) -> Any:
        """As ``self @ other``."""
        return self @ other

    def __matmul__(self, other: Any) -> Any:
        if _is_sparse(other):
            other = SparseTensor.from_matrix(other)
            places = self.places @ other.places
            return SparseTensor.from_dense(self @ other.toarray(), self.is_matrix, places)
        other = to_array(other)
        if other.shape[0] != self.shape[1]:
            raise ValueError(f"dimension mismatch: shapes {self.shape} and {other.shape}")
        data = self.data if other.ndim == 1 else np.expand_dims(self.data, -1)
        products = data * other[self.columns]
        return SCATTER(products, shape=(self.shape[0], *other.shape[1:]), index=(self.rows,))

    def __rmatmul__(self, other: Any) -> Any:
        other = to_array(other)
        return self.T @ other if other.ndim == 1 else (self.T @ other.T).T

    @classmethod
    def from_dense(cls, whole: Any, is_matrix: bool = False, places: Any = True) -> SparseTensor:
        """The matrix of the entries of an array that are at some places."""
        rows, columns = np.nonzero(np.broadcast_to(places, whole.shape))
        return cls(whole[rows, columns], rows, columns, whole.shape, is_matrix, places is True)

    @property
    def places(self) -> Any:
        """Where there are entries, as an array."""
        found = np.zeros(self.shape, dtype=bool)
        found[self.rows, self.columns] = True
        return found

    def multiply(self, other: Any) -> Any:
        """The product by element."""
        if _is_sparse(other):
            other = SparseTensor.from_matrix(other).toarray()
        other = to_array(other)
        if np.ndim(other) == 0:
            return self._replace_data(self.data * other)
        spread = np.broadcast_to(other, self.shape)
        return self._replace_data(self.data * spread[self.rows, self.columns])

    def __mul__(self, other: Any) -> Any:
        if self.is_matrix and np.ndim(getattr(other, "_value", other)):
            return self @ other
        return self.multiply(other)

    def __rmul__(self, other: Any) -> Any:
        if self.is_matrix and np.ndim(getattr(other, "_value", other)):
            return self.__rmatmul__(other)
        return self.multiply(other)

    def __truediv__(self, other: Any) -> Any:
        return self.multiply(1 / to_array(other))

    def __neg__(self) -> SparseTensor:
        return self._replace_data(-self.data)

    def __pow__(self, n: Any) -> Any:
        return self.power(n)

    def __add__(self, other: Any) -> Any:
        if not _is_sparse(other):
            return self.toarray() + to_array(other)
        other = SparseTensor.from_matrix(other)
        return SparseTensor(
            np.concatenate([self.data, other.data]),
            np.concatenate([self.rows, other.rows]),
            np.concatenate([self.columns, other.columns]),
            self.shape,
            self.is_matrix,
        )

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self + -other

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __getitem__(self, index: Any) -> Any:
        found = self.toarray()[index]
        if found.ndim == 1:
            raise Unsupported("one row or column of a sparse matrix; take it of matrix.toarray()")
        if not found.ndim:
            return found
        return SparseTensor.from_dense(found, self.is_matrix, self.places[index])

    def __len__(self) -> int:
        raise TypeError("sparse array length is ambiguous; use .shape[0]")


def _is_sparse(x: Any) -> bool:
    return isinstance(x, SparseTensor) or hasattr(x, "tocoo")


def _indices(x: Any) -> Any:
    return value_of(x).astype(np.intp)


def _place(shape: Any, rows: Any, columns: Any) -> tuple[int, int]:
    if shape is not None:
        return int(shape[0]), int(shape[1])
    return int(np.max(rows)) + 1, int(np.max(columns)) + 1


def _make_sparse(arg1: Any, shape: Any, compressed: str, is_matrix: bool) -> SparseTensor:
    if _is_sparse(arg1):
        return SparseTensor.from_matrix(arg1)
    if isinstance(arg1, Tensor):
        return SparseTensor.from_dense(arg1, is_matrix)
    if len(arg1) == 2 and isinstance(arg1[1], tuple | list):
        data, places = arg1
        rows, columns = map(_indices, places)
        return SparseTensor(to_array(data), rows, columns, _place(shape, rows, columns), is_matrix)
    if len(arg1) != 3 or not compressed:
        raise Unsupported(
            f"a sparse matrix of tensors by {type(arg1).__name__} of {len(arg1)} items; expected "
            "(data, (rows, columns)), (data, indices, indptr) or a matrix"
        )
    data, indices, starts = arg1
    inner, counts = _indices(indices), np.diff(_indices(starts))
    outer = np.repeat(np.arange(len(counts)), counts)
    rows, columns = (outer, inner) if compressed == "rows" else (inner, outer)
    if shape is None:
        extent = int(np.max(inner)) + 1
        shape = (len(counts), extent) if compressed == "rows" else (extent, len(counts))
    return SparseTensor(to_array(data), rows, columns, shape, is_matrix)


def csr_array(arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False) -> SparseTensor:
    """As ``scipy.sparse.csr_array``, of entries, their columns, and where rows begin."""
    return _make_sparse(arg1, shape, "rows", False)


def csc_array(arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False) -> SparseTensor:
    """As ``scipy.sparse.csc_array``, of entries, their rows, and where columns begin."""
    return _make_sparse(arg1, shape, "columns", False)


def coo_array(arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False) -> SparseTensor:
    """As ``scipy.sparse.coo_array``, of entries and their places."""
    return _make_sparse(arg1, shape, "", False)


def dia_array(arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False) -> SparseTensor:
    """As ``scipy.sparse.dia_array``, of diagonals as rows and their offsets."""
    data, offsets = arg1
    data, places = np.atleast_2d(to_array(data)), np.atleast_1d(value_of(offsets))
    if shape is None:
        raise Unsupported("dia_array(shape=None) of a tensor; give the shape")
    everywhere: Any = np.indices(data.shape)
    which, columns = everywhere
    rows = columns - np.expand_dims(places, -1)
    inside = (rows >= 0) & (rows < shape[0]) & (columns < shape[1])
    return SparseTensor(data[which[inside], columns[inside]], rows[inside], columns[inside], shape)


def diags_array(
    diagonals: Any,
    /,
    *,
    offsets: Any = 0,
    shape: Any = None,
    format: Any = None,  # noqa: A002 -- SciPy's name
    dtype: Any = None,
) -> SparseTensor:
    """As ``scipy.sparse.diags_array``.

    Examples
    --------
    >>> import numpy as np
    >>> from symtape.scipy.sparse import diags_array
    >>> diags_array([np.array([1.0, 2.0]), np.array([5.0])], offsets=[0, 1]).toarray()
    array([[1., 5.],
           [0., 2.]])
    """
    places = np.atleast_1d(_indices(offsets))
    if np.ndim(value_of(offsets)) == 0:
        diagonals = [diagonals] if np.ndim(getattr(diagonals, "_value", diagonals)) else diagonals
    parts = [np.atleast_1d(to_array(part)) for part in diagonals]
    if shape is None:
        extent = len(parts[0]) + abs(int(places[0]))
        shape = (extent, extent)
    data, rows, columns = [], [], []
    for part, offset in zip(parts, places, strict=True):
        above, below = max(offset, 0), max(-offset, 0)
        count = min(shape[0] - below, shape[1] - above)
        data.append(np.broadcast_to(part, (count,)) if len(part) == 1 else part[:count])
        rows.append(np.arange(count) + below)
        columns.append(np.arange(count) + above)
    return SparseTensor(np.concatenate(data), np.concatenate(rows), np.concatenate(columns), shape)


def diags(
    diagonals: Any,
    offsets: Any = 0,
    shape: Any = None,
    format: Any = None,  # noqa: A002 -- SciPy's name
    dtype: Any = None,
) -> SparseTensor:
    """As ``scipy.sparse.diags``."""
    found = diags_array(diagonals, offsets=offsets, shape=shape)
    return SparseTensor(found.data, found.rows, found.columns, found.shape, is_matrix=True)


MATRICES: Final = {
    "csr_matrix": "rows",
    "csc_matrix": "columns",
    "coo_matrix": "",
}
"""SciPy's older classes, by what they compress."""


def matrix_of(name: str, arg1: Any, shape: Any = None, **_: Any) -> SparseTensor:
    """As one of SciPy's older classes of this `name`."""
    return _make_sparse(arg1, shape, MATRICES[name], True)
