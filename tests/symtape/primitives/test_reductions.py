from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import symtape

FEW = settings(max_examples=25, derandomize=True, deadline=None)
SHAPES = hnp.array_shapes(min_dims=0, max_dims=3, min_side=1, max_side=3)
HALF = np.array([[True, False, True], [False, False, True]])

LINEAR = [
    ("sum", np.sum, (2, 3)),
    ("sum of a scalar", np.sum, ()),
    ("sum of nothing", lambda x: np.sum(x, axis=1), (2, 0)),
    ("sum over no axes", lambda x: np.sum(x, axis=()), (2, 3)),
    ("sum from a start", lambda x: np.sum(x, axis=0, initial=3), (2, 3)),
    ("sum where", lambda x: np.sum(x, axis=1, where=HALF), (2, 3)),
    ("method sum", lambda x: x.sum(-1, keepdims=True), (2, 3)),
    ("add.reduce", np.add.reduce, (2, 3)),
    ("mean", lambda x: np.mean(x, axis=-1), (2, 4)),
    ("mean of all", lambda x: x.mean(), (2, 4)),
    ("mean where", lambda x: np.mean(x, where=HALF[:, :2]), (2, 2)),
    ("average", np.average, (2, 4)),
    ("average by weights", lambda x: np.average(x, axis=1, weights=[1, 3]).astype(x.dtype), (2, 2)),
    (
        "average by weights of two axes",
        lambda x: np.average(x, axis=(2, 0), weights=[[1, 0], [2, 1]], keepdims=True),
        (2, 3, 2),
    ),
    ("nansum", lambda x: np.nansum(x, axis=0), (2, 3)),
    ("nanmean", lambda x: np.nanmean(x, axis=0), (2, 3)),
    ("count_nonzero", lambda x: x * np.count_nonzero(np.ones(3)), (2,)),
]


@pytest.mark.parametrize(("name", "reduce", "shape"), LINEAR, ids=[r[0] for r in LINEAR])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_sums_are_exact_to_second_order(name, reduce, shape, dtype, values, assert_affine):
    assert_affine(reduce, values(shape, dtype))


@FEW
@given(data=st.data(), shape=hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3))
def test_sum_over_any_axes(data, shape, values, assert_affine):
    axis = data.draw(st.none() | hnp.valid_tuple_axes(len(shape)))
    keepdims = data.draw(st.booleans())
    assert_affine(lambda x: np.sum(x, axis=axis, keepdims=keepdims), values(shape))


# The oracle: the same functions on exact rationals, and their derivatives by the definition.
# Products are linear in each element, variances quadratic, so differences are exact.


def exact_product(xs):
    total = Fraction(1)
    for x in xs:
        total *= x
    return total


def exact_variance(xs, ddof=0):
    middle = sum(xs, Fraction(0)) / len(xs)
    return sum(((x - middle) ** 2 for x in xs), Fraction(0)) / (len(xs) - ddof)


EXACT = {
    "prod": (np.prod, exact_product),
    "var": (np.var, exact_variance),
    "var with ddof": (lambda x: np.var(x, ddof=1), lambda xs: exact_variance(xs, 1)),
    "var with a correction": (lambda x: np.var(x, correction=1), lambda xs: exact_variance(xs, 1)),
    "var where": (
        lambda x: np.var(x, where=np.arange(x.size) < x.size - 1),
        lambda xs: exact_variance(xs[:-1]),
    ),
    "product of running products": (
        lambda x: np.sum(np.cumprod(x)),
        lambda xs: sum(exact_product(xs[: i + 1]) for i in range(len(xs))),
    ),
}
POINTS = [
    [2.0, -3.0, 0.5, 4.0],
    [2.0, 0.0, 0.5, 4.0],
    [0.0, -3.0, 0.0, 4.0],
    [0.0, 0.0, 0.0],
    [1.5, 1.5, 1.5],
]


def central(f, xs, *places):
    """Mixed partial derivative by exact central differences, exact to degree two in each."""
    h, total = Fraction(1), Fraction(0)
    for signs in product((1, -1), repeat=len(places)):
        moved = list(xs)
        sign = 1
        for place, s in zip(places, signs, strict=True):
            moved[place] += s * h
            sign *= s
        total += sign * f(moved)
    return float(total / (2 * h) ** len(places))


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("point", POINTS)
def test_products_and_variances_have_exact_derivatives(name, point):
    function, exact = EXACT[name]
    xs = [Fraction(v) for v in point]
    x = symtape.constant(point)
    n = range(len(xs))
    with symtape.GradientTape(persistent=True) as outer:
        outer.watch(x)
        with symtape.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        gradient = tape.gradient(y, x)
    hessian = outer.jacobian(gradient, x)
    third = outer.gradient(hessian, x) if hessian is not None else None
    np.testing.assert_allclose(y.numpy(), float(exact(xs)), rtol=1e-15, atol=1e-15)
    np.testing.assert_allclose(
        gradient.numpy(), [central(exact, xs, i) for i in n], rtol=1e-14, atol=1e-15
    )
    np.testing.assert_allclose(
        hessian.numpy(),
        [[central(exact, xs, i, j) for j in n] for i in n],
        rtol=1e-14,
        atol=1e-15,
    )
    assert third is None or np.all(np.isfinite(third.numpy()))


