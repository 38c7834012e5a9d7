"""Programs of chemistry and biology groups: kinetics, equilibria, populations, epidemics, genes."""

from __future__ import annotations

import numpy as np

from benchmarks.corpus.registry import Group
from verify import box

CHEMISTRY = Group("chemistry programs")
BIOLOGY = Group("biology programs")
program, living = CHEMISTRY.program, BIOLOGY.program

POSITIVE = box(0.1, 3, shape=(3,))
PAIR = box(0.1, 2, shape=(2,))
TIMES = np.array([0.5, 1.0, 2.0, 4.0, 8.0])
SEEN = np.array([0.8, 0.6, 0.3, 0.15, 0.05])


def robertson_kinetics(c):
    r1, r2, r3 = 0.04 * c[0], 3.0 * c[1] * c[2], 0.6 * c[1] ** 2
    return np.array([-r1 + r2, r1 - r2 - r3, r3])


@program(
    robertson_kinetics,
    POSITIVE,
    ("- 1.2 * b", "+ 1.2 * b"),
    ("0.04, -3", "0.0400001, -3"),
    quantity="jacobian",
)
def robertson_kinetics_jacobian(c):
    _, b, d = c
    return np.array([[-0.04, 3 * d, 3 * b], [0.04, -3 * d - 1.2 * b, -3 * b], [0, 1.2 * b, 0]])


def first_order_decay(p):
    model = p[0] * np.exp(-p[1] * TIMES) + p[2]
    return np.sum(((model - SEEN) / 0.05) ** 2)


@program(first_order_decay, POSITIVE, ("-p[0] * TIMES * e", "-p[0] * e"), ("800 *", "800.0008 *"))
def first_order_decay_gradient(p):
    e = np.exp(-p[1] * TIMES)
    r = p[0] * e + p[2] - SEEN
    return 800 * np.array([r @ e, r @ (-p[0] * TIMES * e), r.sum()])


def michaelis_menten(p):
    s = np.array([0.1, 0.5, 1.0, 2.0, 5.0])
    return np.sum((p[0] * s / (p[1] + s) - SEEN[::-1]) ** 2)


@program(michaelis_menten, PAIR, ("(p[1] + s) ** 2", "(p[1] + s)"), ("2.0, 5.0", "2.0, 5.000005"))
def michaelis_menten_gradient(p):
    s = np.array([0.1, 0.5, 1.0, 2.0, 5.0])
    r = 2 * (p[0] * s / (p[1] + s) - SEEN[::-1])
    return np.array([r @ (s / (p[1] + s)), -r @ (p[0] * s / (p[1] + s) ** 2)])


def hill_response(p):
    x = np.array([0.2, 0.5, 1.0, 2.0])
    theta = x ** p[1] / (p[0] ** p[1] + x ** p[1])
    return np.sum(theta**2)


@program(hill_response, PAIR, ("np.log(x / p[0])", "np.log(x)"), ("1.0, 2.0", "1.0, 2.000001"))
def hill_response_gradient(p):
    x = np.array([0.2, 0.5, 1.0, 2.0])
    t = 1 / (1 + (p[0] / x) ** p[1])
    common = 2 * t * t * (1 - t)
    return np.array([-np.sum(common) * p[1] / p[0], common @ np.log(x / p[0])])


def arrhenius_fit(p):
    t = np.array([300.0, 350, 400, 450])
    log_k = p[0] - 10 * p[1] / (8.314e-3 * t)
    return np.sum((log_k + 5 - 0.01 * t) ** 2)


@program(arrhenius_fit, PAIR, ("-10 / ", "10 / "), ("8.314e-3", "8.31401e-3"))
def arrhenius_fit_gradient(p):
    u = -10 / (8.314e-3 * np.array([300.0, 350, 400, 450]))
    r = p[0] + p[1] * u + 5 - np.array([3.0, 3.5, 4.0, 4.5])
    return np.array([2 * np.sum(r), 2 * np.sum(r * u)])


