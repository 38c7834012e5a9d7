"""Gradients of simulations whose state is an array, and of fits to images and spectra."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.speed.workload import Workload, repeat

__all__ = ["workloads"]


def total_variation(xp: Any, image: Any, seen: Any) -> Any:
    """Of an image of 256 x 256, smoothed (vision)."""
    dx = image[1:, :-1] - image[:-1, :-1]
    dy = image[:-1, 1:] - image[:-1, :-1]
    return xp.sum((image - seen) ** 2) + 0.1 * xp.sum(xp.sqrt(dx**2 + dy**2 + 1e-6))


def spectrum(xp: Any, heights: Any, centres: Any, widths: Any, seen: Any) -> Any:
    """20 peaks of Lorentz and Gauss at 1000 wavelengths (chemistry)."""
    waves = np.linspace(0.0, 10.0, 1000)[:, None]
    away = (waves - centres) / widths
    peaks = 0.5 / (1.0 + away**2) + 0.5 * xp.exp(-np.log(2.0) * away**2)
    return xp.sum((xp.matmul(peaks, heights) - seen) ** 2)


def star_field(xp: Any, x: Any, y: Any, flux: Any, seen: Any) -> Any:
    """Likelihood of an image of 48 x 48 with 25 stars (astronomy)."""
    rows, columns = np.mgrid[0:48.0, 0:48.0][:, None]
    square = (columns - x[:, None, None]) ** 2 + (rows - y[:, None, None]) ** 2
    model = 1.0 + xp.sum(flux[:, None, None] * xp.exp(-square / 4.5), axis=0)
    return xp.sum(model - seen * xp.log(model))


def sharpe(xp: Any, weights: Any, returns: Any) -> Any:
    """Mean over deviation of a portfolio of 50, 1000 days (finance)."""
    shares = xp.exp(weights - xp.max(weights))
    daily = xp.matmul(returns, shares / xp.sum(shares))
    mean = xp.mean(daily)
    return mean / xp.sqrt(xp.mean((daily - mean) ** 2))


def waves(xp: Any, start: Any, speed: Any) -> Any:
    """100 steps of the wave equation on 200 points (PDEs)."""

    def step(_: Any, state: Any) -> Any:
        now, before = state
        bent = xp.roll(now, 1) - 2.0 * now + xp.roll(now, -1)
        return 2.0 * now - before + 0.25 * speed**2 * bent, now

    return xp.sum(repeat(xp, step, (start, start), 100)[0] ** 2)


def patches(xp: Any, rate: Any, moves: Any, start: Any) -> Any:
    """SIR in 20 towns between which people move, 100 days (epidemiology)."""

    def step(_: Any, state: Any) -> Any:
        s, i, r = state
        new = rate * s * xp.matmul(moves, i)
        return s - new, i + new - 0.1 * i, r + 0.1 * i

    return xp.sum(repeat(xp, step, (1.0 - start, start, 0.0 * start), 100)[2])


def rank(xp: Any, weights: Any) -> Any:
    """30 steps of PageRank on 60 pages (networks)."""
    links = xp.exp(weights)
    links = links / xp.sum(links, axis=0)

    def step(_: Any, place: Any) -> Any:
        return 0.85 * xp.matmul(links, place) + 0.15 / 60.0

    return -xp.sum(xp.log(repeat(xp, step, xp.ones(60) / 60.0, 30)))


def rollout(xp: Any, inputs: Any, moves: Any, drive: Any, start: Any) -> Any:
    """Quadratic cost of 40 inputs to a linear system of 6 (control)."""

    def step(k: Any, state: Any) -> Any:
        x, cost = state
        x = xp.matmul(moves, x) + xp.matmul(drive, inputs[k])
        return x, cost + xp.sum(x**2) + 0.1 * xp.sum(inputs[k] ** 2)

    return repeat(xp, step, (start, 0.0), 40)[1]


def long_memory(xp: Any, w: Any, u: Any, b: Any, inputs: Any) -> Any:
    """30 steps of an LSTM of 32 on batches of 16 (learning)."""

    def step(k: Any, state: Any) -> Any:
        h, c = state
        z = xp.matmul(inputs[k], w) + xp.matmul(h, u) + b
        keep, write, show = (1.0 / (1.0 + xp.exp(-z[:, 32 * j : 32 * j + 32])) for j in range(3))
        c = keep * c + write * xp.tanh(z[:, 96:])
        return show * xp.tanh(c), c

    zeros = xp.zeros((16, 32))
    return xp.sum(repeat(xp, step, (zeros, zeros), 30)[0] ** 2)


def implicit_heat(xp: Any, conductivity: Any, start: Any) -> Any:
    """10 implicit steps of heat in a rod of 60 points (PDEs)."""
    bend = np.eye(60, k=1) + np.eye(60, k=-1) - 2.0 * np.eye(60)
    system = np.eye(60) - conductivity[:, None] * bend

    def step(_: Any, heat: Any) -> Any:
        return xp.linalg.solve(system, heat)

    return xp.sum(repeat(xp, step, start, 10) ** 2)


def workloads() -> list[Workload]:
    rng = np.random.default_rng(13)
    normal, uniform = rng.normal, rng.uniform
    image = normal(size=(256, 256))
    weights = (normal(size=(16, 128)) / 4.0, normal(size=(32, 128)) / 6.0, normal(size=128))
    return [
        Workload("total variation 256", total_variation, (image, image + 0.1)),
        Workload(
            "spectrum 1000x20",
            spectrum,
            (
                *(uniform(0.5, 2.0, 20), uniform(0.0, 10.0, 20), uniform(0.1, 0.5, 20)),
                normal(size=1000),
            ),
            argnums=(0, 1, 2),
        ),
        Workload(
            "star field 48x25",
            star_field,
            (
                *(uniform(0, 48, 25), uniform(0, 48, 25), uniform(5, 50, 25)),
                rng.poisson(3.0, (48, 48)) * 1.0,
            ),
            argnums=(0, 1, 2),
        ),
        Workload("Sharpe 1000x50", sharpe, (normal(size=50), normal(size=(1000, 50)) + 0.1)),
        Workload(
            "waves 100x200",
            waves,
            (np.sin(np.arange(200.0) / 10.0), uniform(0.5, 1.0, 200)),
            argnums=(0, 1),
        ),
        Workload(
            "patches 100x20",
            patches,
            (0.3, rng.dirichlet(np.ones(20), 20), uniform(0.0, 0.01, 20)),
            argnums=(0, 1, 2),
        ),
        Workload("PageRank 30x60", rank, (normal(size=(60, 60)),)),
        Workload(
            "rollout 40x6",
            rollout,
            (
                normal(size=(40, 2)),
                np.eye(6) + 0.1 * np.eye(6, k=1),
                normal(size=(6, 2)),
                normal(size=6),
            ),
            argnums=(0,),
        ),
        Workload(
            "LSTM 30x16x32", long_memory, (*weights, normal(size=(30, 16, 16))), argnums=(0, 1, 2)
        ),
        Workload(
            "implicit heat 10x60",
            implicit_heat,
            (uniform(0.1, 1.0, 60), normal(size=60)),
            argnums=(0, 1),
        ),
    ]
