"""Gradients of models: of light, shapes, graphs, trees and data that are missing in part."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.speed.workload import Workload, logsumexp, repeat

__all__ = ["workloads"]


def masked_mixture(xp: Any, logits: Any, means: Any, scales: Any, y: Any, seen: Any) -> Any:
    """Likelihood of 1000 x 4 measurements, some missing, under 6 Gaussians (statistics)."""
    away = (y[:, None, :] - means) / xp.exp(scales)
    each = -0.5 * away**2 - scales - 0.5 * np.log(2.0 * np.pi)
    joint = xp.sum(xp.where(seen[:, None, :] > 0.5, each, 0.0), axis=2)
    weights = logits - logsumexp(xp, logits, 0)
    return -xp.sum(logsumexp(xp, weights + joint, 1))


def hermite_spline(xp: Any, heights: Any, slopes: Any, x: Any) -> Any:
    """Energy of a cubic spline of 30 knots at 5000 points (graphics)."""
    knots = xp.linspace(0.0, 1.0, 30)
    k = xp.clip(xp.searchsorted(knots, x, side="right") - 1, 0, 28)
    h = knots[1] - knots[0]
    t = (x - knots[k]) / h
    a, b = (1 + 2 * t) * (1 - t) ** 2, t * (1 - t) ** 2
    c, d = t**2 * (3 - 2 * t), t**2 * (t - 1)
    y = a * heights[k] + h * b * slopes[k] + c * heights[k + 1] + h * d * slopes[k + 1]
    return xp.sum((y - xp.sin(6.0 * x)) ** 2)


def thin_films(xp: Any, thickness: Any, index: Any) -> Any:
    """Reflectance of 24 layers at 80 wavelengths by 2 x 2 matrices (optics)."""
    wave = np.linspace(0.4, 0.8, 80)
    a, b, c, d = np.ones(80), np.zeros(80), np.zeros(80), np.ones(80)

    def step(k: Any, m: Any) -> Any:
        a, b, c, d = m
        phase = 2.0 * np.pi * index[k] * thickness[k] / wave
        cos, sin = xp.cos(phase), xp.sin(phase)
        p, q, n = cos, sin / index[k], index[k] * sin
        return a * p - b * n, a * q + b * p, c * p - d * n, c * q + d * p

    a, b, c, d = repeat(xp, step, (a, b, c, d), 24)
    num = (a - 1.5 * d) ** 2 + (1.5 * b + c) ** 2
    den = (a + 1.5 * d) ** 2 + (1.5 * b - c) ** 2
    return xp.mean(num / den)


def drawdown(xp: Any, weights: Any, returns: Any) -> Any:
    """Mean drawdown and conditional loss of a portfolio of 30, 1500 days (finance)."""
    daily = returns @ weights
    wealth = xp.cumprod(1.0 + 0.01 * daily)
    peak = xp.maximum.accumulate(wealth)
    losses = xp.sort(-daily)
    return xp.mean(1.0 - wealth / peak) + xp.mean(losses[-75:])


def stencil(xp: Any, kernel: Any, image: Any, seen: Any) -> Any:
    """Misfit of an image of 96 x 96 filtered by 5 x 5 weights, by slices (vision)."""
    out = 0.0
    for i in range(5):
        for j in range(5):
            out = out + kernel[i, j] * image[i : i + 92, j : j + 92]
    return xp.sum((xp.tanh(out) - seen) ** 2)


def laplacian(xp: Any, values: Any, seen: Any) -> Any:
    """5 rounds of smoothing on a graph of 400 nodes and 1600 edges, by bincount (networks)."""
    edges = np.arange(1600)
    a, b = edges % 400, (edges * 7 + edges // 400 * 31 + 1) % 400
    degree = np.bincount(b, minlength=400)
    for _ in range(5):
        more = {"length": 400} if xp.__name__ == "jax.numpy" else {}
        flow = xp.bincount(b, weights=values[a] - values[b], minlength=400, **more)
        values = values + 0.5 * flow / degree
    return xp.sum((values - seen) ** 2)


def vincenty(xp: Any, lat: Any, lon: Any) -> Any:
    """Length of a path of 500 points on the ellipsoid, Vincenty's inverse (geodesy)."""
    flat = 1.0 / 298.257223563
    u = xp.arctan((1.0 - flat) * xp.tan(lat))
    sin1, cos1, sin2, cos2 = xp.sin(u[:-1]), xp.cos(u[:-1]), xp.sin(u[1:]), xp.cos(u[1:])
    away = lon[1:] - lon[:-1]
    turn = away
    for _ in range(4):
        s, c = xp.sin(turn), xp.cos(turn)
        sine = xp.sqrt((cos2 * s) ** 2 + (cos1 * sin2 - sin1 * cos2 * c) ** 2)
        cosine = sin1 * sin2 + cos1 * cos2 * c
        sigma = xp.arctan2(sine, cosine)
        alpha = cos1 * cos2 * s / sine
        square = 1.0 - alpha**2
        mid = cosine - 2.0 * sin1 * sin2 / square
        k = flat / 16.0 * square * (4.0 + flat * (4.0 - 3.0 * square))
        inner = mid + k * cosine * (2.0 * mid**2 - 1.0)
        turn = away + (1.0 - k) * flat * alpha * (sigma + k * sine * inner)
    return 6378137.0 * xp.sum(sigma)


def contacts(xp: Any, places: Any, radius: Any) -> Any:
    """Energy of 120 soft discs that touch (mechanics)."""
    away = places[:, None, :] - places[None, :, :]
    gap = xp.sqrt(xp.sum(away**2, axis=-1) + np.eye(120))
    overlap = xp.where(gap < 2.0 * radius, 2.0 * radius - gap, 0.0)
    return 0.5 * xp.sum(overlap**2.5 * (1.0 - np.eye(120)))


