"""Programs of physics groups: mechanics, fields, many bodies, adjoints of time steppers."""

from __future__ import annotations

import numpy as np

from benchmarks.corpus.registry import Group
from verify import box

PHYSICS = Group("physics programs")
program = PHYSICS.program

CLOUD = np.array([[0.0, 0, 0], [1.1, 0, 0.2], [0.2, 1.2, 0], [0.1, 0.3, 1.3]])
NEAR = box(CLOUD - 0.1, CLOUD + 0.1)
CHARGE = np.array([1.0, -0.8, 0.6, -0.5])


def coulomb_cluster(r):
    total = 0.0
    for i in range(4):
        for j in range(i):
            total = total + CHARGE[i] * CHARGE[j] / np.linalg.norm(r[i] - r[j])
    return total


@program(coulomb_cluster, NEAR, ("** 3", "** 2"), ("range(4)", "range(1, 4)"))
def coulomb_cluster_gradient(r):
    g = np.zeros_like(r)
    for i in range(4):
        for j in range(i + 1, 4):
            d = r[i] - r[j]
            f = -CHARGE[i] * CHARGE[j] * d / np.linalg.norm(d) ** 3
            g[i] += f
            g[j] -= f
    return g


def argon_cluster(r):
    d = r[:, None] - r[None, :]
    r2 = np.sum(d**2, axis=-1) + np.eye(4)
    s6 = 1 / r2**3
    pair = 4 * (s6**2 - s6) * (1 - np.eye(4))
    return 0.5 * np.sum(pair)


@program(argon_cluster, NEAR, ("48 * s6**2", "24 * s6**2"), ("24 * s6)", "24.00002 * s6)"))
def argon_cluster_gradient(r):
    d = r[:, None] - r[None, :]
    r2 = np.sum(d**2, axis=-1) + np.eye(4)
    s6 = 1 / r2**3
    force = (48 * s6**2 - 24 * s6) / r2 * (1 - np.eye(4))
    return -np.sum(force[:, :, None] * d, axis=1)


def stillinger_cutoff(r):
    d = np.sqrt(np.sum((r[1:] - r[:-1]) ** 2, axis=1))
    inside = d < 1.8
    gap = np.where(inside, d - 1.8, -1.0)
    return np.sum(np.where(inside, (7 / d**4 - 1) * np.exp(1 / gap), 0.0))


@program(
    stillinger_cutoff,
    box(CLOUD - 0.2, CLOUD + 0.2),
    ("-28 / d**5", "28 / d**5"),
    ("d < 1.8", "d < 1.75"),
)
def stillinger_cutoff_gradient(r):
    delta = r[1:] - r[:-1]
    d = np.sqrt(np.sum(delta**2, axis=1))
    inside = d < 1.8
    gap = np.where(inside, d - 1.8, -1.0)
    slope = (-28 / d**5 - (7 / d**4 - 1) / gap**2) * np.exp(1 / gap)
    f = np.where(inside, slope / d, 0.0)[:, None] * delta
    g = np.zeros_like(r)
    g[1:] += f
    g[:-1] -= f
    return g


def double_pendulum(s):
    a, b, p, q = s
    kinetic = 0.5 * (2 * p**2 + q**2) + p * q * np.cos(a - b)
    return kinetic - 9.81 * (2 * np.cos(a) + np.cos(b))


@program(
    double_pendulum,
    box(-3, 3, shape=(4,)),
    ("-s12 + 19.62", "s12 + 19.62"),
    ("9.81 * np.sin(b)", "9.81001 * np.sin(b)"),
)
def double_pendulum_gradient(s):
    a, b, p, q = s
    s12 = p * q * np.sin(a - b)
    c = np.cos(a - b)
    return np.array([-s12 + 19.62 * np.sin(a), s12 + 9.81 * np.sin(b), 2 * p + q * c, q + p * c])


def verlet_energy(p):
    x, v, h = p[0], p[1], 0.1
    for _ in range(20):
        v = v - 0.5 * h * x**3
        x = x + h * v
        v = v - 0.5 * h * x**3
    return 0.5 * v**2 + 0.25 * x**4


@program(
    verlet_energy,
    box(-1.5, 1.5, shape=(2,)),
    ("range(19, -1, -1)", "range(19)"),
    ("x**3, v", "x**3, v * 1.000001"),
)
def verlet_energy_adjoint(p):
    x, v, h = p[0], p[1], 0.1
    kept = []
    for _ in range(20):
        before = x
        v = v - 0.5 * h * x**3
        x = x + h * v
        v = v - 0.5 * h * x**3
        kept.append((before, x))
    bx, bv = x**3, v
    for k in range(19, -1, -1):
        before, after = kept[k]
        bx = bx - 1.5 * h * after**2 * bv
        bv = bv + h * bx
        bx = bx - 1.5 * h * before**2 * bv
    return np.array([bx, bv])


