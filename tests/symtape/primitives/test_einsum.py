"""Einstein summation in all its spellings: values, Jacobians and Hessians."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symtape
from symtape.primitives import einsum

Check = Callable[..., None]

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


@pytest.mark.parametrize("case", EINSUMS, ids=name)
def test_large_operands_are_contracted_as_small_ones_are(
    case: Any, check_derivatives: Check, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As matrices or element by element, pair by pair: whatever the sizes are, the sum is one."""
    monkeypatch.setattr(einsum, "_LARGE", 0)
    einsum._pull_back_plan.cache_clear()
    subscripts, *shapes = case
    xs = sample(*shapes)
    try:
        found = einsum.einsum(subscripts, *map(symtape.constant, xs)).numpy()
        np.testing.assert_allclose(found, np.einsum(subscripts, *xs), rtol=1e-13, atol=1e-14)
        check_derivatives(lambda *xs: np.einsum(subscripts, *xs), *xs)
    finally:
        einsum._pull_back_plan.cache_clear()


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


def test_einsum_path_needs_shapes_only() -> None:
    a, b = sample((2, 3), (3, 2))
    tensors = symtape.constant(a), symtape.constant(b)
    assert np.einsum_path("ij,jk", *tensors) == np.einsum_path("ij,jk", a, b)


def test_float32_stays_float32() -> None:
    a, b = (symtape.constant(x, np.float32) for x in sample((3, 3), (3, 3)))
    with symtape.GradientTape(persistent=True) as tape:
        tape.watch([a, b])
        y = np.einsum("ii,jk->i", a, b)
    assert y.dtype == np.float32
    for answer in (*tape.gradient(y, [a, b]), *tape.jacobian(y, [a, b])):
        assert answer.dtype == np.float32


def test_arguments_that_only_arrays_take_are_refused() -> None:
    with pytest.raises(TypeError, match="takes no order='C'"):
        np.einsum("i", symtape.constant([1.0]), order="C")
