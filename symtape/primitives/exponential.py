"""Rows: exponentials and logarithms."""

from __future__ import annotations

import math

import numpy as np

from symtape.primitives import piecewise_constant
from symtape.primitives.primitive import Array, Primitive, table

_LOG_2 = math.log(2)
_LOG_10 = math.log(10)

TIMES_LOG_10: Primitive
TIMES_LOG_2: Primitive
TIMES_LOG_2, TIMES_LOG_10 = table(
    # Multiplication by an irrational constant, exact in the symbolic and rigorous readings,
    # where a float constant in a rule would not be.
    Primitive(
        name="times_log2",
        inputs="x",
        evaluate=lambda x: x * _LOG_2,
        vjp=[lambda g: TIMES_LOG_2(g)],
        elementwise=True,
        symbolic=lambda sp, x: x * sp.log(2),
        ball=lambda ball, x: x * type(x)(2).log(),
        rounding=(0, 2),
        source="x log 2",
        example=(0.75,),
    ),
    Primitive(
        name="times_log10",
        inputs="x",
        evaluate=lambda x: x * _LOG_10,
        vjp=[lambda g: TIMES_LOG_10(g)],
        elementwise=True,
        symbolic=lambda sp, x: x * sp.log(10),
        ball=lambda ball, x: x * type(x)(10).log(),
        rounding=(0, 2),
        source="x log 10",
        example=(0.75,),
    ),
)

EXP, EXP2, EXPM1, LOG, LOG2, LOG10, LOG1P = table(
    Primitive(
        name="exp",
        inputs="x",
        ufunc=np.exp,
        evaluate=np.exp,
        vjp=[lambda g, y: g * y],
        elementwise=True,
        symbolic=lambda sp, x: sp.exp(x),
        ball=lambda ball, x: ball.exp(x),
        rounding=(1, 4),
        xla=(1, 4),
        source="DLMF 4.7.7",
        example=(-0.75,),
    ),
    Primitive(
        name="exp2",
        inputs="x",
        ufunc=np.exp2,
        evaluate=np.exp2,
        vjp=[lambda g, y: TIMES_LOG_2(g * y)],
        elementwise=True,
        symbolic=lambda sp, x: 2**x,
        ball=lambda ball, x: ball.exp2(x),
        rounding=(1, 2),
        xla=(4, 8),
        source="DLMF 4.7.10",
        example=(-0.75,),
    ),
    Primitive(
        name="expm1",
        inputs="x",
        ufunc=np.expm1,
        evaluate=np.expm1,
        vjp=[lambda g, x: g * np.exp(x)],
        elementwise=True,
        symbolic=lambda sp, x: sp.exp(x) - 1,
        ball=lambda ball, x: ball.expm1(x),
        rounding=(1, 2),
        xla=(1, 12),
        source="DLMF 4.7.7",
        example=(0.25,),
    ),
    Primitive(
        name="log",
        inputs="x",
        ufunc=np.log,
        evaluate=np.log,
        vjp=[lambda g, x: g / x],
        elementwise=True,
        symbolic=lambda sp, x: sp.log(x),
        ball=lambda ball, x: ball.log(x),
        domain=lambda x: x > 0,
        over="x > 0",
        rounding=(1, 2),
        source="DLMF 4.7.1",
        example=(0.75,),
    ),
    Primitive(
        name="log2",
        inputs="x",
        ufunc=np.log2,
        evaluate=np.log2,
        vjp=[lambda g, x: g / TIMES_LOG_2(x)],
        elementwise=True,
        symbolic=lambda sp, x: sp.log(x) / sp.log(2),
        ball=lambda ball, x: ball.log2(x),
        domain=lambda x: x > 0,
        over="x > 0",
        rounding=(1, 2),
        source="DLMF 4.7.1",
        example=(0.75,),
    ),
    Primitive(
        name="log10",
        inputs="x",
        ufunc=np.log10,
        evaluate=np.log10,
        vjp=[lambda g, x: g / TIMES_LOG_10(x)],
        elementwise=True,
        symbolic=lambda sp, x: sp.log(x) / sp.log(10),
        ball=lambda ball, x: ball.log10(x),
        domain=lambda x: x > 0,
        over="x > 0",
        rounding=(1, 4),
        source="DLMF 4.7.1",
        example=(0.75,),
    ),
    Primitive(
        name="log1p",
        inputs="x",
        ufunc=np.log1p,
        evaluate=np.log1p,
        vjp=[lambda g, x: g / (1 + x)],
        elementwise=True,
        symbolic=lambda sp, x: sp.log(1 + x),
        ball=lambda ball, x: ball.log1p(x),
        domain=lambda x: x > -1,
        over="x > -1",
        rounding=(1, 2),
        source="DLMF 4.7.1",
        example=(0.25,),
    ),
)