def rodrigues(xp: Any, turn: Any, shift: Any, points: Any, seen: Any) -> Any:
    """Error of 300 points projected by a camera, turned by Rodrigues' formula (vision)."""
    angle = xp.sqrt(xp.sum(turn**2))
    axis = turn / angle
    cross = xp.cross(axis * xp.ones((300, 1)), points)
    along = (points @ axis)[:, None] * axis
    moved = points * xp.cos(angle) + cross * xp.sin(angle) + along * (1.0 - xp.cos(angle))
    moved = moved + shift
    flat = moved[:, :2] / moved[:, 2:]
    radius = xp.sum(flat**2, axis=1, keepdims=True)
    return xp.sum((500.0 * flat * (1.0 + 0.1 * radius) - seen) ** 2)


def pruning(xp: Any, branch: Any, kappa: Any) -> Any:
    """Likelihood of 300 sites on a caterpillar tree of 12 taxa, by 4 x 4 matrices (genetics)."""
    sites = np.arange(300)
    tips = [np.eye(4)[(sites * (k + 3) // 5) % 4] for k in range(12)]
    part = tips[0]
    for k in range(11):
        same = 0.25 + 0.75 * xp.exp(-kappa * branch[k])
        other = 0.25 - 0.25 * xp.exp(-kappa * branch[k])
        p = other * np.ones((4, 4)) + (same - other) * np.eye(4)
        part = (part @ p) * (tips[k + 1] @ p)
    return -xp.sum(xp.log(0.25 * xp.sum(part, axis=1)))


def arm(xp: Any, angles: Any, goal: Any) -> Any:
    """Distance of the hand of an arm of 7 joints from its goal, by 4 x 4 matrices (robotics)."""
    pose = np.eye(4)
    for k in range(7):
        c, s = xp.cos(angles[k]), xp.sin(angles[k])
        if k % 2:
            joint = xp.array([[c, -s, 0, 0.3], [s, c, 0, 0], [0, 0, 1, 0.1], [0, 0, 0, 1]])
        else:
            joint = xp.array([[1, 0, 0, 0.2], [0, c, -s, 0], [0, s, c, 0.1], [0, 0, 0, 1]])
        pose = pose @ joint
    return xp.sum((pose[:3, 3] - goal) ** 2) + 0.1 * (1.0 - pose[2, 2]) ** 2


def warp(xp: Any, shift: Any, image: Any, seen: Any) -> Any:
    """Misfit of an image of 64 x 64, moved by a field with bilinear weights (vision)."""
    rows, columns = np.mgrid[0:64, 0:64]
    y, x = rows + shift[0], columns + shift[1]
    y, x = xp.clip(y, 0.0, 62.999), xp.clip(x, 0.0, 62.999)
    r, c = xp.floor(y).astype(int), xp.floor(x).astype(int)
    dy, dx = y - r, x - c
    moved = (
        image[r, c] * (1 - dy) * (1 - dx)
        + image[r, c + 1] * (1 - dy) * dx
        + image[r + 1, c] * dy * (1 - dx)
        + image[r + 1, c + 1] * dy * dx
    )
    return xp.sum((moved - seen) ** 2)


def workloads() -> list[Workload]:
    rng = np.random.default_rng(32)
    normal, uniform = rng.normal, rng.uniform
    numbers = {"overhead": True}
    return [
        Workload(
            "masked mixture 1000x6",
            masked_mixture,
            (
                normal(size=6),
                normal(size=(6, 4)),
                0.1 * normal(size=(6, 4)),
                normal(size=(1000, 4)),
                (uniform(size=(1000, 4)) > 0.2) * 1.0,
            ),
            argnums=(0, 1, 2),
        ),
        Workload(
            "spline 5000x30",
            hermite_spline,
            (normal(size=30), normal(size=30), uniform(0.01, 0.99, 5000)),
            argnums=(0, 1),
        ),
        Workload(
            "thin films 24x80",
            thin_films,
            (uniform(0.05, 0.2, 24), uniform(1.4, 2.4, 24)),
            argnums=(0, 1),
        ),
        Workload(
            "drawdown 1500x30", drawdown, (rng.dirichlet(np.ones(30)), normal(size=(1500, 30)))
        ),
        Workload(
            "stencil 96x5",
            stencil,
            (0.2 * normal(size=(5, 5)), normal(size=(96, 96)), normal(size=(92, 92))),
            argnums=(0, 1),
        ),
        Workload("graph smoothing 400", laplacian, (normal(size=400), normal(size=400))),
        Workload(
            "Vincenty 500",
            vincenty,
            (uniform(-1.0, 1.0, 500), uniform(-1.0, 1.0, 500)),
            argnums=(0, 1),
        ),
        Workload("contacts 120", contacts, (uniform(0.0, 10.0, (120, 2)), 0.5), argnums=(0, 1)),
        Workload(
            "camera 300",
            rodrigues,
            (
                0.3 * normal(size=3),
                np.array([0.1, 0.2, 6.0]),
                normal(size=(300, 3)),
                normal(size=(300, 2)),
            ),
            argnums=(0, 1, 2),
        ),
        Workload("pruning 300x12", pruning, (uniform(0.05, 0.5, 11), 1.3), argnums=(0, 1)),
        Workload("arm 7", arm, (normal(size=7), normal(size=3)), **numbers),
        Workload(
            "warp 64",
            warp,
            (normal(size=(2, 64, 64)), normal(size=(64, 64)), normal(size=(64, 64))),
        ),
    ]
