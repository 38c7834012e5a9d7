"""Rows: division with a remainder, and the parts of a number."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from symtape.primitives.primitive import Array, declare, implements
from symtape.primitives.steps import TRUNC


def _truncated_quotient(sp: Any, a: Any, b: Any) -> Any:
    return sp.floor(sp.Abs(a) / sp.Abs(b)) * sp.sign(a) * sp.sign(b)


FLOOR_DIVIDE = declare(
    inputs="a b",
    ufunc=np.floor_divide,
    evaluate=operator.floordiv,
    vjp=None,
    elementwise=True,
    elements=operator.floordiv,
    ball="floor_divide",
    domain=lambda a, b: b != 0,
    convention="constant across a jump",
    kinks=lambda a, b: np.remainder(a, b) == 0,
    rounding=(0, 3),
    normal=lambda proofs, reader, a, b: proofs.floor_of_quotient(reader, a, b),
    source="constant between its jumps; floats divide a - fmod(a, b) by b",
    example=(7.25, 2.0),
)
REMAINDER = declare(
    ufunc=np.remainder,
    evaluate=operator.mod,
    vjp=[lambda g: g, lambda g, a, b: -g * np.floor_divide(a, b)],
    symbolic=lambda sp, a, b: a - b * sp.floor(a / b),
    ball="remainder",
    domain="b != 0",
    convention="1 across a jump",
    kinks=lambda a, b: np.remainder(a, b) == 0,
    rounding=(0, 1),
    source="a - b floor(a/b)",
    example=(7.25, 2.0),
)
FMOD = declare(
    evaluate=np.fmod,
    vjp=[lambda g: g, lambda g, a, b: -g * _truncate_quotient(a, b)],
    symbolic=lambda sp, a, b: a - b * _truncated_quotient(sp, a, b),
    ball="fmod",
    domain=lambda a, b: b != 0,
    convention="1 across a jump",
    kinks=lambda a, b: (np.fmod(a, b) == 0) & (a != 0),
    over="a != 0 and b != 0",
    rounding=(0, 0),
    source="a - b trunc(a/b)",
    example=(-7.25, 2.0),
)
FREXP_EXPONENT = declare(
    name="frexp_exponent",
    evaluate=lambda x: np.frexp(x)[1],
    vjp=None,
    elementwise=True,
    ball=lambda ball, x: ball.floor(ball.log2(ball.absolute(x))) + 1,
    convention="constant across a jump",
    kinks=lambda x: np.abs(np.frexp(x)[0]) == 0.5,
    rounding=(0, 0),
    source="constant between powers of 2",
    example=(7.25,),
)
LDEXP = declare(
    evaluate=np.ldexp,
    vjp=[lambda g, exponent: np.ldexp(g, exponent), None],
    symbolic=lambda sp, x, exponent: x * 2**exponent,
    ball=lambda ball, x, exponent: x * ball.exp2(exponent),
    rounding=(0, 0),
    source="IEEE 754",
    example=(0.75, 3),
)


def _truncate_quotient(a: Array, b: Array) -> Array:
    """The quotient that ``fmod`` takes, the whole number next to a/b towards 0."""
    return np.sign(a) * np.sign(b) * np.floor_divide(np.abs(a), np.abs(b))


@implements(np.divmod)
def _divmod(a: Array, b: Array) -> tuple[Array, Array]:
    return FLOOR_DIVIDE(a, b), REMAINDER(a, b)


@implements(np.modf)
def _modf(x: Array) -> tuple[Array, Array]:
    whole = TRUNC(x)
    return x - whole, whole


@implements(np.frexp)
def _frexp(x: Array) -> tuple[Array, Array]:
    exponent = FREXP_EXPONENT(x)
    return LDEXP(x, -exponent), exponent
