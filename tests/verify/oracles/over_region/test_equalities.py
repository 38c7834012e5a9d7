"""Statements are proved equal one by one, and nothing that differs is."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symtape
from symtape.process.work import meter_work
from verify.model.quantity import Quantity
from verify.oracles.over_region.bounds import Bounds
from verify.oracles.over_region.equalities import are_equal, may_agree, values_at_points
from verify.oracles.over_region.path import Path

A = np.array([[0.5, -0.25], [0.75, 0.5]])
BOUNDS = [(0.25, 1.0), (0.5, 2.0)]
STEPS = 4


def network(x):
    for _ in range(STEPS):
        x = np.tanh(A @ x)
    return np.sum(x)


def network_slopes(x, leak=0.0, at=STEPS):
    states = [x]
    for _ in range(STEPS):
        states.append(np.tanh(A @ states[-1]))
    slopes = np.ones(2)
    for step in range(STEPS, 0, -1):
        slopes = A.T @ (slopes * (1 - states[step] ** 2 + leak * (step == at)))
    return slopes


def recurrence(x):
    h, total = 0.5, 0.0
    for k in range(3):
        h = x[0] + x[1] * h * h / 8
        total = total + np.log(h) + k / h
    return total


def recurrence_slopes(x, leak=0.0, at=1):
    h, by, slopes = 0.5, np.zeros(2), np.zeros(2)
    for k in range(3):
        by = np.stack([1.0 + 0 * h, h * h / 8]) + x[1] * h * by / 4
        h = x[0] + x[1] * h * h / 8
        slopes = slopes + by * (1 / h - k / h**2) + leak * (k == at)
    return slopes


def normalised(x):
    z = x - np.mean(x)
    return np.sum(np.sin(z / np.sqrt(np.mean(z**2) + 0.25)))


def normalised_slopes(x, leak=0.0, at=0):
    z = x - np.mean(x)
    r = 1 / np.sqrt(np.mean(z * z) + 0.25)
    g = np.cos(z * r)
    return r * (g - np.mean(g) * (1 + leak) - z * r * np.mean(g * z * r))


PROGRAMS = {
    "network": (network, network_slopes),
    "recurrence": (recurrence, recurrence_slopes),
    "normalised": (normalised, normalised_slopes),
}


def compared(function, claim):
    point = np.array([0.4, 1.1])
    programs = symtape.record(function, point), symtape.record(claim, point)
    path = Path(*programs, [point], Quantity("gradient"))
    values = values_at_points(path.plan, BOUNDS)
    order = path.program.list_needed(at for pair in path.pairs for at in pair)
    with meter_work(400_000):
        return are_equal(Bounds(path.program, BOUNDS), order, values, path.pairs)


@pytest.mark.parametrize("name", PROGRAMS)
def test_deep_programs_are_equal_by_what_they_share(name):
    assert compared(*PROGRAMS[name])


leaks = st.integers(2, 40).map(lambda k: 2.0**-k)


@settings(max_examples=12, deadline=None)
@given(st.sampled_from(list(PROGRAMS)), leaks, st.integers(1, 2), st.sampled_from([-1, 1]))
def test_what_differs_in_one_step_is_not_equal(name, leak, at, sign):
    function, slopes = PROGRAMS[name]
    assert not compared(function, lambda x: slopes(x, sign * leak, at))


def test_numbers_that_are_shared_have_the_signs_of_their_intervals():
    def root(x):
        return 0.5 * (x[0] + 1 / 8) ** 2 + 0.5 * x[1] ** 2

    def claim(x):
        return np.sqrt(np.stack([x[0] + 1 / 8, x[1]]) ** 2)

    assert compared(root, claim)
    assert not compared(lambda x: root(x - 1 / 2), lambda x: claim(x - 1 / 2))


def test_points_say_only_what_may_not_agree():
    program_values = values_at_points(path_of(np.sin, np.cos).plan, [(-1.0, 1.0)])
    assert may_agree(program_values, path_of(np.sin, np.cos).pairs)
    wrong = path_of(np.sin, lambda x: np.cos(x) + 1e-30)
    assert not may_agree(values_at_points(wrong.plan, [(-1.0, 1.0)]), wrong.pairs)


def path_of(function, claim):
    point = np.array(0.3)
    programs = symtape.record(function, point), symtape.record(claim, point)
    return Path(*programs, [point], Quantity("gradient"))
