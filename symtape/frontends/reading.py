"""Functions of plain NumPy code, read so that what they make, convert and write is recorded.

A function is run as it stands first, and that costs nothing. Where a value leaves, it is run again
in the recording mode (:mod:`symtape.frontends.namespaces`), with the calls of ``float`` and
``type`` in its code changed (:mod:`symtape.frontends.call_sites`). What was recorded then is
compared by value with what NumPy computes, since the code has met another NumPy.
"""

from __future__ import annotations

import contextlib
import functools
import sys
import threading
import warnings
import weakref
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import CodeType, FunctionType, MethodType
from typing import Any, Final

import numpy as np

from symtape.errors import (
    ArgumentWarning,
    Escaped,
    NotOnTape,
    NotTraceable,
    SymtapeError,
    Unsupported,
)
from symtape.frontends.call_sites import replaced, replaces
from symtape.frontends.conversions import KEPT, KEPT_METHODS
from symtape.frontends.functions import (
    functions_of_attribute,
    functions_with,
    names,
    root_function,
)
from symtape.frontends.namespaces import inner_function, recorded, whose
from symtape.frontends.roundings import are_roundings, nudged
from symtape.frontends.scipy_names import solves
from symtape.mode import Writes, plain
from symtape.recording.calling import CONVERTING, METHODS
from symtape.recording.in_place import Buffer, lifted, lowered
from symtape.recording.inexact import INEXACT
from symtape.recording.of_leaves import OfLeaves
from symtape.recording.structure import flatten, is_tree, pack
from symtape.recording.tensor import Tensor

Function = Callable[..., Any]

_MOST_LEARNT: Final = 24
"""Functions that call ``float``, or ``array.dot``, which one reading may come upon."""

_MOST_KEPT: Final = 512
_MOST_FAILED: Final = 3
"""Points at which one judge reads a function in vain."""

_DEPTH: Final = 4
_READ_INSIDE: Final = frozenset(("symtape.transforms", "symtape.entrywise", "verify.model.foreign"))
"""Modules whose functions read those of users' by themselves."""

_BY_TYPE: Final = ("array_api_compat", "array_api_extra")
_TYPE: Final = frozenset(("type",))
_CALLED: Final = frozenset(("type", "float", "complex"))


def readings(function: Function) -> Iterator[Function]:
    """Ways to read a function, one after the other, for whoever still wants a better one."""
    if _reads_inside(function) or is_in_vain(function):
        return
    ways: tuple[Writes, ...] = ("users", "all")
    for writes in ways:
        for _ in range(_MOST_LEARNT):
            reading = Reading(function, writes)
            yield reading
            if not reading.learns():
                break
    if asks_types(function) and not _calls_solvers(function):
        yield Reading(function, None)


def _reads_inside(function: Function) -> bool:
    root = root_function(function)
    return root is not None and root.__globals__.get("__name__") in _READ_INSIDE


@dataclass(slots=True)
class _Judged:
    """What is known of the functions that one judge has read, and nobody else ever sees."""

    in_vain: dict[CodeType, int] = field(default_factory=dict)
    """How often reading code was in vain; far below 0 where it worked once."""


_JUDGED: Final[ContextVar[_Judged | None]] = ContextVar("what one judge has read", default=None)


@contextlib.contextmanager
def judged() -> Iterator[None]:
    """Give up, until the end, to read functions for which that was in vain at some points.

    Writes into arguments are not warned of in it: whoever judges says so in the verdict.
    """
    token = _JUDGED.set(_Judged())
    try:
        yield
    finally:
        _JUDGED.reset(token)


def note(function: Function, worked: bool) -> None:
    """Keep whether reading a function was of use, where one judge asks for it at many points."""
    known, code = _JUDGED.get(), _code_of(function)
    if known is not None and code is not None:
        failed = known.in_vain.get(code, 0)
        known.in_vain[code] = -_MOST_KEPT if worked else failed + 1


def telling(first: Exception | None, later: Exception) -> Exception:
    """Of the errors of two ways to read a function, the one that says what stops both."""
    if first is None:
        return later
    told = isinstance(later, Escaped | NotOnTape | Unsupported)
    return later if told and isinstance(first, SymtapeError) else first


def is_in_vain(function: Function) -> bool:
    """Whether the judge who asks has read `function` in vain before."""
    known, code = _JUDGED.get(), _code_of(function)
    return known is not None and code is not None and known.in_vain.get(code, 0) >= _MOST_FAILED


