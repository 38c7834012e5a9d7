"""Points without a classical derivative, with what several libraries and several faults answer."""

from __future__ import annotations

from math import inf, nan

import numpy as np
import pytest
from scipy import special

import verify
from symtape import nn
from verify import Verdict

UP = np.array([1.0, 2.0, 3.0])


def halves(x):
    return 2 * x if x > 0 else 3 * x


def stairs(x):
    while x > 1:
        x = x - 1
    return x


def leaky(x):
    return np.where(x > 0, x, 0.25 * x)


# A function, a point, values that some convention gives, values that none does.
TABLE = {
    "abs": (np.abs, 0.0, [0.0, 1.0, -1.0, 0.3], [2.0, -1.001, nan, inf]),
    "abs at -0": (np.abs, -0.0, [0.0, 1.0, -1.0], [1.5, nan]),
    "abs in float32": (np.abs, np.float32(0), [0.0, 1.0], [2.0, nan]),
    "abs, scaled": (lambda x: 3 * np.abs(2 * x), 0.0, [0.0, 6.0, -6.0], [6.1, nan]),
    "abs away from 0": (lambda x: np.abs(x - 0.1), 0.1, [0.0, 1.0, -1.0], [7.0]),
    "abs of abs": (lambda x: np.abs(np.abs(x)), 0.0, [0.0, 1.0, -1.0], [1.1]),
    "abs by sign": (lambda x: x * np.sign(x), 0.0, [0.0, 1.0, -1.0], [2.0, nan]),
    "abs by maximum": (lambda x: np.maximum(x, -x), 0.0, [0.0, 1.0, -1.0], [1.1, -2.0]),
    "relu by maximum": (lambda x: np.maximum(x, 0), 0.0, [0.0, 0.5, 1.0], [1.5, -0.5, nan]),
    "relu by where": (lambda x: np.where(x > 0, x, 0), 0.0, [0.0, 0.5, 1.0], [-1.0, 1.1, nan]),
    "relu of the guides": (nn.relu, 0.0, [0.0, 1.0], [-0.1, 2.0]),
    "relu by a product": (lambda x: x * (x > 0), 0.0, [0.0, 1.0], [2.0]),
    "relu by abs": (lambda x: (x + np.abs(x)) / 2, 0.0, [0.0, 0.5, 1.0], [1.01, -0.01]),
    "leaky relu": (leaky, 0.0, [0.25, 1.0, 0.625], [0.0, 1.25, nan]),
    "softsign of abs": (lambda x: np.exp(-np.abs(x)), 0.0, [0.0, 1.0, -1.0], [1.5]),
    "two relus": (
        lambda x: np.sum(np.maximum(x, 0) * UP[:2]), [0.0, 0.0],
        [[0.0, 0.0], [0.5, 1.0], [1.0, 2.0], [1.0, 0.0]], [[2.0, 0.0], [0.0, 2.1], [nan, 0.0]],
    ),
    "clip below": (lambda x: np.clip(x, 0, 1), 0.0, [0.0, 0.5, 1.0], [2.0, -1.0]),
    "clip above": (lambda x: np.clip(x, 0, 1), 1.0, [0.0, 0.5, 1.0], [2.0, -1.0]),
    "maximum": (
        lambda x: np.maximum(x[0], x[1]), [1.0, 1.0],
        [[0.5, 0.5], [1.0, 0.0], [0.0, 1.0], [0.25, 0.75]],
        [[1.0, 1.0], [0.0, 0.0], [0.5, 0.6], [2.0, -1.0], [0.5, nan]],
    ),
    "minimum": (
        lambda x: np.minimum(x[0], x[1]), [-2.0, -2.0],
        [[0.5, 0.5], [1.0, 0.0], [0.0, 1.0]], [[1.0, 1.0], [0.0, 0.0]],
    ),
    "maximum of products": (
        lambda x: np.maximum(3 * x[0], 6 * x[1]), [2.0, 1.0],
        [[1.5, 3.0], [3.0, 0.0], [0.0, 6.0]], [[3.0, 6.0], [0.0, 0.0], [3.0, 3.0]],
    ),
    "max of two": (np.max, [1.0, 2.0, 2.0], [[0.0, 0.5, 0.5], [0, 1, 0], [0, 0, 1]],
                   [[0.0, 1.0, 1.0], [1.0, 0.0, 0.0], [0.1, 0.5, 0.5]]),
    "max of three": (np.max, [2.0, 2.0, 2.0], [[1 / 3, 1 / 3, 1 / 3], [0.5, 0.25, 0.25]],
                     [[1.0, 1.0, 1.0], [0.5, 0.5, 0.5], [0.3, 0.3, 0.3]]),
    "min": (np.min, [2.0, 3.0, 2.0], [[0.5, 0.0, 0.5], [1, 0, 0], [0, 0, 1]], [[1.0, 0.0, 1.0]]),
    "spread": (np.ptp, [1.0, 1.0, 0.0], [[0.5, 0.5, -1.0], [1.0, 0.0, -1.0]],
               [[1.0, 1.0, -1.0], [0.5, 0.5, 1.0]]),
    "argmax": (lambda x: x[np.argmax(x)] ** 2, [1.0, 1.0], [[2.0, 0.0], [0.0, 2.0], [1.0, 1.0]],
               [[2.0, 2.0]]),
    "sort": (lambda x: np.sort(x) @ UP, [1.0, 1.0, 0.0],
             [[2.0, 3.0, 1.0], [3.0, 2.0, 1.0], [2.5, 2.5, 1.0]],
             [[3.0, 3.0, 1.0], [2.0, 2.0, 1.0], [2.0, 3.0, 2.0]]),
    "sort of three": (lambda x: np.sort(x) @ UP, [1.0, 1.0, 1.0],
                      [[1.0, 2.0, 3.0], [2.0, 2.0, 2.0], [3.0, 1.0, 2.0]],
                      [[3.0, 3.0, 0.0], [1.0, 2.0, 4.0]]),
    "argsort": (lambda x: x[np.argsort(x)] @ UP[:2], [1.0, 1.0], [[1.0, 2.0], [1.5, 1.5]],
                [[2.0, 2.0]]),
    "median": (np.median, [1.0, 1.0, 0.0, 2.0, 1.0],
               [[1, 0, 0, 0, 0], [1 / 3, 1 / 3, 0, 0, 1 / 3]], [[1, 1, 0, 0, 1]]),
    "median of an even number": (np.median, [1.0, 1.0, 2.0, 2.0],
                                 [[0.5, 0.0, 0.5, 0.0], [0.25, 0.25, 0.25, 0.25]],
                                 [[1.0, 1.0, 0.0, 0.0], [0.5, 0.5, 0.5, 0.5]]),
    "norm": (np.linalg.norm, [0.0, 0.0], [[0.0, 0.0], [1.0, 0.0], [0.6, 0.8]],
             [[2.0, 0.0], [nan, nan], [inf, 0.0]]),
    "norm of many": (np.linalg.norm, np.zeros(6), [np.zeros(6), np.full(6, 6**-0.5)],
                     [np.full(6, 1.0), np.full(6, nan)]),
    "distance": (lambda x: np.linalg.norm(x - UP), UP, [np.zeros(3)], [np.full(3, 2.0)]),
    "hypot": (lambda x: np.hypot(x[0], x[1]), [0.0, 0.0], [[0.0, 0.0], [0.6, 0.8]],
              [[1.5, 0.0], [nan, nan]]),
    "1-norm": (lambda x: np.linalg.norm(x, 1), [0.0, 2.0], [[0.0, 1.0], [-1.0, 1.0]],
               [[0.0, 0.0], [2.0, 1.0]]),
    "inf-norm": (lambda x: np.linalg.norm(x, np.inf), [-2.0, 2.0],
                 [[-0.5, 0.5], [-1.0, 0.0], [0.0, 1.0]], [[-1.0, 1.0], [0.5, 0.5]]),
    "standard deviation": (np.std, [2.0, 2.0], [[0.0, 0.0], [0.5, -0.5]],
                           [[1.0, 1.0], [nan, nan]]),
    "sqrt": (np.sqrt, 0.0, [inf], [0.0, 1e300, nan, -inf]),
    "sqrt of 1 - x": (lambda x: np.sqrt(1 - x), 1.0, [-inf], [inf, 0.0, nan]),
    "sqrt beside": (lambda x: np.sqrt(x[0]) + x[1] ** 2, [0.0, 3.0], [[inf, 6.0]],
                    [[inf, 5.0], [0.0, 6.0], [inf, nan], [nan, 6.0]]),
    "cbrt": (np.cbrt, 0.0, [inf], [0.0, nan, -inf]),
    "arcsin": (np.arcsin, 1.0, [inf], [0.0, nan, -inf]),
    "arccos": (np.arccos, 1.0, [-inf], [0.0, nan, inf]),
    "arccosh": (np.arccosh, 1.0, [inf], [0.0, nan]),
    "power 1/2": (lambda x: x**0.5, 0.0, [inf], [0.0, nan]),
    "power 3/2": (lambda x: x**1.5, 0.0, [0.0], [1.0, nan, inf]),
    "sqrt of abs": (lambda x: np.sqrt(np.abs(x)), 0.0, [0.0, inf, -inf], [nan]),
    "masked sqrt": (lambda x: np.where(x > 0, np.sqrt(x), 0), 0.0, [0.0, inf, 1.0], [-1.0, nan]),
    "if": (halves, 0.0, [2.0, 3.0, 2.5], [0.0, 5.0, nan]),
    "relu by indexing": (lambda x: np.sum(x[x > 0]), [0.0, 1.0], [[0.0, 1.0], [1.0, 1.0]],
                         [[2.0, 1.0], [0.0, 0.0]]),
    "hinge": (lambda w: np.maximum(0, 1 - 2.0 * w), 0.5, [0.0, -2.0, -1.0], [2.0, -2.5]),
    "rows": (lambda x: np.sum(np.max(x, axis=1) * UP[:2]), [[1.0, 1.0], [2.0, 3.0]],
             [[[0.5, 0.5], [0.0, 2.0]], [[1.0, 0.0], [0.0, 2.0]]],
             [[[1.0, 1.0], [0.0, 2.0]], [[0.5, 0.5], [2.0, 0.0]], [[0.5, 0.5], [1.0, 1.0]]]),
    "through a chain": (lambda x: np.exp(np.abs(np.sin(x))), 0.0, [0.0, 1.0, -1.0], [1.2]),
    "two kinks, one after the other": (
        lambda x: np.maximum(np.abs(x), 2 * x), 0.0, [-1.0, 0.0, 2.0, 1.0], [2.5, -1.5],
    ),
    "a kink and a smooth term": (lambda x: np.abs(x) + np.exp(x), 0.0, [1.0, 0.0, 2.0], [2.5]),
    "leaning on another entry": (
        lambda x: np.abs(x[0]) * x[1], [0.0, 3.0], [[0.0, 0.0], [3.0, 0.0]],
        [[4.0, 0.0], [0.0, 1.0]],
    ),
    "relative entropy": (
        lambda x: special.rel_entr(x, 2.0), 0.0, [-inf], [0.0, nan, inf],
    ),
    "entropy": (special.entr, 0.0, [inf], [0.0, nan]),
    "an equality": (lambda x: np.where(x == 0, 0 * x, np.abs(x)), 0.0, [0.0, 1.0, -1.0], [2.0]),
    "max pooling": (
        lambda x: np.sum(np.max(x.reshape(2, 2), axis=1)), np.zeros(4),
        [np.full(4, 0.5), [1.0, 0.0, 1.0, 0.0]], [np.ones(4), np.zeros(4)],
    ),
    "0 times a kink beside": (lambda x: 0 * np.abs(x[0]) + np.abs(x[1]), [0.0, 0.0],
                              [[0.0, 1.0], [0.0, 0.0]], [[1.0, 0.0], [0.0, 2.0]]),
}  # fmt: skip

