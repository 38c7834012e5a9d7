"""By how much a function may differ from its recording, and still be what a program stands for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symtape
from symtape.programs.specialised import recording

_SIZE = 12


def solve_system(conditioning: float) -> tuple[Any, Any]:
    """A function that solves a symmetric system of that condition, and its argument."""
    random = np.random.default_rng(3)
    vectors = np.linalg.qr(random.normal(size=(_SIZE, _SIZE)))[0]
    matrix = vectors @ np.diag(np.geomspace(1.0, conditioning, _SIZE)) @ vectors.T
    return lambda x: np.linalg.solve(matrix * x, np.cos(x)), np.linspace(0.5, 1.0, _SIZE)


def is_taken(function: Any, x: Any, off: float) -> bool:
    """Whether answers that are off relatively by `off` are those of a recording, without balls."""
    graph = symtape.record(function, x)
    replayed = [*graph.evaluate(x)]
    answers = [replayed[0] * (1.0 + off)]
    return recording._are_explained(graph, (x,), answers, replayed)


@given(st.floats(1.0, 1e10))
@settings(derandomize=True, max_examples=60, deadline=None)
def test_answers_may_be_off_by_what_last_digits_of_the_inputs_make(conditioning: float) -> None:
    function, x = solve_system(conditioning)
    assert is_taken(function, x, 0.0)
    moved = np.abs(function(x * (1.0 + 2.0**-52)) - function(x)).max() / np.abs(function(x)).max()
    assert is_taken(function, x, min(moved, 1e-9))
    assert not is_taken(function, x, 1e-12 * conditioning)
    assert not is_taken(function, x, 1e-7)


@pytest.mark.parametrize("conditioning", [1e3, 1e6, 1e9])
def test_an_ill_conditioned_system_needs_no_balls(
    conditioning: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*given: Any) -> bool:
        raise AssertionError("balls were asked")

    monkeypatch.setattr("symtape.rigorous.floats.may_return", refuse)
    function, x = solve_system(conditioning)
    compiled = symtape.jit(symtape.jacobian(function))
    np.testing.assert_allclose(compiled(x), symtape.jacobian(function)(x), rtol=1e-5)


def test_what_is_not_finite_is_explained_by_nothing() -> None:
    graph = symtape.record(np.negative, np.inf)
    assert not recording._are_explained(graph, (np.inf,), [np.float64(1.0)], [np.float64(-np.inf)])
