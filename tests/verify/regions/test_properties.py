"""What holds for every region, over regions by chance."""

import pickle
from itertools import islice

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from verify.regions import as_region, box, integers, positive, positive_definite, simplex, symmetric
from verify.regions.ordinals import neighbour

SHAPES = st.sampled_from([(), (1,), (3,), (0,), (2, 2), (1, 3), (2, 0), (2, 3, 3)])
DTYPES = st.sampled_from(["float64", "float32", "float16"])


@st.composite
def intervals(draw, dtype):
    """Two floats of a dtype in order: any, close together, tiny, or unbounded."""
    width = np.finfo(dtype).bits
    number = st.floats(allow_nan=False, allow_infinity=False, width=width)
    low = np.dtype(dtype).type(draw(number | st.sampled_from([0.0, -1.0, 1.0])))
    how = draw(st.sampled_from(["any", "narrow", "point", "unbounded"]))
    if how == "unbounded":
        return draw(st.sampled_from([(-np.inf, np.inf), (float(low), np.inf)]))
    if how == "point":
        return float(low), float(low)
    if how == "narrow":
        high = neighbour(low, draw(st.integers(1, 3000)))
        return float(low), float(min(high, np.finfo(dtype).max))
    return tuple(sorted((float(low), draw(number))))


@st.composite
def boxes(draw):
    """A box of one shape or of two."""
    dtype = draw(DTYPES)
    shape = draw(SHAPES | st.lists(SHAPES, min_size=1, max_size=3))
    low, high = draw(intervals(dtype))
    return box(low, high, shape, dtype)


@st.composite
def uneven_boxes(draw):
    """A box of which every entry has bounds of its own."""
    pairs = draw(st.lists(intervals("float64"), min_size=2, max_size=4))
    low, high = zip(*pairs, strict=True)
    return box(list(low), list(high))


@st.composite
def wholes(draw):
    """Whole numbers, few or many."""
    low, high = sorted(draw(st.tuples(*[st.integers(-(2**53), 2**53) | st.integers(-3, 3)] * 2)))
    return integers(low, high, draw(SHAPES))


SPACES = st.one_of(
    boxes(),
    uneven_boxes(),
    wholes(),
    st.builds(positive, SHAPES, st.sampled_from([1e-320, 1.0, np.inf])),
    st.builds(simplex, st.integers(1, 5), DTYPES),
    st.builds(symmetric, st.integers(0, 4), st.sampled_from([0.5, 10.0, 1e300])),
    st.builds(symmetric, st.integers(0, 3), st.just(3.0), DTYPES),
    st.builds(positive_definite, st.integers(0, 4), st.sampled_from([1.0, 10.0, 1e6, 1e12])),
    st.builds(
        positive_definite, st.integers(1, 3), st.sampled_from([2.0, 10.0]), st.just(4.0), DTYPES
    ),
)

RELAXED = settings(
    max_examples=36,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def keys(points):
    return [tuple((np.shape(x), np.asarray(x).tobytes()) for x in point) for point in points]


def first(region, count, seed=0):
    return list(islice(region.points(seed), count))


def region_of(spaces):
    return as_region(tuple(spaces), [f"x{k}" for k in range(len(spaces))])


@pytest.mark.long
@given(st.lists(SPACES, min_size=1, max_size=3))
@RELAXED
def test_every_point_is_inside_finite_and_of_the_dtype(spaces):
    region = region_of(spaces)
    found = first(region, 120)
    assert found
    for point in found:
        assert region.contains(point), point
        for space, x in zip(spaces, point, strict=True):
            assert x.dtype == space.dtype
            assert x.shape in space.shapes
            assert np.isfinite(x).all()
            assert isinstance(x, np.ndarray | np.floating)
    assert keys(found) == keys(first(region, 120))
    assert keys(found) == keys(first(pickle.loads(pickle.dumps(region)), 120))


@pytest.mark.long
@given(st.lists(SPACES, min_size=1, max_size=2), st.integers(0, 200))
@RELAXED
def test_simpler_points_are_inside_and_come_to_an_end(spaces, which):
    region = region_of(spaces)
    point = first(region, which + 1)[-1]
    seen = set()
    for _ in range(300):
        assert keys([point])[0] not in seen
        seen.add(keys([point])[0])
        proposals = list(region.simpler(point))
        assert all(map(region.contains, proposals))
        if not proposals:
            break
        point = proposals[which % len(proposals)]
    else:
        raise AssertionError(f"still not simplest: {point}")


@given(st.lists(SPACES, min_size=1, max_size=3), st.integers(0, 150), st.data())
@RELAXED
def test_coordinates_move_within_the_region(spaces, which, data):
    region = region_of(spaces)
    point = first(region, which + 1)[-1]
    numbers, names = region.coordinates(point)
    assert len(numbers) == len(names) == len(set(names))
    assert numbers.dtype == np.float64
    if not len(numbers):
        return
    k = data.draw(st.integers(0, len(numbers) - 1))
    low, high = region.bounds(k, point)
    assert low <= numbers[k] <= high
    same = region.replace_coordinate(point, k, numbers[k])
    assert same is not None
    value = data.draw(st.sampled_from([low, high, low / 2 + high / 2]) | st.floats(low, high))
    moved = region.replace_coordinate(point, k, value)
    if moved is not None:
        assert region.contains(moved)
        assert np.isclose(region.coordinates(moved)[0][k], value, rtol=1e-2, atol=1e-4)
    if high < 1e300:
        assert region.replace_coordinate(point, k, 1.1 * high + 1) is None


@given(SPACES)
@RELAXED
def test_words_and_repr_are_of_one_line(space):
    said = as_region(space, ["x"]).describe()
    assert said.startswith(("x", "0 < x"))
    assert "\n" not in said + repr(space)
