"""Covariance functions and pair potentials, with the derivatives of their papers."""

from __future__ import annotations

import numpy as np

from benchmarks.corpus.registry import Group
from verify import box

KERNELS = Group("kernels")

ROOT3, ROOT5 = np.sqrt(3), np.sqrt(5)
POINTS = np.array([0.1, 0.7, 1.6, 2.2])

RADIAL = {
    "squared exponential": (
        lambda r: np.exp(-(r**2) / (2 * 0.7**2)),
        lambda r: -r / 0.49 * np.exp(-(r**2) / 0.98),
        0.0,
        4,
    ),
    "exponential": (lambda r: np.exp(-r / 0.3), lambda r: -np.exp(-r / 0.3) / 0.3, 0.0, 4),
    "Matern 3/2": (
        lambda r: (1 + ROOT3 * r) * np.exp(-ROOT3 * r),
        lambda r: -3 * r * np.exp(-ROOT3 * r),
        0.0,
        4,
    ),
    "Matern 3/2, long hand": (
        lambda r: (1 + np.sqrt(3) * r / 0.8) * np.exp(-np.sqrt(3) * r / 0.8),
        lambda r: -3 * r / 0.64 * np.exp(-1.7320508075688772 * r / 0.8),
        0.0,
        4,
    ),
    "Matern 5/2": (
        lambda r: (1 + ROOT5 * r + 5 / 3 * r**2) * np.exp(-ROOT5 * r),
        lambda r: -5 / 3 * r * (1 + ROOT5 * r) * np.exp(-ROOT5 * r),
        0.0,
        4,
    ),
    "rational quadratic": (
        lambda r: (1 + r**2 / (2 * 1.5)) ** -1.5,
        lambda r: -r * (1 + r**2 / 3) ** -2.5,
        0.0,
        4,
    ),
    "multiquadric": (
        lambda r: np.sqrt(1 + (0.3 * r) ** 2),
        lambda r: 0.09 * r / np.sqrt(1 + 0.09 * r * r),
        0.0,
        4,
    ),
    "inverse multiquadric": (
        lambda r: 1 / np.sqrt(r**2 + 0.1**2),
        lambda r: -r / (r * r + 0.01) ** 1.5,
        0.0,
        4,
    ),
    "thin plate": (lambda r: r**2 * np.log(r), lambda r: r * (2 * np.log(r) + 1), 0.1, 4),
    "periodic": (
        lambda r: np.exp(-2 * np.sin(np.pi * r) ** 2 / 0.5),
        lambda r: -4 * np.pi * np.sin(2 * np.pi * r) * np.exp(-4 * np.sin(np.pi * r) ** 2),
        0.0,
        2,
    ),
    "Wendland": (
        lambda r: np.maximum(1 - r, 0) ** 4 * (4 * r + 1),
        lambda r: -20 * r * np.maximum(1 - r, 0) ** 3,
        0.0,
        2,
    ),
    "cubic spline of SPH": (
        lambda q: np.where(
            q < 1, 1 - 1.5 * q**2 + 0.75 * q**3, np.where(q < 2, 0.25 * (2 - q) ** 3, 0.0)
        ),
        lambda q: np.where(q < 1, -3 * q + 2.25 * q**2, np.where(q < 2, -0.75 * (2 - q) ** 2, 0.0)),
        0.0,
        3,
    ),
    "Epanechnikov": (
        lambda u: 0.75 * np.maximum(1 - u**2, 0),
        lambda u: -1.5 * u * (np.abs(u) < 1),
        -2,
        2,
    ),
    "biweight": (
        lambda u: 15 / 16 * np.maximum(1 - u**2, 0) ** 2,
        lambda u: -15 / 4 * u * np.maximum(1 - u**2, 0),
        -2,
        2,
    ),
    "tricube": (
        lambda u: np.where(np.abs(u) < 1, (1 - np.abs(u) ** 3) ** 3, 0.0),
        lambda u: np.where(np.abs(u) < 1, -9 * u * np.abs(u) * (1 - np.abs(u) ** 3) ** 2, 0.0),
        -2,
        2,
    ),
    "Lennard-Jones": (
        lambda r: 4 * 0.3 * ((1.2 / r) ** 12 - (1.2 / r) ** 6),
        lambda r: 24 * 0.3 / r * ((1.2 / r) ** 6 - 2 * (1.2 / r) ** 12),
        0.9,
        4,
    ),
    "Lennard-Jones, by squares": (
        lambda r: 4 * (1 / r**12 - 1 / r**6),
        lambda r: -r * 48 * (1 / (r * r)) ** 4 * ((1 / (r * r)) ** 3 - 0.5),
        0.8,
        4,
    ),
    "Morse": (
        lambda r: 0.6 * (1 - np.exp(-1.3 * (r - 1))) ** 2,
        lambda r: 1.56 * (1 - np.exp(-1.3 * (r - 1))) * np.exp(-1.3 * (r - 1)),
        0.5,
        4,
    ),
    "Buckingham": (
        lambda r: 100 * np.exp(-3 * r) - 2 / r**6,
        lambda r: -300 * np.exp(-3 * r) + 12 / r**7,
        1.0,
        4,
    ),
    "Yukawa": (
        lambda r: np.exp(-0.7 * r) / r,
        lambda r: -np.exp(-0.7 * r) * (0.7 * r + 1) / r**2,
        0.3,
        5,
    ),
    "screened by Debye, constants": (
        lambda r: 332.0637 * np.exp(-r / 9.6) / (78.5 * r),
        lambda r: -332.0637 / 78.5 * np.exp(-r / 9.6) * (1 / (9.6 * r) + 1 / r**2),
        1.0,
        20,
    ),
    "Mie": (lambda r: (1 / r) ** 14 - (1 / r) ** 7, lambda r: -14 * r**-15.0 + 7 * r**-8.0, 0.8, 3),
    "soft core": (lambda r: 1 / (0.5 + r**6), lambda r: -6 * r**5 / (0.5 + r**6) ** 2, 0.0, 3),
    "Plummer": (
        lambda r: -1 / np.sqrt(r**2 + 0.3**2),
        lambda r: r / (r**2 + 0.3**2) ** 1.5,
        0.0,
        5,
    ),
    "logarithmic halo": (
        lambda r: 0.5 * 1.1**2 * np.log(r**2 + 0.4**2),
        lambda r: 1.21 * r / (r**2 + 0.16),
        0.0,
        5,
    ),
    "NFW": (
        lambda r: -np.log(1 + r) / r,
        lambda r: np.log(1 + r) / r**2 - 1 / (r * (1 + r)),
        0.1,
        9,
    ),
    "Woods-Saxon": (
        lambda r: -50 / (1 + np.exp((r - 4) / 0.5)),
        lambda r: 100 * np.exp((r - 4) / 0.5) / (1 + np.exp((r - 4) / 0.5)) ** 2,
        0.0,
        9,
    ),
    "FENE": (
        lambda r: -0.5 * 30 * 1.5**2 * np.log(1 - (r / 1.5) ** 2),
        lambda r: 30 * r / (1 - (r / 1.5) ** 2),
        0.0,
        1.3,
    ),
    "Tersoff cut-off": (
        lambda r: np.where(
            r < 1.8, 1.0, np.where(r > 2.1, 0.0, 0.5 + 0.5 * np.cos(np.pi * (r - 1.8) / 0.3))
        ),
        lambda r: np.where(
            (r < 1.8) | (r > 2.1), 0.0, -0.5 * np.pi / 0.3 * np.sin(np.pi * (r - 1.8) / 0.3)
        ),
        1.0,
        3,
    ),
    "switching polynomial": (
        lambda r: (
            np.clip((r - 1) / 0.5, 0, 1) ** 3
            * (6 * np.clip((r - 1) / 0.5, 0, 1) ** 2 - 15 * np.clip((r - 1) / 0.5, 0, 1) + 10)
        ),
        lambda r: 60 * np.clip((r - 1) / 0.5, 0, 1) ** 2 * (1 - np.clip((r - 1) / 0.5, 0, 1)) ** 2,
        0.5,
        2,
    ),
    "smoothstep": (
        lambda t: np.clip(t, 0, 1) ** 2 * (3 - 2 * np.clip(t, 0, 1)),
        lambda t: 6 * np.clip(t, 0, 1) * (1 - np.clip(t, 0, 1)),
        -1,
        2,
    ),
}
for _name, (_f, _g, _low, _high) in RADIAL.items():
    KERNELS.add(_name, _f, _g, box(_low, _high))


