"""Functions of arrays for loops of machine code, and how their results are held against NumPy's."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest

import symtape
from symtape.programs.compiled.loop import Loop
from symtape.programs.compiled.program import Program


def loops(program):
    """The loops of a program, each once."""
    return list(program.run.loops)


def same(one, other):
    """The same bits; of a nan any."""
    one, other = np.asarray(one), np.asarray(other)
    is_nan = np.isnan(one) & np.isnan(other)
    assert one.shape == other.shape
    assert one.dtype == other.dtype
    bits = one.tobytes() == other.tobytes()
    assert bits or np.all(is_nan | ((one == other) & (np.signbit(one) == np.signbit(other))))


@contextlib.contextmanager
def no_loop_refuses():
    """What a program is given lies as where it was recorded, so that no loop is left to NumPy."""

    def refuse(loop, *arrays):
        raise AssertionError(f"{loop.graph} refuses {[x.strides for x in arrays]}")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Loop, "__call__", refuse)
        yield


def check(function, *args, least=1):
    """Two calls, for the second finds what the first left in buffers."""
    with np.errstate(all="ignore"):
        graph = symtape.record(function, *args)
    numpy, fused = Program(graph, "f", "numpy"), Program(graph, "f", "fused")
    assert len(loops(fused)) >= least, fused.run.source
    with np.errstate(all="ignore"):
        for _ in range(2):
            with no_loop_refuses():
                found = fused.run(*args)
            wanted = numpy.run(*args)
            assert len(found) == len(wanted)
            for pair in zip(found, wanted, strict=True):
                same(*pair)
    return fused


SUMS = [
    *[((n,), None) for n in (2, 3, 7, 8, 9, 15, 16, 17, 31, 63)],
    *[((n, 3), axis) for n in (2, 7, 8, 9, 20) for axis in (0, 1)],
    *[((n,), None) for n in (64, 65, 127, 128, 129, 136, 257, 1000, 8191, 8193, 100_003)],
    *[((n, 70), 0) for n in (1, 2, 9, 300)],
    *[((70, n), 1) for n in (1, 2, 3, 7, 8, 9, 16, 127, 130, 1001)],
    *[((5, 6, 7), axis) for axis in (0, 1, 2, (0, 1), (1, 2), (0, 2), (0, 1, 2), -1, (-3, -1))],
    *[((9, 1, 70), axis) for axis in (0, 1, 2, (0, 1), (1, 2), (0, 2))],
    *[((64, 3, 1), axis) for axis in (0, 1, 2, (0, 1), (1, 2), (0, 2))],
]


OPERATIONS = {
    "arithmetic": lambda x, y: -((x + y) * (x - 2.0) / y) + (+x),
    "roots": lambda x, y: np.sqrt(np.abs(x)) * np.square(y) + np.sqrt(y),
    "choices": lambda x, y: np.where(x < y, x * y, np.where(x == y, x, -y)),
    "comparisons": lambda x, y: (x > y) * x + (x >= 1.0) * y - (x != y) * 2.0 + (x <= y) * y,
    "truths that stay": lambda x, y: np.where(np.isnan(x), 1.0, (x < y) * x) + y,
    "whole numbers": lambda x, y: (x * 2 + y / 3) - 1,
}


VIEWS = {
    "transposed": lambda x: (x.T * x * 2.0 - 1.0) / x.T,
    "reversed": lambda x: (x[::-1, ::-1] * x - 1.0) / 3.0,
    "strided": lambda x: x[::2, 1::2] * x[1::2, ::2] - x[:10, :10],
    "rows": lambda x: (x[3] - x) * x[:, 4:5],
    "numbers": lambda x: (x - x[0, 1]) * x[2, 2] + np.sum(x),
    "broadcast": lambda x: x[:, None, :] * x[None, :, :] - 1.0,
    "truths": lambda x: np.where((x > 0)[:, ::-1].T, x, -x) * (x[:1] > 0),
    "used and given": lambda x: (x * x, (x * x - 1.0) * x, x),
    "a number for each": lambda x: np.sum((x - np.sum(x * 2.0, 1, keepdims=True)) ** 2),
}
