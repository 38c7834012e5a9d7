"""Long runs of numbers in programs of arrays are functions of machine code."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

import symtape

pytest.importorskip("llvmlite", reason="llvmlite is missing; pip install 'symtape[llvm]'")

from symtape.programs.compiled.islands import compile_numbers
from symtape.programs.compiled.passes import optimise_graph

GRID = np.linspace(0.0, 1.0, 101)
AT = np.array([0.31, 0.27, 0.74, 0.5])


def walk(x, steps=100):
    """An orbit: two numbers after each step."""
    a, b = x[0], x[1]
    for _ in range(steps):
        a, b = a + 0.01 * b * x[2], b - 0.01 * np.sin(a)
        yield a, b


def orbit(x):
    return np.array([x[0], *(a for a, _ in walk(x))])


def interpolated(x, at=AT):
    return np.sum(np.interp(at, GRID, orbit(x)) ** 2)


def sorted_first(x):
    return orbit(np.sort(x)) @ np.linspace(1, 2, 101)


def transformed(x):
    return np.sum(np.abs(np.fft.rfft(orbit(x))) ** 2 * np.linspace(0, 1, 51))


def in_two_walks(x):
    ends = np.sort(np.array([b for _, b in walk(x)]))
    return sum(a * b for a, b in walk(ends[:3])) + ends[-1]


def in_numbers_and_arrays(x):
    (a, b) = list(walk(x))[-1]
    return a * np.sum(np.sort(x * b)[:2]) + b


def decided(x):
    total = 0.0
    for a, b in walk(x):
        total = total + (a * b if a > b else np.exp(b))
    return total + np.median(x)


def of_rows_in_parts(x):
    """Rows without machine code of their own are taken apart, as they are in whole programs."""
    total = np.median(x)
    for a, b in walk(x, 60):
        total = total + special.betaln(1 + a * a, 1 + b * b)
    return total


def decided_by_a_number(x):
    ends = list(walk(x))[-1]
    return np.median(x) * (ends[0] if ends[0] * ends[1] else ends[1])


def chosen(x):
    total = 0.0
    for a, b in walk(x):
        total = total + np.where(a > b, np.maximum(a * b, 0.1), np.exp(b))
    return total + np.median(x)


def waited(x):
    """What decides in one run of numbers, and is needed in that of the way back."""
    wait, waits = x[0], []
    for k in range(100):
        wait = np.maximum(wait + x[1] - x[2] * (k % 3), 0.0)
        waits.append(wait)
    return np.percentile(np.array(waits), 90) ** 2


def given_an_array_without_axes(x):
    """What NumPy reshapes is an array even where it is one number."""
    first = np.square(x[:1]).reshape(())
    middle = np.median(np.stack([first * x[1], x[2], x[0]]))
    return sum(a * b * first for a, b in walk(np.array([middle, x[1], x[2]])))


def read_by_elements_and_slices(x):
    """Influences between panels, one by one, whose cotangents are added up where they were read."""
    nodes = np.cumsum(np.exp(0.1 * x[0] * GRID[:9])) + x[1] * GRID[:9]
    middles, lengths = 0.5 * (nodes[1:] + nodes[:-1]), np.diff(nodes)
    influence = np.eye(8)
    for i in range(8):
        for j in range(8):
            apart = middles[i] - nodes[j]
            influence[i, j] += lengths[j] / (1 + x[2] * apart**2) * np.exp(-(apart**2))
    return np.linalg.solve(influence, lengths) @ middles


FUNCTIONS = {
    f.__name__: f
    for f in (
        *(interpolated, sorted_first, transformed, in_two_walks, in_numbers_and_arrays, chosen),
        *(decided, decided_by_a_number, of_rows_in_parts, waited),
        *(given_an_array_without_axes, read_by_elements_and_slices),
    )
}
POINTS = [np.array([0.5, -0.25, 1.5]), np.array([0.1, 0.75, 2.0])]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_runs_of_numbers_are_few_operations_with_the_same_values(name):
    graph = optimise_graph(symtape.record(symtape.grad(FUNCTIONS[name]), POINTS[0]))
    found = compile_numbers(graph)
    assert any(node.name == "numbers" for node in found.nodes)
    assert len(found) < len(graph) / 2
    for x in POINTS:
        np.testing.assert_allclose(found.evaluate(x)[0], graph.evaluate(x)[0], rtol=1e-11)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_compiled_gradients_are_those_of_the_tape(name):
    f = FUNCTIONS[name]
    compiled = symtape.jit(symtape.grad(f))
    for x in POINTS:
        np.testing.assert_allclose(compiled(x), symtape.grad(f)(x), rtol=1e-11)


@pytest.mark.parametrize("f", [decided, transformed, in_numbers_and_arrays])
def test_what_something_decides_by_is_computed_as_numpy_does(f):
    graph = optimise_graph(symtape.record(symtape.grad(f), POINTS[0]))
    found = compile_numbers(graph)
    assert any(node.name == "numbers" for node in found.nodes)
    ours, theirs = found.values(POINTS[0]), graph.values(POINTS[0])
    for step, same in zip(found.path, graph.path, strict=True):
        for i, k in zip(found.nodes[step.node].inputs, graph.nodes[same.node].inputs, strict=True):
            assert np.array_equal(ours[i], theirs[k])
    mine, other = (
        [x[k] for k, node in enumerate(g.nodes) if node.name in ("sort", "rfft", "sign")]
        for g, x in ((found, ours), (graph, theirs))
    )
    assert len(mine) == len(other)
    assert all(map(np.array_equal, mine, other))


def test_what_was_read_by_elements_gets_its_cotangents_inside_the_run():
    f = read_by_elements_and_slices
    graph = optimise_graph(symtape.record(symtape.grad(f), POINTS[0]))
    found = compile_numbers(graph)
    assert sum(node.name == "getitem" for node in found.nodes) < 20


def test_few_numbers_stay_as_they_are():
    graph = symtape.record(lambda x: np.sum(np.sort(x)) * x[0] * x[1], POINTS[0])
    assert compile_numbers(graph) is graph


def turn(w):
    """A quaternion that turns with a body: as many numbers as small arrays, and a norm decides."""
    inertia, q = np.array([1.0, 2.0, 3.0]), np.array([1.0, 0.0, 0.0, 0.0])
    for _ in range(40):
        w = w - 0.05 * np.cross(w, inertia * w) / inertia
        a, b, c = w
        rates = np.array([[0, -a, -b, -c], [a, 0, c, -b], [b, -c, 0, a], [c, b, -a, 0.0]])
        q = q + 0.025 * rates @ q
        q = q / np.linalg.norm(q)
    return 1.0 - q[0] ** 2


def test_numbers_among_arrays_are_steps_of_one_segment():
    w = np.array([0.3, 0.2, -0.1])
    compiled = symtape.jit(symtape.grad(turn))
    for x in (w, 2.0 * w, 0.0 * w):
        found, wanted = compiled(x), symtape.grad(turn)(x)
        np.testing.assert_allclose(found, wanted, rtol=1e-11, atol=1e-13)
    assert compiled.sources[0].count(" or numpy") == 1
    assert "row_numbers" not in compiled.sources[0]
