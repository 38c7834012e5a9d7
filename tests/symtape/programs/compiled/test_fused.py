"""Loops over arrays: every bit is that of NumPy, however arrays lie, and whatever is in them."""

from __future__ import annotations

import contextlib
import functools
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symtape
from symtape.programs.compiled.fused_source import FusedSource, fuse_graph
from symtape.programs.compiled.loop import Loop, loop_of
from symtape.programs.compiled.passes import optimise_graph
from symtape.programs.compiled.program import Program
from symtape.programs.compiled.segments import Segment
from tests.symtape.programs.compiled.loops_of_arrays import (
    OPERATIONS,
    SUMS,
    VIEWS,
    check,
    loops,
    no_loop_refuses,
    same,
)
from verify.strategies import programs

pytest.importorskip("llvmlite")

DRAW = np.random.default_rng(0)
HARD = np.array([0.0, -0.0, 1.5, -2.0, np.inf, -np.inf, np.nan, 5e-324, 1e308, -1e-310])


def numbers(*shape):
    return DRAW.normal(size=shape) * 10.0 ** DRAW.integers(-6, 6, shape)


@pytest.mark.parametrize(("shape", "axis"), SUMS, ids=str)
def test_sums_are_in_the_order_of_numpy(shape, axis):
    """As results beside the terms, and alone."""
    x = numbers(*shape)
    check(lambda x: (np.sum(x * x - 1.0, axis), x * x - 1.0), x)
    check(lambda x: np.sum((x * 3.0 - x) / 7.0, axis, keepdims=True), x)


def test_sums_of_several_axes_at_once():
    x, y = numbers(12, 10, 9), numbers(10, 1)

    def f(x, y):
        z = x * y - 0.5
        return np.sum(z, 0), np.sum(z, 1), np.sum(z, 2), np.sum(-z, (0, 1)), z

    check(f, x, y)
    check(f, x.transpose(2, 1, 0).copy(), y)


def test_a_sum_that_is_used_again_ends_the_loop():
    x = numbers(40, 20)
    program = check(lambda x: (x * 2.0 - 1.0) / np.sum(x * 2.0 - 1.0, 1)[:, None] - x, x, least=2)
    assert len(loops(program)) == 2


@pytest.mark.parametrize("name", OPERATIONS)
def test_operations_on_hard_numbers(name):
    x, y = (one.ravel() for one in np.meshgrid(HARD, HARD))
    check(OPERATIONS[name], x, y)
    check(OPERATIONS[name], x[:99].copy(), y[:99].copy())


@pytest.mark.parametrize("name", VIEWS)
def test_arrays_that_lie_otherwise(name):
    check(VIEWS[name], numbers(20, 20))


def test_what_is_given_is_not_written_and_what_is_returned_is_new():
    x = numbers(50, 40)
    x.flags.writeable = False
    before = x.copy()
    compiled = symtape.jit(lambda x: (x * 2.0 - 1.0, (x * 2.0 - 1.0) ** 2 / 3.0), backend="fused")
    first = compiled(x)
    kept = [part.copy() for part in first]
    second = compiled(x + 1.0)
    same(x, before)
    for mine, copy, later in zip(first, kept, second, strict=True):
        same(mine, copy)
        assert not np.shares_memory(mine, later)
    assert not np.shares_memory(*first)


def test_one_array_as_both_arguments():
    compiled = symtape.jit(lambda x, y: (x - y) * x + np.sum(x * y, 0), backend="fused")
    x = numbers(30, 30)
    compiled(x, numbers(30, 30))
    same(compiled(x, x), (x - x) * x + np.sum(x * x, 0))
    same(compiled(x[::-1], x.T), (x[::-1] - x.T) * x[::-1] + np.sum(x[::-1] * x.T.copy(), 0))


def test_a_loop_that_is_given_what_lies_otherwise_leaves_it_to_numpy():
    graph = symtape.record(lambda x: (x * 2.0 - 1.0) * x, numbers(9, 9))
    (loop,) = loops(Program(graph, "f", "fused"))
    x = numbers(9, 9)
    same(loop.entry(x, None)[0], (x * 2.0 - 1.0) * x)
    into = np.empty((9, 9))
    assert loop.entry(x, into)[0] is into
    unaligned = np.frombuffer(b"." + x.tobytes(), np.uint8)[1:].view(np.float64).reshape(9, 9)
    for other in (x.T, x[:8], x.astype(np.float32), x.astype(">f8"), 1.0, unaligned, x[0]):
        assert loop.entry(other, None) is None
        if np.shape(other) == (9, 9):
            np.testing.assert_allclose(loop(other)[0], (other * 2.0 - 1.0) * other, rtol=1e-6)
    assert loop.entry(x) is None


SPIN = np.kron([[0, -1j], [1j, 0]], np.eye(2))


