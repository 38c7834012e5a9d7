"""scipy.optimize by its plain names: values, derivatives of solutions, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import optimize, stats

import symtape
import verify
from symtape.errors import SymtapeError
from tests.symtape.scipy.checks import quotient

Call = tuple[Callable[[Any], Any], Any]

TALL = np.array([[1.0, 2.0], [3.0, 1.0], [0.5, 1.0]])
TIMES = np.linspace(0.0, 2.0, 5)
DATA = 2 * np.exp(-1.3 * TIMES) + 0.05 * np.cos(9 * TIMES)
PAIR = np.array([4.0, 5.0])
FAR = np.array([1.0, 3.0])
COSTS = np.array([[1.0, 2.0, 0.5], [0.3, 1.0, 2.0], [2.0, 0.1, 0.4]])


def cosine(x: Any, a: Any) -> Any:
    return np.cos(x) - a * x


def slope(x: Any, a: Any) -> Any:
    return -np.sin(x) - a


def two(x: Any, a: Any) -> Any:
    return [x[0] * np.cos(x[1]) - a[0], x[0] * x[1] - x[1] - a[1]]


def quartic(x: Any, a: Any) -> Any:
    return np.sum((x - a) ** 4 + x**2) + x[0] * x[1]


def quartic_slope(x: Any, a: Any) -> Any:
    return 4 * (x - a) ** 3 + 2 * x + x[::-1]


def quartic_curvature(x: Any, a: Any) -> Any:
    return np.diag(12 * (x - a) ** 2 + 2) + np.array([[0, 1], [1, 0]])


def residuals(x: Any, a: Any) -> Any:
    return np.array([x[0] - a[0], x[0] * x[1] - a[1], x[1] - 1.0])


def decay(t: Any, a: Any, b: Any) -> Any:
    return a * np.exp(-b * t)


def minimum(a: Any, **more: Any) -> Any:
    return np.sum(optimize.minimize(quartic, np.ones(2), args=(a,), **more).x ** 2)


CALLS: dict[str, Call] = {
    "brentq": (lambda a: optimize.brentq(lambda x: np.cos(x) - a * x, 0, 5), 2.5),
    "brentq with args": (lambda a: optimize.brentq(cosine, 0, 5, args=(a,)), 2.5),
    "brentq's report": (lambda a: optimize.brentq(cosine, 0, 5, (a,), full_output=True)[0], 2.5),
    "brenth": (lambda a: optimize.brenth(cosine, 0, 5, (a,)), 2.5),
    "ridder": (lambda a: optimize.ridder(cosine, 0, 5, (a,)), 2.5),
    "bisect": (lambda a: optimize.bisect(cosine, 0, 5, (a,)), 2.5),
    "toms748": (lambda a: optimize.toms748(cosine, 0, 5, (a,)), 2.5),
    "newton": (lambda a: optimize.newton(cosine, 0.5, args=(a,)), 2.5),
    "newton with slope": (lambda a: optimize.newton(cosine, 0.5, slope, (a,)), 2.5),
    "newton of arrays": (
        lambda a: np.sum(optimize.newton(cosine, np.array([0.5, 0.6]), args=(a,)) ** 2),
        np.array([2.5, 1.0]),
    ),
    "root_scalar": (lambda a: optimize.root_scalar(cosine, (a,), bracket=(0, 2)).root, 2.5),
    "root_scalar with slope": (
        lambda a: optimize.root_scalar(cosine, (a,), fprime=slope, x0=0.3).root,
        2.5,
    ),
    "root_scalar, both at once": (
        lambda a: (
            optimize.root_scalar(lambda x: (cosine(x, a), slope(x, a)), fprime=True, x0=0.3).root
        ),
        2.5,
    ),
    "fixed_point": (lambda a: optimize.fixed_point(lambda x: np.cos(x) / a, 0.4), 2.5),
    "fsolve": (lambda a: np.sum(optimize.fsolve(two, [1.0, 1.0], (a,)) ** 2), PAIR),
    "root": (lambda a: np.sum(optimize.root(two, [1.0, 1.0], (a,)).x ** 2), PAIR),
    "root by lm": (
        lambda a: np.sum(optimize.root(two, [2.0, 1.0], (a,), method="lm").x ** 2),
        PAIR,
    ),
    "root of a matrix": (
        lambda a: np.sum(
            optimize.root(lambda x: x @ x - np.diag(a), np.eye(2), method="krylov", tol=1e-11).x
            ** 3
        ),
        PAIR,
    ),
    "minimize": (minimum, FAR),
    "minimize, its value": (
        lambda a: optimize.minimize(quartic, np.ones(2), args=(a,)).fun,
        FAR,
    ),
    "minimize by Nelder and Mead": (lambda a: minimum(a, method="Nelder-Mead"), FAR),
    "minimize with slope": (lambda a: minimum(a, jac=quartic_slope, method="CG"), FAR),
    "minimize with curvature": (
        lambda a: minimum(a, jac=quartic_slope, hess=quartic_curvature, method="trust-exact"),
        FAR,
    ),
    "minimize, both at once": (
        lambda a: np.sum(
            optimize.minimize(
                lambda x: (quartic(x, a), quartic_slope(x, a)), np.ones(2), jac=True
            ).x
        ),
        FAR,
    ),
    "minimize on a bound": (lambda a: minimum(a, bounds=[(0, 10), (0, 1.0)]), FAR),
    "minimize on a bound that moves": (
        lambda a: minimum(a, bounds=[(None, None), (0, a[0] ** 2)]),
        FAR,
    ),
    "minimize_scalar": (
        lambda a: optimize.minimize_scalar(lambda x: (x - a) ** 4 + x**2).x,
        2.5,
    ),
    "minimize_scalar, bounded": (
        lambda a: (
            optimize.minimize_scalar(
                lambda x, c: (x - c) ** 4 + x**2, bounds=(0, 2), args=(a,), method="bounded"
            ).fun
        ),
        2.5,
    ),
    "least_squares": (
        lambda a: np.sum(optimize.least_squares(residuals, [1.0, 1.0], args=(a,)).x ** 2),
        FAR,
    ),
    "least_squares, its cost": (
        lambda a: optimize.least_squares(residuals, [1.0, 1.0], args=(a,), jac="3-point").cost,
        FAR,
    ),
    "least_squares of a loss": (
        lambda a: np.sum(
            optimize.least_squares(residuals, [1.0, 1.0], args=(a,), loss="soft_l1", f_scale=0.5).x
        ),
        FAR,
    ),
    "least_squares on a bound": (
        lambda a: np.sum(
            optimize.least_squares(residuals, [1.0, 1.0], args=(a,), bounds=([0, 0], [5, 1.5])).x
            ** 2
        ),
        FAR,
    ),
    "curve_fit": (
        lambda y: np.sum(optimize.curve_fit(decay, TIMES, y, [1.0, 1.0])[0]),
        DATA,
    ),
    "curve_fit of two parameters": (
        lambda y: np.sum(optimize.curve_fit(decay, TIMES, y)[0]),
        DATA,
    ),
    "curve_fit by abscissa": (
        lambda t: np.sum(optimize.curve_fit(decay, t, DATA, [1.0, 1.0])[0]),
        TIMES,
    ),
    "curve_fit, its covariance": (
        lambda y: np.sum(
            optimize.curve_fit(decay, TIMES, y, [1.0, 1.0], sigma=0.1 + 0.1 * TIMES)[1]
        ),
        DATA,
    ),
    "fmin": (lambda a: np.sum(optimize.fmin(quartic, np.ones(2), (a,), disp=0) ** 2), PAIR),
    "fmin's value": (
        lambda a: optimize.fmin(quartic, np.ones(2), (a,), full_output=1, disp=0)[1],
        PAIR,
    ),
    "fmin_powell": (
        lambda a: np.sum(
            optimize.fmin_powell(quartic, np.ones(2), (a,), xtol=1e-10, ftol=1e-12, disp=0) ** 2
        ),
        PAIR,
    ),
    "fmin_bfgs": (
        lambda a: np.sum(optimize.fmin_bfgs(quartic, np.ones(2), args=(a,), disp=0) ** 2),
        PAIR,
    ),
    "fmin_cg": (
        lambda a: np.sum(
            optimize.fmin_cg(quartic, np.ones(2), quartic_slope, args=(a,), disp=0) ** 2
        ),
        PAIR,
    ),
    "fmin_ncg": (
        lambda a: np.sum(
            optimize.fmin_ncg(quartic, np.ones(2), quartic_slope, args=(a,), disp=0) ** 2
        ),
        PAIR,
    ),
    "brent": (lambda a: optimize.brent(lambda x: (x - a) ** 4 + x**2), 2.5),
    "golden": (lambda a: optimize.golden(lambda x, a: (x - a) ** 4 + x**2, (a,)), 2.5),
    "fminbound": (lambda a: optimize.fminbound(lambda x: (x - a) ** 4 + x**2, 0, a), 2.5),
    "leastsq": (
        lambda a: np.sum(optimize.leastsq(residuals, [1.0, 1.0], args=(a,))[0] ** 2),
        np.array([0.7, 1.4]),
    ),
    "nnls": (lambda b: np.sum(optimize.nnls(TALL, b)[0] ** 2), np.array([3.0, 4.0, 2.5])),
    "nnls on a bound": (
        lambda b: np.sum(optimize.nnls(TALL, b)[0] ** 2) + optimize.nnls(TALL, b)[1],
        np.array([1.0, 4.0, 0.3]),
    ),
    "lsq_linear": (
        lambda b: np.sum(optimize.lsq_linear(TALL, b, bounds=(0, 0.9)).x ** 2),
        np.array([1.0, 3.0, 0.75]),
    ),
    "linear_sum_assignment": (
        lambda c: np.sum((c**2)[optimize.linear_sum_assignment(c)]),
        COSTS,
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_derivatives_are_quotients_of_what_is_recorded(name: str) -> None:
    function, x = CALLS[name]
    random = np.random.default_rng(1)
    along = random.uniform(0.5, 1.0, np.shape(x))
    value = symtape.value_and_grad(function)

    given = value(x)
    np.testing.assert_allclose(given[0], function(x), rtol=1e-4)
    first = quotient(lambda z: value(z)[0], x, along)
    np.testing.assert_allclose(np.sum(given[1] * along), first, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(symtape.jvp(function, (x,), (along,))[1], first, rtol=1e-7)
    second = quotient(symtape.grad(function), x, along)
    product = np.tensordot(symtape.hessian(function)(x), along, np.ndim(x))
    np.testing.assert_allclose(product, second, rtol=1e-6, atol=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_verified(name: str) -> None:
    function, x = CALLS[name]
    assert verify.gradient(function, at=[x]).verdict.value == "CORRECT"


def test_a_root_of_a_cubic_is_exact() -> None:
    def f(a: Any) -> Any:
        return optimize.brentq(lambda x: x**3 + x - a, 0, 5, xtol=1e-3)

    def by_hand(a: Any) -> Any:
        # Cardano's formula.
        half, inner = a / 2, np.sqrt(a**2 / 4 + 1 / 27)
        root = np.cbrt(half + inner) + np.cbrt(half - inner)
        return 1 / (3 * root**2 + 1)

    assert symtape.grad(f)(2.0) == pytest.approx(0.25, rel=1e-14)
    assert symtape.hessian(f)(2.0) == pytest.approx(-6 / 64, rel=1e-13)
    third = symtape.grad(symtape.grad(symtape.grad(f)))(2.0)
    # By y = 1 / (3 x² + 1): y' = -6 x y³, and y'' = -6 y⁴ + 108 x² y⁵.
    assert third == pytest.approx(-6 / 4**4 + 108 / 4**5, rel=1e-12)
    assert verify.gradient(f, claimed=by_hand, at=[2.5]).verdict.value == "CORRECT"
    assert verify.hessian(f, at=[2.5]).verdict.value == "CORRECT"
    wrong = verify.gradient(f, claimed=lambda a: 1.001 * by_hand(a), at=[2.5])
    assert wrong.verdict.value == "WRONG"


def test_derivatives_are_recorded_whatever_functions_were_before() -> None:
    """All gradients are the same code, of functions that call solvers and of others."""

    def solved(a: Any) -> Any:
        return optimize.brentq(lambda x: x**3 + x - a, 0, 5)

    for function in (np.sin, solved, lambda a: a**2 if type(a) is float else a**3):
        for gradient in (symtape.grad(function), symtape.grad(symtape.grad(function))):
            found = symtape.record(gradient, 2.0)
            assert found.evaluate(2.0)[0] == gradient(2.0)


def test_a_claim_by_a_solver_is_as_exact_as_the_solver() -> None:
    def anomaly(e: Any) -> Any:
        return optimize.brentq(lambda x: x - e * np.sin(x) - 1.0, 0, 6)

    def by_hand(e: Any) -> Any:
        return np.sin(anomaly(e)) / (1 - e * np.cos(anomaly(e)))

    assert verify.gradient(anomaly, claimed=by_hand, at=[0.4]).verdict.value == "CORRECT"

    def least(a: Any) -> Any:
        return optimize.minimize(lambda x: np.sum((x - a) ** 4 + x**2), np.ones(1)).x[0]

    def slope(a: Any) -> Any:
        curvature = 12 * (least(a) - a) ** 2
        return curvature / (curvature + 2)

    loose = verify.gradient(least, claimed=slope, at=[2.0])
    assert loose.verdict.value == "INACCURATE"
    assert "right in exact arithmetic" in str(loose)
    wrong = verify.gradient(least, claimed=lambda a: 1.001 * slope(a), at=[2.0])
    assert wrong.verdict.value == "WRONG"


def test_iterations_do_not_count() -> None:
    def f(x0: Any, a: Any) -> Any:
        return optimize.newton(lambda x: x * x - a, x0, tol=1e-2)

    assert symtape.grad(f, 0)(1.0, 3.0) == 0
    assert symtape.grad(f, 1)(1.0, 3.0) == pytest.approx(0.5 / np.sqrt(3), rel=1e-14)


def test_what_holds_no_tensor_stays_as_it_is() -> None:
    def f(a: Any) -> Any:
        return a * optimize.minimize(lambda x: np.sum((x - 1) ** 2), np.zeros(2)).x[0]

    assert symtape.grad(f)(2.0) == pytest.approx(1.0)


def test_one_solver_inside_another() -> None:
    def inner(a: Any) -> Any:
        return optimize.brentq(lambda x: x**3 - a, 0.1, 9)

    def f(b: Any) -> Any:
        return optimize.brentq(lambda y: inner(y) + y - b, 0.1, 9)

    # With y = x³ the root is that of x + x³ = b, and x = 1 at b = 2.
    assert symtape.grad(f)(2.0) == pytest.approx(3 / 4, rel=1e-12)


def test_single_precision() -> None:
    found = symtape.grad(lambda a: optimize.brentq(cosine, 0, 5, (a,)))(np.float32(2.5))
    assert found.dtype == np.float32
    assert found == pytest.approx(symtape.grad(CALLS["brentq"][0])(2.5), rel=1e-6)


def test_a_root_at_zero() -> None:
    def f(a: Any) -> Any:
        return np.sum(np.exp(optimize.fsolve(lambda x: x + x**3 - a, np.ones(2))))

    np.testing.assert_allclose(symtape.grad(f)(np.array([0.0, 2.0])), [1.0, np.e / 4], rtol=1e-13)


def test_of_a_search_inside_of_a_library_the_solution_is_differentiated() -> None:
    data = np.array([0.4, 1.3, 0.9, 2.2, 1.1])

    def fit(x: Any) -> Any:
        return np.array(stats.weibull_min.fit(x, floc=0))

    # Of twice the data the shape is the same, and the scale is twice as large.
    found, change = symtape.jvp(fit, (data,), (data,))
    np.testing.assert_allclose(change, [0.0, 0.0, found[2]], atol=1e-9)


REFUSED: dict[str, tuple[Callable[[Any], Any], Any, str]] = {
    "a double root": (
        lambda a: optimize.newton(lambda x: (x - a) ** 2, 1.0, maxiter=200),
        2.0,
        "newton",
    ),
    "a kink on a bound": (
        lambda a: optimize.minimize(lambda x: (x[0] - a) ** 2, [0.5], bounds=[(0, 1)]).x[0],
        1.0,
        "hardly presses",
    ),
    "constraints": (
        lambda a: optimize.minimize(
            lambda x: (x[0] - a) ** 2,
            [0.5],
            constraints={"type": "eq", "fun": lambda x: x[0] - 1},
        ).x[0],
        1.0,
        "constraints",
    ),
    "a linear program": (lambda a: optimize.linprog([a], bounds=[(1, 2)]).fun, 1.0, "linprog"),
    "an unknown loss": (
        lambda a: optimize.least_squares(
            lambda x: x - a, [0.5], loss=lambda z: np.stack([z, 1 + 0 * z, 0 * z])
        ).x[0],
        1.0,
        "loss",
    ),
    "comparisons of values": (
        lambda a: optimize.differential_evolution(
            lambda x: np.sum((x - a) ** 2), [(0, 3)], polish=False, rng=1, maxiter=3
        ).x[0],
        1.0,
        "differential_evolution.*ask minimize",
    ),
    "a search that stops short of a bound": (
        lambda a: optimize.fminbound(lambda x: x**2, a, 3 * a),
        2.5,
        "not converged",
    ),
    "a covariance": (
        lambda a: optimize.leastsq(lambda x: x - a, [0.5], full_output=True)[1][0, 0],
        1.0,
        "leastsq",
    ),
    "a search that fails": (
        lambda a: optimize.root(lambda x: x**2 + a, [0.5]).x[0],
        1.0,
        "not converged",
    ),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", REFUSED)
def test_refused_in_words(name: str) -> None:
    function, x, words = REFUSED[name]
    with pytest.raises(SymtapeError, match=words):
        symtape.grad(function)(x)
