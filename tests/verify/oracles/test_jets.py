"""The third oracle: conflicts are loud, and jets stand in where there is no closed form."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symtape
import verify
from symtape.primitives.primitive import Primitive
from verify.limits.limit import DEFAULT_BUDGET
from verify.model.verdict import ConfirmationStatus, Verdict
from verify.oracles.closed_form import ClosedForms
from verify.oracles.jets import agree
from verify.oracles.without_closed_form import truth_by_jets


def sine(**readings):
    row = {
        "name": "crooked_sine",
        "inputs": "x",
        "evaluate": np.sin,
        "vjp": [lambda g, x: g * np.cos(x)],
        "elementwise": True,
        "symbolic": lambda sp, x: sp.sin(x),
        "ball": lambda ball, x: ball.sin(x),
        "rounding": (1, 2),
    }
    return Primitive(**{**row, **readings})


CROOKED = {
    "the template": {"symbolic": lambda sp, x: sp.sin(x) * (1 + sp.Rational(1, 10**40))},
    "the sign of the template": {"symbolic": lambda sp, x: -sp.sin(x)},
    "the balls": {"ball": lambda ball, x: ball.sin(x) + x * x},
}


@pytest.mark.slow
@pytest.mark.parametrize("quantity", ["gradient", "jacobian", "hessian"])
@pytest.mark.parametrize("name", CROOKED)
def test_a_wrong_reading_is_a_conflict_and_no_verdict_on_the_claim(name, quantity):
    row = sine(**CROOKED[name])

    def function(x):
        return np.sum(np.exp(x)) + np.sum(row(x[1:]) * x[0])

    def claimed(x):
        return symtape.__dict__[{"gradient": "grad"}.get(quantity, quantity)](function)(x)

    for claim in (None, claimed):
        result = getattr(verify, quantity)(function, at=[[0.5, 1.25, -0.75]], claimed=claim)
        assert result.verdict is Verdict.UNDECIDED
        words = result.witness.message
        assert words.startswith("oracle conflict: ")
        assert "closed form says [" in words
        assert "Taylor series say [" in words
        assert "crooked_sine at " in words
        assert "test_jets.py" in words


def test_an_honest_row_has_no_conflict():
    row = sine()
    result = verify.gradient(lambda x: np.sum(row(x) * x), at=[[0.5, 1.25, -0.75]])
    assert result.verdict is Verdict.CORRECT


def test_many_coordinates_are_checked_along_directions():
    row = sine(symbolic=lambda sp, x: sp.sin(x) + x**2 / 1000)
    for size in (7, 30, 200):
        point = np.linspace(-1, 1, size)
        result = verify.gradient(lambda x: np.sum(row(x[-1]) + np.sum(x)), at=[point])
        assert result.verdict is Verdict.UNDECIDED
        assert "oracle conflict" in result.witness.message


STEPS = [
    np.tanh,
    lambda x: x * x[::-1],
    lambda x: np.where(x > 0.26, np.exp(x), x),
    lambda x: np.outer(x, x) @ x,
    lambda x: np.sqrt(np.abs(x) + 1),
    lambda x: x / (1 + np.sum(x * x)),
    lambda x: np.cumprod(1 + x),
]


@settings(max_examples=25, deadline=None, derandomize=True)
@given(
    st.lists(st.sampled_from(STEPS), min_size=1, max_size=3),
    st.integers(1, 9),
    st.sampled_from(["gradient", "hessian"]),
)
def test_closed_forms_of_compositions_are_confirmed(steps, size, quantity):
    def function(x):
        for step in steps:
            x = step(x)
        return np.sum(x)

    point = [np.linspace(-1.3, 1.7, size) + 1 / 1024]
    graph = symtape.record(function, *point)
    truth = ClosedForms(quantity).evaluate(graph, point, DEFAULT_BUDGET)
    assert agree(graph, point, truth, quantity).status is not ConfirmationStatus.CONFLICT


SYMMETRIC = np.array([[2.0, 0.5, 0.25], [0.5, 1.0, -0.75], [0.25, -0.75, 3.0]])
TALL = np.array([[2.0, 0.5, 0.25], [0.5, 1.0, -0.75], [0.25, -0.75, 3.0], [1.0, 0.0, -1.0]])

BEYOND = {
    "eigvalsh": (lambda a: np.sum(np.linalg.eigvalsh(a) ** 2 * np.arange(3.0)), SYMMETRIC),
    "eigh": (lambda a: np.sum(np.linalg.eigh(a)[1] * SYMMETRIC), SYMMETRIC),
    "nuclear": (lambda a: np.linalg.norm(a, "nuc"), TALL),
}


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("name", BEYOND)
def test_jets_are_the_truth_where_there_is_no_closed_form(name):
    function, point = BEYOND[name]
    right = verify.gradient(function, at=[point])
    assert right.verdict is Verdict.CORRECT
    assert right.witness.bits > 200
    off = verify.gradient(
        function, at=[point], claimed=lambda a: symtape.grad(function)(a) * (1 + 1e-6)
    )
    assert off.verdict.fails
    flipped = verify.gradient(function, at=[point], claimed=lambda a: -symtape.grad(function)(a))
    assert flipped.verdict is Verdict.WRONG


def test_without_a_closed_form_a_kink_is_not_taken_for_a_derivative():
    for function, point in (
        (lambda a: np.sum(np.linalg.eigvalsh(a)) + np.abs(a[0, 1]), np.diag([1.0, 2.0, 3.0])),
        (lambda a: np.linalg.eigvalsh(a)[0], np.eye(3)),
        (
            lambda a: np.linalg.eigvalsh(a)[0] * (2 if a[0, 1] > 0 else 1),
            np.diag([1.0, 2.0, 3.0]),
        ),
    ):
        result = verify.gradient(function, at=[point])
        assert result.verdict in (Verdict.UNDECIDED, Verdict.KINK)


def test_removable_points_are_known_to_jets():
    graph = symtape.record(np.sinc, 0.0)
    found = truth_by_jets(graph, [0.0], graph.values(0.0), "hessian")
    assert found is not None
    assert abs(float(found.parts[0][()].mid()) + np.pi**2 / 3) < 1e-14


def test_values_at_exceptional_points_are_no_reason_for_a_verdict_on_a_claim():
    def patched(x):
        return np.where(x == 0, 0.0, x)

    for claimed in (lambda x: np.ones_like(x), lambda x: np.zeros_like(x)):
        result = verify.gradient(patched, at=[0.0], claimed=claimed)
        right = float(claimed(0.0)) == 1.0
        assert result.verdict is not (Verdict.WRONG if right else Verdict.CORRECT)


def test_too_many_expansions_are_not_begun():
    point = [np.ones(600)]
    graph = symtape.record(np.sum, *point)
    assert truth_by_jets(graph, point, graph.values(*point), "gradient") is None
