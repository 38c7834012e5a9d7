"""Functions whose SymPy derivative is nan where the function is smooth, with a better one."""

from __future__ import annotations

from typing import Any

import sympy as sp


class SincDerivative(sp.Function):  # type: ignore[misc]
    """The n-th derivative of sin(u)/u, as one function that is entire.

    SymPy's own derivative is a quotient that is 0/0 at 0.

    Examples
    --------
    >>> u = sp.Symbol("u", real=True)
    >>> SincDerivative(0, u).diff(u)
    SincDerivative(1, u)
    """

    nargs = 2

    def fdiff(self, argindex: int = 1) -> Any:
        """By the second argument, the next derivative."""
        order, u = self.args
        return SincDerivative(order + 1, u)

    def _eval_is_real(self) -> bool | None:
        real: bool | None = self.args[1].is_real
        return real


class WithLambert(sp.Function):  # type: ignore[misc]
    """The principal branch of W(x), with a derivative that is finite at 0 (DLMF 4.13.4)."""

    nargs = 1

    def fdiff(self, argindex: int = 1) -> Any:
        """``exp(-W) / (1 + W)``."""
        return sp.exp(-self) / (1 + self)

    def _eval_is_real(self) -> bool | None:
        real: bool | None = self.args[0].is_real
        return real


def to_sympy(expression: Any) -> Any:
    """`expression` in terms of SymPy's own functions.

    Examples
    --------
    >>> u = sp.Symbol("u", real=True)
    >>> to_sympy(SincDerivative(1, u))
    (u*cos(u) - sin(u))/u**2
    """
    shown = expression.replace(WithLambert, sp.LambertW)
    return shown.replace(SincDerivative, _sinc_derivative)


def _sinc_derivative(order: Any, u: Any) -> Any:
    if order == 0:
        return sp.sinc(u)
    t = sp.Dummy("t", real=True)
    return sp.together(sp.diff(sp.sin(t) / t, t, int(order))).xreplace({t: u})
