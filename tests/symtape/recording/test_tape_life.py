"""When a tape records: entering, leaving, pausing, resetting, answering, freeing."""

from __future__ import annotations

import gc
import threading
import tracemalloc
import weakref

import numpy as np
import pytest

import symtape
from symtape import GradientTape, Variable
from symtape.recording.stack import STACK


@pytest.fixture(autouse=True)
def _nothing_left_recording():
    yield
    assert not STACK.recorders


def test_reentering_a_closed_tape_goes_on_recording():
    tape = GradientTape()
    with tape:
        x = symtape.constant(3.0)
        tape.watch(x)
        y = 2 * x
    with tape:
        z = 2 * y
    assert tape.gradient(z, [x])[0].numpy() == 4.0


def test_what_runs_between_two_entries_is_constant():
    x = Variable(3.0)
    tape = GradientTape()
    with tape:
        y = x * x
    unseen = x * x
    with tape:
        z = y + unseen
    assert tape.gradient(z, x).numpy() == 6.0


def test_entering_twice_at_once_is_a_value_error_and_harmless():
    x = Variable(3.0)
    with GradientTape() as tape:
        with pytest.raises(ValueError, match="cannot be entered twice"), tape:
            pass
        y = x * x
    assert tape.gradient(y, x).numpy() == 6.0


def test_a_tape_that_has_answered_begins_anew_when_it_is_entered():
    x = Variable(3.0)
    tape = GradientTape()
    for power in (2, 3):
        with tape:
            y = x**power
        assert tape.gradient(y, x).numpy() == power * 3.0 ** (power - 1)
        with pytest.raises(RuntimeError, match="persistent=True"):
            tape.gradient(y, x)


@pytest.mark.parametrize("question", ["gradient", "jacobian", "batch_jacobian"])
def test_a_tape_answers_once_unless_it_is_persistent(question):
    x = Variable([1.0, 2.0])
    for persistent in (False, True):
        with GradientTape(persistent=persistent) as tape:
            y = x * x
        first = getattr(tape, question)(y, x).numpy()
        if persistent:
            np.testing.assert_array_equal(getattr(tape, question)(y, x).numpy(), first)
        else:
            with pytest.raises(RuntimeError, match=f"{question}.*persistent=True"):
                getattr(tape, question)(y, x)


def test_a_question_that_cannot_be_answered_does_not_use_the_tape_up():
    x = Variable(3.0)
    with GradientTape() as tape:
        y = x * x
    for wrong in ({"target": 3.0, "sources": x}, {"target": y, "sources": 3.0}):
        with pytest.raises(TypeError):
            tape.gradient(**wrong)
    assert tape.gradient(y, x).numpy() == 6.0


@pytest.mark.parametrize("persistent", [False, True])
def test_gradient_inside_the_block(persistent):
    x = Variable(3.0)
    with GradientTape(persistent=persistent) as tape:
        y = x * x
        g = tape.gradient(y, x)
        z = g * x
    assert g.numpy() == 6.0
    if persistent:
        assert tape.gradient(z, x).numpy() == 12.0


def test_one_persistent_tape_for_higher_orders_inside_its_own_block():
    x = Variable(2.0)
    derivatives = []
    with GradientTape(persistent=True) as tape:
        y = x**5
        for _ in range(4):
            y = tape.gradient(y, x)
            derivatives.append(float(y.numpy()))
    assert derivatives == [5 * 2**4, 20 * 2**3, 60 * 2**2, 120 * 2]


def test_an_exception_leaves_no_tape_active_and_keeps_what_was_recorded():
    x = Variable(3.0)
    outer, inner = GradientTape(), GradientTape()
    results = []

    def fail():
        results.append(x * x)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), outer, inner:
        fail()
    assert not STACK.recorders
    for tape in (outer, inner):
        assert tape.gradient(results[0], x).numpy() == 6.0


def test_an_error_in_a_sweep_leaves_no_tape_active():
    @symtape.custom_gradient
    def broken(x):
        def grad(dy):
            raise KeyError("in grad")

        return x * 1, grad

    x = Variable(3.0)
    with GradientTape() as outer:
        with GradientTape() as inner:
            y = broken(x)
        with pytest.raises(KeyError):
            inner.gradient(y, x)
        z = x * x
    assert outer.gradient(z, x).numpy() == 6.0


