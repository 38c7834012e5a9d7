"""The family of sinc's derivatives: right far out, where a factor underflows before a product."""

from __future__ import annotations

import numpy as np
import pytest

import symtape
from symtape.primitives.sinc import SINC_KERNEL, SINC_SLOPE
from symtape.rigorous.enclose import enclose

FAR = [1e8, 1e50, 1e80, 1e90, 1e100, 12345.25, 1e15 + 0.25]
NEAR = [0.0, 1e-300, 1e-9, 0.01, 0.3, 0.75, 1.0, 1.27, 1.28, 2.7]
X = [sign * x for x in (*NEAR, *FAR) for sign in (1, -1)]


def true(function, x):
    """The value of a recorded function, in balls."""
    [ball] = enclose(symtape.record(function, x), [x], 2400)
    return float(ball[()].mid())


@pytest.mark.parametrize("row", [SINC_KERNEL, SINC_SLOPE], ids=["kernel", "slope"])
@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_values_are_right_near_and_far(row, order):
    for x in X:
        expected = true(lambda x: row(x, order), x)
        scale = abs(expected) + 1e-16 / (1 + abs(x)) ** 2
        assert abs(row.evaluate(np.float64(x), order) - expected) <= 1e-13 * scale, x


@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize("x", FAR)
def test_slopes_do_not_underflow_before_they_must(order, x):
    slope = symtape.jacobian(lambda x: SINC_KERNEL(x, order))(x)
    expected = true(symtape.jacobian(lambda x: SINC_KERNEL(x, order)), x)
    assert slope == pytest.approx(expected, rel=1e-13, abs=1e-322)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_precision_is_kept(dtype):
    x = np.array([0.5, 3.0], dtype)
    assert SINC_KERNEL.evaluate(x, 1).dtype == SINC_SLOPE.evaluate(x, 1).dtype == dtype
