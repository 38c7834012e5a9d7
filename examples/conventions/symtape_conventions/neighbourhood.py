"""The case of a pair whose arguments have values from which to start: defaults, or a small example.

The function and the claim are called once at the start; the region is what lies around it, within
the bounds that the library states, as far as the function is finite there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from verify import Case
from verify.auditing import (
    Hint,
    NotPosed,
    Pair,
    Region,
    as_region,
    differentiating_numerically,
    fix_arguments,
    region_for,
    shorten_error,
    silence,
)


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a function, and where to begin.

    Attributes
    ----------
    name : str
    start : float or array
        A value at which the function is finite.
    lower, upper : float
        What the library says itself; infinite where it does not.
    space : Space, optional
        Where it is to lie, whatever else is tried; of all arguments or of none.
    """

    name: str
    start: Any
    lower: float = -np.inf
    upper: float = np.inf
    space: Any = None

    def hint(self, keeps_sign: bool = False) -> Hint:
        """What is known of it before the function is called."""
        lower = max(self.lower, 0.0) if keeps_sign and self.start > 0 else self.lower
        upper = min(self.upper, 0.0) if keeps_sign and self.start < 0 else self.upper
        return Hint(lower, upper, np.shape(self.start))


@dataclass(frozen=True, slots=True)
class Method:
    """What a library computes: a function of the arguments alone, and the code behind it.

    Attributes
    ----------
    call : callable
    original : callable
        Of the library, whose name and place reports give.
    """

    call: Callable[..., Any]
    original: Callable[..., Any]


def case_near(
    pair: Pair,
    function: Method,
    claim: Method,
    arguments: Sequence[Argument],
    by: str | None = None,
) -> Case:
    """The case of a function and its claimed derivative, over a region around a start.

    Parameters
    ----------
    pair : Pair
    function, claim : Method
        Of the arguments, in their order.
    arguments : sequence of Argument
    by : str, optional
        The argument by which it is differentiated; all of them if not given.

    Raises
    ------
    NotPosed
        Either of them raises, or the function is not finite near the start.
    """
    names = [argument.name for argument in arguments]
    start = [np.asarray(argument.start, dtype=np.float64)[()] for argument in arguments]
    value = _called(function, start)
    if not np.all(np.isfinite(value)):
        raise NotPosed(f"{_name(function)} is not finite at {_said(names, start)}")
    claimed, numerically = differentiating_numerically(lambda: _called(claim, start))
    if numerically:
        raise NotPosed(
            f"{_name(claim)} differentiates numerically, by {numerically}; nobody wrote it by hand"
        )
    _check_shape(pair, claim, claimed, value, start)
    place = None if by is None else names.index(by)
    zero = [] if place is None else _zero(function, arguments[place], start, place)
    evaluated = fix_arguments(function.call, names, shown=function.original)
    return Case(
        id=pair.id,
        title=pair.id,
        function=evaluated,
        at=tuple(zero),
        quantity=pair.quantity,
        claimed=fix_arguments(claim.call, names, shown=claim.original),
        over=_region(function, evaluated, arguments, start),
        wrt=None if place is None else (place,),
        strict=False,
    )


def _zero(function: Method, argument: Argument, start: Sequence[Any], place: int) -> list[Any]:
    """The start with one number zero, if it may be: there, formulas may divide zero by zero."""
    if np.ndim(start[place]) or not argument.lower <= 0 <= argument.upper:
        return []
    if _is_singular_at_zero(function, start, place):
        return []
    return [(*start[:place], np.float64(0.0), *start[place + 1 :])]


def _region(
    function: Method,
    evaluated: Callable[..., Any],
    arguments: Sequence[Argument],
    start: Sequence[Any],
) -> Region:
    spaces = tuple(argument.space for argument in arguments)
    if None not in spaces:
        return as_region(spaces, [argument.name for argument in arguments])
    hints = {
        argument.name: argument.hint(keeps_sign=_is_singular_at_zero(function, start, place))
        for place, argument in enumerate(arguments)
    }
    return region_for(evaluated, hints, near=[start])


def _check_shape(
    pair: Pair, claim: Method, claimed: np.ndarray, value: np.ndarray, start: Sequence[Any]
) -> None:
    """Refuse what has the shape of another derivative: its function is another one, too."""
    if len(start) > 1:
        return
    times = {"gradient": 1, "jacobian": 1, "hessian": 2}[pair.quantity]
    shape = value.shape + times * np.shape(start[0])
    if claimed.shape != shape:
        raise NotPosed(
            f"{_name(claim)} returns an array of shape {claimed.shape}, and the {pair.quantity} of "
            f"a function of shape {value.shape} has shape {shape}"
        )


def _is_singular_at_zero(function: Method, start: Sequence[Any], place: int) -> bool:
    """Whether a number may not be zero, as a width may not, whatever points nearby say.

    What is finite there by a division by zero on the way, as ``arctan(x / 0)``, has no derivative.
    """
    if np.ndim(start[place]):
        return False
    point = [*start]
    point[place] = np.float64(0.0)
    try:
        with silence(), np.errstate(divide="raise", invalid="raise"):
            return not np.all(np.isfinite(np.asarray(function.call(*point), dtype=np.float64)))
    except Exception:  # noqa: BLE001  # theirs, whatever it is
        return True


def _called(method: Method, start: Sequence[Any]) -> np.ndarray:
    try:
        with silence():
            return np.asarray(method.call(*start), dtype=np.float64)
    except Exception as error:  # theirs: the reason is told
        words = f"{type(error).__name__}: {shorten_error(error)}"
        raise NotPosed(f"{_name(method)} raises where it is tried first: {words}") from error


def _name(method: Method) -> str:
    return str(getattr(method.original, "__qualname__", method.original))


def _said(names: Sequence[str], start: Sequence[Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in zip(names, start, strict=True))
