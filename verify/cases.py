"""Case: a function, the points, and the derivative that is claimed of it there."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import numpy as np

from verify import places
from verify.errors import UsageError

__all__ = [
    "MARK",
    "QUANTITIES",
    "Case",
    "argument_names",
    "as_points",
    "called",
    "case",
    "check_arity",
    "claimant",
    "part_names",
]

QUANTITIES: Final = ("gradient", "jacobian", "hessian")
"""What can be claimed."""

MARK: Final = "__symtape_cases__"
"""The attribute in which :func:`case` keeps what it was told."""

TAPE: Final = "symtape tape"
"""Who claims a derivative when nobody else does."""

_KINDS: Final = {
    "U": "text",
    "S": "bytes",
    "O": "objects",
    "c": "complex numbers",
    "b": "truth values",
    "M": "dates",
    "m": "spans of time",
}

Point = tuple[Any, ...]

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class Case:
    """One claim to verify.

    Attributes
    ----------
    id : str
        ``"classics/rosenbrock"``.
    title : str
        For people.
    function : callable
        Plain NumPy code of its array arguments.
    at : tuple of points
        Each a tuple of arguments.
    quantity : str
        One of :data:`QUANTITIES`.
    claimed : callable, optional
        Takes the same arguments and returns the derivative; by default symtape's own tape.
        With several arguments it returns a tuple, one derivative for each.
    plots : callable ``() -> list of plots``, optional
        What the report shows beside the verdict.
    suite : str
        The suite or the file that the case is from.
    """

    id: str
    title: str
    function: Callable[..., Any]
    at: tuple[Point, ...]
    quantity: str = "gradient"
    claimed: Callable[..., Any] | None = None
    plots: Callable[[], list[Any]] | None = None
    suite: str = ""


def case(
    *,
    at: Sequence[Any] | None = None,
    over: Any = None,
    claimed: Callable[..., Any] | None = None,
    quantity: str = "gradient",
    title: str | None = None,
) -> Callable[[F], F]:
    """Mark a function for ``symtape verify FILE.py``; a decorator, which may be repeated.

    Parameters
    ----------
    at : sequence of points
        A point is a tuple of arguments, or the only argument itself.
    claimed : callable, optional
        The derivative to verify; by default that of symtape's tape.
    quantity : str
        ``"gradient"``, ``"jacobian"`` or ``"hessian"``.
    title : str, optional
        For the report; by default the function's name.

    Raises
    ------
    UsageError
        No points, points that are no numbers, or an unknown quantity.

    Examples
    --------
    >>> @case(at=[0.5, 2.0])
    ... def cube(x):
    ...     return x**3
    >>> getattr(cube, MARK)[0]["at"]
    ((0.5,), (2.0,))
    """
    if over is not None:
        raise UsageError(f"over={over!r}: regions are not supported yet; give the points, at=[...]")
    if at is None:
        raise UsageError("verify.case needs points: at=[x1, x2], or at=[(x1, y1), (x2, y2)]")
    check_quantity(quantity)
    points = as_points(at)
    marked = {
        "at": points,
        "claimed": claimed,
        "quantity": quantity,
        "title": title,
    }

    def mark(function: F) -> F:
        for point in points:
            check_arity(function, point)
        setattr(function, MARK, [marked, *getattr(function, MARK, [])])
        return function

    return mark


def check_quantity(quantity: str) -> None:
    """Refuse a quantity that is not in :data:`QUANTITIES`."""
    if quantity not in QUANTITIES:
        raise UsageError(f"quantity={quantity!r}; expected one of {', '.join(QUANTITIES)}")


def as_points(at: Sequence[Any]) -> tuple[Point, ...]:
    """Points as tuples of float arguments.

    Raises
    ------
    UsageError
        No points, or an argument that is no number or rectangular array of numbers.

    Examples
    --------
    >>> as_points([1, (2.5, [3, 4])])
    ((1.0,), (2.5, [3.0, 4.0]))
    """
    if not isinstance(at, list | tuple) or not at:
        raise UsageError(f"at={at!r}; expected a list of points, at=[x1, x2], with one at least")
    return tuple(
        tuple(_argument(x, point) for x in (point if isinstance(point, tuple) else (point,)))
        for point in at
    )


def _argument(x: Any, point: Any) -> Any:
    several = isinstance(point, tuple) and len(point) > 1
    of = f" of the point {_brief(point)}" if several else ""
    what = f"the {'argument' if of else 'point'} {_brief(x)}{of}"
    try:
        array = np.asarray(x)
    except ValueError as error:
        raise UsageError(
            f"{what} is no rectangular array of numbers; give every row the same length"
        ) from error
    if array.dtype.kind not in "iuf":
        raise UsageError(
            f"{what} holds {kind_of(array.dtype)}; expected real numbers: a "
            "number, or a nested list or an array of them"
        )
    if array.dtype.kind == "f" and not isinstance(x, list | tuple):
        return x
    return np.asarray(array, dtype=np.float64).tolist()


def kind_of(dtype: np.dtype[Any]) -> str:
    """What arrays of a dtype hold, in words."""
    return _KINDS.get(dtype.kind, str(dtype))


def _brief(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else text[:57] + "..."


def check_arity(function: Callable[..., Any], point: Point) -> None:
    """Refuse a point whose number of arguments `function` does not take."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return
    try:
        signature.bind(*point)
    except TypeError as error:
        name = getattr(function, "__name__", "the function")
        raise UsageError(
            f"{name}{signature} does not take the point {_shown(point)}, which has "
            f"{len(point)} argument{'s' * (len(point) != 1)} ({error}); "
            "separate arguments by commas and put arrays in brackets, as in '1.0, [2.0, 3.0]'"
        ) from error


def called(function: Callable[..., Any]) -> str:
    """What a person calls `function`; a lambda goes by its place.

    Examples
    --------
    >>> import numpy as np
    >>> called(np.exp), called(as_points)
    ('exp', 'as_points')
    """
    name = str(getattr(function, "__qualname__", "") or type(function).__name__)
    name = name.rpartition("<locals>.")[2]
    place = places.of_function(function) if callable(function) else ""
    return f"the lambda at {place}" if name == "<lambda>" and place else name


def claimant(case: Case) -> str:
    """Who claims the derivative of a case."""
    return TAPE if case.claimed is None else called(case.claimed)


def argument_names(function: Callable[..., Any], count: int) -> list[str]:
    """What the first `count` positional parameters of `function` are called."""
    try:
        given = [
            name
            for name, parameter in inspect.signature(function).parameters.items()
            if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
        ]
    except (TypeError, ValueError):
        given = []
    return given[:count] if len(given) >= count else [f"x{k}" for k in range(count)]


def part_names(function: Callable[..., Any], count: int, quantity: str) -> list[str]:
    """What each part of a derivative is by: an argument, or for a Hessian a pair of them.

    Examples
    --------
    >>> part_names(lambda x, y: x * y, 2, "hessian")
    ['x and x', 'x and y', 'y and x', 'y and y']
    """
    names = argument_names(function, count)
    if quantity == "hessian":
        return [f"{first} and {second}" for first in names for second in names]
    return names


def _shown(point: Point) -> str:
    return repr(point[0]) if len(point) == 1 else repr(point)
