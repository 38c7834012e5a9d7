"""Programs as a research group writes them, each with a right and a grossly wrong derivative.

Every entry is ``name: (function, right, wrong, region)``; what no one would write by hand is
claimed by the tape, and wrong by a factor or a dropped term.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import symtape
import verify

__all__ = ["PROGRAMS"]


def oscillator(p: Any) -> Any:
    """Energy left after 60 steps of a damped oscillator of frequency p[0] and damping p[1]."""
    x, v = 1.0, 0.0
    for _ in range(60):
        v = v - 0.05 * (p[0] ** 2 * x + 2 * p[1] * v)
        x = x + 0.05 * v
    return 0.5 * (v**2 + p[0] ** 2 * x**2)


def haversine(a: Any) -> Any:
    """Great-circle distance of two places, angles in radians."""
    h = np.sin((a[2] - a[0]) / 2) ** 2
    h = h + np.cos(a[0]) * np.cos(a[2]) * np.sin((a[3] - a[1]) / 2) ** 2
    return 2 * np.arcsin(np.sqrt(h))


TRIANGLES = np.array([[0, 1, 2], [1, 3, 2], [0, 2, 4], [2, 3, 4]])


def mesh_area(v: Any) -> Any:
    """Area of a small surface mesh of five vertices."""
    a, b, c = v[TRIANGLES[:, 0]], v[TRIANGLES[:, 1]], v[TRIANGLES[:, 2]]
    return 0.5 * np.sum(np.linalg.norm(np.cross(b - a, c - a), axis=1))


EDGES = np.array([[0, 1], [1, 2], [2, 3], [3, 0], [0, 2]])


def springs(x: Any) -> Any:
    """Energy of four masses in the plane on five springs of rest length 1."""
    d = x[EDGES[:, 0]] - x[EDGES[:, 1]]
    return 0.5 * np.sum((np.sqrt(np.sum(d**2, axis=1)) - 1.0) ** 2)


def orbit(s: Any) -> Any:
    """Eccentricity of the orbit with position s[:3] and velocity s[3:]."""
    r, v = s[:3], s[3:]
    h = np.cross(r, v)
    e = np.cross(v, h) - r / np.sqrt(np.sum(r**2))
    return np.sqrt(np.sum(e**2))


def burgers(u: Any) -> Any:
    """Energy after 20 explicit steps of Burgers' equation on 16 points, upwind."""
    for _ in range(20):
        left = np.roll(u, 1)
        right = np.roll(u, -1)
        slope = np.where(u > 0, u - left, right - u)
        u = u - 0.1 * u * slope + 0.05 * (right - 2 * u + left)
    return 0.5 * np.sum(u**2)


WQ, WK, WV = np.random.default_rng(7).normal(size=(3, 4, 4))


def attention(x: Any) -> Any:
    """Single-head self-attention over three tokens of width 4."""
    q, k, v = x @ WQ, x @ WK, x @ WV
    s = q @ k.T / 2.0
    w = np.exp(s - np.max(s, axis=1, keepdims=True))
    w = w / np.sum(w, axis=1, keepdims=True)
    return np.sum(np.tanh(w @ v))


W1 = np.random.default_rng(8).normal(size=(6, 3))
W2 = np.random.default_rng(9).normal(size=6)


def network(x: Any) -> Any:
    """A layer of ReLU and a sigmoid."""
    h = np.maximum(W1 @ x, 0)
    return 1 / (1 + np.exp(-(W2 @ h)))


DATA = np.random.default_rng(10).normal(size=(20, 2))
LABELS = np.sign(DATA[:, 0] + 0.3 * DATA[:, 1] + 0.1)


def logistic(w: Any) -> Any:
    """Loss of a logistic regression on twenty samples."""
    return np.mean(np.logaddexp(0, -LABELS * (DATA @ w)))


def logistic_gradient(w: Any) -> Any:
    """Its gradient by hand."""
    p = 1 / (1 + np.exp(LABELS * (DATA @ w)))
    return -np.mean((p * LABELS)[:, None] * DATA, axis=0)


