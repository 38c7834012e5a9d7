"""Derivatives that are wrong, by however little, are never called correct."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
import scipy.special

import symtape
import verify
from verify.model.verdict import Verdict

MATRIX = np.array([[4.0, 1.0, -0.5], [0.5, 3.0, 1.0], [-1.0, 0.25, 5.0]])
DEFINITE = np.array([[4.0, 1.0, -0.5], [1.0, 3.0, 0.75], [-0.5, 0.75, 5.0]])
SYMMETRIC = np.array([[2.0, 0.5], [0.5, 1.25]])
VECTOR = np.array([1.5, -2.0, 0.25])


def network(weights: Any) -> Any:
    hidden = np.tanh(MATRIX @ weights)
    return np.sum(np.log1p(np.exp(hidden @ weights)))


def newton_root(a: Any) -> Any:
    x = a
    for _ in range(30):
        x = (x + a / x) / 2
    return np.sum(x)


PROGRAMS: Final[dict[str, tuple[Callable[[Any], Any], Any]]] = {
    "solve": (lambda a: np.sum(np.linalg.solve(a, VECTOR) ** 2), MATRIX),
    "inverse": (lambda a: np.sum(np.linalg.inv(a)), MATRIX),
    "determinant": (np.linalg.det, MATRIX),
    "log-determinant": (lambda a: np.linalg.slogdet(a)[1], DEFINITE),
    "Cholesky": (lambda a: np.sum(np.linalg.cholesky(a) ** 3), SYMMETRIC),
    "eigenvalue": (lambda a: np.linalg.eigvalsh(a)[0], SYMMETRIC),
    "singular values": (lambda a: np.sum(np.linalg.svd(a, compute_uv=False)), MATRIX[:, :2]),
    "logsumexp": (lambda x: np.log(np.sum(np.exp(x))), VECTOR),
    "norm": (np.linalg.norm, VECTOR),
    "tiny norm": (np.linalg.norm, 1e-200 * VECTOR),
    "variance": (np.var, VECTOR),
    "product": (np.prod, VECTOR),
    "cumulative": (lambda x: np.sum(np.cumsum(x) * np.cumprod(x)), VECTOR),
    "einsum": (lambda a: np.einsum("ij,jk,ki->", a, DEFINITE, a), MATRIX),
    "power": (lambda x: np.sum(np.abs(x) ** 2.5), VECTOR),
    "angles": (lambda x: np.sum(np.arctan2(x, 1.5) + np.hypot(x, 2.0)), VECTOR),
    "choices": (lambda x: np.sum(np.where(x > 0, x**2, np.maximum(x, -3) * 2)), VECTOR),
    "log-gamma": (lambda x: np.sum(scipy.special.gammaln(np.abs(x))), VECTOR),
    "network": (network, VECTOR),
    "Newton": (newton_root, np.abs(VECTOR)),
    "large": (lambda x: np.sum(x * x), 1e150 * VECTOR),
}


LIES: Final[dict[str, Callable[[Any], Any]]] = {
    "a little too large": lambda g: g * (1 + 1e-12),
    "of the other sign": lambda g: -g,
    "without a term": lambda g: g * np.where(np.arange(g.size).reshape(g.shape) == 0, 0, 1),
    "in another order": lambda g: np.flip(g * np.arange(1.0, g.size + 1).reshape(g.shape)),
    "doubled": lambda g: 2 * g,
}


@pytest.mark.slow
@pytest.mark.parametrize("lie", LIES.values(), ids=LIES.keys())
@pytest.mark.parametrize(("function", "at"), PROGRAMS.values(), ids=PROGRAMS.keys())
def test_a_false_rule_is_wrong(function: Any, at: Any, lie: Any) -> None:
    result = verify.gradient(function, at=[(at,)], claimed=lambda x: lie(symtape.grad(function)(x)))
    assert result.verdict is Verdict.WRONG, result


@pytest.mark.slow
@pytest.mark.parametrize("lie", LIES.values(), ids=LIES.keys())
@pytest.mark.parametrize(("function", "at"), PROGRAMS.values(), ids=PROGRAMS.keys())
def test_false_numbers_are_wrong(function: Any, at: Any, lie: Any) -> None:
    numbers = lie(symtape.grad(function)(at))
    result = verify.gradient(function, at=[(at,)], claimed=lambda x: numbers)
    assert result.verdict is Verdict.WRONG, result


UNSTABLE: Final[dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any], float]]] = {
    "1 - tanh²": (np.tanh, lambda x: 1 - np.tanh(x) ** 2, 15.0),
    "y (1 - y)": (
        scipy.special.expit,
        lambda x: scipy.special.expit(x) * (1 - scipy.special.expit(x)),
        30.0,
    ),
    "2x by a difference": (np.square, lambda x: (x + 1) ** 2 - x**2 - 1, 1e-9),
    "a quotient that overflows": (
        lambda x: 1 / (1 + np.exp(-x)),
        lambda x: np.exp(-x) / (1 + np.exp(-x)) ** 2,
        -600.0,
    ),
    "the tape itself, by underflow": (
        lambda x: 1 / (1 + np.exp(-x)),
        symtape.grad(lambda x: 1 / (1 + np.exp(-x))),
        -700.0,
    ),
}


@pytest.mark.parametrize(("function", "claimed", "at"), UNSTABLE.values(), ids=UNSTABLE.keys())
def test_a_right_rule_that_loses_digits_is_inaccurate(function: Any, claimed: Any, at: Any) -> None:
    result = verify.gradient(function, at=[at], claimed=claimed)
    assert result.verdict is Verdict.INACCURATE, result
    near = verify.gradient(function, at=[0.5], claimed=claimed)
    assert near.verdict is Verdict.CORRECT, near


@pytest.mark.parametrize(
    ("steps", "verdict"),
    [(1, Verdict.CORRECT), (16, Verdict.WRONG), (128, Verdict.WRONG)],
)
def test_a_few_wrong_bits_in_float32_are_found(steps: int, verdict: Verdict) -> None:
    """One ulp is what another program of the same derivative may be off by.

    The claim is a program of constants, in which nothing could have lost a few more.
    """
    at = np.float32([0.5, -1.25, 2.0])
    off = symtape.grad(lambda x: np.sum(x * x))(at)
    for _ in range(steps):
        off = np.nextafter(off, np.float32(9))
    found = verify.gradient(lambda x: np.sum(x * x), at=[(at,)], claimed=lambda x: off)
    assert found.verdict is verdict
