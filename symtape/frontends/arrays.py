"""NumPy code that makes arrays of tensors: ``np.array([x[0], x[1]])``, ``J = np.zeros(...)``.

NumPy asks nobody when it makes an array, so that what is put in leaves the tape. Here a function
is run as it stands, but for the NumPy that its code names: that one stacks tensors, and gives
arrays of zeros into which tensors can be written. What NumPy computes of tensors can be written
into as well (:mod:`symtape.recording.in_place`).
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
from symtape.frontends.lists import takes_lists
from symtape.recording.in_place import Buffer, holds_tensor, joined, lifted, lowered
from symtape.recording.structure import flatten
from symtape.recording.tensor import Tensor

__all__ = ["KEEPING", "MAKERS", "can_be_read", "holds_tensor", "read"]

Function = Callable[..., Any]


def read(function: Function, *arguments: Any) -> Any:
    """What a function of NumPy code computes of tensors, with the arrays that it makes recorded.

    Parameters
    ----------
    function : callable
        Of Python; its helpers are read in the same way as far as its code names them.
    *arguments : Tensor or array_like

    Raises
    ------
    NotOnTape
        It writes into an argument.

    Notes
    -----
    Where that is not possible, or where something else comes out than NumPy computes, the
    function is run with NumPy itself, and what leaves the tape is known to have left it.

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
    given = [lifted(x) for x in arguments]
    try:
        found = lowered(_Rewriting().function(function)(*given))
        same = _same(found, function(*[_plain(x) for x in arguments]))
    except BudgetSpent:
        raise
    except Exception:  # noqa: BLE001
        # What the function itself raises, it raises again.
        return function(*arguments)
    _check_untouched(given)
    return found if same else function(*arguments)


def _check_untouched(given: list[Any]) -> None:
    for number, x in enumerate(given):
        if isinstance(x, Buffer) and x.is_written:
            raise NotOnTape(
                f"the function writes into its argument {number}, and so changes it for its "
                "caller; let it work on a copy, as in x = x.copy()"
            )


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


def _array(x: Any, dtype: Any = None, **how: Any) -> Any:
    """``np.array``, which stacks tensors instead of taking their values."""
    if not holds_tensor(x):
        return np.array(x, dtype=dtype, **how)
    found = joined(x)
    short = max(how.get("ndmin", 0) - found.ndim, 0)
    found = found[(None,) * short] if short else found
    return found if dtype is None or found.dtype == dtype else found.astype(dtype)


def _writable(x: Any, dtype: Any = None, **how: Any) -> Any:
    """``np.array``, whose result is the caller's to write into."""
    array = _array(x, dtype, **how)
    if isinstance(array, Tensor):
        return lifted(lowered(array))
    return Buffer(array) if array.dtype.kind == "f" else array


def _asarray(x: Any, dtype: Any = None, **how: Any) -> Any:
    if isinstance(x, Buffer) and (dtype is None or x.dtype == dtype):
        # The array itself, and no copy of it.
        return x
    return lifted(_array(x, dtype)) if holds_tensor(x) else np.asarray(x, dtype=dtype, **how)


def _from_iterable(items: Any, dtype: Any, count: int = -1, **how: Any) -> Any:
    found = list(items) if count < 0 else list(itertools.islice(items, count))
    return _writable(found, dtype) if holds_tensor(found) else np.fromiter(found, dtype, **how)


def _full(shape: Any, value: Any, dtype: Any = None, **how: Any) -> Any:
    """``np.full``, which fills with tensors as well."""
    if not holds_tensor(value):
        return _made(np.full)(shape, value, dtype, **how)
    array = np.broadcast_to(joined(value), shape)
    return lifted(lowered(array if dtype is None else array.astype(dtype)))


def _full_like(a: Any, value: Any, dtype: Any = None, **how: Any) -> Any:
    if not holds_tensor(value):
        return _made(np.full_like)(a, value, dtype, **how)
    return _full(np.shape(a), value, dtype or np.result_type(a))


def _made(maker: Function) -> Function:
    """A function that makes arrays to write into, which makes some for tensors."""

    @functools.wraps(maker)
    def made(*args: Any, **keywords: Any) -> Any:
        array = lowered(maker(*args, **keywords))
        array = np.zeros(array.shape, array.dtype) if maker.__name__.startswith("empty") else array
        if isinstance(array, Tensor):
            return lifted(array)
        return Buffer(array) if array.dtype.kind == "f" else array

    return made


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
    "copy",
    "eye",
    "identity",
)

MAKERS: Final[dict[str, Function]] = {
    "array": _writable,
    "asarray": _asarray,
    "asanyarray": _asarray,
    "ascontiguousarray": _asarray,
    "asarray_chkfinite": _asarray,
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


KEEPING: Final = _Keeping({"array": _array, "asarray": _array})
"""For code that never writes into an array."""

_WRITABLE: Final = _Keeping(MAKERS, takes_lists)

_LIBRARIES: Final = ("site-packages", "dist-packages")


class _Rewriting:
    """Functions of a user's as they are, but for the NumPy that their code names."""

    def __init__(self) -> None:
        self._functions: dict[FunctionType, FunctionType] = {}
        # By the ids of the globals of these functions, which keep them.
        self._scopes: dict[int, dict[str, Any]] = {}

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
        if function in self._functions:
            return self._functions[function]
        if not _is_users(function) or _writes_outside(function.__code__):
            return function
        scope = self._scopes.setdefault(id(function.__globals__), dict(function.__globals__))
        cells = tuple(CellType() for _ in function.__closure__ or ())
        new = FunctionType(
            function.__code__, scope, function.__name__, function.__defaults__, cells or None
        )
        self._functions[function] = new
        new.__defaults__ = tuple(map(self._replaced, function.__defaults__ or ())) or None
        given = function.__kwdefaults__ or {}
        new.__kwdefaults__ = {name: self._replaced(value) for name, value in given.items()}
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


@functools.lru_cache(maxsize=256)  # code that one function calls
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