ENTRIES = [
    pytest.param(function, at, value, flag, id=f"{name}: {value}")
    for name, (function, at, good, bad) in TABLE.items()
    for flag, values in ((True, good), (False, bad))
    for value in values
]


@pytest.mark.slow
@pytest.mark.parametrize(("function", "at", "value", "admissible"), ENTRIES)
def test_what_a_convention_gives_is_admissible_and_nothing_else_is(function, at, value, admissible):
    def claimed(x):
        return np.broadcast_to(np.asarray(value, dtype=float), np.shape(x)).copy()

    result = verify.gradient(function, claimed=claimed, at=[at])
    (outcome,) = result.points
    assert outcome.kink.admissible is admissible, str(result)
    assert outcome.verdict is (Verdict.KINK if admissible else Verdict.WRONG)
    assert bool(result) is admissible
    assert outcome.message.startswith("no classical derivative: ")


NAN_FROM_AN_INFINITE_SLOPE = {"sqrt of abs"}


@pytest.mark.parametrize("name", sorted(set(TABLE) - NAN_FROM_AN_INFINITE_SLOPE))
def test_what_the_tape_answers_is_admissible(name):
    function, at, *_ = TABLE[name]
    result = verify.gradient(function, at=[at])
    assert result, str(result)
    assert result.verdict is Verdict.KINK


