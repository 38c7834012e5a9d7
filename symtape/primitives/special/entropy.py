"""Rows: products with a logarithm, of which entropies are made."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from symtape.primitives.power import ONE
from symtape.primitives.primitive import Array, Primitive, declare


def _quotient(x: Array, y: Array) -> Array:
    """``x / y``, and 0 for 0/0."""
    return x / np.where(np.equal(x, 0) & np.equal(y, 0), 1, y)


def log_ratio(x: Array, b: Array) -> Array:
    """``log(x / b)``, where the quotient is near 1 or no normal number, too."""
    with np.errstate(all="ignore"):
        quotient = x / b
        limits = np.finfo(np.result_type(quotient, np.float16))
        plain = (quotient >= limits.tiny) & (quotient <= limits.max)
        near = (quotient > 0.5) & (quotient < 2)
        found = np.where(plain, np.log(np.where(plain, quotient, 1)), np.log(x) - np.log(b))
        return np.where(near, np.log1p(np.where(near, (x - b) / b, 0)), found)[()]


def _both_positive(x: Any, y: Any) -> Any:
    return ((x > 0) & (y > 0)) | ((x == 0) & (y >= 0))


XLOGY = declare(
    evaluate=special.xlogy,
    vjp=[
        lambda g, x, b: g * np.log(b * ONE(x)),
        lambda g, x, b: g * _quotient(x, b),
    ],
    symbolic=lambda sp, x, b: x * sp.log(b),
    ball="xlogy",
    domain=lambda x, b: (b > 0) | ((x == 0) & (b == 0)),
    convention="-inf at 0, 0",
    kinks=lambda x, b: (x == 0) & (b == 0),
    over="b > 0",
    smooth="over",
    rounding=(8, 8),
    vanishing=True,
    source="x log y; 0 at x = 0",
    example=(-0.75, 2.5),
)
XLOG1PY = declare(
    evaluate=special.xlog1py,
    vjp=[
        lambda g, x, b: g * np.log1p(b * ONE(x)),
        lambda g, x, b: g * _quotient(x, 1 + b),
    ],
    symbolic=lambda sp, x, b: x * sp.log(1 + b),
    ball="xlog1py",
    domain=lambda x, b: (b > -1) | ((x == 0) & (b == -1)),
    convention="-inf at 0, -1",
    kinks=lambda x, b: (x == 0) & (b == -1),
    over="b > -1",
    smooth="over",
    rounding=(8, 8),
    vanishing=True,
    source="x log(1 + y); 0 at x = 0",
    example=(-0.75, 0.25),
)
ENTR = declare(
    evaluate=special.entr,
    vjp=[lambda g, x: -g * (1 + np.log(x))],
    symbolic=lambda sp, x: -x * sp.log(x),
    ball="entr",
    domain=lambda x: x >= 0,
    convention="inf at 0",
    kinks=lambda x: x == 0,
    pieces=lambda kink, x: kink.vertical(x, 1, 0.0),
    over="x > 0",
    smooth="over",
    rounding=(8, 8),
    source="-x log x",
)
REL_ENTR = declare(
    evaluate=special.rel_entr,
    vjp=[
        lambda g, x, b: g * (1 + LOG_RATIO(x, b)),
        lambda g, x, b: -g * _quotient(x, b),
    ],
    symbolic=lambda sp, x, b: x * (sp.log(x) - sp.log(b)),
    ball=lambda ball, x, b: ball.xlogy(x, x / b),
    domain=_both_positive,
    convention="-inf at 0",
    kinks=lambda x, b: x == 0,
    pieces=lambda kink, x, b: kink.vertical(x, -1, 0.0) if b.value > 0 else None,
    over="x > 0 and b > 0",
    smooth="over",
    rounding=(8, 8),
    source="x log(x / y)",
    example=(0.75, 2.5),
)
KL_DIV = declare(
    evaluate=special.kl_div,
    vjp=[
        lambda g, x, b: g * LOG_RATIO(x, b),
        lambda g, x, b: g * ((b - x) / np.where(np.equal(b, 0), 1, b)),
    ],
    symbolic=lambda sp, x, b: x * (sp.log(x) - sp.log(b)) - x + b,
    ball=lambda ball, x, b: ball.xlogy(x, x / b) - x + b,
    domain=_both_positive,
    convention="-inf at 0",
    kinks=lambda x, b: x == 0,
    pieces=lambda kink, x, b: kink.vertical(x, -1, b) if b.value > 0 else None,
    over="x > 0 and b > 0",
    smooth="over",
    rounding=(8, 8),
    source="x log(x / y) - x + y",
    example=(0.75, 2.5),
)

# A row of its own, so that it does not overflow where the logarithm is no large number.
LOG_RATIO: Primitive = declare(
    evaluate=log_ratio,
    vjp=[lambda g, x: g / x, lambda g, b: -g / b],
    symbolic=lambda sp, x, b: sp.log(x) - sp.log(b),
    ball=lambda ball, x, b: ball.log(x / b),
    domain="x > 0 and b > 0",
    smooth="over",
    rounding=(2, 2),
    source="log(x / y), DLMF 4.8.1",
    example=(0.75, 2.5),
)