def test_tapes_may_close_in_any_order():
    x = Variable(3.0)
    a, b = GradientTape(), GradientTape()
    a.__enter__()
    b.__enter__()
    y = x * x
    a.__exit__(None, None, None)
    z = y * x
    b.__exit__(None, None, None)
    assert a.gradient(z, x) is None
    assert b.gradient(z, x).numpy() == 27.0


def test_stop_recording_pauses_one_tape_only():
    x = Variable(3.0)
    with GradientTape() as one, GradientTape() as other:
        with one.stop_recording():
            y = x * x
        z = y * x
    assert one.gradient(z, x).numpy() == 9.0
    assert other.gradient(z, x).numpy() == 27.0


@pytest.mark.parametrize("entered", [False, True])
def test_stop_recording_needs_a_tape_that_records(entered):
    tape = GradientTape()
    if entered:
        with tape:
            pass
    with pytest.raises(ValueError, match="recording"), tape.stop_recording():
        pass


def test_stop_recording_resumes_after_an_exception():
    x = Variable(3.0)
    with GradientTape() as tape:
        with pytest.raises(ZeroDivisionError), tape.stop_recording():
            raise ZeroDivisionError
        y = x * x
    assert tape.gradient(y, x).numpy() == 6.0


def test_reset_forgets_and_a_watch_after_it_counts():
    x = symtape.constant(3.0)
    v = Variable(2.0)
    with GradientTape() as tape:
        tape.watch(x)
        before = x * v
        tape.reset()
        assert tape.watched_variables() == ()
        after = x * v
        tape.watch(x)
        z = before + after + x * x
    assert tape.gradient(z, [x, v]) == [6.0, 3.0]


def test_threads_have_their_own_stacks():
    x = Variable(3.0)
    found = {}
    inside, proceed = threading.Event(), threading.Event()

    def work():
        found["outer"] = bool(STACK.recorders)
        with GradientTape() as tape:
            y = x * x
            inside.set()
            proceed.wait(10)
        found["gradient"] = tape.gradient(y, x).numpy()

    thread = threading.Thread(target=work)
    with GradientTape() as tape:
        y = x**3
        thread.start()
        assert inside.wait(10)
        assert [tape] == STACK.recorders
        z = x * y
        proceed.set()
        thread.join()
    assert found == {"outer": False, "gradient": 6.0}
    assert tape.gradient(z, x).numpy() == 4 * 27.0


def _peak(tape_keeps):
    gc.freeze()  # the collection below is of what is kept here, not of all that others left
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        kept = tape_keeps()
        gc.collect()
        return tracemalloc.get_traced_memory()[0] - before, kept
    finally:
        tracemalloc.stop()


N = 100_000


@pytest.mark.parametrize(
    ("operation", "arrays"),
    [
        (lambda x: x + 1.0, 0),
        (lambda x: -x, 0),
        (lambda x: x * 2.0, 0),
        (lambda x: np.reshape(x, (10, -1)).ravel(), 0),
        (lambda x: x - np.sum(x), 0),
        (np.sin, 1),
        (lambda x: x * x, 1),
        (lambda x: np.exp(-x), 1),
    ],
    ids=["add", "negative", "scale", "reshape", "broadcast", "sin", "square", "exp"],
)
def test_rules_keep_only_what_they_use(operation, arrays):
    """Ten operations in a chain hold the arrays their rules ask for, and no other."""
    tape = GradientTape()
    x = symtape.constant(np.full(N, 1e-3))

    def run():
        y = x
        with tape:
            tape.watch(x)
            for _ in range(10):
                y = operation(y)
        return weakref.ref(y)

    used, _ = _peak(run)
    assert used < (10 * arrays + 0.5) * N * 8


def test_an_answer_frees_what_a_tape_holds():
    x = symtape.constant(np.full(N, 1e-3))
    tape = GradientTape()

    def run():
        y = x
        with tape:
            tape.watch(x)
            for _ in range(10):
                y = np.sin(y)
        assert tape.gradient(y, x).shape == (N,)

    used, _ = _peak(run)
    assert used < 0.5 * N * 8


def test_a_persistent_tape_frees_what_it_holds_when_it_goes():
    tape = GradientTape(persistent=True)
    v = Variable(np.ones(3))
    with tape:
        middle = np.sin(v)
        y = middle * v
    held, gone = weakref.ref(middle), weakref.ref(tape)
    del middle
    assert tape.gradient(y, v) is not None
    assert held() is not None
    del tape
    gc.collect()
    assert held() is None
    assert gone() is None
