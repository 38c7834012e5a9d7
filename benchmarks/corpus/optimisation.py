"""Test functions of optimisation, with the gradients that their collections give."""

from __future__ import annotations

import numpy as np

from benchmarks.corpus.registry import Group
from verify import box

OPTIMISATION = Group("optimisation")

PLANE = box(-2, 2, shape=(2,))


def _gradient(*parts):
    return lambda p: np.array([part(*p) for part in parts])


def _of(f):
    return lambda p: f(p[0], p[1])


TWO = {
    "Booth": (
        lambda x, y: (x + 2 * y - 7) ** 2 + (2 * x + y - 5) ** 2,
        lambda x, y: 10 * x + 8 * y - 34,
        lambda x, y: 8 * x + 10 * y - 38,
    ),
    "Matyas": (
        lambda x, y: 0.26 * (x**2 + y**2) - 0.48 * x * y,
        lambda x, y: 0.52 * x - 0.48 * y,
        lambda x, y: 0.52 * y - 0.48 * x,
    ),
    "Himmelblau": (
        lambda x, y: (x**2 + y - 11) ** 2 + (x + y**2 - 7) ** 2,
        lambda x, y: 4 * x * (x**2 + y - 11) + 2 * (x + y**2 - 7),
        lambda x, y: 2 * (x**2 + y - 11) + 4 * y * (x + y**2 - 7),
    ),
    "three-hump camel": (
        lambda x, y: 2 * x**2 - 1.05 * x**4 + x**6 / 6 + x * y + y**2,
        lambda x, y: 4 * x - 4.2 * x**3 + x**5 + y,
        lambda x, y: x + 2 * y,
    ),
    "six-hump camel": (
        lambda x, y: (4 - 2.1 * x**2 + x**4 / 3) * x**2 + x * y + (-4 + 4 * y**2) * y**2,
        lambda x, y: 8 * x - 8.4 * x**3 + 2 * x**5 + y,
        lambda x, y: x - 8 * y + 16 * y**3,
    ),
    "McCormick": (
        lambda x, y: np.sin(x + y) + (x - y) ** 2 - 1.5 * x + 2.5 * y + 1,
        lambda x, y: np.cos(x + y) + 2 * (x - y) - 1.5,
        lambda x, y: np.cos(x + y) - 2 * (x - y) + 2.5,
    ),
    "Goldstein-Price": (
        lambda x, y: (
            (1 + (x + y + 1) ** 2 * (19 - 14 * x + 3 * x**2 - 14 * y + 6 * x * y + 3 * y**2))
            * (
                30
                + (2 * x - 3 * y) ** 2 * (18 - 32 * x + 12 * x**2 + 48 * y - 36 * x * y + 27 * y**2)
            )
        ),
        lambda x, y: (
            24
            * (-1 + 2 * x - 3 * y)
            * (2 * x - 3 * y)
            * (2 * x - 3 * (1 + y))
            * (1 + (1 + x + y) ** 2 * (19 + 3 * x**2 + y * (-14 + 3 * y) + 2 * x * (-7 + 3 * y)))
            + 12
            * (-2 + x + y)
            * (-1 + x + y)
            * (1 + x + y)
            * (
                30
                + (2 * x - 3 * y) ** 2
                * (12 * x**2 - 4 * x * (8 + 9 * y) + 3 * (6 + y * (16 + 9 * y)))
            )
        ),
        lambda x, y: (
            -36
            * (-1 + 2 * x - 3 * y)
            * (2 * x - 3 * y)
            * (2 * x - 3 * (1 + y))
            * (1 + (1 + x + y) ** 2 * (19 + 3 * x**2 + y * (-14 + 3 * y) + 2 * x * (-7 + 3 * y)))
            + 12
            * (-2 + x + y)
            * (-1 + x + y)
            * (1 + x + y)
            * (
                30
                + (2 * x - 3 * y) ** 2
                * (12 * x**2 - 4 * x * (8 + 9 * y) + 3 * (6 + y * (16 + 9 * y)))
            )
        ),
    ),
    "Branin": (
        lambda x, y: (
            (y - 5.1 / (4 * np.pi**2) * x**2 + 5 / np.pi * x - 6) ** 2
            + 10 * (1 - 1 / (8 * np.pi)) * np.cos(x)
            + 10
        ),
        lambda x, y: (
            2
            * (y - 5.1 / (4 * np.pi**2) * x**2 + 5 / np.pi * x - 6)
            * (5 / np.pi - 5.1 / (2 * np.pi**2) * x)
            - 10 * (1 - 1 / (8 * np.pi)) * np.sin(x)
        ),
        lambda x, y: 2 * (y - 5.1 / (4 * np.pi**2) * x**2 + 5 / np.pi * x - 6),
    ),
    "Easom": (
        lambda x, y: -np.cos(x) * np.cos(y) * np.exp(-((x - np.pi) ** 2) - (y - np.pi) ** 2),
        lambda x, y: (
            np.exp(-((x - np.pi) ** 2) - (y - np.pi) ** 2)
            * np.cos(y)
            * (np.sin(x) + 2 * (x - np.pi) * np.cos(x))
        ),
        lambda x, y: (
            np.exp(-((x - np.pi) ** 2) - (y - np.pi) ** 2)
            * np.cos(x)
            * (np.sin(y) + 2 * (y - np.pi) * np.cos(y))
        ),
    ),
    "Adjiman": (
        lambda x, y: np.cos(x) * np.sin(y) - x / (y**2 + 1),
        lambda x, y: -np.sin(x) * np.sin(y) - 1 / (y**2 + 1),
        lambda x, y: np.cos(x) * np.cos(y) + 2 * x * y / (y**2 + 1) ** 2,
    ),
    "Schaffer 2": (
        lambda x, y: 0.5 + (np.sin(x**2 - y**2) ** 2 - 0.5) / (1 + 0.001 * (x**2 + y**2)) ** 2,
        lambda x, y: (
            2 * x * np.sin(2 * (x**2 - y**2)) / (1 + 0.001 * (x**2 + y**2)) ** 2
            - 0.004 * x * (np.sin(x**2 - y**2) ** 2 - 0.5) / (1 + 0.001 * (x**2 + y**2)) ** 3
        ),
        lambda x, y: (
            -2 * y * np.sin(2 * (x**2 - y**2)) / (1 + 0.001 * (x**2 + y**2)) ** 2
            - 0.004 * y * (np.sin(x**2 - y**2) ** 2 - 0.5) / (1 + 0.001 * (x**2 + y**2)) ** 3
        ),
    ),
    "Bohachevsky": (
        lambda x, y: (
            x**2 + 2 * y**2 - 0.3 * np.cos(3 * np.pi * x) - 0.4 * np.cos(4 * np.pi * y) + 0.7
        ),
        lambda x, y: 2 * x + 0.9 * np.pi * np.sin(3 * np.pi * x),
        lambda x, y: 4 * y + 1.6 * np.pi * np.sin(4 * np.pi * y),
    ),
    "Leon": (
        lambda x, y: 100 * (y - x**3) ** 2 + (1 - x) ** 2,
        lambda x, y: -600 * x**2 * (y - x**3) - 2 * (1 - x),
        lambda x, y: 200 * (y - x**3),
    ),
    "Brent": (
        lambda x, y: (x + 10) ** 2 + (y + 10) ** 2 + np.exp(-(x**2) - y**2),
        lambda x, y: 2 * (x + 10) - 2 * x * np.exp(-(x**2) - y**2),
        lambda x, y: 2 * (y + 10) - 2 * y * np.exp(-(x**2) - y**2),
    ),
    "Wayburn-Seader": (
        lambda x, y: (x**6 + y**4 - 17) ** 2 + (2 * x + y - 4) ** 2,
        lambda x, y: 12 * x**5 * (x**6 + y**4 - 17) + 4 * (2 * x + y - 4),
        lambda x, y: 8 * y**3 * (x**6 + y**4 - 17) + 2 * (2 * x + y - 4),
    ),
    "hosaki": (
        lambda x, y: (1 - 8 * x + 7 * x**2 - 7 / 3 * x**3 + x**4 / 4) * y**2 * np.exp(-y),
        lambda x, y: (-8 + 14 * x - 7 * x**2 + x**3) * y**2 * np.exp(-y),
        lambda x, y: (1 - 8 * x + 7 * x**2 - 7 / 3 * x**3 + x**4 / 4) * y * (2 - y) * np.exp(-y),
    ),
}
for _name, (_f, *_parts) in TWO.items():
    OPTIMISATION.add(_name, _of(_f), _gradient(*_parts), PLANE)


