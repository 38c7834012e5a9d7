"""Jacobians and Hessians by few products are what they are row by row, in each respect."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import symtape
from symtape.transforms.sparsity import plan, sweeps
from tests.symtape.transforms.sparsity.dense import dense_hessian, dense_jacobian

RNG = np.random.default_rng(0)
TALL = RNG.normal(size=(500, 10))
BANDED = np.eye(80) + np.eye(80, k=1)


def burgers(u):
    return u * (np.roll(u, -1) - np.roll(u, 1)) - 0.1 * (np.roll(u, -1) - 2 * u + np.roll(u, 1))


def rosenbrock(x):
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def by_branch(x):
    return x**2 if x[0] > 0 else x[::-1] ** 3 + x


JACOBIANS = {
    "bands": (burgers, RNG.normal(size=81)),
    "few inputs": (lambda x: np.tanh(TALL @ x) ** 2, RNG.normal(size=10)),
    "one input": (lambda t: np.sin(t * np.arange(5000.0)), np.float64(0.3)),
    "linear": (lambda x: BANDED @ x, RNG.normal(size=80)),
    "dense column": (lambda x: x[0] * x**2, RNG.normal(size=80)),
    "dense row": (lambda x: np.concatenate([[np.sum(x**2)], x**2]), RNG.normal(size=80)),
    "matrices": (lambda x: np.cos(x).T * 2, RNG.normal(size=(8, 9))),
    "part of the inputs": (lambda x: x[3:] ** 2, RNG.normal(size=80)),
    "dense": (lambda x: np.exp(np.sin(np.outer(x, x)) @ x), RNG.normal(size=70)),
    "no input": (lambda x: np.ones(80), RNG.normal(size=80)),
    "through complex numbers": (lambda x: abs(np.fft.fft(TALL @ x)), RNG.normal(size=10)),
    "float32": (burgers, RNG.normal(size=80).astype(np.float32)),
    "branch": (by_branch, np.full(80, 1.5)),
}


@pytest.fixture(autouse=True)
def _fresh():
    plan._plans.clear()


@pytest.mark.parametrize("name", JACOBIANS)
def test_a_jacobian_is_what_it_is_row_by_row(name):
    function, x = JACOBIANS[name]
    found = symtape.jacobian(function)(x)
    shape = np.shape(function(x)) + np.shape(x)
    assert (found.shape, found.dtype) == (shape, x.dtype)
    assert found.flags.writeable
    dense = 0 if name == "no input" else dense_jacobian(function, x)
    eps = np.finfo(x.dtype).eps
    # Terms as large as the largest entries may cancel, in another order forward.
    least = 50 * eps * max(1, np.max(np.abs(dense), initial=0))
    assert np.allclose(found.reshape(-1, x.size), dense, rtol=50 * eps, atol=least)


def products_of(call, monkeypatch):
    taken = []
    kept = sweeps.entries
    monkeypatch.setattr(
        sweeps, "entries", lambda plan, *rest: taken.append(plan) or kept(plan, *rest)
    )
    call()
    return [(each.direction, each.colours) for each in taken]


@pytest.mark.parametrize(
    ("name", "taken"),
    [
        ("bands", [("rows", 3)]),
        ("few inputs", []),  # all columns at once, without a pattern
        ("one input", []),
        ("dense column", [("columns", 2)]),
        ("dense row", [("rows", 2)]),
        ("dense", []),
    ],
)
def test_it_takes_as_few_products_as_there_are_colours(name, taken, monkeypatch):
    function, x = JACOBIANS[name]
    assert products_of(lambda: symtape.jacobian(function)(x), monkeypatch) == taken


def test_a_small_one_is_asked_row_by_row(monkeypatch):
    assert not products_of(lambda: symtape.jacobian(burgers)(np.ones(10)), monkeypatch)
    few = lambda: symtape.jacobian(lambda x: x[:4] * np.sum(x))(np.ones(5000))  # noqa: E731
    assert not products_of(few, monkeypatch)


@pytest.mark.parametrize(
    ("function", "colours"),
    [
        (rosenbrock, 3),
        (lambda x: np.sum(x[0] * x[1:] ** 2) + x[0] ** 3 + np.sum(x[1:] ** 3), 2),
        (lambda x: np.sum(np.sin(x)), 1),
        (lambda x: np.sum(x), 1),
    ],
    ids=["bands", "arrow", "separable", "linear"],
)
def test_a_hessian_is_what_it_is_row_by_row(function, colours, monkeypatch):
    x = RNG.normal(size=100)
    answers = []
    taken = products_of(lambda: answers.append(symtape.hessian(function)(x)), monkeypatch)
    assert taken in ([("rows", colours)], [("rows", 0)], [])
    dense = dense_hessian(function, x)
    assert np.allclose(answers[0], dense, rtol=1e-13, atol=1e-13)
    assert np.array_equal(answers[0], answers[0].T)


def test_several_arguments_and_structures():
    def function(a, b):
        return {"sum": a * b["w"] + b["v"], "last": np.roll(b["v"], 1) ** 2}

    a, b = RNG.normal(size=64), {"w": RNG.normal(size=64), "v": RNG.normal(size=64)}
    found = symtape.jacobian(function, (0, 1))(a, b)
    assert np.array_equal(found["sum"][0], np.diag(b["w"]))
    assert np.array_equal(found["sum"][1]["w"], np.diag(a))
    assert np.array_equal(found["last"][1]["v"], np.diag(2 * np.roll(b["v"], 1)) @ np.roll(
        np.eye(64), -1, axis=1))  # fmt: skip
    assert not found["last"][0].any()
    mixed = symtape.jacobian(lambda x, y: x * y, (0, 1))(a.astype(np.float32), b["v"])
    assert [part.dtype for part in mixed] == [np.float32, np.float64]
    second = symtape.hessian(lambda x, y: np.sum(x**2 * y), (0, 1))(a, b["v"])
    assert np.allclose(second[0][1], np.diag(2 * a))


def test_another_path_shape_or_constant_is_another_plan():
    up, down = np.full(80, 1.5), np.full(80, -1.5)
    jacobian = symtape.jacobian(by_branch)
    for x in (up, down, up, np.full(90, -0.5)):
        assert np.array_equal(jacobian(x), dense_jacobian(by_branch, x))
    matrix = np.eye(80)
    linear = symtape.jacobian(lambda x: matrix @ x)
    assert np.array_equal(linear(up), matrix)
    matrix[3, 70] = 2.0
    assert np.array_equal(linear(up), matrix)
    order = np.arange(80)
    picked = symtape.jacobian(lambda x: x[order])
    assert np.array_equal(picked(up), np.eye(80))
    order[:] = order[::-1].copy()
    assert np.array_equal(picked(up), np.eye(80)[::-1])


def test_by_a_value_computed_from_the_argument_the_plan_is_of_that_value():
    function = lambda x: x[np.argsort(x)] ** 2  # noqa: E731
    for seed in range(3):
        x = np.random.default_rng(seed).normal(size=70)
        assert np.array_equal(symtape.jacobian(function)(x), dense_jacobian(function, x))


def test_sorting_and_maxima_are_in_no_plan_by_their_values():
    function = lambda x: np.sort(x.reshape(20, 4), axis=1)  # noqa: E731
    best = lambda x: np.max(x.reshape(40, 2), axis=1)  # noqa: E731
    for seed in range(3):
        x = np.random.default_rng(seed).normal(size=80)
        assert np.array_equal(symtape.jacobian(function)(x).reshape(80, 80),
                              dense_jacobian(function, x))  # fmt: skip
        assert np.array_equal(symtape.jacobian(best)(x), dense_jacobian(best, x))


@pytest.mark.parametrize("bad", [np.nan, np.inf, 0.0])
def test_what_is_not_finite_is_asked_row_by_row(bad):
    x = np.linspace(1, 2, 80)
    x[7] = bad
    function = lambda x: np.sqrt(x) * np.roll(x, 1)  # noqa: E731
    with np.errstate(all="ignore"):
        found, dense = symtape.jacobian(function)(x), dense_jacobian(function, x)
    assert np.array_equal(found, dense, equal_nan=True)


def test_rules_of_the_user_are_asked_row_by_row(monkeypatch):
    @symtape.custom_gradient
    def doubled(x):
        return x * 2, lambda g: np.roll(g, 1)

    found = []
    taken = products_of(
        lambda: found.append(symtape.jacobian(lambda x: doubled(x) ** 2)(np.ones(80))), monkeypatch
    )
    assert not taken
    assert found[0][0, 1] == 4


def test_inside_of_another_transform_it_can_be_differentiated():
    x = np.linspace(1, 2, 64)
    norm = lambda x: np.sum(symtape.jacobian(lambda y: y**3)(x) ** 2)  # noqa: E731
    assert np.allclose(symtape.grad(norm)(x), 36 * x**3)


def test_the_jacobian_of_a_hessian_s_own_arrays_is_the_caller_s():
    x = np.linspace(1, 2, 80)
    jacobian = symtape.jacobian(lambda x: x * 2)
    first = jacobian(x)
    first[:] = 7
    assert np.array_equal(jacobian(x), 2 * np.eye(80))


def test_the_plans_kept_are_bounded_and_shared_by_threads(monkeypatch):
    monkeypatch.setattr(plan, "_MOST", 2)
    answers = {}

    def work(size):
        answers[size] = symtape.jacobian(burgers)(np.linspace(0, 1, size))

    threads = [threading.Thread(target=work, args=(size,)) for size in (70, 71, 72, 73)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(plan._plans) <= 2
    for size, found in answers.items():
        assert np.allclose(found, dense_jacobian(burgers, np.linspace(0, 1, size)))
