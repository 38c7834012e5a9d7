"""Numbers and arrays that code reads from around it, as further arguments of it.

A derivative by a parameter that is linear holds no trace of that parameter: ``np.sin(w * x + p)``,
of ``a * np.sin(w * x + p)`` by ``a``. How such a claim computes, and so what rounding may cost it,
shows once the arrays that it reads, ``x`` and ``w``, count as arguments as well.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from types import CellType, FunctionType
from typing import Any, Final

import numpy as np

from symtape.reading.functions import names
from symtape.recording.structure import flatten
from verify.adapters import adapt_function
from verify.claimants.claim import Answer, Claim
from verify.files import places
from verify.model.foreign import original_of
from verify.model.quantity import Quantity

_MOST_VALUES: Final = 32
_MOST_ELEMENTS: Final = 2048
"""Beyond that a closed form by all of them takes longer than the answer is worth."""


def add_outer_values(claim: Claim, x: Sequence[Any]) -> tuple[Claim, tuple[Any, ...]] | None:
    """A claim of more arguments, and the point at which it is `claim` at `x`.

    Returns
    -------
    tuple of Claim and point, or None
        None where the claim reads nothing from around it, or too much.
    """
    quantity, count = claim.quantity, len(x)
    if quantity.directions:
        return None
    written, claimed = original_of(claim.function), original_of(claim.derivative)
    outer, own = _outer_values(written), _outer_values(claimed)
    values = [*outer, *own]
    if not own or len(values) > _MOST_VALUES or sum(map(np.size, values)) > _MOST_ELEMENTS:
        return None
    end = count + len(outer)

    of_function, of_derivative = _ExchangeableFunction(written), _ExchangeableFunction(claimed)

    def function(*args: Any) -> Any:
        return of_function.exchange(args[count:end])(*args[:count])

    def derivative(*args: Any) -> Any:
        return of_derivative.exchange(args[end:])(*args[:count])

    rows = quantity.rows(count)
    by: Any = (rows, quantity.columns(count)) if quantity.second else rows
    found = replace(
        claim, function=function, derivative=derivative, quantity=Quantity(quantity.name, by)
    )
    return found, (*x, *values)


def same_answer(returned: Any, answer: Answer) -> bool:
    """Whether a claim of more arguments returned what the claim itself did, bit for bit."""
    parts = [np.asarray(part) for part in flatten(returned)]
    return len(parts) == len(answer.parts) and all(map(np.array_equal, parts, answer.parts))


def _outer_values(function: Callable[..., Any]) -> list[Any]:
    found: list[Any] = []

    def exchange(value: Any) -> Any:
        found.append(value)
        return value

    Copies(_is_users).copy(function, exchange)
    return found


def _is_users(function: FunctionType) -> bool:
    return not places.is_library(function.__code__.co_filename)


class _ExchangeableFunction:
    """A function with other values around it, copied and adapted once."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._copies = Copies(_is_users)
        self._last: tuple[Any, Any] = (None, None)

    def exchange(self, values: Sequence[Any]) -> Any:
        """The function with these `values`, as it is called."""
        given: Iterator[Any] = iter(values)
        copy = self._copies.copy(self._function, lambda _: next(given))
        if copy is not self._last[0]:
            self._last = (copy, adapt_function(copy))
        return self._last[1]


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
