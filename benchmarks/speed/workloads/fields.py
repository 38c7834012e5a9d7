"""Gradients as users of several fields write them: special functions, saturations, array states."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.speed.workload import Workload, logsumexp, repeat, special

__all__ = ["workloads"]


def cart_pole(xp: Any, gains: Any, start: Any) -> Any:
    """Cost of 500 steps of a pole on a cart, whose controller saturates (control)."""

    def step(_: Any, state: Any) -> Any:
        x, v, angle, spin, cost = state
        asked = gains[0] * x + gains[1] * v + gains[2] * angle + gains[3] * spin
        force = xp.minimum(xp.maximum(10.0 * xp.tanh(asked), -8.0), 8.0)
        sine, cosine = xp.sin(angle), xp.cos(angle)
        push = (force + 0.05 * spin**2 * sine) / 1.1
        turn = (9.8 * sine - cosine * push) / (0.5 * (4.0 / 3.0 - 0.1 * cosine**2 / 1.1))
        speed_up = push - 0.05 * turn * cosine / 1.1
        cost = cost + x**2 + 5.0 * angle**2 + 0.001 * force**2
        return x + 0.01 * v, v + 0.01 * speed_up, angle + 0.01 * spin, spin + 0.01 * turn, cost

    return repeat(xp, step, (start[0], start[1], start[2], start[3], 0.0), 500)[4]


def stribeck(xp: Any, static: Any, coulomb: Any, viscous: Any) -> Any:
    """500 steps of a mass on a belt with Stribeck's friction (mechanics)."""

    def step(_: Any, state: Any) -> Any:
        x, v = state
        slip = v - 0.5
        dry = coulomb + (static - coulomb) * xp.exp(-(xp.abs(slip) ** 0.7))
        friction = dry * (2.0 / np.pi) * xp.arctan(50.0 * slip) + viscous * slip
        return x + 0.01 * v, v + 0.01 * (-x - friction)

    return repeat(xp, step, (0.1, 0.0), 500)[0]


def garch(xp: Any, omega: Any, alpha: Any, beta: Any, returns: Any) -> Any:
    """Likelihood of 1000 returns under GARCH(1, 1) with Student's innovations (finance)."""

    def step(k: Any, state: Any) -> Any:
        variance, total = state
        variance = omega + alpha * returns[k] ** 2 + beta * variance
        total = total + 0.5 * xp.log(variance) + 3.0 * xp.log1p(returns[k] ** 2 / (5.0 * variance))
        return variance, total

    return repeat(xp, step, (0.1, 0.0), 1000)[1]


def black_scholes(xp: Any, spot: Any, volatility: Any, strike: Any, years: Any) -> Any:
    """Value of 100,000 calls (finance)."""
    root = volatility * xp.sqrt(years)
    d1 = (xp.log(spot / strike) + (0.02 + volatility**2 / 2.0) * years) / root
    ndtr = special(xp, "ndtr")
    return xp.sum(spot * ndtr(d1) - strike * xp.exp(-0.02 * years) * ndtr(d1 - root))


def hmm_in_logs(xp: Any, transition: Any, emission: Any) -> Any:
    """Log-likelihood of 100 observations of a chain of 8 states, in logarithms (statistics)."""

    def step(k: Any, here: Any) -> Any:
        return logsumexp(xp, here[:, None] + transition, 0) + emission[k + 1]

    return logsumexp(xp, repeat(xp, step, emission[0] - np.log(8.0), 99), 0)


def lorenz(xp: Any, start: Any, rates: Any) -> Any:
    """200 steps of Lorenz's system, a state of 3, by the classical Runge-Kutta method (physics)."""

    def slope(u: Any) -> Any:
        x, y, z = u
        return xp.stack([rates[0] * (y - x), x * (rates[1] - z) - y, x * y - rates[2] * z])

    def step(_: Any, u: Any) -> Any:
        h = 0.01
        k1 = slope(u)
        k2 = slope(u + h / 2 * k1)
        k3 = slope(u + h / 2 * k2)
        k4 = slope(u + h * k3)
        return u + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)

    return xp.sum(repeat(xp, step, start, 200))


def epidemic(xp: Any, rate: Any, leave: Any, heal: Any, seen: Any) -> Any:
    """Likelihood of 120 days of counts under SEIR with seasons (epidemiology)."""
    gammaln = special(xp, "gammaln")

    def step(day: Any, state: Any) -> Any:
        s, e, i, total = state
        season = 1.0 + 0.2 * xp.cos(2.0 * np.pi * day / 365.0)
        new = s * (1.0 - xp.exp(-rate * season * i**0.95))
        ill, healed = leave * e, heal * i
        mean = 1000.0 * ill + 1.0
        total = total + 10.0 * xp.log(mean + 10.0) - seen[day] * xp.log(mean / (mean + 10.0))
        total = total + gammaln(10.0 + seen[day]) + gammaln(mean)
        return s - new, e + new - ill, i + ill - healed, total

    return repeat(xp, step, (0.99, 0.005, 0.005, 0.0), 120)[3]