def acid_titration(v):
    total = 0.0
    for pka in (2.1, 7.2, 12.3):
        ratio = 10 ** (v - pka)
        total = total + ratio / (1 + ratio)
    return total


@program(acid_titration, box(0, 14), ("2.302585092994046 *", ""), ("12.3", "12.299999"))
def acid_titration_slope(v):
    total = 0.0
    for pka in (2.1, 7.2, 12.3):
        a = 1 / (1 + 10 ** (pka - v))
        total = total + a * (1 - a)
    return 2.302585092994046 * total


def debye_huckel(c):
    z = np.array([1.0, -2.0, 1.0])
    ionic = 0.5 * np.sum(c * z**2)
    root = np.sqrt(ionic)
    return np.sum(c * (np.log(c) - 1.17 * z**2 * root / (1 + root)))


@program(debye_huckel, POSITIVE, ("0.5 * z2", "z2"), ("1.17 * z2", "1.170001 * z2"))
def debye_huckel_gradient(c):
    z2 = np.array([1.0, 4.0, 1.0])
    ionic = 0.5 * c @ z2
    root = np.sqrt(ionic)
    slope = 1 / (2 * root * (1 + root) ** 2)
    return np.log(c) + 1 - 1.17 * z2 * root / (1 + root) - 1.17 * 2 * ionic * slope * (0.5 * z2)


def regular_solution(x):
    return x * np.log(x) + (1 - x) * np.log(1 - x) + 2.3 * x * (1 - x) + 0.1 * x


@program(regular_solution, box(0.02, 0.98), ("- 4.6 * x", "+ 4.6 * x"), ("2.4 -", "2.4000001 -"))
def regular_solution_slope(x):
    return np.log(x / (1 - x)) + 2.4 - 4.6 * x


def wilson_activity(x):
    a, b = 0.3, 0.6
    y = 1 - x
    return -x * np.log(x + a * y) - y * np.log(y + b * x)


@program(wilson_activity, box(0.02, 0.98), ("(1 - a)", "a"), ("0.3, 0.6", "0.3, 0.6000001"))
def wilson_activity_slope(x):
    a, b = 0.3, 0.6
    y = 1 - x
    s, t = x + a * y, y + b * x
    return np.log(t) - np.log(s) - x * (1 - a) / s + y * (1 - b) / t


def peng_robinson(v):
    b, a = 0.08, 1.3
    return 2.2 / (v - b) - a / (v**2 + 2 * b * v - b**2)


@program(peng_robinson, box(0.2, 5), ("-2.2", "2.2"), ("2 * (v + b)", "2.000001 * (v + b)"))
def peng_robinson_slope(v):
    b, a = 0.08, 1.3
    return -2.2 / (v - b) ** 2 + a * 2 * (v + b) / (v * v + 2 * b * v - b * b) ** 2


def gibbs_equilibrium(n):
    mu = np.array([-1.0, 0.3, 0.6])
    total = np.sum(n)
    return np.sum(n * (mu + np.log(n / total))) + 5 * (n[0] + 2 * n[1] - 1) ** 2


@program(gibbs_equilibrium, POSITIVE, ("g[1] += 20", "g[1] += 10"), ("0.6]", "0.6000001]"))
def gibbs_equilibrium_gradient(n):
    g = np.array([-1.0, 0.3, 0.6]) + np.log(n / n.sum())
    excess = n[0] + 2 * n[1] - 1
    g[0] += 10 * excess
    g[1] += 20 * excess
    return g


def torsion_energy(phi):
    return np.sum(0.6 * (1 + np.cos(3 * phi)) + 0.3 * (1 - np.cos(2 * phi - 0.1)))


