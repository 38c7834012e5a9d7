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
    "tensordot all of one": (
        lambda a, b: np.tensordot(a, b, ([0], [0])),
        [((2,), (2, 2, 3)), ((2, 2, 3), (2,)), ((2, 2), (2,)), ((2,), (2, 3)), ((2,), (2,))],
    ),
    "tensordot one": (lambda a, b: np.linalg.tensordot(a, b, axes=(1, 0)), [((2, 3), (3, 2))]),
    "kron": (np.kron, [((2, 2), (1, 3)), ((2,), (2, 2)), ((2,), (3,)), ((), (2,))]),
    "cross": (np.cross, [((3,), (3,)), ((2, 3), (3,)), ((2, 1, 3), (1, 2, 3))]),
    "cross axes": (lambda a, b: np.cross(a, b, axisa=0, axisb=1, axisc=0), [((3, 2), (2, 3))]),
    "cross axis": (lambda a, b: np.cross(a, b, axis=0), [((3, 2), (3, 2))]),
    "linalg.cross": (np.linalg.cross, [((2, 3), (2, 3))]),
    "linalg.cross axis": (lambda a, b: np.linalg.cross(a, b, axis=0), [((3, 2), (3, 2))]),
}


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
        (np.matvec, "...ij,...j->...i", ((2, 1, 3), (2, 3))),
        (np.vecmat, "...i,...ij->...j", ((2, 3), (3, 2))),
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
    lambda a, b: np.tensordot(a, b, 1),
    np.kron,
    np.cross,
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
        (lambda x: x @ np.ones(3), "matmul"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(function: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        function(symtape.constant(np.ones((2, 5))))
