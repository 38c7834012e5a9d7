"""Tables: linear interpolation, splines, segments and rates, looked up as laboratories do."""

from __future__ import annotations

import bisect

import numpy as np

from benchmarks.corpus.registry import Group
from verify import box

LOOKUPS = Group("lookups")

XS = np.array([0.0, 0.5, 1.2, 2.0, 3.1])
YS = np.array([1.0, 0.3, 0.6, -0.1, 0.4])
SLOPES = np.diff(YS) / np.diff(XS)
TANGENTS = np.array([-1.0, 0.2, 0.1, -0.3, 0.5])
RATES = np.array([0.1, 0.12, 0.22, 0.24, 0.32])
BRACKETS = np.array([0.0, 9.0, 40.0, 85.0, 160.0])


def linear(x):
    return np.interp(x, XS, YS)


def slope_searched(x):
    k = np.clip(np.searchsorted(XS, x) - 1, 0, 3)
    return SLOPES[k]


def slope_bisected(x):
    k = min(max(bisect.bisect_right(XS, x) - 1, 0), 3)
    return (YS[k + 1] - YS[k]) / (XS[k + 1] - XS[k])


def slope_compared(x):
    if x < 0.5:
        return -1.4
    if x < 1.2:
        return 3 / 7
    if x < 2.0:
        return -0.875
    return 5 / 11


def slope_digitized(x):
    return SLOPES[np.digitize(x, XS[1:-1])]


def clamped_slope(x):
    inside = (x > XS[0]) & (x < XS[-1])
    return np.where(inside, slope_searched(x), 0.0)


def energy(x):
    return np.sum(np.interp(x, XS, YS) ** 2)


def energy_slope(x):
    k = np.clip(np.searchsorted(XS, x) - 1, 0, 3)
    return 2 * np.interp(x, XS, YS) * SLOPES[k]


def squared_by_hand(x):
    k = np.clip(np.searchsorted(XS, x) - 1, 0, 3)
    t = (x - XS[k]) / (XS[k + 1] - XS[k])
    y = (1 - t) * YS[k] + t * YS[k + 1]
    return y * y


def squared_by_hand_slope(x):
    k = np.clip(np.searchsorted(XS, x) - 1, 0, 3)
    t = (x - XS[k]) / (XS[k + 1] - XS[k])
    return 2 * ((1 - t) * YS[k] + t * YS[k + 1]) * (YS[k + 1] - YS[k]) / (XS[k + 1] - XS[k])


def hermite(x):
    k = np.clip(np.searchsorted(XS, x) - 1, 0, 3)
    h = XS[k + 1] - XS[k]
    t = (x - XS[k]) / h
    return (
        (2 * t**3 - 3 * t**2 + 1) * YS[k]
        + (t**3 - 2 * t**2 + t) * h * TANGENTS[k]
        + (-2 * t**3 + 3 * t**2) * YS[k + 1]
        + (t**3 - t**2) * h * TANGENTS[k + 1]
    )


def hermite_slope(x):
    k = np.clip(np.searchsorted(XS, x) - 1, 0, 3)
    h = XS[k + 1] - XS[k]
    t = (x - XS[k]) / h
    return (
        6 * t * (t - 1) * (YS[k] - YS[k + 1]) / h
        + (3 * t**2 - 4 * t + 1) * TANGENTS[k]
        + (3 * t**2 - 2 * t) * TANGENTS[k + 1]
    )


def tax(income):
    return np.sum(np.diff(RATES, prepend=0.0) * np.maximum(income - BRACKETS, 0))


def marginal(income):
    return RATES[np.searchsorted(BRACKETS, income, side="right") - 1]


def marginal_loop(income):
    rate = 0.0
    for bracket, value in zip(BRACKETS, RATES, strict=True):
        if income > bracket:
            rate = value
    return rate


def tariff(kwh):
    if kwh <= 100:
        return 0.3 * kwh
    if kwh <= 300:
        return 30 + 0.2 * (kwh - 100)
    return 70 + 0.1 * (kwh - 300)


def tariff_slope(kwh):
    return 0.3 if kwh <= 100 else 0.2 if kwh <= 300 else 0.1


