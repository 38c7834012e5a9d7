"""Functions and claims that do not return: each call has a limit of its own."""

from __future__ import annotations

import signal
import threading

import numpy as np
import pytest

import verify
import verify.limits.limit
from verify.model.verdict import Verdict
from verify.oracles.over_region.part import _INNER

REGION = {"over": verify.box(-2, 2), "effort": 0.1}


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    """Only what never returns meets a limit of a second."""
    monkeypatch.setattr(verify.limits.limit, "SHARES", (1 / 60, 1 / 100, 1 / 100))


def hangs_at_zero(x, *directions):
    while x == 0:
        pass
    return np.cos(x)


def hangs_above(x):
    while x > 0.5:
        pass
    return np.cos(x)


def hangs_at_zero_and_is_wrong(x):
    while x == 0:
        pass
    return 1.1 * np.cos(x)


def swallows(x):
    while x == 0:
        try:
            while True:
                pass
        except Exception:  # noqa: BLE001  # any error will do
            return np.cos(x)
    return np.cos(x)


def line(function, after=1):
    return f"tests/faults/test_calls.py:{function.__code__.co_firstlineno + after}"


def stopped(result):
    return [point for point in result.points if "did not return within 1 s" in point.message]


@pytest.mark.parametrize("evidence", ["certified", "sampled"])
def test_a_claim_that_hangs_at_a_point_is_undecided_there(evidence):
    found = verify.gradient(
        np.sin, claimed=hangs_at_zero, at=[0.5, 0.0, 1.0], evidence=evidence, seed=0
    )
    verdicts = [Verdict.CORRECT, Verdict.UNDECIDED, Verdict.CORRECT]
    assert [point.verdict for point in found.points] == verdicts
    said = found.witness.message
    assert said.startswith("hangs_at_zero did not return within 1 s at x = 0., ")
    assert line(hangs_at_zero) in said or line(hangs_at_zero, 2) in said
    assert not found


@pytest.mark.long
@pytest.mark.parametrize("evidence", ["certified", "sampled"])
def test_a_search_goes_on_elsewhere_and_says_so(evidence):
    found = verify.gradient(np.sin, claimed=hangs_at_zero, evidence=evidence, **REGION)
    assert found.verdict is Verdict.UNDECIDED
    assert not found
    (point,) = stopped(found)
    assert point.x == (0.0,)
    assert sum(point.verdict is Verdict.CORRECT for point in found.points) >= 4


def test_a_claim_that_hangs_and_is_wrong_elsewhere_is_wrong():
    found = verify.gradient(np.sin, claimed=hangs_at_zero_and_is_wrong, **REGION)
    assert found.verdict is Verdict.WRONG
    assert "1.1 times too large" in found.witness.message
    assert len(stopped(found)) == 1


@pytest.mark.long
def test_after_some_calls_that_hang_the_claim_is_not_called_any_more():
    found = verify.gradient(np.sin, claimed=hangs_above, **REGION)
    assert found.verdict is Verdict.UNDECIDED
    words = "hangs_above is not called any more, after 3 calls that did not return"
    assert words in found.coverage.stopped
    assert words in str(found)
    hung = [p for p in found.points if "did not return within" in p.message]
    assert len(hung) == 3


def test_a_claim_that_swallows_what_stops_it_is_not_believed():
    found = verify.gradient(np.sin, claimed=swallows, at=[0.0])
    assert found.verdict is Verdict.UNDECIDED
    assert "swallows did not return within 1 s" in found.witness.message


def keeps_the_number(x, *directions):
    if float(x) == 0:
        while True:
            pass
    return np.sin(x)


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("evidence", ["certified", "sampled"])
@pytest.mark.parametrize("where", [{"at": [0.0]}, REGION], ids=["at", "over"])
def test_a_function_that_hangs_in_plain_python_is_undecided(evidence, where):
    found = verify.gradient(keeps_the_number, claimed=np.cos, evidence=evidence, **where)
    assert found.verdict is Verdict.UNDECIDED
    assert "the function did not return within 1 s at x = 0." in found.witness.message


