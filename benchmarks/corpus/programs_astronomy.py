"""Programs of astronomy groups: orbits, photometry, cosmology, transits."""

from __future__ import annotations

import numpy as np

from benchmarks.corpus.registry import Group
from verify import box

EARTH = Group("geophysics programs")
SKY = Group("astronomy programs")
program, sky = EARTH.program, SKY.program

TWO = box(-1, 1, shape=(2,))


def orbit_energy(s):
    r = np.sqrt(s[0] ** 2 + s[1] ** 2)
    kinetic = 0.5 * (s[2] ** 2 + s[3] ** 2)
    return kinetic - 1 / r - 0.001 / r**3 * (1 - 3 * s[1] ** 2 / r**2)


@sky(
    orbit_energy, box(0.5, 2, shape=(4,)), ("s[:2] / r**3", "s[:2] / r**2"), ("0.015", "0.01500002")
)
def orbit_energy_gradient(s):
    r = np.hypot(s[0], s[1])
    g = np.array([0.0, 0.0, s[2], s[3]])
    g[:2] = s[:2] / r**3 + 0.003 * s[:2] / r**5 - 0.015 * s[1] ** 2 * s[:2] / r**7
    g[1] += 0.006 * s[1] / r**5
    return g


def kepler_anomaly(e, m):
    a = m
    for _ in range(8):
        a = a - (a - e * np.sin(a) - m) / (1 - e * np.cos(a))
    return a


@sky(
    kepler_anomaly,
    (box(0.05, 0.6), box(0.3, 2.8)),
    ("np.sin(a) / (1", "-np.sin(a) / (1"),
    ("return np.sin", "return 1.000001 * np.sin"),
)
def kepler_anomaly_gradient(e, m):
    a = m
    for _ in range(8):
        a = a - (a - e * np.sin(a) - m) / (1 - e * np.cos(a))
    return np.sin(a) / (1 - e * np.cos(a)), 1 / (1 - e * np.cos(a))


def radial_velocity(p):
    t = np.linspace(0, 3, 9)
    v = p[0] * (np.cos(t + p[1]) + p[2] * np.cos(p[1]))
    return np.sum((v - np.sin(t)) ** 2)


@sky(
    radial_velocity,
    box(-1, 1, shape=(3,)),
    ("-p[0] * (", "p[0] * ("),
    ("0, 3, 9", "0, 3.000001, 9"),
)
def radial_velocity_gradient(p):
    t = np.linspace(0, 3, 9)
    c = np.cos(t + p[1]) + p[2] * np.cos(p[1])
    r = 2 * (p[0] * c - np.sin(t))
    by_phase = -p[0] * (np.sin(t + p[1]) + p[2] * np.sin(p[1]))
    return np.array([r @ c, r @ by_phase, r.sum() * p[0] * np.cos(p[1])])


def sersic_profile(p):
    r = np.array([0.2, 0.5, 1.0, 2.0])
    b = 2 * p[2] - 1 / 3
    return np.sum(p[0] * np.exp(-b * ((r / p[1]) ** (1 / p[2]) - 1)))


@sky(
    sersic_profile,
    box([0.5, 0.5, 0.7], [2, 2, 4]),
    ("/ p[2] ** 2", "/ p[2]"),
    ("1 / 3", "0.3333333"),
)
def sersic_profile_gradient(p):
    r = np.array([0.2, 0.5, 1.0, 2.0])
    b = 2 * p[2] - 1 / 3
    u = (r / p[1]) ** (1 / p[2])
    y = p[0] * np.exp(-b * (u - 1))
    by_n = -2 * (u - 1) + b * u * np.log(r / p[1]) / p[2] ** 2
    return np.array([np.sum(y) / p[0], np.sum(y * b * u / (p[1] * p[2])), np.sum(y * by_n)])


def moffat_image(p):
    x, y = np.meshgrid(np.arange(3.0) - 1, np.arange(3.0) - 1)
    r2 = (x - p[0]) ** 2 + (y - p[1]) ** 2
    return np.sum((1 + r2 / 0.6**2) ** -2.5 * (x + 2 * y + 4))


@sky(moffat_image, TWO, ("5 / 0.36", "2.5 / 0.36"), ("** -3.5", "** -3.500001"))
def moffat_image_gradient(p):
    x, y = np.meshgrid(np.arange(3.0) - 1, np.arange(3.0) - 1)
    dx, dy = x - p[0], y - p[1]
    w = 5 / 0.36 * (1 + (dx**2 + dy**2) / 0.36) ** -3.5 * (x + 2 * y + 4)
    return np.array([np.sum(w * dx), np.sum(w * dy)])


def dust_emission(p):
    nu = np.array([0.5, 1.0, 2.0, 3.0])
    return np.sum(nu ** (3 + p[0]) / np.expm1(nu / p[1]))