class Reading:
    """`function` as it is recorded, with new arrays of `writes` to be written into.

    Parameters
    ----------
    function : callable
    writes : {"users", "all", None}
        None runs it as it stands, and compares the values as of the others.

    Attributes
    ----------
    own_error : Exception or None
        What the function raised, and raises of plain arrays as well.

    Examples
    --------
    >>> from symtape.recording.tensor import constant
    >>> __name__ = "example"  # It is code of users' that is read.
    >>> def f(x):
    ...     y = np.zeros(2)
    ...     y[1] = x[0] ** 2
    ...     return y
    >>> Reading(f, "users")(constant([3.0, 4.0]))
    <symtape.Tensor: shape=(2,), dtype=float64, numpy=array([0., 9.])>
    """

    def __init__(self, function: Function, writes: Writes | None) -> None:
        self._function, self._writes = function, writes
        self._noted: set[CodeType] = set()
        self.own_error: Exception | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._function, name)

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """What the function computes of tensors.

        Raises
        ------
        NotTraceable
            Something else comes out than NumPy computes.
        """
        errors: list[float] = []
        token = INEXACT.set(errors)
        try:
            found = self._read(arguments, keywords)
        except SymtapeError:
            raise
        except Exception as error:  # users' code
            if self._raises(arguments, keywords):
                self.own_error = error
            raise
        finally:
            INEXACT.reset(token)
        with plain():
            computed = self._function(*map(_plain, arguments), **_plain(keywords))
        same = same_values(found, computed, max([1e-6, *errors]))
        if not same and not are_roundings(found, computed, self._near(arguments, keywords)):
            raise NotTraceable(
                f"recorded, the code takes another way than with plain arrays: it gives {found!r} "
                f"in place of {computed!r}",
                code="branch:types",
            )
        return found

    def _read(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        if self._writes is None:
            return self._function(*arguments, **keywords)
        given = [_each(lifted, x) for x in arguments]
        named = {name: _each(lifted, x) for name, x in keywords.items()}
        token = CONVERTING.set(self._noted)
        try:
            functions = _reached(self._function)
            with recorded(functions, self._writes), _changed(self._function, functions):
                function: Any = self._function
                function = inner_function(function) or function
                found = _each(lowered, function(*given, **named))
        finally:
            CONVERTING.reset(token)
        if _JUDGED.get() is None:
            _warn_of_writes(self._function, given)
        return found

    def _near(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        with plain():
            return self._function(*(_each(nudged, x) for x in arguments), **_plain(keywords))

    def _raises(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> bool:
        try:
            with plain():
                self._function(*map(_plain, arguments), **_plain(keywords))
        except Exception:  # noqa: BLE001  # users' code
            return True
        return False

    def learns(self) -> bool:
        """Whether calls of ``float`` were come upon that are changed from now on."""
        known = _learnt(self._function)
        new = self._noted - known.keys()
        for code in new:
            known[code] = functions_with(code)
        return any(known[code] for code in new)


def _each(change: Callable[[Any], Any], x: Any) -> Any:
    """`x` with `change` made to its leaves."""
    if isinstance(x, Tensor) or not is_tree(x):
        return change(x)
    return pack(x, map(change, flatten(x)))


def _plain(x: Any) -> Any:
    return _each(_plain_leaf, x)


def _plain_leaf(x: Any) -> Any:
    if not isinstance(x, Tensor):
        return x
    return x._value.copy() if isinstance(x._value, np.ndarray) else x._value


def _warn_of_writes(function: Function, given: list[Any]) -> None:
    code = _code_of(function)
    file, line = (code.co_filename, code.co_firstlineno) if code else ("<unknown>", 0)
    for number, x in enumerate(given):
        if any(isinstance(leaf, Buffer) and leaf.is_written for leaf in flatten(x)):
            warnings.warn_explicit(
                f"the function writes into its argument {number}, and so changes it for its "
                "caller; here it worked on a copy. Let it take one itself, as in x = x.copy()",
                ArgumentWarning,
                file,
                line,
            )


def same_values(found: Any, computed: Any, off: float = 1e-6) -> bool:
    """Whether what was recorded is what NumPy computes, but for roundings, and `off` relatively."""
    ours, theirs = (
        [np.asarray(_plain(leaf)) for leaf in flatten(result)] for result in (found, computed)
    )
    if [x.shape for x in ours] != [x.shape for x in theirs]:
        return False
    return all(
        _alike(x, y, off) if y.dtype.kind in "fc" else np.array_equal(x, y)
        for x, y in zip(ours, theirs, strict=True)
    )


def _alike(x: Any, y: Any, off: float) -> bool:
    near = max(off, 64 * float(np.finfo(y.dtype).eps))
    scale = np.max(np.abs(y), initial=0.0)
    return np.allclose(x, y, rtol=near, atol=near * scale, equal_nan=True)


Learnt = dict[CodeType, list["weakref.ref[FunctionType]"]]

_LEARNT: Final[dict[int, tuple[Any, Learnt]]] = {}
_ASKING: Final[dict[int, tuple[CodeType | None, bool]]] = {}
_LOCK: Final = threading.RLock()
_CHANGED: Final[dict[int, tuple[FunctionType, CodeType, int]]] = {}
"""Functions whose code is changed at present: how it was, and for how many."""


def _learnt(function: Function) -> Learnt:
    code = _code_of(function)
    while len(_LEARNT) > _MOST_KEPT:
        _LEARNT.pop(next(iter(_LEARNT)))
    return _LEARNT.setdefault(id(code), (code, {}))[1]


def asks_types(function: Function) -> bool:
    """Whether code of a user's is another one as it stands.

    It asks for the type of a value, which of a tensor is another one, or it calls a solver of
    SciPy's, whose iterations would be recorded in place of the solution.
    """
    code = getattr(function, "__code__", None) or _code_of(function)
    known = _ASKING.get(id(code))
    if known is None or known[0] is not code:
        # Code that reads inside is one for whatever function it reads.
        known = _ASKING[id(code)] = (code, not _reads_inside(function) and _asks(function))
        while len(_ASKING) > _MOST_KEPT:
            _ASKING.pop(next(iter(_ASKING)))
    return known[1]


def _code_of(function: Function) -> CodeType | None:
    root = root_function(function)
    return None if root is None else root.__code__


def _asks(function: Function) -> bool:
    asks = any(replaces(item.__code__, _TYPE) for item in _reached(function))
    return asks or _calls_solvers(function)


def _calls_solvers(function: Function) -> bool:
    return any(solves(item, names(item.__code__)) for item in _reached(function))


def _reached(function: Function) -> list[FunctionType]:
    """Functions of users' that one names, and that these name."""
    level, seen = [function], dict[int, FunctionType]()
    for _ in range(_DEPTH):
        following: list[Any] = []
        for item in level:
            for found in _functions_of(item):
                if id(found) not in seen and whose(found.__globals__) == "user":
                    seen[id(found)] = found
                    following += _named(found)
        level = following
    return list(seen.values())


def _functions_of(item: Any) -> list[FunctionType]:
    if (inner := inner_function(item)) is not None:
        return _functions_of(inner)
    if isinstance(item, OfLeaves):
        return _functions_of(item.__wrapped__)
    if isinstance(item, type):
        return [f for x in vars(item).values() for f in functions_of_attribute(x)]
    if isinstance(item, MethodType):
        return _functions_of(item.__func__) + _functions_of(type(item.__self__))
    if isinstance(item, functools.partial):
        return _functions_of(item.func)
    if isinstance(item, FunctionType):
        # A decorator, of ours or of another, is beside what it decorates.
        wrapped = getattr(item, "__wrapped__", None)
        return [item, *_functions_of(wrapped)] if wrapped is not None else [item]
    users = whose({"__name__": type(item).__module__}) == "user"
    return _functions_of(type(item)) if callable(item) and users else []


def _named(function: FunctionType) -> list[Any]:
    named = names(function.__code__) & function.__globals__.keys()
    found = [function.__globals__[name] for name in named]
    for cell in function.__closure__ or ():
        with contextlib.suppress(ValueError):  # Nobody has filled it yet.
            found.append(cell.cell_contents)
    found += [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    return [x for x in found if isinstance(x, FunctionType | type | MethodType | functools.partial)]


def _namespaces_of_types() -> list[FunctionType]:
    """Functions that find NumPy by the type of an array, as SciPy and scikit-learn have them."""
    return _asking_in(len(sys.modules), next(reversed(sys.modules)))


@functools.lru_cache(maxsize=1)  # the modules, by their number and the last of them
def _asking_in(loaded: int, last: str) -> list[FunctionType]:
    found: list[FunctionType] = []
    for name, module in list(sys.modules.items()):
        if any(part in name for part in _BY_TYPE):
            found += _asking(name, module)
    return found


@functools.lru_cache(maxsize=_MOST_KEPT)  # modules
def _asking(name: str, module: Any) -> list[FunctionType]:
    values = (getattr(x, "__wrapped__", x) for x in vars(module).values())
    return [
        x
        for x in values
        if isinstance(x, FunctionType) and x.__module__ == name and replaces(x.__code__, _TYPE)
    ]


@contextlib.contextmanager
def _changed(function: Function, functions: list[FunctionType]) -> Iterator[None]:
    """The calls of ``float``, of ``array.dot`` and their like changed, where they are known."""
    functions = functions + _namespaces_of_types()
    for known in list(_learnt(function).values()):
        functions += [item for ref in known if (item := ref()) is not None]
    entered = []
    try:
        for item in functions:
            if _change(item):
                entered.append(item)
        yield
    finally:
        for item in entered:
            _change_back(item)


@functools.lru_cache(maxsize=_MOST_KEPT)  # code and names
def _keeping(code: CodeType, file: str, names: frozenset[str]) -> CodeType | None:
    if not replaces(code, names, METHODS):
        return None
    return replaced(code, {name: KEPT[name] for name in names}, KEPT_METHODS)


def _change(function: FunctionType) -> bool:
    with _LOCK:
        if (entry := _CHANGED.get(id(function))) is not None:
            _CHANGED[id(function)] = (function, entry[1], entry[2] + 1)
            return True
        code = function.__code__
        new = _keeping(code, code.co_filename, _CALLED.difference(function.__globals__))
        if new is None:
            return False
        _CHANGED[id(function)] = (function, code, 1)
        function.__code__ = new
        return True


def _change_back(function: FunctionType) -> None:
    with _LOCK:
        _, code, count = _CHANGED.pop(id(function))
        if count > 1:
            _CHANGED[id(function)] = (function, code, count - 1)
        else:
            function.__code__ = code
