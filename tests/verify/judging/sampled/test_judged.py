"""Samples find lies, alarm nobody, abstain where they see nothing, and never sound certain."""

from __future__ import annotations

import math
import re
import time
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from scipy import special

import symtape
import verify
from symtape.process.budget import Budget
from verify import Rung, Verdict
from verify.errors import UsageError
from verify.judging.sampled.judging import judge_by_samples
from verify.strategies import programs
from verify.suites import classics

SETTINGS = settings(
    derandomize=True,
    max_examples=15,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)


def black(function):
    """`function` as compiled code would be: it takes floats and returns one."""
    return lambda *args: float(function(*(np.asarray(arg, dtype=np.float64) for arg in args)))


def sampled(quantity, function, claimed, at=None, over=None, **more):
    return verify.derivative(
        quantity, function, claimed=claimed, at=at, over=over, evidence="sampled", **more
    )


def wave(x):
    return np.sum(np.sin(x)) + x[0] * x[1]


def wave_gradient(x):
    return np.cos(x) + np.array([x[1], x[0], 0.0])


X = np.array([0.5, 2.0, -1.0])

LIES = {
    "sign": lambda x: -wave_gradient(x),
    "one sign": lambda x: wave_gradient(x) * np.array([1, -1, 1]),
    "factor": lambda x: 2 * wave_gradient(x),
    "small factor": lambda x: (1 + 1e-3) * wave_gradient(x),
    "tiny factor": lambda x: (1 + 1e-6) * wave_gradient(x),
    "missing term": np.cos,
    "swapped": lambda x: wave_gradient(x)[::-1],
    "zero": lambda x: 0 * x,
    "one zeroed": lambda x: wave_gradient(x) * np.array([1, 1, 0]),
}


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("lie", LIES)
@pytest.mark.parametrize("function", [wave, black(wave)], ids=["numpy", "black box"])
def test_lies_are_found_at_a_point_and_over_a_region(lie, function):
    result = sampled("gradient", function, LIES[lie], at=[X])
    assert result.verdict is Verdict.WRONG
    assert result.witness.message.startswith("sampled: along ")
    if function is not wave:
        over = verify.box(-2, 2, shape=(3,))
        result = sampled("gradient", function, LIES[lie], over=over, effort=0.2)
        assert result.verdict is Verdict.WRONG


@pytest.mark.long
@pytest.mark.parametrize("function", [wave, black(wave)], ids=["numpy", "black box"])
def test_the_right_gradient_is_correct_and_no_certificate(function):
    result = sampled("gradient", function, wave_gradient, at=[X])
    assert result.verdict is Verdict.CORRECT
    assert result.evidence.rung is Rung.SAMPLED
    (outcome,) = result.points
    assert outcome.bits == 0
    assert outcome.worst is None
    assert "no certificate" in outcome.power
    assert "certified" not in str(result)
    assert sampled(
        "gradient", function, wave_gradient, over=verify.box(-2, 2, shape=(3,))
    ).verdict in (Verdict.CORRECT,)


def test_a_wrong_sign_is_named_and_the_remainder_has_order_one():
    message = sampled("gradient", black(np.sin), lambda x: -np.cos(x), at=[0.5]).witness.message
    assert "the sign is wrong" in message
    assert "order 1.00, not 2" in message
    assert "2 times too large" in (
        sampled("gradient", np.sin, lambda x: 2 * np.cos(x), at=[0.5]).witness.message
    )
    assert "exact" not in message


def test_words_of_wrong(snapshot):
    result = sampled("gradient", wave, LIES["one sign"], at=[X])
    snapshot("sampled-wrong", re.sub(r":\d+", ":LINE", str(result)))


@pytest.mark.parametrize("case", classics.cases(), ids=lambda case: case.id)
def test_no_false_alarm_on_the_classics(case):
    result = judge_by_samples(case, Budget(seconds=60))
    assert result.verdict in (Verdict.CORRECT, Verdict.UNDECIDED)
    if case.over is None:
        assert result.verdict is Verdict.CORRECT, result.witness.message


def test_a_zero_tail_cannot_be_seen_and_it_says_so():
    for claim in (lambda x: 0 * x, lambda x: 1 / np.cosh(x) ** 2):
        (outcome,) = sampled("gradient", np.tanh, claim, at=[20.0]).points
        assert outcome.verdict is Verdict.UNDECIDED
        assert "cannot be seen" in outcome.message


@pytest.mark.parametrize("value", [0.0, 5.0])
def test_a_constant_is_undecided_unless_the_claim_is_off(value):
    constant = black(lambda x: value)
    assert sampled("gradient", constant, lambda x: 0 * x, at=[1.0]).verdict is Verdict.UNDECIDED
    assert sampled("gradient", constant, lambda x: 1 + 0 * x, at=[1.0]).verdict is Verdict.WRONG


def test_a_minimum_is_told_from_a_constant():
    result = sampled("gradient", black(lambda x: x * x), lambda x: 0 * x, at=[0.0])
    assert result.verdict is Verdict.CORRECT
    assert "a unit away" in result.points[0].power


