"""Loops, products and views that are entered together: the values of NumPy code, each call anew."""

from __future__ import annotations

import itertools
import threading

import numpy as np
import pytest

import symtape
import verify
from symtape.programs.compiled import products, segments
from symtape.programs.compiled.fused_source import FusedSource, fuse_graph
from symtape.programs.compiled.passes import optimise_graph
from symtape.programs.compiled.segments import Segment
from verify import Verdict

pytest.importorskip("llvmlite")

DRAW = np.random.default_rng(0)
W, V, X = DRAW.normal(size=(20, 20)) / 5.0, DRAW.normal(size=(20, 6)), DRAW.normal(size=20)


def fused(function, *args):
    return FusedSource(optimise_graph(symtape.record(function, *args)), "f", exact=False)


def check(function, *args, least=1):
    program = fused(function, *args)
    assert sum(isinstance(loop, Segment) for loop in program.loops) >= least, program.source
    outputs = function(*args)
    wanted = outputs if isinstance(outputs, tuple) else (outputs,)
    for _ in range(2):
        for mine, theirs in zip(program(*args), wanted, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-11, atol=1e-12)
    return program


def recurrent(w, x):
    for _ in range(5):
        x = np.tanh(w @ x) + x[::-1]
    return x


PRODUCTS = {
    "matrix by vector": lambda w, v, x: np.sin(w @ np.cos(x)),
    "vector by matrix": lambda w, v, x: np.sin(np.cos(x) @ w),
    "matrices": lambda w, v, x: np.sin(np.cos(w) @ v),
    "transposes": lambda w, v, x: np.sin(np.cos(v).T @ w.T),
    "transpose by vector": lambda w, v, x: np.sin(np.cos(w).T @ x),
    "vector by transpose": lambda w, v, x: np.sin(np.cos(x) @ w.T),
    "parts": lambda w, v, x: np.sin(np.cos(w)[2:9, 3:8] @ v[5:10, ::1][:, 1:4]),
    "every other": lambda w, v, x: np.sin(np.cos(w)[:, ::2] @ x[::2]),
    "a column": lambda w, v, x: np.sin(np.cos(w) @ v[:, 2:3]),
    "a row": lambda w, v, x: np.sin(np.cos(w)[4:5] @ v),
    "outer": lambda w, v, x: np.sin(np.cos(x)[:, None] @ v[:, 1][None, :]),
    "vectors": lambda w, v, x: np.sin(np.cos(x) * (np.cos(x) @ v[:, 1])) + x[:5] @ w[3, 5:10],
    "an outer product": lambda w, v, x: np.sin(np.outer(np.cos(x), v[:, 1])),
    "a column of a matrix": lambda w, v, x: np.sin(w @ np.cos(v)[:, 3]),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_products_within_a_segment(name):
    check(PRODUCTS[name], W, V, X, least=name != "every other")  # which BLAS does not take
    slopes = symtape.grad(lambda *args: np.sum(PRODUCTS[name](*args) ** 2), (0, 1, 2))
    check(slopes, W, V, X, least=0)


@pytest.mark.parametrize("shapes", [(200, 300, 90), (200, 300, 1), (1, 300, 200), (300, 1, 90)])
def test_large_products_have_the_bits_of_numpy(shapes):
    m, k, n = shapes
    a, b = DRAW.normal(size=(m, k)), DRAW.normal(size=(k, n))

    def function(a, b):
        return (a + 1.0) @ (b + b) + 1.0

    program = fused(function, a, b)
    assert program.source.count("loop") == 1, program.source
    assert np.array_equal(program(a, b)[0], function(a, b))


LAID = {
    "by rows": np.ascontiguousarray,
    "by columns": lambda x: np.ascontiguousarray(x.swapaxes(-1, -2)).swapaxes(-1, -2),
    "apart": lambda x: np.concatenate([x, x], axis=-1)[..., : x.shape[-1]],
    "backwards": lambda x: np.ascontiguousarray(x[::-1])[::-1],
    "heads": lambda x: np.moveaxis(np.ascontiguousarray(np.moveaxis(x, 1, 0)), 0, 1),
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("ways", [*itertools.pairwise([*LAID, "by columns"])])
@pytest.mark.parametrize(
    "stacks", [((3, 2), (3, 2)), ((3, 2), ()), ((), (3, 2)), ((3, 1), (3, 2)), ((2,), (3, 2))]
)
def test_products_of_stacks_have_the_bits_of_numpy(stacks, ways, dtype):
    sizes = np.random.default_rng(1).integers(5, 12, 3)
    shapes = (*stacks[0], *sizes[:2]), (*stacks[1], *sizes[1:])
    a, b = (
        LAID[way if len(shape) > 2 else "apart"](DRAW.normal(size=shape).astype(dtype))
        for way, shape in zip(ways, shapes, strict=True)
    )

    def function(a, b):
        return np.matmul(np.matmul(a, b), np.swapaxes(b, -1, -2))

    program = fused(function, a, b)
    if np.matmul(a, b).flags.c_contiguous:  # NumPy lays others as their arguments lie
        assert program.source.count("loop") == 1, program.source
    assert np.array_equal(program(a, b)[0], function(a, b))


def test_a_product_with_its_own_transpose_is_left_to_numpy_where_it_is_large():
    a = DRAW.normal(size=(90, 300))
    program = fused(lambda a: np.sin((a + a) @ (a + a).T) + 1.0, a)
    assert "np.dot" in program.source or "matmul" in program.source, program.source
    whole = 2 * a
    np.testing.assert_allclose(program(a)[0], np.sin(whole @ whole.T) + 1.0, atol=1e-12)


def test_steps_of_a_loop_are_entered_together():
    program = check(recurrent, W, X)
    assert program.source.count(" or numpy") == 1
    check(symtape.grad(lambda w, x: np.sum(recurrent(w, x) ** 2), (0, 1)), W, X)


def numbers_between(w, x):
    """Numbers and truth values of one operation, and single elements, between arrays."""
    total = np.sum(x * x)
    is_large, size = total > 1.0, np.sqrt(total) + 1.0
    y = np.where(is_large, np.tanh(x / size) * x[3], x)
    for k in range(4):
        y = np.exp(-y * y) * w[k, k + 1] - y[k] * np.sin(x[::-1] + k) / (1.0 + np.abs(y))
    return np.where(is_large, y, -y), y[0] / size


def test_numbers_between_arrays_are_steps_too():
    for x in (X, X / 1e3, X * 1e10):
        check(numbers_between, W, x)
        graph = optimise_graph(symtape.record(numbers_between, W, x))
        assert fuse_graph(graph, exact=False).calls == 0
    loss = symtape.grad(lambda w, x: np.sum(numbers_between(w, x)[0]), (0, 1))
    check(loss, W, X)


def test_elements_of_what_is_given_are_read_where_they_lie():
    def f(w, x):
        y = np.sin(w)
        for k in range(3):
            inner = np.reshape(y[k : k + 1, k : k + 1], ()) + w[k, 2]
            y = np.exp(-y * y) * inner - x[k] * np.reshape(inner, (1, 1)) * w[::2, 1:2][k, 0]
        return y, x[2] + np.float64(1.0), w[1, 1]

    program = check(f, W, X)
    assert program.source.count(" or numpy") == 1
    check(symtape.grad(lambda w, x: np.sum(f(w, x)[0]) + f(w, x)[1], (0, 1)), W, X)


def test_what_needs_an_element_besides_does_not_end_a_segment():
    def f(w, x):
        first = x[3]
        y = np.cos(np.sin(w) * first) @ w
        order = np.argsort(np.stack([first, x[4]]))
        return np.cos(y @ w) * first, order * 1.0

    assert check(f, W, X).source.count(" or numpy") <= 2


def test_many_steps_are_one_segment():
    def f(x):
        for k in range(700):
            x = np.sin(x) + x[::-1] * (0.1 * (k % 3))
        return x

    program = check(f, X)
    assert program.source.count(" or numpy") == 1
    assert program.assembly.count("\n") < 1000


def test_what_is_needed_outside_of_a_segment_is_a_result():
    def f(w, x):
        a = np.sin(w) @ x
        view = (np.cos(w) * 2.0).T[1:]
        order = np.sort(a)  # which is NumPy's
        return a, view, order * 2.0 + a, view @ order

    check(f, W, X)


def test_values_that_are_large_lie_in_a_workspace_and_results_are_new():
    x = DRAW.normal(size=(100, 100))
    program = check(lambda x: (np.roll(x * 2.0, 1, 0) - x) @ (x[0] * 3.0), x)
    assert ", _, =" in program.source
    (first,) = program(x)
    kept = first.copy()
    program(x + 1.0)
    np.testing.assert_array_equal(first, kept)


def test_arguments_that_lie_otherwise_are_left_to_numpy():
    program = fused(lambda x: (np.roll(x * 2.0, 1, 0) - x) @ (x[0] * 3.0), np.ones((100, 100)))
    x = DRAW.normal(size=(100, 100))
    (found,), (wanted,) = program(np.asfortranarray(x)), program(x)
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_threads_do_not_share_a_workspace():
    x = DRAW.normal(size=(200, 200))
    program = fused(lambda x: np.roll(np.sin(x), 1, 0) * np.cumsum(x * 2.0, 1), x)
    wanted, wrong = program(x)[0], []

    def call():
        for _ in range(50):
            if not np.array_equal(program(x)[0], wanted):
                wrong.append(1)

    threads = [threading.Thread(target=call) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def loss(w):
    return np.sum(recurrent(w, X[:12]) ** 2)


def slot_too_early(monkeypatch):
    """What is needed later is written over."""
    lay_out = segments._Closing._lay_out

    def wrong(self, steps, results):
        slots, size = lay_out(self, steps, results)
        return dict.fromkeys(slots, 0), size

    monkeypatch.setattr(segments._Closing, "_lay_out", wrong)


def transposed(monkeypatch):
    layout = products._layout

    def wrong(x):
        found = layout(x)
        return found if x.ndim == 1 or found is None else ("NT"["TN".index(found[0])], found[1])

    monkeypatch.setattr(products, "_layout", wrong)


def offset_lost(monkeypatch):
    monkeypatch.setattr(segments, "address_of", lambda value: 0)


@pytest.mark.parametrize("plant", [None, slot_too_early, transposed, offset_lost])
def test_a_planted_miscompile_is_wrong(plant, monkeypatch):
    if plant:
        plant(monkeypatch)
    w = W[:12, :12].copy()
    program = fused(symtape.grad(loss), w)
    result = verify.gradient(loss, claimed=lambda w: program(w)[0], at=[w])
    assert result.verdict is (Verdict.WRONG if plant else Verdict.CORRECT), str(result)
