"""Sensitivities of prices, in the closed forms of the trading desk."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr

from benchmarks.corpus.registry import Group
from verify import box

GREEKS = Group("greeks")

R, Q = 0.03, 0.01


def density(x):
    return np.exp(-0.5 * x * x) / np.sqrt(2 * np.pi)


def _d(s, k, v, t):
    d1 = (np.log(s / k) + (R - Q + 0.5 * v**2) * t) / (v * np.sqrt(t))
    return d1, d1 - v * np.sqrt(t)


def call(s, k, v, t):
    d1, d2 = _d(s, k, v, t)
    return s * np.exp(-Q * t) * ndtr(d1) - k * np.exp(-R * t) * ndtr(d2)


def put(s, k, v, t):
    d1, d2 = _d(s, k, v, t)
    return k * np.exp(-R * t) * ndtr(-d2) - s * np.exp(-Q * t) * ndtr(-d1)


def call_theta(s, k, v, t):
    d1, d2 = _d(s, k, v, t)
    decay = s * np.exp(-Q * t) * density(d1) * v / (2 * np.sqrt(t))
    return decay + R * k * np.exp(-R * t) * ndtr(d2) - Q * s * np.exp(-Q * t) * ndtr(d1)


def call_greeks(s, k, v, t):
    d1, d2 = _d(s, k, v, t)
    delta = np.exp(-Q * t) * ndtr(d1)
    vega = s * np.exp(-Q * t) * density(d1) * np.sqrt(t)
    return delta, -np.exp(-R * t) * ndtr(d2), vega, call_theta(s, k, v, t)


def put_greeks(s, k, v, t):
    d1, d2 = _d(s, k, v, t)
    vega = k * np.exp(-R * t) * density(d2) * np.sqrt(t)
    theta = (
        s * np.exp(-Q * t) * density(d1) * v / (2 * np.sqrt(t))
        - R * k * np.exp(-R * t) * ndtr(-d2)
        + Q * s * np.exp(-Q * t) * ndtr(-d1)
    )
    return -np.exp(-Q * t) * ndtr(-d1), np.exp(-R * t) * ndtr(-d2), vega, theta


MARKET = (box(50, 150), box(50, 150), box(0.1, 0.6), box(0.1, 2))
GREEKS.add("call", call, call_greeks, MARKET)
GREEKS.add("put", put, put_greeks, MARKET)


def at_100(f):
    return lambda s: f(s, 100.0, 0.2, 1.0)


GREEKS.add(
    "delta", at_100(call), lambda s: np.exp(-Q) * ndtr(_d(s, 100.0, 0.2, 1.0)[0]), box(50, 150)
)
GREEKS.add(
    "put delta by parity",
    at_100(put),
    lambda s: np.exp(-Q) * (ndtr(_d(s, 100.0, 0.2, 1.0)[0]) - 1),
    box(50, 150),
)
GREEKS.add(
    "gamma",
    lambda s: ndtr(_d(s, 100.0, 0.2, 1.0)[0]),
    lambda s: density(_d(s, 100.0, 0.2, 1.0)[0]) / (s * 0.2),
    box(50, 150),
)
GREEKS.add(
    "vega, math",
    lambda v: call(100.0, 100.0, v, 1.0),
    lambda v: (
        100
        * math.exp(-Q)
        * math.exp(-0.5 * _d(100.0, 100.0, v, 1.0)[0] ** 2)
        / math.sqrt(2 * math.pi)
    ),
    box(0.05, 0.8),
)
GREEKS.add(
    "digital",
    lambda s: np.exp(-R) * ndtr((np.log(s / 100) + 0.01) / 0.2),
    lambda s: np.exp(-R) * density((np.log(s / 100) + 0.01) / 0.2) / (0.2 * s),
    box(50, 150),
)


def bachelier(f, k, v):
    d = (f - k) / v
    return (f - k) * ndtr(d) + v * density(d)


def bachelier_greeks(f, k, v):
    d = (f - k) / v
    return ndtr(d), -ndtr(d), density(d)


GREEKS.add("Bachelier", bachelier, bachelier_greeks, (box(-1, 1), box(-1, 1), box(0.2, 2)))

TIMES = np.array([0.5, 1.0, 1.5, 2.0])
FLOWS = np.array([2.5, 2.5, 2.5, 102.5])


def bond(y):
    return np.sum(FLOWS * np.exp(-y * TIMES))


def bond_semiannual(y):
    return np.sum(FLOWS / (1 + y / 2) ** (2 * TIMES))


GREEKS.add("bond", bond, lambda y: -np.sum(TIMES * FLOWS * np.exp(-y * TIMES)), box(-0.02, 0.2))
GREEKS.add(
    "bond, duration",
    bond,
    lambda y: (
        -bond(y) * (np.sum(TIMES * FLOWS * np.exp(-y * TIMES)) / np.sum(FLOWS * np.exp(-y * TIMES)))
    ),
    box(-0.02, 0.2),
)
GREEKS.add(
    "bond, Horner",
    bond_semiannual,
    lambda y: (
        -(
            (((4 * 102.5 * (1 / (1 + y / 2)) + 7.5) / (1 + y / 2) + 5) / (1 + y / 2) + 2.5)
            / (1 + y / 2) ** 2
        )
        / 2
    ),
    box(-0.02, 0.2),
)
GREEKS.add(
    "annuity",
    lambda y: (1 - (1 + y) ** -10) / y,
    lambda y: (10 * (1 + y) ** -11 * y - (1 - (1 + y) ** -10)) / y**2,
    box(0.01, 0.2),
)


def nelson_siegel(b, t=3.0, tau=1.7):
    u = t / tau
    load = (1 - np.exp(-u)) / u
    return b[0] + b[1] * load + b[2] * (load - np.exp(-u))


def nelson_siegel_loads(b):
    u = 3.0 / 1.7
    load = (1 - math.exp(-u)) / u
    return np.array([1.0, load, load - math.exp(-u)])


GREEKS.add("Nelson-Siegel", nelson_siegel, nelson_siegel_loads, box(-0.1, 0.1, shape=(3,)))


def svi(k):
    return 0.04 + 0.1 * (-0.4 * (k - 0.05) + np.sqrt((k - 0.05) ** 2 + 0.01))


GREEKS.add(
    "SVI smile",
    svi,
    lambda k: 0.1 * (-0.4 + (k - 0.05) / np.sqrt((k - 0.05) ** 2 + 0.1**2)),
    box(-1, 1),
)
COV = np.array([[0.04, 0.01, 0.0], [0.01, 0.09, 0.02], [0.0, 0.02, 0.16]])
MU = np.array([0.05, 0.08, 0.12])


def sharpe(w):
    return (MU @ w - R) / np.sqrt(w @ COV @ w)


def sharpe_gradient(w):
    s2 = w @ COV @ w
    return MU / np.sqrt(s2) - (MU @ w - R) * (COV @ w) / s2**1.5


GREEKS.add("Sharpe ratio", sharpe, sharpe_gradient, box(0.1, 1, shape=(3,)))
GREEKS.add(
    "volatility",
    lambda w: np.sqrt(w @ COV @ w),
    lambda w: COV @ w / np.sqrt(w @ COV @ w),
    box(0.1, 1, shape=(3,)),
)
GREEKS.add(
    "Markowitz",
    lambda w: 1.5 * w @ COV @ w - MU @ w,
    lambda w: 3 * COV @ w - MU,
    box(-1, 1, shape=(3,)),
)


def risk_parity(w):
    return 0.5 * w @ COV @ w - np.sum(np.log(w)) / 3


GREEKS.add("risk parity", risk_parity, lambda w: COV @ w - 1 / (3 * w), box(0.1, 2, shape=(3,)))
GREEKS.add("CRRA", lambda c: c ** (1 - 2.5) / (1 - 2.5), lambda c: c**-2.5, box(0.1, 5))
GREEKS.add("CARA", lambda c: -np.exp(-0.3 * c) / 0.3, lambda c: np.exp(-0.3 * c), box(-5, 5))
GREEKS.add(
    "Cobb-Douglas",
    lambda k, n: 1.3 * k**0.3 * n**0.7,
    lambda k, n: (0.39 * (n / k) ** 0.7, 0.91 * (k / n) ** 0.3),
    (box(0.1, 5), box(0.1, 5)),
)
GREEKS.add(
    "CES",
    lambda k, n: (0.4 * k**0.5 + 0.6 * n**0.5) ** 2,
    lambda k, n: (
        0.4 * np.sqrt(0.4 * np.sqrt(k) + 0.6 * np.sqrt(n)) ** 2 / np.sqrt(k),
        0.6 * (0.4 * np.sqrt(k) + 0.6 * np.sqrt(n)) / np.sqrt(n),
    ),
    (box(0.1, 5), box(0.1, 5)),
)
