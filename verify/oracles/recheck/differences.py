"""Derivatives by difference quotients of high order, at many digits.

Central: the five-point formula of order 4 (Abramowitz & Stegun 25.3.6). One-sided: the five-point
forward formula of order 4 (Fornberg 1988, Math. Comp. 51, table 3). With steps of 1e-30 of the
point and 150 digits the formula is off by some 1e-120, and what cancels leaves 120 digits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from mpmath import mp

STAGES: Final = ((150, 30), (400, 50), (1000, 200), (2500, 400), (5000, 800))
"""Decimal digits, and the digits of the step, taken until two quotients agree.

With another step each time, since one that is too long for the function agrees with itself."""

_CENTRAL: Final = ((-2, 1), (-1, -8), (1, 8), (2, -1))
"""Steps and weights; the sum is over 12 steps."""

_FORWARD: Final = ((0, -25), (1, 48), (2, -36), (3, 16), (4, -3))
"""As above."""

Function = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Quotient:
    """A difference quotient.

    Attributes
    ----------
    value, error : mpmath.mpf
        And an estimate of its error.
    """

    value: Any
    error: Any


def difference_quotient(function: Function, steps: Sequence[Any], digits: int) -> Quotient:
    """The derivative of `function` of one or two numbers at zero, once by each of them.

    Parameters
    ----------
    function : callable ``(t) -> mpf`` or ``(s, t) -> mpf``
    steps : sequence of mpf
        One for each.
    digits : int
        That the function is evaluated to.

    Examples
    --------
    >>> with mp.workdps(150):
    ...     found = difference_quotient(lambda t: mp.exp(2 * t), [mp.mpf("1e-30")], 150)
    >>> print(mp.nstr(found.value, 20))
    2.0
    """
    first, *rest = steps
    if not rest:
        values = {k: function(k * first) for k, _ in _CENTRAL}
        plain = (values[1] - values[-1]) / (2 * first)
        return _weigh_quotient([(w, values[k]) for k, w in _CENTRAL], first, plain, digits)
    (second,) = rest
    grid = {(j, k): function(j * first, k * second) for j, _ in _CENTRAL for k, _ in _CENTRAL}
    corners = grid[1, 1] - grid[1, -1] - grid[-1, 1] + grid[-1, -1]
    terms = [(v * w, grid[j, k]) for j, v in _CENTRAL for k, w in _CENTRAL]
    return _weigh_quotient(terms, 12 * first * second, corners / (4 * first * second), digits)


def one_sided(function: Function, step: Any, digits: int) -> Quotient:
    """The one-sided derivative at zero, towards the sign of `step`."""
    values = {k: function(k * step) for k, _ in _FORWARD}
    plain = (values[1] - values[0]) / step
    return _weigh_quotient([(w, values[k]) for k, w in _FORWARD], step, plain, digits)


def _weigh_quotient(
    terms: Sequence[tuple[int, Any]], step: Any, plain: Any, digits: int
) -> Quotient:
    """The quotient, beside that of lower order: what they differ by, squared, is still missing."""
    value = mp.fsum(weight * y for weight, y in terms) / (12 * step)
    cancelled = max(abs(weight * y) for weight, y in terms) / abs(12 * step)
    size = max(abs(value), abs(plain))
    missing = (value - plain) ** 2 / size if size else mp.zero
    # A digit or two for each of the operations that led to the terms.
    return Quotient(value, missing + cancelled * mp.mpf(10) ** (8 - digits))
