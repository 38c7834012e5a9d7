"""Values of the other side of a choice that rounding may turn are told from faults."""

from __future__ import annotations

import numpy as np
import pytest

import symtape
from verify.judging.kinks.sides import other_side

WEIGHTS = np.array([0.1, 0.2, -0.3])
NEAR = np.array([1.0, 1.0, 1.0])
"""Where the sum is 0 but for what the weights were rounded by."""

FAR = np.array([1.0, 1.0, 0.9])


def words(function, x, claimed):
    graph = symtape.record(function, x)
    return other_side(graph, symtape.differentiate(graph), (x,), [np.asarray(claimed)])


CHOICES = {
    "maximum": lambda x: np.maximum(x @ WEIGHTS, 0.0),
    "absolute": lambda x: np.abs(x @ WEIGHTS),
    "greater": lambda x: np.where(x @ WEIGHTS > 0, x @ WEIGHTS, 0.0),
    "max": lambda x: np.max(np.stack([x @ WEIGHTS, x[0] * 0])),
}


@pytest.mark.parametrize("name", CHOICES)
def test_both_sides_are_allowed_within_rounding_of_a_choice(name):
    other = -WEIGHTS if name == "absolute" else 0 * WEIGHTS
    for claimed in (WEIGHTS, other):
        assert f"the other side of {name}" in words(CHOICES[name], NEAR, claimed)


@pytest.mark.parametrize("name", CHOICES)
def test_nothing_is_allowed_farther_away(name):
    assert words(CHOICES[name], FAR, 0 * WEIGHTS) == ""


@pytest.mark.parametrize("name", CHOICES)
def test_values_of_no_side_are_not_allowed(name):
    assert words(CHOICES[name], NEAR, 3 * WEIGHTS) == ""
    assert words(CHOICES[name], NEAR, np.nan * WEIGHTS) == ""


def test_without_a_choice_there_is_no_other_side():
    assert words(lambda x: np.sin(x @ WEIGHTS), NEAR, 0 * WEIGHTS) == ""


def test_truth_values_are_no_choice_of_their_own():
    # As of models that ask whether any element is beyond a threshold.
    def over_all(x):
        return np.where((x > 0).max(), x @ WEIGHTS, 0.0)

    assert words(over_all, NEAR, 0 * WEIGHTS) == ""


def test_what_is_only_compared_is_no_choice():
    # As of loops that end by a test of convergence.
    def as_long_as(x):
        return x[0] ** 2 if np.abs(x @ WEIGHTS) < 1e-3 else x[1]

    def where(x):
        return np.where(np.max(np.abs(x * (x @ WEIGHTS))) < 1e-3, x[0] ** 2, x[1])

    for function in (as_long_as, where):
        assert words(function, NEAR, np.array([2.0, 0.0, 0.0])) == ""
