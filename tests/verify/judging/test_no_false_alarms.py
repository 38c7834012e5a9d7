"""Right derivatives of ordinary programs are never called wrong, however awkward the point."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np
import pytest
import scipy.special

import symtape.scipy.linalg
import symtape.scipy.special
import verify
from verify.model.verdict import Verdict

Table: TypeAlias = dict[str, tuple[Callable[..., Any], list[tuple[Any, ...]]]]

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
    return -np.mean(
        np.sum(LABELS * (shifted - np.log(np.sum(np.exp(shifted), 1, keepdims=True))), 1)
    )


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


def recurrent(weights: Any) -> Any:
    state = np.zeros(3)
    for row in DATA:
        state = np.tanh(weights @ state + row)
    return np.sum(state**2)


def van_der_pol(start: Any) -> Any:
    y = start
    for _ in range(60):
        slope = np.stack([y[1], (1 - y[0] ** 2) * y[1] - y[0]])
        middle = y + 0.025 * slope
        y = y + 0.05 * np.stack([middle[1], (1 - middle[0] ** 2) * middle[1] - middle[0]])
    return np.sum(y)


def kepler(eccentricity: Any, anomaly: Any) -> Any:
    x = anomaly
    for _ in range(50):
        step = (x - eccentricity * np.sin(x) - anomaly) / (1 - eccentricity * np.cos(x))
        x = x - step
        if abs(step) < 1e-14:
            break
    return x


def masked_softmax(x: Any) -> Any:
    shown = np.where(np.array([True, False, True]), x, -np.inf)
    return np.sum(symtape.scipy.special.softmax(shown) * VECTOR)


def gaussian_process(scale: Any) -> Any:
    t = np.linspace(0, 1, 6)
    kernel = np.exp(-0.5 * ((t[:, None] - t) / scale) ** 2) + 1e-6 * np.eye(6)
    factor = np.linalg.cholesky(kernel)
    white = np.linalg.solve(factor, np.sin(3 * t))
    return white @ white / 2 + np.sum(np.log(np.diagonal(factor)))


def spectral_norm_by_power(matrix: Any) -> Any:
    v = np.ones(3) / np.sqrt(3.0)
    for _ in range(8):
        v = matrix.T @ (matrix @ v)
        v = v / np.linalg.norm(v)
    return np.linalg.norm(matrix @ v)


PROGRAMS: Final[Table] = {
    "solve": (
        lambda a, b: np.sum(np.linalg.solve(a, b) ** 2),
        [(MATRIX, VECTOR), (GRADED, VECTOR), (HILBERT, np.ones(4))],
    ),
    "solve for columns": (
        lambda a, b: np.sum(np.linalg.solve(a, b) * TABLE[:3]),
        [(MATRIX, TABLE[:3])],
    ),
    "inverse": (
        lambda a: np.sum(np.linalg.inv(a) * 3),
        [(MATRIX,), (HILBERT,), (1e-100 * MATRIX,)],
    ),
    "determinant": (
        np.linalg.det,
        [(MATRIX,), (HILBERT,), (np.ones((3, 3)),), (np.zeros((4, 4)),)],
    ),
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
    "norm": (
        np.linalg.norm,
        [(VECTOR,), (1e-200 * VECTOR,), (1e200 * VECTOR,), (np.array([1e-300, 0, 0]),)],
    ),
    "norm by sqrt": (lambda x: np.sqrt(np.sum(x * x)), [(VECTOR,), (1e-150 * VECTOR,)]),
    "3-norm": (lambda x: np.linalg.norm(x, 3), [(VECTOR,), (np.array([1.0, 1e-8, -2.0]),)]),
    "variance": (np.var, [(VECTOR,), (VECTOR + 1e6,), (1e150 * VECTOR,)]),
    "deviation": (np.std, [(VECTOR,), (VECTOR + 1e6,), (np.array([1.0, 1.0 + 1e-9]),)]),
    "running sum": (lambda x: np.sum(np.cumsum(x) ** 2), [(VECTOR,), (1e150 * VECTOR,)]),
    "running product": (lambda x: np.sum(np.cumprod(x)), [(VECTOR,), (np.array([2.0, 0.0, 3.0]),)]),
    "product": (
        np.prod,
        [(VECTOR,), (np.array([0.0, 2.0, 0.0]),), (np.array([1e150, 1e-150, 1e100]),)],
    ),
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
    "recurrent net": (recurrent, [(0.5 * MATRIX,), (3 * MATRIX,)]),
    "Van der Pol": (van_der_pol, [(np.array([2.0, 0.1]),)]),
    "Kepler": (kepler, [(0.5, 1.0), (0.99, 0.01)]),
    "Gaussian process": (gaussian_process, [(0.3,), (1.0,), (3.0,)]),
    "masked softmax": (masked_softmax, [(VECTOR,)]),
    "matrix exponential": (
        lambda a: np.sum(symtape.scipy.linalg.expm(a)),
        [(SYMMETRIC,), (np.array([[1.0, 2.0], [3.0, 4.0]]),), (np.diag([-20.0, -30.0]),)],
    ),
    "matrix power": (lambda a: np.sum(np.linalg.matrix_power(a, -3)), [(MATRIX,)]),
    "condition number": (np.linalg.cond, [(np.array([[1.0, 2.0], [3.0, 4.5]]),)]),
    "log-gamma": (scipy.special.gammaln, [(1.0,), (2.0,), (1e-300,), (1e10,), (-0.5,)]),
    "digamma at its root": (scipy.special.digamma, [(1.4616321449683622,)]),
    "log of erfc": (lambda x: np.log(scipy.special.erfc(x)), [(0.1,), (20.0,)]),
    "Bessel at a root": (lambda x: scipy.special.jv(0, x), [(2.404825557695773,)]),
    "logit": (scipy.special.logit, [(0.1,), (1e-300,), (1 - 1e-16,)]),
    "reciprocal": (lambda x: 1 / x, [(1e-100,), (1e160,)]),
    "Gaussian tail": (lambda x: np.exp(-x * x / 2), [(10.0,), (38.0,), (38.6,)]),
    "polynomial at its root": (lambda x: np.polyval([1, -2, 1], x), [(1.0001,), (0.999,)]),
    "sine of large": (lambda x: np.sin(x * x), [(1e4,), (1e-160,)]),
    "float32": (
        lambda x: np.sum(np.exp(-x * x) * np.float32(0.1)),
        [(np.float32([0.5, -1.25, 2]),)],
    ),
    "float32 constants": (
        lambda x: np.sum(0.1 * x**2 + x / 3),
        [(VECTOR.astype(np.float32),)],
    ),
    "float32 variance": (np.var, [(VECTOR.astype(np.float32) + 100,)]),
    "float32 determinant": (
        lambda a: np.linalg.slogdet(a)[1],
        [(DEFINITE.astype(np.float32),), (HILBERT.astype(np.float32),)],
    ),
    "float32 softmax": (cross_entropy, [(TABLE.astype(np.float32),)]),
    "float32 solve": (
        lambda a, b: np.sum(np.linalg.solve(a, b) ** 2),
        [(MATRIX.astype(np.float32), VECTOR.astype(np.float32))],
    ),
}


def pairs(table: Table) -> list[Any]:
    return [
        pytest.param(function, at, id=f"{name}-{number}")
        for name, (function, points) in table.items()
        for number, at in enumerate(points)
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("function", "at"), pairs(PROGRAMS))
def test_a_right_gradient_is_not_called_wrong(function: Any, at: tuple[Any, ...]) -> None:
    result = verify.gradient(function, at=[at])
    assert result.verdict is Verdict.CORRECT, result


LOST: Final[Table] = {
    "polynomial at its root": (
        lambda x: np.polyval([1, -6, 15, -20, 15, -6, 1], x),
        [(1.0001,), (0.999,)],
    ),
    "difference of neighbours": (lambda x: x - np.sin(x), [(1e-9,)]),
}


@pytest.mark.parametrize(("function", "at"), pairs(LOST))
def test_a_value_of_which_rounding_leaves_no_digit_is_not_called_correct(
    function: Any, at: tuple[Any, ...]
) -> None:
    result = verify.gradient(function, at=[at])
    assert result.verdict is Verdict.UNDECIDED, result
    assert "the rule is right in exact arithmetic" in result.points[0].message


JACOBIANS: Final[Table] = {
    "softmax": (symtape.scipy.special.softmax, [(VECTOR,), (200 * VECTOR,)]),
    "unit vector": (lambda x: x / np.linalg.norm(x), [(VECTOR,), (1e-160 * VECTOR,)]),
    "inverse": (np.linalg.inv, [(MATRIX,), (HILBERT[:3, :3],)]),
    "R": (lambda a: np.linalg.qr(a)[1], [(TABLE[:, :3],)]),
    "eigenvectors": (lambda a: np.linalg.eigh(a)[1], [(SYMMETRIC,)]),
    "cumulative product": (np.cumprod, [(np.array([1.0, 0.0, 2.0, 0.0, 3.0]),)]),
    "sorted": (np.sort, [(VECTOR,)]),
}
HESSIANS: Final[Table] = {
    "logsumexp": (symtape.scipy.special.logsumexp, [(VECTOR,), (100 * VECTOR,)]),
    "norm": (np.linalg.norm, [(VECTOR,)]),
    "log-determinant": (lambda a: np.linalg.slogdet(a)[1], [(DEFINITE,)]),
    "determinant": (np.linalg.det, [(MATRIX,), (np.ones((3, 3)),)]),
    "solve": (lambda a: np.sum(np.linalg.solve(a, VECTOR)), [(MATRIX,)]),
    "Cholesky": (lambda a: np.sum(np.linalg.cholesky(a) ** 3), [(SYMMETRIC,)]),
    "eigenvalue": (lambda a: np.linalg.eigvalsh(a)[0], [(SYMMETRIC,)]),
    "deviation": (np.std, [(VECTOR,)]),
}


@pytest.mark.parametrize(("function", "at"), pairs(JACOBIANS))
def test_a_right_jacobian_is_not_called_wrong(function: Any, at: tuple[Any, ...]) -> None:
    result = verify.jacobian(function, at=[at])
    assert result.verdict is Verdict.CORRECT, result


@pytest.mark.parametrize(("function", "at"), pairs(HESSIANS))
def test_a_right_hessian_is_not_called_wrong(function: Any, at: tuple[Any, ...]) -> None:
    result = verify.hessian(function, at=[at])
    assert result.verdict is Verdict.CORRECT, result
