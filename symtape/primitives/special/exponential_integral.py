"""Rows: exponential integrals."""

from __future__ import annotations

import numpy as np
from scipy import special

from symtape.primitives.primitive import Primitive, table

EXPI, EXP1 = table(
    Primitive(
        name="expi",
        inputs="x",
        ufunc=special.expi,
        evaluate=special.expi,
        vjp=[lambda g, x: g * (np.exp(x) / x)],
        elementwise=True,
        symbolic=lambda sp, x: sp.Ei(x),
        ball=lambda ball, x: x.ei(),
        domain=lambda x: x != 0,
        rounding=(16, 16),
        source="DLMF 6.2.5",
        example=[(0.75,), (-1.5,)],
    ),
    Primitive(
        name="exp1",
        inputs="x",
        ufunc=special.exp1,
        evaluate=special.exp1,
        vjp=[lambda g, x: -g * (np.exp(-x) / x)],
        elementwise=True,
        symbolic=lambda sp, x: sp.expint(1, x),
        ball=lambda ball, x: x.expint(type(x)(1)),
        domain=lambda x: x > 0,
        rounding=(16, 16),
        source="DLMF 6.2.1",
        example=(0.75,),
    ),
)
