"""Conditions on regions: kept by everything that makes points, told in the report's words."""

import pickle
from itertools import islice

import numpy as np
import pytest

import verify
from verify.errors import UsageError
from verify.model.case import region_of
from verify.regions import as_region, parse
from verify.regions.space import MANNERS


def _apart(x):
    return x[0] != x[1]


def _apart_from_each_other(x, y):
    return np.any(x != y)


PLANE = verify.box(-3, 3, shape=(2,))
SOME = {
    "where": PLANE.where(_apart, "entries apart"),
    "ties": PLANE.excluding("ties"),
    "zeros": verify.positive(shape=(2,), upper=9).excluding("zeros", "ties"),
    "away from a value": PLANE.away_from(0.0, by=0.5),
    "away from an array": PLANE.away_from([1.0, 2.0]),
    "away from a zero": verify.box(0, 9).away_from(np.cos, by=0.1),
    "beyond the small wholes": verify.box(0, 20).where(lambda x: x > 10, "above 10"),
    "whole numbers": verify.integers(-50, 50).excluding("zeros"),
    "a few wholes": verify.integers(0, 3).away_from(2.0),
    "shares": verify.simplex(3).excluding("zeros"),
    "matrices": verify.symmetric(2).where(lambda a: a[0, 1] > 0, "coupled"),
    "definite": verify.positive_definite(2).away_from(np.eye(2)),
    "two arguments": verify.product(PLANE, PLANE).where(_apart_from_each_other, "points apart"),
    "each of two": (PLANE.excluding("ties"), verify.box(0, 1).away_from(1.0)),
    "shapes": verify.broadcasting(verify.box(-1, 1), verify.box(0, 1)).excluding("zeros"),
}


@pytest.fixture(params=SOME, scope="module")
def region(request):
    over = SOME[request.param]
    count = (
        2 if isinstance(over, tuple) or "two" in request.param or "shapes" in request.param else 1
    )
    return as_region(over, ["x", "y"][:count])


@np.errstate(all="ignore")
def test_every_way_to_a_point_stays_inside(region):
    """Special points, draws, simpler ones, and moves of one coordinate."""
    random = np.random.default_rng(0)
    points = [*islice(region.points(0), 150)]
    points += [region.draw(random, manner, turn) for manner in MANNERS for turn in range(8)]
    points += [point for manner in MANNERS for point in region.draw_many(random, manner, 8)]
    points += [simpler for point in points[:20] for simpler in islice(region.simpler(point), 20)]
    for point in points[:40]:
        numbers = region.coordinates(point)[0]
        for k, value in ((k, v) for k in range(len(numbers)) for v in (0.0, 1.0, 2.0)):
            moved = region.replace_coordinate(point, k, value)
            points += [] if moved is None else [moved]
    assert points
    assert all(region.contains(point) for point in points)


def test_the_same_seed_draws_the_same(region):
    """Rejecting points takes nothing from chance."""
    drawn = [region.draw_many(np.random.default_rng(3), "mixed", 5) for _ in range(2)]
    assert repr(drawn[0]) == repr(drawn[1])


WORDS = {
    "where": "x in [-3, 3]^2 (entries apart)",
    "zeros": "0 < x <= 9^2 (no zeros; no ties)",
    "away from a value": "x in [-3, 3]^2 (away from 0.0 by 0.5)",
    "away from a zero": "x in [0, 9] (away from cos = 0 by 0.1)",
    "two arguments": "x in [-3, 3]^2, y in [-3, 3]^2 (points apart)",
    "each of two": "x in [-3, 3]^2, y in [0, 1] (x: no ties; y: away from 1.0)",
}


