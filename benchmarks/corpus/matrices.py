"""Matrix calculus, in the identities of its cookbooks."""

from __future__ import annotations

import numpy as np

from benchmarks.corpus.registry import Group
from verify import box, positive_definite, symmetric

MATRICES = Group("matrices")

A = np.array([[2.0, 0.3, -0.1], [0.5, 1.5, 0.2], [0.1, -0.4, 1.8]])
S = np.array([[2.0, 0.3, 0.1], [0.3, 1.5, -0.2], [0.1, -0.2, 1.8]])
C = np.array([[0.3, -0.2, 0.5], [1.0, 0.1, -0.6], [0.2, 0.7, 0.4]])
U = np.array([1.0, -0.5, 0.25])
V = np.array([0.3, 0.6, -0.1])

NEAR = box(A - 0.5, A + 0.5)
DEFINITE = positive_definite(3)
VECTOR = box(-2, 2, shape=(3,))
SQUARE = box(-2, 2, shape=(3, 3))

EYE = np.eye(3)


def log_det(x):
    return np.linalg.slogdet(x)[1]


def log_det_by_cholesky(x):
    return 2 * np.sum(np.log(np.diag(np.linalg.cholesky(x))))


def inverse_form(x):
    return U @ np.linalg.inv(x) @ V


def inverse_form_gradient(x):
    inverse = np.linalg.inv(x)
    return -np.outer(inverse.T @ U, inverse @ V)


def inverse_form_by_solves(x):
    return -np.outer(np.linalg.solve(x.T, U), np.linalg.solve(x, V))


def determinant_cofactors(x):
    g = np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            minor = np.delete(np.delete(x, i, 0), j, 1)
            g[i, j] = (-1) ** (i + j) * (minor[0, 0] * minor[1, 1] - minor[0, 1] * minor[1, 0])
    return g


def determinant_crosses(x):
    return np.stack([np.cross(x[1], x[2]), np.cross(x[2], x[0]), np.cross(x[0], x[1])])


def stein(x):
    return np.trace(x) - log_det(x) - 3


def burg(x):
    return np.trace(np.linalg.solve(S, x)) - np.linalg.slogdet(x)[1]


def gaussian(x):
    return -0.5 * (log_det(x) + U @ np.linalg.solve(x, U))


def gaussian_gradient(x):
    p = np.linalg.inv(x)
    a = p @ U
    return 0.5 * (np.outer(a, a) - p)


def rayleigh(v):
    return (v @ S @ v) / (v @ v)


def rayleigh_gradient(v):
    n = v @ v
    return 2 * (S @ v - rayleigh(v) * v) / n


def factorisation(x):
    r = x @ x.T - S
    return np.sum(r**2) / 4


def least_squares(x):
    return np.linalg.solve(A.T @ A + 0.1 * EYE, A.T @ x)


def orthogonality(x):
    return np.sum((x.T @ x - EYE) ** 2)


def sylvester(x):
    return np.sum((A @ x + x @ C - S) ** 2)


def sylvester_gradient(x):
    r = A @ x + x @ C - S
    return 2 * (A.T @ r + r @ C.T)


