"""Right derivatives of ordinary programs are never called wrong, however awkward the point."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import verify
from verify.verdict import Verdict

GENERATOR = np.random.default_rng(20)
MATRIX = np.array([[4.0, 1.0, -0.5], [0.5, 3.0, 1.0], [-1.0, 0.25, 5.0]])
DEFINITE = np.array([[4.0, 1.0, -0.5], [1.0, 3.0, 0.75], [-0.5, 0.75, 5.0]])
SYMMETRIC = np.array([[2.0, 0.5], [0.5, 1.25]])
VECTOR = np.array([1.5, -2.0, 0.25])
TABLE = np.round(GENERATOR.uniform(-2, 2, (5, 4)), 3)
LABELS = np.eye(4)[[0, 3, 1, 1, 2]]
DATA = np.round(GENERATOR.uniform(-1, 1, (6, 3)), 3)
HILBERT = 1 / (np.arange(4)[:, None] + np.arange(4) + 1)
GRADED = np.diag([1.0, 1e-6, 1e6]) @ MATRIX


def gaussian_by_cholesky(covariance: Any, mean: Any) -> Any:
    factor = np.linalg.cholesky(covariance)
    white = np.linalg.solve(factor, (DATA - mean).T)
    return np.sum(white**2) / 2 + len(DATA) * np.sum(np.log(np.diagonal(factor)))


def gaussian_by_slogdet(covariance: Any, mean: Any) -> Any:
    centred = DATA - mean
    log_det = np.linalg.slogdet(covariance)[1]
    return np.sum(centred @ np.linalg.inv(covariance) * centred) / 2 + 3 * log_det


def cross_entropy(logits: Any) -> Any:
    shifted = logits - np.max(logits, axis=1, keepdims=True)
    return -np.mean(np.sum(LABELS * (shifted - np.log(np.sum(np.exp(shifted), 1, keepdims=True))), 1))


def cross_entropy_from_softmax(logits: Any) -> Any:
    powers = np.exp(logits)
    return -np.sum(LABELS * np.log(powers / np.sum(powers, axis=1, keepdims=True)))


def log_sum_exp(x: Any) -> Any:
    top = np.max(x)
    return top + np.log(np.sum(np.exp(x - top)))


def attention(q: Any, k: Any) -> Any:
    scores = np.einsum("id,jd->ij", q, k) / np.sqrt(2.0)
    weights = np.exp(scores) / np.sum(np.exp(scores), axis=1, keepdims=True)
    return np.einsum("ij,jd,id->", weights, k, q)


def layer_norm(x: Any) -> Any:
    centred = x - np.mean(x, axis=-1, keepdims=True)
    scaled = centred / np.sqrt(np.var(x, axis=-1, keepdims=True) + 1e-5)
    return np.sum(np.tanh(scaled) * TABLE)


def ridge(matrix: Any, target: Any) -> Any:
    weights = np.linalg.solve(matrix.T @ matrix + 0.1 * np.eye(3), matrix.T @ target)
    return np.sum((matrix @ weights - target) ** 2)


def huber(x: Any) -> Any:
    return np.sum(np.where(np.abs(x) < 1.0, 0.5 * x**2, np.abs(x) - 0.5))


def relu_net(x: Any) -> Any:
    return np.sum(np.maximum(x @ MATRIX[:, :3], 0.0) ** 2) + np.max(x)


def trimmed(x: Any) -> Any:
    ordered = np.sort(x)
    return np.mean(ordered[1:-1]) + np.median(x) * ordered[0]


def newton_root(a: Any) -> Any:
    x = a
    for _ in range(30):
        x = (x + a / x) / 2
    return x


def logistic_map(r: Any) -> Any:
    x = 0.3
    for _ in range(25):
        x = r * x * (1 - x)
    return x


def spectral_norm_by_power(matrix: Any) -> Any:
    v = np.ones(3) / np.sqrt(3.0)
    for _ in range(8):
        v = matrix.T @ (matrix @ v)
        v = v / np.linalg.norm(v)
    return np.linalg.norm(matrix @ v)


PROGRAMS: Final[dict[str, tuple[Callable[..., Any], list[tuple[Any, ...]]]]] = {
    "solve": (
        lambda a, b: np.sum(np.linalg.solve(a, b) ** 2),
        [(MATRIX, VECTOR), (GRADED, VECTOR), (HILBERT, np.ones(4))],
    ),
    "solve for columns": (
        lambda a, b: np.sum(np.linalg.solve(a, b) * TABLE[:3]),
        [(MATRIX, TABLE[:3])],
    ),
    "inverse": (lambda a: np.sum(np.linalg.inv(a) * 3), [(MATRIX,), (HILBERT,), (1e-100 * MATRIX,)]),
    "determinant": (np.linalg.det, [(MATRIX,), (HILBERT,), (np.ones((3, 3)),), (np.zeros((4, 4)),)]),
    "log-determinant": (lambda a: np.linalg.slogdet(a)[1], [(DEFINITE,), (HILBERT,), (-MATRIX,)]),
    "Gaussian by Cholesky": (gaussian_by_cholesky, [(DEFINITE, VECTOR), (1e-8 * DEFINITE, VECTOR)]),
    "Gaussian by slogdet": (gaussian_by_slogdet, [(DEFINITE, VECTOR)]),
    "ridge": (ridge, [(DATA, DATA[:, 0] + 1)]),
    "eigenvalue gap": (
        lambda a: np.linalg.eigvalsh(a)[1] - np.linalg.eigvalsh(a)[0],
        [(SYMMETRIC,), (np.array([[1.0, 1e-5], [1e-5, 1.0]]),)],
    ),
    "eigenvector": (lambda a: np.sum(np.linalg.eigh(a)[1] ** 3), [(SYMMETRIC,)]),
    "nuclear norm": (lambda a: np.sum(np.linalg.svd(a, compute_uv=False)), [(TABLE[:, :2],)]),
    "QR": (lambda a: np.sum(np.linalg.qr(a)[0] ** 3), [(MATRIX,), (TABLE[:, :3],)]),
    "least squares": (lambda a: np.sum(np.linalg.pinv(a) @ VECTOR), [(DATA[:3, :2],)]),
    "power iteration": (spectral_norm_by_power, [(MATRIX,)]),
    "softmax cross-entropy": (cross_entropy, [(TABLE,), (30 * TABLE,)]),
    "cross-entropy from softmax": (cross_entropy_from_softmax, [(TABLE,)]),
    "logsumexp": (
        log_sum_exp,
        [(VECTOR,), (np.array([1000.0, 999.0, -1000.0]),), (np.array([-800.0, 0.0, -30.0]),)],
    ),
    "logaddexp": (np.logaddexp, [(1.0, 2.0), (-800.0, 3.0), (1e5, 1e5 - 1)]),
    "attention": (attention, [(TABLE[:3, :2], TABLE[2:, 2:])]),
    "layer norm": (layer_norm, [(TABLE,)]),
    "norm": (np.linalg.norm, [(VECTOR,), (1e-200 * VECTOR,), (1e200 * VECTOR,), (np.array([1e-300, 0, 0]),)]),
    "norm by sqrt": (lambda x: np.sqrt(np.sum(x * x)), [(VECTOR,), (1e-150 * VECTOR,)]),
    "3-norm": (lambda x: np.linalg.norm(x, 3), [(VECTOR,), (np.array([1.0, 1e-8, -2.0]),)]),
    "variance": (np.var, [(VECTOR,), (VECTOR + 1e6,), (1e150 * VECTOR,)]),
    "deviation": (np.std, [(VECTOR,), (VECTOR + 1e6,), (np.array([1.0, 1.0 + 1e-9]),)]),
    "running sum": (lambda x: np.sum(np.cumsum(x) ** 2), [(VECTOR,), (1e150 * VECTOR,)]),
    "running product": (lambda x: np.sum(np.cumprod(x)), [(VECTOR,), (np.array([2.0, 0.0, 3.0]),)]),
    "product": (np.prod, [(VECTOR,), (np.array([0.0, 2.0, 0.0]),), (np.array([1e150, 1e-150, 1e100]),)]),
    "trimmed": (trimmed, [(np.array([3.0, -1.0, 0.5, 2.0, 7.0]),)]),
    "einsum chain": (lambda a, b: np.einsum("ij,jk,ki->", a, b, a @ b), [(MATRIX, DEFINITE)]),
    "huber": (huber, [(np.array([0.5, -3.0, 0.0, 2.0]),)]),
    "ReLU": (relu_net, [(DATA,)]),
    "clip": (lambda x: np.sum(np.clip(x, -1, 1) * x), [(VECTOR,)]),
    "power": (lambda x, y: x**y, [(2.0, 0.5), (1e-300, 0.5), (1e100, 3.0), (0.7, -400.0)]),
    "square at large": (lambda x: x * x - (x - 1) * (x + 1), [(1e8,), (1e150,)]),
    "hypot": (np.hypot, [(3.0, 4.0), (1e200, 1e-200), (1e-300, 1e-300)]),
    "angle": (np.arctan2, [(1.0, -2.0), (1e-300, 1.0), (1e150, 1e-150), (-0.5, 0.0)]),
    "tanh in the tail": (np.tanh, [(0.5,), (20.0,), (-300.0,), (1e-300,)]),
    "logistic": (lambda x: 1 / (1 + np.exp(-x)), [(0.5,), (40.0,), (-300.0,)]),
    "tiny": (lambda x: x * x, [(1e-300,), (5e-324,)]),
    "near overflow": (lambda x: np.exp(x) + x**3, [(700.0,), (-1e100,)]),
    "cancelling": (lambda x: (1 - np.cos(x)) / x**2, [(1e-3,), (1.0,)]),
    "log of a sum": (lambda x, y: np.log(x * x + y * y), [(1e-3, 1e3), (1e150, 1.0)]),
    "Newton": (newton_root, [(2.0,), (1e-6,)]),
    "logistic map": (logistic_map, [(3.2,), (3.9,)]),
    "sine of large": (lambda x: np.sin(x * x), [(1e4,), (1e-160,)]),
    "float32": (
        lambda x: np.sum(np.exp(-x * x) * np.float32(0.1)),
        [(np.float32([0.5, -1.25, 2]),)],
    ),
    "float32 softmax": (cross_entropy, [(TABLE.astype(np.float32),)]),
    "float32 solve": (
        lambda a, b: np.sum(np.linalg.solve(a, b) ** 2),
        [(MATRIX.astype(np.float32), VECTOR.astype(np.float32))],
    ),
}

POINTS = [
    pytest.param(function, at, id=f"{name}-{number}")
    for name, (function, points) in PROGRAMS.items()
    for number, at in enumerate(points)
]


@pytest.mark.parametrize(("function", "at"), POINTS)
def test_a_right_gradient_is_not_called_wrong(function: Any, at: tuple[Any, ...]) -> None:
    result = verify.gradient(function, at=[at])
    assert result.verdict is Verdict.CORRECT, result
