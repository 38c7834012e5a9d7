"""Rows: the length and the angle of a point in the plane."""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.primitives.primitive import Array, Primitive, declare


def _cosine(a: Array, b: Array) -> Array:
    length = np.hypot(a, b)
    return a / np.where(length == 0, 1, length)


def _length(a: Array, b: Array) -> Array:
    """The length as a divisor: 1 at the origin, so that what is divided stays the 0 it is."""
    length = HYPOT(a, b)
    return np.where(length == 0, 1, length)


def _turn(g: Array, across: Array, length: Array) -> Array:
    return g * (across / length) / length


def _is_origin(a: Any, b: Any) -> Any:
    return (a == 0) & (b == 0)


HYPOT = declare(
    evaluate=np.hypot,
    vjp=[lambda g, a, b: g * HYPOT_COSINE(a, b), lambda g, a, b: g * HYPOT_COSINE(b, a)],
    symbolic=lambda sp, a, b: sp.sqrt(a**2 + b**2),
    ball="hypot",
    convention="0 at the origin",
    kinks=_is_origin,
    pieces=lambda kink, a, b: kink.cone(a, b),
    puiseux=True,
    over="a != 0 or b != 0",
    smooth="over",
    rounding=(1, 2),
    source="DLMF 1.9.3; subgradient 0 at the origin",
    example=(0.75, -2.0),
)

# A row of its own, so that second derivatives do not cancel far from the axes.
HYPOT_COSINE: Primitive = declare(
    name="hypot_cosine",
    evaluate=_cosine,
    vjp=[
        lambda g, a, b: g * (HYPOT_COSINE(b, a) / _length(a, b) * HYPOT_COSINE(b, a)),
        lambda g, a, b: -g * (HYPOT_COSINE(a, b) / _length(a, b) * HYPOT_COSINE(b, a)),
    ],
    symbolic=lambda sp, a, b: a / sp.sqrt(a**2 + b**2),
    ball="hypot_cosine",
    convention="0 at the origin",
    kinks=_is_origin,
    over="a != 0 or b != 0",
    smooth="over",
    rounding=(1, 4),
    source="a / hypot(a, b), the derivative of hypot by a; 0 at the origin",
    example=(0.75, -2.0),
)
ARCTAN2 = declare(
    inputs="a b",
    evaluate=np.arctan2,
    vjp=[
        lambda g, a, b: _turn(g, b, _length(b, a)),
        lambda g, a, b: -_turn(g, a, _length(b, a)),
    ],
    symbolic="atan2",
    # The angle jumps on the negative half of the x axis.
    convention="0 at the origin, on the cut as beside it",
    kinks=lambda a, b: (a == 0) & (b <= 0),
    over="a != 0 or b > 0",
    smooth="over",
    rounding=(1, 4),
    source="DLMF 1.9.5",
    example=(0.75, -2.0),
)