def ackley(x):
    r = np.sqrt(np.mean(x**2))
    return -20 * np.exp(-0.2 * r) - np.exp(np.mean(np.cos(2 * np.pi * x))) + 20 + np.e


def ackley_gradient(x):
    n, r = len(x), np.sqrt(np.mean(x**2))
    waves = np.exp(np.mean(np.cos(2 * np.pi * x)))
    return 4 * np.exp(-0.2 * r) * x / (n * r) + 2 * np.pi / n * np.sin(2 * np.pi * x) * waves


def griewank(x):
    i = np.sqrt(np.arange(1, len(x) + 1))
    return np.sum(x**2) / 4000 - np.prod(np.cos(x / i)) + 1


def griewank_gradient(x):
    i = np.sqrt(np.arange(1, len(x) + 1))
    g = x / 2000
    for k in range(len(x)):
        others = np.prod(np.delete(np.cos(x / i), k))
        g[k] += np.sin(x[k] / i[k]) / i[k] * others
    return g


def levy(x):
    w = 1 + (x - 1) / 4
    middle = np.sum((w[:-1] - 1) ** 2 * (1 + 10 * np.sin(np.pi * w[:-1] + 1) ** 2))
    last = (w[-1] - 1) ** 2 * (1 + np.sin(2 * np.pi * w[-1]) ** 2)
    return np.sin(np.pi * w[0]) ** 2 + middle + last


