"""A claim that cannot be looked into is still traced to the operation it mistreats."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symtape
import verify
from verify.judging.diagnosis.mistakes import Observation, mistake

V = np.array([0.5, 1.0, 2.0])
TRANSFORMS = {
    "gradient": symtape.grad,
    "jacobian": symtape.jacobian,
    "hessian": symtape.hessian,
}


def parts(returned):
    return [np.asarray(part) for part in (returned if isinstance(returned, tuple) else [returned])]


def seen(function, claimed, points, quantity="gradient"):
    exact = TRANSFORMS[quantity](function, argnums=tuple(range(len(points[0]))))
    return [Observation(x, parts(claimed(*x)), parts(exact(*x))) for x in points]


def found(function, claimed, points, quantity="gradient"):
    observations = seen(function, claimed, points, quantity)
    return mistake(symtape.record(function, *points[0]), quantity, observations)


SCALARS = [(0.5,), (2.0,)]
VECTORS = [(V,), (V**2 + 0.1,)]

MISTAKES = [
    (
        lambda x: x * np.sin(x),
        lambda x: np.sin(x),
        SCALARS,
        ("sin", "the term through sin is missing"),
    ),
    (
        lambda x: x * np.sin(x),
        lambda x: np.sin(x) - x * np.cos(x),
        SCALARS,
        ("sin", "the term through sin has the wrong sign"),
    ),
    (
        lambda x: np.exp(np.sin(x * x)),
        lambda x: np.exp(np.sin(x * x)) * 2 * x,
        SCALARS,
        ("sin", "the factor that sin contributes by the chain rule is missing"),
    ),
    (
        lambda x, b: np.sum((x * b) ** 2),
        lambda x, b: (2 * x * b * b, 2 * x[:1] ** 2 * b),
        [(V, np.array([0.7])), (V + 0.3, np.array([0.9]))],
        ("multiply", "the second argument of multiply is broadcast from shape"),
    ),
    (
        lambda x: np.sum(np.where(x > 1, x * x, 3 * x)),
        lambda x: np.where(x > 1, 3.0, 2 * x),
        [(V,), (V * 1.01,)],
        ("where", "the derivative of the other branch of where is taken"),
    ),
    (
        lambda x: np.sum(x**2) / np.sum(x),
        lambda x: 2 * x / np.sum(x) - 2 * np.sum(x**2) / np.sum(x) ** 2,
        VECTORS,
        ("sum", "the term through sum is 2 times too large"),
    ),
]


@pytest.mark.parametrize(("function", "claimed", "points", "expected"), MISTAKES)
def test_the_mistake_is_named_with_its_line(function, claimed, points, expected):
    blame = found(function, claimed, points)
    assert blame is not None
    assert (blame.op, blame.words[: len(expected[1])]) == expected
    assert "test_mistakes.py:" in blame.origin


def test_nothing_is_made_up():
    rng = np.random.default_rng(0)
    noise = {x[0].tobytes(): rng.normal(size=3) for x in VECTORS}
    assert found(lambda x: np.sum(x**3), lambda x: noise[x.tobytes()], VECTORS) is None


def test_a_right_claim_has_no_mistake():
    assert found(lambda x: x * np.sin(x), lambda x: np.sin(x) + x * np.cos(x), SCALARS) is None


def test_a_mistake_in_a_hessian_is_named():
    blame = found(
        lambda x: np.sum(x**2) * np.exp(x[0]),
        lambda x: 2 * np.exp(x[0]) * np.eye(3),
        VECTORS,
        "hessian",
    )
    assert blame is not None
    assert (blame.op, blame.words) == ("exp", "the term through exp is missing")


@settings(deadline=None, derandomize=True, max_examples=30)
@given(st.sampled_from([-2.0, -1.0, 0.0, 0.5, 3.0]), st.integers(0, 2))
def test_any_multiple_of_a_term_is_recognised(factor, which):
    terms = [lambda x: x * 0.3, np.cos, lambda x: 1 / x]
    slopes = [lambda x: 0.3, lambda x: -np.sin(x), lambda x: -1 / x**2]
    weights = [factor if k == which else 1.0 for k in range(3)]
    blame = found(
        lambda x: sum(term(x) for term in terms),
        lambda x: sum(w * slope(x) for w, slope in zip(weights, slopes, strict=True)),
        SCALARS,
    )
    assert blame is not None
    assert blame.words.startswith("the term through ")
    assert blame.op == ["multiply", "cos", "true_divide"][which] or blame.op == "divide"


def test_the_search_ends_when_its_work_is_done(monkeypatch):
    def cubes(x):
        return np.sum(x**3 * np.cos(x))

    points = [(np.linspace(0.5, 1.0, 100),), (np.linspace(1.0, 2.0, 100),)]
    blame = found(cubes, lambda x: 3 * x**2 * np.cos(x), points)
    assert blame.words == "the term through cos is missing"
    monkeypatch.setattr("verify.judging.diagnosis.mistakes._MOST_WORK", 12)
    assert found(cubes, lambda x: 3 * x**2 * np.cos(x), points) is None


@pytest.mark.parametrize("off", [1e-11, 1e-9, 1e-7])
@pytest.mark.parametrize("noise", [np.sin, np.exp, np.ones_like])
def test_no_mistake_is_named_where_a_claim_is_off_by_so_little_that_any_fits(off, noise):
    def claim(x):
        right = np.cos(np.sqrt(x)) / (2 * np.sqrt(x)) + 2 * x
        return right + off * noise(x)

    result = verify.gradient(lambda x: np.sin(np.sqrt(x)) + x**2, claim, at=[0.7])
    assert result.verdict is verify.Verdict.WRONG
    assert "the term through" not in result.witness.message
    assert "one of these lines" not in result.witness.message
    assert result.witness.origin is None


@pytest.mark.parametrize(
    ("function", "claim", "never"),
    [
        (
            lambda x: np.log(np.sum(np.exp(x))),
            lambda x: (np.exp(x) / np.sum(np.exp(x))) ** 2,
            "times too small",
        ),
        (lambda x: np.sum(np.maximum(x, 0)), lambda x: (x < 0) * 1.0, "all of it is zero"),
    ],
)
def test_a_tie_of_entries_makes_no_mistake_up(function, claim, never):
    result = verify.gradient(function, claim, at=[np.zeros(3), np.ones(3)])
    assert result.verdict is verify.Verdict.WRONG
    assert never not in result.witness.message
