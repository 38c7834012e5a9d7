"""Products that sum over a shared axis: values, Jacobians and Hessians for every rank."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symtape
from symtape.primitives.contraction import MATMUL

Check = Callable[..., None]

MATMUL_SHAPES = [
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((3,), (3, 2)),
    ((2, 3), (3, 2)),
    ((1, 3), (3, 1)),
    ((4, 2, 3), (3,)),
    ((4, 2, 3), (3, 2)),
    ((3,), (4, 3, 2)),
    ((2, 3), (4, 3, 2)),
    ((4, 2, 3), (4, 3, 1)),
    ((1, 2, 3), (4, 3, 1)),
    ((4, 1, 2, 2), (3, 2, 1)),
    ((2, 1, 1, 2), (1, 3, 2, 1)),
    ((0, 3), (3, 2)),
]

DOTS = [
    ((), (2, 2)),
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((3,), (2, 3, 2)),
    ((2, 2), (2, 2, 2)),
    ((2, 1, 2), (2, 2)),
]

INNERS = [
    ((), (3,)),
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((2, 3), (2, 3)),
    ((3,), (2, 3)),
    ((2, 2), (2, 1, 2)),
]

FUNCTIONS: dict[str, tuple[Callable[..., Any], list[tuple[tuple[int, ...], ...]]]] = {
    "dot": (np.dot, DOTS),
    "vdot": (np.vdot, [((), ()), ((2, 2), (4,)), ((3,), (3,))]),
    "inner": (np.inner, INNERS),
    "outer": (np.outer, [((2,), (3,)), ((2, 2), (3,)), ((), (3,))]),
    "linalg.outer": (np.linalg.outer, [((2,), (3,))]),
    "linalg.matmul": (np.linalg.matmul, [((2, 2), (2, 3))]),
    "tensordot 2": (np.tensordot, [((2, 2, 3), (2, 3, 2))]),
    "tensordot 0": (lambda a, b: np.tensordot(a, b, 0), [((2,), (3,)), ((2, 1), (3,))]),
    "tensordot pairs": (
        lambda a, b: np.tensordot(a, b, ((0, -1), (2, 0))),
        [((2, 2, 3), (3, 2, 2))],
    ),
    "tensordot one": (lambda a, b: np.linalg.tensordot(a, b, axes=(1, 0)), [((2, 3), (3, 2))]),
    "kron": (np.kron, [((2, 2), (1, 3)), ((2,), (2, 2)), ((2,), (3,)), ((), (2,))]),
    "cross": (np.cross, [((3,), (3,)), ((2, 3), (3,)), ((2, 1, 3), (1, 2, 3))]),
    "cross axes": (lambda a, b: np.cross(a, b, axisa=0, axisb=1, axisc=0), [((3, 2), (2, 3))]),
    "cross axis": (lambda a, b: np.cross(a, b, axis=0), [((3, 2), (3, 2))]),
    "linalg.cross": (np.linalg.cross, [((2, 3), (2, 3))]),
    "linalg.cross axis": (lambda a, b: np.linalg.cross(a, b, axis=0), [((3, 2), (3, 2))]),
    "convolve": (np.convolve, [((4,), (2,)), ((2,), (4,)), ((3,), (3,)), ((1,), (2,))]),
    "correlate": (np.correlate, [((4,), (2,)), ((3,), (3,))]),
    "polyval": (np.polyval, [((3,), (2,)), ((3,), ()), ((1,), (2,))]),
}

EINSUMS = [
    ("ij,jk->ik", (2, 3), (3, 2)),
    ("ij,jk", (2, 3), (3, 2)),
    ("ji,jk -> k i", (2, 3), (2, 2)),
    ("ij,jk,kl->il", (2, 2), (2, 1), (1, 2)),
    ("ij,j,i", (2, 3), (3,), (2,)),
    ("i,j->ij", (2,), (3,)),
    ("ij->", (2, 3)),
    ("ij->j", (2, 3)),
    ("ij->ji", (2, 3)),
    ("ba", (2, 3)),
    ("ii", (3, 3)),
    ("ii->i", (3, 3)),
    ("iij->j", (2, 2, 3)),
    ("iii->i", (2, 2, 2)),
    ("iji->j", (2, 3, 2)),
    ("ii,i->i", (2, 2), (2,)),
    ("ii,jj->ij", (2, 2), (2, 2)),
    ("ij,ij->ij", (2, 2), (2, 2)),
    ("...ij,...jk->...ik", (2, 1, 2), (2, 2, 1)),
    ("...ij,jk->...ik", (2, 1, 2), (2, 2)),
    ("...,...", (2, 2), (2,)),
    ("...i->...", (2, 3)),
    ("i...->...i", (2, 3)),
    ("...i,...->...i", (2, 1, 2), (3,)),
    ("i...,i", (2, 3), (2,)),
    ("...", (2,)),
    (",i->i", (), (3,)),
    ("i,i->i", (1,), (3,)),
    ("ij,jk->ik", (2, 1), (3, 2)),
    ("i->i", (3,)),
    ("i,ij,j,kj->k", (2,), (2, 2), (2,), (1, 2)),
]


def sample(*shapes: tuple[int, ...]) -> list[Any]:
    generator = np.random.default_rng(sum(sum(shape) for shape in shapes) + len(shapes))
    return [generator.uniform(-2, 2, shape) for shape in shapes]


def name(case: Any) -> str:
    return str(case).replace(" ", "")


@pytest.mark.parametrize("shapes", MATMUL_SHAPES, ids=name)
def test_matmul(shapes: Any, check_derivatives: Check) -> None:
    check_derivatives(lambda a, b: a @ b, *sample(*shapes))


@pytest.mark.parametrize("shapes", MATMUL_SHAPES, ids=name)
def test_matmul_of_an_array_and_a_tensor_is_the_same(shapes: Any) -> None:
    a, b = sample(*shapes)
    tensor = symtape.constant
    expected = np.matmul(a, b)
    for product in (a @ tensor(b), tensor(a) @ b, np.matmul(a, tensor(b)), MATMUL(tensor(a), b)):
        assert isinstance(product, symtape.Tensor)
        np.testing.assert_array_equal(product.numpy(), expected)


@pytest.mark.parametrize(
    ("function", "shapes"),
    [(function, shapes) for function, cases in FUNCTIONS.values() for shapes in cases],
    ids=[f"{key}-{name(shapes)}" for key, (_, cases) in FUNCTIONS.items() for shapes in cases],
)
def test_products(function: Any, shapes: Any, check_derivatives: Check) -> None:
    check_derivatives(function, *sample(*shapes))


@pytest.mark.parametrize("case", EINSUMS, ids=name)
def test_einsum(case: Any, check_derivatives: Check) -> None:
    subscripts, *shapes = case
    check_derivatives(lambda *xs: np.einsum(subscripts, *xs), *sample(*shapes))


@pytest.mark.parametrize("optimize", [True, "greedy", "optimal", ["einsum_path", (0, 2), (0, 1)]])
def test_einsum_order_of_contraction(optimize: Any, check_derivatives: Check) -> None:
    check_derivatives(
        lambda *xs: np.einsum("ij,jk,kl->il", *xs, optimize=optimize),
        *sample((2, 2), (2, 1), (1, 2)),
    )


def test_einsum_large_operands_take_an_optimized_path_to_the_same_gradient() -> None:
    a, b = sample((20, 30), (30, 10))
    left, right = symtape.constant(a), symtape.constant(b)
    with symtape.GradientTape() as tape:
        tape.watch([left, right])
        y = np.einsum("ij,jk->ik", left, right)
    found = tape.gradient(y, [left, right])
    ones = np.ones((20, 10))
    for g, expected in zip(found, (ones @ b.T, a.T @ ones), strict=True):
        np.testing.assert_allclose(g.numpy(), expected, rtol=1e-13)


@pytest.mark.parametrize(
    "operands",
    [
        lambda a, b: (a, [0, 1], b, [1, 2]),
        lambda a, b: (a, [0, 1], b, [1, 2], [2, 0]),
        lambda a, b: (a, [5, 51], b, [51, 27], [27, 5]),
        lambda a, b: (a, [Ellipsis, 1], b, [1, 2], [Ellipsis, 2]),
        lambda a, b: (a, [30, 1], b, [1, 2]),
    ],
)
def test_einsum_sublists(operands: Any, check_derivatives: Check) -> None:
    check_derivatives(lambda a, b: np.einsum(*operands(a, b)), *sample((2, 3), (3, 2)))


@pytest.mark.parametrize(
    ("subscripts", "shapes", "words"),
    [
        ("ij,jk->ik", [(2, 3)], "describe 2 operands, but 1 were given"),
        ("ij->i", [(2, 3, 2)], "do not fit an operand of 3 axes"),
        ("...ij->", [(2,)], "do not fit an operand of 1 axes"),
        ("...i->i", [(2, 3)], "write it there too"),
    ],
)
def test_einsum_that_does_not_fit_is_refused(subscripts: Any, shapes: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        np.einsum(subscripts, *map(symtape.constant, sample(*shapes)))


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("function", [np.convolve, np.correlate])
def test_convolution_modes(function: Any, mode: str, check_derivatives: Check) -> None:
    for n in range(1, 5):
        for m in range(1, 5):
            a, v = sample((n,), (m,))
            expected = function(a, v, mode)
            found = function(symtape.constant(a), symtape.constant(v), mode)
            np.testing.assert_allclose(found.numpy(), expected, rtol=1e-13)
    check_derivatives(lambda a, v: function(a, v, mode), *sample((4,), (3,)))
    check_derivatives(lambda a, v: function(a, v, mode), *sample((2,), (3,)))


@pytest.mark.parametrize("increasing", [True, False])
def test_vander(increasing: bool, check_derivatives: Check) -> None:
    for columns in (None, 1, 4):
        check_derivatives(
            lambda x, n=columns: np.vander(x, n, increasing=increasing),
            [0.0, -1.5, 2.0],
            reference=lambda x, n=columns: np.stack(
                [
                    np.prod([x] * k, axis=0) if k else x * 0 + 1
                    for k in (range(n or 3) if increasing else reversed(range(n or 3)))
                ],
                axis=-1,
            ),
        )


def test_multi_dot(check_derivatives: Check) -> None:
    reference: Any = lambda *xs: np.asarray(__import__("functools").reduce(np.dot, xs))  # noqa: E731
    for shapes in (
        [(2, 3), (3, 1)],
        [(2, 3), (3, 1), (1, 2)],
        [(3,), (3, 2), (2, 1)],
        [(2,), (2, 2), (2, 1), (1,)],
    ):
        check_derivatives(
            lambda *xs: np.linalg.multi_dot(xs), *sample(*shapes), reference=reference
        )


@pytest.mark.parametrize(
    ("function", "reference", "shapes"),
    [
        (np.vecdot, "...i,...i->...", ((2, 3), (3,))),
        (np.vecdot, "i,i->", ((3,), (3,))),
        (np.linalg.vecdot, "...i,...i->...", ((2, 3), (2, 3))),
        (lambda a, b: np.vecdot(a, b, axis=0), "ij,ij->j", ((2, 3), (2, 3))),
        (lambda a, b: np.linalg.vecdot(a, b, axis=0), "ij,ij->j", ((2, 3), (2, 3))),
        (lambda a, b: np.matvec(a, b), "...ij,...j->...i", ((2, 1, 3), (2, 3))),
        (lambda a, b: np.vecmat(a, b), "...i,...ij->...j", ((2, 3), (3, 2))),
    ],
)
def test_products_of_stacks(
    function: Any, reference: str, shapes: Any, check_derivatives: Check
) -> None:
    check_derivatives(function, *sample(*shapes), reference=lambda a, b: np.einsum(reference, a, b))


def test_cross_in_the_plane_is_the_third_component(check_derivatives: Check) -> None:
    check_derivatives(
        lambda a, b: np.cross(a, b) if isinstance(a, symtape.Tensor) else a[0] * b[1] - a[1] * b[0],
        *sample((2,), (2,)),
    )


FLOAT32 = [
    lambda a, b: a @ b,
    lambda a, b: np.einsum("ii,jk->i", a, b),
    lambda a, b: np.tensordot(a, b, 1),
    np.kron,
    np.cross,
    lambda a, b: np.convolve(a[0], b[0]),
]


@pytest.mark.parametrize("function", FLOAT32)
def test_float32_stays_float32(function: Any) -> None:
    a, b = (symtape.constant(x, np.float32) for x in sample((3, 3), (3, 3)))
    with symtape.GradientTape(persistent=True) as tape:
        tape.watch([a, b])
        y = function(a, b)
    assert y.dtype == np.float32
    for answer in (*tape.gradient(y, [a, b]), *tape.jacobian(y, [a, b])):
        assert answer.dtype == np.float32


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda x: np.tensordot(x, np.ones(4), 1), "whose lengths differ"),
        (lambda x: np.tensordot(x, x, ((0, 1), (0,))), "names 2 axes of the first"),
        (lambda x: np.linalg.outer(x, x), "takes two vectors"),
        (lambda x: np.cross(x, x), "vectors of length 2 or 3"),
        (lambda x: np.linalg.multi_dot([x]), "at least two"),
        (lambda x: np.convolve(x, x), "takes two vectors"),
        (lambda x: np.convolve(x[0], x[0], "middle"), "expected 'full', 'same' or 'valid'"),
        (lambda x: x @ np.ones(3), "matmul"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(function: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        function(symtape.constant(np.ones((2, 5))))
