"""Functions whose calls of ``float``, ``type``, ``array.dot`` are changed while they are recorded.

Which instructions these are is said in :mod:`symtape.frontends.call_sites`; here is which functions
have them, and that each has its own code again when nobody records it.
"""

from __future__ import annotations

import contextlib
import functools
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType
from typing import Any, Final

from symtape.frontends.call_sites import replaced, replaces
from symtape.frontends.conversions import KEPT, KEPT_METHODS
from symtape.frontends.functions import code_of
from symtape.recording.calling import METHODS

Function = Callable[..., Any]

_MOST_KEPT: Final = 512
_BY_TYPE: Final = ("array_api_compat", "array_api_extra")

TYPE: Final = frozenset(("type",))
_CALLED: Final = frozenset(("type", "float", "complex"))


Learnt = dict[CodeType, list["weakref.ref[FunctionType]"]]

_LEARNT: Final[dict[int, tuple[Any, Learnt]]] = {}
_LOCK: Final = threading.RLock()
_CHANGED: Final[dict[int, tuple[FunctionType, CodeType, int]]] = {}
"""Functions whose code is changed at present: how it was, and for how many."""


def learnt(function: Function) -> Learnt:
    """Code that calls ``float``, as reading a function came upon it, and functions that have it."""
    code = code_of(function)
    while len(_LEARNT) > _MOST_KEPT:
        _LEARNT.pop(next(iter(_LEARNT)))
    return _LEARNT.setdefault(id(code), (code, {}))[1]


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
    return [x for x in values if isinstance(x, FunctionType) and x.__module__ == name and asks(x)]


@contextlib.contextmanager
def changed(function: Function, functions: list[FunctionType]) -> Iterator[None]:
    """The calls of ``float``, of ``array.dot`` and their like changed, where they are known."""
    functions = functions + _namespaces_of_types()
    for known in list(learnt(function).values()):
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


def written_code(function: FunctionType) -> CodeType:
    """The code of a function as it is when nobody records it."""
    with _LOCK:
        return _CHANGED.get(id(function), (function, function.__code__, 0))[1]


def asks(function: FunctionType) -> bool:
    """Whether a function calls ``type``."""
    return replaces(written_code(function), TYPE)


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
