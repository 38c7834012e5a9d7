from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import symtape
from symtape.primitives import choice
from symtape.primitives.choice import FMAX, FMIN, MAXIMUM, MINIMUM, WHERE

EXTREMES = pytest.mark.parametrize("row", [MAXIMUM, MINIMUM, FMAX, FMIN], ids=lambda row: row.name)
dyadics = st.integers(-8, 8).map(lambda k: k / 4)


@st.composite
def pairs(draw):
    shapes = draw(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=2, max_side=3))
    return [draw(hnp.arrays(float, s, elements=dyadics)) for s in shapes.input_shapes]


def cotangents(function, *arrays):
    values = [symtape.Variable(x) for x in arrays]
    with symtape.GradientTape() as tape:
        y = function(*values)
    return [g.numpy() for g in tape.gradient(y, values, unconnected_gradients="zero")]


@EXTREMES
@given(pair=pairs())
def test_select_names_the_elements_that_are_chosen(row, pair):
    joined = np.concatenate([x.ravel() for x in pair])
    np.testing.assert_array_equal(joined[row.select(*pair)], row.evaluate(*pair))


@given(pair=pairs(), data=st.data())
def test_select_of_where(pair, data):
    shape = np.broadcast_shapes(*map(np.shape, pair))
    condition = data.draw(hnp.arrays(bool, shape))
    joined = np.concatenate([x.ravel() for x in (condition, *pair)])
    chosen = joined[WHERE.select(condition, *pair)]
    np.testing.assert_array_equal(chosen, np.where(condition, *pair))


@given(
    shape=st.sampled_from([(5,), (3, 4)]),
    orders=st.tuples(*[st.sampled_from("CF")] * 2),
    beside=st.sampled_from([0, 0.0, -0.0, np.int64(0), 1]),
    data=st.data(),
)
def test_many_elements_are_chosen_to_the_bit(shape, orders, beside, data):
    condition = np.array(data.draw(hnp.arrays(bool, shape)), order=orders[0])
    x = np.array(data.draw(hnp.arrays(float, shape)), order=orders[1])
    with mock.patch.object(choice, "_MANY", 1):
        for a, b in ((x, beside), (beside, x)):
            found, wanted = WHERE.evaluate(condition, a, b), np.where(condition, a, b)
            assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
            assert found.tobytes() == wanted.tobytes()


@EXTREMES
@given(pair=pairs())
def test_the_chosen_gets_the_cotangent_and_ties_share_it(row, pair):
    a, b = np.broadcast_arrays(*pair)
    by_a, by_b = cotangents(row, a, b)
    chosen = row.evaluate(a, b)
    np.testing.assert_array_equal(by_a, ((chosen == a) + 0.0) / (1 + (a == b)))
    np.testing.assert_array_equal(by_a + by_b, np.ones_like(chosen))
    np.testing.assert_array_equal(np.asarray(row.kinks(a, b)), a == b)


@EXTREMES
@given(pair=pairs())
def test_broadcast_inputs_get_gradients_of_their_own_shape(row, pair):
    for x, g in zip(pair, cotangents(row, *pair), strict=True):
        assert g.shape == x.shape


@pytest.mark.parametrize(("function", "nan_share"), [(np.fmax, 0.0), (np.fmin, 0.0)])
def test_fmax_and_fmin_pass_over_nan(function, nan_share):
    by_a, by_b = cotangents(function, [np.nan, 1.0], [2.0, np.nan])
    np.testing.assert_array_equal(by_a, [nan_share, 1.0])
    np.testing.assert_array_equal(by_b, [1.0, nan_share])