def softmax_rows(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return np.sum(C * e / e.sum(axis=1, keepdims=True))


def softmax_rows_gradient(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    p = e / e.sum(axis=1, keepdims=True)
    return p * (C - np.sum(C * p, axis=1, keepdims=True))


def power_trace(x):
    return np.trace(np.linalg.matrix_power(x, 3))


def exponential_series(x):
    return np.trace(EYE + x + x @ x / 2 + x @ x @ x / 6)


def resolvent(t):
    return np.trace(np.linalg.inv(EYE + t * S))


def resolvent_slope(t):
    r = np.linalg.inv(EYE + t * S)
    return -np.sum(r * (S @ r).T)


def eigenvalue_slope(t):
    _, v = np.linalg.eigh(S + t * np.diag([1.0, 2.0, 3.0]))
    return np.sum(v[:, 0] ** 2 * np.array([1.0, 2.0, 3.0]))


def nuclear(x):
    return np.sum(np.linalg.svd(x, compute_uv=False))


def nuclear_gradient(x):
    u, _, vt = np.linalg.svd(x)
    return u @ vt


def spectral_gradient(x):
    u, _, vt = np.linalg.svd(x)
    return np.outer(u[:, 0], vt[0])


def cholesky_sum(x):
    return np.sum(C * np.linalg.cholesky(x @ x.T + EYE))


def whiten(v):
    half = np.linalg.solve(np.linalg.cholesky(S), v)
    return 0.5 * np.sum(half**2)


def mahalanobis(v):
    return np.sqrt((v - U) @ np.linalg.solve(S, v - U))


def mahalanobis_gradient(v):
    y = np.linalg.solve(S, v - U)
    return y / np.sqrt((v - U) @ y)


def correlation(x):
    d = 1 / np.sqrt(np.diag(x))
    return (x * d[:, None] * d)[0, 1]


def correlation_gradient(x):
    r = x[0, 1] / np.sqrt(x[0, 0] * x[1, 1])
    g = np.zeros_like(x)
    g[0, 1] = 1 / np.sqrt(x[0, 0] * x[1, 1])
    g[0, 0] = -0.5 * r / x[0, 0]
    g[1, 1] = -0.5 * r / x[1, 1]
    return g


TABLE = {
    "log det, inverse": (log_det, lambda x: np.linalg.inv(x).T, NEAR),
    "log det, solve": (log_det, lambda x: np.linalg.solve(x.T, EYE), NEAR),
    "log det, definite": (log_det, lambda x: np.linalg.inv(x), DEFINITE),
    "log det, log of the determinant": (
        lambda x: np.log(np.linalg.det(x)),
        lambda x: np.linalg.inv(x).T,
        NEAR,
    ),
    "determinant, adjugate": (np.linalg.det, lambda x: np.linalg.det(x) * np.linalg.inv(x).T, NEAR),
    "determinant, cofactors": (np.linalg.det, determinant_cofactors, SQUARE),
    "determinant, cross products": (np.linalg.det, determinant_crosses, SQUARE),
    "inverse form, outer product": (inverse_form, inverse_form_gradient, NEAR),
    "inverse form, solves": (inverse_form, inverse_form_by_solves, NEAR),
    "trace of the inverse": (
        lambda x: np.trace(np.linalg.inv(x)),
        lambda x: -np.linalg.matrix_power(np.linalg.inv(x), 2).T,
        NEAR,
    ),
    "trace of the inverse, definite": (
        lambda x: np.trace(np.linalg.inv(x)),
        lambda x: -np.linalg.inv(x) @ np.linalg.inv(x),
        DEFINITE,
    ),
    "trace of a product": (lambda x: np.trace(A @ x), lambda x: A.T + 0 * x, SQUARE),
    "trace of a square": (lambda x: np.trace(x @ x), lambda x: 2 * x.T, SQUARE),
    "trace of a cube": (power_trace, lambda x: 3 * (x @ x).T, SQUARE),
    "trace of a form": (lambda x: np.trace(x.T @ A @ x), lambda x: (A + A.T) @ x, SQUARE),
    "trace of a two-sided product": (
        lambda x: np.trace(A @ x @ C),
        lambda x: A.T @ C.T + 0 * x,
        SQUARE,
    ),
    "trace of a double form": (
        lambda x: np.trace(A @ x @ C @ x.T),
        lambda x: A.T @ x @ C.T + A @ x @ C,
        SQUARE,
    ),
    "Frobenius norm squared": (
        lambda x: np.sum((A @ x - C) ** 2),
        lambda x: 2 * A.T @ (A @ x - C),
        SQUARE,
    ),
    "Frobenius norm": (
        lambda x: np.linalg.norm(x - S),
        lambda x: (x - S) / np.linalg.norm(x - S),
        SQUARE,
    ),
    "bilinear form": (lambda x: U @ x @ V, lambda x: np.outer(U, V), SQUARE),
    "power trace of a symmetric matrix": (power_trace, lambda x: 3 * x @ x, symmetric(3)),
    "exponential series": (exponential_series, lambda x: (EYE + x + x @ x / 2).T, SQUARE),
    "Stein loss": (stein, lambda x: EYE - np.linalg.inv(x), DEFINITE),
    "Burg divergence": (burg, lambda x: np.linalg.inv(S) - np.linalg.inv(x), DEFINITE),
    "Gaussian by covariance": (gaussian, gaussian_gradient, DEFINITE),
    "factorisation": (factorisation, lambda x: (x @ x.T - S) @ x, SQUARE),
    "orthogonality": (orthogonality, lambda x: 4 * x @ (x.T @ x - EYE), SQUARE),
    "Sylvester residual": (sylvester, sylvester_gradient, SQUARE),
    "softmax of rows": (softmax_rows, softmax_rows_gradient, SQUARE),
    "nuclear norm": (nuclear, nuclear_gradient, NEAR),
    "spectral norm": (
        lambda x: np.linalg.svd(x, compute_uv=False)[0],
        spectral_gradient,
        box(np.diag([3.0, 2.0, 1.0]) - 0.3, np.diag([3.0, 2.0, 1.0]) + 0.3),
    ),
    "correlation": (correlation, correlation_gradient, DEFINITE),
    "quadratic form": (lambda v: v @ A @ v, lambda v: (A + A.T) @ v, VECTOR),
    "quadratic form, symmetric": (lambda v: 0.5 * v @ S @ v - U @ v, lambda v: S @ v - U, VECTOR),
    "Rayleigh quotient": (rayleigh, rayleigh_gradient, box(0.2, 2, shape=(3,))),
    "residual": (lambda v: np.linalg.norm(A @ v - U) ** 2, lambda v: 2 * A.T @ (A @ v - U), VECTOR),
    "residual, normal equations": (
        lambda v: np.sum((A @ v - U) ** 2),
        lambda v: 2 * ((A.T @ A) @ v - A.T @ U),
        VECTOR,
    ),
    "whitened": (whiten, lambda v: np.linalg.solve(S, v), VECTOR),
    "whitened, inverse": (whiten, lambda v: np.linalg.inv(S) @ v, VECTOR),
    "Mahalanobis": (mahalanobis, mahalanobis_gradient, box(1.5, 4, shape=(3,))),
    "resolvent": (resolvent, resolvent_slope, box(0.0, 2)),
    "lowest eigenvalue": (
        lambda t: np.linalg.eigvalsh(S + t * np.diag([1.0, 2.0, 3.0]))[0],
        eigenvalue_slope,
        box(0, 1),
    ),
    "log det along a line": (
        lambda t: np.linalg.slogdet(EYE + t * S)[1],
        lambda t: np.trace(np.linalg.solve(EYE + t * S, S)),
        box(0, 2),
    ),
    "log det along a line, eigenvalues": (
        lambda t: np.linalg.slogdet(EYE + t * S)[1],
        lambda t: np.sum(np.linalg.eigvalsh(S) / (1 + t * np.linalg.eigvalsh(S))),
        box(0, 2),
    ),
}
for _name, (_f, _g, _over) in TABLE.items():
    MATRICES.add(_name, _f, _g, _over)

JACOBIANS = {
    "linear map": (lambda v: A @ v, lambda v: A, VECTOR),
    "ridge": (least_squares, lambda v: np.linalg.solve(A.T @ A + 0.1 * EYE, A.T), VECTOR),
    "inverse along a line": (
        lambda t: np.linalg.inv(EYE + t * C),
        lambda t: -np.linalg.inv(EYE + t * C) @ C @ np.linalg.inv(EYE + t * C),
        box(0, 0.8),
    ),
    "solution along a line": (
        lambda t: np.linalg.solve(EYE + t * C, U),
        lambda t: -np.linalg.solve(EYE + t * C, C @ np.linalg.solve(EYE + t * C, U)),
        box(0, 0.8),
    ),
    "inverse, all entries": (
        np.linalg.inv,
        lambda x: -np.einsum("ik,lj->ijkl", np.linalg.inv(x), np.linalg.inv(x)),
        NEAR,
    ),
    "transpose times itself": (
        lambda v: np.outer(v, v),
        lambda v: np.einsum("ik,j->ijk", EYE, v) + np.einsum("i,jk->ijk", v, EYE),
        VECTOR,
    ),
    "projection": (
        lambda v: v - U * (U @ v) / (U @ U),
        lambda v: EYE - np.outer(U, U) / (U @ U),
        VECTOR,
    ),
    "Householder": (
        lambda v: v - 2 * U * (U @ v) / 1.3125,
        lambda v: EYE - np.outer(U, U) / 0.65625,
        VECTOR,
    ),
}
for _name, (_f, _g, _over) in JACOBIANS.items():
    MATRICES.add(_name, _f, _g, _over, quantity="jacobian")
