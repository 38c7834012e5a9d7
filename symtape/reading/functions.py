"""Functions of Python as they are looked into: what they name, and copies of them."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from types import CellType, CodeType, FunctionType, MethodType
from typing import Any, Final, TypeVar

import numpy as np

from symtape.recording.of_leaves import OfLeaves

Result = TypeVar("Result")

CACHED: Final = type(functools.lru_cache(lambda: None))  # a type


def cached_by_code(compute: Callable[[CodeType], Result]) -> Callable[[CodeType], Result]:
    """Keep what is computed of code, as long as there is that code.

    It is found by identity: to hash code takes as long as to look through it.
    """
    kept: dict[int, tuple[weakref.ref[CodeType], Result]] = {}

    @functools.wraps(compute)
    def look_up(code: CodeType) -> Result:
        key = id(code)
        known = kept.get(key)
        if known is None or known[0]() is not code:
            found = compute(code)
            known = kept[key] = weakref.ref(code, functools.partial(kept.pop, key)), found
        return known[1]

    return look_up


@cached_by_code
def names(code: CodeType) -> frozenset[str]:
    """Every name in code, and in the functions inside it."""
    inner = [item for item in code.co_consts if isinstance(item, CodeType)]
    return frozenset(code.co_names).union(*map(names, inner))


def closed_over(function: FunctionType) -> list[Any]:
    """What is in the closure of a function, as far as it is filled."""
    # The empty cell is equal to empty ones alone.
    cells = [cell for cell in function.__closure__ or () if cell != CellType()]
    return [cell.cell_contents for cell in cells]


def root_function(function: Any) -> FunctionType | None:
    """The function of Python that runs, under partials and methods."""
    while not isinstance(function, FunctionType):
        if isinstance(function, functools.partial):
            function = function.func
        elif isinstance(function, OfLeaves):
            function = function.__wrapped__
        elif isinstance(function, MethodType):
            function = function.__func__
        else:
            call = getattr(type(function), "__call__", None)  # noqa: B004 -- what runs
            return call if isinstance(call, FunctionType) else None
    return function


def code_of(function: Any) -> CodeType | None:
    """The code of Python that runs, if there is any."""
    root = root_function(function)
    return None if root is None else root.__code__


def functions_of_attribute(x: Any) -> list[FunctionType]:
    """The functions that an attribute of a class runs."""
    if isinstance(x, property):
        found = (x.fget, x.fset)
    else:
        found = (getattr(x, "__func__", getattr(x, "func", x)), None)
    return [f for f in found if isinstance(f, FunctionType)]


def inner_function(value: Any) -> Callable[..., Any] | None:
    """The function in Python that numba compiled, or that keeps results by its arguments."""
    if type(value) is CACHED:
        return value.__wrapped__
    return getattr(value, "py_func", None) if holds_function(type(value)) else None


def holds_function(kind: type) -> bool:
    """Whether what is of this type may have a function inside."""
    # A class may define it as a property of its objects.
    return kind is CACHED or str(kind.__module__).partition(".")[0] == "numba"


class Copies:
    """Functions with the numbers and arrays that they read from around them exchanged.

    A function is copied once, and filled anew each time that it is asked for.

    Parameters
    ----------
    is_copied : callable
        Whether a function that is come upon is to be copied as well.

    Examples
    --------
    >>> scale = 2.0
    >>> def f(x, shift=1.0):
    ...     return scale * x + shift
    >>> copies = Copies(lambda function: True)
    >>> copies.copy(f, lambda value: 10 * value)(3.0)
    70.0
    """

    def __init__(self, is_copied: Callable[[FunctionType], bool]) -> None:
        self._is_copied = is_copied
        # Both by the ids of what `_kept` keeps.
        self._functions: dict[int, FunctionType] = {}
        self._scopes: dict[int, dict[str, Any]] = {}
        self._kept: list[Any] = []

    def copy(self, value: Any, exchange: Callable[[Any], Any]) -> Any:
        """`value`, with what is in it exchanged; what is neither data nor a user's is itself."""
        return _Walk(self._is_copied, self._functions, self._scopes, self._kept, exchange).copy(
            value
        )


class _Walk:
    """One walk through what functions read, in one order."""

    def __init__(
        self,
        is_copied: Callable[[FunctionType], bool],
        functions: dict[int, FunctionType],
        scopes: dict[int, dict[str, Any]],
        kept: list[Any],
        exchange: Callable[[Any], Any],
    ) -> None:
        self._is_copied, self._exchange = is_copied, exchange
        self._functions, self._scopes, self._kept = functions, scopes, kept
        self._filled: set[tuple[int, str]] = set()
        # Of containers and functions by their ids: one may hold itself, and two may share one.
        self._met: dict[int, Any] = {}

    def copy(self, value: Any) -> Any:
        if isinstance(value, float | np.floating):
            return self._exchange(value)
        if type(value) is np.ndarray:
            return self._exchange(value) if value.dtype.kind == "f" else value
        if id(value) in self._met:
            return self._met[id(value)]
        if type(value) in (tuple, list, dict):
            return self._container(value)
        if isinstance(value, functools.partial):
            keywords = {name: self.copy(item) for name, item in value.keywords.items()}
            return functools.partial(self.copy(value.func), *map(self.copy, value.args), **keywords)
        if isinstance(value, FunctionType) and self._is_copied(value):
            return self._function(value)
        return value

    def _container(self, value: Any) -> Any:
        if type(value) is tuple:
            # One that holds itself does so through a list or a dict.
            self._met[id(value)] = value
            self._met[id(value)] = tuple(map(self.copy, value))
        elif type(value) is list:
            copy: Any = []
            self._met[id(value)] = copy
            copy.extend(map(self.copy, value))
        else:
            copy = {}
            self._met[id(value)] = copy
            copy.update((key, self.copy(item)) for key, item in value.items())
        return self._met[id(value)]

    def _function(self, function: FunctionType) -> FunctionType:
        new = self._met[id(function)] = self._copy(function)
        new.__kwdefaults__ = self.copy(function.__kwdefaults__)
        new.__defaults__ = self.copy(function.__defaults__)
        cells = zip(new.__closure__ or (), function.__closure__ or (), strict=True)
        for cell, old in cells:
            try:
                cell.cell_contents = self.copy(old.cell_contents)
            except ValueError:  # Nobody has filled the old one yet.
                continue
        around = function.__globals__
        for name in sorted(names(function.__code__) & around.keys()):
            place = (id(around), name)
            if place not in self._filled:
                self._filled.add(place)
                new.__globals__[name] = around[name]
                new.__globals__[name] = self.copy(around[name])
        new.__globals__.setdefault("__builtins__", around.get("__builtins__", __builtins__))
        return new

    def _copy(self, function: FunctionType) -> FunctionType:
        if (known := self._functions.get(id(function))) is not None:
            return known
        self._kept += [function, function.__globals__]
        scope = self._scopes.setdefault(id(function.__globals__), {})
        cells = tuple(CellType() for _ in function.__closure__ or ())
        new = FunctionType(function.__code__, scope, function.__name__, None, cells or None)
        self._functions[id(function)] = new
        return new