def levy_gradient(x):
    w = 1 + (x - 1) / 4
    g = np.zeros_like(x)
    g[0] = np.pi / 4 * np.sin(2 * np.pi * w[0])
    s = np.pi * w[:-1] + 1
    g[:-1] += 0.5 * (w[:-1] - 1) * (1 + 10 * np.sin(s) ** 2)
    g[:-1] += (w[:-1] - 1) ** 2 * 2.5 * np.pi * np.sin(2 * s)
    g[-1] += 0.5 * (w[-1] - 1) * (1 + np.sin(2 * np.pi * w[-1]) ** 2)
    g[-1] += (w[-1] - 1) ** 2 * 0.5 * np.pi * np.sin(4 * np.pi * w[-1])
    return g


def powell(x):
    a, b, c, d = x
    return (a + 10 * b) ** 2 + 5 * (c - d) ** 2 + (b - 2 * c) ** 4 + 10 * (a - d) ** 4


def powell_gradient(x):
    a, b, c, d = x
    return np.array(
        [
            2 * (a + 10 * b) + 40 * (a - d) ** 3,
            20 * (a + 10 * b) + 4 * (b - 2 * c) ** 3,
            10 * (c - d) - 8 * (b - 2 * c) ** 3,
            -10 * (c - d) - 40 * (a - d) ** 3,
        ]
    )


def wood(x):
    a, b, c, d = x
    return (
        100 * (a**2 - b) ** 2
        + (a - 1) ** 2
        + (c - 1) ** 2
        + 90 * (c**2 - d) ** 2
        + 10.1 * ((b - 1) ** 2 + (d - 1) ** 2)
        + 19.8 * (b - 1) * (d - 1)
    )


def wood_gradient(x):
    a, b, c, d = x
    return np.array(
        [
            400 * a * (a**2 - b) + 2 * (a - 1),
            -200 * (a**2 - b) + 20.2 * (b - 1) + 19.8 * (d - 1),
            2 * (c - 1) + 360 * c * (c**2 - d),
            -180 * (c**2 - d) + 20.2 * (d - 1) + 19.8 * (b - 1),
        ]
    )


