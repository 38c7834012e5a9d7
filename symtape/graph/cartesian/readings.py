"""The complex operations that are written down, by the names of their rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

from symtape.graph.cartesian.parts import parts

F = TypeVar("F", bound=Callable[..., Any])
Reading = Callable[..., Any]

READINGS: Final[dict[str, Reading]] = {}
"""Of the arguments of a row, complex ones as their parts; give parts, or a real array."""


def reads(*names: str) -> Callable[[F], F]:
    """Declare what rows mean on parts."""

    def declare(reading: F) -> F:
        for name in names:
            READINGS[name] = reading
        return reading

    return declare


def reads_parts(*names: str) -> Callable[[F], F]:
    """As :func:`reads`, of a function all of whose arguments are parts."""

    def declare(reading: F) -> F:
        def read_all(*args: Any, **params: Any) -> Any:
            return reading(*map(parts, args), **params)

        reads(*names)(read_all)
        return reading

    return declare
