"""Gradients of functions of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.speed.workload import Workload, logsumexp

__all__ = ["workloads"]


def mlp(xp: Any, w1: Any, b1: Any, w2: Any, b2: Any, x: Any, targets: Any) -> Any:
    """Cross-entropy of a 784-256-10 network on a batch of 128, targets one-hot."""
    logits = xp.matmul(xp.tanh(xp.matmul(x, w1) + b1), w2) + b2
    log_total = xp.log(xp.sum(xp.exp(logits), 1))
    return xp.sum(log_total - xp.sum(logits * targets, 1)) / 128.0


def mlp_by_hand(w1: Any, b1: Any, w2: Any, b2: Any, x: Any, targets: Any) -> tuple[Any, ...]:
    hidden = np.tanh(x @ w1 + b1)
    odds = np.exp(hidden @ w2 + b2)
    g_logits = (odds / np.sum(odds, 1, keepdims=True) - targets) / 128.0
    g_hidden = (g_logits @ w2.T) * (1.0 - hidden * hidden)
    return x.T @ g_hidden, g_hidden.sum(0), hidden.T @ g_logits, g_logits.sum(0)


DIMENSION, COMPONENTS, SAMPLES = 10, 25, 1000
BELOW = DIMENSION * (DIMENSION - 1) // 2
PLACES = np.full((DIMENSION, DIMENSION), BELOW)
PLACES[np.tril_indices(DIMENSION, -1)] = np.arange(BELOW)
"""Where the entries of a lower triangle are in the vector of them; of others, in a 0 behind it."""


def gmm(xp: Any, alphas: Any, means: Any, factors: Any, zeros: Any, x: Any) -> Any:
    """Posterior of a mixture of 25 Gaussians in 10 dimensions, 1000 samples (ADBench).

    Constants of the likelihood and of the Wishart prior, which have no derivative, are left out.
    """
    logs, below = factors[:, :DIMENSION], factors[:, DIMENSION:]
    sums, diagonals = xp.sum(logs, 1), xp.exp(logs)
    lower = xp.concatenate([below, zeros], 1)[:, PLACES]
    apart = x[:, None, :] - means
    whitened = diagonals * apart + xp.einsum("kij,nkj->nki", lower, apart)
    inside = alphas + sums - 0.5 * xp.sum(whitened**2, 2)
    likelihood = xp.sum(logsumexp(xp, inside, 1)) - SAMPLES * logsumexp(xp, alphas, 0)
    return likelihood + 0.5 * (xp.sum(diagonals**2) + xp.sum(below**2)) - xp.sum(sums)


def gmm_by_hand(alphas: Any, means: Any, factors: Any, zeros: Any, x: Any) -> tuple[Any, ...]:
    logs, below = factors[:, :DIMENSION], factors[:, DIMENSION:]
    diagonals = np.exp(logs)
    lower = np.concatenate([below, zeros], 1)[:, PLACES]
    lower[:, range(DIMENSION), range(DIMENSION)] = diagonals
    apart = np.ascontiguousarray((x[:, None, :] - means).transpose(1, 2, 0))
    whitened = lower @ apart
    inside = (alphas + logs.sum(1))[:, None] - 0.5 * np.sum(whitened**2, 1)
    odds = np.exp(inside - inside.max(0))
    odds /= odds.sum(0)
    weighted = whitened * odds[:, None, :]
    prior = np.exp(alphas - alphas.max())
    total = odds.sum(1)
    g_lower = -weighted @ apart.transpose(0, 2, 1)
    g_logs = (
        g_lower[:, range(DIMENSION), range(DIMENSION)] * diagonals
        + (total - 1.0)[:, None]
        + diagonals**2
    )
    rows, columns = np.tril_indices(DIMENSION, -1)
    g_below = g_lower[:, rows, columns] + below
    return (
        total - SAMPLES * prior / prior.sum(),
        (lower.transpose(0, 2, 1) @ weighted).sum(2),
        np.concatenate([g_logs, g_below], 1),
    )


def gaussian_process(xp: Any, logs: Any, squares: Any, eye: Any, y: Any) -> Any:
    """Log-likelihood of 100 samples of a Gaussian process, by its scale, length and noise."""
    scale, length, noise = xp.exp(logs[0]), xp.exp(logs[1]), xp.exp(logs[2])
    covariance = scale * xp.exp(-0.5 * squares / length) + noise * eye
    factor = xp.linalg.cholesky(covariance)
    white = xp.linalg.solve(factor, y)
    return -0.5 * xp.sum(white**2) - xp.sum(xp.log(xp.diag(factor)))


def gaussian_process_by_hand(logs: Any, squares: Any, eye: Any, y: Any) -> tuple[Any]:
    scale, length, noise = np.exp(logs)
    alike = scale * np.exp(-0.5 / length * squares)
    inverse = np.linalg.inv(alike + noise * eye)
    weights = inverse @ y
    g = 0.5 * (np.outer(weights, weights) - inverse)
    g_alike = g * alike
    by_length = np.sum(g_alike * squares) * 0.5 / length
    return (np.array([np.sum(g_alike), by_length, noise * np.trace(g)]),)


def attention(xp: Any, wq: Any, wk: Any, wv: Any, x: Any) -> Any:
    """A head of self-attention over 64 tokens of width 64."""
    q, k, v = xp.matmul(x, wq), xp.matmul(x, wk), xp.matmul(x, wv)
    scores = xp.matmul(q, k.T) / 8.0
    odds = xp.exp(scores - xp.amax(scores, 1)[:, None])
    return xp.sum(xp.tanh(xp.matmul(odds / xp.sum(odds, 1)[:, None], v)))


def attention_by_hand(wq: Any, wk: Any, wv: Any, x: Any) -> tuple[Any, ...]:
    q, k, v = x @ wq, x @ wk, x @ wv
    scores = q @ k.T / 8.0
    weights = np.exp(scores - scores.max(1, keepdims=True))
    weights /= weights.sum(1, keepdims=True)
    out = np.tanh(weights @ v)
    g_out = 1.0 - out * out
    g_weights = g_out @ v.T
    g_scores = weights * (g_weights - np.sum(g_weights * weights, 1, keepdims=True)) / 8.0
    return x.T @ (g_scores @ k), x.T @ (g_scores.T @ q), x.T @ (weights.T @ g_out)


def bodies(xp: Any, x: Any) -> Any:
    """The potential of 64 bodies of one mass."""
    apart = x[:, None, :] - x[None, :, :]
    return -0.5 * xp.sum(1.0 / xp.sqrt(xp.sum(apart * apart, -1) + 0.01))


def bodies_by_hand(x: Any) -> tuple[Any]:
    apart = x[:, None, :] - x[None, :, :]
    squares = np.einsum("ijk,ijk->ij", apart, apart) + 0.01
    return (np.einsum("ij,ijk->ik", squares**-1.5, apart),)


def workloads() -> list[Workload]:
    rng = np.random.default_rng(2)
    weights = (rng.normal(size=(784, 256)) / 28, np.zeros(256))
    weights += (rng.normal(size=(256, 10)) / 16, np.zeros(10))
    batch, targets = rng.normal(size=(128, 784)), np.eye(10)[rng.integers(0, 10, 128)]
    mixture = (rng.normal(size=25), rng.uniform(size=(25, 10)), rng.normal(size=(25, 55)) / 3)
    times = np.linspace(0.0, 5.0, 100)
    squares = (times[:, None] - times) ** 2
    kernel = (np.array([0.1, -0.5, -2.0]), squares, np.eye(100), np.sin(times))
    heads = tuple(rng.normal(size=(64, 64)) / 8 for _ in range(3))
    return [
        Workload(
            "MLP 784-256-10", mlp, (*weights, batch, targets), "grad", (0, 1, 2, 3), mlp_by_hand
        ),
        Workload(
            "GMM 1000x10x25",
            gmm,
            (*mixture, np.zeros((25, 1)), rng.normal(size=(1000, 10))),
            "grad",
            (0, 1, 2),
            gmm_by_hand,
        ),
        Workload("GP 100", gaussian_process, kernel, by_hand=gaussian_process_by_hand),
        Workload(
            "attention 64x64",
            attention,
            (*heads, rng.normal(size=(64, 64))),
            "grad",
            (0, 1, 2),
            attention_by_hand,
        ),
        Workload("N-body 64", bodies, (rng.normal(size=(64, 3)),), by_hand=bodies_by_hand),
    ]
