"""Difference quotients confirm what is so, contradict what is not, and say what they cannot."""

import operator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

import symtape
import verify
from verify.model.quantity import Quantity
from verify.oracles.recheck import OpinionStatus, opinion_on_entry, opinion_on_slope

A = np.array([0.7, -1.3, 0.0])


def energy(x: Any) -> Any:
    return np.sum(np.sin(x) * x[0] ** 2) + np.exp(x[1])


CASES = [
    (Quantity("gradient"), energy, (A,), 0, (1,), np.cos(A[1]) * 0.49 + np.exp(A[1])),
    (Quantity("gradient"), energy, (A,), 0, (2,), 0.49),
    (Quantity("jacobian"), lambda x: x * x[0], (A,), 0, (1, 0), A[1]),
    (Quantity("hessian"), energy, (A,), 0, (1, 1), -np.sin(A[1]) * 0.49 + np.exp(A[1])),
    (Quantity("hessian"), energy, (A,), 0, (0, 1), 2 * A[0] * np.cos(A[1])),
    (Quantity("vjp", directions=1), lambda x, g: x**3, (A, 2 * A), 0, (0,), 6 * A[0] ** 3),
    (Quantity("jvp", directions=1), lambda x, t: x**3, (A, 2 * A), 0, (1,), 6 * A[1] ** 3),
    (Quantity("hvp", directions=1), lambda x, v: np.sum(x**3), (A, A), 0, (1,), 6 * A[1] ** 2),
    (Quantity("gradient", (1,)), lambda x, y: x * y**2, (3.0, 2.0), 0, (), 12.0),
    (Quantity("gradient"), lambda x: x * symtape.stop_gradient(x**2), (1.5,), 0, (), 2.25),
    (Quantity("gradient"), lambda x: x * symtape.stop_gradient(x**2), (1.5,), 0, (), 6.75),
    (Quantity("gradient"), lambda x: np.sum(x * np.count_nonzero(x) / 3), (A,), 0, (0,), 2 / 3),
    (Quantity("gradient"), lambda x: np.sum(x * np.round(x, 1)), (A + 0.04,), 0, (0,), 0.7),
    (Quantity("gradient"), lambda x: np.cosh(x), (1e-300,), 0, (), 1e-300),
    (Quantity("hessian"), np.tanh, (1e-300,), 0, (), -2e-300),
    (Quantity("gradient"), lambda x: np.sum(x**2), (np.array([1e-120, 1e120]),), 0, (0,), 2e-120),
    (Quantity("gradient"), lambda x: np.log1p(np.exp(x)), (-400.0,), 0, (), np.exp(-400.0)),
]


@pytest.mark.parametrize(("quantity", "function", "x", "argument", "index", "value"), CASES)
def test_the_derivative_is_confirmed_and_another_contradicted(
    quantity: Quantity, function: Any, x: Any, argument: int, index: Any, value: float
) -> None:
    graph = symtape.record(function, *x)
    near = sorted((value * (1 - 1e-12), value * (1 + 1e-12)))
    bounds = repr(float(near[0])), repr(float(near[1]))
    far = repr(float(near[0]) * 2), repr(float(near[1]) * 2)
    claimed = 3.0 * value

    def status(bounds: tuple[str, str], claimed: float, *, fails: bool) -> OpinionStatus:
        return opinion_on_entry(
            graph, quantity, x, argument, index, claimed, bounds, fails=fails
        ).status

    assert status(bounds, claimed, fails=True) is OpinionStatus.CONFIRMED
    assert status(bounds, value, fails=False) is OpinionStatus.CONFIRMED
    assert status(tuple(sorted(far, key=float)), claimed, fails=True) is OpinionStatus.CONTRADICTED  # type: ignore[arg-type]


@pytest.mark.long
@pytest.mark.parametrize("by", [special.k0, special.k1, special.y0, special.erfinv])
def test_functions_that_are_slow_at_many_digits_are_told_with_fewer(by: Any) -> None:
    x = 0.4
    graph = symtape.record(lambda x: by(x) * x, x)
    slope = float(symtape.grad(lambda x: by(x) * x)(x))
    near = sorted((slope * (1 - 1e-12), slope * (1 + 1e-12)))
    bounds = repr(near[0]), repr(near[1])
    found = opinion_on_entry(
        graph, Quantity("gradient"), [x], 0, (), 1.001 * slope, bounds, fails=True
    )
    assert found.status is OpinionStatus.CONFIRMED
    assert found.words.endswith("in 150 digits")


@given(st.floats(-20, 20))
def test_a_right_value_said_to_be_wrong_is_contradicted(x: float) -> None:
    found = verify.gradient(np.arctan, at=[x]).points[0].worst
    assert found is not None
    nearest = (float(found.lower) + float(found.upper)) / 2
    graph = symtape.record(np.arctan, x)
    bounds = found.lower, found.upper
    opinion = opinion_on_entry(
        graph, Quantity("gradient"), (x,), 0, (), nearest, bounds, fails=True
    )
    assert opinion.status is OpinionStatus.CONTRADICTED


def test_slopes_of_a_kink() -> None:
    graph = symtape.record(np.abs, 0.0)
    gradient = Quantity("gradient")

    def status(claimed: float, sides: tuple[float, float], graph: Any = graph) -> OpinionStatus:
        return opinion_on_slope(graph, gradient, (0.0,), 0, (), claimed, sides).status

    assert status(3.0, (-1.0, 1.0)) is OpinionStatus.CONFIRMED
    assert status(3.0, (-1.0, 2.0)) is OpinionStatus.CONTRADICTED
    square = symtape.record(lambda x: np.abs(x) ** 2, 0.0)
    assert status(0.0, (0.0, 0.0), square) is OpinionStatus.CONTRADICTED


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x * 2 if x > 1.0 else x,
        lambda x: np.sqrt(x - 1.0),
        lambda x: np.sum(np.ones(30_000) * x),
    ],
    ids=["another branch beside it", "the edge of the domain", "too large"],
)
def test_what_cannot_be_told_is_not_told(function: Any) -> None:
    graph = symtape.record(function, 1.0)
    opinion = opinion_on_entry(
        graph, Quantity("gradient"), (1.0,), 0, (), 5.0, ("1", "1"), fails=True
    )
    assert opinion.status is OpinionStatus.SILENT
    assert opinion.words


@pytest.mark.parametrize(
    ("function", "point"),
    [
        (lambda x: np.remainder(x, 1.0), 1.0),
        (lambda x: np.fmod(x, 0.5), 1.5),
        (lambda x: np.floor(x) + x, 2.0),
        (lambda x: np.cbrt(x) + x, 0.0),
    ],
    ids=["remainder", "fmod", "floor", "cbrt"],
)
def test_quotients_that_do_not_settle_confirm_nothing(function, point):
    graph = symtape.record(function, point)
    for fails, status in ((False, OpinionStatus.CONTRADICTED), (True, OpinionStatus.SILENT)):
        found = opinion_on_entry(
            graph, Quantity("gradient"), [point], 0, (), 1.0, ("1", "1"), fails=fails
        )
        assert found.status is status, str(found)


def test_an_error_inside_the_recheck_is_told_and_changes_no_verdict(monkeypatch):
    monkeypatch.setattr("verify.oracles.recheck.opinion.opinion_on_entry", operator.truediv)
    result = verify.gradient(lambda x: x * x, at=[1.5])
    assert result.verdict is verify.Verdict.CORRECT
    told = result.points[0].recheck
    assert told.startswith("not rechecked: an error inside symtape (TypeError in ")
    assert "truediv" in told
