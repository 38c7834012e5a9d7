"""Derivatives by iterations, which are right to the tolerance at which they stop."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.corpus.approximations import central
from benchmarks.corpus.registry import Group
from verify import box

ITERATIONS = Group("iterations")


def root(a):
    y = 1.0
    for _ in range(40):
        y = y - (y**3 + y - a) / (3 * y * y + 1)
    return y


def root_slope(a):
    y, step = a / 2, 1.0
    while abs(step) > 1e-8:
        step = (y**3 + y - a) / (3 * y * y + 1)
        y = y - step
    return 1 / (3 * y**2 + 1)


def kepler(m):
    e = m
    for _ in range(8):
        e = e - (e - 0.3 * np.sin(e) - m) / (1 - 0.3 * np.cos(e))
    return e


def kepler_slope(m):
    e = m
    for _ in range(60):
        e = m + 0.3 * np.sin(e)
    return 1 / (1 - 0.3 * np.cos(e))


def kepler_bisected(m):
    low, high = m - 0.3, m + 0.3
    for _ in range(40):
        middle = (low + high) / 2
        if middle - 0.3 * math.sin(middle) < m:
            low = middle
        else:
            high = middle
    return 1 / (1 - 0.3 * math.cos((low + high) / 2))


def fixed_point(x):
    y = 0.0
    for _ in range(60):
        y = np.cos(0.5 * y) + 0.1 * x
    return y


def fixed_point_slope(x):
    y, before = 0.0, 1.0
    while abs(y - before) > 1e-12:
        y, before = np.cos(0.5 * y) + 0.1 * x, y
    return 0.1 / (1 + 0.5 * np.sin(0.5 * y))


def babylon(x):
    y = x
    for _ in range(12):
        y = 0.5 * (y + x / y)
    return 0.5 / y


def agm(x):
    a, b = 1.0, x
    for _ in range(8):
        a, b = (a + b) / 2, np.sqrt(a * b)
    return a


def lambert_slope(x):
    w = math.log1p(x)
    for _ in range(20):
        e = math.exp(w)
        w -= (w * e - x) / (e * (w + 1))
    return 1 / (x + math.exp(w))


def lambert_inverse(x):
    w = np.log1p(x)
    for _ in range(20):
        w = w - (w * np.exp(w) - x) / (np.exp(w) * (w + 1))
    return w


K = np.array([[4.0, 1.0, 0.0], [1.0, 3.0, 0.5], [0.0, 0.5, 2.0]])


def conjugate_gradients(b):
    x = np.zeros(3)
    r = b - K @ x
    p = r
    for _ in range(3):
        if r @ r < 1e-24:
            break
        a = (r @ r) / (p @ K @ p)
        x, old = x + a * p, r
        r = r - a * (K @ p)
        p = r + (r @ r) / (old @ old) * p
    return x


def jacobi(b):
    x = np.zeros(3)
    d = np.diag(K)
    for _ in range(60):
        x = (b - (K @ x - d * x)) / d
    return x


def neumann(b):
    x, term = np.zeros(3), b / 4
    for _ in range(120):
        x = x + term
        term = term - K @ term / 4
    return x


def power_iteration(t):
    m = K + t * np.diag([1.0, 0.0, 0.0])
    v = np.ones(3)
    for _ in range(200):
        v = m @ v
        v = v / np.linalg.norm(v)
    return v[0] ** 2


def simpson_integral(a):
    s = np.linspace(0, 1, 41)
    w = np.ones(41)
    w[1:-1:2], w[2:-1:2] = 4, 2
    return np.sum(w * -s * np.exp(-a * s)) / 120


def gauss_legendre(a):
    nodes, weights = np.polynomial.legendre.leggauss(12)
    s = (nodes + 1) / 2
    return -np.sum(weights * s * np.exp(-a * s)) / 2


def runge_kutta(a):
    y, h = 0.0, 0.02
    t = 0.0
    for _ in range(50):
        f = lambda t, y: np.exp(-a * t) - a * y  # noqa: E731
        k1 = f(t, y)
        k2 = f(t + h / 2, y + h / 2 * k1)
        k3 = f(t + h / 2, y + h / 2 * k2)
        k4 = f(t + h, y + h * k3)
        y, t = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), t + h
    return y - np.exp(-a)


def fast_inverse_root(x):
    y = 1 / math.sqrt(float(np.float32(x)))
    return -0.5 * y * y * y


LAPLACE = lambda a: (1 - np.exp(-a)) / a  # noqa: E731
RIDGE = box(-2, 2, shape=(3,))

TABLE = {
    "root by Newton": (root, root_slope, box(0.5, 5), 1e-8, 0.0),
    "Kepler by iteration": (kepler, kepler_slope, box(0.1, 3), 1e-11, 0.0),
    "Kepler by bisection": (kepler, kepler_bisected, box(0.1, 3), 1e-9, 0.0),
    "fixed point": (fixed_point, fixed_point_slope, box(-3, 3), 1e-10, 0.0),
    "root of Babylon": (np.sqrt, babylon, box(0.2, 9), 1e-13, 0.0),
    "Lambert by Newton": (lambert_inverse, lambert_slope, box(0.1, 5), 1e-10, 0.0),
    "integral by Simpson": (LAPLACE, simpson_integral, box(0.3, 3), 1e-6, 0.0),
    "integral by Gauss": (LAPLACE, gauss_legendre, box(0.3, 3), 1e-12, 0.0),
    "inverse root of a float32": (
        lambda x: 1 / np.sqrt(x),
        fast_inverse_root,
        box(0.2, 9),
        1e-6,
        0.0,
    ),
    "eigenvector by power iteration": (
        lambda t: np.linalg.eigvalsh(K + t * np.diag([1.0, 0.0, 0.0]))[2],
        power_iteration,
        box(0, 1),
        1e-9,
        0.0,
    ),
    "quadratic by conjugate gradients": (
        lambda b: 0.5 * b @ np.linalg.solve(K, b),
        conjugate_gradients,
        RIDGE,
        0.0,
        1e-10,
    ),
    "quadratic by Jacobi": (lambda b: 0.5 * b @ np.linalg.solve(K, b), jacobi, RIDGE, 0.0, 1e-9),
    "quadratic by a Neumann series": (
        lambda b: 0.5 * b @ np.linalg.solve(K, b),
        neumann,
        RIDGE,
        0.0,
        1e-9,
    ),
    "regularised solve": (
        lambda b: 0.5 * b @ np.linalg.solve(K, b),
        lambda b: np.linalg.solve(K + 1e-9 * np.eye(3), b),
        RIDGE,
        0.0,
        1e-8,
    ),
    "arithmetic-geometric mean by differences": (agm, central(agm), box(0.3, 3), 0.0, 1e-9),
}
for _name, (_f, _g, _over, _rtol, _atol) in TABLE.items():
    ITERATIONS.add(_name, _f, _g, _over, rtol=_rtol, atol=_atol)
