"""Polynomials by their coefficients: sums, products, quotients, derivatives, fits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import symtape
from symtape.errors import Unsupported

Check = Callable[..., None]

LINEAR = [
    ("sum, longer", lambda p: np.polyadd(p, [1.0, 2.0]), (3,)),
    ("sum, shorter", lambda p: np.polyadd([1.0, 2.0, 3.0], p), (2,)),
    ("difference", lambda p: np.polysub(p, [1.0, 2.0, 3.0, 4.0]), (3,)),
    ("difference from", lambda p: np.polysub([1.0, 2.0], p), (3,)),
    ("of a number", lambda p: np.polyadd(p[0], [1.0, 2.0]), (1,)),
    ("derivative", np.polyder, (4,)),
    ("no derivative", lambda p: np.polyder(p, 0) * 1, (4,)),
    ("third derivative", lambda p: np.polyder(p, 3), (4,)),
    ("constants", lambda x: np.polyint(x[:2], 2, x[2:]), (4,)),
    ("one constant", lambda x: np.polyint(x[:2], 2, x[2:]), (3,)),
]


@pytest.mark.parametrize(("name", "function", "shape"), LINEAR, ids=[c[0] for c in LINEAR])
def test_linear_functions_are_exact(name, function, shape, values, assert_affine):
    assert_affine(function, values(shape) * 12)


def _evaluate(c: Any, x: Any, y: Any) -> Any:
    return c[0, 0] + c[0, 1] * y + x * (c[1, 0] + c[1, 1] * y)


CURVED: list[tuple[str, Any, Any, tuple[Any, ...]]] = [
    ("product", np.polymul, np.convolve, ([0.5, -2.0, 1.5], [1.0, 0.25])),
    (
        "integral",
        lambda p: np.polyint(p, 2, [0.5, 2.0]),
        lambda p: np.array([p[0] / 6, p[1] / 2, 0.5 + p[0] * 0, 2.0 + p[0] * 0]),
        ([0.5, -2.0],),
    ),
    (
        "quotient",
        lambda u, v: np.polydiv(u, v)[0],
        lambda u, v: np.array([u[0] / v[0], (u[1] - u[0] / v[0] * v[1]) / v[0]]),
        ([0.5, -2.0, 1.5], [2.0, 0.25]),
    ),
    (
        "remainder",
        lambda u, v: np.polydiv(u, v)[1],
        lambda u, v: np.array([u[2] - (u[1] - u[0] / v[0] * v[1]) / v[0] * v[1]]),
        ([0.5, -2.0, 1.5], [2.0, 0.25]),
    ),
    (
        "surface",
        lambda x, c: np.polynomial.polynomial.polyval2d(x, 2 * x, c),
        lambda x, c: np.array([_evaluate(c, each, 2 * each) for each in x]),
        ([0.5, -2.0], [[1.0, 0.25], [-0.75, 3.0]]),
    ),
    (
        "surface on a grid",
        lambda x, c: np.polynomial.polynomial.polygrid2d(x, x[:1], c),
        lambda x, c: np.array([[_evaluate(c, each, x[0])] for each in x]),
        ([0.5, -2.0], [[1.0, 0.25], [-0.75, 3.0]]),
    ),
    (
        "from roots",
        np.poly,
        lambda r: np.array([r[0] * 0 + 1, -(r[0] + r[1]), r[0] * r[1]]),
        ([0.5, -2.0],),
    ),
]


@pytest.mark.parametrize(
    ("name", "function", "reference", "inputs"), CURVED, ids=[c[0] for c in CURVED]
)
def test_curved_functions(
    name: str, function: Any, reference: Any, inputs: Any, check_derivatives: Check
) -> None:
    check_derivatives(function, *inputs, reference=reference)


@pytest.mark.parametrize("weighted", [False, True])
def test_a_line_fitted(weighted: bool, check_derivatives: Check) -> None:
    weights = np.array([1.0, 2.0, 0.5, 1.5])

    def by_definition(x: Any, y: Any) -> Any:
        w = weights**2 if weighted else np.ones(4)
        total, sx, sy = w.sum(), (w * x).sum(), (w * y).sum()
        slope = (total * (w * x * y).sum() - sx * sy) / (total * (w * x * x).sum() - sx * sx)
        return np.array([slope, (sy - slope * sx) / total])

    check_derivatives(
        lambda x, y: np.polyfit(x, y, 1, w=weights if weighted else None),
        [0.5, 1.0, -1.5, 3.0],
        [1.0, 0.25, 2.0, -0.5],
        reference=by_definition,
        rtol=1e-10,
    )


def test_leading_zeros_are_dropped_as_by_numpy() -> None:
    p = np.array([0.0, 0.0, 2.0, 1.0])
    found = np.polymul(symtape.constant(p), [0.0, 3.0])
    np.testing.assert_array_equal(found.numpy(), np.polymul(p, [0.0, 3.0]))
    quotient, remainder = np.polydiv(symtape.constant([1.0]), [1.0, 2.0])
    np.testing.assert_array_equal(quotient, np.polydiv([1.0], [1.0, 2.0])[0])
    np.testing.assert_array_equal(remainder.numpy(), [1.0])


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda x: np.polyder(x, -1), ValueError, "how often to differentiate"),
        (lambda x: np.polyint(x, 0.5), ValueError, "how often to integrate"),
        (lambda x: np.polyint(x, 3, [1.0, 2.0]), ValueError, "2 constants for m=3"),
        (lambda x: np.poly(np.diag(x)), Unsupported, "characteristic polynomial"),
        (lambda x: np.polyfit(x, x, 1, full=True), Unsupported, "the coefficients alone"),
    ],
)
def test_what_has_no_meaning_is_said(call: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        call(symtape.constant([1.0, 2.0]))
