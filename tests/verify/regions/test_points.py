"""Points of a region: inside, deterministic, all kinds early, random ones by seed."""

from itertools import islice

import numpy as np
import pytest

from verify.regions import (
    as_region,
    box,
    broadcasting,
    integers,
    positive,
    positive_definite,
    simplex,
    symmetric,
)


def keys(points):
    return [tuple((np.shape(x), np.asarray(x).tobytes()) for x in point) for point in points]


def first(region, count, seed=0):
    return list(islice(region.points(seed), count))


def test_seeds_differ_by_chance_only():
    region = as_region(box(-1, 1, shape=3), ["x"])
    one, other = keys(first(region, 200, 1)), keys(first(region, 200, 2))
    assert one[:96] == other[:96]
    assert len(set(one[96:]) - set(other)) > 40


@pytest.mark.parametrize(
    ("space", "count"),
    [
        ([2.0, 2.0], 1),
        (box(1.0, np.nextafter(1.0, 2.0)), 2),
        (box(-0.0, 0.0), 2),
        (integers(0, 3), 4),
        (integers(0, 3, shape=2), 16),
        (box(-1, 1, shape=(0,)), 1),
        (simplex(1), 1),
        (symmetric(0), 1),
        (positive_definite(0), 1),
    ],
)
def test_a_finite_region_ends_after_all_of_its_points(space, count):
    found = first(as_region(space, ["x"]), 1000)
    assert len(set(keys(found))) == len(found) == count


def test_the_first_points_of_an_interval_are_of_every_kind():
    early = {x.hex() for (x,) in first(as_region([-60, 60], ["x"]), 64)}
    for number in (0.0, -0.0, 1.0, -0.5, 60.0, -60.0, 5e-324, 2.0**-52, np.pi / 2, 0.1, 30.0):
        assert float(number).hex() in early, number
    assert any(0 < abs(float.fromhex(text)) < 1e-100 for text in early)


def test_tails_of_all_floats_are_seen():
    found = np.array([x for (x,) in first(as_region(box(-np.inf, np.inf), ["x"]), 300)])
    sizes = np.abs(found[found != 0])
    for low, high in ((0, 1e-307), (1e-300, 1e-100), (1e-3, 1e3), (1e100, 1e300), (1e307, 2e308)):
        assert ((sizes > low) & (sizes < high)).any()
    assert np.finfo(float).max in found
    assert -np.finfo(float).max in found


TRAITS = {
    "ties": lambda x: len(set(x)) == 1 and x[0] != 0,
    "a pair is equal": lambda x: len(set(x)) < len(x),
    "opposite": lambda x: x[0] == -x[1] != 0,
    "one zero": lambda x: (x == 0).sum() == 1,
    "all zero": lambda x: (x == 0).all(),
    "one-hot": lambda x: (x != 0).sum() == 1,
    "rising": lambda x: (np.diff(x) > 0).all(),
    "falling": lambda x: (np.diff(x) < 0).all(),
    "alternating": lambda x: (np.sign(x[1:]) * np.sign(x[:-1]) < 0).all(),
    "large and tiny": lambda x: np.abs(x).max() > 0.5 and 0 < np.abs(x[x != 0]).min() < 1e-100,
    "an ulp apart": lambda x: x[1] == np.nextafter(x[0], 9) and abs(x[0]) > 0.1,
    "negative zero": lambda x: (np.signbit(x) & (x == 0)).any(),
}


@pytest.mark.parametrize("trait", TRAITS)
@pytest.mark.parametrize(
    "over", [box(-1, 1, shape=4), ([-1, 1],) * 4, box(-1e300, 1e300, shape=(4,))]
)
def test_early_arrays_have_every_trait(trait, over):
    names = ["x"] if not isinstance(over, tuple) else list("abcd")
    vectors = [
        np.ravel(point[0]) if len(point) == 1 else np.array(point)
        for point in first(as_region(over, names), 96)
    ]
    assert any(TRAITS[trait](x) for x in vectors)


def condition(a):
    with np.errstate(all="ignore"):
        return np.linalg.cond(a)


MATRIX_TRAITS = {
    "identity": lambda a: (a == np.eye(3)).all(),
    "singular": lambda a: np.linalg.matrix_rank(a) in (1, 2) and np.abs(a).max() > 0.1,
    "ill-conditioned": lambda a: 1e3 < condition(a) < 1e15,
}
GENERAL_TRAITS = {
    "permutation": lambda a: (
        sorted(map(tuple, a)) == sorted(map(tuple, np.eye(3))) and a[0, 0] != 1
    ),
    "orthogonal": lambda a: np.allclose(a @ a.T, np.eye(3)) and (a != 0).all(),
    "triangular": lambda a: (np.tril(a, -1) == 0).all() and np.triu(a, 1).any(),
}


@pytest.mark.parametrize("trait", MATRIX_TRAITS | GENERAL_TRAITS)
def test_square_boxes_have_special_matrices(trait):
    points = first(as_region(box(-2, 2, shape=(3, 3)), ["a"]), 128)
    assert any((MATRIX_TRAITS | GENERAL_TRAITS)[trait](a) for (a,) in points)


@pytest.mark.parametrize("trait", MATRIX_TRAITS)
def test_symmetric_spaces_have_special_matrices(trait):
    assert any(MATRIX_TRAITS[trait](a) for (a,) in first(as_region(symmetric(3), ["a"]), 96))


def test_positive_definite_matrices_reach_the_condition():
    found = [condition(a) for (a,) in first(as_region(positive_definite(3, 1e8), ["a"]), 150)]
    assert min(found) == 1.0
    assert 0.5e8 < max(found) <= 1.01e8


def test_simplex_has_vertices_centre_and_nearly_zero_entries():
    found = [x for (x,) in first(as_region(simplex(3), ["p"]), 64)]
    assert any((x == [0, 0, 1]).all() for x in found)
    assert any((x == 1 / 3).all() for x in found)
    assert any(0 < x.min() < 1e-100 for x in found)


def test_all_shapes_are_seen_early():
    shapes = [(3,), (0,), (1, 3)]
    found = first(as_region(box(-1, 1, shape=shapes), ["x"]), 32)
    assert {x.shape for (x,) in found} == set(shapes)


def test_shapes_that_broadcast_go_together():
    region = as_region(broadcasting(box(-1, 1), positive()), ["x", "y"])
    found = first(region, 200)
    together = {(x.shape, y.shape) for x, y in found}
    assert ((2, 1), (1, 3)) in together
    assert any(0 in shape for shape, _ in together)
    for x, y in found:
        assert np.broadcast_shapes(x.shape, y.shape) is not None
    assert not region.contains((np.zeros(3), np.ones((2, 2))))


def test_large_arrays_are_cheap():
    region = as_region(box(-1, 1, shape=(1000,)), ["x"])
    assert len(first(region, 100)) == 100
