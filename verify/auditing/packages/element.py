"""One element of what a function returns: of a tuple, times a number, or by a path of indices."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from verify.auditing.packages.held import name_after, positional
from verify.model.source import Spelling, spelling_of

Function = Callable[..., Any]


def element(function: Function, place: int | None = None, factor: float = 1) -> Function:
    """A function that returns one element of what another returns, times a number.

    Examples
    --------
    >>> element(divmod, 1, -1)(7, 4)
    -3
    """
    if place is None and factor == 1:
        return function

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        value = function(*arguments, **named)
        value = value if place is None else value[place]
        if factor == 1:
            return value
        if isinstance(value, list | tuple):
            return tuple(factor * np.asarray(part) for part in value)
        return factor * value

    return call


def select_item(function: Function, path: Sequence[int | str], summed: bool = False) -> Function:
    """An item of what a function returns, found by indices one after the other."""

    def call(*arguments: Any) -> Any:
        value = function(*arguments)
        for place in path:
            value = value[place]
        return np.sum(value) if summed else value

    def spell() -> Spelling | None:
        spelled = spelling_of(function, len(positional(function)))
        if spelled is None or summed:
            return None
        return replace(spelled, call=spelled.call + "".join(f"[{place!r}]" for place in path))

    made = name_after(function, call)
    made.spelled = spell  # type: ignore[attr-defined]
    return made
