"""What the types in a signature say of arguments: bounds and shapes.

Bounds are read from the metadata of ``typing.Annotated`` that have the attributes ``gt``, ``ge``,
``lt``, ``le``, or hold others that have: those of annotated-types, pydantic, msgspec and of one's
own. Shapes are read from types with a ``dim_str``, as jaxtyping's have.
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterable, Iterator
from typing import Annotated, Any, Final, get_args, get_origin

import numpy as np

from verify.auditing.packages.hints import Hint

_LOWER: Final = ("gt", "ge")
_UPPER: Final = ("lt", "le")
_NAMED: Final = 3
"""The size of an axis that has a name and no number."""


def annotated_hints(function: Callable[..., Any]) -> dict[str, Hint]:
    """What is known of the arguments of a function from their types.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Between:
    ...     ge: float
    ...     le: float
    >>> def share(x: Annotated[float, Between(0, 1)], y: float): ...
    >>> found = annotated_hints(share)
    >>> found["x"].lower, found["x"].upper, found["y"].shape
    (0.0, 1.0, ())
    """
    try:
        types = typing.get_type_hints(function, include_extras=True)
    except Exception:  # noqa: BLE001  # names that exist for type checkers alone, whatever is called
        return {}
    found = {name: _hint(said) for name, said in types.items() if name != "return"}
    return {name: hint for name, hint in found.items() if hint != Hint()}


def _hint(said: Any) -> Hint:
    plain, *metadata = get_args(said) if get_origin(said) is Annotated else [said]
    bounds = [*_bounds(metadata)]
    lower = max((bound for side, bound in bounds if side in _LOWER), default=-np.inf)
    upper = min((bound for side, bound in bounds if side in _UPPER), default=np.inf)
    shape = () if plain is float else _shape(getattr(plain, "dim_str", None))
    if not lower < upper:
        lower, upper = -np.inf, np.inf
    return Hint(lower, upper, shape)


def _bounds(metadata: Iterable[Any]) -> Iterator[tuple[str, float]]:
    for each in metadata:
        for side in (*_LOWER, *_UPPER):
            bound = getattr(each, side, None)
            if isinstance(bound, int | float | np.number):
                yield side, float(bound)
        inner = getattr(each, "metadata", ())  # As pydantic's fields hold theirs.
        if isinstance(inner, list | tuple):
            yield from _bounds(inner)


def _shape(axes: str | None) -> tuple[int, ...] | None:
    """The shape that jaxtyping's axes mean: "3 n" is (3, 3); None if there are any number."""
    if axes is None or "..." in axes or "*" in axes:
        return None
    names = [axis.rpartition("=")[2].lstrip("#?_") for axis in axes.split()]
    return tuple(int(name) if name.isdigit() else _NAMED for name in names)