@pytest.mark.parametrize("scale", [1e-3, 1e-6, 1e-9])
def test_noise_is_measured_and_a_right_claim_stays_right(scale):
    def noisy(x):
        return float(np.sin(x) + scale * math.sin(1e9 * float(x) ** 2))

    def rounded(x):
        return float(np.round(np.sin(x) / scale) * scale)

    for function in (noisy, rounded):
        assert sampled("gradient", function, np.cos, at=[0.5, 2.0]).verdict in (
            Verdict.CORRECT,
            Verdict.UNDECIDED,
        )
        flipped = sampled("gradient", function, lambda x: -np.cos(x), at=[0.5])
        assert flipped.verdict is (Verdict.WRONG if scale < 1e-3 else flipped.verdict)
        assert not flipped


@SETTINGS
@given(st.floats(1e-12, 1e-2), st.integers(0, 2**32 - 1))
def test_random_noise_of_any_size_raises_no_alarm(scale, number):
    random = np.random.default_rng(number)

    def noisy(x):
        return float(np.exp(x) + scale * random.standard_normal())

    assert sampled("gradient", noisy, np.exp, at=[0.3]).verdict is not Verdict.WRONG


def test_kinks_are_told_and_no_claim_there_is_called_wrong():
    for claimed, admissible in ((1.0, True), (0.0, True), (3.0, None)):
        (outcome,) = sampled("gradient", np.abs, lambda x, c=claimed: c + 0 * x, at=[0.0]).points
        assert outcome.verdict is Verdict.KINK
        assert outcome.kink.admissible is admissible
    assert "differ, -1 and 1" in outcome.message


@pytest.mark.parametrize("away", [1e-3, 1e-6, 1e-9, 1e-12, 1e-15])
@pytest.mark.parametrize("offset", [0.0, 1.0])
def test_near_a_kink_a_right_claim_is_not_wrong(away, offset):
    result = sampled("gradient", black(lambda x: offset + abs(x)), np.sign, at=[away])
    assert result.verdict is not Verdict.WRONG


@pytest.mark.parametrize("at", [0.5, 2.0, 1.999999])
def test_jumps_raise_no_alarm(at):
    def jumps(x):
        return float(x + np.floor(x))

    result = sampled("gradient", jumps, lambda x: 1.0 + 0 * x, at=[at])
    assert result.verdict in (Verdict.CORRECT, Verdict.UNDECIDED, Verdict.KINK)


@SETTINGS
@given(st.floats(0.5, 52), st.floats(0, 6))
def test_oscillations_of_any_period_raise_no_alarm(octaves, x):
    rate = 2 * math.pi * 2.0**octaves

    def f(x):
        return float(np.sin(rate * x))

    result = sampled("gradient", f, lambda x: rate * np.cos(rate * x), at=[x])
    assert result.verdict is not Verdict.WRONG


def test_single_precision_is_judged_by_its_own_noise():
    at = [np.float32(0.5), np.float32(2.0)]
    assert sampled("gradient", np.sin, np.cos, at=at).verdict is Verdict.CORRECT
    assert sampled("gradient", np.sin, lambda x: 1.01 * np.cos(x), at=at).verdict is Verdict.WRONG

    def within(x):
        return np.float64(np.sin(np.float32(x)))

    assert sampled("gradient", within, np.cos, at=[0.5]).verdict is not Verdict.WRONG


def test_a_claim_that_lost_its_digits_is_not_called_wrong():
    def cancelling(x):
        return 1 - (1 - np.exp(-x))

    result = sampled("gradient", lambda x: -np.exp(-x), cancelling, at=[25.0, 30.0])
    assert result.verdict is not Verdict.WRONG


def cubic(x):
    return np.sum(x**3) + x[0] * x[1]


def cubic_hessian(x):
    return 6 * np.diag(x) + np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]])


@pytest.mark.parametrize(
    ("lie", "verdict"),
    [
        (lambda h: h, Verdict.CORRECT),
        (lambda h: -h, Verdict.WRONG),
        (lambda h: h * (1 + 1e-4), Verdict.WRONG),
        (lambda h: np.diag(np.diag(h)), Verdict.WRONG),
        (lambda h: h + np.triu(np.ones((3, 3)), 1) - np.tril(np.ones((3, 3)), -1), Verdict.WRONG),
    ],
)
def test_hessians_are_judged_by_curvatures(lie, verdict):
    result = sampled("hessian", black(cubic), lambda x: lie(cubic_hessian(x)), at=[X])
    assert result.verdict is verdict


PRODUCTS = {
    "vjp": (np.sin, lambda x, g: np.cos(x) * g),
    "jvp": (np.sin, lambda x, t: np.cos(x) * t),
    "hvp": (lambda x: np.sum(x**3), lambda x, v: 6 * x * v),
}


@pytest.mark.slow
@pytest.mark.parametrize("quantity", PRODUCTS)
def test_products_are_judged_along_their_directions(quantity):
    function, right = PRODUCTS[quantity]
    assert sampled(quantity, function, right, at=[([0.5, 2.0],)]).verdict is Verdict.CORRECT
    for wrong in (lambda x, d: -right(x, d), lambda x, d: right(x, d) + 1e-3):
        assert sampled(quantity, function, wrong, at=[([0.5, 2.0],)]).verdict is Verdict.WRONG


