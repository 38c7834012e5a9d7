"""NumPy code that makes arrays of tensors: ``np.array([x[0], x[1]])``, ``J = np.zeros(...)``.

NumPy asks nobody when it makes an array, so that what is put in leaves the tape. Here a function
is run as it stands, but for the NumPy that its code names: that one stacks tensors, and gives
arrays of zeros into which tensors can be written.
"""

from __future__ import annotations

import dis
import functools
import itertools
import sys
from collections.abc import Callable
from types import CellType, CodeType, FunctionType, MethodType
from typing import Any, Final

import numpy as np

from symtape.errors import BudgetSpent, NotOnTape
from symtape.primitives.indexing import SCATTER
from symtape.readers.lists import holds_tensor, joined, takes_lists
from symtape.recording.structure import flatten
from symtape.recording.tensor import Tensor, tensor_of
from symtape.recording.variable import Variable

__all__ = ["KEEPING", "MAKERS", "can_be_read", "holds_tensor", "read"]

Function = Callable[..., Any]


def read(function: Function, *arguments: Any) -> Any:
    """What a function of NumPy code computes of tensors, with the arrays that it makes recorded.

    Parameters
    ----------
    function : callable
        Of Python; its helpers are read in the same way as far as its code names them.
    *arguments : Tensor or array_like

    Notes
    -----
    Where that is not possible, as of views that are written into, or where something else comes
    out than NumPy computes, the function is run with NumPy itself, and what leaves the tape is
    known to have left it.

    Examples
    --------
    >>> from symtape.recording.tensor import constant
    >>> def f(x):
    ...     y = np.zeros(2)
    ...     y[1] = x[0] ** 2
    ...     return y
    >>> read(f, constant([3.0, 4.0]))
    <symtape.Tensor: shape=(2,), dtype=float64, numpy=array([0., 9.])>
    """
    try:
        found = _finished(_Rewriting().function(function)(*arguments))
        if _same(found, function(*[_plain(x) for x in arguments])):
            return found
    except BudgetSpent:
        raise
    except Exception:
        # What the function itself raises, it raises again.
        return function(*arguments)
    return function(*arguments)


def can_be_read(function: Function) -> bool:
    """Whether there is code of a user's in `function`, to be run with another NumPy."""
    return _Rewriting().function(function) is not function


def _plain(x: Any) -> Any:
    if not isinstance(x, Tensor):
        return x
    return x._value.copy() if isinstance(x._value, np.ndarray) else x._value


def _same(found: Any, computed: Any) -> bool:
    """Whether what was recorded is what NumPy computes, but for the order of roundings."""
    ours, theirs = (
        [np.asarray(_plain(leaf)) for leaf in flatten(result)] for result in (found, computed)
    )
    if [x.shape for x in ours] != [x.shape for x in theirs]:
        return False
    return all(
        np.allclose(x, y, rtol=1e-6, atol=1e-6 * np.max(np.abs(y), initial=0.0), equal_nan=True)
        if y.dtype.kind == "f"
        else np.array_equal(x, y)
        for x, y in zip(ours, theirs, strict=True)
    )


def _finished(result: Any) -> Any:
    if isinstance(result, Buffer):
        return result._read()
    if type(result) in (list, tuple):
        return type(result)(_finished(item) for item in result)
    return result


class Buffer(Variable):
    """An array that a function has made to write into."""

    __slots__ = ("_written",)

    def __init__(self, value: Any) -> None:
        super().__init__(0.0, trainable=False)
        self._written = False
        self._hold(value)

    def _read(self) -> Tensor:
        assert self._current is not None
        return self._current

    def __setitem__(self, index: Any, value: Any) -> None:
        put = np.broadcast_to(joined(value), np.shape(self._value[index])).astype(self.dtype)
        taken = self._taken(index)
        if isinstance(put, Tensor):
            there = SCATTER(put, shape=self.shape, index=index) if self.ndim else put
        else:
            there = np.zeros(self.shape, self.dtype)
            there[index] = put
        self._hold(np.where(taken, there, self._read()))

    def _taken(self, index: Any) -> Any:
        """Where an index points.

        Raises
        ------
        NotOnTape
            It depends on a tensor, or points somewhere twice, so that the last one counts.
        """
        if holds_tensor(index) or holds_tensor(list(index) if isinstance(index, tuple) else index):
            raise NotOnTape("an array was written into at an index that is a tensor")
        times = np.zeros(self.shape, dtype=int)
        np.add.at(times, index, 1)
        if np.any(times > 1):
            raise NotOnTape("an array was written into twice at one place")
        return times == 1

    def _hold(self, new: Any) -> None:
        self._written = self._written or isinstance(new, Tensor)
        self._current = new if isinstance(new, Tensor) else tensor_of(new)
        self._value, self._id = self._current._value, self._current._id

    def __iadd__(self, other: Any) -> Any:
        self[...] = self._read() + other
        return self

    def __isub__(self, other: Any) -> Any:
        self[...] = self._read() - other
        return self

    def __imul__(self, other: Any) -> Any:
        self[...] = self._read() * other
        return self

    def __itruediv__(self, other: Any) -> Any:
        self[...] = self._read() / other
        return self

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        if self._written:
            return super().__array__(dtype, copy)
        return np.array(self._value, dtype=dtype)


