"""Names bound anew while code is recorded, and bound as before when nobody records.

Names that were bound before, as by ``from math import exp``, and what closures and defaults hold
are bound to functions that differ where the recording mode is on
(:mod:`symtape.frontends.namespaces`).
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.machinery
import operator
import sys
import threading
from collections.abc import Iterator, Sequence
from contextvars import copy_context
from dataclasses import dataclass
from types import CellType, FunctionType, ModuleType
from typing import Any, Final

import numpy as np

from symtape.frontends import sparse_names
from symtape.frontends.arrays import joined_by, vectorized
from symtape.frontends.call_sites import assigns_entries
from symtape.frontends.dispatch import if_given
from symtape.frontends.functions import holds_function, inner_function, is_of_numba
from symtape.frontends.namespaces import (
    LIBRARIES,
    RECORDED_MODULES,
    SCIPYS,
    USERS,
    RecordedModule,
    add_scipy,
    in_context,
)
from symtape.frontends.origin import Whose, whose
from symtape.mode import MODE, Writes, is_recorded
from symtape.recording.in_place import Buffer, holds_tensor

_EXTENSIONS: Final = tuple(importlib.machinery.EXTENSION_SUFFIXES)


@dataclass(slots=True)
class _Bound:
    """What is bound anew at present, by how many, and how it was before."""

    count: int
    modules: list[ModuleType]
    names: list[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]]
    cells: list[tuple[CellType, Any]]
    defaults: list[tuple[FunctionType, Any]]
    known: frozenset[str]


_BOUND: Final = _Bound(0, [], [], [], [], frozenset())
LOCK: Final = threading.RLock()


def _scopes(known: frozenset[str] = frozenset()) -> Iterator[tuple[dict[str, Any], Whose]]:
    """The globals of modules other than those of `known` names, ours and NumPy's."""
    for name, module in list(sys.modules.items()):
        if name in known or name in RECORDED_MODULES or not isinstance(module, ModuleType):
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
    of_libraries: list[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]]
    of_numba: list[dict[str, Any]]
    known: frozenset[str]


_FOUND: Final = _Found(0, None, [], [], [], frozenset())


def _last_module() -> Any:
    return sys.modules[next(reversed(sys.modules))]


def find() -> Any:
    """Look up what there is to bind anew, and give the last module that was loaded."""
    if _FOUND.loaded == len(sys.modules) and _FOUND.last is _last_module():
        return _FOUND.last
    add_scipy()
    scopes = list(_scopes())
    _FOUND.users = [s for s, by in scopes if by == "user" and not _is_extension(s)]
    _FOUND.of_libraries = [
        (scope, before, {name: LIBRARIES[id(value)] for name, value in before.items()})
        for scope, by in scopes
        if by == "library"
        and (before := named(scope, SCIPYS if _is_extension(scope) else LIBRARIES))
    ]
    _FOUND.of_numba = [s for s, by in scopes if by == "library" and _holds_compiled(s)]
    _FOUND.loaded, _FOUND.last = len(sys.modules), _last_module()
    _FOUND.known = frozenset(sys.modules)
    return _FOUND.last


def forget_since(last: Any) -> None:
    """Look again, if it was looked up since the module `last` was loaded."""
    if _FOUND.last is not last:
        _FOUND.loaded = 0


def _holds_compiled(scope: dict[str, Any]) -> bool:
    own = str(scope.get("__name__", "")).partition(".")[0] == "numba"
    return "numba" in sys.modules and not own and any(map(is_of_numba, [*scope.values()]))


def _bind_outer(scope: dict[str, Any]) -> None:
    """What has a function inside, by the names that a module has for it."""
    if not any(map(holds_function, set(map(type, list(scope.values()))))):
        return
    for name, value in list(scope.items()):
        if (inner := inner_function(value)) is not None:
            _bind(scope, name, value, in_context(value, if_given(value, inner)))


def _bind(scope: dict[str, Any], name: str, value: Any, kept: Any) -> None:
    _bind_all(scope, {name: value}, {name: kept})


def _bind_users(scope: dict[str, Any]) -> None:
    if before := named(scope, USERS):
        _bind_all(scope, before, {name: USERS[id(value)] for name, value in before.items()})


def named(scope: dict[str, Any], known: dict[int, Any]) -> dict[str, Any]:
    """What a module has names for, of that whose identities are `known`."""
    # Most modules have nothing of it, which is seen without a step of Python for each name.
    if known.keys().isdisjoint(map(id, list(scope.values()))):
        return {}
    return {name: value for name, value in list(scope.items()) if id(value) in known}


def _bind_all(scope: dict[str, Any], before: dict[str, Any], kept: dict[str, Any]) -> None:
    exchange(scope, before, kept)
    _BOUND.names.append((scope, before, kept))