def styblinski_gradient(x):
    return 0.5 * (4 * x**3 - 32 * x + 5)


def rastrigin_gradient(x):
    return 2 * x + 20 * np.pi * np.sin(2 * np.pi * x)


def dixon_price(x):
    i = np.arange(2, len(x) + 1)
    return (x[0] - 1) ** 2 + np.sum(i * (2 * x[1:] ** 2 - x[:-1]) ** 2)


def dixon_price_gradient(x):
    g = np.zeros(len(x))
    g[0] = 2 * (x[0] - 1)
    for i in range(1, len(x)):
        r = 2 * x[i] ** 2 - x[i - 1]
        g[i] += 8 * (i + 1) * r * x[i]
        g[i - 1] -= 2 * (i + 1) * r
    return g


def zakharov(x):
    s = np.sum(0.5 * np.arange(1, len(x) + 1) * x)
    return np.sum(x**2) + s**2 + s**4


def zakharov_gradient(x):
    w = 0.5 * np.arange(1, len(x) + 1)
    s = w @ x
    return 2 * x + (2 * s + 4 * s**3) * w


def schwefel_gradient(x):
    g = np.zeros_like(x)
    for i in range(len(x)):
        g[: i + 1] += 2 * np.sum(x[: i + 1])
    return g


def trid_gradient(x):
    g = 2 * (x - 1)
    g[1:] -= x[:-1]
    g[:-1] -= x[1:]
    return g


def alpine_gradient(x):
    return np.sign(x * np.sin(x) + 0.1 * x) * (np.sin(x) + x * np.cos(x) + 0.1)


MANY = {
    "Ackley": (ackley, ackley_gradient, box(0.1, 2, shape=(3,))),
    "Griewank": (griewank, griewank_gradient, box(-5, 5, shape=(3,))),
    "Levy": (levy, levy_gradient, box(-3, 3, shape=(3,))),
    "Powell": (powell, powell_gradient, box(-2, 2, shape=(4,))),
    "Wood": (wood, wood_gradient, box(-2, 2, shape=(4,))),
    "Styblinski-Tang": (
        lambda x: 0.5 * np.sum(x**4 - 16 * x**2 + 5 * x),
        styblinski_gradient,
        box(-5, 5, shape=(3,)),
    ),
    "Rastrigin": (
        lambda x: 10 * len(x) + np.sum(x**2 - 10 * np.cos(2 * np.pi * x)),
        rastrigin_gradient,
        box(-5, 5, shape=(3,)),
    ),
    "Dixon-Price": (dixon_price, dixon_price_gradient, box(-3, 3, shape=(4,))),
    "Zakharov": (zakharov, zakharov_gradient, box(-3, 3, shape=(4,))),
    "Schwefel 1.2": (
        lambda x: np.sum(np.cumsum(x) ** 2),
        schwefel_gradient,
        box(-3, 3, shape=(4,)),
    ),
    "Schwefel 1.2, by cumsum": (
        lambda x: np.sum(np.cumsum(x) ** 2),
        lambda x: 2 * np.cumsum(np.cumsum(x)[::-1])[::-1],
        box(-3, 3, shape=(4,)),
    ),
    "Trid": (
        lambda x: np.sum((x - 1) ** 2) - np.sum(x[1:] * x[:-1]),
        trid_gradient,
        box(-4, 4, shape=(4,)),
    ),
    "Alpine": (
        lambda x: np.sum(np.abs(x * np.sin(x) + 0.1 * x)),
        alpine_gradient,
        box(0.2, 3, shape=(3,)),
    ),
    "sphere": (lambda x: x @ x, lambda x: 2 * x, box(-5, 5, shape=(5,))),
    "sum of powers": (
        lambda x: np.sum(np.abs(x) ** np.arange(2, 5)),
        lambda x: np.arange(2, 5) * np.abs(x) ** np.arange(1, 4) * np.sign(x),
        box(-1, 1, shape=(3,)),
    ),
}
for _name, (_f, _g, _over) in MANY.items():
    OPTIMISATION.add(_name, _f, _g, _over)
