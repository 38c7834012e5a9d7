"""Numbers and arrays that code reads from around it, as further arguments of it.

A derivative by a parameter that is linear holds no trace of that parameter: ``np.sin(w * x + p)``,
of ``a * np.sin(w * x + p)`` by ``a``. How such a claim computes, and so what rounding may cost it,
shows once the arrays that it reads, ``x`` and ``w``, count as arguments as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from types import FunctionType
from typing import Any, Final

import numpy as np

from symtape.reading.functions import Copies
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
