"""Derivatives by parameters that enter linearly, which hold no trace of these parameters."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.corpus.registry import Group
from verify import box

AMPLITUDES = Group("amplitudes")

X = np.array([-1.3, -0.2, 0.4, 1.7, 2.9])
T = np.linspace(0.1, 9.7, 7)
RATE, PHASE, WIDTH, CENTRE = 1.4, 0.31, 0.7, 0.45
TWO_PI = 2 * math.pi

TABLE = {
    "sine": (
        lambda a: a * np.sin(TWO_PI * (RATE * X + PHASE)),
        lambda a: np.sin(TWO_PI * RATE * X + TWO_PI * PHASE),
    ),
    "cosine of radians": (
        lambda a: a * np.cos(2 * np.pi * RATE * T + PHASE),
        lambda a: np.cos(PHASE + RATE * T * 2 * np.pi),
    ),
    "tangent": (
        lambda a: a * np.tan(TWO_PI * (RATE * X + PHASE)),
        lambda a: np.tan(TWO_PI * RATE * X + TWO_PI * PHASE),
    ),
    "Gaussian": (
        lambda a: a * np.exp(-0.5 * ((X - CENTRE) / WIDTH) ** 2),
        lambda a: np.exp(-((X - CENTRE) ** 2) / (2 * WIDTH**2)),
    ),
    "decay": (lambda a: a * np.exp(-T * RATE), lambda a: np.exp(-T) ** RATE),
    "power law": (
        lambda a: a * (T / CENTRE) ** -2.3,
        lambda a: np.exp(-2.3 * (np.log(T) - np.log(CENTRE))),
    ),
    "offset and slope": (
        lambda b: np.array([1.0, 2.0]) * (0.3 + b * np.sum((X - CENTRE) ** 2)),
        lambda b: np.array([1.0, 2.0]) * (np.sum(X**2) - 2 * CENTRE * np.sum(X) + 5 * CENTRE**2),
    ),
    "log odds": (
        lambda a: a * np.log(T / (10 - T)),
        lambda a: np.log(T) - np.log(10 - T),
    ),
}
for _name, (_f, _g) in TABLE.items():
    AMPLITUDES.add(_name, _f, _g, box(-3, 3), quantity="jacobian")