def _array(x: Any, dtype: Any = None, **how: Any) -> Any:
    """``np.array``, which stacks tensors instead of taking their values."""
    if not holds_tensor(x):
        return np.array(x, dtype=dtype, **how)
    array = joined(x)
    short = max(how.get("ndmin", 0) - array.ndim, 0)
    array = array[(None,) * short] if short else array
    return array if dtype is None or array.dtype == dtype else array.astype(dtype)


def _writable(x: Any, dtype: Any = None, **how: Any) -> Any:
    """``np.array``, whose result is the caller's to write into."""
    array = _array(x, dtype, **how)
    return Buffer(array) if isinstance(array, Tensor) and array.dtype.kind == "f" else array


def _asarray(x: Any, dtype: Any = None, **how: Any) -> Any:
    return _array(x, dtype) if holds_tensor(x) else np.asarray(x, dtype=dtype, **how)


def _from_iterable(items: Any, dtype: Any, count: int = -1, **how: Any) -> Any:
    found = list(items) if count < 0 else list(itertools.islice(items, count))
    return _writable(found, dtype) if holds_tensor(found) else np.fromiter(found, dtype, **how)


def _full(shape: Any, value: Any, dtype: Any = None, **how: Any) -> Any:
    """``np.full``, which fills with tensors as well."""
    if not holds_tensor(value):
        return _made(np.full)(shape, value, dtype, **how)
    array = np.broadcast_to(joined(value), shape)
    return Buffer(array if dtype is None else array.astype(dtype))


def _full_like(a: Any, value: Any, dtype: Any = None, **how: Any) -> Any:
    if not holds_tensor(value):
        return _made(np.full_like)(a, value, dtype, **how)
    return _full(np.shape(a), value, dtype or np.result_type(a))


def _made(maker: Function) -> Function:
    """A function that makes arrays to write into, which makes some for tensors."""

    @functools.wraps(maker)
    def made(*args: Any, **keywords: Any) -> Any:
        array = maker(*args, **keywords)
        array = np.zeros(array.shape, array.dtype) if maker.__name__.startswith("empty") else array
        plain = array._value if isinstance(array, Tensor) else array
        return Buffer(np.asarray(plain)) if plain.dtype.kind == "f" else array

    return made


def _fill_diagonal(a: Any, value: Any, wrap: bool = False) -> None:
    if not isinstance(a, Buffer) or a.ndim != 2 or wrap:
        np.fill_diagonal(a, value, wrap)
        return
    rows = np.arange(min(a.shape))
    a[rows, rows] = value


def _vectorized(made: np.vectorize) -> Function:
    """What ``np.vectorize`` made, which calls its function on the elements of a tensor as well."""

    @functools.wraps(made.pyfunc)
    def call(*args: Any, **keywords: Any) -> Any:
        plain = not any(map(holds_tensor, args))
        if plain or keywords or made.excluded or made.signature is not None:
            return made(*args, **keywords)
        return np.frompyfunc(made.pyfunc, len(args), 1)(*map(joined, args))

    return call


def _vectorize(*how: Any, **more: Any) -> Function:
    return _vectorized(np.vectorize(*how, **more))


_WRITTEN_INTO: Final = (
    "zeros",
    "empty",
    "ones",
    "zeros_like",
    "empty_like",
    "ones_like",
)

MAKERS: Final[dict[str, Function]] = {
    "array": _writable,
    "asarray": _asarray,
    "asanyarray": _asarray,
    "ascontiguousarray": _asarray,
    "asarray_chkfinite": _asarray,
    "fill_diagonal": _fill_diagonal,
    "vectorize": _vectorize,
    "fromiter": _from_iterable,
    "full": _full,
    "full_like": _full_like,
    **{name: _made(getattr(np, name)) for name in _WRITTEN_INTO},
}
"""NumPy's functions that make arrays, as they keep tensors."""

