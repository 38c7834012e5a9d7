"""Rows: functions that step. They are registered as not differentiable, or constant in part."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from symtape.primitives import piecewise_constant
from symtape.primitives.primitive import Array, Primitive, implements, table


def _integer(x: Any) -> Any:
    return np.floor(x) == x


def _half_integer(x: Any) -> Any:
    return np.floor(2 * x) == 2 * x


def _steps(
    ufunc: np.ufunc, kinks: Callable[..., Any] | None, ball: Callable[..., Any], example: float
) -> Primitive:
    """A row that is constant between its jumps."""
    return Primitive(
        name=ufunc.__name__,
        inputs="x",
        ufunc=ufunc,
        evaluate=ufunc,
        vjp=None,
        elementwise=True,
        ball=ball,
        convention="" if kinks is None else "constant across a jump",
        kinks=kinks,
        rounding=(0, 0),
        source="constant between its jumps",
        # NumPy's sign of a complex number is z / abs(z), which does not step.
        of_reals=ufunc is np.sign,
        example=(example,),
    )


FLOOR, CEIL, TRUNC, RINT, SIGN, SIGNBIT, ISFINITE, ISINF, ISNAN = table(
    _steps(np.floor, _integer, lambda ball, x: ball.floor(x), 1.25),
    _steps(np.ceil, _integer, lambda ball, x: ball.ceil(x), 1.25),
    _steps(np.trunc, lambda x: _integer(x) & (x != 0), lambda ball, x: ball.trunc(x), -1.25),
    _steps(
        np.rint,
        lambda x: _half_integer(x) & ~_integer(x),
        lambda ball, x: ball.rint(x),
        1.25,
    ),
    _steps(np.sign, lambda x: x == 0, lambda ball, x: ball.sign(x), -1.25),
    _steps(np.signbit, lambda x: x == 0, lambda ball, x: ball.less(x, type(x)(0)), -1.25),
    _steps(np.isfinite, None, lambda ball, x: True, 1.25),
    _steps(np.isinf, None, lambda ball, x: False, 1.25),
    _steps(np.isnan, None, lambda ball, x: False, 1.25),
)

ROUND, HEAVISIDE, COPYSIGN = table(
    Primitive(
        name="round",
        inputs="x",
        evaluate=lambda x, decimals: np.round(x, decimals),
        vjp=None,
        elementwise=True,
        elements=lambda x, decimals: np.frompyfunc(lambda a: round(a, decimals), 1, 1)(x),
        ball=lambda ball, x, decimals: (
            ball.rint(x * 10**decimals) / 10**decimals
            if decimals >= 0
            else ball.rint(x / 10**-decimals) * 10**-decimals
        ),
        convention="constant across a jump",
        kinks=lambda x, decimals: _half_integer(x * 10.0**decimals) & ~_integer(x * 10.0**decimals),
        source="constant between its jumps",
        example=((1.23,), {"decimals": 1}),
    ),
    Primitive(
        name="heaviside",
        inputs="x h",
        ufunc=np.heaviside,
        evaluate=np.heaviside,
        vjp=[None, lambda g, x: g * (x == 0)],
        elementwise=True,
        symbolic=lambda sp, x, h: (
            (1 + piecewise_constant.sign(sp, x)) / 2
            + (h - sp.S.Half) * (1 - piecewise_constant.sign(sp, x) ** 2)
        ),
        ball=lambda ball, x, h: ball.heaviside(x, h),
        convention="constant across a jump",
        kinks=lambda x, h: x == 0,
        over="x != 0",
        rounding=(0, 0),
        source="DLMF 1.16.13",
        example=(-0.75, 0.5),
    ),
    Primitive(
        name="copysign",
        inputs="x sign",
        ufunc=np.copysign,
        evaluate=np.copysign,
        vjp=[lambda g, x, sign: g * (np.sign(x) * np.copysign(1, sign)), None],
        elementwise=True,
        symbolic=lambda sp, x, sign: (
            piecewise_constant.absolute(sp, x) * piecewise_constant.sign(sp, sign)
        ),
        ball=lambda ball, x, sign: ball.copysign(x, sign),
        convention="0 at 0",
        kinks=lambda x, sign: (x == 0) | (sign == 0),
        over="x != 0 and sign != 0",
        rounding=(0, 0),
        source="IEEE 754; subgradient 0 at 0",
        example=(0.75, -2.0),
    ),
)


@implements(np.round, np.around)
def _round(a: Array, decimals: int = 0, out: None = None) -> Array:
    _refuse_out("round", out)
    return RINT(a) if decimals == 0 else ROUND(a, decimals=decimals)


@implements(np.fix)
def _fix(x: Array, out: None = None) -> Array:
    _refuse_out("fix", out)
    return TRUNC(x)


def _refuse_out(name: str, out: Any) -> None:
    if out is not None:
        raise TypeError(
            f"np.{name}(..., out=...) would write into an array, which a tape cannot follow; "
            "use the returned value"
        )
