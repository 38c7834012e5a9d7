"""Rows: functions that step. They are registered as not differentiable, or constant in part."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from symtape.primitives.arguments import refuse_out
from symtape.primitives.primitive import Array, Primitive, declare, implements


def is_integer(x: Any) -> Any:
    """Whether numbers are whole."""
    return np.floor(x) == x


def _half_integer(x: Any) -> Any:
    return np.floor(2 * x) == 2 * x


def _steps(
    ufunc: np.ufunc,
    kinks: Callable[..., Any] | None,
    example: float,
    ball: Callable[..., Any] | None = None,
    **known: Any,
) -> Primitive:
    """A row that is constant between its jumps."""
    return declare(
        name=ufunc.__name__,
        evaluate=ufunc,
        vjp=None,
        elementwise=True,
        ball=ball or ufunc.__name__,
        convention="" if kinks is None else "constant across a jump",
        kinks=kinks,
        rounding=(0, 0),
        source="constant between its jumps",
        example=(example,),
        **known,
    )


def _pull_phase(g: Array, x: Array, y: Array) -> Array:
    """The rule of ``x / abs(x)``, which turns with x; 0 at 0, as by a division by infinity."""
    size = np.where(y == 0, np.inf, np.abs(x))
    return np.imag(g * y) * 1j * np.conj(y) / size


FLOOR = _steps(
    np.floor,
    is_integer,
    1.25,
    pieces=lambda kink, x: kink.choose_value(x.value, x.value - 1),
    normal=lambda proofs, reader, x: reader.special.read_floor(x),
)
CEIL = _steps(
    np.ceil, is_integer, 1.25, pieces=lambda kink, x: kink.choose_value(x.value, x.value + 1)
)
TRUNC = _steps(
    np.trunc,
    lambda x: is_integer(x) & (x != 0),
    -1.25,
    pieces=lambda kink, x: kink.choose_value(x.value, x.value - math.copysign(1, x.value)),
)
RINT = _steps(
    np.rint,
    lambda x: _half_integer(x) & ~is_integer(x),
    1.25,
    pieces=lambda kink, x: kink.choose_value(math.floor(x.value), math.ceil(x.value)),
    spelling="round",
)
SIGN = _steps(
    np.sign,
    lambda x: x == 0,
    -1.25,
    pieces=lambda kink, x: kink.stepped(x, {0: 0.0, 1: 1.0, -1: -1.0}),
    ties="zero",
    normal=lambda proofs, reader, x: proofs.sign_of(reader, x),
    complex=[_pull_phase],
)
SIGNBIT = _steps(np.signbit, lambda x: x == 0, -1.25, lambda ball, x: ball.less(x, type(x)(0)))
ISFINITE = _steps(np.isfinite, None, 1.25, lambda ball, x: True, decision="always")
ISINF = _steps(np.isinf, None, 1.25, lambda ball, x: False, decision="never")
ISNAN = _steps(np.isnan, None, 1.25, lambda ball, x: False, decision="never")

ROUND = declare(
    name="round",
    evaluate=lambda x, *, decimals: np.round(x, decimals),
    vjp=None,
    elementwise=True,
    elements=lambda x, decimals: np.frompyfunc(lambda a: round(a, decimals), 1, 1)(x),
    ball=lambda ball, x, decimals: (
        ball.rint(x * 10**decimals) / 10**decimals
        if decimals >= 0
        else ball.rint(x / 10**-decimals) * 10**-decimals
    ),
    convention="constant across a jump",
    kinks=lambda x, decimals: _half_integer(x * 10.0**decimals) & ~is_integer(x * 10.0**decimals),
    source="constant between its jumps",
    example=((1.23,), {"decimals": 1}),
)
HEAVISIDE = declare(
    evaluate=np.heaviside,
    vjp=[None, lambda g, x: g * (x == 0)],
    symbolic=lambda sp, x, h: (1 + sp.sign(x)) / 2 + (h - sp.S.Half) * (1 - sp.sign(x) ** 2),
    ball="heaviside",
    convention="constant across a jump",
    kinks=lambda x, h: x == 0,
    pieces=lambda kink, x, h: kink.stepped(x, {-1: 0.0, 0: h.value, 1: 1.0}),
    over="x != 0",
    smooth="over",
    rounding=(0, 0),
    source="DLMF 1.16.13",
    example=(-0.75, 0.5),
)
COPYSIGN = declare(
    evaluate=np.copysign,
    vjp=[lambda g, x, sign: g * (np.sign(x) * np.copysign(1, sign)), None],
    symbolic=lambda sp, x, sign: sp.Abs(x) * sp.sign(sign),
    ball="copysign",
    convention="0 at 0",
    kinks=lambda x, sign: (x == 0) | (sign == 0),
    over="x != 0 and sign != 0",
    smooth="over",
    rounding=(0, 0),
    source="IEEE 754; subgradient 0 at 0",
    example=(0.75, -2.0),
)


@implements(np.round, np.around)
def _round(a: Array, decimals: int = 0, out: None = None) -> Array:
    refuse_out("round", out)
    return RINT(a) if decimals == 0 else ROUND(a, decimals=decimals)


@implements(np.fix)
def _fix(x: Array, out: None = None) -> Array:
    refuse_out("fix", out)
    return TRUNC(x)
