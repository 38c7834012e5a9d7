"""Log-sum-exp and softmax: values as SciPy's, derivatives exact, tails to the last places."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
import scipy.special as sp

import symtape
from symtape.scipy.special import (
    comb,
    factorial,
    log_softmax,
    logsumexp,
    multigammaln,
    polygamma,
    softmax,
)

Check = Callable[..., None]

X = np.array([[0.5, -1.25, 2.0], [0.0, 0.75, -0.5]])
B = np.array([[1.0, -0.5, 2.0], [0.25, 0.0, 3.0]])
AXES = [None, 0, 1, -1, (0, 1), (-1,)]


def total(x: Any, axis: Any) -> Any:
    return np.sum(x, axis=axis, keepdims=True)


def log(x: Any) -> Any:
    return np.log(np.asarray(x, dtype=object))


REFERENCES: dict[str, tuple[Any, Any, Any]] = {
    "logsumexp": (logsumexp, sp.logsumexp, lambda x, axis: log(np.sum(np.exp(x), axis=axis))),
    "softmax": (softmax, sp.softmax, lambda x, axis: np.exp(x) / total(np.exp(x), axis)),
    "log_softmax": (
        log_softmax,
        sp.log_softmax,
        lambda x, axis: x - np.log(total(np.exp(x), axis)),
    ),
}


@pytest.mark.parametrize("name", REFERENCES)
@pytest.mark.parametrize("axis", AXES)
def test_values_and_derivatives(name: str, axis: Any, check_derivatives: Check) -> None:
    function, of_scipy, reference = REFERENCES[name]
    check_derivatives(lambda x: function(x, axis=axis), X, reference=lambda x: reference(x, axis))
    for x in (X, X * 1000, X[:0] if axis in (1, -1, (-1,)) else X, X.astype(np.float32)):
        expected = of_scipy(x, axis=axis)
        for found in (function(x, axis=axis), function(symtape.constant(x), axis=axis).numpy()):
            np.testing.assert_allclose(found, expected, rtol=4 * np.finfo(x.dtype).eps, atol=1e-15)
            assert np.asarray(found).dtype == x.dtype


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("return_sign", [False, True])
@pytest.mark.parametrize("b", [None, B, B[0], 2.0, -1.0])
def test_logsumexp_takes_the_arguments_of_scipy(
    axis: Any, keepdims: bool, return_sign: bool, b: Any
) -> None:
    arguments = {"axis": axis, "b": b, "keepdims": keepdims, "return_sign": return_sign}
    with np.errstate(invalid="ignore"):
        expected = sp.logsumexp(X, **arguments)
        of_arrays = logsumexp(X, **arguments)
        of_tensors = logsumexp(symtape.constant(X), **arguments)
    if not return_sign:
        expected, of_arrays, of_tensors = (expected,), (of_arrays,), (of_tensors,)
    for e, array, tensor in zip(expected, of_arrays, of_tensors, strict=True):
        assert np.shape(array) == tensor.shape == np.shape(e)
        np.testing.assert_allclose(array, e, rtol=1e-13)
        np.testing.assert_allclose(tensor.numpy(), e, rtol=1e-13)


@pytest.mark.parametrize("axis", [None, 1])
def test_weighted_logsumexp(axis: Any, check_derivatives: Check) -> None:
    check_derivatives(
        lambda x, b: logsumexp(x, axis=axis, b=b),
        X,
        B,
        reference=lambda x, b: log(np.sum(b * np.exp(x), axis=axis)),
    )


def test_weights_of_zero_mask_what_would_overflow() -> None:
    x = symtape.constant([1.0, 800.0, -800.0])
    with symtape.GradientTape() as tape:
        tape.watch(x)
        y = logsumexp(x, b=[1.0, 0.0, 1.0])
    assert float(y) == 1.0
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), [1, 0, 0], atol=1e-300)


TAILS = [
    [0.0, 0.0],
    [0.0, 40.0],
    [0.0, 745.0],
    [-700.0, 0.5],
    [1000.25, 950.0, 300.5],
    [1e300, 1e300],
    [3.0, 2.5, -600.0, -650.0],
    [0.0, 37.0, 0.0],
    [50.0, 50.0, 1.0],
]


def shares(x: Any) -> Any:
    values = [mpmath.mpf(v) for v in x]
    largest = max(values)
    exponentials = [mpmath.exp(v - largest) for v in values]
    return [e / mpmath.fsum(exponentials) for e in exponentials]


def kronecker(i: int, j: int) -> int:
    return int(i == j)


def softmax_jacobian(p: Any, i: int, j: int) -> Any:
    return p[i] * (kronecker(i, j) - p[j])


EXACT: dict[str, tuple[Any, Callable[[Any], Any]]] = {
    "softmax value": (lambda x, tape: softmax(x), lambda p: p),
    "logsumexp gradient": (lambda x, tape: tape.gradient(logsumexp(x), x), lambda p: p),
    "softmax jacobian": (
        lambda x, tape: tape.jacobian(softmax(x), x),
        lambda p: [[softmax_jacobian(p, i, j) for j in range(len(p))] for i in range(len(p))],
    ),
    "log_softmax jacobian": (
        lambda x, tape: tape.jacobian(log_softmax(x), x),
        lambda p: [[kronecker(i, j) - p[j] for j in range(len(p))] for i in range(len(p))],
    ),
}


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("x", TAILS, ids=str)
def test_tails_are_right_to_the_last_places(name: str, x: Any) -> None:
    function, of_shares = EXACT[name]
    tensor = symtape.constant(x)
    with symtape.GradientTape(persistent=True) as tape:
        tape.watch(tensor)
        found = function(tensor, tape).numpy()
    with mpmath.workdps(400):
        exact = np.array(of_shares(shares(x)), dtype=object)
        for got, truth in zip(found.ravel(), exact.ravel(), strict=True):
            unit = max(abs(truth) * mpmath.mpf(2) ** -53, mpmath.mpf(2) ** -1074)
            assert abs(mpmath.mpf(float(got)) - truth) <= 8 * unit, (got, mpmath.nstr(truth, 20))


@pytest.mark.parametrize("x", TAILS, ids=str)
def test_hessian_of_logsumexp_is_right_in_the_tails(x: Any) -> None:
    tensor = symtape.constant(x)
    with symtape.GradientTape() as outer:
        outer.watch(tensor)
        with symtape.GradientTape() as inner:
            inner.watch(tensor)
            y = logsumexp(tensor)
        gradient = inner.gradient(y, tensor)
    found = outer.jacobian(gradient, tensor).numpy()
    with mpmath.workdps(400):
        p = shares(x)
        for i, j in itertools.product(range(len(x)), repeat=2):
            truth = softmax_jacobian(p, i, j)
            unit = max(abs(truth) * mpmath.mpf(2) ** -53, mpmath.mpf(2) ** -1074)
            assert abs(mpmath.mpf(float(found[i, j])) - truth) <= 8 * unit


@pytest.mark.parametrize("name", REFERENCES)
def test_terms_that_are_zero_have_no_nan_to_second_order(name: str) -> None:
    function = REFERENCES[name][0]
    x = symtape.constant([0.5, -np.inf, 2.0])
    weights = np.array([1.0, 0.0, -2.0])
    with symtape.GradientTape() as outer:
        outer.watch(x)
        with symtape.GradientTape() as inner:
            inner.watch(x)
            y = function(x)
        gradient = inner.gradient(y, x, None if y.ndim == 0 else weights)
    hessian = outer.jacobian(gradient, x).numpy()
    finite = symtape.constant([0.5, 2.0])
    with symtape.GradientTape() as tape:
        tape.watch(finite)
        z = function(finite)
    smaller = tape.gradient(z, finite, None if z.ndim == 0 else weights[[0, 2]])
    np.testing.assert_allclose(gradient.numpy()[[0, 2]], smaller.numpy(), rtol=1e-14)
    assert gradient.numpy()[1] == 0
    assert (hessian[1] == 0).all()
    assert (hessian[:, 1] == 0).all()
    assert np.isfinite(hessian).all()


def test_nothing_but_minus_infinity() -> None:
    x = symtape.constant([[-np.inf, -np.inf], [0.0, 0.0]])
    with symtape.GradientTape() as tape:
        tape.watch(x)
        y = logsumexp(x, axis=1)
    np.testing.assert_array_equal(y.numpy(), [-np.inf, np.log(2)])
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), [[0, 0], [0.5, 0.5]])


@pytest.mark.parametrize("value", [np.inf, np.nan])
def test_what_is_not_finite_is_not_hidden(value: float) -> None:
    np.testing.assert_array_equal(logsumexp(np.array([value, 0.0])), value)


@pytest.mark.parametrize("x", [3, [1, 2], np.array([1, 2]), 2.5])
def test_lists_scalars_and_integers(x: Any) -> None:
    for function, of_scipy, _ in REFERENCES.values():
        np.testing.assert_allclose(function(x), of_scipy(x), rtol=1e-15)


@pytest.mark.parametrize("d", [1, 2, 5])
def test_multigammaln(d: int) -> None:
    a = np.array([2.5, 3.0, 10.0])
    x = symtape.constant(a)
    with symtape.GradientTape() as tape:
        tape.watch(x)
        y = multigammaln(x, d)
    np.testing.assert_allclose(y.numpy(), sp.multigammaln(a, d), rtol=1e-13)
    np.testing.assert_allclose(multigammaln(a, d), sp.multigammaln(a, d), rtol=1e-13)
    expected = sum(sp.digamma(a - j / 2) for j in range(d))
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), expected, rtol=1e-13)


@pytest.mark.parametrize("d", [0, -1, 1.5])
def test_multigammaln_refuses_what_is_no_dimension(d: Any) -> None:
    with pytest.raises(ValueError, match="expected a positive integer"):
        multigammaln(3.0, d)


FACTORIALS: list[tuple[str, Any, Any, tuple[Any, ...], Any]] = [
    (
        "polygamma",
        lambda x: polygamma(2, x),
        lambda x: sp.polygamma(2, x),
        ([0.75, 2.5, 40.0],),
        lambda x: [sp.polygamma(3, x)],
    ),
    (
        "polygamma 0",
        lambda x: polygamma(0, x),
        lambda x: sp.polygamma(0, x),
        ([0.75, 2.5, 40.0],),
        lambda x: [sp.polygamma(1, x)],
    ),
    (
        "factorial",
        factorial,
        sp.factorial,
        ([0.0, 2.5, 7.0, -1.0],),
        lambda n: [np.where(n < 0, 0, sp.factorial(n) * sp.digamma(np.abs(n) + 1))],
    ),
    (
        "comb",
        comb,
        sp.comb,
        ([5.0, 4.5, 1.0, 3.0], [2.0, 1.25, 2.0, 0.0]),
        lambda n, k: [
            sp.comb(n, k) * np.where(k > n, 0, sp.digamma(n + 1) - sp.digamma(np.abs(n - k) + 1)),
            sp.comb(n, k) * (sp.digamma(np.abs(n - k) + 1) - sp.digamma(k + 1)),
        ],
    ),
    (
        "comb with repetition",
        lambda n: comb(n, 2, repetition=True),
        lambda n: sp.comb(n, 2, repetition=True),
        ([5.0, 4.5],),
        lambda n: [n + 0.5],
    ),
]


@pytest.mark.parametrize(
    ("name", "function", "of_scipy", "inputs", "slopes"), FACTORIALS, ids=[c[0] for c in FACTORIALS]
)
def test_factorials(name: str, function: Any, of_scipy: Any, inputs: Any, slopes: Any) -> None:
    sources = [symtape.constant(x) for x in inputs]
    plain = [x.numpy() for x in sources]
    with symtape.GradientTape() as tape:
        tape.watch(sources)
        y = function(*sources)
    np.testing.assert_allclose(y.numpy(), of_scipy(*plain), rtol=1e-13)
    np.testing.assert_allclose(function(*plain), of_scipy(*plain), rtol=1e-13)
    for found, expected in zip(tape.gradient(y, sources), slopes(*plain), strict=True):
        np.testing.assert_allclose(found.numpy(), expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: polygamma(-1, 2.0), "n=-1"),
        (lambda: polygamma([1, 2], 2.0), "expected one order"),
        (lambda: factorial(3.0, exact=True), "exact=True gives integers"),
        (lambda: comb(3.0, 2.0, exact=True), "exact=True gives integers"),
    ],
)
def test_what_has_no_derivative_is_refused(call: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()


def test_softmax_of_a_number() -> None:
    for function in (softmax, log_softmax, logsumexp):
        np.testing.assert_array_equal(
            function(np.array(0.5), axis=-1), getattr(sp, function.__name__)(0.5, axis=-1)
        )