def test_there_are_enough_of_them():
    assert len(TABLE) >= 60
    assert sum(len(bad) for *_, bad in TABLE.values()) >= 100


SMOOTH = {
    "x |x|": (lambda x: x * np.abs(x), 0.0, 0.0),
    "|x| squared": (lambda x: np.abs(x) ** 2, 0.0, 0.0),
    "max and min": (
        lambda x: np.maximum(x[0], x[1]) + np.minimum(x[0], x[1]), [1.0, 1.0], [1.0, 1.0],
    ),
    "both branches alike": (lambda x: np.where(x > 0, x, x), 0.0, 1.0),
    "log of a sum of exponentials": (
        lambda z: np.max(z) + np.log(np.sum(np.exp(z - np.max(z)))), [0.0, 0.0], [0.5, 0.5],
    ),
    "softmax": (
        lambda z: (np.exp(z - np.max(z)) / np.sum(np.exp(z - np.max(z))))[0], [0.0, 0.0],
        [0.25, -0.25],
    ),
    "sum of sorted": (lambda x: np.sum(np.sort(x)), [1.0, 1.0, 0.0], [1.0, 1.0, 1.0]),

    "huber": (lambda x: np.where(np.abs(x) < 1, x * x, 2 * np.abs(x) - 1), 1.0, 2.0),
    "relu in pieces": (lambda x: np.maximum(x, 0) + np.minimum(x, 0), 0.0, 1.0),
    "maximum of itself": (lambda x: np.maximum(x, x), 1.0, 1.0),
    "an if that is smooth": (lambda x: x**2 if x > 0 else 0 * x, 0.0, 0.0),
    "an if that is smooth, elsewhere": (lambda x: x**2 if x > 1 else 2 * x - 1, 1.0, 2.0),
    "a product of kinks": (lambda x: np.abs(x[0]) * np.abs(x[1]), [0.0, 0.0], [0.0, 0.0]),
    "a norm times 0": (lambda x: np.linalg.norm(x) * x[0], [0.0, 0.0], [0.0, 0.0]),
    "where it is excepted for nothing": (lambda x: np.where(x == 0, x, np.sin(x)), 0.0, 1.0),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(SMOOTH))
