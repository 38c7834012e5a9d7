"""Gradients, Hessians and mixed derivatives by jets; nothing global is left behind."""

from __future__ import annotations

import itertools
import threading

import flint
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symtape
from symtape.errors import Unsupported
from symtape.process.precision import precision
from symtape.rigorous import jets
from symtape.rigorous.enclose import enclose
from verify.limits.limit import DEFAULT_BUDGET
from verify.oracles.closed_form import ClosedForms


def overlapping(ours, theirs):
    return all(
        one.overlaps(other)
        for a, b in zip(ours, theirs, strict=True)
        for one, other in zip(a.flat, b.flat, strict=True)
    )


def rosenbrock(x):
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


STEPS = {
    "tanh": np.tanh,
    "scaled": lambda x: x * x - 0.5,
    "smooth": lambda x: np.sqrt(1 + x * x),
    "matrix": lambda x: np.outer(x, x) @ np.cos(x),
    "softmax": lambda x: np.exp(x) / np.sum(np.exp(x)),
    "reversed": lambda x: np.cumsum(x[::-1]),
    "choice": lambda x: np.where(x > 0.3, np.sin(x), x),
    "solve": lambda x: np.linalg.solve(np.eye(3) * 4 + np.outer(x, np.ones(3)), x),
    "log": lambda x: np.log1p(np.abs(x)),
    "sorted": lambda x: np.sort(x) * x,
}


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    st.lists(st.sampled_from(sorted(STEPS)), min_size=1, max_size=4),
    st.lists(st.integers(-200, 200), min_size=3, max_size=3, unique_by=abs),
)
def test_compositions_overlap_with_the_closed_form(names, numbers):
    def function(x):
        for name in names:
            x = STEPS[name](x)
        return np.sum(x * np.array([1.0, -0.5, 2.0]))

    point = [np.array(numbers) / 64]
    graph = symtape.record(function, *point)
    truth = ClosedForms("gradient").evaluate(graph, point, DEFAULT_BUDGET)
    ours = jets.gradient(graph, point, 300)
    assert overlapping(ours, truth.parts)
    line = np.array([0.5, -1.25, 2.0])
    [along] = jets.jvp(graph, point, [line], 300)
    [gradient] = ours
    assert along[()].overlaps(gradient @ np.array([flint.arb(v) for v in line.tolist()]))


def test_hessians_overlap_with_the_closed_form():
    def two(x, y):
        return np.sum(np.exp(x) * np.sin(y)) * y + rosenbrock(x) / 100

    for function, point in ((rosenbrock, [np.array([1.5, 0.25, -0.75])]), (two, [np.ones(2), 0.5])):
        point = [np.asarray(x)[()] for x in point]
        graph = symtape.record(function, *point)
        truth = ClosedForms("hessian").evaluate(graph, point, DEFAULT_BUDGET)
        ours = jets.hessian(graph, point, 300)
        assert [part.shape for part in ours] == [part.shape for part in truth.parts]
        assert overlapping(ours, truth.parts)


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_mixed_derivatives_are_symmetric_and_right(order):
    graph = symtape.record(
        lambda x: np.exp(np.sum(x * np.array([1.0, 2.0, 3.0, 4.0]))), np.zeros(4)
    )
    axes = [[axis] for axis in np.eye(4)[:order]]
    expected = np.prod(np.arange(1, order + 1))
    for shuffled in itertools.islice(itertools.permutations(axes), 4):
        [found] = jets.mixed_derivative(graph, [np.zeros(4)], shuffled, 200)
        assert found[()].contains(int(expected))
        assert found[()].rad() < 2.0**-150


MATRICES = {
    "eigh": lambda a: np.sum(np.linalg.eigh(a + a.T)[1] ** 3 * (1 + a)),
    "eigvalsh": lambda a: np.sum(np.linalg.eigvalsh(a + a.T) ** 3),
    "svd": lambda a: np.sum(np.linalg.svd(a, full_matrices=False)[0] * a),
    "singular values": lambda a: np.sum(np.linalg.svd(a, compute_uv=False) ** 3),
    "det": lambda a: np.linalg.det(a),
    "slogdet": lambda a: np.linalg.slogdet(a)[1],
    "inv": lambda a: np.sum(np.linalg.inv(a) ** 2),
    "cholesky": lambda a: np.sum(np.linalg.cholesky(a @ a.T + np.eye(5)) ** 3),
    "qr": lambda a: np.sum(np.linalg.qr(a)[0] * a.T),
    "product": lambda a: np.sum(a @ a @ a),
}


@pytest.mark.parametrize("name", MATRICES)
def test_matrices_beyond_closed_forms_agree_with_the_tape_in_balls(name):
    draw = np.random.default_rng(3)
    point = draw.integers(-64, 65, (5, 5)) / 32
    line = draw.integers(-8, 9, (5, 5)) / 8
    graph = symtape.record(MATRICES[name], point)
    [ours] = jets.jvp(graph, [point], [line], 300)
    program = symtape.record(lambda a: np.sum(symtape.grad(MATRICES[name])(a) * line), point)
    [theirs] = enclose(program, [point], 300)
    assert ours[()].overlaps(theirs[()])
    assert ours[()].rel_accuracy_bits() > 200


def test_a_singular_matrix_has_a_determinant_that_is_smooth():
    point = np.array([[1.0, 2.0], [2.0, 4.0]])
    [found] = jets.gradient(symtape.record(np.linalg.det, point), [point], 200)
    assert [[float(x) for x in row] for row in found] == [[4.0, -2.0], [-2.0, 1.0]]


def test_equal_eigenvalues_are_lost():
    [found] = jets.gradient(
        symtape.record(lambda a: np.linalg.eigvalsh(a)[0], np.eye(3)), [np.eye(3)], 200
    )
    assert not any(x.is_finite() for x in found.flat if not x.is_zero())


def test_ranks_at_a_tie_are_unsupported():
    graph = symtape.record(lambda x: np.median(x) + x[np.argmax(x)], np.array([1.0, 1.0, 0.5]))
    with pytest.raises(Unsupported, match="undecided"):
        jets.gradient(graph, [np.array([1.0, 1.0, 0.5])], 100)


def test_precision_and_terms_are_restored():
    before = flint.ctx.prec, flint.ctx.cap
    graph = symtape.record(np.tanh, 0.5)
    jets.taylor(graph, [0.5], [1.0], 500, 7)
    jets.hessian(graph, [0.5], 400)
    assert (flint.ctx.prec, flint.ctx.cap) == before
    with pytest.raises(ValueError, match="inputs"):
        jets.taylor(graph, [], [], 500, 7)
    with precision(300, terms=9):
        assert (flint.ctx.prec, flint.ctx.cap) == (300, 9)
        with precision(60):
            assert (flint.ctx.prec, flint.ctx.cap) == (60, 9)
    with pytest.raises(ZeroDivisionError), precision(300, terms=9):
        _ = 1 / 0
    assert (flint.ctx.prec, flint.ctx.cap) == before
    with pytest.raises(ValueError, match="at least 1 term"), precision(53, terms=0):
        pass
    with pytest.raises(ValueError, match="order"):
        jets.taylor(graph, [0.5], [1.0], 53, -1)


def test_threads_do_not_change_each_others_terms():
    graph = symtape.record(np.exp, 0.0)
    wrong = []

    def work(order):
        for _ in range(20):
            [found] = jets.taylor(graph, [0.0], [1.0], 100 + 40 * order, order)
            if found.shape != (order + 1,) or not all(x.is_finite() for x in found):
                wrong.append(order)

    threads = [threading.Thread(target=work, args=(order,)) for order in (1, 3, 8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