def reactor(xp: Any, start: Any, energies: Any) -> Any:
    """400 steps of three species and a temperature with Arrhenius rates (chemistry)."""

    def step(_: Any, u: Any) -> Any:
        a, b, c, heat = u
        k = 5.0 * heat**1.5 * xp.exp(-energies / heat)
        first, second, back = k[0] * a * b, k[1] * b**2, k[2] * c
        return u + 0.01 * xp.stack(
            [back - first, back - first - 2.0 * second, first - back, 0.3 * first - 0.1 * heat]
        )

    return xp.sum(repeat(xp, step, start, 400) ** 2)


def negative_binomial(xp: Any, slopes: Any, scale: Any, x: Any, counts: Any) -> Any:
    """Regression of 2000 counts on 8 features (statistics)."""
    gammaln = special(xp, "gammaln")
    mean = xp.exp(xp.clip(xp.matmul(x, slopes), -20.0, 20.0))
    size = xp.log1p(xp.exp(scale))
    terms = gammaln(counts + size) - gammaln(size) - gammaln(counts + 1.0)
    terms = terms + size * xp.log(size / (size + mean)) + counts * xp.log(mean / (size + mean))
    return -xp.sum(terms)


def lenses(xp: Any, curvatures: Any, indices: Any, heights: Any) -> Any:
    """Spot of 2000 rays through 4 spherical surfaces by Snell's law (optics)."""
    height, angle = heights, 0.0 * heights
    for k in range(4):
        normal = xp.arcsin(xp.clip(height * curvatures[k], -0.99, 0.99))
        bent = xp.arcsin(xp.sin(angle + normal) * indices[k] / indices[k + 1])
        angle = bent - normal
        height = height + 2.0 * xp.tan(angle)
    focus = xp.mean(height)
    return xp.sqrt(xp.mean((height - focus) ** 2)) + xp.mean(xp.hypot(height, angle))


def kepler(xp: Any, eccentricity: Any, mean: Any) -> Any:
    """True anomalies of 2000 orbits, Kepler's equation by 5 steps of Newton (astronomy)."""
    e = mean + eccentricity * xp.sin(mean)
    for _ in range(5):
        e = e - (e - eccentricity * xp.sin(e) - mean) / (1.0 - eccentricity * xp.cos(e))
    true = 2.0 * xp.arctan2(
        xp.sqrt(1.0 + eccentricity) * xp.sin(e / 2.0), xp.sqrt(1.0 - eccentricity) * xp.cos(e / 2.0)
    )
    return xp.sum(xp.cos(true) * (1.0 - eccentricity * xp.cos(e)))


def cross_entropy(xp: Any, logits: Any, targets: Any) -> Any:
    """Of a softmax over 200 classes, 512 samples, targets one-hot (learning)."""
    shifted = logits - xp.max(logits, axis=1, keepdims=True)
    logs = shifted - xp.log(xp.sum(xp.exp(shifted), axis=1, keepdims=True))
    return -xp.mean(xp.sum(targets * logs, axis=1))


def ginzburg_landau(xp: Any, field: Any) -> Any:
    """Free energy of a periodic field of 128 x 128 (materials)."""
    bulk = 0.25 * (field**2 - 1.0) ** 2
    dx, dy = xp.roll(field, -1, 0) - field, xp.roll(field, -1, 1) - field
    return xp.sum(bulk + 0.5 * (dx**2 + dy**2))


def chain(xp: Any, x: Any) -> Any:
    """Elementwise functions of 100,000 numbers."""
    y = xp.exp(-(x**2)) * xp.sin(3.0 * x) + xp.log1p(xp.abs(x))
    return xp.sum(xp.tanh(y) * xp.sqrt(1.0 + y**2))


def gated(xp: Any, w: Any, u: Any, b: Any, inputs: Any) -> Any:
    """50 steps of a gated recurrent unit of 32, on batches of 16 (learning)."""

    def step(k: Any, h: Any) -> Any:
        x = inputs[k]
        update = 1.0 / (1.0 + xp.exp(-(xp.matmul(x, w[0]) + xp.matmul(h, u[0]) + b[0])))
        reset = 1.0 / (1.0 + xp.exp(-(xp.matmul(x, w[1]) + xp.matmul(h, u[1]) + b[1])))
        fresh = xp.tanh(xp.matmul(x, w[2]) + xp.matmul(reset * h, u[2]) + b[2])
        return (1.0 - update) * h + update * fresh

    return xp.sum(repeat(xp, step, xp.zeros((16, 32)), 50) ** 2)


