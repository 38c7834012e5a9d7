"""Operations with kinks in functions that have none: judged as smooth points."""

from __future__ import annotations

import numpy as np
import pytest

import verify
from verify import Verdict


def guarded(x):
    y = x**0.5
    if abs(y.imag) > 0.0:
        y = 0.0 * x
    return y


def logsumexp(highest):
    def function(x):
        m = highest(x)
        return m + np.log(np.sum(np.exp(x - m)))

    return function


def softmax(x):
    e = np.exp(x - np.max(x))
    return e / np.sum(e)


def by_a_loop(x):
    largest = x[0]
    for k in range(1, len(x)):
        if x[k] > largest:
            largest = x[k]
    return largest


def distances(x):
    return np.sqrt(np.sum((x[:, None] - x[None]) ** 2, axis=-1))


ZEROS, ONES = np.zeros, np.ones

SMOOTH = {
    "a guard against complex values": (guarded, lambda x: 0.5 / np.sqrt(x), 4.0),
    "the absolute value of no imaginary part": (
        lambda x: x**2 + np.abs(x.imag), lambda x: 2 * x, 1.0,
    ),
    "a maximum of no imaginary part": (
        lambda x: x**2 + np.maximum(np.abs(np.imag(x)), 0.0), lambda x: 2 * x, 1.0,
    ),
    "max shift": (logsumexp(np.max), softmax, ONES(4)),
    "max shift of many": (logsumexp(np.max), softmax, np.full(40, 0.3)),
    "max shift by Python's max": (logsumexp(max), softmax, ONES(4)),
    "max shift by a loop": (logsumexp(by_a_loop), softmax, ZEROS(5)),
    "max shift by a sort": (logsumexp(lambda x: np.sort(x)[-1]), softmax, ONES(3)),
    "times a root": (
        lambda x: x * np.sin(np.sqrt(np.abs(x))),
        lambda x: np.sin(np.sqrt(np.abs(x))) + np.sqrt(np.abs(x)) / 2 * np.cos(np.sqrt(np.abs(x))),
        0.0,
    ),
    "times a cube root": (lambda x: np.sin(x) * np.cbrt(x), lambda x: 4 / 3 * np.cbrt(x), 0.0),
    "abs cubed": (lambda x: np.abs(x) ** 3, lambda x: 3 * x * np.abs(x), 0.0),
    "abs to a broken power": (
        lambda x: np.abs(x) ** 2.5, lambda x: 2.5 * np.sign(x) * np.abs(x) ** 1.5, 0.0,
    ),
    "gennorm": (
        lambda x: np.sum(np.abs(x) ** 1.5),
        lambda x: 1.5 * np.sign(x) * np.sqrt(np.abs(x)),
        ZEROS(12),
    ),
    "powers of their own": (
        lambda x: np.sum(np.abs(x) ** np.array([1.5, 2.0, 3.5])),
        lambda x: np.array([1.5, 2.0, 3.5]) * np.sign(x) * np.abs(x) ** np.array([0.5, 1.0, 2.5]),
        ZEROS(3),
    ),
    "a hinge to a broken power": (
        lambda x: np.sum(np.maximum(x, 0) ** 1.5),
        lambda x: 1.5 * np.sqrt(np.maximum(x, 0)),
        ZEROS(6),
    ),
    "x abs(x)": (lambda x: x * np.abs(x), lambda x: 2 * np.abs(x), 0.0),
    "sign(x) x**2": (lambda x: np.sign(x) * x**2, lambda x: 2 * np.abs(x), 0.0),
    "both branches alike": (
        lambda x: np.where(x > 0, x**2, x**2), lambda x: 2 * x, 0.0,
    ),
    "hinge squared": (
        lambda x: np.maximum(x, 0) ** 2, lambda x: 2 * np.maximum(x, 0), 0.0,
    ),
    "heaviside of a square": (
        lambda x: np.sum(np.heaviside(x, 0.5) * x**2), lambda x: 2 * np.maximum(x, 0), ZEROS(3),
    ),
    "softmax": (
        lambda x: softmax(x) @ np.array([1.0, 2.0, 3.0]), lambda x: np.array([-1.0, 0.0, 1.0]) / 3,
        ONES(3),
    ),
    "norm squared": (lambda x: np.linalg.norm(x) ** 2, lambda x: 2 * x, ZEROS(3)),
    "norm to a broken power": (
        lambda x: np.linalg.norm(x) ** 2.5, lambda x: 2.5 * x * np.linalg.norm(x) ** 0.5, ZEROS(3),
    ),
    "a root of a sum of squares, cubed": (
        lambda x: np.sqrt(np.sum(x**2)) ** 3, lambda x: 3 * x * np.linalg.norm(x), ZEROS(8),
    ),
    "huber": (
        lambda x: np.sum(np.where(np.abs(x) <= 1.5, x**2 / 2, 1.5 * (np.abs(x) - 0.75))),
        lambda x: np.clip(x, -1.5, 1.5), np.array([1.5, -1.5, 0.0]),
    ),
    "a root of a fourth power": (lambda x: np.sqrt(x**4), lambda x: 2 * x, 0.0),
    "clip inside": (lambda x: np.clip(x, -1, 1) ** 2, lambda x: 2 * x, 0.5),
    "hypot with nothing": (lambda x: np.hypot(x, 0 * x), lambda x: np.ones_like(x), 1.0),
    "hypot with nothing, squared": (lambda x: np.hypot(x, 0 * x) ** 2, lambda x: 2 * x, 0.0),
    "a cube and its root": (lambda x: np.cbrt(x**3), lambda x: np.ones_like(x), 0.0),
    "a sum of sorted squares": (lambda x: np.sum(np.sort(x) ** 2), lambda x: 2 * x, ONES(7)),
    "sorted by Python": (lambda x: sum(v**2 for v in sorted(x)), lambda x: 2 * x, ONES(4)),
    "the greater and the smaller": (
        lambda x: max(x[0], x[1]) + min(x[0], x[1]), lambda x: np.ones_like(x), ONES(2),
    ),
    "an if for each element": (
        lambda x: sum((v if v >= 0 else -v) ** 3 for v in x), lambda x: 3 * x * np.abs(x), ZEROS(4),
    ),
    "a Matérn kernel": (
        lambda x: np.sum((1 + distances(x)) * np.exp(-distances(x))),
        lambda x: -2 * np.sum(
            np.exp(-distances(x))[..., None] * (x[:, None] - x[None]), axis=1
        ), np.array([[1.0, 1.0], [1.0, 1.0], [2.0, 0.0]]),
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", SMOOTH)
def test_a_function_without_a_kink_is_judged_as_smooth(name):
    function, slope, at = SMOOTH[name]
    right = verify.gradient(function, slope, at=[at])
    assert right.verdict is Verdict.CORRECT, str(right)
    wrong = verify.gradient(function, lambda x: slope(x) + 0.25, at=[at])
    assert wrong.verdict is Verdict.WRONG, str(wrong)
    assert wrong.witness.kink is None


BENT = {
    "norm squared": (lambda x: np.linalg.norm(x) ** 2, lambda x: 2 * np.eye(3), ZEROS(3)),
    "a Matérn kernel": (
        lambda x: (1 + np.linalg.norm(x)) * np.exp(-np.linalg.norm(x)), lambda x: -np.eye(2),
        ZEROS(2),
    ),
    "abs to a broken power": (lambda x: np.abs(x) ** 2.5, lambda x: 0.0 * x, 0.0),
    "cosh of abs": (lambda x: np.cosh(np.abs(x)), lambda x: np.cosh(x), 0.0),
    "max shift by Python's max": (
        logsumexp(max), lambda x: np.diag(softmax(x)) - np.outer(softmax(x), softmax(x)), ONES(3),
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", BENT)
def test_second_derivatives_are_too_where_both_orders_agree(name):
    function, bend, at = BENT[name]
    right = verify.hessian(function, bend, at=[at])
    assert right.verdict is Verdict.CORRECT, str(right)
    wrong = verify.hessian(function, lambda x: bend(x) + 0.25, at=[at])
    assert wrong.verdict is Verdict.WRONG, str(wrong)


KINKED = {
    "a maximum": (np.max, ONES(3)),
    "Python's maximum": (max, ONES(3)),
    "a norm": (np.linalg.norm, ZEROS(3)),
    "abs to the first power": (lambda x: np.sum(np.abs(x) ** 1.0), ZEROS(3)),
    "the greatest sorted": (lambda x: np.sort(x)[-1], ONES(6)),
    "a step of the slope": (lambda x: np.sum(np.heaviside(x, 0.5) * x), ZEROS(2)),
}


@pytest.mark.parametrize("name", KINKED)
def test_what_has_a_kink_keeps_it(name):
    function, at = KINKED[name]
    result = verify.gradient(function, lambda x: 1.0 / len(x) + 0 * x, at=[at])
    assert result.verdict is Verdict.KINK, str(result)


def test_a_power_between_one_and_two_has_no_second_derivative_to_be_held_against():
    for claim in (np.nan, np.inf, 0.0):
        result = verify.hessian(
            lambda x: np.abs(x) ** 1.5, lambda x, claim=claim: np.float64(claim), at=[0.0]
        )
        assert result.verdict is Verdict.KINK
        assert "no finite second derivative" in result.message


STEERED = {
    "softplus": (lambda x: (x if x > 0 else 0 * x) + np.log1p(np.exp(-abs(x))), (0.0,), 0.5),
    "log of a sum": (
        lambda a, b: (a if a > b else b) + np.log1p(np.exp(-abs(a - b))),
        (1.0, 1.0),
        (0.5, 0.5),
    ),
}


@pytest.mark.parametrize("name", STEERED)
def test_series_of_a_path_that_ends_at_the_point_are_no_witness_beyond(name):
    function, point, right = STEERED[name]
    at = [point]
    assert verify.gradient(function, lambda *x: right, at=at).verdict is Verdict.CORRECT
    off = tuple(np.ravel(np.multiply(right, 1.001)).tolist())
    assert (
        verify.gradient(function, lambda *x: off if len(off) > 1 else off[0], at=at).verdict
        is Verdict.WRONG
    )
