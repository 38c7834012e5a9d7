"""``scipy.sparse`` of tensors: its classes where they are called, and its matrices' methods."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any, Final

from symtape.errors import Unsupported
from symtape.process.extras import find_loaded
from symtape.reading.dispatch import Substitute, if_given, lower_and_lift
from symtape.recording.in_place import lift_tensors
from symtape.recording.nested import lower_buffers
from symtape.recording.tensor import Tensor
from symtape.scipy import sparse, sparse_linalg
from symtape.scipy.sparse import SparseTensor

Function = Callable[..., Any]

CLASSES: Final[dict[str, Function]] = {
    **{name: getattr(sparse, name) for name in ("csr_array", "csc_array", "coo_array")},
    "dia_array": sparse.dia_array,
    **{name: functools.partial(sparse.matrix_of, name) for name in sparse.MATRICES},
}
_METHODS: Final = (
    *("__matmul__", "__rmatmul__", "dot", "__mul__", "__rmul__", "multiply", "__truediv__"),
    *("__add__", "__radd__", "__sub__", "__rsub__"),
)

_WRITING: Final = ("__setitem__", "setdiag")


def _holds(x: Any) -> bool:
    if isinstance(x, list | tuple):
        return any(map(_holds, x))
    return isinstance(x, Tensor | SparseTensor)


def _if_sparse(original: Function, kept: Function) -> Function:
    return if_given(original, lower_and_lift(original, kept), _holds)


def _substitute_for_sparse(kept: Function) -> Substitute:
    return lambda original: _if_sparse(original, kept)


def _raise_unsupported(words: str) -> Function:
    def function(*_: Any, **__: Any) -> Any:
        raise Unsupported(words)

    return function


def _make_refusal(original: Function) -> Function:
    words = (
        f"{original.__name__} of a sparse matrix of tensors; expected a plain one, or "
        "matrix.toarray() for a function of dense matrices"
    )
    return if_given(original, _raise_unsupported(words), _holds_sparse)


def _holds_sparse(x: Any) -> bool:
    if isinstance(x, list | tuple):
        return any(map(_holds_sparse, x))
    return isinstance(x, SparseTensor)


def _is_sparse(original: Function, x: Any) -> bool:
    return isinstance(x, SparseTensor) or bool(original(x))


def _is_of(original: Function, x: Any, kinds: Any) -> bool:
    if not isinstance(x, SparseTensor):
        return bool(original(x, kinds))
    module = find_loaded("scipy.sparse")
    named = kinds if isinstance(kinds, tuple) else (kinds,)
    sparse_ones = {getattr(module, name, None) for name in CLASSES}
    return not sparse_ones.isdisjoint(named) or bool(original(x, kinds))


def _make_iterative_solver(original: Function) -> Function:
    return _if_sparse(original, functools.partial(sparse_linalg.solve_iteratively, original))


SUBSTITUTES: Final[dict[str, dict[str, Substitute]]] = {
    "scipy.sparse": {
        **{name: _substitute_for_sparse(kept) for name, kept in CLASSES.items()},
        "diags": _substitute_for_sparse(sparse.diags),
        "diags_array": _substitute_for_sparse(sparse.diags_array),
    },
    "scipy.sparse.linalg": {
        "spsolve": _substitute_for_sparse(sparse_linalg.spsolve),
        "norm": _substitute_for_sparse(sparse_linalg.norm),
        "expm_multiply": _substitute_for_sparse(sparse_linalg.expm_multiply),
        "splu": lambda original: functools.partial(sparse_linalg.splu, factorise=original),
        "factorized": lambda original: functools.partial(
            sparse_linalg.factorized, factorise=find_loaded("scipy.sparse.linalg").splu
        ),
        **dict.fromkeys(sparse_linalg.ITERATIONS, _make_iterative_solver),
    },
}

WITHOUT_DERIVATIVES: Final[dict[str, dict[str, Substitute]]] = {
    "builtins": {"isinstance": lambda original: functools.partial(_is_of, original)},
    "scipy.sparse": {
        "issparse": lambda original: functools.partial(_is_sparse, original),
        **dict.fromkeys(
            (
                *("hstack", "vstack", "bmat", "block_array", "block_diag", "kron", "kronsum"),
                *("tril", "triu", "find"),
            ),
            _make_refusal,
        ),
    },
    "scipy.sparse.linalg": dict.fromkeys(
        (
            *("eigs", "eigsh", "svds", "lobpcg", "spilu", "lsqr", "lsmr", "inv", "expm"),
            *("onenormest", "matrix_power", "spsolve_triangular"),
        ),
        _make_refusal,
    ),
}
"""Decisions, and functions that hand what they are given to compiled code, which are refused."""


@functools.lru_cache(maxsize=1024)  # methods of SciPy's classes
def _method(original: Function, name: str) -> Function:
    @functools.wraps(original)
    def method(self: Any, other: Any, *how: Any) -> Any:
        if not isinstance(other, Tensor | SparseTensor):
            return original(self, other, *how)
        found = getattr(SparseTensor.from_matrix(self), name)(lower_buffers(other))
        return lift_tensors(found)

    return method


def _refuse_writing(original: Function) -> Function:
    words = (
        "a tensor is written into a plain sparse matrix; make the matrix from its entries and "
        "their places, as by coo_array((data, (rows, columns)))"
    )
    return if_given(original, _raise_unsupported(words), _holds)


def _families() -> Iterator[type]:
    module = find_loaded("scipy.sparse")
    base = getattr(find_loaded("scipy.sparse._base"), "_spbase", None)
    if module is None or base is None:
        return
    level = [base, module.spmatrix]
    while level:
        yield from level
        level = [below for one in level for below in one.__subclasses__()]


@functools.lru_cache(maxsize=1)  # the classes there are
def _defined_methods(kinds: tuple[type, ...]) -> list[tuple[type, str]]:
    return [
        (kind, name)
        for kind in dict.fromkeys(kinds)
        for name in (*_METHODS, *_WRITING)
        if name in vars(kind)
    ]


def methods() -> dict[Function, Function]:
    """The products and sums of SciPy's sparse matrices, as they take tensors."""
    return {
        original: _refuse_writing(original) if name in _WRITING else _method(original, name)
        for kind, name in _defined_methods(tuple(_families()))
        if isinstance(original := vars(kind).get(name), FunctionType)
    }
