"""Reading balls: outward decimals, ulps, containment."""

from __future__ import annotations

import math
import pickle
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from symtape.process.precision import precision
from symtape.rigorous.scalar import contains, decimal_bounds, ulps

FINITE = st.floats(allow_nan=False, allow_infinity=False)


def _fraction(exact: Any) -> Fraction:
    mantissa, exponent = (int(part) for part in exact.man_exp())
    return mantissa * Fraction(2) ** exponent


@given(middle=FINITE, radius=st.floats(0, 1e300), digits=st.integers(1, 30))
@settings(deadline=None, derandomize=True)
def test_decimal_bounds_are_outside_and_close(middle: float, radius: float, digits: int) -> None:
    ball = arb(middle, radius)
    low = _fraction(ball.mid()) - _fraction(ball.rad())
    high = _fraction(ball.mid()) + _fraction(ball.rad())
    found = decimal_bounds(ball, digits)
    for text, end, side in ((found.lower, low, -1), (found.upper, high, 1)):
        written = Fraction(Decimal(text))
        assert (written - end) * side >= 0
        assert abs(written - end) <= abs(end) * Fraction(10) ** (1 - digits)
    assert found.mid == middle
    assert Fraction(found.radius) >= _fraction(ball.rad())


@pytest.mark.parametrize(
    "ball",
    [arb("nan"), arb(0, math.inf), arb("inf"), arb(0), arb(1e18).exp(), -arb(1e18).exp(),
     arb(-1e18).exp(), -arb(-1e18).exp(), arb(0, 1), 1 + arb(-1e18).exp()],
)  # fmt: skip
def test_an_interval_is_plain_data(ball: Any) -> None:
    found = decimal_bounds(ball)
    assert repr(pickle.loads(pickle.dumps(found))) == repr(found)
    lower, upper = float(found.lower), float(found.upper)
    assert lower <= upper
    if ball.is_finite():
        assert not ball.upper() < arb(found.lower)
        assert not ball.lower() > arb(found.upper)
    else:
        assert str(found) in ("[-inf, inf]", "[inf, inf]")
        assert found.bits == 0


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
@given(data=st.data(), steps=st.integers(-40, 40))
@settings(deadline=None, derandomize=True)
def test_steps_between_floats_are_counted(dtype: Any, data: Any, steps: int) -> None:
    width = np.dtype(dtype).itemsize * 8
    x = dtype(data.draw(st.floats(1, 1.5, width=width)))
    claimed = x
    for _ in range(abs(steps)):
        claimed = np.nextafter(claimed, dtype(math.copysign(4, steps)))
    expected = abs(steps) if claimed >= 1 and claimed <= 2 else None
    if expected is not None:
        assert ulps(claimed, arb(float(x)), dtype) == pytest.approx(expected, rel=1e-12, abs=0)


def test_ulps_at_the_ends_of_the_range() -> None:
    tiny, huge = 5e-324, np.finfo(float).max
    assert ulps(0.0, arb(tiny)) == 1
    assert ulps(tiny, arb(0)) == 1
    assert ulps(0.0, arb(-1e10).exp()) < 1e-300
    assert ulps(math.inf, arb(1e10).exp()) == 0
    assert ulps(-math.inf, -arb(1e10).exp()) == 0
    assert ulps(-math.inf, arb(1e10).exp()) == math.inf
    assert ulps(math.inf, arb(3)) == math.inf
    assert ulps(math.inf, arb(huge)) == math.inf
    assert ulps(math.nan, arb(3)) == math.inf
    assert ulps(math.nan, arb("nan")) == 0
    assert ulps(huge, arb(huge)) == 0
    assert ulps(np.float32(np.inf), arb(1e39), np.float32) == 0
    assert ulps(1.5, arb(2, 0.25)) == pytest.approx(2**49)
    assert ulps(2.125, arb(2, 0.25)) == 0


@given(x=FINITE, y=FINITE)
@settings(derandomize=True)
def test_ulps_do_not_depend_on_the_precision_around(x: float, y: float) -> None:
    with precision(20):
        low = ulps(x, arb(y))
    with precision(900):
        assert ulps(x, arb(y)) == low


def test_containment() -> None:
    assert contains(arb(1, 0.5), 1.25)
    assert not contains(arb(1, 0.5), 2.0)
    assert not contains(arb(1, 0.5), math.nan)
    assert not contains(arb(1, 0.5), math.inf)
    assert contains(arb("inf"), math.inf)
    assert not contains(arb("inf"), 1.0)
    for value in (1.0, math.inf, math.nan):
        assert contains(arb("nan"), value)
        assert contains(arb(0, math.inf), value)


@pytest.mark.parametrize("sign", [1, -1])
def test_bounds_of_what_is_immense_or_infinite_have_its_sign(sign: int) -> None:
    for ball in (arb("inf"), arb(1e18).exp()):
        found = decimal_bounds(sign * ball)
        far, near = sign * float(found.upper), sign * float(found.lower)
        assert max(far, near) == math.inf
        assert min(far, near) > 0
    assert contains(sign * arb("inf"), sign * 1e300) is contains(arb("inf"), 1e300)
