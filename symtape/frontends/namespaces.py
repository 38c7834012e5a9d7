"""A recording mode: NumPy and ``math`` as the code that is recorded meets them.

``np.asarray(t)`` asks nobody, so that the value of a tensor leaves. While the mode is on, whoever
looks up such a function in a module gets one that hands tensors on: code of the user's, methods,
and the Python code of libraries. It is on in one context; other threads, and code outside, see the
modules as they are. Names that were bound before, as by ``from math import exp``, are bound anew
for as long as anyone records, to functions that differ in the context alone.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.machinery
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextvars import copy_context
from dataclasses import dataclass
from types import CellType, CodeType, FrameType, FunctionType, ModuleType
from typing import Any, Final, Literal

import numpy as np

from symtape.frontends import sparse_names
from symtape.frontends.arrays import (
    CONVERTERS,
    MAKERS,
    STRIDED,
    entries,
    entry_by_entry,
    joined_by,
    polynomial,
    records,
    scalar_of,
    tuples_of_entries,
    vectorized,
)
from symtape.frontends.call_sites import assigns_entries, is_called, looks_up
from symtape.frontends.lists import takes_lists
from symtape.frontends.masked import KEPT_MASKED, MASKED_ARRAY
from symtape.frontends.scalars import KEPT_SCALARS
from symtape.frontends.scipy_names import kept_of_scipy
from symtape.mode import MODE, Writes
from symtape.recording.in_place import Buffer, holds_tensor

Function = Callable[..., Any]

Whose = Literal["ours", "user", "library"]

_CACHED: Final = type(functools.lru_cache(lambda: None))  # a type

_EXTENSIONS: Final = tuple(importlib.machinery.EXTENSION_SUFFIXES)
_FOLDERS: Final = ("site-packages", "dist-packages")
_OURS: Final = frozenset(("symtape", "verify"))


def is_recorded() -> bool:
    """Whether the mode is on in this context."""
    return MODE.get() is not None


@contextlib.contextmanager
def recorded(functions: Sequence[FunctionType], writes: Writes) -> Iterator[None]:
    """Turn the mode on in this context, for a run of these `functions` of users'."""
    token = MODE.set(writes)
    try:
        with _bound_anew(functions, writes):
            yield
    finally:
        MODE.reset(token)


@functools.lru_cache(maxsize=4096)  # modules
def _whose(name: str, file: str) -> Whose:
    root = name.partition(".")[0]
    if root in _OURS:
        return "ours"
    known = root == "numpy" or root in sys.stdlib_module_names - {"__main__"}
    return "library" if known or any(folder in file for folder in _FOLDERS) else "user"


def whose(scope: dict[str, Any]) -> Whose:
    """Whose module it is that has these globals."""
    return _whose(str(scope.get("__name__", "")), str(scope.get("__file__") or ""))


def _in_context(original: Function, kept: Callable[[], Function]) -> Function:
    """`original`, which is another function where the mode is on."""

    @functools.wraps(original)
    def function(*args: Any, **keywords: Any) -> Any:
        return (original if MODE.get() is None else kept())(*args, **keywords)

    return _Typed(original, function) if hasattr(original, "__getitem__") else function


class _Typed:
    """A compiled function that is asked for by a type as well: ``estimate["double"](...)``."""

    def __init__(self, original: Any, function: Function) -> None:
        self._original, self._function = original, function

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        return self._function(*args, **keywords)

    def __getitem__(self, kind: Any) -> Any:
        return self._original[kind] if MODE.get() is None else self._function


class _ByType:
    """What compiled code has for several types, of which one is chosen by an index."""

    def __init__(self, original: Any, kept: Function) -> None:
        self._original, self._kept = original, kept

    def __getattr__(self, name: str) -> Any:
        return getattr(self._original, name)

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        return (self._original if MODE.get() is None else self._kept)(*args, **keywords)

    def __getitem__(self, kind: Any) -> Function:
        return _in_context(self._original[kind], functools.partial(_same, self._kept))


def _of_users() -> dict[int, Any]:
    kept = {getattr(np, name): function for name, function in MAKERS.items()}
    kept |= KEPT_SCALARS | STRIDED | KEPT_MASKED
    return {id(f): _in_context(f, functools.partial(_same, k)) for f, k in kept.items()}


def _same(function: Function) -> Function:
    return function


def _add_scipy() -> None:
    """Those of SciPy's modules that have been loaded in the meantime."""
    for original, kept in kept_of_scipy().items():
        if id(original) not in _USERS:
            by_type = hasattr(original, "__signatures__")
            of_it = functools.partial(_same, kept)
            function = _ByType(original, kept) if by_type else _in_context(original, of_it)
            _SCIPYS[id(original)] = function
            _USERS[id(original)] = _LIBRARIES[id(original)] = function
    for kind, called in sparse_names.classes().items():
        _USERS.setdefault(id(kind), called)
        _LIBRARIES.setdefault(id(kind), called)