def stress(e):
    return np.piecewise(e, [e < 0.1, e >= 0.1], [lambda s: 200 * s, lambda s: 20 + 10 * (s - 0.1)])


def stress_select(e):
    return np.select([e < 0.1, e >= 0.1], [200 * e, 20 + 10 * (e - 0.1)])


def grid(x):
    i = int(np.floor(x * 4)) if 0 <= x < 1 else 3
    t = x * 4 - i
    return (1 - t) * YS[i] + t * YS[i + 1]


def grid_slope(x):
    i = min(int(x * 4), 3)
    return 4 * (YS[i + 1] - YS[i])


IMAGE = np.array([[0.1, 0.3, 0.6, 0.2], [0.9, 0.5, 0.4, 0.7], [0.3, 0.8, 0.1, 0.6]])


def bilinear(p):
    i, j = int(p[0]), int(p[1])
    s, t = p[0] - i, p[1] - j
    top = (1 - t) * IMAGE[i, j] + t * IMAGE[i, j + 1]
    return (1 - s) * top + s * ((1 - t) * IMAGE[i + 1, j] + t * IMAGE[i + 1, j + 1])


def bilinear_gradient(p):
    i, j = int(p[0]), int(p[1])
    s, t = p[0] - i, p[1] - j
    a, b, c, d = IMAGE[i, j], IMAGE[i, j + 1], IMAGE[i + 1, j], IMAGE[i + 1, j + 1]
    return np.array([(1 - t) * (c - a) + t * (d - b), (1 - s) * (b - a) + s * (d - c)])


def mass_luminosity(m):
    return np.where(m < 0.43, 0.23 * m**2.3, np.where(m < 2, m**4, 1.4 * m**3.5))


def mass_luminosity_slope(m):
    return np.where(m < 0.43, 0.529 * m**1.3, np.where(m < 2, 4 * m**3, 4.9 * m**2.5))


def drag(re):
    return np.where(re < 1, 24 / re, 24 / re * (1 + 0.15 * re**0.687))


def drag_slope(re):
    return np.where(re < 1, -24 / re**2, -24 / re**2 - 24 * 0.15 * 0.313 * re**-1.313)


TABLE = {
    "linear, searchsorted": (linear, slope_searched, box(0.01, 3.09)),
    "linear, bisect": (linear, slope_bisected, box(0.01, 3.09)),
    "linear, comparisons": (linear, slope_compared, box(0.01, 3.09)),
    "linear, digitize": (linear, slope_digitized, box(0.01, 3.09)),
    "linear, constant outside": (linear, clamped_slope, box(-1, 4)),
    "squared": (energy, energy_slope, box(0.01, 3.09, shape=(3,))),
    "squared, by hand": (squared_by_hand, squared_by_hand_slope, box(0.01, 3.09)),
    "Hermite spline": (hermite, hermite_slope, box(0.0, 3.1)),
    "income tax": (tax, marginal, box(1, 200)),
    "income tax, loop": (tax, marginal_loop, box(1, 200)),
    "tariff": (tariff, tariff_slope, box(1, 500)),
    "stress, piecewise": (stress, lambda e: np.where(e < 0.1, 200.0, 10.0), box(0, 0.3)),
    "stress, select": (stress_select, lambda e: 200.0 if e < 0.1 else 10.0, box(0, 0.3)),
    "uniform grid": (grid, grid_slope, box(0.01, 0.99)),
    "bilinear image": (bilinear, bilinear_gradient, box([0.1, 0.1], [1.9, 2.9])),
    "mass and luminosity": (mass_luminosity, mass_luminosity_slope, box(0.1, 9)),
    "drag of a sphere": (drag, drag_slope, box(0.1, 500)),
    "quantised weights": (
        lambda x: np.sum(np.round(np.array([0.12, 0.34, 0.56]), 1) * x**2),
        lambda x: 2 * np.array([0.1, 0.3, 0.6]) * x,
        box(-2, 2, shape=(3,)),
    ),
    "polynomial by segment": (
        lambda x: np.where(x < 1, x**3 / 3, x**2 - x + 1 / 3),
        lambda x: np.where(x < 1, x**2, 2 * x - 1),
        box(-1, 3),
    ),
}
for _name, (_f, _g, _over) in TABLE.items():
    LOOKUPS.add(_name, _f, _g, _over)
