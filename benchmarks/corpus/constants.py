"""Constants worked out by hand: decimals that are rounded, and factors that were merged."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.corpus.registry import Group
from verify import box

CONSTANTS = Group("constants")

LN2, LN10, DEGREE = math.log(2), math.log(10), math.pi / 180
KB, HBAR, C_LIGHT = 1.380649e-23, 1.054571817e-34, 299792458.0

TABLE = {
    "cubic with tenths": (lambda x: 0.1 * x**3 - 0.3 * x, lambda x: 0.3 * x**2 - 0.3, -3, 3),
    "cubic with elevenths": (lambda x: 1.1 * x**3 - 3.3 * x, lambda x: 3.3 * x**2 - 3.3, -3, 3),
    "quartic with tenths": (
        lambda x: 0.1 * x**4 - 0.7 * x**2 + 0.3 * x,
        lambda x: 0.4 * x**3 - 1.4 * x + 0.3,
        -3,
        3,
    ),
    "factored": (lambda x: 0.1 * x**3 - 0.3 * x, lambda x: 0.3 * (x - 1) * (x + 1), -3, 3),
    "sixth and third": (lambda x: x**3 / 6, lambda x: x**2 / 2, -3, 3),
    "third as a decimal": (lambda x: 0.3333333333333333 * x**3, lambda x: x**2, -3, 3),
    "seventh": (lambda x: x**7 / 7 - x**3 / 3, lambda x: x**6 - x**2, -2, 2),
    "nine tenths": (lambda x: np.sin(0.9 * x) / 0.9, lambda x: np.cos(0.9 * x), -3, 3),
    "double angle": (lambda x: np.sin(x) ** 2, lambda x: np.sin(2 * x), -3, 3),
    "shifted double angle": (lambda x: np.sin(x + np.pi / 4) ** 2, lambda x: np.cos(2 * x), -3, 3),
    "cofunction": (lambda x: np.sin(x + np.pi / 2), lambda x: -np.sin(x), -3, 3),
    "full turn": (lambda x: np.sin(x + 2 * np.pi), lambda x: np.cos(x), -3, 3),
    "degrees": (
        lambda d: np.sin(d * np.pi / 180),
        lambda d: 0.017453292519943295 * np.cos(DEGREE * d),
        -90,
        90,
    ),
    "degrees, radians": (
        lambda d: np.tan(np.radians(d)),
        lambda d: math.pi / 180 / np.cos(np.deg2rad(d)) ** 2,
        -80,
        80,
    ),
    "base 2": (lambda x: 2**x, lambda x: 0.6931471805599453 * 2**x, -5, 5),
    "base 2, exp": (lambda x: 2.0**x, lambda x: np.log(2) * np.exp(x * np.log(2)), -5, 5),
    "base 10": (lambda x: 10**x, lambda x: 2.302585092994046 * 10**x, -3, 3),
    "log base 10": (np.log10, lambda x: 0.4342944819032518 / x, 0.1, 10),
    "log base 2": (np.log2, lambda x: 1 / (x * np.log(2)), 0.1, 10),
    "log base 2, constant": (np.log2, lambda x: 1.4426950408889634 / x, 0.1, 10),
    "decibels": (lambda p: 10 * np.log10(p), lambda p: 4.342944819032518 / p, 0.1, 10),
    "magnitudes": (lambda f: -2.5 * np.log10(f), lambda f: -1.0857362047581296 / f, 0.1, 10),
    "half-life": (lambda t: 0.5 ** (t / 1.3), lambda t: -LN2 / 1.3 * np.exp(-LN2 * t / 1.3), 0, 9),
    "doubling": (lambda t: 2 ** (t / 0.7), lambda t: 0.990210257942779 * 2 ** (t / 0.7), 0, 3),
    "exponent with a merged time": (
        lambda t: np.exp(-t / 1.5),
        lambda t: -np.exp(-t / 1.5) / 1.5,
        0,
        9,
    ),
    "inverse time": (
        lambda t: np.exp(-t / 0.3),
        lambda t: -(1 / 0.3) * np.exp(-(1 / 0.3) * t),
        0,
        3,
    ),
    "variance of a tenth": (
        lambda x: np.exp(-(x**2) / (2 * 0.1**2)),
        lambda x: -100 * x * np.exp(-50 * x**2),
        -1,
        1,
    ),
    "variance of six tenths": (
        lambda x: np.exp(-(x**2) / (2 * 0.6**2)),
        lambda x: -x / 0.36 * np.exp(-(x**2) / 0.72),
        -3,
        3,
    ),
    "normal density, digits": (
        lambda x: np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi),
        lambda x: -0.3989422804014327 * x * np.exp(-0.5 * x**2),
        -4,
        4,
    ),
    "root of two": (
        lambda x: np.sqrt(2) * np.sin(x / np.sqrt(2)),
        lambda x: np.cos(0.7071067811865476 * x),
        -5,
        5,
    ),
    "root of three": (
        lambda x: np.tan(np.sqrt(3) * x) / np.sqrt(3),
        lambda x: 1 / np.cos(1.7320508075688772 * x) ** 2,
        -0.8,
        0.8,
    ),
    "Fahrenheit": (
        lambda f: np.exp(-((f - 32) / 1.8) / 10),
        lambda f: -np.exp(-(f - 32) / 18) / 18,
        0,
        120,
    ),
    "kilometres an hour": (lambda v: 0.5 * 1.2 * (v / 3.6) ** 2, lambda v: 1.2 / 12.96 * v, 0, 200),
    "Ackley in one dimension": (
        lambda x: -20 * np.exp(-0.2 * np.sqrt(x**2)),
        lambda x: 4 * np.sign(x) * np.exp(-0.2 * np.abs(x)),
        0.1,
        5,
    ),
    "compound interest": (lambda r: (1 + r / 12) ** 12, lambda r: (1 + r / 12) ** 11, -0.5, 1),
    "Arrhenius": (
        lambda t: np.exp(-50000 / (8.314 * t)),
        lambda t: 50000 / 8.314 / t**2 * np.exp(-50000 / 8.314 / t),
        300,
        1500,
    ),
    "Arrhenius, one number": (
        lambda t: np.exp(-50000 / (8.314 * t)),
        lambda t: 6013.952369497234 / t**2 * np.exp(-6013.952369497234 / t),
        300,
        1500,
    ),
    "Planck": (
        lambda x: x**3 / np.expm1(x),
        lambda x: x**2 * (3 * np.expm1(x) - x * np.exp(x)) / np.expm1(x) ** 2,
        0.2,
        12,
    ),
    "Stefan-Boltzmann": (
        lambda t: 5.670374419e-8 * t**4,
        lambda t: 2.2681497676e-7 * t**3,
        200,
        2000,
    ),
    "thermal energy": (
        lambda t: 1.5 * KB * t / 1.602176634e-19,
        lambda t: 1.5 * 8.617333262145179e-05 + 0 * t,
        100,
        1000,
    ),
    "Lorentz factor": (
        lambda v: 1 / np.sqrt(1 - (v / C_LIGHT) ** 2),
        lambda v: v / C_LIGHT**2 / (1 - (v / C_LIGHT) ** 2) ** 1.5,
        1e6,
        2.5e8,
    ),
    "Lorentz factor, beta": (
        lambda b: 1 / np.sqrt(1 - b**2),
        lambda b: b * (1 - b * b) ** -1.5,
        -0.9,
        0.9,
    ),
    "pendulum period": (
        lambda n: 2 * np.pi * np.sqrt(n / 9.81),
        lambda n: 1.0030333403553 / np.sqrt(n),
        0.1,
        5,
    ),
    "Manning": (
        lambda h: h ** (5 / 3) * np.sqrt(0.001) / 0.03,
        lambda h: 5 / 3 * h ** (2 / 3) * np.sqrt(0.001) / 0.03,
        0.1,
        5,
    ),
    "exponent two thirds": (lambda x: x ** (2 / 3), lambda x: 2 / 3 * x ** (-1 / 3), 0.1, 5),
    "exponent two thirds, decimals": (
        lambda x: x**0.6666666666666666,
        lambda x: 0.6666666666666666 * x**-0.33333333333333337,
        0.1,
        5,
    ),
    "Kleiber": (lambda m: 3.4 * m**0.75, lambda m: 2.55 / m**0.25, 0.1, 50),
    "fourth root": (lambda x: x**0.25, lambda x: 0.25 / np.sqrt(x) / np.sqrt(np.sqrt(x)), 0.1, 9),
    "power of 1.4": (lambda p: p**1.4, lambda p: 1.4 * p**0.4, 0.1, 5),
    "isentropic": (
        lambda m: (1 + 0.2 * m**2) ** 3.5,
        lambda m: 1.4 * m * (1 + 0.2 * m**2) ** 2.5,
        0,
        3,
    ),
    "isentropic, gamma": (
        lambda m: (1 + (1.4 - 1) / 2 * m**2) ** (1.4 / (1.4 - 1)),
        lambda m: 1.4 * m * (1 + (1.4 - 1) / 2 * m**2) ** (1 / (1.4 - 1)),
        0,
        3,
    ),
    "percent": (lambda r: (1 + r / 100) ** 3, lambda r: 0.03 * (1 + 0.01 * r) ** 2, -10, 10),
    "mixing of three tenths": (
        lambda x: 0.3 * np.sin(x) + 0.7 * np.cos(x),
        lambda x: (1 - 0.7) * np.cos(x) - 0.7 * np.sin(x),
        -3,
        3,
    ),
    "golden ratio": (
        lambda x: x**1.618033988749895,
        lambda x: (1 + np.sqrt(5)) / 2 * x**0.618033988749895,
        0.1,
        5,
    ),
    "Euler's number": (
        lambda x: x**2 * 2.718281828459045**x,
        lambda x: (x**2 + 2 * x) * np.exp(x),
        -2,
        2,
    ),
    "Antoine": (
        lambda t: 10 ** (8.07131 - 1730.63 / (233.426 + t)),
        lambda t: (
            np.log(10) * 1730.63 / (233.426 + t) ** 2 * 10 ** (8.07131 - 1730.63 / (233.426 + t))
        ),
        1,
        100,
    ),
    "Magnus": (
        lambda t: 6.1094 * np.exp(17.625 * t / (t + 243.04)),
        lambda t: 6.1094 * 4283.58 / (t + 243.04) ** 2 * np.exp(17.625 * t / (t + 243.04)),
        -20,
        50,
    ),
    "Nernst": (
        lambda c: 8.314 * 310 / 96485 * np.log(c / 5),
        lambda c: 2577.34 / 96485 / c,
        1,
        150,
    ),
}
for _name, (_f, _g, _low, _high) in TABLE.items():
    if _name == "pendulum period":
        CONSTANTS.add(_name, _f, _g, box(_low, _high), rtol=1e-12)
    else:
        CONSTANTS.add(_name, _f, _g, box(_low, _high))