def heat_rod(u):
    for _ in range(15):
        u = u + 0.2 * (np.roll(u, 1) - 2 * u + np.roll(u, -1))
    return 0.5 * np.sum((u - 0.3) ** 2)


@program(
    heat_rod,
    box(-1, 1, shape=(8,)),
    ("_step in range(15)", "_step in range(14)"),
    ("u - 0.3", "u - 0.3000003"),
)
def heat_rod_adjoint(u):
    for _ in range(15):
        u = u + 0.2 * (np.roll(u, 1) - 2 * u + np.roll(u, -1))
    b = u - 0.3
    for _step in range(15):
        b = b + 0.2 * (np.roll(b, 1) - 2 * b + np.roll(b, -1))
    return b


def diffusivity(k):
    u = np.sin(np.linspace(0, np.pi, 9))
    for _ in range(10):
        flux = k * np.diff(u)
        u = u + 0.1 * np.concatenate([[0.0], np.diff(flux), [0.0]])
    return np.sum(u**2)


@program(
    diffusivity,
    box(0.1, 2, shape=(8,)),
    ("b[1:-1]", "b[:-2]"),
    ("= k * jump", "= k * jump * (1 + 1e-7 * (k > 1.9))"),
)
def diffusivity_adjoint(k):
    u = np.sin(np.linspace(0, np.pi, 9))
    states = [u]
    for _ in range(10):
        u = u + 0.1 * np.concatenate([[0.0], np.diff(k * np.diff(u)), [0.0]])
        states.append(u)
    b, g = 2 * u, np.zeros(8)
    for before in states[-2::-1]:
        inner = 0.1 * b[1:-1]
        jump = np.concatenate([[0.0], inner]) - np.concatenate([inner, [0.0]])
        g += jump * np.diff(before)
        spread = k * jump
        b = b + np.concatenate([[0.0], spread]) - np.concatenate([spread, [0.0]])
    return g


def ising_free_energy(p):
    coupling, field = p
    a = np.exp(coupling) * np.cosh(field)
    root = np.sqrt(np.exp(2 * coupling) * np.sinh(field) ** 2 + np.exp(-2 * coupling))
    return -np.log(a + root)


@program(
    ising_free_energy,
    box([0.1, -1.0], [1.0, 1.0]),
    ("- np.exp(-2 * k)", "+ np.exp(-2 * k)"),
    ("return -np.array([", "return -np.array([1e-6 * (h > 0.99) + "),
)
def ising_free_energy_gradient(p):
    k, h = p
    e, s, c = np.exp(k), np.sinh(h), np.cosh(h)
    root = np.sqrt(e**2 * s**2 + np.exp(-2 * k))
    top = e * c + root
    by_k = e * c + (e**2 * s**2 - np.exp(-2 * k)) / root
    return -np.array([by_k / top, (e * s + e**2 * s * c / root) / top])


def van_der_waals(v, t):
    return -8 / 3 * t * np.log(v - 1 / 3) - 3 / v


@program(
    van_der_waals, (box(0.5, 5), box(0.5, 2)), ("3 / v**2", "3 / v"), ("- 1 / 3)", "- 0.333333)")
)
def van_der_waals_gradient(v, t):
    return -8 * t / (3 * v - 1) + 3 / v**2, -8 / 3 * np.log(v - 1 / 3)


def debye_phonons(t):
    x = np.linspace(0.05, 1, 20)
    return np.sum(x**3 / np.expm1(x / t)) * 0.05


@program(debye_phonons, box(0.1, 3), ("/ t**2", "/ t"), ("x / t > 40", "x / t > 4"))
def debye_phonons_slope(t):
    x = np.linspace(0.05, 1, 20)
    u = np.minimum(x / t, 40)
    factor = np.where(x / t > 40, np.exp(-x / t), np.exp(u) / np.expm1(u) ** 2)
    return np.sum(x**4 / t**2 * factor) * 0.05


def fermi_level(mu):
    e = np.array([-1.0, -0.4, 0.1, 0.5, 1.3])
    occupation = 1 / (np.exp((e - mu) / 0.1) + 1)
    return (2 * np.sum(occupation) - 5) ** 2


@program(fermi_level, box(-1.5, 1.5), ("20 *", "2 *"), ("0.1, 0.5, 1.3", "0.1, 0.5, 1.300001"))
def fermi_level_slope(mu):
    e = np.array([-1.0, -0.4, 0.1, 0.5, 1.3])
    f = 1 / (np.exp((e - mu) / 0.1) + 1)
    return 2 * (2 * np.sum(f) - 5) * 20 * np.sum(f * (1 - f))