def turned_back(x):
    """What is added to a slice of an array that lies by columns."""
    u = x.T[::-1] * x[0]
    for _ in range(3):
        u = (np.stack([row * u[0] for row in u.T]).T + x) * u[1]
    return np.sum(u**2)


def of_a_part_of_a_constant(x):
    return np.sum(np.abs(np.fft.fft(x @ SPIN) * x) ** 2)


@pytest.mark.parametrize("function", [turned_back, of_a_part_of_a_constant])
def test_loops_are_given_what_lies_as_they_expect(function, monkeypatch):
    x = np.random.default_rng(4).normal(size=(4, 4))
    compiled = symtape.compile(symtape.grad(function), x)
    wanted = symtape.grad(function)(2 * x)

    def refuse(*arrays):
        raise AssertionError("an array lies otherwise")

    for kind in (Loop, Segment):
        monkeypatch.setattr(kind, "__call__", refuse)
    np.testing.assert_allclose(compiled(2 * x), wanted, rtol=1e-12, atol=1e-10)


@given(axes=st.permutations(range(3)), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=12, derandomize=True, deadline=None)
def test_results_of_transposed_arrays_are_loops(axes, seed):
    def f(x):
        turned = np.sin(x.transpose(axes))
        return np.sum((2.0 * turned + np.sum(np.cos(turned), axis=0)).reshape(-1, 2) ** 3, axis=1)

    x = np.random.default_rng(seed).normal(size=(4, 2, 6))
    slopes = symtape.grad(lambda x: np.sum(np.exp(f(x))))
    for function in (f, slopes):
        program = FusedSource(symtape.record(function, x), "f", exact=False)
        with no_loop_refuses():
            (found,) = program(x)
        np.testing.assert_allclose(found, function(x), rtol=1e-12, atol=1e-12)
        assert "np." not in program.source, program.source


@pytest.mark.parametrize("shapes", [((5, 2, 2), (5, 2, 3)), ((4, 3), (5, 3, 2)), ((1, 4), (4, 1))])
def test_stacks_of_small_products_are_loops(shapes):
    draw = np.random.default_rng(5)
    a, b = (draw.normal(size=shape) for shape in shapes)
    slopes = symtape.grad(lambda a, b: np.sum(np.sin(a @ b)), (0, 1))
    program = Program(symtape.record(slopes, a, b), "f", "auto")
    for found, wanted in zip(program.run(a, b), slopes(a, b), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-13, atol=1e-14)


def test_nothing_is_lost_and_nothing_is_kept():
    """References to results, to arrays to write into, and to None, are as many as before."""
    graph = symtape.record(lambda x: (x * 2.0 - 1.0, np.sum(x * 2.0 - 1.0)), numbers(100, 100))
    (loop,) = loops(Program(graph, "f", "fused"))
    x, into = numbers(100, 100), np.empty((100, 100))
    before = [sys.getrefcount(one) for one in (x, into)]
    for _ in range(100):
        loop.entry(x, into, None)
        fresh = loop.entry(x, None, None)[0]
        loop.entry(x.T, into, None)
    assert [sys.getrefcount(one) for one in (x, into)] == before
    other = np.empty(1)
    assert sys.getrefcount(fresh) == sys.getrefcount(other)


def test_turns_of_a_loop_share_their_machine_code():
    def f(x, w):
        for _ in range(20):
            x = np.where(x > 0, x, x * 0.5) @ w
        return x

    program = check(f, numbers(5), numbers(5, 5))
    assert len(loops(program)) == 20
    assert program.run.assembly.count("define internal i32") < 5


STEPS = {
    "signs of zero": [lambda x: np.maximum(x, 0.0) * x, lambda x: np.maximum(x, -0.0) * x],
    "constants": [lambda x: (x + 0.5) * x, lambda x: (x + 0.25) * x],
    "operations": [lambda x: (x + 0.5) * x, lambda x: (x - 0.5) * x],
    "operands": [lambda x: (x - 0.5) / x, lambda x: x / (x - 0.5)],
    "strides": [lambda x: (x[:3] + 0.5) * 2.0, lambda x: (x[::3] + 0.5) * 2.0],
    "shapes": [lambda x: (x + 0.5) * x, lambda x: (x[0] + 0.5) * x[0]],
    "axes": [lambda x: np.sum(x * x + x, axis=0), lambda x: np.sum(x * x + x, axis=1)],
    "results": [lambda x: np.sin(x * x + x), lambda x: np.sum(x * x + x)],
}
"""Of each two, what makes them different."""


@pytest.mark.parametrize("name", STEPS)
def test_loops_share_their_machine_code_if_it_is_the_same(name):
    one, other = STEPS[name]
    x = np.concatenate([numbers(8, 9), [np.resize(HARD, 9)]])
    keys = [loops(check(function, x))[0].key for function in (one, other, one)]
    assert keys[0] == keys[2] != keys[1]