REDUCTIONS = {
    "mean": np.mean,
    "prod": np.prod,
    "var": np.var,
    "std": np.std,
    "max": np.max,
    "min": np.min,
    "ptp": np.ptp,
    "median": np.median,
    "logaddexp": lambda x, axis=None, **kw: np.logaddexp.reduce(x, axis=axis, **kw),
}


@pytest.mark.slow
@FEW
@given(data=st.data(), shape=SHAPES)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_a_reduction_over_axes_is_many_reductions(name, data, shape, values):
    """Value and gradient, over axes, against the reduction of each slice to a number."""
    function = REDUCTIONS[name]
    axes = data.draw(hnp.valid_tuple_axes(len(shape), min_size=1) if shape else st.just(()))
    keepdims = data.draw(st.booleans())
    if not axes:
        return
    x = values(shape) + np.arange(np.prod(shape)).reshape(shape) / 64
    tensor = symtape.constant(x)
    with symtape.GradientTape() as tape:
        tape.watch(tensor)
        y = function(tensor, axis=axes, keepdims=keepdims)
    expected = function(x, axis=axes, keepdims=keepdims)
    np.testing.assert_allclose(y.numpy(), expected, rtol=1e-14, atol=1e-15)
    weights = np.arange(1.0, expected.size + 1).reshape(expected.shape)
    gradient = tape.gradient(y, tensor, output_gradients=weights).numpy()
    others = [i for i in range(len(shape)) if i not in {a % len(shape) for a in axes}]
    for place, weight in zip(np.ndindex(*[shape[i] for i in others]), weights.ravel(), strict=True):
        index = [slice(None)] * len(shape)
        for i, k in zip(others, place, strict=True):
            index[i] = k
        part = symtape.constant(x[tuple(index)])
        with symtape.GradientTape() as single:
            single.watch(part)
            z = function(part)
        np.testing.assert_allclose(
            gradient[tuple(index)],
            weight * single.gradient(z, part).numpy(),
            rtol=1e-14,
            atol=1e-14,
        )


def axis_cases():
    for name, function in REDUCTIONS.items():
        for axis, keepdims in ((None, False), (0, False), (-1, True), ((0, 1), False)):
            yield name, function, axis, keepdims


@pytest.mark.parametrize(("name", "function", "axis", "keepdims"), list(axis_cases()))
def test_batched_jacobians_are_the_rows(name, function, axis, keepdims, assert_jacobians_agree):
    x = np.array([[1.5, -2.0, 0.25], [3.0, 0.5, 1.0]])
    assert_jacobians_agree(lambda x: function(x, axis=axis, keepdims=keepdims), x)


@pytest.mark.parametrize("name", REDUCTIONS)
def test_single_precision_stays(name):
    x = symtape.constant(np.array([[1.5, -2.0], [3.0, 0.5]], np.float32))
    with symtape.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = REDUCTIONS[name](x, axis=0)
        z = np.sum(y * y)
    assert y.dtype == np.float32
    np.testing.assert_allclose(y.numpy(), REDUCTIONS[name](x.numpy(), axis=0), rtol=1e-6)
    assert tape.gradient(z, x).dtype == np.float32
    assert tape.jacobian(y, x).dtype == np.float32


def test_std_is_the_root_of_the_variance():
    x = symtape.constant([1.5, -2.0, 0.25, 3.0])
    with symtape.GradientTape(persistent=True) as outer:
        outer.watch(x)
        with symtape.GradientTape(persistent=True) as tape:
            tape.watch(x)
            pair = np.std(x, ddof=1), np.sqrt(np.var(x, ddof=1))
        gradients = [tape.gradient(y, x) for y in pair]
    hessians = [outer.jacobian(g, x).numpy() for g in gradients]
    np.testing.assert_allclose(gradients[0].numpy(), gradients[1].numpy(), rtol=1e-14)
    np.testing.assert_allclose(hessians[0], hessians[1], rtol=1e-13, atol=1e-15)


def test_std_without_spread_has_gradient_zero():
    x = symtape.constant([1.5, 1.5, 1.5])
    with symtape.GradientTape() as outer:
        outer.watch(x)
        with symtape.GradientTape() as tape:
            tape.watch(x)
            y = np.std(x)
        gradient = tape.gradient(y, x)
    np.testing.assert_array_equal(gradient.numpy(), np.zeros(3))
    np.testing.assert_array_equal(outer.jacobian(gradient, x).numpy(), np.zeros((3, 3)))


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (np.max, [0.0, 0.5, 0.5, 0.0]),
        (np.min, [0.5, 0.0, 0.0, 0.5]),
        (np.ptp, [-0.5, 0.5, 0.5, -0.5]),
        (np.amax, [0.0, 0.5, 0.5, 0.0]),
        (np.maximum.reduce, [0.0, 0.5, 0.5, 0.0]),
    ],
)
def test_ties_share_equally(function, expected):
    x = symtape.constant([1.0, 2.0, 2.0, 1.0])
    with symtape.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), expected)


