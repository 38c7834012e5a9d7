"""Time limits stop what runs, and leave nothing behind."""

from __future__ import annotations

import math
import signal
import threading
import time

import pytest

from symtape.errors import BudgetSpent
from verify.limits import limit
from verify.limits.limit import limit_time, time_limit


def busy():
    while True:
        pass


def test_what_runs_is_stopped_and_its_line_is_named():
    line = busy.__code__.co_firstlineno
    words = rf"budget of 9 s ran out, at .*test_limit\.py:({line + 1}|{line + 2});"
    with pytest.raises(BudgetSpent, match=words), time_limit(0.05, 9.0):
        busy()


def test_code_that_swallows_the_first_exception_is_stopped_by_the_next():
    swallowed = []

    def stubborn():
        try:
            busy()
        except BudgetSpent as error:
            swallowed.append(error)
        busy()

    with pytest.raises(BudgetSpent), time_limit(0.05, 1.0):
        stubborn()
    assert len(swallowed) == 1


@pytest.mark.parametrize("seconds", [5.0, math.inf])
def test_what_ends_in_time_leaves_no_timer(seconds):
    with time_limit(seconds, seconds):
        pass
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL


def test_when_nothing_is_left_it_does_not_begin():
    with pytest.raises(BudgetSpent, match="budget of 3 s"), time_limit(0.0, 3.0):
        pytest.fail("began")


def test_a_timer_of_somebody_else_is_left_alone():
    rung = []
    before = signal.signal(signal.SIGALRM, lambda number, frame: rung.append(number))
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        with time_limit(60.0, 60.0):
            while not rung:
                time.sleep(0.01)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert rung == [signal.SIGALRM]


def in_a_thread(work):
    """What `work` returns, in a thread of its own."""
    found = []
    thread = threading.Thread(target=lambda: found.append(work()))
    thread.start()
    thread.join()
    return found[0]


def under_a_timer_of_somebody_else(work):
    before = signal.signal(signal.SIGALRM, lambda number, frame: None)
    try:
        return work()
    finally:
        signal.signal(signal.SIGALRM, before)


EVERYWHERE = pytest.mark.parametrize(
    "called", [lambda work: work(), in_a_thread, under_a_timer_of_somebody_else]
)


@EVERYWHERE
def test_plain_python_is_stopped_wherever_it_runs(called):
    def work():
        words = r"ran out, at .*test_limit\.py:"
        with pytest.raises(BudgetSpent, match=words), time_limit(0.05, 9.0):
            busy()
        return "goes on"

    assert called(work) == "goes on"


@EVERYWHERE
@pytest.mark.parametrize(("outer", "inner", "ends"), [(60.0, 0.05, "inner"), (0.05, 60.0, "outer")])
def test_of_nested_limits_the_one_that_ends_first_counts(called, outer, inner, ends):
    def work():
        try:
            with limit_time(outer, lambda line: RuntimeError("outer")):
                try:
                    with limit_time(inner, lambda line: KeyError("inner")):
                        busy()
                except KeyError:
                    return "inner"
        except RuntimeError:
            return "outer"

    assert called(work) == ends


@EVERYWHERE
def test_after_a_nested_limit_the_outer_one_still_stops(called):
    def work():
        try:
            with limit_time(0.1, lambda line: RuntimeError("outer")):
                with limit_time(60.0, lambda line: KeyError("inner")):
                    pass
                busy()
        except RuntimeError:
            return "outer"

    assert called(work) == "outer"


@pytest.mark.long
def test_nothing_is_left_on_its_way_to_a_thread():
    """A flag that stays up would stop the next traced function at its first instruction."""
    import sys

    traced = []

    def work():
        for _ in range(20):
            with pytest.raises(BudgetSpent), limit_time(0.06, lambda where: BudgetSpent(where)):
                busy()
        sys.settrace(lambda *event: traced.append(event[1]))
        try:
            (lambda: None)()
        finally:
            sys.settrace(None)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(60)
    assert not thread.is_alive()
    assert traced


@pytest.mark.parametrize(("computed", "passed", "seconds"), [(3, 5, 3), (0, 50, 5), (4, 4, 4)])
def test_seconds(monkeypatch, computed, passed, seconds):
    now = {"process_time": 7.0, "monotonic": 100.0}
    for name in now:
        monkeypatch.setattr(limit.time, name, lambda name=name: now[name])
    watch = limit.Stopwatch()
    now["process_time"] += computed
    now["monotonic"] += passed
    assert watch.seconds == pytest.approx(seconds)