def gram(ell):
    d2 = (POINTS[:, None] - POINTS[None, :]) ** 2
    return np.exp(-0.5 * d2 / ell**2)


def gram_by_length(ell):
    d2 = (POINTS[:, None] - POINTS[None, :]) ** 2
    return np.exp(-0.5 * d2 / ell**2) * d2 / ell**3


TARGET = np.array([0.3, -0.2, 0.8, 0.1])


def evidence(p):
    k = p[0] ** 2 * gram(p[1]) + 0.1 * np.eye(4)
    return 0.5 * TARGET @ np.linalg.solve(k, TARGET) + 0.5 * np.linalg.slogdet(k)[1]


def evidence_gradient(p):
    unit = gram(p[1])
    inverse = np.linalg.inv(p[0] ** 2 * unit + 0.1 * np.eye(4))
    alpha = inverse @ TARGET
    inner = inverse - np.outer(alpha, alpha)
    by_length = p[0] ** 2 * gram_by_length(p[1])
    return 0.5 * np.array([np.sum(inner * 2 * p[0] * unit), np.sum(inner * by_length)])


def evidence_by_cholesky(p):
    unit = gram(p[1])
    factor = np.linalg.cholesky(p[0] ** 2 * unit + 0.1 * np.eye(4))
    half = np.linalg.solve(factor, np.eye(4))
    inverse = half.T @ half
    alpha = inverse @ TARGET
    trace = [np.trace(inverse @ d) for d in (2 * p[0] * unit, p[0] ** 2 * gram_by_length(p[1]))]
    bilinear = [alpha @ d @ alpha for d in (2 * p[0] * unit, p[0] ** 2 * gram_by_length(p[1]))]
    return 0.5 * (np.array(trace) - np.array(bilinear))


def prediction(x):
    return np.exp(-0.5 * (x - POINTS) ** 2 / 0.3**2) @ TARGET


KERNELS.add("Gram matrix by length", gram, gram_by_length, box(0.2, 3), quantity="jacobian")
KERNELS.add("evidence", evidence, evidence_gradient, box(0.3, 2, shape=(2,)))
KERNELS.add("evidence, Cholesky", evidence, evidence_by_cholesky, box(0.3, 2, shape=(2,)))
KERNELS.add(
    "prediction",
    prediction,
    lambda x: -(np.exp(-((x - POINTS) ** 2) / 0.18) * (x - POINTS) / 0.09) @ TARGET,
    box(-1, 3),
)