@pytest.mark.parametrize("function", [np.max, np.min])
def test_where_nothing_is_the_extreme_the_gradient_is_nan(function):
    x = symtape.constant([[1.0, np.nan], [1.0, 2.0]])
    with symtape.GradientTape() as tape:
        tape.watch(x)
        y = function(x, axis=1)
    np.testing.assert_array_equal(np.isnan(tape.gradient(y, x).numpy()), [[True] * 2, [False] * 2])


@pytest.mark.parametrize("function", [np.max, np.min])
def test_extremes_from_a_start_and_where(function):
    data = np.array([[1.0, 5.0, 3.0], [2.0, 4.0, 6.0]])
    x = symtape.constant(data)
    for options in ({"initial": 3.5}, {"initial": 3.5, "where": HALF, "axis": 1}):
        with symtape.GradientTape() as tape:
            tape.watch(x)
            y = function(x, **options)
        np.testing.assert_array_equal(y.numpy(), function(data, **options))
        assert np.all(np.isin(tape.gradient(y, x).numpy(), [0.0, 1.0]))
    np.testing.assert_array_equal(
        function(symtape.constant(np.ones((0, 2))), axis=0, initial=3.0).numpy(), [3.0, 3.0]
    )


NAN_REDUCTIONS = [
    np.nansum,
    np.nanprod,
    np.nanmax,
    np.nanmin,
    np.nanmean,
    np.nanvar,
    np.nanstd,
    np.nancumsum,
    np.nancumprod,
]


@pytest.mark.parametrize("function", NAN_REDUCTIONS)
def test_nans_are_passed_over(function):
    data = np.array([1.5, np.nan, -2.0, 0.25])
    x = symtape.constant(data)
    full = symtape.constant(data[[0, 2, 3]])
    plain = getattr(np, function.__name__.removeprefix("nan"))
    with symtape.GradientTape(persistent=True) as tape:
        tape.watch([x, full])
        y, z = function(x), plain(full)
        last = (y, z) if not y.ndim else (y[-1], z[-1])
    np.testing.assert_allclose(y.numpy(), function(data), rtol=1e-15)
    gradient = tape.gradient(last[0], x).numpy()
    np.testing.assert_allclose(
        gradient[[0, 2, 3]], tape.gradient(last[1], full).numpy(), rtol=1e-14
    )
    assert gradient[1] == 0


def test_average_returns_its_weights():
    x = symtape.constant(np.arange(6.0).reshape(2, 3))
    for weights in (None, [1.0, 2.0, 3.0]):
        found = np.average(x, axis=1, weights=weights, returned=True)
        expected = np.average(x.numpy(), axis=1, weights=weights, returned=True)
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(np.asarray(a), b)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda x: np.sum(x, out=np.zeros(())), TypeError, "a tape cannot follow"),
        (lambda x: np.max(x, where=x > 0), ValueError, "np.max with where= needs initial="),
        (lambda x: np.average(x, weights=[1.0]), ValueError, "weights of shape"),
        (lambda x: np.sum(x, axis=2), ValueError, "axis 2 is out of bounds"),
    ],
)
def test_errors_say_what_was_given(call, error, words):
    with pytest.raises(error, match=words):
        call(symtape.constant(np.ones((2, 3))))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.lists(st.floats(-1, 1), min_size=2, max_size=40).map(np.array),
    st.sampled_from([0.0, 1.0, 1e4, -1e8]),
)
def test_slopes_of_the_spread_add_up_to_nothing_however_far_the_mean_is(spread, mean):
    x = spread + mean
    for function in (np.var, lambda x: np.var(x, ddof=1), np.std):
        slopes = symtape.grad(function)(x)
        # Below the least normal number each is rounded to a multiple of the least of all.
        least = x.size * np.finfo(float).smallest_subnormal
        assert abs(math.fsum(slopes)) <= 4 * np.finfo(float).eps * np.sum(np.abs(slopes)) + least


FACTORS = st.sampled_from([0.0, 1e-300, 1e-160, -0.75, 1.5, 3.0, 1e160, -1e300, np.nan, np.inf])


@FEW
@given(
    x=hnp.arrays(np.float64, (3, 4), elements=FACTORS | st.floats(0.5, 2)), axis=st.integers(0, 1)
)
def test_each_slope_of_a_product_is_the_product_of_the_others(x, axis):
    with np.errstate(all="ignore"):
        found = symtape.grad(lambda x: np.sum(np.prod(x, axis)))(x)
        for place in np.ndindex(x.shape):
            others = np.delete(np.moveaxis(x, axis, 0)[:, place[1 - axis]], place[axis])
            before, behind = others[: place[axis]], others[place[axis] :]
            expected = np.prod(before) * np.prod(behind[::-1])
            np.testing.assert_allclose(found[place], expected, rtol=1e-14)
