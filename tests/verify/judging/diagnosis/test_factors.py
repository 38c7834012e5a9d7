"""A factor is named only if it explains a contribution at several points."""

from __future__ import annotations

import numpy as np
import pytest

import symtape
from verify.judging.diagnosis.factors import factor_between, spell_value
from verify.judging.diagnosis.mistakes import Observation, mistake

POINTS = [(0.5,), (1.25,), (-0.75,), (2.0,)]


def alike(a, b, scale):
    return np.allclose(a, b, rtol=1e-9, atol=0)


def wave(x):
    return np.sin(x) * np.exp(x)


LACKING = {
    "the whole": (lambda x: x * x * np.cos(x), lambda x: 2 * np.cos(x) - x * np.sin(x), "x"),
    "a term": (wave, lambda x: np.cos(x) * np.exp(x) + np.exp(x), "sin(x)"),
    "1 less it": (np.tanh, lambda x: 1 + np.tanh(x), "1 - tanh(x)"),
}


@pytest.mark.parametrize("name", LACKING)
def test_a_factor_that_is_lacking_is_named(name):
    function, claimed, factor = LACKING[name]
    exact = symtape.grad(function)
    seen = [Observation(x, [np.asarray(claimed(*x))], [np.asarray(exact(*x))]) for x in POINTS]
    graph = symtape.record(function, *POINTS[0])
    found = mistake(graph, "gradient", seen, {graph.inputs[0]: "x"})
    assert found is not None
    assert found.words.endswith(f"lacks the factor {factor}")


def test_one_that_is_there_twice_is_named():
    function = wave
    exact = symtape.grad(function)
    seen = [Observation(x, [exact(*x) * np.exp(x[0])], [np.asarray(exact(*x))]) for x in POINTS]
    graph = symtape.record(function, *POINTS[0])
    found = mistake(graph, "gradient", seen, {graph.inputs[0]: "x"})
    assert found is not None
    assert found.words == "the derivative is once too often multiplied by exp(x)"


def test_two_points_are_no_evidence():
    exact = symtape.grad(wave)
    graph = symtape.record(wave, 0.5)
    claimed = [[exact(*x) / x[0]] for x in POINTS]
    given = [[np.asarray(exact(*x))] for x in POINTS]
    names = {graph.inputs[0]: "x"}
    found = factor_between(graph, POINTS, claimed, given, alike, names)
    assert found == "lacks the factor x"
    assert factor_between(graph, POINTS[:2], claimed[:2], given[:2], alike, names) == ""


@pytest.mark.parametrize("seed", range(5))
def test_noise_has_no_factor(seed):
    rng = np.random.default_rng(seed)
    exact = symtape.grad(wave)
    graph = symtape.record(wave, 0.5)
    given = [[np.asarray(exact(*x))] for x in POINTS]
    noise = [[part * rng.normal() for part in parts] for parts in given]
    assert factor_between(graph, POINTS, noise, given, alike) == ""


def test_expressions_are_short_or_left_out():
    graph = symtape.record(lambda x, y: (x + y) * np.tanh(np.tanh(np.tanh(np.tanh(x)))), 0.5, 1.0)
    names = dict(zip(graph.inputs, ("x", "y"), strict=True))
    said = [spell_value(graph, at, names) for at in range(len(graph.nodes))]
    assert "x + y" in said
    assert "tanh(tanh(x))" in said
    assert said[graph.outputs[0]] == ""