@pytest.mark.parametrize(
    ("function", "x"),
    [
        (lambda x: x * 2.0 - 1.0, np.ones((0, 70))),
        (lambda x: x * 2.0 - 1.0, np.ones(1)),
        (lambda x: np.exp(x), np.ones(100)),
        (lambda x: x * 2.0 - 1.0, np.ones(100, np.float16)),
        (lambda x: np.sum(x), np.ones(10)),
    ],
)
def test_what_is_no_work_for_loops_is_left_to_numpy(function, x):
    program = check(function, x, least=0)
    assert loops(program) == []


def test_long_chains_are_cut():
    def f(x):
        for k in range(300):
            x = x * 0.5 + k
        return x

    program = check(f, numbers(80))
    assert 5 < len(loops(program)) < 60


def test_decisions_are_those_of_numpy():
    """What is decided by a sum within rounding is decided alike."""

    def f(x):
        return (x * 2.0 - 1.0) * x if np.sum(x * 1.0) > 0 else x * x * 3.0

    compiled, plain = symtape.jit(f, backend="fused"), symtape.jit(f, backend="numpy")
    for _ in range(20):
        x = DRAW.normal(size=100)
        x[-1] -= np.sum(x)
        same(compiled(x), plain(x))
    assert compiled.programs == plain.programs <= 2


def test_what_is_compared_with_an_integer_is_compared_in_a_loop():
    def f(x, bound):
        total = 0.0
        for row in np.sort(x, axis=0):
            d = row[0] * row[1] - row[2]
            total = total + (d**2 if d < bound else np.exp(-d))
        return total

    found = []
    for bound in (0, 0.0):
        graph = symtape.record(functools.partial(f, bound=bound), numbers(12, 3))
        fused = fuse_graph(optimise_graph(graph), exact=False, with_numbers=True)
        found.append([node.name for node in fused.graph.nodes if node.primitive])
    assert found[0] == found[1]


def test_by_default_loops_are_taken_for_arrays():
    graph = symtape.record(lambda x: np.sin(x * 2.0 - 1.0), np.ones(3000))
    program = Program(graph, "f", "auto")
    assert program.run.backend == "fused"
    assert [loop_of(node) is not None for node in program.graph.nodes].count(True) == 0
    assert len(loops(program)) == 1


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("function", [np.prod, np.cumprod, np.cumsum])
def test_loops_read_what_runs_along_an_axis_as_it_lies_then(function, axis):
    # NumPy leaves these results lying as the array does, and machine code from row to row.
    def f(x):
        return np.sum(np.sin(function(np.exp(-x).T * 2.0, axis=axis)) * 3.0)

    check(symtape.grad(f), numbers(20, 30) * 1e-6)


@given(programs(scalar=False))
@settings(max_examples=40, derandomize=True, deadline=None)
def test_random_programs_have_the_same_bits(program):
    """Of arrays that are large enough for loops."""
    graph = program.graph
    with contextlib.suppress(symtape.errors.SymtapeError):
        graph = symtape.differentiate(graph)
    point = [np.ascontiguousarray(x) if np.ndim(x) else np.float64(x) for x in program.point]
    with np.errstate(all="ignore"):
        wanted, fused = Program(graph, "f", "numpy").run(*point), Program(graph, "f", "fused")
        with no_loop_refuses():
            found = fused.run(*point)
    assert (wanted is None) is (found is None)
    for pair in zip(wanted or (), found or (), strict=True):
        same(*pair)


KNOTS = np.array([-1.0, -0.5, 0.0, 0.0, 0.25, 1.0])
DECIDING = np.concatenate([KNOTS, HARD, DRAW.normal(size=50)])


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.searchsorted(KNOTS, x) * 1.0,
        lambda x: np.searchsorted(KNOTS, x.reshape(2, -1), side="right") * 1.0,
        lambda x: np.interp(np.exp(x), KNOTS, KNOTS**2),
        lambda x: np.cross(x[:33].reshape(11, 3), x[33:36]),
    ],
)
def test_what_numpy_takes_long_for_is_loops(function):
    """Also where it decides: then what it decides by has NumPy's bits."""
    with np.errstate(all="ignore"):
        program = Program(symtape.record(function, DECIDING), "f", "auto")
        assert not {"row_searchsorted", "row_cross"} & set(program.run.source.split())
        np.testing.assert_allclose(program.run(DECIDING)[0], function(DECIDING), rtol=1e-15)
        called = program.run.source + getattr(program.run, "assembly", "")
        assert ("np.exp" in called or "@numpy.exp" in called) == (
            "interp" in function.__code__.co_names
        )
