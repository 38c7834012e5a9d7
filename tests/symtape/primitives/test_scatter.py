"""What is added at an index: what ``np.add.at`` adds, to the bit, of every kind of number."""

from __future__ import annotations

import numpy as np
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from symtape.primitives.indexing import SCATTER

SHAPES = [(5,), (3, 4), (2, 3, 4)]
NUMBERS = st.floats(allow_subnormal=True)


@st.composite
def indices(draw, shape):
    """Arrays of whole numbers for some axes, which broadcast; at times beside slices."""
    front = draw(st.integers(0, len(shape) - 1))
    count = draw(st.integers(front + 1, len(shape)))
    common = draw(st.sampled_from([(), (1,), (3,), (2, 3), (0,)]))
    items = [slice(None)] * front
    for length in shape[front:count]:
        own = draw(st.sampled_from([common, common[-1:]]))
        size = int(np.prod(own))
        places = draw(st.lists(st.integers(-length, length - 1), min_size=size, max_size=size))
        items.append(np.array(places, dtype=np.int64).reshape(own))
    if count < len(shape) and draw(st.booleans()):
        items.append(slice(1, None))
    return tuple(items) if len(items) > 1 or draw(st.booleans()) else items[0]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", ["d", "f", "D", "O"])
@given(data=st.data())
def test_all_is_added_in_order(shape, dtype, data):
    index = data.draw(indices(shape))
    picked = np.zeros(shape)[index].shape
    size = int(np.prod(picked))
    flat = data.draw(st.lists(NUMBERS, min_size=size, max_size=size))
    with np.errstate(all="ignore"):
        g = np.array(flat).reshape(picked).astype("d" if dtype == "O" else dtype)
        if dtype == "O":
            g = _to_balls(g)
        found = SCATTER.evaluate(g, shape=shape, index=index)
        wanted = np.zeros(shape, g.dtype)
        np.add.at(wanted, index, g[()])
    assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
    if dtype == "O":
        assert list(map(str, found.ravel())) == list(map(str, wanted.ravel()))
    else:
        assert found.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("dtype", ["d", "f"])
@pytest.mark.parametrize("width", [(), (2,), (32,)])
def test_many_are_added_in_order(dtype, width):
    draw = np.random.default_rng(0)
    index = draw.integers(0, 50, (3, 6000))
    size = (3, 6000, *width)
    g = (draw.normal(size=size) * 10.0 ** draw.integers(-9, 9, size)).astype(dtype)
    for k, hard in enumerate((np.inf, -0.0, np.nan)):
        g[0, k] = hard
    found = SCATTER.evaluate(g, shape=(50, 4, *width), index=(index, index % 4))
    wanted = np.zeros((50, 4, *width), dtype)
    np.add.at(wanted, (index, index % 4), g)
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found, wanted)


def _to_balls(g):
    made = np.empty(g.shape, dtype=object)
    made.ravel()[...] = [arb(x) for x in g.ravel().tolist()]
    return made
