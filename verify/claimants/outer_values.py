"""Numbers and arrays that code reads from around it, as further arguments of it.

A derivative by a parameter that is linear holds no trace of that parameter: ``np.sin(w * x + p)``,
of ``a * np.sin(w * x + p)`` by ``a``. How such a claim computes, and so what rounding may cost it,
shows once the arrays that it reads, ``x`` and ``w``, count as arguments as well.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from types import CellType, CodeType, FunctionType
from typing import Any, Final

import numpy as np

from symtape.recording.structure import flatten
from verify.adapters import adapted
from verify.claimants.claim import Answer, Claim
from verify.model.foreign import original_of
from verify.model.quantity import Quantity
from verify.sources import places

_MOST_VALUES: Final = 32
_MOST_ELEMENTS: Final = 2048
"""Beyond that a closed form by all of them takes longer than the answer is worth."""


def with_outer_values(claim: Claim, x: Sequence[Any]) -> tuple[Claim, tuple[Any, ...]] | None:
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

    def function(*args: Any) -> Any:
        return adapted(_copied(written, args[count:end]))(*args[:count])

    def derivative(*args: Any) -> Any:
        return adapted(_copied(claimed, args[end:]))(*args[:count])

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

    _Copies(exchange).of(function)
    return found


def _copied(function: Callable[..., Any], values: Sequence[Any]) -> Any:
    given: Iterator[Any] = iter(values)
    return _Copies(lambda _: next(given)).of(function)


class _Copies:
    """Functions whose numbers and arrays from around them are exchanged, in one order."""

    def __init__(self, exchange: Callable[[Any], Any]) -> None:
        self._exchange = exchange
        self._functions: dict[FunctionType, FunctionType] = {}
        # By the ids of the globals of these functions, which keep them.
        self._scopes: dict[int, dict[str, Any]] = {}

    def of(self, value: Any) -> Any:
        """`value`, with what is in it exchanged; what is neither data nor a user's is itself."""
        if isinstance(value, float | np.floating):
            return self._exchange(value)
        if type(value) is np.ndarray:
            return self._exchange(value) if value.dtype.kind == "f" else value
        if type(value) in (tuple, list):
            return type(value)(map(self.of, value))
        if type(value) is dict:
            return {key: self.of(item) for key, item in value.items()}
        if isinstance(value, functools.partial):
            keywords = {name: self.of(item) for name, item in value.keywords.items()}
            return functools.partial(self.of(value.func), *map(self.of, value.args), **keywords)
        if isinstance(value, FunctionType) and not places.is_library(value.__code__.co_filename):
            return self._function(value)
        return value

    def _function(self, function: FunctionType) -> FunctionType:
        if function in self._functions:
            return self._functions[function]
        scope = self._scopes.setdefault(id(function.__globals__), {})
        cells = tuple(CellType() for _ in function.__closure__ or ())
        new = self._functions[function] = FunctionType(
            function.__code__, scope, function.__name__, function.__defaults__, cells or None
        )
        new.__kwdefaults__ = self.of(function.__kwdefaults__)
        new.__defaults__ = self.of(function.__defaults__)
        for cell, old in zip(cells, function.__closure__ or (), strict=True):
            try:
                cell.cell_contents = self.of(old.cell_contents)
            except ValueError:  # Nobody has filled the old one yet.
                continue
        for name in sorted(_names(function.__code__) & function.__globals__.keys() - scope.keys()):
            scope[name] = function.__globals__[name]
            scope[name] = self.of(scope[name])
        scope.setdefault("__builtins__", function.__globals__.get("__builtins__", __builtins__))
        return new


def _names(code: CodeType) -> set[str]:
    """Every name in code, and in the functions inside it."""
    inner = [item for item in code.co_consts if isinstance(item, CodeType)]
    return {*code.co_names}.union(*map(_names, inner))
