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
from contextvars import ContextVar, copy_context
from dataclasses import dataclass
from types import CellType, FrameType, FunctionType, ModuleType
from typing import Any, Final, Literal

import numpy as np

from symtape.frontends.arrays import (
    CONVERTERS,
    MAKERS,
    STRIDED,
    entries,
    entry_by_entry,
    joined_by,
    scalar_of,
    vectorized,
)
from symtape.frontends.call_sites import assigns_entries, is_called, looks_up
from symtape.frontends.lists import takes_lists
from symtape.frontends.scalars import KEPT_SCALARS
from symtape.frontends.scipy_names import kept_of_scipy
from symtape.recording.in_place import Buffer, holds_tensor

Function = Callable[..., Any]

Writes = Literal["users", "all"]
"""Whose new arrays take tensors that are written into them."""

Whose = Literal["ours", "user", "library"]

_MODE: Final[ContextVar[Writes | None]] = ContextVar("symtape recording mode", default=None)

_EXTENSIONS: Final = tuple(importlib.machinery.EXTENSION_SUFFIXES)
_FOLDERS: Final = ("site-packages", "dist-packages")
_OURS: Final = frozenset(("symtape", "verify"))


def is_recorded() -> bool:
    """Whether the mode is on in this context."""
    return _MODE.get() is not None


@contextlib.contextmanager
def recorded(functions: Sequence[FunctionType], writes: Writes) -> Iterator[None]:
    """Turn the mode on in this context, for a run of these `functions` of users'."""
    token = _MODE.set(writes)
    try:
        with _bound_anew(functions, writes):
            yield
    finally:
        _MODE.reset(token)


@contextlib.contextmanager
def plain() -> Iterator[None]:
    """Turn the mode off in this context."""
    token = _MODE.set(None)
    try:
        yield
    finally:
        _MODE.reset(token)


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
        return (original if _MODE.get() is None else kept())(*args, **keywords)

    return function


class _ByType:
    """What compiled code has for several types, of which one is chosen by an index."""

    def __init__(self, original: Any, kept: Function) -> None:
        self._original, self._kept = original, kept

    def __getattr__(self, name: str) -> Any:
        return getattr(self._original, name)

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        return (self._original if _MODE.get() is None else self._kept)(*args, **keywords)

    def __getitem__(self, kind: Any) -> Function:
        return _in_context(self._original[kind], functools.partial(_same, self._kept))


def _of_users() -> dict[int, Any]:
    kept = {getattr(np, name): function for name, function in MAKERS.items()}
    kept |= KEPT_SCALARS | STRIDED
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


def _python_of(compiled: Any) -> Function:
    """What numba compiled; of tensors it is the function in Python."""

    def function(*args: Any, **keywords: Any) -> Any:
        if _MODE.get() is None or not holds_tensor(args):
            return compiled(*args, **keywords)
        return compiled.py_func(*args, **keywords)

    return function


def _of_libraries() -> dict[int, Any]:
    def now(name: str) -> Function:
        kept = MAKERS if _MODE.get() == "all" else CONVERTERS
        return kept.get(name) or getattr(np, name)

    return {
        id(original): _in_context(original, functools.partial(now, name))
        for name in MAKERS
        if (original := getattr(np, name))
    }


def _of_numpy() -> dict[int, Any]:
    """As NumPy's own code meets them, which changes the memory of the arrays that it makes."""
    return {
        id(original): _in_context(original, functools.partial(_same, kept))
        for name, kept in CONVERTERS.items()
        if (original := getattr(np, name))
    }


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
}
"""Types that are called, and asked for as well."""


@functools.lru_cache(maxsize=4096)  # functions of NumPy
def _taking_lists(value: Any) -> Any:
    return takes_lists(value)


def _is_of_numpy(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] == "numpy"


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
    if id(value) in _CALLED and is_called(frame):
        return _CALLED[id(value)]
    if by == "user" or isinstance(value, FunctionType) or value is np.linalg:
        with contextlib.suppress(TypeError):
            return _taking_lists(value)
    return value


_STRIDES: Final = "numpy.lib._stride_tricks_impl"
"""Code of NumPy's that makes views of memory, which only an array of its own has."""

_ASKED: Final = ("numpy", "math", "cmath", "statistics")
"""Modules that answer in their own way where the mode is on."""


class _Met(ModuleType):
    """A module that code which is recorded meets in its own way."""

    def __getattribute__(self, name: str) -> Any:
        value = super().__getattribute__(name)
        if _MODE.get() is None:
            return value
        frame = sys._getframe(1)
        # Compiled code has no frame, and takes plain arrays for granted.
        return _met(value, frame) if looks_up(frame) else value


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
    """What there is to bind anew, as it was when so many modules were loaded."""

    loaded: int
    users: list[dict[str, Any]]
    of_libraries: list[tuple[dict[str, Any], str, int]]


_FOUND: Final = _Found(0, [], [])


def _find() -> None:
    if _FOUND.loaded == len(sys.modules):
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
    _FOUND.loaded = len(sys.modules)


def is_compiled(value: Any) -> bool:
    """Whether numba compiled it, of a function in Python that it has kept."""
    return type(value).__module__.partition(".")[0] == "numba" and hasattr(value, "py_func")


def _bind_compiled(scope: dict[str, Any]) -> None:
    """What numba compiled, by the names that a user's module has for it."""
    if "numba" not in sys.modules:
        return
    for name, value in list(scope.items()):
        if is_compiled(value):
            _bind(scope, name, value, _python_of(value))


def _bind(scope: dict[str, Any], name: str, value: Any, kept: Any) -> None:
    scope[name] = kept
    _BOUND.names.append((scope, name, value, kept))


def _bind_users(scope: dict[str, Any]) -> None:
    for name, value in list(scope.items()):
        if (kept := _USERS.get(id(value))) is not None:
            _bind(scope, name, value, kept)


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
    np.vectorize.__call__ = _call_vectorized  # type: ignore[method-assign]
    _JOINING.__getitem__ = _join
    _THREAD.start = _start


def _end() -> None:
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
            kept = _python_of(value) if is_compiled(value) else kept
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
            _bind_compiled(function.__globals__)
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
    if _MODE.get() is not None:
        thread.run = functools.partial(copy_context().run, thread.run)  # type: ignore[method-assign]
    _START(thread)


_CALL: Final = np.vectorize.__call__
_JOINING: Final[Any] = type(np.r_).__mro__[1]
_GETITEM: Final = _JOINING.__getitem__


def _call_vectorized(made: Any, *args: Any, **keywords: Any) -> Any:
    if _MODE.get() is not None and holds_tensor(args):
        return vectorized(made, *args, **keywords)
    return _CALL(made, *args, **keywords)


def _join(join: Any, key: Any) -> Any:
    if _MODE.get() is not None and holds_tensor(key):
        return joined_by(join, key)
    return _GETITEM(join, key)
