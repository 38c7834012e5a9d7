"""Machine code is what NumPy computes, within rounding; what it cannot be is refused."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings

import symtape
from symtape.errors import Unsupported
from symtape.programs.compiled import assembly, scalars
from symtape.programs.compiled.passes import optimise_graph
from symtape.programs.compiled.program import Program
from symtape.programs.compiled.scalars import Scalars
from symtape.rigorous.rounding import model
from verify.strategies import programs

pytest.importorskip("llvmlite")

HARD = np.array([0.0, -0.0, 1.0, -1.5, np.inf, -np.inf, np.nan, 5e-324])


def close(found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-300)
    assert found.dtype == wanted.dtype
    assert np.shape(found) == np.shape(wanted)
    zeros = np.asarray(wanted) == 0
    assert (np.signbit(found) == np.signbit(wanted))[zeros].all()


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x * x - x / (x + 1) + np.square(x),
        lambda x: np.where(x > 0.5, x, -x) + np.where(x == x, 1.0, 2.0),
        lambda x: np.where(x < 1, np.abs(x), 0.0) + (x <= 1) * x + (x != x[::-1]),
        lambda x: np.sqrt(np.abs(x)) * np.arctan2(x, x[::-1]),
        lambda x: x.reshape(2, 4).T @ x[:2] + x[2:6],
        lambda x: (x[:, None] * x) @ x,
        lambda x: np.diag(x[:3], -1) + np.triu(x.reshape(2, 4).T @ np.ones((2, 4))),
        symtape.jacobian(lambda x: x * x[::-1] + 2.0 * x),
        lambda x: np.roll(np.flip(x), 3) + x[[0, 0, 5, 1, 2, -1, 3, 3]],
        lambda x: (np.sum(x.reshape(2, 2, 2), axis=(0, 2)), x[0], x[3:3]),
        symtape.grad(lambda x: np.sum(x[1:] * x[:-1]) + x[2] * x[0]),
        symtape.grad(lambda x: np.sum(x[1:] * -0.0) + np.sum(x[3:] * x[:5])),
        symtape.grad(lambda x: np.sum(x[:2] * -x[2:4]) + np.sum(x[3:] * x[3:]) + x[5] * x[1]),
        symtape.grad(lambda x: np.sum(x[::-1] * x * -1.0) + np.sum(x[6:2:-2] * x[:2])),
        lambda x: np.sum(x.reshape(4, 2) * -0.0, axis=0) + np.sum(x[1:2]) * -0.0,
        lambda x: np.sum(x.reshape(8, 1) * -1.0, axis=1),
        lambda x: np.ones((2, 1)) @ x[:1] - np.dot(x[:1], np.ones(1)),
        lambda x: (x[1:2] @ np.ones(1), x[:2] @ np.ones(2)),
    ],
)
def test_operations_on_hard_numbers(function):
    graph = symtape.record(function, np.arange(1.0, 9.0))
    try:
        program = Program(graph, "f", "llvm")
    except Unsupported:
        pytest.fail("it is to be machine code")
    with np.errstate(all="ignore"):
        for point in (HARD, np.roll(HARD, 3), np.linspace(-2, 3, 8)):
            for found, wanted in zip(program.run(point), graph.evaluate(point), strict=True):
                close(found, wanted)


@pytest.mark.parametrize("step", [1, 3, -2])
def test_a_vector_is_summed_in_the_order_of_numpy(step):
    """So that a program may decide by the sum."""
    draw = np.random.default_rng(2)
    for count in (*range(1, 20), 127, 128, 129, 136, 300, 1030):
        x = draw.normal(size=count * abs(step)) * 10.0 ** draw.integers(-9, 9, count * abs(step))
        graph = optimise_graph(symtape.record(lambda x: np.sum(x[::step]), x))
        assert Scalars(graph).decides_as_numpy
        assert Program(graph, "f", "llvm").run(x)[0] == np.sum(x[::step]), count


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.cross(x[:3], x[3:6]),
        lambda x: np.cross(x[:6].reshape(2, 3), x[2:5]),
        lambda x: np.outer(x[:4], x),
        np.cumsum,
        np.cumprod,
        lambda x: np.cumsum(x.reshape(4, 2), axis=0),
        symtape.grad(lambda x: np.cumprod(x) @ x[::-1]),
    ],
)
def test_products_and_running_sums_of_elements_have_the_bits_of_numpy(function):
    """So that a program may decide by them."""
    draw = np.random.default_rng(3)
    decided = lambda x: np.where(function(x) > 0, 1.0, 2.0)  # noqa: E731
    for _ in range(20):
        x = draw.normal(size=8) * 10.0 ** draw.integers(-5, 5, 8)
        assert Scalars(optimise_graph(symtape.record(decided, x))).decides_as_numpy
        found = Program(symtape.record(function, x), "f", "llvm").run(x)[0]
        assert found.tobytes() == function(x).tobytes()


def test_a_program_may_decide_by_the_length_of_a_vector():
    def orbit(y):
        for _ in range(20):
            pull = -y[:3] / np.linalg.norm(y[:3]) ** 3
            y = y + 0.01 * np.concatenate([y[3:], pull])
        return np.linalg.norm(y[:3])

    y = np.array([1.0, 0.1, 0.05, -0.05, 0.95, 0.2])
    slope = symtape.grad(orbit)
    program = Program(symtape.record(slope, y), "f", "auto")
    assert program.run.backend == "llvm"
    np.testing.assert_allclose(program.run(y)[0], slope(y), rtol=1e-13)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.sum(np.cumprod(x) ** 2),
        lambda x: np.sum(np.cumprod(x.reshape(25, 20), axis=0) * np.cumsum(x).reshape(25, 20)),
        lambda x: np.sum(np.cumsum(x[::-1].reshape(25, 20), axis=1) ** 2),
    ],
)
def test_running_sums_and_products_are_as_long_as_their_lines(function):
    draw = np.random.default_rng(0)
    points = [1.0 + 0.1 * draw.normal(size=500) for _ in range(2)]
    points[1][[3, 400]] = 0.0
    graph = symtape.record(symtape.grad(function), points[0])
    program = Program(graph, "f", "llvm")
    for x in points:
        (found,), (wanted,) = program.run(x), graph.evaluate(x)
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)


def test_long_programs_are_cut_and_values_cross():
    def f(x, y):
        for power in np.random.default_rng(0).permutation(300):
            for k in range(power % 5):
                x, y = x + 0.01 * np.sin(y), y - (0.01 * x if k == 2 else 0.02) * (x < 100)
        return x * y

    graph = symtape.record(symtape.grad(f, (0, 1)), 1.0, 2.0)
    program = Program(graph, "f", "llvm")
    assert program.run.source.count("define internal") > 5
    for found, wanted in zip(
        program.run(np.float64(1.5), np.float64(0.5)), graph.evaluate(1.5, 0.5), strict=True
    ):
        close(found, wanted)


def test_loops_are_as_short_as_what_they_repeat():
    def f(x, y, steps):
        for _ in range(steps):
            x, y = x + 0.01 * np.sin(y), y - 0.01 * x * (x < 100)
        return x * y

    sources = []
    for steps in (50, 2000):
        graph = symtape.record(symtape.grad(lambda x, y, n=steps: f(x, y, n), (0, 1)), 1.0, 2.0)
        run = Program(graph, "f", "llvm").run
        sources.append(run.source)
        for found, wanted in zip(
            run(np.float64(1.5), np.float64(0.5)), graph.evaluate(1.5, 0.5), strict=True
        ):
            close(found, wanted)
    assert sources[1].count("\n") < sources[0].count("\n") + 20


@pytest.mark.parametrize(
    ("function", "x", "words"),
    [
        (lambda x: np.linalg.det(x), np.eye(2), "det in machine numbers"),
        (lambda x: np.sin(x), np.float32(1.0), "float32"),
        (lambda x: x > 0, 1.0, "an output of dtype bool"),
        (lambda x: x @ x, np.eye(60), "large matrices"),
        (lambda x: x + x, np.ones(200_000), "200000 numbers"),
        (lambda x: x * (2**60 + 1), 1.0, "whole numbers that no float64"),
        (lambda x: np.sum(x), np.ones(0), "a sum of nothing"),
        (lambda x: np.where(np.tril(x > 0), x, 1.0), np.eye(2), "tril of truth values"),
        (lambda x: np.sum(np.concatenate([x > 0, x])), np.ones(2), "concatenate of truth values"),
    ],
)
def test_what_is_not_for_machine_numbers_is_left_to_numpy(function, x, words):
    graph = optimise_graph(symtape.record(function, x))
    with pytest.raises(Unsupported, match=words):
        Scalars(graph)
    assert Program(graph, "f", "auto").run.backend != "llvm"


def test_what_is_long_and_repeats_nothing_is_left_to_numpy(monkeypatch):
    def f(x):
        for k in np.random.default_rng(0).integers(0, 3, 300).tolist():
            x = (x * 0.5 + k, np.sin(x), x - x * x * 0.1)[k]
        return x

    monkeypatch.setattr(assembly, "_MOST_WRITTEN", 200)
    with pytest.raises(Unsupported, match="more than 200 operations that do not repeat"):
        Program(symtape.record(f, 0.5), "f", "llvm")
    assert Program(symtape.record(f, 0.5), "f", "auto").run.backend == "numpy"


def test_a_program_of_numbers_may_be_as_long_as_its_recording(monkeypatch):
    def f(x):
        for _ in range(300):
            x = x - 0.01 * x * x
        return np.sum(x)

    monkeypatch.setattr(scalars, "MOST_OPERATIONS", 100)
    of_numbers = symtape.record(symtape.grad(f), 0.5)
    program = Program(of_numbers, "f", "auto")
    assert program.run.backend == "llvm"
    close(program.run(np.float64(0.3))[0], of_numbers.evaluate(0.3)[0])
    with pytest.raises(Unsupported, match="operations on numbers"):
        Scalars(optimise_graph(symtape.record(symtape.grad(f), np.ones(9))))


def test_a_number_may_decide():
    """``if x:`` is a decision on a number, and not on a truth value."""
    run = Program(symtape.record(lambda x: x * 2 if x[0] else x, np.ones(2)), "f", "llvm").run
    assert run(np.array([np.nan, 3.0]))[0][1] == 6.0
    for zero in (0.0, -0.0):
        assert run(np.array([zero, 3.0])) is None


def test_programs_of_few_numbers_are_machine_code():
    few = symtape.record(lambda x: np.sin(x) * x, np.ones(3))
    many = symtape.record(lambda x: np.cumsum(x) * x, np.ones(3000))
    assert Program(few, "f", "auto").run.backend == "llvm"
    assert Program(many, "f", "auto").run.backend == "fused"


@pytest.mark.parametrize(
    ("function", "backend"),
    [
        (lambda x: x * 2 if x[0] + x[1] > np.sqrt(np.abs(x[2])) else x, "llvm"),
        (lambda x: np.where(x[:2] @ x[:2] > 100, 1.0, 2.0) * x, "numpy"),
        (lambda x: x if np.sum(x[:1]) + np.sum(x[:2]) > 0 else 2 * x, "llvm"),
        (lambda x: x if np.sum(x) > 0 else 2 * x, "llvm"),
        (lambda x: x if np.sum(x.reshape(2, 4)) > 0 else 2 * x, "numpy"),
        (lambda x: x if -(2 * np.sin(x[0])) < 1 else 2 * x, "llvm"),
        (lambda x: x if np.floor(2 * np.dot(x, x)) < 1 else 2 * x, "numpy"),
        (lambda x: x if 2 * np.sum(x.reshape(2, 4)) else 2 * x, "numpy"),
        (lambda x: np.sum(np.sin(x)) + x, "llvm"),
    ],
)
def test_by_default_machine_code_decides_as_numpy(function, backend):
    graph = symtape.record(function, np.ones(8))
    assert (Program(graph, "f", "auto").run.backend == "llvm") == (backend == "llvm")
    assert Program(graph, "f", "llvm").run.backend == "llvm"
    if Scalars(optimise_graph(graph)).decides_as_numpy:
        Scalars(optimise_graph(graph), is_strict=True)
    else:
        with pytest.raises(Unsupported, match="decision"):
            Scalars(optimise_graph(graph), is_strict=True)


@pytest.mark.parametrize("backend", ["auto", "numpy", "llvm"])
def test_decisions_within_rounding_are_taken(backend):
    """The sum of rows is one float in NumPy's order, and another in that of machine code."""

    def f(x):
        return np.sum(x * x) if np.sum(x.reshape(3, 3)) > 0 else -np.sum(x * x)

    draws = np.random.default_rng(0)
    differ = 0
    for _ in range(5):
        x = draws.normal(size=9)
        x[-1] -= np.sum(x)
        compiled = symtape.jit(symtape.grad(f), backend=backend)
        for _ in range(4):
            np.testing.assert_allclose(compiled(x), symtape.grad(f)(x), rtol=1e-14)
        differ += compiled.programs > 1
        assert compiled.programs <= 2
    assert bool(differ) is (backend == "llvm")


