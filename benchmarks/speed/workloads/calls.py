"""Gradients of code that leans on one function: sorts, tables, gathers, transforms, solves."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.speed.workload import Workload, logsumexp, special

__all__ = ["workloads"]

_RNG = np.random.default_rng(11)
LABELS = _RNG.integers(0, 1000, 1024)
WORDS = _RNG.integers(0, 5000, (256, 20))
FIRST, SECOND = np.triu_indices(100, 1)
FROM, TO = _RNG.integers(0, 1000, (2, 5000))
FROM = np.where(FROM == TO, (FROM + 1) % 1000, FROM)
GROUP = _RNG.integers(0, 50, 3000)
TENORS = np.linspace(0.0, 30.0, 21)
FREQUENCIES = np.fft.rfftfreq(4096)


def labelled_cross_entropy(xp: Any, logits: Any) -> Any:
    """Of a softmax over 1000 classes, 1024 samples, by their labels (learning)."""
    return xp.mean(logsumexp(xp, logits, 1) - logits[np.arange(1024), LABELS])


def embeddings(xp: Any, table: Any, weights: Any, targets: Any) -> Any:
    """Logistic loss of the means of 20 word vectors, 256 texts (language)."""
    scores = xp.matmul(xp.mean(table[WORDS], axis=1), weights)
    return xp.mean(xp.log1p(xp.exp(-targets * scores)))


def deconvolution(xp: Any, signal: Any, blur: Any, seen: Any) -> Any:
    """Misfit of a signal of 4096 that is filtered by its Fourier transform (signals)."""
    response = 1.0 / (1.0 + (FREQUENCIES / 0.1) ** 2)
    filtered = xp.fft.irfft(xp.fft.rfft(signal) * xp.asarray(response))
    return xp.sum((filtered - seen) ** 2) + blur * xp.sum(xp.abs(signal))


def matched_filter(xp: Any, kernel: Any, signal: Any, seen: Any) -> Any:
    """Misfit of a convolution of 10,000 samples with 64 taps (signals)."""
    return xp.mean((xp.convolve(signal, kernel, mode="valid") - seen) ** 2)


def convolutional(xp: Any, filters: Any, weights: Any, images: Any) -> Any:
    """A layer of 8 filters of 3 x 3, ReLU, pooled, on 8 images of 32 x 32 (vision)."""
    rows = [
        xp.sum(
            xp.stack(
                [
                    filters[k, i, j] * images[:, i : i + 30, j : j + 30]
                    for i in range(3)
                    for j in range(3)
                ]
            ),
            axis=0,
        )
        for k in range(8)
    ]
    active = xp.maximum(xp.stack(rows, axis=1), 0.0)
    pooled = xp.max(xp.max(active.reshape(8, 8, 15, 2, 15, 2), axis=5), axis=3)
    return xp.sum(xp.tanh(xp.matmul(pooled.reshape(8, -1), weights)))


def wasserstein(xp: Any, a: Any, b: Any) -> Any:
    """Distance of two samples of 10,000 by their order (transport)."""
    return xp.mean(xp.abs(xp.sort(a) - xp.sort(b)))


def expected_shortfall(xp: Any, weights: Any, scenarios: Any) -> Any:
    """Mean of the worst 5 % of 5000 outcomes of 20 assets (finance)."""
    shares = xp.exp(weights) / xp.sum(xp.exp(weights))
    return -xp.mean(xp.sort(xp.matmul(scenarios, shares))[:250])


def pinball(xp: Any, slopes: Any, x: Any, y: Any) -> Any:
    """Quantile regression of 3000 samples at three levels (econometrics)."""
    levels = np.array([0.1, 0.5, 0.9])[:, None]
    apart = y[None, :] - xp.matmul(slopes, x.T)
    return xp.mean(xp.maximum(levels * apart, (levels - 1.0) * apart))


def bonds(xp: Any, rates: Any, times: Any, cash: Any) -> Any:
    """Value of 5000 cash flows on a curve of 21 rates (finance)."""
    return xp.sum(cash * xp.exp(-xp.interp(times, TENORS, rates) * times))


def optical_flow(xp: Any, stretch: Any, tensors: Any, right: Any) -> Any:
    """1000 systems of 3 x 3 (vision)."""
    systems = tensors + stretch * np.eye(3)
    return xp.sum(xp.linalg.solve(systems, right[:, :, None])[:, :, 0] ** 2)


def springs(xp: Any, places: Any) -> Any:
    """Energy of 5000 springs between 1000 nodes (networks)."""
    lengths = xp.linalg.norm(places[FROM] - places[TO], axis=1)
    return xp.sum((lengths - 1.0) ** 2)


def lennard_jones(xp: Any, places: Any) -> Any:
    """Energy of 100 atoms, by pairs (chemistry)."""
    apart = places[FIRST] - places[SECOND]
    inverse = 1.0 / xp.sum(apart**2, axis=1) ** 3
    return 4.0 * xp.sum(inverse**2 - inverse)


def survival(xp: Any, slopes: Any, x: Any, died: Any) -> Any:
    """Discrete hazards of 1000 patients in 20 periods (statistics)."""
    hazard = 1.0 / (1.0 + xp.exp(-(xp.matmul(x, slopes) + np.linspace(-3.0, -1.0, 20))))
    alive = xp.cumprod(1.0 - hazard, axis=1)
    return -xp.sum(died * xp.log(hazard) + xp.log(alive))


def asian_option(xp: Any, spot: Any, volatility: Any, normals: Any) -> Any:
    """Value of an option on the mean of 50 prices, 2000 paths (finance)."""
    steps = (0.02 - 0.5 * volatility**2) / 50.0 + volatility * np.sqrt(1.0 / 50.0) * normals
    prices = spot * xp.exp(xp.cumsum(steps, axis=1))
    return xp.mean(xp.maximum(xp.mean(prices, axis=1) - 100.0, 0.0))


def reliability(xp: Any, weights: Any, x: Any) -> Any:
    """Noisy-or of 10 causes in 2000 cases (epidemiology)."""
    return xp.mean(xp.log(1.0 - xp.prod(1.0 - x / (1.0 + xp.exp(-weights)), axis=1)))


def wishart(xp: Any, factor: Any, mean: Any, x: Any) -> Any:
    """Likelihood of 500 samples of a Gaussian in 8 dimensions (statistics)."""
    covariance = xp.matmul(factor, factor.T) + 0.1 * np.eye(8)
    apart = x - mean
    inside = xp.sum(xp.matmul(apart, xp.linalg.inv(covariance)) * apart)
    return 0.5 * inside + 250.0 * xp.linalg.slogdet(covariance)[1]


def kriging(xp: Any, width: Any, noise: Any, places: Any, seen: Any) -> Any:
    """Likelihood of a Gaussian process at 80 places (geostatistics)."""
    apart = places[:, None, :] - places[None, :, :]
    covariance = xp.exp(-0.5 * xp.sum(apart**2, axis=-1) / width**2) + noise * np.eye(80)
    factor = xp.linalg.cholesky(covariance)
    half = xp.linalg.solve(factor, seen)
    return 0.5 * xp.sum(half**2) + xp.sum(xp.log(xp.diagonal(factor)))


def heads(xp: Any, queries: Any, keys: Any, values: Any) -> Any:
    """Attention of 4 heads on 2 texts of 48 words (language)."""
    scores = xp.einsum("bhqd,bhkd->bhqk", queries, keys) / 4.0
    odds = xp.exp(scores - xp.max(scores, axis=3, keepdims=True))
    odds = odds / xp.sum(odds, axis=3, keepdims=True)
    return xp.sum(xp.einsum("bhqk,bhkd->bhqd", odds, values) ** 2)


def mixed_effects(xp: Any, slopes: Any, groups: Any, x: Any, counts: Any) -> Any:
    """Poisson regression of 3000 counts with 50 groups (ecology)."""
    rate = xp.matmul(x, slopes) + groups[GROUP]
    return xp.sum(xp.exp(rate) - counts * rate) + 0.5 * xp.sum(groups**2)


def item_response(xp: Any, ability: Any, difficulty: Any, right: Any) -> Any:
    """500 persons who answer 100 items (psychometrics)."""
    apart = ability[:, None] - difficulty[None, :]
    return xp.sum(xp.logaddexp(0.0 * apart, apart) - right * apart)


def transformer_layer(xp: Any, x: Any, gain: Any, w1: Any, w2: Any) -> Any:
    """Layer norm and a network of GELU on 128 vectors of 64 (learning)."""
    middle = x - xp.mean(x, axis=1, keepdims=True)
    normed = gain * middle / xp.sqrt(xp.mean(middle**2, axis=1, keepdims=True) + 1e-5)
    hidden = xp.matmul(normed, w1)
    active = hidden * special(xp, "ndtr")(hidden)
    return xp.sum((x + xp.matmul(active, w2)) ** 2)


def workloads() -> list[Workload]:
    rng = np.random.default_rng(12)
    normal, uniform = rng.normal, rng.uniform
    tensors = normal(size=(1000, 3, 3))
    tensors = np.matmul(tensors, tensors.swapaxes(1, 2))
    signs = np.sign(normal(size=256))
    features = normal(size=(3000, 5))
    lattice = np.stack(np.meshgrid(*[np.arange(5.0)] * 3), -1).reshape(-1, 3)[:100]
    return [
        Workload(
            "labelled cross-entropy 1024x1000", labelled_cross_entropy, (normal(size=(1024, 1000)),)
        ),
        Workload(
            "embeddings 5000x64",
            embeddings,
            (normal(size=(5000, 64)), normal(size=64), signs),
            argnums=(0, 1),
        ),
        Workload("deconvolution 4096", deconvolution, (normal(size=4096), 0.1, normal(size=4096))),
        Workload(
            "matched filter 10000x64",
            matched_filter,
            (normal(size=64), normal(size=10_000), normal(size=9_937)),
        ),
        Workload(
            "convolutional 8x32x32",
            convolutional,
            (normal(size=(8, 3, 3)), normal(size=(1800, 10)) / 50.0, normal(size=(8, 32, 32))),
            argnums=(0, 1),
        ),
        Workload(
            "Wasserstein 10000", wasserstein, (normal(size=10_000), normal(size=10_000) + 0.3)
        ),
        Workload(
            "expected shortfall 5000x20",
            expected_shortfall,
            (normal(size=20) / 5.0, normal(size=(5000, 20)) / 50.0),
        ),
        Workload("pinball 3000x5", pinball, (normal(size=(3, 5)), features, normal(size=3000))),
        Workload(
            "bonds 5000",
            bonds,
            (uniform(0.01, 0.05, 21), uniform(0.1, 29.0, 5000), uniform(0.0, 10.0, 5000)),
        ),
        Workload(
            "optical flow 1000",
            optical_flow,
            (0.5, tensors, normal(size=(1000, 3))),
            argnums=(0, 1, 2),
        ),
        Workload("springs 5000", springs, (normal(size=(1000, 2)),)),
        Workload(
            "Lennard-Jones 100", lennard_jones, (1.1 * lattice + 0.05 * normal(size=(100, 3)),)
        ),
        Workload(
            "survival 1000x20",
            survival,
            (normal(size=(6, 20)) / 10.0, normal(size=(1000, 6)), uniform(size=(1000, 20)) // 0.9),
        ),
        Workload(
            "Asian option 2000x50",
            asian_option,
            (100.0, 0.2, normal(size=(2000, 50))),
            argnums=(0, 1),
        ),
        Workload(
            "reliability 2000x10", reliability, (normal(size=10), uniform(0.1, 0.9, (2000, 10)))
        ),
        Workload(
            "Gaussian 500x8",
            wishart,
            (np.eye(8) + 0.1 * normal(size=(8, 8)), normal(size=8), normal(size=(500, 8))),
            argnums=(0, 1),
        ),
        Workload(
            "kriging 80",
            kriging,
            (0.7, 0.1, uniform(0.0, 5.0, (80, 2)), normal(size=80)),
            argnums=(0, 1),
        ),
        Workload(
            "heads 2x4x48x16", heads, tuple(normal(size=(3, 2, 4, 48, 16))), argnums=(0, 1, 2)
        ),
        Workload(
            "mixed effects 3000",
            mixed_effects,
            (normal(size=5) / 5.0, normal(size=50) / 5.0, features, rng.poisson(1.0, 3000) * 1.0),
            argnums=(0, 1),
        ),
        Workload(
            "item response 500x100",
            item_response,
            (normal(size=500), normal(size=100), (uniform(size=(500, 100)) > 0.5) * 1.0),
            argnums=(0, 1),
        ),
        Workload(
            "GELU layer 128x64",
            transformer_layer,
            (
                *(normal(size=(128, 64)), np.ones(64)),
                *(normal(size=(64, 128)) / 8.0, normal(size=(128, 64)) / 11.0),
            ),
            argnums=(0, 1, 2, 3),
        ),
    ]