_REPLACED: Final = {getattr(np, name): kept for name, kept in MAKERS.items()}


class _Keeping:
    """The namespace of NumPy, in which nothing that makes an array takes the value of a tensor."""

    def __init__(self, makers: dict[str, Function], others: Function = lambda value: value) -> None:
        self._makers, self._others = makers, others

    def __getattr__(self, name: str) -> Any:
        return self._makers[name] if name in self._makers else self._others(getattr(np, name))


KEEPING: Final = _Keeping({"array": _array, "asarray": _asarray})
"""For code that never writes into an array."""

_WRITABLE: Final = _Keeping(MAKERS, takes_lists)

_LIBRARIES: Final = ("site-packages", "dist-packages")


class _Rewriting:
    """Functions of a user's as they are, but for the NumPy that their code names."""

    def __init__(self) -> None:
        self._scopes: dict[int, dict[str, Any]] = {}
        self._functions: dict[int, FunctionType] = {}

    def function(self, function: Any) -> Any:
        """A callable with the functions in it rewritten; what is no code comes back as it is."""
        if isinstance(function, functools.partial):
            func = self.function(function.func)
            return functools.partial(func, *function.args, **function.keywords)
        if isinstance(function, MethodType):
            return MethodType(self.function(function.__func__), function.__self__)
        if isinstance(function, FunctionType):
            return self._rewritten(function)
        called = getattr(type(function), "__call__", None)  # noqa: B004 -- what runs
        if isinstance(called, FunctionType) and _is_users(called):
            return MethodType(self._rewritten(called), function)
        return function

    def _rewritten(self, function: FunctionType) -> FunctionType:
        if id(function) in self._functions:
            return self._functions[id(function)]
        if not _is_users(function) or _writes_outside(function.__code__):
            return function
        scope = self._scopes.setdefault(id(function.__globals__), dict(function.__globals__))
        cells = tuple(CellType() for _ in function.__closure__ or ())
        new = FunctionType(
            function.__code__, scope, function.__name__, function.__defaults__, cells or None
        )
        new.__kwdefaults__ = function.__kwdefaults__
        self._functions[id(function)] = new
        for cell, old in zip(cells, function.__closure__ or (), strict=True):
            _fill(cell, old, self._replaced)
        for name in _names(function.__code__) & scope.keys():
            scope[name] = self._replaced(function.__globals__[name])
        return new

    def _replaced(self, value: Any) -> Any:
        if value is np:
            return _WRITABLE
        if isinstance(value, FunctionType) and _is_users(value):
            return self._rewritten(value)
        if isinstance(value, np.vectorize):
            return _vectorized(value)
        try:
            return _REPLACED[value] if value in _REPLACED else takes_lists(value)
        except TypeError:  # Not hashable.
            return value


def _fill(cell: CellType, old: CellType, replaced: Callable[[Any], Any]) -> None:
    try:
        cell.cell_contents = replaced(old.cell_contents)
    except ValueError:  # Nobody has filled the old one yet.
        return


def _is_users(function: FunctionType) -> bool:
    """Whether code is neither ours, nor Python's, nor of an installed package."""
    file = function.__code__.co_filename
    if file.startswith("<"):
        return True
    root = str(function.__globals__.get("__name__", "")).partition(".")[0]
    known = root in ("symtape", "verify") or root in sys.stdlib_module_names - {"__main__"}
    return not known and not any(folder in file for folder in _LIBRARIES)


def _names(code: CodeType) -> set[str]:
    """Every name in code, and in the functions inside it."""
    inner = [item for item in code.co_consts if isinstance(item, CodeType)]
    return {*code.co_names}.union(*map(_names, inner))


@functools.lru_cache(maxsize=256)
def _writes_outside(code: CodeType, outer: frozenset[str] | None = None) -> bool:
    """Whether code binds names of its module, or of the functions around it."""
    around = frozenset(code.co_freevars) if outer is None else outer
    for step in dis.get_instructions(code):
        if step.opname == "STORE_GLOBAL" or (
            step.opname == "STORE_DEREF" and step.argval in around
        ):
            return True
    return any(
        _writes_outside(item, around) for item in code.co_consts if isinstance(item, CodeType)
    )