def check(program):
    """Random programs and their gradients, by default and where they can be machine code."""
    point = [np.ascontiguousarray(x) if np.ndim(x) else np.float64(x) for x in program.point]
    with np.errstate(all="ignore"):
        derivative = symtape.differentiate(program.graph)
    for graph in (program.graph, derivative):
        for backend in ("auto", "llvm"):
            with np.errstate(all="ignore"):
                try:
                    found = Program(graph, "program", backend).run(*point)
                except Unsupported:
                    continue
                wanted = graph.evaluate(*point)
            if found is None:
                assert backend == "llvm"
                assert is_near_another_path(graph, point)
                continue
            for k, (one, two) in enumerate(zip(found, wanted, strict=True)):
                if not np.allclose(one, two, rtol=1e-12, atol=0.0, equal_nan=True):
                    within_rounding(graph, point, k, one)


def within_rounding(graph, point, k, found):
    """Where terms cancel, any float is right that honest rounding may give."""
    ball = model(graph, point)[k]
    for index, value in np.ndenumerate(found):
        may_be = not ball[index].is_finite() or ball[index].contains(float(value))
        assert may_be, (index, value, ball[index])


def is_near_another_path(graph, point):
    """Whether a decision depends on how its values are rounded."""
    decisions = tuple(step.node for step in graph.path)
    return None in [
        value.item()
        for value in model(dataclasses.replace(graph, outputs=decisions, path=()), point)
    ]