def test_where_all_pieces_agree_the_function_is_judged_as_smooth(name):
    function, at, slope = SMOOTH[name]

    def off(x):
        return np.asarray(slope, dtype=float) + 0.01

    result = verify.gradient(function, at=[at])
    assert result.verdict is Verdict.CORRECT, str(result)
    assert verify.gradient(function, claimed=off, at=[at]).verdict is Verdict.WRONG


def test_a_convention_that_does_not_fit_a_smooth_function_is_wrong():
    def excepted(x):
        return np.where(x == 0, 0.0, x)

    assert verify.gradient(excepted, claimed=lambda x: 1.0, at=[0.0]).verdict is Verdict.CORRECT
    assert verify.gradient(excepted, claimed=lambda x: 0.0, at=[0.0]).verdict is Verdict.WRONG


UNKNOWN = {
    "floor": (np.floor, 2.0, "jumps"),
    "a step": (lambda x: np.where(x >= 1, x + 1, x), 1.0, "jumps"),
    "a staircase": (stairs, 2.0, "jumps"),
    "a lone value": (lambda x: np.where(x == 0, 5.0, x), 0.0, "jumps"),
    "rounding": (lambda x: np.round(x) * x, 0.5, "jumps"),
    "remainder": (lambda x: x % 1.0, 3.0, "remainder"),
    "many at once": (lambda x: np.sum(np.where(x > 0, x, 0)), np.zeros(20), "more pieces"),
    "equal singular values": (
        lambda a: np.sum(np.linalg.svd(a, compute_uv=False)), np.eye(2), "singular_values",
    ),
    "two ways at once": (
        lambda x: halves(x[0]) + halves(x[1]), [0.0, 0.0], "more than one at a time",
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", UNKNOWN)
def test_where_not_everything_is_known_nothing_is_said_of_the_claim(name):
    function, at, words = UNKNOWN[name]
    result = verify.gradient(function, claimed=lambda x: np.full(np.shape(x), 12345.0), at=[at])
    assert result.verdict is Verdict.KINK
    assert not result
    assert result.witness.kink.admissible is None
    assert words in result.witness.message


def test_the_words_name_both_sides_the_claim_and_the_convention():
    (outcome,) = verify.gradient(np.abs, at=[0.0]).points
    assert outcome.message == (
        "no classical derivative: absolute at 0.0; from the left -1, from the right 1; the claim, "
        "0, lies between (the tape's convention: 0 at 0)"
    )
    (slope,) = outcome.kink.slopes
    assert (slope.left, slope.right, slope.lower, slope.upper, slope.claimed) == (-1, 1, -1, 1, 0)
    assert outcome.kink.convention == "0 at 0"


def test_one_sided_derivatives_are_those_along_the_axes():
    (outcome,) = verify.gradient(lambda x: np.maximum(3 * x[0], 6 * x[1]), at=[[2.0, 1.0]]).points
    assert [(s.index, s.left, s.right) for s in outcome.kink.slopes] == [
        ((0,), 0.0, 3.0),
        ((1,), 0.0, 6.0),
    ]
    (edge,) = verify.gradient(np.sqrt, at=[0.0]).points
    assert (edge.kink.slopes[0].left, edge.kink.slopes[0].right) == (None, inf)


def test_of_a_jacobian_the_rows_go_together():
    def sorted_pair(x):
        return np.sort(x)

    tie = [[1.0, 1.0]]
    assert verify.jacobian(sorted_pair, at=tie)
    for good in (np.eye(2), np.eye(2)[::-1], np.full((2, 2), 0.5)):
        assert verify.jacobian(sorted_pair, claimed=lambda x, good=good: good.copy(), at=tie)
    torn = np.array([[1.0, 0.0], [1.0, 0.0]])
    result = verify.jacobian(sorted_pair, claimed=lambda x: torn.copy(), at=tie)
    assert result.verdict is Verdict.WRONG
    assert "not all of them together" in result.witness.message


def test_second_derivatives_are_judged_only_where_the_pieces_agree_to_second_order():
    assert verify.hessian(lambda x: x * np.abs(x), at=[0.0]).verdict is Verdict.KINK
    assert verify.hessian(np.abs, at=[0.0]).verdict is Verdict.KINK
    assert verify.hessian(lambda x: x**3 * np.abs(x), at=[0.0]).verdict is Verdict.CORRECT
    cubes = verify.hessian(
        lambda x: np.where(x > 0, x**3, 0), claimed=lambda x: np.float64(2.0), at=[0.0]
    )
    assert cubes.verdict is Verdict.WRONG


@pytest.mark.parametrize("zero", [0.0, -0.0])
def test_an_infinite_slope_may_have_the_sign_of_the_zero(zero):
    ours = verify.gradient(np.sqrt, at=[zero])
    assert ours.verdict is Verdict.KINK
    assert bool(ours)
    assert verify.gradient(np.sqrt, at=[zero], claimed=lambda x: 0.0).verdict is Verdict.WRONG