def _by_inner(outer: Any, inner: Function) -> Function:
    """`outer`, which of tensors is the function inside it."""

    @functools.wraps(outer)
    def function(*args: Any, **keywords: Any) -> Any:
        plain_call = MODE.get() is None or not holds_tensor((*args, *keywords.values()))
        return (outer if plain_call else inner)(*args, **keywords)

    return function


def _of_libraries() -> dict[int, Any]:
    def now(name: str) -> Function:
        kept = MAKERS if MODE.get() == "all" else CONVERTERS
        return kept.get(name) or getattr(np, name)

    return {
        id(original): _in_context(original, functools.partial(now, name))
        for name in MAKERS
        if (original := getattr(np, name))
    }


def _of_numpy() -> dict[int, Any]:
    """As NumPy's own code meets them, which looks at the memory of arrays that it converts."""
    found = {id(getattr(np, name)): _LIBRARIES[id(getattr(np, name))] for name in MAKERS}
    for name, kept in CONVERTERS.items():
        original = getattr(np, name)
        found[id(original)] = _in_context(original, functools.partial(_same, kept))
    return found


def _of_lists() -> dict[int, Any]:
    """NumPy's functions as users' modules name them: they take lists of tensors."""
    found = {}
    for value in vars(np).values():
        if callable(value) and not isinstance(value, type | np.ufunc):
            of_lists = takes_lists(value)
            if of_lists is not value:
                found[id(value)] = _in_context(value, functools.partial(_same, of_lists))
    return found


_ALIKE: Final = _of_users()
_USERS: Final = {**_of_lists(), **_ALIKE}
_LIBRARIES: Final = {**_ALIKE, **_of_libraries()}
_NUMPYS: Final = _of_numpy()

_SCIPYS: Final[dict[int, Any]] = {}
"""Those of SciPy among them."""

_KEPT: Final = {"user": _USERS, "library": _LIBRARIES}

_CALLED: Final = {
    **{id(kind): scalar_of(kind) for kind in (np.float64, np.float32, np.float16)},
    **{id(kind): scalar_of(kind) for kind in (np.complex128, np.complex64)},
    id(np.ndenumerate): entries,
    id(np.nditer): entry_by_entry,
    id(np.broadcast): tuples_of_entries,
    id(np.poly1d): polynomial,
    id(np.recarray): records,
    id(np.ma.MaskedArray): MASKED_ARRAY,
}
"""Types that are called, and asked for as well."""


@functools.lru_cache(maxsize=4096)  # functions of NumPy
def _taking_lists(value: Any) -> Any:
    return takes_lists(value)


def _is_of_numpy(frame: FrameType) -> bool:
    """Whether it is NumPy's own, but for its polynomials, which are plain code of arrays."""
    name = str(frame.f_globals.get("__name__", ""))
    return name.partition(".")[0] == "numpy" and not name.startswith("numpy.polynomial")


def _taken(frame: FrameType) -> tuple[type, ...]:
    """The kinds of functions of NumPy to which code of libraries gives lists."""
    return (FunctionType,) if _is_of_numpy(frame) else (FunctionType, type(np.sum))


def _met(value: Any, frame: FrameType) -> Any:
    """What of a module the code of `frame` meets while it is recorded."""
    if frame.f_code.co_name == "<module>":
        # A module that is loaded just now keeps what it imports.
        return value
    if frame.f_globals.get("__name__") == _STRIDES:
        return value
    by = whose(frame.f_globals)
    if by == "ours":
        return value
    kept = _NUMPYS if _is_of_numpy(frame) else _KEPT[by]
    if (found := kept.get(id(value))) is not None:
        return found
    if value is np.ma:
        return value
    if id(value) in _CALLED and is_called(frame):
        return _CALLED[id(value)]
    if by == "user" or value is np.linalg or isinstance(value, _taken(frame)):
        with contextlib.suppress(TypeError):
            return _taking_lists(value)
    return value


_STRIDES: Final = "numpy.lib._stride_tricks_impl"
"""Code of NumPy's that makes views of memory, which only an array of its own has."""

_ASKED: Final = ("numpy", "math", "cmath", "numpy.lib.stride_tricks", "numpy.ma")
"""Modules that answer in their own way where the mode is on."""


_MOST_PLACES: Final = 16384
_PLACES: Final[dict[tuple[int, int], tuple[CodeType, Any, Any]]] = {}
"""What code has met at its places, with the code and the value that it would meet unrecorded."""