def black_scholes(p: Any) -> Any:
    """Price of a call: spot, volatility, time; strike 1, rate 0.03."""
    from scipy.special import ndtr

    s, sigma, t = p[0], p[1], p[2]
    d1 = (np.log(s) + (0.03 + sigma**2 / 2) * t) / (sigma * np.sqrt(t))
    return s * ndtr(d1) - np.exp(-0.03 * t) * ndtr(d1 - sigma * np.sqrt(t))


def rosenbrock(x: Any) -> Any:
    """Rosenbrock's function of ten numbers."""
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def rosenbrock_gradient(x: Any) -> Any:
    """Its gradient by hand, in place as SciPy writes it."""
    g = np.zeros_like(x)
    g[1:-1] = (
        200 * (x[1:-1] - x[:-2] ** 2) - 400 * (x[2:] - x[1:-1] ** 2) * x[1:-1] - 2 * (1 - x[1:-1])
    )
    g[0] = -400 * x[0] * (x[1] - x[0] ** 2) - 2 * (1 - x[0])
    g[-1] = 200 * (x[-1] - x[-2] ** 2)
    return g


def lennard_jones(x: Any) -> Any:
    """Energy of three atoms in the plane."""
    d = np.stack([x[0] - x[1], x[0] - x[2], x[1] - x[2]])
    r2 = np.sum(d**2, axis=1)
    return 4 * np.sum(1 / r2**6 - 1 / r2**3)


def kepler(p: Any) -> Any:
    """Eccentric anomaly of mean anomaly p[0] and eccentricity p[1], by six Newton steps."""
    e = p[0]
    for _ in range(6):
        e = e - (e - p[1] * np.sin(e) - p[0]) / (1 - p[1] * np.cos(e))
    return e


def gaussian_fit(p: Any) -> Any:
    """Misfit of a Gaussian to eleven samples: height, centre, width."""
    t = np.linspace(-2, 2, 11)
    return np.sum((p[0] * np.exp(-((t - p[1]) ** 2) / (2 * p[2] ** 2)) - np.cos(t)) ** 2)


def covariance(m: Any) -> Any:
    """Log-likelihood of a covariance matrix A A' + I."""
    s = m @ m.T + np.eye(3)
    y = np.array([1.0, -0.5, 0.25])
    return -0.5 * (np.linalg.slogdet(s)[1] + y @ np.linalg.solve(s, y))


def _wrong(function: Any, factor: float = 1.5) -> Any:
    exact = symtape.grad(function)
    return lambda x: factor * exact(x)


_box = verify.box

PROGRAMS: dict[str, tuple[Any, Any, Any, Any]] = {
    "oscillator": (oscillator, None, _wrong(oscillator), _box([0.5, 0.0], [2.0, 0.5])),
    "haversine": (haversine, None, _wrong(haversine), _box(-1.5, 1.5, shape=(4,))),
    "mesh area": (mesh_area, None, _wrong(mesh_area), _box(-1, 1, shape=(5, 3))),
    "springs": (springs, None, _wrong(springs), _box(-2, 2, shape=(4, 2))),
    "orbit": (orbit, None, _wrong(orbit), _box(-2, 2, shape=(6,))),
    "burgers": (burgers, None, _wrong(burgers), _box(-1, 1, shape=(16,))),
    "attention": (attention, None, _wrong(attention), _box(-1, 1, shape=(3, 4))),
    "network": (network, None, _wrong(network), _box(-2, 2, shape=(3,))),
    "logistic": (
        logistic,
        logistic_gradient,
        lambda w: -logistic_gradient(w),
        _box(-3, 3, shape=(2,)),
    ),
    "Black-Scholes": (black_scholes, None, _wrong(black_scholes), _box(0.1, 2, shape=(3,))),
    "Rosenbrock": (
        rosenbrock,
        rosenbrock_gradient,
        lambda x: rosenbrock_gradient(x) + 2 * x,
        _box(-2, 2, shape=(10,)),
    ),
    "Lennard-Jones": (lennard_jones, None, _wrong(lennard_jones), _box(-3, 3, shape=(3, 2))),
    "Kepler": (kepler, None, _wrong(kepler), _box([0.0, 0.0], [3.1, 0.9])),
    "Gaussian fit": (gaussian_fit, None, _wrong(gaussian_fit), _box(0.2, 2, shape=(3,))),
    "covariance": (covariance, None, _wrong(covariance), _box(-2, 2, shape=(3, 3))),
}