def wake(xp: Any, x: Any, y: Any, winds: Any) -> Any:
    """Power of 20 turbines in 36 winds by Jensen's wakes (energy)."""
    angles = winds[:, None, None]
    dx, dy = x[:, None] - x[None, :], y[:, None] - y[None, :]
    along = dx * xp.cos(angles) + dy * xp.sin(angles)
    across = dy * xp.cos(angles) - dx * xp.sin(angles)
    width = 0.5 + 0.05 * xp.maximum(along, 0.0)
    loss = xp.where(along > 0.1, 0.3 / width**2 * xp.exp(-((across / width) ** 2)), 0.0)
    speed = 8.0 * (1.0 - xp.sqrt(xp.sum(loss**2, axis=2)))
    return xp.sum(1.0 / (1.0 + xp.exp(-(speed - 7.0))))


def workloads() -> list[Workload]:
    rng = np.random.default_rng(5)
    count = 100_000
    market = (rng.uniform(80, 120, count), rng.uniform(0.1, 0.5, count))
    market += (rng.uniform(80, 120, count), rng.uniform(0.1, 2.0, count))
    transition = np.log(rng.dirichlet(np.ones(8), 8))
    emission = np.log(rng.uniform(0.1, 1, (100, 8)))
    start, gains = np.array([0.1, 0.0, 0.05, 0.0]), np.array([1.0, 1.5, 15.0, 3.0])
    features = rng.normal(size=(2000, 8)) / 3.0
    one_hot = np.eye(200)[rng.integers(0, 200, 512)]
    cells = [rng.normal(size=(3, 16, 32)) / 4.0, rng.normal(size=(3, 32, 32)) / 6.0]
    cells += [rng.normal(size=(3, 32)), rng.normal(size=(50, 16, 16))]
    media = np.array([1.0, 1.5, 1.2, 1.6, 1.0])
    numbers = {"scalar": True, "overhead": True}
    return [
        Workload("cart-pole 500", cart_pole, (gains, start), argnums=(0, 1), **numbers),
        Workload("Stribeck 500", stribeck, (1.5, 1.0, 0.1), argnums=(0, 1, 2), **numbers),
        Workload(
            "GARCH 1000",
            garch,
            (0.05, 0.1, 0.8, rng.normal(size=1000)),
            argnums=(0, 1, 2),
            **numbers,
        ),
        Workload("Black-Scholes 100000", black_scholes, market, argnums=(0, 1)),
        Workload("HMM in logs 100x8", hmm_in_logs, (transition, emission), argnums=(0, 1)),
        Workload(
            "Lorenz 200",
            lorenz,
            (np.array([1.0, 1.0, 1.0]), np.array([10.0, 28.0, 8.0 / 3.0])),
            argnums=(0, 1),
            **numbers,
        ),
        Workload(
            "SEIR 120",
            epidemic,
            (0.4, 0.2, 0.1, rng.poisson(20.0, 120).astype(float)),
            argnums=(0, 1, 2),
            **numbers,
        ),
        Workload(
            "reactor 400",
            reactor,
            (np.array([1.0, 0.8, 0.1, 1.2]), np.array([3.0, 4.0, 5.0])),
            argnums=(0, 1),
            **numbers,
        ),
        Workload(
            "negative binomial 2000x8",
            negative_binomial,
            (rng.normal(size=8), 0.3, features, rng.poisson(3.0, 2000).astype(float)),
            argnums=(0, 1),
        ),
        Workload(
            "lenses 2000",
            lenses,
            (np.array([0.1, -0.08, 0.05, -0.12]), media, np.linspace(-1.0, 1.0, 2000)),
            argnums=(0, 1),
        ),
        Workload(
            "Kepler 2000",
            kepler,
            (rng.uniform(0.0, 0.7, 2000), rng.uniform(0.2, 6.0, 2000)),
            argnums=(0, 1),
        ),
        Workload("cross-entropy 512x200", cross_entropy, (rng.normal(size=(512, 200)), one_hot)),
        Workload("Ginzburg-Landau 128", ginzburg_landau, (rng.normal(size=(128, 128)),)),
        Workload("chain 100000", chain, (rng.normal(size=100_000),)),
        Workload("gated unit 50", gated, tuple(cells), argnums=(0, 1, 2)),
        Workload(
            "wakes 20x36",
            wake,
            (rng.uniform(0, 5, 20), rng.uniform(0, 5, 20), np.linspace(0.0, 6.2, 36)),
            argnums=(0, 1),
        ),
    ]
