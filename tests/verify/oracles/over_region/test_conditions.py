"""Conditions: what may fail on thin sets alone, and what is known of rows' gaps."""

from fractions import Fraction

import pytest
from flint import arb

from symtape.prover.reader import Reader
from symtape.symbolic.interval import Interval
from verify.oracles.over_region.conditions import Conditions, Leave, find_corner, find_hull
from verify.oracles.over_region.needs import Need, Undefined

HALF = Fraction(1, 2)
ZERO = ("Add", ("asin", "x"), ("acos", "x"), ("Mul", -HALF, "pi"))

THIN = {
    "a line": ("nonzero", ("Add", "x", -1)),
    "a curve": ("nonzero", ("Add", ("Mul", "x", "y"), -1)),
    "a multiple of pi": ("nonzero", ("Add", ("Mul", "pi", "x"), -1)),
    "an exponential less one": ("nonzero", ("Add", ("exp", "x"), -1)),
    "an error function": ("nonzero", ("Add", ("erf", "x"), -HALF)),
    "a logarithm": ("nonzero", ("log", ("Add", "y", Fraction(3, 2)))),
}
NOT_THIN = {
    "nothing": ("nonzero", ("Add", "x", ("Mul", -1, "x"))),
    "zero in other words": ("nonzero", ZERO),
    "half a line": ("positive", "x"),
    "a logarithm of what may be negative": ("nonzero", ("log", "x")),
    "poles, where a quotient may be zero": ("off poles", ("Add", "x", ("Mul", 2, "y"))),
    "a pole": ("off poles", ("Mul", 0, "x")),
    "poles of zero in other words": ("off poles", ZERO),
    "a circular function, which is read in complex numbers": ("nonzero", ("sin", "x")),
}


def require(kind, tree, leave):
    box = {name: Interval(arb(-1), arb(1)) for name in ("x", "y")}
    reader = Reader(box, defined=True)
    of = reader.read(tree, {name: reader.symbol(name) for name in box})
    conditions = Conditions(reader)
    conditions.require(Need(kind, of, kind), leave)
    return conditions


@pytest.mark.parametrize("name", THIN)
def test_what_fails_on_a_thin_set_is_excepted_and_is_not_taken_to_hold(name):
    conditions = require(*THIN[name], Leave.EXCEPT)
    assert conditions.told == {}
    with pytest.raises(Undefined):
        require(*THIN[name], Leave.NOTHING)


@pytest.mark.parametrize("name", NOT_THIN)
def test_what_may_fail_on_more_is_not_excepted(name):
    with pytest.raises(Undefined):
        require(*NOT_THIN[name], Leave.EXCEPT)


def test_hulls_and_corners_are_of_gaps_alone():
    assert find_hull("0 < x < 1 or x > 2") is None
    assert find_hull("x < 0 or x > 0 and b > 0") is None
    assert find_hull("a < b or a > b") is None
    assert find_hull("x < 0 or 0 < x < 1").gaps == (("x", Fraction(0)),)
    assert find_corner("a != 0 or b > 0") == ()
    assert find_corner("a != 0 and b != 0") == ()
    assert find_corner("x != 0") == ()