def test_where_gives_the_branch_not_taken_no_cotangent():
    a, b = cotangents(lambda a, b: np.where([True, False], a, b), [1.0, np.inf], [np.nan, 2.0])
    np.testing.assert_array_equal(a, [1.0, 0.0])
    np.testing.assert_array_equal(b, [0.0, 1.0])


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x: np.clip(x, 0.0, 1.0), [0, 0.5, 1, 0.5, 0]),
        (lambda x: np.clip(x, None, 1.0), [1, 1, 1, 0.5, 0]),
        (lambda x: np.clip(x, 0.0, None), [0, 0.5, 1, 1, 1]),
        (lambda x: x.clip(0.0, 1.0), [0, 0.5, 1, 0.5, 0]),
        (lambda x: np.select([x < 0, x < 1], [3 * x, x**2], 7.0), [3, 0, 1, 0, 0]),
        (lambda x: np.choose(np.array([0, 1, 2, 0, 1]), [x, 2 * x, 3 * x]), [1, 2, 3, 1, 2]),
        (
            lambda x: np.piecewise(x, [x < 0, x > 0.75], [lambda v: -v, lambda v: v**2, 5.0]),
            [-1, 0, 0, 2, 4],
        ),
    ],
    ids=["clip", "clip-above", "clip-below", "method", "select", "choose", "piecewise"],
)
def test_compositions(function, expected):
    x = np.array([-1.0, 0.0, 0.5, 1.0, 2.0])
    np.testing.assert_array_equal(function(symtape.constant(x)).numpy(), function(x))
    (g,) = cotangents(function, x)
    np.testing.assert_array_equal(g, expected)


def test_clip_takes_the_names_of_newer_numpy():
    x = symtape.constant([-1.0, 0.5, 2.0])
    np.testing.assert_array_equal(np.clip(x, min=0.0).numpy(), [0, 0.5, 2])
    np.testing.assert_array_equal(np.clip(x, max=1.0).numpy(), [-1, 0.5, 1])


def test_float32_stays_float32():
    x = symtape.Variable(np.float32([-1, 0, 2]))
    for function in (lambda x: np.clip(x, 0, 1), lambda x: np.where(x > 0, x, 0)):
        with symtape.GradientTape() as tape:
            y = function(x)
        assert y.dtype == tape.gradient(y, x).dtype == np.float32


@pytest.mark.parametrize("row", [MAXIMUM, FMIN], ids=lambda row: row.name)
def test_jacobian_is_the_gradients_one_by_one(row):
    a, b = symtape.Variable([[1.0], [3.0]]), symtape.Variable([0.5, 1.0, 4.0])
    with symtape.GradientTape(persistent=True) as tape:
        y = row(a, b)
        flat = [y[place] for place in np.ndindex(y.shape)]
    for source in (a, b):
        rows = [tape.gradient(element, source).numpy() for element in flat]
        np.testing.assert_array_equal(
            tape.jacobian(y, source).numpy(), np.reshape(rows, (*y.shape, *source.shape))
        )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda t: np.where(t > 0, t), "both x and y"),
        (lambda t: np.select([t > 0], [t, t]), "1 conditions but 2 choices"),
        (lambda t: np.choose(np.array([3]), [t, t]), "outside 0..1"),
        (lambda t: np.piecewise(t, [t > 0], [1, 2, 3]), "1 conditions but 3 functions"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call(symtape.constant([1.0, 2.0]))


COTANGENTS = [np.float64(-3.0), np.array([-3.0, np.inf, 0.0, np.nan]), np.full((2, 4), -0.5)]


@pytest.mark.parametrize("g", COTANGENTS)
@pytest.mark.parametrize("tied", [np.zeros(4, bool), np.arange(4) == 2, np.True_, np.False_])
@pytest.mark.parametrize("chosen", [np.arange(4) < 2, np.True_, np.False_])
def test_a_cotangent_is_handed_on_as_where_no_way_is_shorter(g, chosen, tied):
    with np.errstate(invalid="ignore"):
        found, whole = choice._hand_on(g, chosen, tied), np.where(tied, 0.5 * g, g * chosen)
    found = np.broadcast_to(found, np.shape(whole))
    np.testing.assert_array_equal(found, whole)
    np.testing.assert_array_equal(np.signbit(found), np.signbit(whole))