def loops_on_a_comparison(x):
    while x == 0:
        pass
    return np.sin(x)


def loops_on_a_decision(x):
    zero = x == 0
    while zero:
        pass
    return np.sin(x)


def loops_on_a_number(x):
    while float(x) == 0:
        pass
    return np.sin(x)


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "what"),
    [
        (loops_on_a_comparison, "operations"),
        (loops_on_a_decision, "decisions"),
        (loops_on_a_number, "values that left"),
    ],
)
def test_a_function_that_is_recorded_is_stopped_by_its_work(function, what, monkeypatch):
    monkeypatch.setattr(verify.limits.limit, "SHARES", (1 / 2,))
    monkeypatch.setattr(verify.judging.judge, "_OPERATIONS", 5000)
    found = verify.gradient(function, claimed=np.cos, at=[0.0])
    assert found.verdict is Verdict.UNDECIDED
    assert f"the recording has reached its budget of 5000 {what}" in found.witness.message


@pytest.mark.parametrize("quantity", ["vjp", "jvp"])
def test_of_products_the_calls_have_limits_as_well(quantity):
    def product(x, d):
        return d * hangs_at_zero(x)

    found = verify.derivative(quantity, np.sin, claimed=product, at=[(0.0, 1.0), (0.5, 1.0)])
    assert [p.verdict for p in found.points] == [Verdict.UNDECIDED, Verdict.CORRECT]
    assert "product did not return within 1 s at (0., 1.)" in found.witness.message


@pytest.mark.long
def test_the_shape_of_directions_is_asked_of_a_function_within_limits():
    found = verify.vjp(keeps_the_number, claimed=lambda x, g: g * np.cos(x), at=[0.0])
    assert found.verdict is Verdict.UNDECIDED
    assert "the function did not return within 1 s" in found.witness.message


def test_a_mode_that_hangs_is_no_pass():
    case = verify.model.case.Case(
        "sin", "sin", np.sin, ((0.5,), (0.0,)), claimed=np.cos, modes={"forward": hangs_at_zero}
    )
    found = verify.judging.judge.verify_case(case)
    assert found.verdict is Verdict.UNDECIDED
    assert "hangs_at_zero did not return within 1 s at x = 0." in found.witness.message


def test_outside_the_main_thread_calls_have_limits_as_well():
    found = []

    def work():
        found.append(verify.gradient(np.sin, claimed=hangs_at_zero, at=[0.0, 0.5]))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert [p.verdict for p in found[0].points] == [Verdict.UNDECIDED, Verdict.CORRECT]
    assert "hangs_at_zero did not return within 1 s" in found[0].witness.message


def test_beside_a_timer_of_somebody_else_calls_have_limits_as_well():
    before = signal.signal(signal.SIGALRM, lambda number, frame: None)
    try:
        found = verify.gradient(np.sin, claimed=hangs_at_zero, at=[0.0])
    finally:
        signal.signal(signal.SIGALRM, before)
    assert "hangs_at_zero did not return within 1 s" in found.witness.message


@pytest.mark.long
def test_a_budget_that_is_larger_gives_a_call_more():
    budget = verify.judging.judge.Budget(seconds=90.0)
    found = verify.gradient(np.sin, claimed=hangs_at_zero, at=[0.0], budget=budget)
    assert "did not return within 1.5 s" in found.witness.message


def test_a_claim_that_hangs_while_it_is_proved_ends():
    place = -2 + 4 * _INNER

    def hangs_inside(x):
        while x == place:
            pass
        return np.cos(x)

    result = verify.gradient(np.sin, hangs_inside, over=[-2, 2], effort=0.2)
    assert result.verdict is Verdict.UNDECIDED
    assert [float(point.x[0]) for point in stopped(result)] == [place]
