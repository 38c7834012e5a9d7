"""A recording mode: NumPy and ``math`` as the code that is recorded meets them.

``np.asarray(t)`` asks nobody, so that the value of a tensor leaves. While the mode is on, whoever
looks up such a function in a module gets one that hands tensors on: code of the user's, methods,
and the Python code of libraries. It is on in one context; other threads, and code outside, see the
modules as they are. Names that were bound before are for :mod:`symtape.frontends.binding`.
"""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any, Final

import numpy as np

from symtape.frontends import sparse_names
from symtape.frontends.arrays import (
    CONVERTERS,
    MAKERS,
    STRIDED,
    entries,
    entry_by_entry,
    polynomial,
    records,
    scalar_of,
    tuples_of_entries,
)
from symtape.frontends.call_sites import is_called, looks_up
from symtape.frontends.lists import takes_lists
from symtape.frontends.masked import KEPT_MASKED, MASKED_ARRAY
from symtape.frontends.origin import whose
from symtape.frontends.scalars import KEPT_SCALARS
from symtape.frontends.scipy_names import kept_of_scipy
from symtape.mode import MODE, is_recorded

Function = Callable[..., Any]


def in_context(original: Any, kept: Function) -> Function:
    """`original`, which is another function where the mode is on."""

    @functools.wraps(original)
    def function(*args: Any, **keywords: Any) -> Any:
        return (kept if is_recorded() else original)(*args, **keywords)

    return _ByType(original, kept, function) if hasattr(original, "__getitem__") else function


class _ByType:
    """What compiled code has for several types, of which one may be chosen by an index."""

    def __init__(self, original: Any, kept: Function, function: Function) -> None:
        self._original, self._kept, self._function = original, kept, function

    def __getattr__(self, name: str) -> Any:
        return getattr(self._original, name)

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        return self._function(*args, **keywords)

    def __getitem__(self, kind: Any) -> Function:
        return in_context(self._original[kind], self._kept)


def _of_users() -> dict[int, Any]:
    kept = {getattr(np, name): function for name, function in MAKERS.items()}
    kept |= KEPT_SCALARS | STRIDED | KEPT_MASKED
    return {id(original): in_context(original, function) for original, function in kept.items()}


def add_scipy() -> None:
    """Those of SciPy's modules that have been loaded in the meantime."""
    for original, kept in kept_of_scipy().items():
        if id(original) not in USERS:
            function = SCIPYS[id(original)] = in_context(original, kept)
            USERS[id(original)] = LIBRARIES[id(original)] = function
    for kind, called in sparse_names.classes().items():
        USERS.setdefault(id(kind), called)
        LIBRARIES.setdefault(id(kind), called)


def _maker(name: str) -> Function:
    """What libraries have for a function that makes arrays, which the mode may leave plain."""
    every, converting = MAKERS[name], CONVERTERS.get(name) or getattr(np, name)

    def function(*args: Any, **keywords: Any) -> Any:
        return (every if MODE.get() == "all" else converting)(*args, **keywords)

    return function


def _of_libraries() -> dict[int, Any]:
    return {
        id(original): in_context(original, _maker(name))
        for name in MAKERS
        if (original := getattr(np, name))
    }


def _of_numpy() -> dict[int, Any]:
    """As NumPy's own code meets them, which looks at the memory of arrays that it converts."""
    found = {id(getattr(np, name)): LIBRARIES[id(getattr(np, name))] for name in MAKERS}
    for name, kept in CONVERTERS.items():
        original = getattr(np, name)
        found[id(original)] = in_context(original, kept)
    return found


def _of_lists() -> dict[int, Any]:
    """NumPy's functions as users' modules name them: they take lists of tensors."""
    found = {}
    for value in vars(np).values():
        if callable(value) and not isinstance(value, type | np.ufunc):
            of_lists = takes_lists(value)
            if of_lists is not value:
                found[id(value)] = in_context(value, of_lists)
    return found


_ALIKE: Final = _of_users()
USERS: Final = {**_of_lists(), **_ALIKE}
LIBRARIES: Final = {**_ALIKE, **_of_libraries()}
_NUMPYS: Final = _of_numpy()

SCIPYS: Final[dict[int, Any]] = {}
"""Those of SciPy among them."""

_KEPT: Final = {"user": USERS, "library": LIBRARIES}

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


def _looked_up(value: Any, frame: FrameType) -> Any:
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

RECORDED_MODULES: Final = ("numpy", "math", "cmath", "numpy.lib.stride_tricks", "numpy.ma")
"""Modules that answer in their own way where the mode is on."""


_MOST_PLACES: Final = 16384
_PLACES: Final[dict[tuple[int, int], tuple[CodeType, Any, Any]]] = {}
"""What code has met at its places, with the code and the value that it would meet unrecorded."""


def _looked_up_at(value: Any, frame: FrameType) -> Any:
    # Compiled code has no frame, and takes plain arrays for granted.
    return _looked_up(value, frame) if looks_up(frame) else value


_attribute: Final = ModuleType.__getattribute__
_frame: Final = sys._getframe
_mode: Final = MODE.get
"""As `is_recorded` asks, without a call of Python: every name that anybody looks up passes here."""


class RecordedModule(ModuleType):
    """A module that code which is recorded meets in its own way."""

    def __getattribute__(self, name: str) -> Any:
        value = _attribute(self, name)
        if _mode() is None:
            return value
        frame = _frame(1)
        code = frame.f_code
        place = (id(code), frame.f_lasti)
        known = _PLACES.get(place)
        if known is None or known[0] is not code or known[1] is not value:
            known = _PLACES[place] = (code, value, _looked_up_at(value, frame))
            if len(_PLACES) > _MOST_PLACES:
                _PLACES.clear()
        return known[2]
