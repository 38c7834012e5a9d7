"""Balls against mpmath at 60 digits, point by point, and against themselves, wide by narrow."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import mpmath
import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

import symtape
from symtape.process.precision import precision
from symtape.rigorous import ball, choice, elementary, special, steps

WHOLE = (-1e300, 1e300)
MODERATE = (-40.0, 40.0)
POSITIVE = (5e-324, 1e300)
UNIT = (-1.0, 1.0)

mp = mpmath.mp
pi = mpmath.pi


def _cbrt(x: Any) -> Any:
    return mpmath.sign(x) * mpmath.root(abs(x), 3)


def _rint(x: Any) -> Any:
    return mpmath.nint(x)


def _log_ndtr(x: Any) -> Any:
    return mpmath.log(mpmath.erfc(-x / mpmath.sqrt(2)) / 2)


def _erfcinv(x: Any) -> Any:
    return mpmath.erfinv(1 - x)


UNARY: dict[str, tuple[Callable[[Any], Any], tuple[float, float]]] = {
    "absolute": (abs, WHOLE),
    "airy_ai_prime": (lambda x: mpmath.airyai(x, derivative=1), MODERATE),
    "airy_bi_prime": (lambda x: mpmath.airybi(x, derivative=1), MODERATE),
    "arccos": (mpmath.acos, UNIT),
    "arccosh": (mpmath.acosh, (1.0, 1e300)),
    "arcsin": (mpmath.asin, UNIT),
    "arcsinh": (mpmath.asinh, WHOLE),
    "arctan": (mpmath.atan, WHOLE),
    "arctanh": (mpmath.atanh, (-1 + 2**-53, 1 - 2**-53)),
    "cbrt": (_cbrt, WHOLE),
    "ceil": (mpmath.ceil, WHOLE),
    "cos": (mpmath.cos, (-1e20, 1e20)),
    "cosh": (mpmath.cosh, (-1e4, 1e4)),
    "digamma": (mpmath.digamma, (2.0**-20, 1e5)),
    "entr": (lambda x: -x * mpmath.log(x) if x else mpmath.mpf(0), (0.0, 1e300)),
    "erf": (mpmath.erf, MODERATE),
    "erfc": (mpmath.erfc, MODERATE),
    "erfcinv": (_erfcinv, (1e-6, 2 - 1e-6)),
    "erfcx": (lambda x: mpmath.exp(x * x) * mpmath.erfc(x), (-20.0, 60.0)),
    "erfinv": (mpmath.erfinv, (-1 + 1e-6, 1 - 1e-6)),
    "exp": (mpmath.exp, (-1e4, 1e4)),
    "exp2": (lambda x: mpmath.mpf(2) ** x, (-1e4, 1e4)),
    "expit": (lambda x: 1 / (1 + mpmath.exp(-x)), (-1e4, 1e4)),
    "expm1": (mpmath.expm1, (-1e4, 1e4)),
    "floor": (mpmath.floor, WHOLE),
    "gamma": (mpmath.gamma, (2.0**-20, 1e3)),
    "gammaln": (lambda x: mpmath.log(abs(mpmath.gamma(x))), (2.0**-20, 1e3)),
    "i1": (lambda x: mpmath.besseli(1, x), MODERATE),
    "log": (mpmath.log, POSITIVE),
    "log10": (mpmath.log10, POSITIVE),
    "log1p": (mpmath.log1p, (-1 + 2**-53, 1e300)),
    "log2": (lambda x: mpmath.log(x, 2), POSITIVE),
    "log_expit": (lambda x: -mpmath.log1p(mpmath.exp(-x)), (-1e4, 1e4)),
    "log_ndtr": (_log_ndtr, (-25.0, 9.0)),
    "logit": (lambda p: mpmath.log(p / (1 - p)), (5e-324, 1 - 2**-53)),
    "ndtr": (lambda x: mpmath.erfc(-x / mpmath.sqrt(2)) / 2, MODERATE),
    "reciprocal": (lambda x: 1 / x, POSITIVE),
    "rgamma": (mpmath.rgamma, (-50.0, 50.0)),
    "rint": (_rint, WHOLE),
    "sech2": (lambda x: mpmath.sech(x) ** 2, (-1e4, 1e4)),
    "sign": (mpmath.sign, WHOLE),
    "sin": (mpmath.sin, (-1e20, 1e20)),
    "sinh": (mpmath.sinh, (-1e4, 1e4)),
    "softplus": (lambda x: mpmath.log1p(mpmath.exp(x)), (-1e4, 1e4)),
    "sqrt": (mpmath.sqrt, (0.0, 1e300)),
    "square": (lambda x: x * x, WHOLE),
    "tan": (mpmath.tan, (-1e6, 1e6)),
    "tanh": (mpmath.tanh, (-1e4, 1e4)),
    "trunc": (lambda x: mpmath.sign(x) * mpmath.floor(abs(x)), WHOLE),
}

JUMPS = {"ceil", "floor", "rint", "sign", "trunc"}


def _remainder(x: Any, y: Any) -> Any:
    return x - mpmath.floor(x / y) * y


def _fmod(x: Any, y: Any) -> Any:
    return mpmath.sign(x) * (abs(x) - mpmath.floor(abs(x) / abs(y)) * abs(y))


def _logaddexp(base: Any) -> Callable[[Any, Any], Any]:
    return lambda x, y: max(x, y) + mpmath.log1p(base ** -abs(x - y)) / mpmath.log(base)


BINARY: dict[str, tuple[Callable[[Any, Any], Any], tuple[float, float], tuple[float, float]]] = {
    "arctan2": (mpmath.atan2, WHOLE, POSITIVE),
    "copysign": (lambda x, y: abs(x) * mpmath.sign(y), WHOLE, POSITIVE),
    "floor_divide": (lambda x, y: mpmath.floor(x / y), (-1e6, 1e6), (1e-3, 1e6)),
    "fmod": (_fmod, (-1e6, 1e6), (1e-3, 1e6)),
    "heaviside": (lambda x, h: h if not x else mpmath.mpf(x > 0), WHOLE, UNIT),
    "hypot": (mpmath.hypot, WHOLE, WHOLE),
    "hypot_cosine": (lambda a, b: a / mpmath.hypot(a, b) if a or b else a, WHOLE, WHOLE),
    "logaddexp": (_logaddexp(mp.e), (-1e4, 1e4), (-1e4, 1e4)),
    "logaddexp2": (_logaddexp(mpmath.mpf(2)), (-1e4, 1e4), (-1e4, 1e4)),
    "maximum": (max, WHOLE, WHOLE),
    "minimum": (min, WHOLE, WHOLE),
    "power": (lambda x, y: x**y, (2.0**-30, 1e6), (-50.0, 50.0)),
    "remainder": (_remainder, (-1e6, 1e6), (1e-3, 1e6)),
    "xlog1py": (lambda x, y: x * mpmath.log1p(y), WHOLE, (-1 + 2**-53, 1e300)),
    "xlogy": (lambda x, y: x * mpmath.log(y), WHOLE, POSITIVE),
}

OTHER = {"analytic", "integer_power", "polygamma", "sort", "truth", "where"}
"""Tested below by themselves, as are all functions that answer truths."""

MAKERS = {"lift_direct", "lift_monotone", "multiply_repeatedly"}
"""What functions of balls are made by."""


def functions_of(*modules: ModuleType) -> set[str]:
    homes = {module.__name__ for module in modules}
    return {
        name
        for module in modules
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", "") in homes
    }


TRUTHS = functions_of(choice) - {*UNARY, *BINARY, *OTHER} | {"signbit"}


def test_every_function_has_a_reference() -> None:
    names = functions_of(elementary, special, steps, choice) - MAKERS
    assert names == {*UNARY, *BINARY, *OTHER, *TRUTHS}


def test_every_function_that_rows_use_exists() -> None:
    folder = Path(symtape.__file__ or "").parent / "primitives"
    nodes = [n for p in folder.rglob("*.py") for n in ast.walk(ast.parse(p.read_text()))]
    used = {
        node.attr
        for node in nodes
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "ball"
    }
    named = {
        node.value.value
        for node in nodes
        if isinstance(node, ast.keyword)
        and node.arg == "ball"
        and isinstance(node.value, ast.Constant)
    }
    assert used
    assert named
    assert [name for name in used | named if not hasattr(ball, name)] == []


def points(low: float, high: float) -> st.SearchStrategy[float]:
    """Floats of every magnitude between bounds, the bounds and simple numbers among them."""
    simple = [x for x in (0.0, 0.5, 1.0, 2.0, 2.5, -1.0, -0.5, -3.0, low, high) if low <= x <= high]
    return st.one_of(
        st.sampled_from(simple),
        st.floats(max(low, -10.0), min(high, 10.0)),
        st.floats(low, high),
    )


def truth_of(value: Any) -> arb:
    """An mpmath number as a ball that allows for its error at 60 digits."""
    if not isinstance(value, mpmath.mpf):
        value = mpmath.mpf(value)
    sign, mantissa, exponent, _ = value._mpf_
    number = arb(-int(mantissa) if sign else int(mantissa))
    with precision(2000):
        number = number * arb(2) ** int(exponent)
        return number + arb(0, abs(number) * arb(10) ** -58)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(UNARY))
@settings(max_examples=40, deadline=None, derandomize=True)
@given(data=st.data())
def test_unary_holds_the_value_and_little_more(name: str, data: Any) -> None:
    reference, bounds = UNARY[name]
    x = data.draw(points(*bounds))
    with mpmath.workdps(400 if abs(x) < 1e30 else 700):
        exact = truth_of(reference(mpmath.mpf(x)))
    with precision(113):
        found = getattr(ball, name)(arb(x))
        assert found.overlaps(exact)
        assert found.rad() <= arb(2) ** -60 * (1 + abs(x)) * (abs(exact).upper() + 1)


@pytest.mark.parametrize("name", sorted(BINARY))
@settings(max_examples=40, deadline=None, derandomize=True)
@given(data=st.data())
def test_binary_holds_the_value_and_little_more(name: str, data: Any) -> None:
    reference, first, second = BINARY[name]
    x, y = data.draw(points(*first)), data.draw(points(*second))
    with mpmath.workdps(700):
        exact = truth_of(reference(mpmath.mpf(x), mpmath.mpf(y)))
    with precision(113):
        found = getattr(ball, name)(arb(x), arb(y))
        assert found.overlaps(exact)
        assert found.rad() <= arb(2) ** -60 * (1 + abs(x)) * (1 + abs(y)) * (abs(exact).upper() + 1)


@st.composite
def nested(draw: Any, low: float, high: float) -> tuple[arb, arb]:
    """A point and a ball around it, off centre, both within bounds."""
    x = draw(points(low, high))
    radius = draw(st.sampled_from([0.0, 1e-12, 1e-3, 0.3, 1.0, 5.0])) * max(1.0, abs(x))
    centre = min(max(x + radius * draw(st.floats(-1, 1)), low), high)
    return arb(x), arb(x).union(arb(centre)).union(arb(min(centre + radius, high)))


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(UNARY))
@settings(max_examples=40, deadline=None, derandomize=True)
@given(data=st.data())
def test_unary_of_a_wide_ball_holds_that_of_its_points(name: str, data: Any) -> None:
    point, wide = data.draw(nested(*UNARY[name][1]))
    with precision(113):
        outer = getattr(ball, name)(wide)
    with precision(400):
        inner = getattr(ball, name)(point)
    assert not outer.is_finite() or outer.overlaps(inner)


@pytest.mark.parametrize("name", sorted(BINARY))
@settings(max_examples=40, deadline=None, derandomize=True)
@given(data=st.data())
def test_binary_of_wide_balls_holds_that_of_their_points(name: str, data: Any) -> None:
    _, first, second = BINARY[name]
    (x, wide_x), (y, wide_y) = data.draw(nested(*first)), data.draw(nested(*second))
    with precision(113):
        outer = getattr(ball, name)(wide_x, wide_y)
    with precision(400):
        inner = getattr(ball, name)(x, y)
    assert not outer.is_finite() or outer.overlaps(inner)


MONOTONE = [
    "arctan",
    "arcsinh",
    "cbrt",
    "erf",
    "erfc",
    "exp",
    "expit",
    "expm1",
    "log_expit",
    "log_ndtr",
    "ndtr",
    "sinh",
    "softplus",
    "tanh",
    "trunc",
    "floor",
    "rint",
]


@pytest.mark.parametrize("name", MONOTONE)
def test_monotone_functions_are_tight_on_wide_balls(name: str) -> None:
    function = getattr(ball, name)
    ends = function(arb(-7.5)), function(arb(9.5))
    around = function(arb(1, 8.5))
    assert around.rad() <= abs(ends[1] - ends[0]) / 2 * 1.001 + 1e-6 * abs(around).upper()


def test_powers_of_balls_across_zero() -> None:
    wide = arb(0, 1)
    assert ball.integer_power(wide, 2).lower() >= 0
    assert ball.integer_power(wide, 2).upper() < 1.01
    assert ball.integer_power(wide, 3).contains(arb(-1))
    assert ball.integer_power(wide, 0) == 1
    assert ball.power(0.0, 0.0) == 1
    assert ball.power(0.0, 0.5) == 0
    assert ball.power(-2.0, 3) == -8
    assert not ball.power(-2.0, 0.5).is_finite()
    assert not ball.power(wide, 0.5).is_finite()
    assert not ball.power(wide, -1).is_finite()
    touching = arb(0).union(arb(4)).nonnegative_part()
    for exponent in (0.5, 0.3, 2.5):
        found = ball.power(touching, exponent)
        assert found.contains(arb(0))
        assert found.overlaps(arb(4) ** arb(exponent))


@given(n=st.integers(-30, 30), x=st.floats(0.01, 100), sign=st.sampled_from([-1, 1]))
@settings(deadline=None, derandomize=True)
def test_integer_power_is_the_exact_power(n: int, x: float, sign: int) -> None:
    with precision(6000):
        exact = ball.integer_power(sign * x, n)
    assert ball.integer_power(arb(sign * x), n).overlaps(exact)
    assert abs(exact * ball.integer_power(arb(sign * x), -n) - 1) < 1e-12


@given(n=st.integers(0, 4), x=st.floats(0.05, 50))
@settings(deadline=None, derandomize=True, max_examples=30)
def test_polygamma(n: int, x: float) -> None:
    with mpmath.workdps(60):
        exact = truth_of(mpmath.polygamma(n, mpmath.mpf(x)))
    with precision(113):
        assert ball.polygamma(n, x).overlaps(exact)
    with pytest.raises(ValueError, match="expected an integer"):
        ball.polygamma(0.5, x)


@pytest.mark.parametrize("x", [-0.5, -1.25, -7.75, -100.5, -1e4 - 0.5])
def test_gammaln_left_of_zero(x: float) -> None:
    with mpmath.workdps(60):
        exact = truth_of(mpmath.log(abs(mpmath.gamma(mpmath.mpf(x)))))
    with precision(113):
        assert ball.gammaln(x).overlaps(exact)
        assert ball.gammaln(x).rel_accuracy_bits() > 60
        assert not ball.gammaln(np.round(x)).is_finite()


@pytest.mark.parametrize(
    ("name", "x"),
    [("log", 0.0), ("log", -1.0), ("sqrt", -1.0), ("arcsin", 1.5), ("arccosh", 0.5),
     ("arctanh", 1.0), ("logit", 1.0), ("reciprocal", 0.0), ("gamma", -2.0), ("entr", -1.0),
     ("log1p", -1.0), ("sqrt", arb(0, 1)), ("log", arb(0, 1))],
)  # fmt: skip
def test_outside_of_the_domain_nothing_is_known(name: str, x: Any) -> None:
    assert not getattr(ball, name)(x).is_finite()


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.float16, int, np.int64])
@given(x=st.integers(-1000, 1000))
@settings(max_examples=10)
def test_numbers_are_converted_exactly(kind: Any, x: int) -> None:
    value = kind(x) if kind in (int, np.int64) else kind(x / 64 + 1 / 3)
    assert ball.to_ball(value).is_exact()
    assert float(ball.to_ball(value)) == float(value)


def test_what_is_no_real_number_has_no_ball() -> None:
    for value in (1j, "1", np.longdouble(1)):
        with pytest.raises(TypeError, match="has no ball"):
            ball.to_ball(value)


def test_functions_take_object_arrays_by_element() -> None:
    xs = np.array([[arb(0), arb(1)], [arb(2), arb(3)]], dtype=object)
    assert ball.exp(xs).shape == (2, 2)
    assert ball.maximum(xs, 2)[0, 0] == 2
    assert ball.power(xs, np.array([2, 1], dtype=object))[1, 0] == 4
