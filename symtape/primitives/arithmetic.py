"""Rows: the arithmetic operators."""

from __future__ import annotations

import operator
from typing import Any, Final

import numpy as np

from symtape.primitives.primitive import STAND_INS, declare, holds_stand_in

ADD = declare(
    ufunc=np.add,
    evaluate=operator.add,
    vjp=[lambda g: g, lambda g: g],
    symbolic=lambda sp, a, b: a + b,
    ball="add",
    operator="+",
    rounding=(0, 1),
    of_truths="or",
    rational=True,
    slopes=lambda perturbed, args, place: 1.0,
    complex="holomorphic",
    source="IEEE 754",
    example=(1.5, -0.25),
)
SUBTRACT = declare(
    ufunc=np.subtract,
    evaluate=operator.sub,
    vjp=[lambda g: g, lambda g: -g],
    symbolic=lambda sp, a, b: a - b,
    ball="subtract",
    operator="-",
    rounding=(0, 1),
    rational=True,
    slopes=lambda perturbed, args, place: -1.0 if place else 1.0,
    complex="holomorphic",
    source="IEEE 754",
    example=(1.5, -0.25),
)
MULTIPLY = declare(
    ufunc=np.multiply,
    evaluate=operator.mul,
    vjp=[lambda g, b: g * b, lambda g, a: g * a],
    symbolic=lambda sp, a, b: a * b,
    ball="multiply",
    operator="*",
    rounding=(0, 1),
    of_truths="and",
    rational=True,
    slopes=lambda perturbed, args, place: args[1 - place],
    complex="holomorphic",
    source="IEEE 754",
    example=(1.5, -0.25),
)
DIVIDE = declare(
    ufunc=np.divide,
    evaluate=operator.truediv,
    vjp=[lambda g, b: g / b, lambda g, y, b: g * y / -b],
    symbolic=lambda sp, a, b: a / b,
    ball="divide",
    operator="/",
    domain="b != 0",
    rounding=(0, 1),
    xla=(0, 3),
    rational=True,
    slopes=lambda perturbed, args, place: -args[0] / args[1] / args[1] if place else 1 / args[1],
    complex="holomorphic",
    source="IEEE 754",
    example=(1.5, -0.25),
)
NEGATIVE = declare(
    ufunc=np.negative,
    evaluate=operator.neg,
    vjp=[lambda g: -g],
    symbolic=lambda sp, x: -x,
    ball="negative",
    operator="-",
    rounding=(0, 0),
    rational=True,
    slopes=lambda perturbed, args, place: -1.0,
    complex="holomorphic",
    source="IEEE 754",
)
POSITIVE = declare(
    ufunc=np.positive,
    evaluate=operator.pos,
    vjp=[lambda g: g],
    symbolic=lambda sp, x: x,
    ball=lambda ball, x: x,
    operator="+",
    rounding=(0, 0),
    rational=True,
    slopes=lambda perturbed, args, place: 1.0,
    complex="holomorphic",
    source="IEEE 754",
)

SQUARE = declare(
    evaluate=np.square,
    vjp=[lambda g, x: g * (x + x)],
    symbolic=lambda sp, x: x**2,
    ball="square",
    rounding=(0, 1),
    rational=True,
    slopes=lambda perturbed, args, place: 2 * args[0],
    complex="holomorphic",
    source="IEEE 754",
    example=(-0.75,),
)
RECIPROCAL = declare(
    evaluate=np.reciprocal,
    vjp=[lambda g, y: -g * y * y],
    symbolic=lambda sp, x: 1 / x,
    ball="reciprocal",
    domain="x != 0",
    rounding=(0, 1),
    rational=True,
    complex="holomorphic",
    source="IEEE 754",
    example=(-0.75,),
)
_OF_SIZE: Final[dict[str, Any]] = {
    "vjp": [lambda g, x: g * np.sign(x)],
    "symbolic": lambda sp, x: sp.Abs(x),
    "ball": "absolute",
    "convention": "0 at 0",
    "kinks": lambda x: x == 0,
    "pieces": lambda kink, x: kink.ordered(x, 0, above=x, below=-x),
    "ties": "zero",
    "over": "x != 0",
    "smooth": "over",
    "rounding": (0, 0),
    "source": "subgradient 0 at 0",
    "example": (-0.75,),
}
"""What both absolute values of NumPy share."""

ABSOLUTE = declare(
    **_OF_SIZE,
    ufunc=np.absolute,
    evaluate=operator.abs,
    complex=[lambda g, x: g * np.conj(np.sign(x))],
)
FABS = declare(**_OF_SIZE, evaluate=np.fabs)


def to_array(x: Any) -> Any:
    """Nested lists as an array; arrays, stand-ins and scalars as they are."""
    if type(x) in STAND_INS or not isinstance(x, (list, tuple)):
        return x
    return np.stack([to_array(item) for item in x]) if holds_stand_in(x) else np.asarray(x)


def rank(x: Any) -> int:
    """Number of axes; quicker on stand-ins than ``np.ndim``, which asks them as a function."""
    found: int = x.ndim if hasattr(x, "ndim") else np.ndim(x)
    return found
