"""scipy.integrate by its plain names: sums, integrals and initial value problems."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import integrate, linalg

import symtape
import verify
from symtape.errors import SymtapeError
from tests.symtape.scipy.checks import quotient

Call = tuple[Callable[[Any], Any], Any]

PLACES = np.linspace(0.0, 1.0, 9)
HEIGHTS = np.sin(PLACES + 1)
P = np.array([0.3, 1.2, 0.5])
EXACT = {"rtol": 1e-8, "atol": 1e-9}

SUMS: dict[str, Call] = {
    "trapezoid": (lambda y: integrate.trapezoid(y**2, PLACES), HEIGHTS),
    "trapezoid by abscissa": (lambda x: integrate.trapezoid(x**2, x), PLACES),
    "simpson": (lambda y: integrate.simpson(y**2, x=PLACES), HEIGHTS),
    "simpson by abscissa": (lambda x: integrate.simpson(x**2, x=x), PLACES**2 + PLACES),
    "simpson of an even number": (lambda y: integrate.simpson(y[1:] ** 2, dx=0.25), HEIGHTS),
    "cumulative_trapezoid": (
        lambda y: np.sum(integrate.cumulative_trapezoid(y**2, PLACES, initial=0) ** 2),
        HEIGHTS,
    ),
    "cumulative_simpson": (
        lambda y: np.sum(integrate.cumulative_simpson(y**2, dx=0.2) ** 2),
        HEIGHTS,
    ),
    "cumulative_simpson by abscissa": (
        lambda x: np.sum(integrate.cumulative_simpson(x**2, x=x) ** 2),
        PLACES**2 + PLACES,
    ),
    "cumulative_simpson at plain places from 0": (
        lambda y: np.sum(integrate.cumulative_simpson(y**2, x=PLACES, initial=0) ** 2),
        HEIGHTS,
    ),
    "romb": (lambda y: integrate.romb(y**2, 0.1), HEIGHTS),
    "fixed_quad": (
        lambda p: integrate.fixed_quad(lambda s: np.exp(p[0] * s) * p[1], p[2], 2.0)[0],
        P,
    ),
    "newton_cotes": (lambda y: integrate.newton_cotes(8, 1)[0] @ y**2, HEIGHTS),
}

INTEGRALS: dict[str, Call] = {
    "quad": (lambda p: integrate.quad(lambda s: np.exp(p[0] * s) * p[1], p[2], 2.0)[0], P),
    "quad with args": (
        lambda p: integrate.quad(lambda s, c, d: np.exp(c * s) * d, 0, 2.0, args=(p[0], p[1]))[0],
        P,
    ),
    "quad of code for numbers": (
        lambda p: integrate.quad(lambda s: math.exp(p[0] * s) * p[1], p[2], 2.0)[0],
        P,
    ),
    "quad to infinity": (
        lambda p: integrate.quad(lambda s: np.exp(-p[1] * s * s), p[2], np.inf)[0],
        P,
    ),
    "quad from infinity": (
        lambda p: integrate.quad(lambda s: 1 / (p[1] + s * s), -np.inf, p[0])[0],
        P,
    ),
    "quad of all numbers": (
        lambda p: integrate.quad(lambda s: np.exp(-p[1] * s * s + p[0] * s), -np.inf, np.inf)[0],
        P,
    ),
    "quad of a singular end": (
        lambda p: integrate.quad(lambda s: s ** -p[0] * np.exp(-p[1] * s), 0, 1)[0],
        P,
    ),
    "quad backwards": (lambda p: integrate.quad(lambda s: np.cos(s * p[0]), 2.0, p[2])[0], P),
    "quad of pieces": (
        lambda p: integrate.quad(lambda s: p[0] * s if s < 1 else s * p[1], 0, 2, points=[1])[0],
        P,
    ),
    "quad_vec": (
        lambda p: np.sum(integrate.quad_vec(lambda s: np.exp(p * s), 0, p[2])[0] ** 2),
        P,
    ),
}


def predators(t: Any, y: Any, p: Any) -> Any:
    return np.array([p[0] * y[0] - y[0] * y[1], y[0] * y[1] / 2 - p[1] * y[1]])


def solved(p: Any, **more: Any) -> Any:
    return integrate.solve_ivp(predators, (0, 1.0), [1.0, p[2]], args=(p,), **more)


FLOWS: dict[str, Call] = {
    **{
        f"solve_ivp by {name}": (
            lambda p, name=name: np.sum(solved(p, method=name, rtol=1e-7).y[:, -1] ** 2),
            P,
        )
        for name in ("RK23", "RK45", "DOP853")
    },
    "solve_ivp at times": (
        lambda p: np.sum(solved(p, t_eval=[0.0, 0.3, 1.0], **EXACT).y ** 2),
        P,
    ),
    "DOP853 at times": (
        lambda p: np.sum(solved(p, method="DOP853", t_eval=[0.0, 0.3, 1.0], **EXACT).y ** 2),
        P,
    ),
    "solve_ivp between times that move": (
        lambda p: np.sum(
            integrate.solve_ivp(predators, (p[0], p[1]), [1.0, p[2]], args=(p,), **EXACT).y[:, -1]
        ),
        P,
    ),
    "solve_ivp backwards": (
        lambda p: np.sum(
            integrate.solve_ivp(predators, (1.0, p[0]), [1.0, p[2]], args=(p,), **EXACT).y[:, -1]
        ),
        P,
    ),
    "the dense output": (
        lambda p: np.sum(solved(p, dense_output=True, rtol=1e-5).sol(p[0]) ** 2),
        P,
    ),
}

IMPLICIT: dict[str, Call] = {
    **{
        f"solve_ivp by {name}": (
            lambda c, name=name: integrate.solve_ivp(
                lambda t, y: -c * y * y, (0, 0.5), [1.0], method=name
            ).y[0, -1],
            0.7,
        )
        for name in ("Radau", "BDF", "LSODA")
    },
    "odeint": (
        lambda c: integrate.odeint(lambda y, t: -c * y * y, 1.0, [0, 0.5], rtol=1e-3, atol=1e-3)[
            1, 0
        ],
        0.7,
    ),
}


@pytest.mark.parametrize("name", [*SUMS, *INTEGRALS])
def test_derivatives_are_quotients(name: str) -> None:
    function, x = (SUMS | INTEGRALS)[name]
    along = np.random.default_rng(1).uniform(0.5, 1.0, np.shape(x))
    value, gradient = symtape.value_and_grad(function)(x)
    np.testing.assert_allclose(value, function(x), rtol=1e-10)
    first = quotient(lambda z: symtape.value_and_grad(function)(z)[0], x, along)
    np.testing.assert_allclose(np.sum(gradient * along), first, rtol=1e-7)
    np.testing.assert_allclose(symtape.jvp(function, (x,), (along,))[1], first, rtol=1e-7)
    second = quotient(symtape.grad(function), x, along)
    product = symtape.hessian(function)(x) @ along
    np.testing.assert_allclose(product, second, rtol=1e-6, atol=1e-8)


SPIRAL = np.array([[0.0, 1.0], [-1.0, -0.3]])
TIMES = np.array([0.0, 0.25, 0.5, 1.0])
SOLVERS: dict[str, Callable[[Any], Any]] = {
    "odeint": lambda t: integrate.odeint(lambda y, _: SPIRAL @ y, [1.0, 0.0], t, rtol=1e-10),
    **{
        name: lambda t, name=name: (
            integrate.solve_ivp(
                lambda _, y: SPIRAL @ y,
                (TIMES[0], TIMES[-1]),
                [1.0, 0.0],
                t_eval=t,
                method=name,
                rtol=1e-9,
                atol=1e-12,
            ).y.T
        )
        for name in ("RK45", "DOP853", "Radau", "BDF", "LSODA")
    },
}


@pytest.mark.parametrize("name", SOLVERS)
def test_a_solution_moves_with_each_time_by_its_slope(name: str) -> None:
    found = symtape.jacobian(SOLVERS[name])(TIMES)
    slopes = np.stack([SPIRAL @ linalg.expm(SPIRAL * t)[:, 0] for t in TIMES])
    expected = np.einsum("ki,kj->kij", slopes, np.eye(len(TIMES)))
    if name == "odeint":  # its first time is where the solution starts
        expected[:, :, 0] -= slopes
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)


def test_a_solution_bends_with_each_time_by_the_slope_of_its_slope() -> None:
    found = symtape.hessian(lambda t: np.sum(SOLVERS["odeint"](t)[:, 0]))(TIMES)
    bends = [(SPIRAL @ SPIRAL @ linalg.expm(SPIRAL * t))[0, 0] for t in TIMES[1:]]
    np.testing.assert_allclose(found[1:, 1:], np.diag(bends), rtol=1e-6, atol=1e-7)


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("name", [*SUMS, *INTEGRALS, *FLOWS, *IMPLICIT])
def test_verified(name: str) -> None:
    function, x = (SUMS | INTEGRALS | FLOWS | IMPLICIT)[name]
    found = verify.gradient(function, at=[x], budget=verify.Budget(seconds=60))
    assert found.verdict.value == "CORRECT"


@pytest.mark.parametrize("name", FLOWS)
def test_flows_have_the_derivatives_of_the_solution_to_their_tolerance(name: str) -> None:
    function, x = FLOWS[name]
    along = np.array([0.5, 1.0, 0.75])
    value, gradient = symtape.value_and_grad(function)(x)
    np.testing.assert_allclose(value, function(x), rtol=1e-6)
    # Of an exact solver the quotients are those of the solution.
    first = quotient(lambda z: symtape.value_and_grad(function)(z)[0], x, along)
    np.testing.assert_allclose(np.sum(gradient * along), first, rtol=2e-4)
    np.testing.assert_allclose(symtape.jvp(function, (x,), (along,))[1], gradient @ along)
    if name in ("solve_ivp by RK45", "the dense output"):
        second = quotient(symtape.grad(function), x, along)
        product = symtape.hessian(function)(x) @ along
        np.testing.assert_allclose(product, second, rtol=1e-2, atol=1e-3)


@pytest.mark.parametrize("method", ["RK23", "RK45", "DOP853", "Radau", "BDF", "LSODA"])
def test_a_decay_has_the_derivatives_of_the_exponential(method: str) -> None:
    def f(k: Any) -> Any:
        found = integrate.solve_ivp(
            lambda t, y: -k * y, (0.0, 1.0), [1.5], method=method, rtol=1e-6, atol=1e-8
        )
        return found.y[0, -1]

    assert symtape.grad(f)(0.7) == pytest.approx(-1.5 * np.exp(-0.7), rel=1e-4)
    assert symtape.hessian(f)(0.7) == pytest.approx(1.5 * np.exp(-0.7), rel=1e-3)


@pytest.mark.parametrize("method", ["RK45", "Radau", "BDF", "LSODA"])
def test_a_compiled_decay_is_that_of_each_rate(method: str) -> None:
    def decay(rate: Any) -> Any:
        found = integrate.solve_ivp(lambda t, y: -rate * y, (0, 1), [1.0], method=method, rtol=1e-8)
        return found.y[0, -1]

    compiled = symtape.jit(symtape.grad(decay))
    for rate in (0.5, 0.75, 0.5):
        assert compiled(rate) == pytest.approx(symtape.grad(decay)(rate), rel=1e-12)


@pytest.mark.parametrize("name", IMPLICIT)
def test_implicit_methods_have_derivatives_of_the_solution(name: str) -> None:
    function, c = IMPLICIT[name]
    # Of y' = -c y² the solution from 1 is 1 / (1 + c t).
    y, slope = 1 / (1 + 0.5 * c), -0.5 / (1 + 0.5 * c) ** 2
    value, gradient = symtape.value_and_grad(function)(c)
    assert value == pytest.approx(y, rel=1e-3)
    assert gradient == pytest.approx(slope, rel=1e-3)
    assert symtape.jvp(function, (c,), (1.0,))[1] == pytest.approx(gradient)
    assert symtape.hessian(function)(c) == pytest.approx(0.5 * y**3, rel=1e-3)


def test_steps_are_those_that_scipy_takes() -> None:
    def f(k: Any) -> Any:
        return integrate.solve_ivp(lambda t, y: -k * y, (0.0, 2.0), [1.5]).y

    value = symtape.record(f, 0.7).evaluate(0.7)[0]
    np.testing.assert_allclose(value, f(0.7), rtol=1e-14)


def test_the_rule_of_leibniz() -> None:
    def f(b: Any) -> Any:
        return integrate.quad(lambda s: np.exp(-s * s), 0, b)[0]

    def by_hand(b: Any) -> Any:
        return np.exp(-b * b)

    assert verify.gradient(f, claimed=by_hand, at=[0.75, 2.0]).verdict.value == "CORRECT"
    curved = verify.hessian(f, claimed=lambda b: -2 * b * np.exp(-b * b), at=[0.75])
    assert curved.verdict.value == "CORRECT"
    wrong = verify.gradient(f, claimed=lambda b: -by_hand(b), at=[0.75])
    assert wrong.verdict.value == "WRONG"


def test_a_parameter_of_a_gaussian() -> None:
    def f(c: Any) -> Any:
        return integrate.quad(lambda s: np.exp(-c * s * s), -np.inf, np.inf)[0]

    def by_hand(c: Any) -> Any:
        return -0.5 * np.sqrt(np.pi) * c**-1.5

    assert verify.gradient(f, claimed=by_hand, at=[0.75]).verdict.value == "CORRECT"
    assert symtape.hessian(f)(0.75) == pytest.approx(0.75 * np.sqrt(np.pi) * 0.75**-2.5, rel=1e-13)


def test_a_double_integral() -> None:
    def f(c: Any) -> Any:
        return integrate.dblquad(lambda y, x: c * x * y * y, 0, 2, 0, lambda x: c * x)[0]

    # The integral is c⁴ / 3 times that of x⁴, 32 / 5.
    assert symtape.grad(f)(0.5) == pytest.approx(4 * 0.5**3 * 32 / 15, rel=1e-12)


def test_single_precision() -> None:
    found = symtape.grad(lambda b: integrate.quad(np.exp, 0, b)[0])(np.float32(0.5))
    assert found.dtype == np.float32
    assert found == pytest.approx(np.exp(0.5), rel=1e-6)


REFUSED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "a jump that moves": (
        lambda c: integrate.quad(lambda s: np.where(s < c, 1.0, 2.0), 0, 1)[0],
        "kink or a jump",
    ),
    "a branch that moves": (
        lambda c: integrate.quad(lambda s: 1.0 if s < c else 2.0, 0, 1)[0],
        "kink or a jump",
    ),
    "a kink that moves": (lambda c: integrate.quad(lambda s: abs(s - c), 0, 1)[0], "kink"),
    "a break point that moves": (
        lambda c: integrate.quad(lambda s: s * c, 0, 1, points=[c])[0],
        "points",
    ),
    "a weight": (
        lambda c: integrate.quad(lambda s: s * c, 0, 1, weight="cos", wvar=3)[0],
        "weight",
    ),
    "events": (
        lambda c: integrate.solve_ivp(
            lambda t, y: -c * y, (0, 1), [1.0], events=lambda t, y: y[0] - 0.75
        ).y[0, -1],
        "events",
    ),
    "dense output of an implicit method": (
        lambda c: integrate.solve_ivp(
            lambda t, y: -c * y, (0, 1), [1.0], method="BDF", dense_output=True
        ).sol(0.5)[0],
        "dense_output",
    ),
}


@pytest.mark.filterwarnings("ignore::scipy.integrate.IntegrationWarning")
@pytest.mark.parametrize("name", REFUSED)
def test_refused_in_words(name: str) -> None:
    function, words = REFUSED[name]
    with pytest.raises(SymtapeError, match=words):
        symtape.grad(function)(0.5)
