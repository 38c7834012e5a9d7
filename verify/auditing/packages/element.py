"""One element of what a function returns, times a number."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

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
