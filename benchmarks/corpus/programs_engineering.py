"""Programs of engineering groups: trusses, beams, circuits, heat, flow, acoustics, design."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.corpus.registry import Group
from verify import box

ENGINEERING = Group("engineering programs")
program = ENGINEERING.program

NODES = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 0.8]])
BARS = ((0, 2), (1, 2), (0, 1))
POSITIVE = box(0.2, 2, shape=(3,))
TWO = box(0.3, 2, shape=(2,))


def truss_compliance(a):
    k = np.eye(2) * 0.1
    for area, (i, j) in zip(a, BARS[:2], strict=True):
        d = NODES[j] - NODES[i]
        length = math.hypot(*d)
        k = k + area / length**3 * np.outer(d, d)
    return np.array([0.3, -1.0]) @ np.linalg.solve(k, np.array([0.3, -1.0]))


@program(truss_compliance, TWO, ("= -", "= "), ("[0.3, -1.0]", "[0.3, -1.0000001]"))
def truss_compliance_gradient(a):
    units = [NODES[j] - NODES[i] for i, j in BARS[:2]]
    k = np.eye(2) * 0.1
    for area, d in zip(a, units, strict=True):
        k = k + area / np.linalg.norm(d) ** 3 * np.outer(d, d)
    u = np.linalg.solve(k, [0.3, -1.0])
    g = np.empty(2)
    for m, d in enumerate(units):
        g[m] = -((u @ d) ** 2) / np.linalg.norm(d) ** 3
    return g


def truss_strain_energy(x):
    total = 0.0
    for i, j in BARS:
        rest = np.linalg.norm(NODES[i] - NODES[j])
        stretch = np.linalg.norm(x[i] - x[j]) - rest
        total = total + 5 * stretch**2 / rest
    return total


@program(
    truss_strain_energy,
    box(NODES - 0.1, NODES + 0.1),
    ("g[j] -= f", "g[j] += f"),
    ("BARS:", "BARS[: 3 - (x[2, 1] > 0.89)]:"),
)
def truss_strain_energy_gradient(x):
    g = np.zeros((3, 2))
    for i, j in BARS:
        d = x[i] - x[j]
        length, rest = np.linalg.norm(d), np.linalg.norm(NODES[i] - NODES[j])
        f = 10 * (length - rest) / rest * d / length
        g[i] += f
        g[j] -= f
    return g


def beam_deflection(p):
    load, length, inertia = p
    return load * length**3 / (48 * 210 * inertia) + 5 * 0.1 * length**4 / (384 * 210 * inertia)


@program(beam_deflection, POSITIVE, ("-(point + own)", "(point + own)"), ("80640", "80640.08"))
def beam_deflection_gradient(p):
    load, length, inertia = p
    point, own = load * length**3 / (10080 * inertia), 0.5 * length**4 / (80640 * inertia)
    return np.array([point / load, (3 * point + 4 * own) / length, -(point + own) / inertia])


def von_mises_stress(s):
    return np.sqrt(s[0] ** 2 - s[0] * s[1] + s[1] ** 2 + 3 * s[2] ** 2)


@program(von_mises_stress, POSITIVE, ("6 * s[2]", "3 * s[2]"), ("2 * s[1]", "2.000002 * s[1]"))
def von_mises_stress_gradient(s):
    top = np.array([2 * s[0] - s[1], 2 * s[1] - s[0], 6 * s[2]])
    return top / (2 * von_mises_stress(s))


def plastic_stress(e):
    trial = 200 * e
    flow = np.abs(trial) - 30 - 20 * 0.1
    step = np.maximum(flow, 0) / 220
    return np.sum((trial - 200 * step * np.sign(trial)) ** 2)


@program(plastic_stress, box(-0.5, 0.5, shape=(4,)), ("200 * 20 / 220", "20"), ("> 32", "> 32.5"))
def plastic_stress_gradient(e):
    trial = 200 * e
    over = np.abs(trial) > 32
    stress = trial - np.where(over, 200 / 220 * (trial - 32 * np.sign(trial)), 0.0)
    return 2 * stress * np.where(over, 200 * 20 / 220, 200.0)


def neo_hookean(f):
    j = f[0, 0] * f[1, 1] - f[0, 1] * f[1, 0]
    return 0.3 * (np.sum(f**2) - 2 - 2 * np.log(j)) + 0.6 * (j - 1) ** 2


@program(
    neo_hookean,
    box(np.eye(2) - 0.3, np.eye(2) + 0.3),
    ("-f[1, 0]]", "f[1, 0]]"),
    ("1.2 * (j", "1.2000002 * (j"),
)
def neo_hookean_stress(f):
    j = np.linalg.det(f)
    cofactor = np.array([[f[1, 1], -f[1, 0]], [-f[0, 1], f[0, 0]]])
    return 0.6 * (f - cofactor / j) + 1.2 * (j - 1) * cofactor


def ladder_circuit(r):
    z = r[2]
    z = r[1] * z / (r[1] + z) + r[0]
    return 1 / z**2


@program(
    ladder_circuit,
    POSITIVE,
    ("(r[2] / s) ** 2", "(r[1] / s) ** 2"),
    ("-2 / z**3", "-2.000002 / z**3"),
)
def ladder_circuit_gradient(r):
    s = r[1] + r[2]
    z = r[0] + r[1] * r[2] / s
    return -2 / z**3 * np.array([1.0, (r[2] / s) ** 2, r[1] ** 2 / s**2])


def filter_response(p):
    w = np.array([0.3, 1.0, 3.0])
    h = 1 / (1 - w**2 * p[0] * p[1] + 1j * w * p[0])
    return np.sum(np.abs(h) ** 2)


@program(filter_response, TWO, ("- 2 * w", "+ 2 * w"), ("1.0, 3.0", "1.0, 3.000001"))
def filter_response_gradient(p):
    w = np.array([0.3, 1.0, 3.0])
    real, imaginary = 1 - w**2 * p[0] * p[1], w * p[0]
    q = (real**2 + imaginary**2) ** 2
    by0 = (2 * real * w**2 * p[1] - 2 * w * imaginary) / q
    return np.array([np.sum(by0), np.sum(2 * real * w**2 * p[0] / q)])


def diode_circuit(v):
    current = 0.1 * np.expm1(v / 0.3)
    return (2 - v - 0.6 * current) ** 2


@program(diode_circuit, box(-1, 1), ("-1 - 0.2", "-1 + 0.2"), ("0.06 *", "0.06000006 *"))
def diode_circuit_slope(v):
    e = np.exp(v / 0.3)
    return 2 * (2 - v - 0.06 * (e - 1)) * (-1 - 0.2 * e)


def power_flow(p):
    angle, volt = p[:2], p[2]
    flow = 5 * np.sin(angle[0] - angle[1]) + 3 * volt * np.sin(angle[0])
    reactive = 3 * volt**2 - 3 * volt * np.cos(angle[0])
    return np.stack([flow, reactive])


@program(
    power_flow,
    box([-0.6, -0.6, 0.8], [0.6, 0.6, 1.2]),
    ("-5 * c", "5 * c"),
    ("6 * v", "6.000006 * v"),
    quantity="jacobian",
)
def power_flow_jacobian(p):
    a, b, v = p
    c = np.cos(a - b)
    return np.array(
        [
            [5 * c + 3 * v * np.cos(a), -5 * c, 3 * np.sin(a)],
            [3 * v * np.sin(a), 0, 6 * v - 3 * np.cos(a)],
        ]
    )


def fin_temperature(h):
    m = np.sqrt(h * 0.6)
    return np.tanh(m * 1.5) / m


@program(fin_temperature, box(0.1, 5), ("0.3 / m", "0.6 / m"), ("1.5 * (1", "1.5000015 * (1"))
def fin_temperature_slope(h):
    m = np.sqrt(0.6 * h)
    t = np.tanh(1.5 * m)
    return (1.5 * (1 - t**2) * m - t) / m**2 * (0.3 / m)


def radiating_plate(t):
    return np.sum(0.3 * (t - 0.5) ** 2 + 0.1 * (t**5 / 5 - t)) + np.sum(0.5 * np.diff(t) ** 2)


@program(
    radiating_plate, box(0.2, 2, shape=(5,)), ("0.1 * t**4", "0.5 * t**4"), ("- 0.4", "- 0.4000001")
)
def radiating_plate_gradient(t):
    flux = np.diff(t, prepend=t[0], append=t[-1])
    return 0.6 * t + 0.1 * t**4 - 0.4 - np.diff(flux)


def colebrook(re):
    x = 4.0
    for _ in range(12):
        x = -2 * np.log10(1e-3 / 3.7 + 2.51 * x / re)
    return 1 / x**2


@program(
    colebrook,
    box(5e3, 1e6),
    ("/ (1 + c", "/ (1 - c"),
    ("2.51 * x / re**2", "2.510003 * x / re**2"),
    rtol=1e-9,
)
def colebrook_slope(re):
    x = 4.0
    for _ in range(30):
        x = -2 * math.log10(1e-3 / 3.7 + 2.51 * x / re)
    inner = 1e-3 / 3.7 + 2.51 * x / re
    c = 2 / math.log(10) / inner
    dx = c * (2.51 * x / re**2) / (1 + c * 2.51 / re)
    return -2 * dx / x**3


def pipe_network(q):
    loss = np.array([0.3, 0.6, 0.1]) * q * np.abs(q) ** 0.852
    return np.sum(loss * q) / 2.852 + 2 * (q[0] + q[1] - q[2] - 1) ** 2


@program(pipe_network, POSITIVE, ("1, 1, -1", "1, 1, 1"), ("0.852", "0.8520001"))
def pipe_network_gradient(q):
    head = np.array([0.3, 0.6, 0.1]) * q * np.abs(q) ** 0.852
    return head + 4 * (q[0] + q[1] - q[2] - 1) * np.array([1, 1, -1])
