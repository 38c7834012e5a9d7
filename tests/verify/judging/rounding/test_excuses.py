"""What rounding excuses near zeros, ties and long computations: honest values, and no lies."""

from __future__ import annotations

import numpy as np
import pytest

import symtape
import verify
from verify import Verdict

WEIGHTS = np.array([0.1, 0.2, -0.3])
SINGLE = WEIGHTS.astype(np.float32)
CUBE = np.array(
    [
        [[2.25, -4.5, -3.0], [-7.5, 1.25, 5.75]],
        [[4.25, -0.5, -5.0], [-4.75, -6.5, -3.75]],
    ]
)


def chain(x):
    y = x
    for _ in range(25):
        y = np.sin(y) * x.dtype.type(1.25) + x * x.dtype.type(0.125)
    return np.sum(y * y)


def nearly_equal(x):
    return np.var(np.linalg.norm(x) / (1.5 + np.tanh(np.polyval([1.5, -1.0, 2.0], x))))


AT = {
    "an entry of 0 under var": (
        lambda x: np.var(x[0] - x[1:]),
        np.array([1.5897378, -1.0, -2.0, -2.5]),
    ),
    "an entry of 0 under std": (
        lambda x: np.std(x[0] - x[1:], ddof=1),
        np.array([1.0, 0.25, 1.0, -1.75]),
    ),
    "numbers that are nearly equal": (nearly_equal, CUBE),
    "a long chain of few digits": (chain, np.array([0.5, 1.25, -0.75], dtype=np.float32)),
    "sums in another order": (
        lambda x: np.sum(np.tanh(x) ** 2) ** 3,
        np.linspace(-2, 2, 100, dtype=np.float32),
    ),
    "cancellation": (lambda x: (x[0] + x[1]) ** 3 - x[0] ** 3, np.array([1e4, 1e-3])),
    "beside a kink": (
        lambda x: np.maximum(x @ WEIGHTS, 0.0) + np.sum(x**2),
        np.array([1.0, 1.0, 1.0]),
    ),
    "beside a kink of few digits": (
        lambda x: np.maximum(x @ SINGLE, np.float32(0)) + np.sum(x**2),
        np.array([1.0, 1.0, 1.0], dtype=np.float32),
    ),
    "a tie of pieces that agree": (
        lambda x: np.max(np.stack([np.sin(x[0]) ** 2 + np.cos(x[0]) ** 2 + x[1], 1 + x[1]])),
        np.array([0.3, 0.7]),
    ),
}


def small(x):
    return x.dtype.type(1e-3 if x.dtype == np.float32 else 1e-6)


LIES = {
    "twice": lambda g, x: 2 * g,
    "of the other sign": lambda g, x: -g,
    "a little too large": lambda g, x: g * (1 + small(x)),
    "a little beside zero": lambda g, x: g + small(x) * np.max(np.abs(g)),
}


def through_numbers(claim):
    """The claim as code that cannot be followed: its values are all that there is."""

    def unread(x):
        again = np.array([float(v) for v in np.ravel(x)], dtype=x.dtype).reshape(np.shape(x))
        return claim(again)

    return unread


@pytest.mark.parametrize("unread", [False, True], ids=["followed", "unread"])
@pytest.mark.parametrize("name", AT)
def test_honest_values_are_excused(name, unread):
    function, x = AT[name]
    claim = symtape.grad(function)
    claimed = through_numbers(claim) if unread else claim
    assert verify.gradient(function, claimed=claimed, at=[x]).verdict is Verdict.CORRECT
    assert verify.gradient(function, at=[x]).verdict is Verdict.CORRECT


@pytest.mark.slow
@pytest.mark.parametrize("unread", [False, True], ids=["followed", "unread"])
@pytest.mark.parametrize("lie", LIES)
@pytest.mark.parametrize("name", AT)
def test_lies_are_not_excused(name, lie, unread):
    function, x = AT[name]
    right = symtape.grad(function)

    def claim(x):
        return LIES[lie](right(x), x)

    claimed = through_numbers(claim) if unread else claim
    found = verify.gradient(function, claimed=claimed, at=[x])
    assert found.verdict.fails, str(found)


@pytest.mark.parametrize("quantity", ["gradient", "hessian"])
def test_zeros_beside_larger_entries_are_excused_by_their_measure(quantity):
    def spread(x, y):
        return np.std(y - x, ddof=1)

    point = (np.array([0.25, 1.0, -1.75]), 1.0)
    assert verify.derivative(quantity, spread, at=[point]).verdict is Verdict.CORRECT

    def lossy(x, y):
        lost = (1e8 * y + 1 / 3) - 1e8 * y - 1 / 3
        by_x, by_y = symtape.grad(spread, argnums=(0, 1))(x, y)
        return by_x, by_y + lost

    found = verify.gradient(spread, claimed=lossy, at=[point])
    assert found.verdict.fails


def test_an_error_just_beyond_its_bound_is_not_rounded_away():
    from symtape.process.budget import Budget
    from verify.judging.rounding.comparison import compare
    from verify.oracles.closed_form import truth

    graph = symtape.record(lambda x: x * x, 0.5)
    exact = truth(graph, [0.5], "gradient", Budget(seconds=10))
    bound = [np.array(2.0**-20)]
    for off, beyond in ((2.0**-20, False), (2.0**-20 * (1 + 2.0**-30), True)):
        assert compare([np.array(1 + off)], exact, bound).beyond is beyond
        assert compare([np.array(1 - off)], exact, bound).beyond is beyond


def test_a_derivative_that_is_0_throughout_is_measured_by_the_tape():
    def lossy(x):
        return (1e8 * x + 1 / 3) - 1e8 * x - 1 / 3

    shifts = np.array([-1.0, -2.0, -2.5])
    for function in (
        lambda x: np.var(x - shifts),
        lambda x: np.sum(np.sort(x - shifts) - (x - shifts)),
    ):
        found = verify.gradient(function, claimed=lossy, at=[1.5897378])
        assert found.verdict is Verdict.INACCURATE