def test_single_entries_of_a_jacobian_are_seen():
    def off(x):
        jacobian = np.diag(np.cos(x))
        jacobian[0, 1] += 1e-3
        return jacobian

    assert sampled("jacobian", np.sin, off, at=[X]).verdict is Verdict.WRONG
    right = sampled("jacobian", np.sin, lambda x: np.diag(np.cos(x)), at=[X])
    assert right.verdict is Verdict.CORRECT


def test_a_region_is_not_left():
    called = []

    def f(x):
        called.append(float(x))
        return float(x) ** 1.5

    result = sampled("gradient", f, lambda x: 1.5 * np.sqrt(x), over=[0.5, 3])
    assert result.verdict is Verdict.CORRECT
    assert min(called) >= 0.5
    assert max(called) <= 3
    assert result.coverage.judged >= 8


def test_outside_of_the_domain_and_errors():
    def f(x):
        if x < 0:
            raise ValueError("negative")
        return math.sqrt(x)

    result = sampled("gradient", f, lambda x: 0.5 / np.sqrt(x), at=[-1.0, 2.0])
    assert [point.verdict for point in result.points] == [Verdict.OUTSIDE, Verdict.CORRECT]
    with pytest.raises(ValueError, match="negative"):
        sampled("gradient", f, lambda x: x, at=[-1.0])


def test_what_is_no_derivative_is_wrong_in_words():
    result = sampled("gradient", wave, lambda x: np.ones(2), at=[X])
    assert result.verdict is Verdict.WRONG
    assert "shape" in result.witness.message


def test_a_budget_is_kept():
    calls = []

    def slow(x):
        calls.append(x)
        time.sleep(0.05)
        return float(np.sum(x**2))

    result = sampled("gradient", slow, lambda x: 2 * x, at=[np.ones(4)], budget=Budget(seconds=1))
    assert len(calls) < 60  # and a budget without end takes hundreds
    assert result.verdict is not Verdict.WRONG


def clocked(monkeypatch, seconds):
    """A function that takes so many seconds, by the only clock that there is."""
    now = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])

    def slow(x):
        now[0] += seconds
        return float(np.sum(x**2))

    return slow


@pytest.mark.long
def test_a_slow_function_is_looked_at_in_as_many_points(monkeypatch):
    slow = clocked(monkeypatch, 1e-3)
    found = sampled("gradient", slow, lambda x: 2 * x, over=verify.box(-1, 1, shape=(2,)))
    assert found.verdict is Verdict.CORRECT
    assert found.coverage.tried == 24
    assert found.seconds > 1


@pytest.mark.long
def test_of_many_arguments_fewer_points_are_enough():
    region = verify.box(-1, 1, shape=(40,))
    quadratic = black(lambda x: np.sum(x**2))
    found = sampled("hessian", quadratic, lambda x: 2 * np.eye(40), over=region)
    assert found.coverage.tried == 8


def test_what_a_spent_budget_leaves_out_is_undecided_in_words(monkeypatch):
    slow = clocked(monkeypatch, 1.0)
    region = verify.box(-1, 1, shape=(2,))
    budget = Budget(seconds=1500)
    right, wrong = (
        sampled("gradient", slow, lambda x, k=k: k * x, over=region, budget=budget) for k in (2, 3)
    )
    assert right.verdict is Verdict.UNDECIDED
    assert 1 <= right.coverage.judged < 24
    assert "the time budget of 1500 s ran out" in str(right)
    assert wrong.verdict is Verdict.WRONG


def test_wrong_usage_is_refused():
    with pytest.raises(UsageError, match="scalar"):
        sampled("gradient", np.sin, np.cos, at=[X])
    with pytest.raises(UsageError, match="claimed="):
        sampled("gradient", lambda x: special.mathieu_a(2, x), None, at=[0.5])


def right_or_abstaining(program):
    """What samples say of the tape's gradient, which enclosures say is right."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", symtape.errors.EscapeWarning)
        certain = verify.gradient(program.function, at=[program.point], budget=Budget(seconds=20))
        right = symtape.grad(program.function, argnums=tuple(range(len(program.point))))
        found = sampled("gradient", program.function, right, at=[program.point])
    if certain.verdict is Verdict.CORRECT:
        assert found.verdict is not Verdict.WRONG, found.witness.message
    return found


@settings(SETTINGS, max_examples=6)
@given(programs(size=4))
def test_no_false_alarm_on_random_programs(program):
    right_or_abstaining(program)


@pytest.mark.campaign
@pytest.mark.parametrize("entries", ["kink_safe", "ties"])
@pytest.mark.parametrize("block", range(10))
def test_no_false_alarm_on_many_random_programs(block, entries):
    @seed(block)
    @settings(SETTINGS, derandomize=False, max_examples=100, phases=[Phase.generate])
    @given(programs(size=5, entries=entries))
    def test(program):
        right_or_abstaining(program)

    test()