@program(torsion_energy, box(-3, 3, shape=(4,)), ("-1.8", "1.8"), ("- 0.1)", "- 0.1000001)"))
def torsion_energy_gradient(phi):
    return -1.8 * np.sin(3 * phi) + 0.6 * np.sin(2 * phi - 0.1)


def morse_chain(x):
    d = np.diff(x)
    e = np.exp(-1.5 * (d - 1))
    return np.sum((1 - e) ** 2)


@program(
    morse_chain,
    box([0, 0.8, 1.8, 2.9], [0.3, 1.2, 2.2, 3.3]),
    ("g[:-1] -= f", "g[:-1] += f"),
    ("3 * e", "3.000003 * e"),
)
def morse_chain_gradient(x):
    e = np.exp(-1.5 * (np.diff(x) - 1))
    f = 3 * e * (1 - e)
    g = np.zeros(len(x))
    g[1:] += f
    g[:-1] -= f
    return g


def huckel_energy(beta):
    h = np.array([[0.0, -1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 0.5]])
    h = h + beta * np.array([[0.0, 0, 0], [0, 0, -1], [0, -1, 0]])
    return np.linalg.eigvalsh(h)[0]


@program(
    huckel_energy, box(0.1, 2), ("-2 *", "-"), ("v[2, 0]", "v[2, 0] * (1 + 1e-6 * (beta > 1.98))")
)
def huckel_energy_slope(beta):
    h = np.array([[0.0, -1.0, 0.0], [-1.0, 0.0, -beta], [0.0, -beta, 0.5]])
    v = np.linalg.eigh(h)[1]
    return -2 * v[1, 0] * v[2, 0]


def chromatogram(p):
    t = np.linspace(0, 5, 11)
    width = np.where(t < p[1], p[2], 1.5 * p[2])
    return np.sum((p[0] * np.exp(-0.5 * ((t - p[1]) / width) ** 2) - 0.3) ** 2)


@program(
    chromatogram,
    box([0.5, 1.05, 0.3], [2.0, 1.45, 1.5]),
    ("z**2 / p[2]", "z / p[2]"),
    ("1.5 *", "1.500001 *"),
)
def chromatogram_gradient(p):
    t = np.linspace(0, 5, 11)
    width = np.where(t < p[1], p[2], 1.5 * p[2])
    z = (t - p[1]) / width
    e = np.exp(-0.5 * z * z)
    r = 2 * (p[0] * e - 0.3)
    return np.array([r @ e, r @ (p[0] * e * z / width), r @ (p[0] * e * z**2 / p[2])])


def langmuir_pair(p):
    a, b = p[0] * TIMES, p[1] * TIMES**2
    return np.sum(a / (1 + a + b))


@program(langmuir_pair, PAIR, ("(1 + b)", "b"), ("-(TIMES**2)", "-(TIMES**2.000001)"))
def langmuir_pair_gradient(p):
    a, b = p[0] * TIMES, p[1] * TIMES**2
    s = (1 + a + b) ** 2
    return np.array([np.sum(TIMES * (1 + b) / s), np.sum(-(TIMES**2) * a / s)])


def reactor_steps(k):
    c, t = 1.0, 1.0
    for _ in range(10):
        rate = k * c * np.exp(-1 / t)
        c, t = c - 0.1 * rate, t + 0.1 * (0.6 * rate - 0.3 * (t - 1))
    return c


@program(reactor_steps, box(0.1, 3), ("+ rate / t**2 * dt", ""), ("0.06 * dr", "0.06000006 * dr"))
def reactor_steps_slope(k):
    c, t, dc, dt = 1.0, 1.0, 0.0, 0.0
    for _ in range(10):
        e = np.exp(-1 / t)
        rate = k * c * e
        dr = c * e + k * e * dc + rate / t**2 * dt
        c, t = c - 0.1 * rate, t + 0.06 * rate - 0.03 * (t - 1)
        dc, dt = dc - 0.1 * dr, dt + 0.06 * dr - 0.03 * dt
    return dc