def test_the_measure_of_random_programs_refuses_what_is_not_rounding():
    graph = symtape.record(lambda x: np.sum(x) if x[0] > 0 else x[0], np.array([0.1, 0.2, -0.3]))
    point = [np.array([0.1, 0.2, -0.3])]
    within_rounding(graph, point, 0, np.float64(5.5e-17))
    with pytest.raises(AssertionError):
        within_rounding(graph, point, 0, np.float64(5.5e-16))
    assert not is_near_another_path(graph, point)


@given(programs(operations=["sin", "exp", "tanh", "multiply", "add", "divide", "matmul", "sum"]))
@settings(max_examples=30, derandomize=True, deadline=None)
def test_random_programs_agree(program):
    check(program)


@pytest.mark.campaign
@given(programs())
@settings(max_examples=2_000, derandomize=True, deadline=None)
def test_many_random_programs_agree(program):
    check(program)


def written(x):
    y = np.zeros(12)
    for k in range(11):
        y[k + 1] = x[k] * np.sum(y[: k + 1]) + 1.0
    return np.sum(y * y)


def test_an_array_that_is_written_into_is_no_choice():
    x = np.linspace(0.1, 1.0, 11)
    graph = optimise_graph(symtape.record(symtape.grad(written), x))
    assert "where" in {node.name for node in graph.nodes}
    assert "select" not in {operation.code for operation in Scalars(graph).operations}
    (found,) = Program(graph, "f", "llvm").run(x)
    np.testing.assert_allclose(found, symtape.grad(written)(x), rtol=1e-13)


def test_what_is_put_into_a_number_is_one():
    gradient = symtape.grad(lambda x: np.sum(np.tanh(x[..., None]) * np.tanh(x)))
    x = np.float64(0.25)
    np.testing.assert_allclose(symtape.jit(gradient, backend="llvm")(x), gradient(x), rtol=1e-14)