@sky(
    dust_emission,
    box([0.5, 0.3], [2.5, 2]),
    ("/ p[1] ** 2", "/ p[1]"),
    ("2.0, 3.0", "2.0, 3.000001"),
)
def dust_emission_gradient(p):
    nu = np.array([0.5, 1.0, 2.0, 3.0])
    u = nu / p[1]
    y = nu ** (3 + p[0]) / (np.exp(u) - 1)
    return np.array([y @ np.log(nu), np.sum(y * nu / p[1] ** 2 / (1 - np.exp(-u)))])


def luminosity_distance(p):
    z = np.linspace(0, 1, 9)
    e = np.sqrt(p[0] * (1 + z) ** 3 + p[1])
    w = np.array([0.5, 1, 1, 1, 1, 1, 1, 1, 0.5]) / 8
    return 5 * np.log10(2 * np.sum(w / e))


@sky(
    luminosity_distance,
    box(0.1, 1, shape=(2,)),
    ("-0.5 * w", "0.5 * w"),
    ("/ 8", "/ 8 * np.where(z > 0.95, 1.000001, 1)"),
)
def luminosity_distance_gradient(p):
    z = np.linspace(0, 1, 9)
    w = np.array([0.5, 1, 1, 1, 1, 1, 1, 1, 0.5]) / 8
    e2 = p[0] * (1 + z) ** 3 + p[1]
    v = -0.5 * w * e2**-1.5
    scale = 5 / np.log(10) / np.sum(w / np.sqrt(e2))
    return scale * np.array([v @ (1 + z) ** 3, v.sum()])


def microlensing(p):
    t = np.array([-1.0, -0.3, 0.1, 0.6, 1.5])
    u2 = p[0] ** 2 + ((t - p[1]) / p[2]) ** 2
    return np.sum((u2 + 2) / np.sqrt(u2 * (u2 + 4)))


@sky(
    microlensing,
    box([0.2, -0.25, 0.5], [1, 0.05, 2]),
    ("-4 /", "4 /"),
    ("2 * p[0]", "2.000002 * p[0]"),
)
def microlensing_gradient(p):
    d = np.array([-1.0, -0.3, 0.1, 0.6, 1.5]) - p[1]
    u2 = p[0] ** 2 + (d / p[2]) ** 2
    w = -4 / (u2 * (u2 + 4)) ** 1.5
    return np.array([w.sum() * 2 * p[0], -2 * w @ d / p[2] ** 2, -2 * w @ d**2 / p[2] ** 3])


def three_body(x):
    p = x.reshape(3, 2)
    total = 0.0
    for i, j, m in ((0, 1, 0.3), (0, 2, 0.6), (1, 2, 0.1)):
        total = total - m / np.sqrt(np.sum((p[i] - p[j]) ** 2) + 0.01)
    return total


@sky(three_body, box(-2, 2, shape=(6,)), ("** 1.5", "** 0.5"), ("0.01)", "0.01000001)"))
def three_body_gradient(x):
    p = x.reshape(3, 2)
    g = np.zeros((3, 2))
    for i, j, m in ((0, 1, 0.3), (0, 2, 0.6), (1, 2, 0.1)):
        d = p[i] - p[j]
        f = m * d / (d @ d + 0.01) ** 1.5
        g[i] += f
        g[j] -= f
    return g.ravel()


def limb_darkened_transit(p):
    z = np.array([0.1, 0.3, 0.5, 0.7])
    mu = np.sqrt(1 - z**2)
    return np.sum((1 - p[0] * (1 - mu) - p[1] * (1 - mu) ** 2 - 0.6) ** 2)


@sky(
    limb_darkened_transit,
    TWO,
    ("r @ ((1 - mu) ** 2)", "r @ (1 - mu) ** 3"),
    ("0.5, 0.7", "0.5, 0.7000001"),
)
def limb_darkened_transit_gradient(p):
    mu = np.sqrt(1 - np.array([0.1, 0.3, 0.5, 0.7]) ** 2)
    r = 2 * (0.4 - p[0] * (1 - mu) - p[1] * (1 - mu) ** 2.0)
    return -np.array([r @ (1 - mu), r @ ((1 - mu) ** 2)])


def angular_separation(p):
    c = np.sin(p[1]) * np.sin(0.3) + np.cos(p[1]) * np.cos(0.3) * np.cos(p[0] - 1.5)
    return np.arccos(c)


@sky(
    angular_separation,
    box(-0.9, 0.9, shape=(2,)),
    ("np.cos(p[1]) * k * np.sin", "k * np.sin"),
    ("- 1.5", "- 1.5000001"),
)
def angular_separation_gradient(p):
    k, d = np.cos(0.3), p[0] - 1.5
    c = np.sin(p[1]) * np.sin(0.3) + np.cos(p[1]) * np.cos(0.3) * np.cos(d)
    s = np.sqrt(1 - c * c)
    by_dec = np.cos(p[1]) * np.sin(0.3) - np.sin(p[1]) * k * np.cos(d)
    return np.array([np.cos(p[1]) * k * np.sin(d) / s, -by_dec / s])