def _met_at(value: Any, frame: FrameType) -> Any:
    # Compiled code has no frame, and takes plain arrays for granted.
    return _met(value, frame) if looks_up(frame) else value


class _Met(ModuleType):
    """A module that code which is recorded meets in its own way."""

    def __getattribute__(self, name: str) -> Any:
        value = super().__getattribute__(name)
        if MODE.get() is None:
            return value
        frame = sys._getframe(1)
        code = frame.f_code
        place = (id(code), frame.f_lasti)
        known = _PLACES.get(place)
        if known is None or known[0] is not code or known[1] is not value:
            known = _PLACES[place] = (code, value, _met_at(value, frame))
            if len(_PLACES) > _MOST_PLACES:
                _PLACES.clear()
        return known[2]


@dataclass(slots=True)
class _Bound:
    """What is bound anew at present, by how many, and how it was before."""

    count: int
    modules: list[ModuleType]
    names: list[tuple[dict[str, Any], str, Any, Any]]
    cells: list[tuple[CellType, Any]]
    defaults: list[tuple[FunctionType, Any]]
    known: frozenset[str]


_BOUND: Final = _Bound(0, [], [], [], [], frozenset())
_LOCK: Final = threading.RLock()


def _scopes(known: frozenset[str] = frozenset()) -> Iterator[tuple[dict[str, Any], Whose]]:
    """The globals of modules other than those of `known` names, ours and NumPy's."""
    for name, module in list(sys.modules.items()):
        if name in known or name in _ASKED or not isinstance(module, ModuleType):
            continue
        scope = ModuleType.__getattribute__(module, "__dict__")
        by = whose(scope)
        if by != "ours" and not name.startswith("numpy"):
            yield scope, by


def _is_extension(scope: dict[str, Any]) -> bool:
    """Whether a module is compiled, so that its code takes plain arrays for granted."""
    return str(scope.get("__file__") or "").endswith(_EXTENSIONS)


@dataclass(slots=True)
class _Found:
    """What there is to bind anew, as it was when so many modules were loaded, this one last."""

    loaded: int
    last: Any
    users: list[dict[str, Any]]
    of_libraries: list[tuple[dict[str, Any], str, int]]
    of_numba: list[dict[str, Any]]


_FOUND: Final = _Found(0, None, [], [], [])


def _find() -> None:
    last = sys.modules[next(reversed(sys.modules))]
    if _FOUND.loaded == len(sys.modules) and _FOUND.last is last:
        return
    _add_scipy()
    scopes = list(_scopes())
    _FOUND.users = [s for s, by in scopes if by == "user" and not _is_extension(s)]
    _FOUND.of_libraries = [
        (scope, name, id(value))
        for scope, by in scopes
        if by == "library"
        for known in [_SCIPYS if _is_extension(scope) else _LIBRARIES]
        for name, value in list(scope.items())
        if id(value) in known
    ]
    _FOUND.of_numba = [s for s, by in scopes if by == "library" and _holds_compiled(s)]
    _FOUND.loaded, _FOUND.last = len(sys.modules), last


def inner_function(value: Any) -> Function | None:
    """The function in Python that numba compiled, or that keeps results by its arguments."""
    if type(value) is _CACHED:
        return value.__wrapped__
    # A class may define it as a property of its objects.
    of_numba = str(type(value).__module__).partition(".")[0] == "numba"
    return getattr(value, "py_func", None) if of_numba else None


def _holds_compiled(scope: dict[str, Any]) -> bool:
    own = str(scope.get("__name__", "")).partition(".")[0] == "numba"
    return "numba" in sys.modules and not own and any(map(_is_of_numba, [*scope.values()]))


def _is_of_numba(value: Any) -> bool:
    return type(value) is not _CACHED and inner_function(value) is not None


def _bind_outer(scope: dict[str, Any]) -> None:
    """What has a function inside, by the names that a module has for it."""
    for name, value in list(scope.items()):
        if (inner := inner_function(value)) is not None:
            _bind(scope, name, value, _by_inner(value, inner))


def _bind(scope: dict[str, Any], name: str, value: Any, kept: Any) -> None:
    scope[name] = kept
    _BOUND.names.append((scope, name, value, kept))


def _bind_users(scope: dict[str, Any]) -> None:
    for name, value in list(scope.items()):
        if (kept := _USERS.get(id(value))) is not None:
            _bind(scope, name, value, kept)


def _trimmed(original: Function, seq: Any) -> Any:
    """NumPy drops coefficients that are 0; a tensor's stay, for they have derivatives."""
    return seq if holds_tensor(seq) else original(seq)


