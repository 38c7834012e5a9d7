"""Points of regions: inside, of every kind, quick, and plain once they have shrunk."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import Phase, given, seed, settings

import symtape
import verify
from verify.errors import UsageError
from verify.model.case import to_points
from verify.regions import as_region
from verify.regions.ordinals import ordinal
from verify.strategies import points

SETTINGS = settings(
    derandomize=True,
    max_examples=60,
    deadline=None,
    database=None,
    phases=[Phase.generate, Phase.shrink],
)

Box = type(verify.box(0, 1))

REGIONS = {
    "interval": [-60, 60],
    "box": verify.box(-3, 3, shape=(2,)),
    "single": verify.box(-1, 1, shape=3, dtype="float32"),
    "narrow": [1e-5, 3e-5],
    "positive": verify.positive(),
    "everything": verify.box(-np.inf, np.inf),
    "simplex": verify.simplex(3),
    "symmetric": verify.symmetric(3),
    "definite": verify.positive_definite(3),
    "integers": verify.integers(0, 10**6),
    "few": verify.integers(0, 3),
    "one": [0, 0],
    "empty": verify.box(-1, 1, shape=(0,)),
    "long": verify.box(-1, 1, shape=(200,)),
    "broadcasting": verify.broadcasting(verify.box(-1, 1), verify.box(0, 2)),
    "tuple": ([0, 1], verify.box(-1, 1, shape=(2, 2))),
    "dict": {"a": [1e-5, 3e-5], "b": verify.positive(3)},
}


def drawn(region, count=20):
    found = []

    @settings(SETTINGS, max_examples=count)
    @given(points(region))
    def collect(point):
        found.append(point)

    collect()
    return found


def simplest(region, failing):
    """The point to which a failure shrinks."""
    found = []

    @settings(SETTINGS, max_examples=400)
    @given(points(region))
    def test(point):
        if failing(point):
            found.append(point)
            raise AssertionError

    with pytest.raises(AssertionError):
        test()
    return found[-1]


def names_of(region):
    if isinstance(region, dict):
        return list(region)
    return ["x", "y"] if isinstance(region, tuple) or "broadcasting" in repr(region) else ["x"]


@pytest.mark.parametrize("name", REGIONS)
def test_points_are_of_the_region_and_fit_a_call(name):
    region = as_region(REGIONS[name], names_of(REGIONS[name]))
    for point in drawn(REGIONS[name]):
        assert region.contains(point), point
        (outcome,) = to_points([point])
        assert len(outcome) == len(region.arguments)


@pytest.mark.parametrize("name", [name for name in REGIONS if name != "long"])
def test_the_simplest_point_is_inside_and_its_entries_differ(name):
    point = simplest(REGIONS[name], lambda point: True)
    if name in ("one", "empty", "few"):
        return
    for space, x in zip(
        as_region(REGIONS[name], names_of(REGIONS[name])).arguments, point, strict=True
    ):
        entries = np.unique(np.asarray(x))
        free = len(space.pick_shape(np.shape(x)).coordinates(x)[0])
        assert len(entries) >= min(free, 3)
        if isinstance(space, Box):
            assert np.all((space.lower < x) & (x < space.upper))
            assert np.all(x != 0)


@pytest.mark.parametrize(
    ("failing", "expected"),
    [
        (lambda x: x[0] > 1, [2, 1]),
        (lambda x: x[1] > 1, [1, 2]),
        (lambda x: x[0] == 0, [0, 1]),
    ],
)
def test_a_failure_shrinks_to_the_simplest_point_and_to_an_edge_only_if_it_is_there(
    failing, expected
):
    assert simplest(verify.box(-3, 3, shape=(2,)), lambda p: failing(p[0]))[0].tolist() == expected


@pytest.mark.parametrize(("low", "high"), [(18.7, 60), (-7, -4), (2.2, 9), (-60, -33.3), (0.3, 5)])
def test_a_failure_on_an_interval_shrinks_to_a_short_number_inside(low, high):
    (x,) = simplest([-60, 60], lambda point: low < point[0] < high)
    assert low < x < high
    assert float(x) * 8 == round(float(x) * 8)


def test_a_failure_of_several_entries_together_shrinks_to_wholes():
    (x,) = simplest(verify.box(-3, 3, shape=(2,)), lambda point: point[0].sum() < -2.2)
    assert np.all(x == np.round(x))


def test_a_failure_at_ties_shrinks_to_equal_plain_entries():
    (x,) = simplest(verify.box(-3, 3, shape=(3,)), lambda point: len(set(point[0].tolist())) == 1)
    assert x[0] in (0, 1)


@pytest.mark.long
def test_every_kind_of_number_comes():
    found = np.array([float(x) for (x,) in drawn([-60, 60], 400)])
    sizes = np.abs(found)
    kinds = {
        "zero": found == 0,
        "end": sizes == 60,
        "subnormal": (sizes > 0) & (sizes < 2.0**-1022),
        "tail": (sizes > 0) & (sizes < 1e-100),
        "whole": (found == np.round(found)) & (found != 0),
        "dyadic": (found * 8 == np.round(found * 8)) & (found != np.round(found)),
        "negative": found < 0,
    }
    for kind, mask in kinds.items():
        assert np.any(mask), kind
    assert len(np.unique(found)) > 100
    assert np.ptp([ordinal(x) for x in found if x > 0]) > 2**62


def test_ties_come_and_points_without():
    found = [x for (x,) in drawn(verify.box(-3, 3, shape=(3,)), 150)]
    tied = np.mean([len(set(x.tolist())) < 3 for x in found])
    assert 0.15 < tied < 0.7


def test_special_points_of_the_region_come():
    ends = [tuple(x.tolist()) for (x,) in drawn(verify.simplex(3), 200)]
    assert {(1, 0, 0), (0, 1, 0), (0, 0, 1)} & set(ends)


def test_the_order_of_arguments_may_be_given():
    region = {"a": [0, 1], "b": [2, 3]}

    @SETTINGS
    @given(points(region, names=["b", "a"]))
    def test(point):
        b, a = point
        assert 0 <= a <= 1 < b

    test()


@pytest.mark.parametrize("region", [[3, 1], (0, 1), "box", [0, 1, 2], {"a": 3}, None])
def test_what_is_no_region_is_refused_at_once(region):
    with pytest.raises(UsageError, match="over"):
        points(region)


def f(x):
    return np.sum(np.sin(x))


def wrong_above_one(x):
    return np.where(np.asarray(x) > 1, -np.cos(x), np.cos(x))


@pytest.mark.long
def test_a_wrong_claim_shrinks_to_a_minimal_witness_that_is_replayed():
    seen = []

    @settings(derandomize=True, deadline=None, database=None)
    @given(points(verify.box(-3, 3, shape=(2,))))
    def test(point):
        seen.append(point)
        verify.assert_gradient(f, wrong_above_one, at=[point])

    with pytest.raises(AssertionError, match="WRONG") as caught:
        test()
    x = seen[-1][0]
    assert sorted(x.tolist()) == [1, 2]
    assert "[[1.0, 2.0]]" in str(caught.value) or "[[2.0, 1.0]]" in str(caught.value)
    with pytest.raises(AssertionError, match="WRONG"):
        verify.assert_gradient(f, wrong_above_one, at=[(x,)])


def test_its_right_twin_passes():
    @settings(derandomize=True, deadline=None, database=None, max_examples=25)
    @given(points(verify.box(-3, 3, shape=(2,))))
    def test(point):
        verify.assert_gradient(f, np.cos, at=[point])

    test()


@seed(1)
@settings(max_examples=25, deadline=None, database=None)
@given(points(([0.5, 3], verify.box(-1, 1, shape=3))))
def test_points_of_several_arguments_are_arguments(point):
    gradients = symtape.grad(lambda a, x: np.sum(np.exp(x) / a), argnums=(0, 1))(*point)
    assert [np.shape(g) for g in gradients] == [(), (3,)]
