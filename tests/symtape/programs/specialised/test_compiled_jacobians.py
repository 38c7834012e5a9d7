"""Compiled Jacobians and Hessians are what the tape gives, however few sweeps they take."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import symtape
import verify
from symtape.recording.structure import flatten
from symtape.transforms.sparsity import plan, sweeps
from verify.suites import classics, primitives, seeds

RNG = np.random.default_rng(0)
TALL = RNG.normal(size=(70, 4))
BANDED = np.eye(20) + np.eye(20, k=1)


@pytest.fixture(autouse=True)
def _fresh():
    plan._plans.clear()


@pytest.fixture
def silent():
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def close(found, expected, name=""):
    ones, others = flatten(found), flatten(expected)
    assert type(found) is type(expected), name
    assert len(ones) == len(others), name
    for one, other in zip(ones, others, strict=True):
        one, other = np.asarray(one), np.asarray(other)
        assert (one.shape, one.dtype) == (other.shape, other.dtype), name
        eps = np.finfo(one.dtype).eps if one.dtype.kind in "fc" else 0.0
        finite = np.abs(other[np.isfinite(other)])
        least = 200 * eps * max(1.0, finite.max(initial=0.0))
        np.testing.assert_allclose(one, other, 200 * eps, atol=least, err_msg=name)


def burgers(u):
    return u * (np.roll(u, -1) - np.roll(u, 1)) - 0.1 * (np.roll(u, -1) - 2 * u + np.roll(u, 1))


def rosenbrock(x):
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def by_branch(x):
    return x**2 if x[0] > 0 else x[::-1] ** 3 + x


def arrow(x):
    return np.sum(x[0] * x[1:] ** 2) + x[0] ** 3 + np.sum(x[1:] ** 3)


def drops(x):
    return np.sum(np.where(x > 0, np.sqrt(x) * np.roll(x, 1), x**3))


POINTS = {
    "bands": (burgers, (20,)),
    "few inputs": (lambda x: np.tanh(TALL @ x) ** 2, (4,)),
    "one input": (lambda t: np.sin(t * np.arange(50.0)), ()),
    "linear": (lambda x: BANDED @ x, (20,)),
    "dense column": (lambda x: x[0] * x**2, (20,)),
    "dense row": (lambda x: np.concatenate([np.sum(x**2)[None], x**2]), (20,)),
    "matrices": (lambda x: np.cos(x).T * 2, (4, 5)),
    "part of the inputs": (lambda x: x[3:] ** 2, (20,)),
    "dense": (lambda x: np.exp(np.sin(np.outer(x, x)) @ x / 9), (9,)),
    "branch": (by_branch, (20,)),
    "sorted": (lambda x: x[np.argsort(x)] ** 2, (20,)),
    "sort": (lambda x: np.sort(x) ** 2, (20,)),
    "best of two": (lambda x: np.max(x.reshape(10, 2), axis=1), (20,)),
    "best": (lambda x: x[np.argmax(x)] * x, (20,)),
    "taken": (lambda x: np.take_along_axis(x, np.argsort(-x), 0) ** 2, (20,)),
    "zero size": (lambda x: x**2, (0,)),
    "no output": (lambda x: x[:0] ** 2, (20,)),
}
HESSIANS = {
    "bands": (rosenbrock, (30,)),
    "arrow": (arrow, (20,)),
    "separable": (lambda x: np.sum(np.sin(x)), (20,)),
    "linear": (lambda x: np.sum(x), (20,)),
    "dense": (lambda x: np.log(np.sum(np.exp(x))), (20,)),
    "branches": (drops, (20,)),
    "matrices": (lambda x: np.sum(np.sin(x) * x.T), (5, 5)),
    "zero size": (lambda x: np.sum(x**2), (0,)),
}
CASES = [
    *[(f"jacobian, {name}", symtape.jacobian(f), shape) for name, (f, shape) in POINTS.items()],
    *[(f"hessian, {name}", symtape.hessian(f), shape) for name, (f, shape) in HESSIANS.items()],
]


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["numpy", "auto"])
@pytest.mark.parametrize(("name", "eager", "shape"), CASES, ids=[name for name, *_ in CASES])
def test_at_every_point_it_is_what_the_tape_gives(name, eager, shape, backend, silent):
    """Also where it was recorded at another, whose zeros and order are others."""
    draws = np.random.default_rng(1)
    compiled = symtape.jit(eager, backend=backend)
    points = [draws.normal(size=shape) for _ in range(3)]
    points += [np.zeros(shape), np.ones(shape)]
    for bad in (np.nan, np.inf, -np.inf, 0.0):
        x = draws.uniform(0.5, 1.5, shape)
        if x.size:
            x.reshape(-1)[x.size // 2] = bad
        points.append(x)
    points.append(np.abs(points[0]).astype(np.float32))
    for x in [*points, *points[::-1]]:
        x = x if shape else x[()]
        found = compiled(x)
        close(found, eager(x), f"{name} at {x}")
        if name.startswith("hessian") and not np.isnan(found).any():
            matrix = found.reshape(x.size, x.size)
            np.testing.assert_allclose(matrix, matrix.T, 1e-6 if x.dtype == np.float32 else 1e-12)


@pytest.mark.parametrize("transform", [symtape.jacobian, symtape.hessian])
def test_what_else_is_given_is_in_no_pattern_by_its_values(transform):
    """Its zeros and its order are others in the next call."""
    picked = lambda w, x, order: (x @ w)[order] ** 2  # noqa: E731
    matrix = RNG.normal(size=(20, 20))
    for function in (lambda w, x: x @ w, lambda w, x: np.outer(w, w) @ np.sum(x, 0) + np.diag(x)):
        if transform is symtape.hessian:
            eager = symtape.hessian(lambda w, x, f=function: np.sum(f(w, x) ** 2))
        else:
            eager = symtape.jacobian(function)
        compiled = symtape.jit(eager)
        for x in (np.eye(20), matrix, np.zeros((20, 20)), np.tril(matrix)):
            w = RNG.normal(size=20)
            close(compiled(w, x), eager(w, x))
        assert compiled.programs == 1
    eager = symtape.jacobian(lambda w, key: picked(w, np.eye(20), np.argsort(key)))
    compiled = symtape.jit(eager)
    for _ in range(3):
        w, key = RNG.normal(size=20), RNG.normal(size=20)
        close(compiled(w, key), eager(w, key))


@pytest.mark.parametrize(
    ("eager", "size", "taken"),
    [
        (symtape.jacobian(burgers), 21, [("rows", 3)]),
        (symtape.hessian(rosenbrock), 20, [("rows", 3)]),
        (symtape.hessian(arrow), 20, [("rows", 2)]),
        (symtape.jacobian(lambda x: np.tanh(TALL @ x)), 4, []),
        (symtape.jacobian(lambda x: np.exp(np.outer(x, x) @ x)), 9, []),
        (lambda x: symtape.grad(lambda y: np.sum(symtape.jacobian(burgers)(y) ** 2))(x), 20, []),
    ],
)
def test_it_takes_as_few_products_as_there_are_colours(eager, size, taken, monkeypatch):
    kept, found = sweeps.entries, []
    monkeypatch.setattr(
        sweeps, "entries", lambda plan, *rest: found.append(plan) or kept(plan, *rest)
    )
    compiled = symtape.compile(eager, np.linspace(1, 2, size))
    assert list(dict.fromkeys((one.direction, one.colours) for one in found)) == taken
    found.clear()
    compiled(np.linspace(2, 3, size))
    assert not found


def test_what_is_not_finite_is_asked_row_by_row_by_a_program_of_its_own(silent):
    eager = symtape.jacobian(lambda x: np.sqrt(x) * np.roll(x, 1))
    compiled = symtape.compile(eager, np.linspace(1, 2, 20))
    x = np.linspace(1, 2, 20)
    x[7] = 0.0
    for point, programs in ((np.linspace(2, 3, 20), 1), (x, 2), (x + 1, 2), (x, 2)):
        np.testing.assert_array_equal(compiled(point), eager(point))
        assert compiled.programs == programs


def test_a_gradient_beside_a_branch_that_is_not_taken_is_what_it_is_for_the_tape(silent):
    eager = symtape.grad(lambda x: np.sum(np.where(x > 0, np.sqrt(x), 0.0)))
    compiled = symtape.compile(eager, np.array([1.0, 2.0]))
    for x in ([0.0, 2.0], [1.0, 2.0], [-1.0, 0.0]):
        np.testing.assert_array_equal(compiled(np.array(x)), eager(np.array(x)))


def test_arguments_and_structures():
    def function(a, b):
        return {"sum": a * b["w"] + b["v"], "last": np.roll(b["v"], 1) ** 2}

    a, b = RNG.normal(size=64), {"w": RNG.normal(size=64), "v": RNG.normal(size=64)}
    eager = symtape.jacobian(function, (0, 1))
    compiled = symtape.jit(eager)
    close(compiled(a, b), eager(a, b))
    for wrong in (lambda x, y: x * y, lambda x, y: x**2 * y[0]):
        mixed = symtape.jacobian(wrong, (0, 1))
        close(symtape.jit(mixed)(a.astype(np.float32), b["v"]), mixed(a.astype(np.float32), b["v"]))
    second = symtape.hessian(lambda x, y: np.sum(x**2 * y), (0, 1))
    close(symtape.jit(second)(a, b["v"]), second(a, b["v"]))


LISTS = [
    lambda x: np.sum(np.asarray(x) ** 2),
    lambda x: np.dot(x, x),
    lambda x: x[0] * x[-1],
    lambda x: sum(v * v for v in x),
]


@pytest.mark.parametrize("given", [[1.0, 2.0], (1.0, 2.0)])
@pytest.mark.parametrize("transform", [symtape.grad, symtape.jacobian, symtape.hessian])
@pytest.mark.parametrize("function", LISTS)
def test_a_list_of_numbers_is_what_it_is_to_the_tape(function, transform, given):
    eager = transform(function)
    compiled = symtape.jit(eager)
    for factor in (1.0, 2.0):
        x = type(given)(factor * v for v in given)
        close(compiled(x), eager(x))


def compared(cases):
    """How many Jacobians and Hessians of cases were compiled, and are what the tape gives."""
    count = 0
    for case in cases:
        if not case.at or not case.at[0] or any(isinstance(x, dict) for x in case.at[0]):
            continue
        args = [np.asarray(x, float)[()] if np.ndim(x) else float(x) for x in case.at[0]]
        for transform in (symtape.jacobian, symtape.hessian):
            eager = transform(case.function)
            try:
                expected = eager(*args)
                symtape.record(eager, *args)
            except Exception:  # noqa: BLE001 -- no derivative, or no program of it
                continue
            close(symtape.jit(eager)(*args), expected, f"{transform.__name__} of {case.id}")
            count += 1
    return count


def every_case():
    suites = (primitives, seeds, classics)
    return [case for suite in suites for case in suite.cases()]


@pytest.mark.long
def test_cases_of_the_suites_are_what_the_tape_gives(silent):
    assert compared(every_case()[::12]) > 50


@pytest.mark.campaign
def test_every_case_of_the_suites_is_what_the_tape_gives(silent):
    assert compared(every_case()) > 650


@pytest.mark.parametrize("claim", [symtape.jacobian, symtape.hessian])
def test_it_is_a_claim_like_any_other(claim):
    function = burgers if claim is symtape.jacobian else rosenbrock
    compiled = symtape.compile(claim(function), np.linspace(1, 2, 9))
    judged = getattr(verify, claim.__name__)(function, claimed=compiled, at=[np.linspace(1, 2, 9)])
    assert judged.verdict is verify.Verdict.CORRECT


SPARSE = {
    "bands": (symtape.sparse_jacobian(burgers), [(21,)]),
    "hessian": (symtape.sparse_hessian(rosenbrock), [(30,)]),
    "sorted": (symtape.sparse_jacobian(lambda x: x[np.argsort(x)] ** 2), [(6,)]),
    "by two": (
        symtape.sparse_jacobian(lambda a, b: {"u": a * b, "v": b[::-1]}, (0, 1)),
        [(8,)] * 2,
    ),
    "has aux": (symtape.sparse_jacobian(lambda x: (x**2, np.sum(x)), has_aux=True), [(8,)]),
    "by the other": (symtape.sparse_jacobian(lambda w, x: x.reshape(4, 4) @ w), [(4,), (16,)]),
    "zero size": (symtape.sparse_jacobian(lambda x: x**2), [(0,)]),
    "constant": (symtape.sparse_jacobian(lambda x: 3 * x[::-1]), [(6,)]),
    "pattern": (symtape.jacobian_sparsity(burgers), [(21,)]),
    "beside others": (lambda x: {"J": symtape.sparse_jacobian(burgers)(x), "y": x**2}, [(21,)]),
} | {
    f"as {name}": (symtape.sparse_jacobian(burgers, has_aux=False, format=name), [(21,)])
    for name in ("csc", "coo", "bsr", "dia", "dok", "lil")
}


def in_full(found):
    leaves = flatten(found)
    return [leaf.toarray() if hasattr(leaf, "toarray") else leaf for leaf in leaves]


@pytest.mark.parametrize("backend", ["numpy", "auto"])
@pytest.mark.parametrize("name", SPARSE)
def test_sparse_derivatives_are_compiled(name, backend):
    eager, shapes = SPARSE[name]
    compiled = symtape.jit(eager, backend=backend)
    draws, kept = np.random.default_rng(2), []
    for zeros in (True, False, False):
        args = [np.zeros(shape) if zeros else draws.normal(size=shape) for shape in shapes]
        kept.append((compiled(*args), in_full(eager(*args))))
    assert compiled.programs <= 2
    for found, expected in kept:
        assert [type(leaf) for leaf in flatten(found)] == [
            type(leaf) for leaf in flatten(eager(*args))
        ]
        close(in_full(found), expected)


def test_sparse_derivatives_that_are_not_compiled_say_so():
    x = np.ones(8)
    inside = symtape.jit(lambda x: symtape.sparse_jacobian(lambda y: y**2)(x) @ x)
    with pytest.raises(symtape.errors.NotTraceable, match=r"symtape.jacobian .* inside of it"):
        inside(x)
    given = symtape.jit(symtape.sparse_jacobian(lambda y: y**2, pattern=np.eye(8)))
    with pytest.raises(symtape.errors.NotTraceable, match="leave it out"):
        given(x)