def _begin() -> None:
    # NumPy loads it when it is first asked for, which must not be while code is recorded.
    importlib.import_module("numpy.ma")
    _find()
    for module in (sys.modules.get(name) for name in _ASKED):
        if type(module) is ModuleType:
            module.__class__ = _Met
            _BOUND.modules.append(module)
    _BOUND.known = frozenset(sys.modules)
    for scope in _FOUND.users:
        _bind_users(scope)
    for scope, name, of in _FOUND.of_libraries:
        value = scope.get(name)
        if id(value) == of:
            _bind(scope, name, value, _LIBRARIES[of])
    for scope in _FOUND.of_numba:
        _bind_outer(scope)
    sparse_names.bind_methods()
    if (module := sys.modules.get("numpy.polynomial.polyutils")) is not None:
        trims = vars(module)["trimseq"]
        kept = functools.partial(_trimmed, trims)
        _bind(vars(module), "trimseq", trims, _in_context(trims, lambda: kept))
    np.vectorize.__call__ = _call_vectorized  # type: ignore[method-assign]
    _JOINING.__getitem__ = _join
    _THREAD.start = _start


def _end() -> None:
    sparse_names.unbind_methods()
    np.vectorize.__call__ = _CALL  # type: ignore[method-assign]
    _JOINING.__getitem__ = _GETITEM
    _THREAD.start = _START
    for module in _BOUND.modules:
        module.__class__ = ModuleType
    for scope, name, value, kept in _BOUND.names:
        if scope.get(name) is kept:
            scope[name] = value
    if len(sys.modules) != len(_BOUND.known):
        _unbind_loaded({id(kept): value for _, _, value, kept in _BOUND.names})
    for cell, value in _BOUND.cells:
        cell.cell_contents = value
    for function, values in _BOUND.defaults:
        function.__defaults__ = values
    _BOUND.modules, _BOUND.names, _BOUND.cells, _BOUND.defaults = [], [], [], []


def _bind_inside(function: FunctionType, writes: Writes) -> None:
    """What a function has in its closure, and for defaults; arrays outside that it writes into."""
    workspaces = writes == "all" and assigns_entries(function.__code__)
    for cell in function.__closure__ or ():
        with contextlib.suppress(ValueError):  # Nobody has filled it yet.
            value = cell.cell_contents
            kept = _USERS.get(id(value))
            kept = Buffer(value) if workspaces and _is_workspace(value) else kept
            inner = inner_function(value)
            kept = kept if inner is None else _by_inner(value, inner)
            if kept is not None:
                cell.cell_contents = kept
                _BOUND.cells.append((cell, value))
    for name in function.__code__.co_names if workspaces else ():
        value = function.__globals__.get(name)
        if _is_workspace(value):
            _bind(function.__globals__, name, value, Buffer(value))
    before = function.__defaults__ or ()
    if any(id(value) in _USERS for value in before):
        function.__defaults__ = tuple(_USERS.get(id(value), value) for value in before)
        _BOUND.defaults.append((function, before))


def _is_workspace(value: Any) -> bool:
    return type(value) is np.ndarray and value.dtype.kind in "fc" and value.flags.writeable


def _unbind_loaded(values: dict[int, Any]) -> None:
    """As before in modules that were loaded meanwhile, from such whose names were bound anew."""
    for scope, _ in _scopes(_BOUND.known):
        for name, found in list(scope.items()):
            if id(found) in values:
                scope[name] = values[id(found)]


@contextlib.contextmanager
def _bound_anew(functions: Sequence[FunctionType], writes: Writes) -> Iterator[None]:
    with _LOCK:
        if not _BOUND.count:
            _begin()
        _BOUND.count += 1
        for function in functions:
            _bind_users(function.__globals__)
            _bind_outer(function.__globals__)
            _bind_inside(function, writes)
    try:
        yield
    finally:
        with _LOCK:
            _BOUND.count -= 1
            if not _BOUND.count:
                _end()


_THREAD: Final[Any] = threading.Thread
_START: Final = threading.Thread.start


def _start(thread: threading.Thread) -> None:
    """Start a thread in which the mode is on, if it is on here."""
    if MODE.get() is not None:
        thread.run = functools.partial(copy_context().run, thread.run)  # type: ignore[method-assign]
    _START(thread)


_CALL: Final = np.vectorize.__call__
_JOINING: Final[Any] = type(np.r_).__mro__[1]
_GETITEM: Final = _JOINING.__getitem__


def _call_vectorized(made: Any, *args: Any, **keywords: Any) -> Any:
    if MODE.get() is not None and holds_tensor(args):
        return vectorized(made, *args, **keywords)
    return _CALL(made, *args, **keywords)


def _join(join: Any, key: Any) -> Any:
    if MODE.get() is not None and holds_tensor(key):
        return joined_by(join, key)
    return _GETITEM(join, key)
