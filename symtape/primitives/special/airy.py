"""Rows: Airy functions and their slopes, which solve ``y'' = x y`` (DLMF 9.2.1)."""

from __future__ import annotations

from scipy import special

from symtape.primitives.primitive import Primitive, declare

AIRY_AI: Primitive = declare(
    name="airy_ai",
    evaluate=lambda x: special.airy(x)[0],
    vjp=[lambda g, x: g * AIRY_AI_PRIME(x)],
    symbolic=lambda sp, x: sp.airyai(x),
    ball=lambda ball, x: x.airy_ai(),
    rounding=(16, 64),
    complex="holomorphic",
    source="DLMF 9.2.2",
    example=[(0.75,), (-3.25,)],
)
AIRY_AI_PRIME: Primitive = declare(
    name="airy_ai_prime",
    evaluate=lambda x: special.airy(x)[1],
    vjp=[lambda g, x: g * (x * AIRY_AI(x))],
    symbolic=lambda sp, x: sp.airyaiprime(x),
    ball="airy_ai_prime",
    rounding=(16, 64),
    complex="holomorphic",
    source="DLMF 9.2.1",
    example=[(0.75,), (-3.25,)],
)
AIRY_BI: Primitive = declare(
    name="airy_bi",
    evaluate=lambda x: special.airy(x)[2],
    vjp=[lambda g, x: g * AIRY_BI_PRIME(x)],
    symbolic=lambda sp, x: sp.airybi(x),
    ball=lambda ball, x: x.airy_bi(),
    rounding=(16, 64),
    complex="holomorphic",
    source="DLMF 9.2.2",
    example=[(0.75,), (-3.25,)],
)
AIRY_BI_PRIME: Primitive = declare(
    name="airy_bi_prime",
    evaluate=lambda x: special.airy(x)[3],
    vjp=[lambda g, x: g * (x * AIRY_BI(x))],
    symbolic=lambda sp, x: sp.airybiprime(x),
    ball="airy_bi_prime",
    rounding=(16, 64),
    complex="holomorphic",
    source="DLMF 9.2.1",
    example=[(0.75,), (-3.25,)],
)
