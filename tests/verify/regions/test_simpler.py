"""Where simplifying ends for failures of known shape."""

from itertools import islice

import numpy as np
import pytest

from verify.regions import as_region, box, broadcasting, integers, positive, simplex, symmetric
from verify.regions.plain import cost


def shrink(region, point, fails):
    """The end of greedy steps to the first simpler point that still fails, and the calls."""
    calls = 0
    while True:
        for simpler in region.simpler(point):
            calls += 1
            if fails(*simpler):
                point = simpler
                break
        else:
            return point, calls


def failing(region, fails, seed=0):
    """The last of the first failing points, one by chance."""
    found = [p for p in islice(region.points(seed), 400) if fails(*p)]
    assert found
    return found[-1]


CASES = [
    ("above 19", [-60, 60], lambda x: x > 19.06, (20.0,)),
    ("at all", [-60, 60], lambda x: True, (0.0,)),
    ("not at zero", box(-np.inf, np.inf), lambda x: x != 0, (1.0,)),
    ("negative", box(-np.inf, np.inf), lambda x: x < 0, (-1.0,)),
    ("no whole number", [-60, 60], lambda x: x != np.floor(x), (0.5,)),
    ("tiny", positive(), lambda x: x < 1e-200, None),
    ("above its bound", [3.7, 60], lambda x: True, (4.0,)),
    ("narrow", [3.71, 3.79], lambda x: True, (3.71,)),
    ("wholes", integers(-100, 100), lambda x: abs(x) > 30, (40.0,)),
    ("ties", box(-9, 9, shape=4), lambda x: len(set(x)) < 4, ([0, 0, 0, 0],)),
    (
        "ties above 5",
        box(-9, 9, shape=3),
        lambda x: (x == x.max()).sum() == 2 and x.max() > 5,
        None,
    ),
    ("one entry", box(-9, 9, shape=5), lambda x: x[2] > 1, ([0, 0, 2, 0, 0],)),
    ("two arguments", ([-9, 9], [-9, 9]), lambda x, y: x == y != 0, (1.0, 1.0)),
    ("opposite", ([-9, 9], [-9, 9]), lambda x, y: x == -y != 0, (1.0, -1.0)),
    (
        "off the diagonal",
        symmetric(3),
        lambda a: a[0, 1] != 0,
        ([[0, 1, 0], [1, 0, 0], [0, 0, 0]],),
    ),
    ("simplex", simplex(3), lambda p: True, ([1.0, 0.0, 0.0],)),
    ("shapes", box(-1, 1, shape=[(3,), (1,), (2, 3)]), lambda x: x.any(), ([1.0],)),
    ("some entry", box(-1, 1, shape=[(3,), (0,)]), lambda x: x.size > 0, ([0.0, 0.0, 0.0],)),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_greedy_steps_end_at_the_simplest_failure(case):
    _, over, fails, expected = case
    names = ["x", "y"][: len(over) if isinstance(over, tuple) else 1]
    region = as_region(over, names)
    end, calls = shrink(region, failing(region, fails), fails)
    assert fails(*end)
    assert calls < 3000
    if expected is not None:
        for found, wanted in zip(end, expected, strict=True):
            assert np.array_equal(found, wanted), end


def test_shapes_shrink_together():
    region = as_region(broadcasting(box(-1, 1), box(-1, 1)), ["x", "y"])

    def fails(x, y):
        return x.shape != y.shape and x.size > 0

    end, _ = shrink(region, failing(region, fails), fails)
    assert sorted(np.shape(x) for x in end) == [(1,), (3,)] or sorted(map(np.size, end)) == [1, 3]
    assert not any(x.any() for x in end)


def test_nothing_is_simpler_than_zero():
    region = as_region(box(-1, 1, shape=3), ["x"])
    assert list(region.simpler((np.zeros(3),))) == []


@pytest.mark.long
def test_large_arrays_stay_affordable():
    region = as_region(box(-1, 1, shape=(1000,)), ["x"])
    point = next(islice(region.points(3), 150, None))
    assert 10 < sum(1 for _ in region.simpler(point)) < 1000


def test_plain_numbers_are_in_the_order_people_expect():
    ladder = [0.0, -0.0, 1.0, -1.0, 2.0, 3.0, 16.0, 0.5, 1.5, 0.1, 20.0, 1e10, 1e-300, 0.25, 1.23]
    costs = [cost(x) for x in ladder]
    assert costs == sorted(costs)


def test_entries_are_rounded_alike_so_that_what_they_add_up_to_is_kept():
    region = as_region(box(-3, 3, shape=(3,)), ["x"])
    x = (np.array([-2.1161403145142472, 1.6077484231662007, 0.5083918913480465]),)
    found = [y for y in region.simpler(x) if np.sum(y[0]) == 0 and np.any(y[0])]
    assert any(np.array_equal(y[0], 2 * np.rint(y[0] * 2) / 4) for y in found)
