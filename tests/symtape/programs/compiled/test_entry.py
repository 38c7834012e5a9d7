"""Machine code takes the arguments that it was made for, refuses all others, and owns nothing."""

from __future__ import annotations

import gc
import pickle
import sys
import threading
import tracemalloc

import numpy as np
import pytest

import symtape
from symtape.errors import Unsupported
from symtape.programs.compiled import assembly, entry
from symtape.programs.compiled.program import Program

pytest.importorskip("llvmlite")


def of(function, *args):
    return Program(symtape.record(function, *args), "f", "llvm").run.entry


X = np.arange(1.0, 7.0).reshape(2, 3)
PAIR = of(lambda x, s: (x * s, np.sum(x) - s, s), X, 2.0)


class Own(np.ndarray):
    """An array of another class."""


TAKEN = [
    (X, 2.0),
    (X, np.float64(2.0)),
    (np.broadcast_to(X, (1, 2, 3))[0], 2.0),
    (X[:, ::1], True * 2.0),
    (pickle.loads(pickle.dumps(X)), 2.0),
]
REFUSED = [
    (),
    (X,),
    (X, 2.0, 3.0),
    (2.0, X),
    (X, 2),
    (X, np.float32(2.0)),
    (X, np.array(2.0)),
    (X, np.array([2.0])),
    (X, True),
    (X, None),
    (X.tolist(), 2.0),
    (X.T, 2.0),
    (X.reshape(3, 2), 2.0),
    (X.ravel(), 2.0),
    (X[None], 2.0),
    (X[:, ::-1], 2.0),
    (np.asfortranarray(X), 2.0),
    (X.astype(np.float32), 2.0),
    (X.astype(np.int64), 2.0),
    (X.astype(">f8"), 2.0),
    (X.astype("m8[s]"), 2.0),
    (X.view(Own), 2.0),
    (np.frombuffer(b"\0" + X.tobytes(), np.uint8)[1:].view(np.float64).reshape(2, 3), 2.0),
]


@pytest.mark.parametrize("args", TAKEN, ids=range(len(TAKEN)))
def test_what_it_was_made_for_is_computed(args):
    product, total, number = PAIR(*args)
    np.testing.assert_array_equal(product, X * 2.0)
    assert (total, number) == (19.0, 2.0)
    assert type(total) is type(number) is np.float64
    assert type(product) is np.ndarray
    assert product.flags.owndata
    assert product.flags.writeable


@pytest.mark.parametrize("args", REFUSED, ids=range(len(REFUSED)))
def test_all_else_is_refused(args):
    assert PAIR(*args) is None


@pytest.mark.parametrize("on_stack", [0, 1 << 15])
def test_a_call_keeps_nothing(on_stack, monkeypatch):
    """Neither of what is returned nor of what is refused, with memory on the stack or beside it."""
    floats = 100
    monkeypatch.setattr(entry, "ON_STACK", on_stack)
    monkeypatch.setattr(assembly, "LONGEST", 50)
    call = of(lambda x: (np.sin(x) * x if x[0] > 0 else x, np.sum(x)), np.ones(floats))
    good, other = np.ones(floats), -np.ones(floats)

    def all_ways():
        assert call(good) is not None
        assert call(other) is None
        assert call(1) is None

    all_ways()
    gc.collect()
    counts = [sys.getrefcount(x) for x in (None, np.ndarray, np.dtype(float), good)]
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(200):
        all_ways()
    assert tracemalloc.get_traced_memory()[0] - before < 8 * floats
    tracemalloc.stop()
    after = [sys.getrefcount(x) for x in (None, np.ndarray, np.dtype(float), good)]
    assert max(abs(a - b) for a, b in zip(counts, after, strict=True)) < 50


def test_the_code_lives_as_long_as_it_can_be_called():
    call = of(lambda x: (np.diag(x) + np.diag([0.0, 1.0], 0), x), np.ones(2))
    gc.collect()
    for _ in range(3):
        np.testing.assert_array_equal(call(X[0, :2].copy())[0], np.diag([1.0, 3.0]))


def test_the_collector_frees_no_memory_that_a_function_reads():
    """Of garbage it clears what it tracks first, and functions are freed after that."""
    made = Program(symtape.record(lambda x: x * 2.0, 1.0), "f", "llvm").run.entry
    method, _ = made.__self__
    assert not gc.is_tracked(method)
    around = {"made": made}
    around["itself"] = around
    del made, method, around
    gc.collect()


def test_a_python_whose_objects_lie_otherwise_is_refused(monkeypatch):
    for name in ("_NDIM", "_DTYPE", "_FLAGS", "_ITEMS", "_TYPE", "_NUMBER_OF_TYPE"):
        with monkeypatch.context() as patched:
            patched.setattr(entry, name, getattr(entry, name) + 8)
            with pytest.raises(Unsupported, match="the objects of this Python"):
                entry.check_layout()
            # Without a back end that is asked for it is NumPy code.
            program = Program(symtape.record(lambda x: np.sin(x) * x, [1.0, 2.0]), "f", "auto")
            assert program.run.backend == "numpy"
    entry.check_layout()


def test_other_threads_change_nothing_of_what_is_looked_at():
    done, before = threading.Event(), sys.getswitchinterval()

    def fill_memory():
        while not done.is_set():
            [k * 10**11 for k in range(50)]

    other = threading.Thread(target=fill_memory)
    sys.setswitchinterval(1e-6)
    try:
        other.start()
        for _ in range(20_000):
            entry.check_layout()
    finally:
        done.set()
        other.join()
        sys.setswitchinterval(before)
