"""A second opinion on every value that a page lists: mpmath at 60 digits and more.

Nothing is shared with the exact values' own way: SymPy's derivative of the formula is evaluated by
mpmath, at more and more digits until two evaluations agree; no ball and no jet takes part.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Final

import mpmath
import numpy as np
import sympy

import symtape
from verify.auditing.libraries.functions import Function
from verify.auditing.libraries.spelling import compiled

_DIGITS: Final = (700, 1400, 2800)
"""Far more than 60, since 1 + x takes 308 digits not to lose the least normal x, and x² twice that:
with fewer two evaluations may agree and both be wrong."""
_DIGITS_OF_SLOW: Final = (60, 120, 240, 700, 1400)
_SLOW: Final = (
    "gamma",
    "beta",
    "special.i",
    "special.j",
    "special.k",
    "special.y",
    "ndtri",
    "cinv",
)
"""What takes mpmath minutes at thousands of digits, and loses none to 1 + x, or shows that it did:
the inverse functions have no value at 1 - x then."""

_AGREED: Final = mpmath.mpf(10) ** -30
_TYPICAL: Final = {False: (0.7,), True: (0.7, 1.3)}
_LONGEST: Final = 400
_MISSING: Final = {"erfcinv": lambda x: mpmath.erfinv(1 - x)}
"""What SymPy has and mpmath has not; the digits lost by 1 - x are found out by taking more."""


def closed_form(function: Function, wrt: tuple[int, ...]) -> str:
    """The derivative as a formula, for people; empty where there is none of a readable size.

    Examples
    --------
    >>> from verify.auditing.libraries.functions import FUNCTIONS
    >>> closed_form(FUNCTIONS["sinh"], (0,))
    'cosh(x)'
    """
    point = _TYPICAL[function.is_binary]
    try:
        found = str(_expression(function, wrt, _inside(function, point)))
    except Exception:  # noqa: BLE001  # whatever SymPy or the shadow cannot do
        return ""
    return found if len(found) <= _LONGEST else ""


def rechecked(function: Function, point: Sequence[float], wrt: tuple[int, ...]) -> Any:
    """The derivative at exactly `point`, by SymPy and mpmath.

    Returns
    -------
    mpmath.mpf or None
        None where mpmath has no such function, or its digits do not settle.

    Examples
    --------
    >>> from verify.auditing.libraries.functions import FUNCTIONS
    >>> print(mpmath.nstr(rechecked(FUNCTIONS["tanh"], [20.0], (0,)), 20))
    1.6993417021166355837e-17
    """
    try:
        evaluate = _callable(function, wrt, _way(function, point))
    except Exception:  # noqa: BLE001  # as above
        return None
    before = None
    slow = any(word in function.formula for word in _SLOW)
    for digits in _DIGITS_OF_SLOW if slow else _DIGITS:
        try:
            with mpmath.workdps(digits):
                found = evaluate(*(mpmath.mpf(float(x)) for x in point))
                found = mpmath.mpf(mpmath.re(found))
                # Zero at few digits is what cancels, not what is exact.
                if found and before is not None and abs(found - before) <= _AGREED * abs(found):
                    return found
                before = found
        except Exception:  # noqa: BLE001  # a function that mpmath lacks, or that does not converge
            return None
    return before if before == 0 else None


def _way(function: Function, point: Sequence[float]) -> tuple[float, ...]:
    """The point itself where the formula chooses by it; any typical one where it does not."""
    if "where" in function.formula or "abs" in function.formula or "minimum" in function.formula:
        return tuple(map(float, point))
    return _inside(function, tuple(0.7 if x > 0 else -0.7 for x in point))


def _inside(function: Function, point: Sequence[float]) -> tuple[float, ...]:
    """A point of the domain that is like `point`."""
    found = []
    for x, (low, high) in zip(point, (function.over, function.second), strict=False):
        span = min(high - low, 2.0)
        middle = low + span / 2 if np.isfinite(low) else x
        found.append(x if low < x < high else middle)
    return tuple(found)


@functools.lru_cache(maxsize=512)  # ways of the functions of the table
def _callable(
    function: Function, wrt: tuple[int, ...], point: tuple[float, ...]
) -> Callable[..., Any]:
    symbols = sympy.symbols(function.arguments)
    made: Callable[..., Any] = sympy.lambdify(
        symbols, _expression(function, wrt, point), [_MISSING, "mpmath"]
    )
    return made


@functools.lru_cache(maxsize=512)  # ways of the functions of the table
def _expression(function: Function, wrt: tuple[int, ...], point: tuple[float, ...]) -> Any:
    formula = compiled(function.formula, function.arguments)
    derived = symtape.derive(formula, *point, names=function.arguments)
    found = derived.gradient.sympy if len(wrt) == 1 else derived.hessian.sympy
    for place in wrt if function.is_binary else ():
        found = found[place]
    free = {str(symbol): symbol for symbol in found.free_symbols}
    named = sympy.symbols(function.arguments)
    return found.subs({free[str(symbol)]: symbol for symbol in named if str(symbol) in free})