def _share(a: Array, b: Array) -> Array:
    """``exp(a) / (exp(a) + exp(b))`` without overflow; 0 where both terms are 0."""
    return _share_of(np.exp, a, b)


def _share2(a: Array, b: Array) -> Array:
    return _share_of(np.exp2, a, b)


def _share_of(exp: np.ufunc, a: Array, b: Array) -> Array:
    nothing = np.equal(a, -np.inf) & np.equal(b, -np.inf)
    with np.errstate(invalid="ignore"):
        gap = np.subtract(a, b)
    small = exp(-np.abs(gap))
    return np.where(nothing, 0, np.where(gap >= 0, 1, small) / (1 + small))


LOGADDEXP2_SHARE: Primitive
LOGADDEXP_SHARE: Primitive
LOGADDEXP, LOGADDEXP2, LOGADDEXP_SHARE, LOGADDEXP2_SHARE = table(
    Primitive(
        name="logaddexp",
        inputs="a b",
        ufunc=np.logaddexp,
        evaluate=np.logaddexp,
        vjp=[
            lambda g, a, b: g * LOGADDEXP_SHARE(a, b),
            lambda g, a, b: g * LOGADDEXP_SHARE(b, a),
        ],
        elementwise=True,
        symbolic=lambda sp, a, b: sp.log(sp.exp(a) + sp.exp(b)),
        ball=lambda ball, a, b: ball.logaddexp(a, b),
        rounding=(2, 4),
        source="log(exp a + exp b)",
        example=(0.75, -1.5),
    ),
    Primitive(
        name="logaddexp2",
        inputs="a b",
        ufunc=np.logaddexp2,
        evaluate=np.logaddexp2,
        vjp=[
            lambda g, a, b: g * LOGADDEXP2_SHARE(a, b),
            lambda g, a, b: g * LOGADDEXP2_SHARE(b, a),
        ],
        elementwise=True,
        symbolic=lambda sp, a, b: sp.log(2**a + 2**b) / sp.log(2),
        ball=lambda ball, a, b: ball.logaddexp2(a, b),
        rounding=(2, 4),
        source="log2(2^a + 2^b)",
        example=(0.75, -1.5),
    ),
    Primitive(
        name="logaddexp_share",
        inputs="a b",
        evaluate=_share,
        vjp=[
            lambda g, y, a, b: g * (y * LOGADDEXP_SHARE(b, a)),
            lambda g, y, a, b: -g * (y * LOGADDEXP_SHARE(b, a)),
        ],
        elementwise=True,
        symbolic=lambda sp, a, b: 1 / (1 + sp.exp(b - a)),
        ball=lambda ball, a, b: ball.expit(a - b),
        rounding=(2, 4),
        source="exp a / (exp a + exp b), the derivative of logaddexp by a",
        example=(0.75, -1.5),
    ),
    Primitive(
        name="logaddexp2_share",
        inputs="a b",
        evaluate=_share2,
        vjp=[
            lambda g, y, a, b: TIMES_LOG_2(g * (y * LOGADDEXP2_SHARE(b, a))),
            lambda g, y, a, b: -TIMES_LOG_2(g * (y * LOGADDEXP2_SHARE(b, a))),
        ],
        elementwise=True,
        symbolic=lambda sp, a, b: 1 / (1 + 2 ** (b - a)),
        ball=lambda ball, a, b: 1 / (1 + ball.exp2(b - a)),
        rounding=(2, 4),
        source="2^a / (2^a + 2^b), the derivative of logaddexp2 by a",
        example=(0.75, -1.5),
    ),
)

SQRT, CBRT = table(
    Primitive(
        name="sqrt",
        inputs="x",
        ufunc=np.sqrt,
        evaluate=np.sqrt,
        vjp=[lambda g, y: g / (y + y)],
        elementwise=True,
        symbolic=lambda sp, x: sp.sqrt(x),
        ball=lambda ball, x: ball.sqrt(x),
        domain=lambda x: x >= 0,
        convention="inf at 0",
        kinks=lambda x: x == 0,
        over="x > 0",
        rounding=(0, 1),
        source="DLMF 4.2.26",
        example=(0.75,),
    ),
    Primitive(
        name="cbrt",
        inputs="x",
        ufunc=np.cbrt,
        evaluate=np.cbrt,
        vjp=[lambda g, y: g / (3 * (y * y))],
        elementwise=True,
        symbolic=lambda sp, x: (
            piecewise_constant.sign(sp, x) * sp.cbrt(piecewise_constant.absolute(sp, x))
        ),
        ball=lambda ball, x: ball.cbrt(x),
        convention="inf at 0",
        kinks=lambda x: x == 0,
        over="x != 0",
        rounding=(1, 2),
        xla=(1, 8),
        source="DLMF 4.2.26",
        example=(0.75,),
    ),
)