def exchange(scope: dict[str, Any], there: dict[str, Any], other: dict[str, Any]) -> None:
    """Bind names as `other` has them, those that are bound as in `there`."""
    if all(map(operator.is_, map(scope.get, there), there.values())):
        scope.update(other)
        return
    for name, value in there.items():
        if scope.get(name) is value:
            scope[name] = other[name]


def _begin() -> None:
    # NumPy loads it when it is first asked for, which must not be while code is recorded.
    importlib.import_module("numpy.ma")
    find()
    for module in (sys.modules.get(name) for name in RECORDED_MODULES):
        if type(module) is ModuleType:
            module.__class__ = RecordedModule
            _BOUND.modules.append(module)
    _BOUND.known = _FOUND.known
    for scope in _FOUND.users:
        _bind_users(scope)
    for found in _FOUND.of_libraries:
        _bind_all(*found)
    for scope in _FOUND.of_numba:
        _bind_outer(scope)
    sparse_names.bind_methods()
    if (module := sys.modules.get("numpy.polynomial.polyutils")) is not None:
        # NumPy drops coefficients that are 0; a tensor's stay, for they have derivatives.
        trims = vars(module)["trimseq"]
        _bind(vars(module), "trimseq", trims, in_context(trims, if_given(trims, lambda seq: seq)))
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
    for scope, before, kept in reversed(_BOUND.names):
        exchange(scope, kept, before)
    if len(sys.modules) != len(_BOUND.known):
        _unbind_loaded(
            {id(kept[name]): before[name] for _, before, kept in _BOUND.names for name in kept}
        )
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
            kept = USERS.get(id(value))
            kept = Buffer(value) if workspaces and _is_workspace(value) else kept
            inner = inner_function(value)
            kept = kept if inner is None else in_context(value, if_given(value, inner))
            if kept is not None:
                cell.cell_contents = kept
                _BOUND.cells.append((cell, value))
    for name in function.__code__.co_names if workspaces else ():
        value = function.__globals__.get(name)
        if _is_workspace(value):
            _bind(function.__globals__, name, value, Buffer(value))
    before = function.__defaults__ or ()
    if any(id(value) in USERS for value in before):
        function.__defaults__ = tuple(USERS.get(id(value), value) for value in before)
        _BOUND.defaults.append((function, before))


def _is_workspace(value: Any) -> bool:
    return type(value) is np.ndarray and value.dtype.kind in "fc" and value.flags.writeable


def _unbind_loaded(values: dict[int, Any]) -> None:
    """As before in modules that were loaded meanwhile, from such whose names were bound anew."""
    for scope, _ in _scopes(_BOUND.known):
        for name, found in list(scope.items()):
            if id(found) in values:
                scope[name] = values[id(found)]


def take_over(scope: dict[str, Any], before: dict[str, Any]) -> None:
    """Bind names of SciPy's as whoever records at present wants them, who did not see them."""
    if _BOUND.count:
        _bind_all(scope, before, {name: LIBRARIES[id(value)] for name, value in before.items()})


@contextlib.contextmanager
def recorded(functions: Sequence[FunctionType], writes: Writes) -> Iterator[None]:
    """Turn the mode on in this context, for a run of these `functions` of users'."""
    token = MODE.set(writes)
    try:
        with _bound_anew(functions, writes):
            yield
    finally:
        MODE.reset(token)


@contextlib.contextmanager
def _bound_anew(functions: Sequence[FunctionType], writes: Writes) -> Iterator[None]:
    with LOCK:
        if not _BOUND.count:
            _begin()
        _BOUND.count += 1
        for scope in {id(f.__globals__): f.__globals__ for f in functions}.values():
            _bind_users(scope)
            _bind_outer(scope)
        for function in functions:
            _bind_inside(function, writes)
    try:
        yield
    finally:
        with LOCK:
            _BOUND.count -= 1
            if not _BOUND.count:
                _end()


_THREAD: Final[Any] = threading.Thread
_START: Final = threading.Thread.start


def _start(thread: threading.Thread) -> None:
    """Start a thread in which the mode is on, if it is on here."""
    if is_recorded():
        thread.run = functools.partial(copy_context().run, thread.run)  # type: ignore[method-assign]
    _START(thread)


_CALL: Final = np.vectorize.__call__
_JOINING: Final[Any] = type(np.r_).__mro__[1]
_GETITEM: Final = _JOINING.__getitem__


def _call_vectorized(made: Any, *args: Any, **keywords: Any) -> Any:
    if is_recorded() and holds_tensor(args):
        return vectorized(made, *args, **keywords)
    return _CALL(made, *args, **keywords)


def _join(join: Any, key: Any) -> Any:
    if is_recorded() and holds_tensor(key):
        return joined_by(join, key)
    return _GETITEM(join, key)