@pytest.mark.parametrize("name", WORDS)
def test_its_words_are_those_of_the_report(name):
    names = ["x", "y"] if name in ("two arguments", "each of two") else ["x"]
    said = as_region(SOME[name], names).describe()
    assert said.replace(", shape (2,)", "^2") == WORDS[name]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: PLANE.where(True), "expected a function"),
        (lambda: PLANE.where(_apart, 3), "expected words"),
        (lambda: PLANE.excluding("corners"), "'ties', 'zeros', 'kinks'"),
        (lambda: PLANE.excluding(), "expected one or several"),
        (lambda: PLANE.away_from("origin"), "a finite number"),
        (lambda: PLANE.away_from(0.0, by=-1), "a number from 0"),
        (lambda: verify.product(), "product(a, b)"),
        (lambda: as_region(verify.product(PLANE, (PLANE,)), ["x", "y"]), "expected"),
        (lambda: region_of(np.sum, PLANE.where(lambda x: x[0], "odd")), "True or False"),
        (lambda: region_of(np.sum, PLANE.where(lambda x: x[7], "far")), "IndexError"),
        (lambda: region_of(np.sum, PLANE.away_from(_apart)), ".where(...)"),
        (lambda: region_of(np.sum, PLANE.where(lambda x: x[0] > 4, "beyond")), "'beyond'"),
        (lambda: region_of(np.sum, verify.integers(0, 0).excluding("zeros")), "'no zeros'"),
        (lambda: parse("box(0, 1).where(0)", ["x"]), "takes code"),
        (lambda: parse("box(0, 1).of_shape(0)", ["x"]), ".excluding(...)"),
    ],
)
def test_what_is_no_condition_is_refused(make, words):
    with pytest.raises(UsageError) as error:
        next(iter(make().points(0)))
    assert words in str(error.value)


def test_conditions_are_read_from_the_command_line():
    """What is written comes out as it was."""
    text = "product(box(-1.0, 1.0, shape=(2,)).excluding('ties'), box(0.0, 1.0)).away_from(0.0)"
    region = parse(text, ["x", "y"])
    assert region.describe() == "x in [-1, 1]^2, y in [0, 1] (x: no ties) (away from 0.0)"
    assert not region.contains((np.array([0.5, 0.5]), np.float64(1.0)))


def test_named_conditions_and_predicates_of_modules_can_be_pickled():
    """Regions of named predicates cross to other processes like any other."""
    for name in ("ties", "away from a value", "away from a zero", "where", "shares"):
        again = pickle.loads(pickle.dumps(SOME[name]))
        assert repr(again) == repr(SOME[name])


def _norm(x):
    return np.sqrt(np.sum(x**2))


def _direction(x):
    return x / np.sqrt(np.sum(x**2))


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize(
    "over", [PLANE.away_from(0.0), PLANE.excluding("zeros"), PLANE.excluding("kinks")]
)
def test_what_is_left_out_is_no_finding(over):
    """Nor is it judged by way of the shrinker, or remembered from a run without the condition."""
    everywhere = verify.gradient(_norm, _direction, over=PLANE, effort=0.2)
    assert everywhere.verdict is verify.Verdict.WRONG
    result = verify.gradient(_norm, _direction, over=over, effort=0.2)
    assert result.verdict is verify.Verdict.CORRECT
    assert all(np.any(point.x[0]) for point in result.points)


@pytest.mark.long
def test_kinks_that_are_left_out_count_as_outside():
    """A judge finds them, so that no predicate has to."""
    result = verify.gradient(np.abs, np.sign, over=verify.box(-1, 1).excluding("kinks"))
    assert result.verdict is verify.Verdict.CORRECT
    assert result.coverage.outside
    assert "(no kinks)" in str(result)


@pytest.mark.long
def test_directions_go_with_points_that_meet_the_conditions():
    over = PLANE.excluding("ties")
    result = verify.jvp(np.max, lambda x, t: t[np.argmax(x)], over=over)
    assert result.verdict is verify.Verdict.CORRECT
    assert all(point.x[0][0] != point.x[0][1] for point in result.points)


def test_strategies_keep_to_the_conditions():
    from hypothesis import given, settings

    @settings(max_examples=60)
    @given(verify.strategies.points(SOME["two arguments"]))
    def apart(point):
        assert np.any(point[0] != point[1])

    apart()
