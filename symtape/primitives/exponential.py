"""Rows: exponentials and logarithms."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from symtape.primitives.primitive import Array, Primitive, declare

_LOG_2 = math.log(2)
_LOG_10 = math.log(10)

# Multiplication by an irrational constant, exact in the symbolic and rigorous readings,
# where a float constant in a rule would not be.
TIMES_LOG_2: Primitive = declare(
    name="times_log2",
    evaluate=lambda x: x * _LOG_2,
    vjp=[lambda g: TIMES_LOG_2(g)],
    symbolic=lambda sp, x: x * sp.log(2),
    ball=lambda ball, x: x * type(x)(2).log(),
    rounding=(0, 2),
    complex="holomorphic",
    source="x log 2",
)
TIMES_LOG_10: Primitive = declare(
    name="times_log10",
    evaluate=lambda x: x * _LOG_10,
    vjp=[lambda g: TIMES_LOG_10(g)],
    symbolic=lambda sp, x: x * sp.log(10),
    ball=lambda ball, x: x * type(x)(10).log(),
    rounding=(0, 2),
    complex="holomorphic",
    source="x log 10",
)

EXP = declare(
    evaluate=np.exp,
    vjp=[lambda g, y: g * y],
    symbolic="exp",
    rounding=(1, 4),
    xla=(1, 4),
    complex="holomorphic",
    source="DLMF 4.7.7",
    example=(-0.75,),
)
EXP2 = declare(
    evaluate=np.exp2,
    vjp=[lambda g, y: TIMES_LOG_2(g * y)],
    symbolic=lambda sp, x: 2**x,
    ball="exp2",
    rounding=(1, 4),
    xla=(4, 8),
    complex="holomorphic",
    source="DLMF 4.7.10",
    example=(-0.75,),
)
EXPM1 = declare(
    evaluate=np.expm1,
    vjp=[lambda g, x: g * np.exp(x)],
    symbolic=lambda sp, x: sp.exp(x) - 1,
    ball="expm1",
    rounding=(1, 4),
    xla=(1, 12),
    complex="holomorphic",
    source="DLMF 4.7.7",
    example=(0.25,),
)
LOG = declare(
    evaluate=np.log,
    vjp=[lambda g, x: g / x],
    symbolic="log",
    domain="x > 0",
    rounding=(1, 2),
    complex="holomorphic",
    source="DLMF 4.7.1",
)
LOG2 = declare(
    evaluate=np.log2,
    vjp=[lambda g, x: g / TIMES_LOG_2(x)],
    symbolic=lambda sp, x: sp.log(x) / sp.log(2),
    ball="log2",
    domain="x > 0",
    rounding=(1, 2),
    complex="holomorphic",
    source="DLMF 4.7.1",
)
LOG10 = declare(
    evaluate=np.log10,
    vjp=[lambda g, x: g / TIMES_LOG_10(x)],
    symbolic=lambda sp, x: sp.log(x) / sp.log(10),
    ball="log10",
    domain="x > 0",
    rounding=(1, 4),
    complex="holomorphic",
    source="DLMF 4.7.1",
)
LOG1P = declare(
    evaluate=np.log1p,
    vjp=[lambda g, x: g / (1 + x)],
    symbolic=lambda sp, x: sp.log(1 + x),
    ball="log1p",
    domain="x > -1",
    rounding=(1, 2),
    complex="holomorphic",
    source="DLMF 4.7.1",
    example=(0.25,),
)


_PLAIN: Final = frozenset((np.ndarray, np.float64, np.float32))


def _share(exp: np.ufunc, a: Array, b: Array) -> Array:
    """``exp(a) / (exp(a) + exp(b))`` without overflow; 0 where both terms are 0."""
    with np.errstate(invalid="ignore"):
        gap = np.subtract(a, b)
    small = exp(-np.abs(gap))
    if type(gap) in _PLAIN and np.count_nonzero(gap == gap) == gap.size:
        return np.maximum(small, gap >= 0) / (1 + small)  # of truths, which count as 1 and 0
    nothing = np.equal(a, -np.inf) & np.equal(b, -np.inf)
    return np.where(nothing, 0, np.where(gap >= 0, 1, small) / (1 + small))


LOGADDEXP = declare(
    evaluate=np.logaddexp,
    vjp=[
        lambda g, a, b: g * LOGADDEXP_SHARE(a, b),
        lambda g, a, b: g * LOGADDEXP_SHARE(b, a),
    ],
    symbolic=lambda sp, a, b: sp.log(sp.exp(a) + sp.exp(b)),
    ball="logaddexp",
    rounding=(2, 4),
    source="log(exp a + exp b)",
    example=(0.75, -1.5),
)
LOGADDEXP2 = declare(
    evaluate=np.logaddexp2,
    vjp=[
        lambda g, a, b: g * LOGADDEXP2_SHARE(a, b),
        lambda g, a, b: g * LOGADDEXP2_SHARE(b, a),
    ],
    symbolic=lambda sp, a, b: sp.log(2**a + 2**b) / sp.log(2),
    ball="logaddexp2",
    rounding=(2, 4),
    source="log2(2^a + 2^b)",
    example=(0.75, -1.5),
)
LOGADDEXP_SHARE: Primitive = declare(
    name="logaddexp_share",
    evaluate=lambda a, b: _share(np.exp, a, b),
    vjp=[
        lambda g, y, a, b: g * (y * LOGADDEXP_SHARE(b, a)),
        lambda g, y, a, b: -g * (y * LOGADDEXP_SHARE(b, a)),
    ],
    symbolic=lambda sp, a, b: 1 / (1 + sp.exp(b - a)),
    ball=lambda ball, a, b: ball.expit(a - b),
    rounding=(2, 4),
    source="exp a / (exp a + exp b), the derivative of logaddexp by a",
    example=(0.75, -1.5),
)
LOGADDEXP2_SHARE: Primitive = declare(
    name="logaddexp2_share",
    evaluate=lambda a, b: _share(np.exp2, a, b),
    vjp=[
        lambda g, y, a, b: TIMES_LOG_2(g * (y * LOGADDEXP2_SHARE(b, a))),
        lambda g, y, a, b: -TIMES_LOG_2(g * (y * LOGADDEXP2_SHARE(b, a))),
    ],
    symbolic=lambda sp, a, b: 1 / (1 + 2 ** (b - a)),
    ball=lambda ball, a, b: 1 / (1 + ball.exp2(b - a)),
    rounding=(2, 4),
    source="2^a / (2^a + 2^b), the derivative of logaddexp2 by a",
    example=(0.75, -1.5),
)

SQRT = declare(
    evaluate=np.sqrt,
    vjp=[lambda g, y: g / (y + y)],
    symbolic="sqrt",
    domain=lambda x: x >= 0,
    convention="inf at 0",
    kinks=lambda x: x == 0,
    pieces=lambda kink, x: kink.vertical(x, 1, 0.0),
    puiseux=True,
    over="x > 0",
    smooth="over",
    rounding=(0, 1),
    complex="holomorphic",
    source="DLMF 4.2.26",
)
CBRT = declare(
    evaluate=np.cbrt,
    vjp=[lambda g, y: g / (3 * (y * y))],
    symbolic=lambda sp, x: sp.sign(x) * sp.cbrt(sp.Abs(x)),
    ball="cbrt",
    convention="inf at 0",
    kinks=lambda x: x == 0,
    pieces=lambda kink, x: kink.vertical(x, 1, 0.0, edge=False),
    puiseux=True,
    over="x != 0",
    smooth="over",
    rounding=(1, 8),  # of glibc before 2.41, where NumPy has no code of its own for the processor
    source="DLMF 4.2.26",
)
