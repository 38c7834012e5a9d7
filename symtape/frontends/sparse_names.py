"""``scipy.sparse`` of tensors: its classes where they are called, and its matrices' methods."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from typing import Any, Final

from symtape.recording.in_place import lifted, lowered
from symtape.recording.tensor import Tensor
from symtape.scipy import sparse, sparse_linalg
from symtape.scipy.sparse import SparseTensor

Function = Callable[..., Any]

_CLASSES: Final[dict[str, Function]] = {
    **{name: getattr(sparse, name) for name in ("csr_array", "csc_array", "coo_array")},
    "dia_array": sparse.dia_array,
    **{name: functools.partial(sparse.matrix_of, name) for name in sparse.MATRICES},
}
_METHODS: Final = (
    *("__matmul__", "__rmatmul__", "dot", "__mul__", "__rmul__", "multiply", "__truediv__"),
    *("__add__", "__radd__", "__sub__", "__rsub__"),
)


def _holds(x: Any) -> bool:
    if isinstance(x, list | tuple):
        return any(map(_holds, x))
    return isinstance(x, Tensor | SparseTensor)


def _taken(x: Any) -> Any:
    if type(x) in (list, tuple):
        return type(x)(map(_taken, x))
    return x if isinstance(x, SparseTensor) else lowered(x)


def _given(x: Any) -> Any:
    if type(x) in (list, tuple):
        return type(x)(map(_given, x))
    return lifted(x) if isinstance(x, Tensor) else x


def _if_sparse(original: Function, kept: Function) -> Function:
    @functools.wraps(original, updated=())
    def function(*args: Any, **keywords: Any) -> Any:
        if not _holds(args) and not _holds(list(keywords.values())):
            return original(*args, **keywords)
        found = kept(*map(_taken, args), **{key: _taken(x) for key, x in keywords.items()})
        return _given(found)

    return function


class _Class:
    """A class of SciPy's as it is called with tensors, and asked for as it is."""

    def __init__(self, original: type, kept: Function) -> None:
        self._original, self._function = original, _if_sparse(original, kept)

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        return self._function(*args, **keywords)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._original, name)

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        return (self._original,)

    def __or__(self, other: Any) -> Any:
        return self._original | other

    def __ror__(self, other: Any) -> Any:
        return other | self._original

    def __instancecheck__(self, x: object) -> bool:
        return isinstance(x, SparseTensor | self._original)

    def __subclasscheck__(self, x: type) -> bool:
        return issubclass(x, self._original)


def classes() -> dict[Any, Any]:
    """By the class of SciPy, as far as it is loaded, what is called in place of it."""
    if (module := sys.modules.get("scipy.sparse")) is None:
        return {}
    found = {getattr(module, name): kept for name, kept in _CLASSES.items()}
    return {original: _Class(original, kept) for original, kept in found.items()}


def _is_sparse(original: Function, x: Any) -> bool:
    return isinstance(x, SparseTensor) or bool(original(x))


def functions() -> dict[Function, Function]:
    """By the function of SciPy, as far as it is loaded."""
    found: dict[Function, Function] = {}
    if (module := sys.modules.get("scipy.sparse")) is not None:
        found[module.issparse] = functools.partial(_is_sparse, module.issparse)
        for name in ("diags", "diags_array"):
            original = getattr(module, name)
            found[original] = _if_sparse(original, getattr(sparse, name))
    if (module := sys.modules.get("scipy.sparse.linalg")) is not None:
        for name in ("spsolve", "norm"):
            original = getattr(module, name)
            found[original] = _if_sparse(original, getattr(sparse_linalg, name))
        found[module.splu] = functools.partial(sparse_linalg.splu, factorise=module.splu)
        found[module.factorized] = functools.partial(
            sparse_linalg.factorized, factorise=module.splu
        )
        for name in sparse_linalg.ITERATIONS:
            if (original := getattr(module, name, None)) is not None:
                kept = functools.partial(sparse_linalg.iterated, original)
                found[original] = _if_sparse(original, kept)
    return found


def _method(original: Function, name: str) -> Function:
    @functools.wraps(original)
    def method(self: Any, other: Any, *how: Any) -> Any:
        if not isinstance(other, Tensor | SparseTensor):
            return original(self, other, *how)
        return _given(getattr(SparseTensor.of(self), name)(_taken(other)))

    return method


def _families() -> Iterator[type]:
    module = sys.modules.get("scipy.sparse")
    base = getattr(sys.modules.get("scipy.sparse._base"), "_spbase", None)
    if module is None or base is None:
        return
    level = [base, module.spmatrix]
    while level:
        yield from level
        level = [below for one in level for below in one.__subclasses__()]


_BOUND: Final[list[tuple[type, str, Function]]] = []


def bind_methods() -> None:
    """Let the products and sums of SciPy's sparse matrices take tensors."""
    for kind in dict.fromkeys(_families()):
        for name in _METHODS:
            if (original := vars(kind).get(name)) is not None:
                _BOUND.append((kind, name, original))
                setattr(kind, name, _method(original, name))


def unbind_methods() -> None:
    """As before."""
    while _BOUND:
        kind, name, original = _BOUND.pop()
        setattr(kind, name, original)
