"""SymPy functions that step: their derivative is zero wherever they have one.

SymPy's own ``sign`` has a Dirac delta for derivative and its ``floor`` none at all. Where a
row is differentiable these functions are constant, and where they jump the row says so in
``kinks``; so here they are subclasses that know just that.
"""

from __future__ import annotations

import functools
from typing import Any


@functools.cache  # of one module
def _steps(sp: Any) -> Any:
    class floor(sp.floor):  # type: ignore[misc]  # SymPy prints functions by class name
        def _eval_derivative(self, symbol: Any) -> Any:
            return sp.S.Zero

    class sign(sp.sign):  # type: ignore[misc]
        def _eval_derivative(self, symbol: Any) -> Any:
            return sp.S.Zero

    class Abs(sp.Abs):  # type: ignore[misc]
        def _eval_derivative(self, symbol: Any) -> Any:
            (argument,) = self.args
            return sign(argument) * argument.diff(symbol)

    return floor, sign, Abs


def floor(sp: Any, x: Any) -> Any:
    """The floor of `x`, constant between the integers."""
    return _steps(sp)[0](x)


def sign(sp: Any, x: Any) -> Any:
    """The sign of `x`, constant on either side of 0."""
    return _steps(sp)[1](x)


def absolute(sp: Any, x: Any) -> Any:
    """The absolute value of `x`, whose derivative is its sign."""
    return _steps(sp)[2](x)
