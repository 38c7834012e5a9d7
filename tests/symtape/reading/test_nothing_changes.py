"""Reading changes nothing of the process: not while it runs, not when it stops in the middle."""

from __future__ import annotations

import gc
import math
import os
import pickle
import random
import signal
import sys
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.special
import scipy.stats

import symtape

X = np.array([0.5, 2.0])
WATCHED = (np, math, scipy.special, threading.Thread, np.vectorize, type(np.r_).__mro__[1])


def scaled(x, scale=2.0):
    return scale * float(np.ravel(np.asarray(x))[0])


def read(x):
    """Code of which most has to be read."""
    y = np.zeros(2)
    y[0], y[1] = scaled(x), math.exp(x[1])
    return np.sum(np.vectorize(scaled)(y[:1, None])) + scipy.stats.norm.logpdf(y[1])


def state():
    """What a process could be changed in: names of modules and classes, code, cells, defaults."""
    found = [(type(each), dict(vars(each))) for each in WATCHED]
    functions = [(f.__code__, f.__defaults__, dict(f.__globals__)) for f in (scaled, read)]
    return found, functions, sys.getprofile(), signal.getsignal(signal.SIGINT)


def is_same(one, other):
    if type(one) is not type(other):
        return False
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(is_same, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(one[key] is other[key] for key in one)
    return one is other


@pytest.fixture(autouse=True)
def unchanged():
    symtape.grad(read)(X)  # modules that load when they are first asked for
    before = state()
    yield
    assert is_same(state(), before)


class Stopped(BaseException):
    """What is raised where nobody expects it."""


@pytest.mark.long
def test_an_exception_at_any_line_leaves_nothing_behind():
    before, slope = state(), symtape.grad(read)(X)
    lines = count_lines(lambda: symtape.grad(read)(X))
    for number in random.Random(0).sample(range(lines), 60):
        with pytest.raises(Stopped):
            stop_at_line(number, lambda: symtape.grad(read)(X))
        assert is_same(state(), before)
        np.testing.assert_array_equal(symtape.grad(read)(X), slope)


def count_lines(call):
    """How many lines of ours `call` runs."""
    return trace_lines(call, -1)


def stop_at_line(number, call):
    trace_lines(call, number)


def trace_lines(call, last):
    count = 0

    def trace(frame, event, arg):
        nonlocal count
        if "symtape" not in frame.f_code.co_filename:
            return None
        if event == "line":
            if count == last:
                sys.settrace(None)
                raise Stopped
            count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return count


# An interrupt that lands in a callback of the collector or of a weak reference is lost anywhere.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.long
def test_interrupts_leave_nothing_behind():
    before, slope = state(), symtape.grad(read)(X)
    draw = random.Random(0)
    for _ in range(100):
        timer = threading.Timer(draw.uniform(0, 2e-3), signal.raise_signal, [signal.SIGINT])
        try:
            timer.start()
            while timer.is_alive():
                symtape.grad(read)(X)
            time.sleep(1e-3)
        except KeyboardInterrupt:
            pass
        timer.join()
        assert is_same(state(), before)
    np.testing.assert_array_equal(symtape.grad(read)(X), slope)


def test_other_threads_see_nothing_of_it():
    wrong, ended = [], threading.Event()
    originals = (np.zeros, np.asarray, math.exp, np.vectorize, scipy.special.logsumexp)

    def look():
        while not ended.is_set():
            if pickle.loads(pickle.dumps(np.zeros)) is not originals[0]:
                wrong.append("pickle")
            now = (np.zeros, np.asarray, math.exp, np.vectorize, scipy.special.logsumexp)
            if any(a is not b for a, b in zip(now, originals, strict=True)):
                wrong.append("names")

    others = [threading.Thread(target=look) for _ in range(4)]
    for other in others:
        other.start()
    with ThreadPoolExecutor(4) as pool:
        slopes = list(pool.map(lambda _: symtape.grad(read)(X), range(16)))
    ended.set()
    for other in others:
        other.join()
    assert not wrong
    assert all(np.array_equal(slope, slopes[0]) for slope in slopes)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_in_the_middle_sees_nothing_of_it():
    before = (np.zeros, math.exp)
    seen = []

    def forks(x):
        y = float(np.asarray(x)[0])
        if not seen:
            child = os.fork()
            if not child:
                os._exit(0 if (np.zeros, math.exp) == before else 1)
            seen.append(os.waitpid(child, 0)[1])
        return y**2

    np.testing.assert_array_equal(symtape.grad(forks)(X), [1.0, 0.0])
    assert seen == [0]


def test_a_function_that_was_read_is_not_kept():
    """A closure may hold an array of any size, and the function itself."""

    def made(scale):
        def power(x, n):
            return 1.0 if n == 0 else scale * math.sin(x[0]) * power(x, n - 1)

        return power

    def read_once():
        function = made(np.ones(3)[0])
        symtape.grad(lambda x: function(x, 2))(X)
        return weakref.ref(function)

    known = read_once()
    gc.collect()
    assert known() is None


def test_what_a_function_has_become_is_read():
    def f(x, scale=2.0):
        return scale * math.exp(x[0])

    scope = {"math": math, "__name__": "example"}
    bare = type(f)(f.__code__, scope, "bare", (2.0,))
    assert symtape.grad(bare)(X)[0] == 2 * math.exp(0.5)
    bare.__defaults__ = (3.0,)
    assert symtape.grad(bare)(X)[0] == 3 * math.exp(0.5)
