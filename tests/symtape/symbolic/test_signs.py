"""Signs are proved by intervals that hold every value; what is not so everywhere is not proved."""

import random

import numpy as np
import pytest
from flint import arb

from symtape.process.precision import precision
from symtape.prover.reader import Reader
from symtape.symbolic.algebra import to_tree
from symtape.symbolic.boxes import boxes, lie_inside
from symtape.symbolic.interval import EVERYTHING, Interval, monotone, point
from symtape.symbolic.signs import sign_on, somewhere

INF = arb("inf")


@pytest.fixture(autouse=True)
def _bits():
    with precision(128):
        yield


def parsed(text):
    import sympy as sp

    return sp.sympify(text, locals={n: sp.Symbol(n, real=True) for n in "xyz"})


def sign(text, over):
    (box,) = boxes(over)
    reader = Reader(box)
    return reader.signs.find_quotient_sign(reader.read(to_tree(parsed(text)), {}))


@pytest.mark.parametrize(
    ("text", "over", "expected"),
    [
        ("x", "x > 0", 1),
        ("x", "x < 0", -1),
        ("x", "x < -1", -1),
        ("1 - x", "0 < x < 1", 1),
        ("1 - x**2", "-1 < x < 1", 1),
        ("1 + x**2", "", 1),
        ("x**4 + x**2 + 1", "", 1),
        ("-1 - exp(x)", "", -1),
        ("1 + exp(x) + exp(-x)", "", 1),
        ("exp(x) - 1", "x > 0", 1),
        ("exp(x) - 1", "x < 0", -1),
        ("log(x)", "x > 1", 1),
        ("log(x)", "0 < x < 1", -1),
        ("x*y", "x < 0 and y < 0", 1),
        ("x + y", "x > 0 and y > 0", 1),
        ("x**2 - x + 1", "-5 < x < 5", 1),
        ("x**3 - 8", "x > 2", 1),
        ("2 - erf(x)", "", 1),
        ("4 - atan(x)", "", 1),
        ("gamma(x)", "x > 0", 1),
        ("besselk(1, x)", "x > 0", 1),
        ("sqrt(x) + 1", "x > 0", 1),
        ("(x + 1)/(x + 2)", "x > 0", 1),
        ("polygamma(1, x)", "x > 0", 1),
        ("polygamma(2, x)", "x > 0", -1),
        ("pi - 3", "", 1),
        ("3 - pi", "", -1),
        ("x", "-1 <= x <= 1", None),
        ("x", "x >= 0", None),
        ("x**2", "", None),
        ("1 - x**2", "-1 <= x <= 1", None),
        ("1 + x", "", None),
        ("exp(x) - 1", "", None),
        ("log(x)", "x > 0", None),
        ("x - y", "x > 0 and y > 0", None),
        ("x*y", "x > 0", None),
        ("x**2 - 2", "", None),
        ("gamma(x)", "x > -1", None),
        ("besseli(-3/S(2), x)", "x > 0", None),
        ("(x - 1)**2 + (y - 1)**2", "", None),
    ],
)
def test_signs_over_regions(text, over, expected):
    assert sign(text, over) == expected


def numbers(rng):
    ends = sorted(rng.choice([-3.5, -1.0, -0.25, 0.0, 0.5, 1.0, 4.0]) for _ in range(2))
    low, high = arb(ends[0]), arb(ends[1])
    opened = [ends[0] < ends[1] and rng.random() < 0.5 for _ in range(2)]
    if rng.random() < 0.2:
        high, opened[1] = INF, True
    return Interval(low, high, *opened)


def inner(rng, interval):
    low = float(interval.low)
    high = float(interval.high) if interval.high.is_finite() else low + 100
    if low == high:
        return arb(low)
    share = rng.choice([1e-9, 0.25, 0.5, 1 - 1e-9] + [0.0] * (not interval.low_open))
    return arb(low + share * (high - low))


def holds(interval, value):
    above = value > interval.low or (not interval.low_open and not value < interval.low)
    below = value < interval.high or (not interval.high_open and not value > interval.high)
    return above and below


@pytest.mark.parametrize("seed", range(300))
def test_an_interval_holds_every_value(seed):
    rng = random.Random(seed)
    a, b = numbers(rng), numbers(rng)
    for _ in range(8):
        u, v = inner(rng, a), inner(rng, b)
        assert holds(a + b, u + v)
        assert holds(a - b, u - v)
        assert holds(a * b, u * v)
        assert holds(a**2, u * u)
        assert holds(a**3, u * u * u)
        assert holds(monotone(arb.exp, a, (arb(0), INF)), u.exp())
        if not u.is_zero():
            assert holds(a.reciprocal(), 1 / u)
        left, right = a.halves()
        assert holds(left, u) or holds(right, u)


def test_an_open_end_is_not_attained():
    unit = Interval(arb(0), arb(1), True, True)
    assert (point(1) - unit).sign() == 1
    assert (point(1) - unit * unit).sign() == 1
    assert Interval(arb(0), arb(1)).sign() is None
    assert (unit * Interval(arb(0), arb(1))).sign() is None
    assert EVERYTHING.sign() is None


def test_a_search_for_a_sign_ends():
    thin = arb(1) / 2**60
    assert (
        sign_on(lambda given: given["x"] ** 2 - given["x"] * given["x"] + point(thin), {}, ["x"])
        is None
    )


@pytest.mark.parametrize(
    ("over", "names", "inside_points", "outside_points"),
    [
        ("x > 0", "x", [(1e-300,), (5.0,)], [(0.0,), (-1.0,)]),
        ("x >= 0", "x", [(0.0,)], [(-1e-300,)]),
        ("-1 < x < 1", "x", [(0.5,)], [(1.0,), (-1.0,)]),
        ("0 < x", "x", [(1.0,)], [(0.0,)]),
        ("x != 0", "x", [(-1.0,), (1.0,)], [(0.0,)]),
        ("a != b", "a b", [(1.0, 2.0), (2.0, 1.0)], [(1.0, 1.0)]),
        ("k > 0 and k < n", "n k", [(3.0, 1.0)], [(1.0, 3.0), (3.0, -1.0)]),
        ("a != 0 or b > 0", "a b", [(0.0, 1.0), (1.0, -1.0)], [(0.0, -1.0), (0.0, 0.0)]),
        ("", "x", [(0.0,), (np.inf,)], []),
    ],
)
def test_what_a_region_holds(over, names, inside_points, outside_points):
    for values in inside_points:
        assert lie_inside(over, names.split(), values)
    for values in outside_points:
        assert not lie_inside(over, names.split(), values)
    for box in boxes(over):
        place = somewhere(box, [*box])
        assert all(holds(box[name], value) for name, value in place.items())


@pytest.mark.parametrize("over", ["x", "x +", "x > y + 1", "sin(x) > 0", "not x > 0", "x == 1"])
def test_a_region_that_is_not_understood_is_refused(over):
    with pytest.raises(ValueError, match="expected comparisons"):
        boxes(over)
