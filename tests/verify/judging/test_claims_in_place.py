"""In place or out of place is the same claim: verdicts do not depend on how arrays are filled."""

from __future__ import annotations

import numpy as np
import pytest

import verify
from verify import Verdict


def coupled(x):
    return np.sum(x * x) + np.sum(x[1:] * x[:-1])


def coupled_in_place(x, sign=1.0):
    g = 2 * x
    g[:-1] += x[1:]
    g[1:] += sign * x[:-1]
    return g


def coupled_out_of_place(x, sign=1.0):
    right = np.concatenate([x[1:], [0.0]])
    return 2 * x + right + sign * np.concatenate([[0.0], x[:-1]])


def entropy(x):
    return np.log(np.sum(np.exp(x))) - x[0]


def entropy_in_place(x, sign=1.0):
    p = np.exp(x) / np.sum(np.exp(x))
    p[0] -= sign
    return p


def entropy_out_of_place(x, sign=1.0):
    return np.exp(x) / np.sum(np.exp(x)) - sign * np.eye(len(x))[0]


def chain(x):
    return np.sum(np.sin(x[0] * x)) + x[1] ** 3


def chain_in_place(x, sign=1.0):
    g = np.zeros_like(x)
    c = np.cos(x[0] * x)
    np.multiply(c, x[0], out=g)
    np.add.at(g, np.zeros(len(x), dtype=int), c * x)
    view = g[1:][:1]
    view += sign * 3 * x[1] ** 2
    return g


def chain_out_of_place(x, sign=1.0):
    c = np.cos(x[0] * x)
    e = np.eye(len(x))
    return c * x[0] + np.sum(c * x) * e[0] + sign * 3 * x[1] ** 2 * e[1]


def clipped(x):
    return np.sum(np.where(x > 1, x**2, np.exp(x)))


def clipped_in_place(x, sign=1.0):
    g = np.exp(x)
    over = x > 1
    g[over] = sign * 2 * x[over]
    return g


def clipped_out_of_place(x, sign=1.0):
    return np.where(x > 1, sign * 2 * x, np.exp(x))


CASES = [
    (coupled, coupled_in_place, coupled_out_of_place),
    (entropy, entropy_in_place, entropy_out_of_place),
    (chain, chain_in_place, chain_out_of_place),
    (clipped, clipped_in_place, clipped_out_of_place),
]


@pytest.mark.parametrize(("function", "inside", "outside"), CASES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("where", [(0.5, 2.0, -0.75), (3.0, 1.5, -3.0), (1e-3, 40.0, 0.2)])
def test_the_verdict_is_the_same_in_place_and_out_of_place(function, inside, outside, where):
    point = np.array(where)
    for sign in (1.0, -1.0):
        ours, theirs = (
            verify.gradient(function, lambda x, rule=rule, sign=sign: rule(x, sign), at=[point])
            for rule in (inside, outside)
        )
        assert ours.verdict is theirs.verdict is (Verdict.CORRECT if sign > 0 else Verdict.WRONG), (
            ours,
            theirs,
        )
        if sign > 0:
            # Followed, and not judged by the values alone.
            assert "the rule: exact" in ours.points[0].power


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize(("function", "inside", "outside"), CASES, ids=lambda f: f.__name__)
def test_a_search_finds_nothing_in_what_is_right(function, inside, outside):
    for rule in (inside, outside):
        found = verify.gradient(function, rule, over=verify.box(-3, 3, shape=(3,)), effort=0.2)
        assert found.verdict in (Verdict.CORRECT, Verdict.KINK), found


def test_a_function_is_followed_through_its_writes_as_well():
    def energy(x):
        y = x * 2
        y[1:] -= x[:-1]
        y[0] = 1.0
        return np.sum(y**2)

    found = verify.gradient(energy, at=[np.array([0.5, 2.0, -0.75])])
    assert found.verdict is Verdict.CORRECT
    right = verify.gradient(energy, lambda x: np.zeros(3), at=[np.array([0.5, 2.0, -0.75])])
    assert right.verdict is Verdict.WRONG
