"""More programs of engineering groups: flow, acoustics, structural design, energy."""

from __future__ import annotations

import numpy as np

from benchmarks.corpus.registry import Group
from verify import box

ENGINEERING = Group("engineering programs")
program = ENGINEERING.program

TWO = box(0.3, 2, shape=(2,))
STACK = np.array([0.1, 0.3, 0.6, 0.2, 0.4])


def airfoil_panel(p):
    t = np.linspace(0.1, 1, 6)
    y = p[0] * (0.2969 * np.sqrt(t) - 0.126 * t) - p[1] * t**2
    return np.sum(np.hypot(np.diff(t), np.diff(y)))


@program(airfoil_panel, TWO, ("-(t**2)", "t**2"), ("0.126", "0.1260001"))
def airfoil_panel_gradient(p):
    t = np.linspace(0.1, 1, 6)
    basis = np.stack([0.2969 * np.sqrt(t) - 0.126 * t, -(t**2)])
    dy, steps = np.diff(p @ basis), np.diff(basis, axis=1)
    return steps @ (dy / np.sqrt(0.18**2 + dy**2))


def oblique_shock(p):
    m, b = p
    normal = (m * np.sin(b)) ** 2
    return 2 / np.tan(b) * (normal - 1) / (m**2 * (1.4 + np.cos(2 * b)) + 2)


@program(
    oblique_shock,
    box([2, 0.7], [4, 1.3]),
    ("+ 2 * m**2 * np.sin(2 * b)", "- 2 * m**2 * np.sin(2 * b)"),
    ("1.4 +", "1.4000001 +"),
)
def oblique_shock_gradient(p):
    m, b = p
    s, c = np.sin(b), np.cos(b)
    top, bottom = m**2 * s**2 - 1, m**2 * (1.4 + np.cos(2 * b)) + 2
    cot = c / s
    by_m = 2 * cot * (2 * m * s**2 / bottom - top * (bottom - 2) * 2 / m / bottom**2)
    slope = 2 * m**2 * s * c * bottom + 2 * m**2 * np.sin(2 * b) * top
    return np.array([by_m, -2 / s**2 * top / bottom + 2 * cot * slope / bottom**2])


def array_factor(phase):
    x = np.arange(5) * 1.3 + phase
    real, imaginary = np.sum(STACK * np.cos(x)), np.sum(STACK * np.sin(x))
    return np.sqrt(real**2 + imaginary**2 + 0.01)


@program(
    array_factor, box(-3, 3, shape=(5,)), ("- real * s", "+ real * s"), ("* 1.3", "* 1.3000001")
)
def array_factor_gradient(phase):
    x = np.arange(5) * 1.3 + phase
    c, s = np.cos(x), np.sin(x)
    real, imaginary = STACK @ c, STACK @ s
    return STACK * (imaginary * c - real * s) / np.sqrt(real**2 + imaginary**2 + 0.01)


def muffler_loss(p):
    m, kl = p
    return 10 * np.log10(1 + 0.25 * (m - 1 / m) ** 2 * np.sin(kl) ** 2)


@program(
    muffler_loss,
    box([1.2, 0.2], [4, 2.8]),
    ("+ 1 / m**2", "- 1 / m**2"),
    ("4.342944819032518", "4.342945"),
)
def muffler_loss_gradient(p):
    m, kl = p
    d, s = m - 1 / m, np.sin(kl)
    common = 4.342944819032518 / (1 + 0.25 * d**2 * s**2)
    return common * np.array([0.5 * d * (1 + 1 / m**2) * s**2, 0.25 * d**2 * np.sin(2 * kl)])


def welded_beam_penalty(x):
    stress = 6 / (x[0] * x[1] ** 2)
    return 1.1 * x[0] ** 2 * x[1] + 10 * np.maximum(stress - 3, 0) ** 2


@program(
    welded_beam_penalty,
    box(0.5, 2, shape=(2,)),
    ("2.2 *", "1.1 *"),
    ("stress - 3", "stress - 3.000003"),
)
def welded_beam_penalty_gradient(x):
    stress = 6 / (x[0] * x[1] ** 2)
    push = 20 * max(stress - 3, 0) * stress
    return np.array([2.2 * x[0] * x[1] - push / x[0], 1.1 * x[0] ** 2 - 2 * push / x[1]])


def topology_density(rho):
    filtered = (0.5 * np.roll(rho, 1) + rho + 0.5 * np.roll(rho, -1)) / 2
    stiffness = 1e-3 + filtered**3
    return np.sum(1 / stiffness) + 5 * np.sum(rho)


@program(topology_density, box(0.2, 1, shape=(6,)), ("-3 *", "3 *"), ("1e-3", "1.001e-3"))
def topology_density_gradient(rho):
    f = (0.5 * np.roll(rho, 1) + rho + 0.5 * np.roll(rho, -1)) / 2
    d = -3 * f**2 / (1e-3 + f**3) ** 2
    return 5 + 0.25 * np.roll(d, 1) + 0.5 * d + 0.25 * np.roll(d, -1)


def aggregation_stress(s):
    return np.log(np.sum(np.exp(8 * (s - 1)))) / 8


@program(
    aggregation_stress,
    box(0, 2, shape=(5,)),
    ("e / np.sum(e)", "8 * e / np.sum(e)"),
    ("8 * (s", "8.000001 * (s"),
)
def aggregation_stress_gradient(s):
    e = np.exp(8 * (s - s.max()))
    return e / np.sum(e)


def smooth_heaviside(rho):
    bottom = np.tanh(2.0) + np.tanh(2.0)
    return np.sum((np.tanh(2.0) + np.tanh(4 * (rho - 0.5))) / bottom * STACK)


@program(
    smooth_heaviside, box(0, 1, shape=(5,)), ("2 * STACK", "4 * STACK"), ("- 0.5", "- 0.5000001")
)
def smooth_heaviside_gradient(rho):
    t = np.tanh(4 * (rho - 0.5))
    return 2 * STACK * (1 - t * t) / np.tanh(2)


def gear_backlash(x):
    gap = np.where(x > 0.3, x - 0.3, np.where(x < -0.3, x + 0.3, 0.0))
    return np.sum(5 * gap**2 + gap**4)


@program(
    gear_backlash, box(-2, 2, shape=(4,)), ("10 * gap", "5 * gap"), ("-0.3, 0.3", "-0.3, 0.3000003")
)
def gear_backlash_gradient(x):
    gap = x - np.clip(x, -0.3, 0.3)
    return 10 * gap + 4 * gap**3


def fatigue_damage(s):
    cycles = np.where(s > 0.8, 10 * s**-5.0, 10 * 0.8**-2.0 * s**-3.0)
    return np.sum(STACK / cycles)


@program(
    fatigue_damage, box(0.3, 2, shape=(5,)), ("0.5 * s**4", "0.1 * s**4"), ("0.192", "0.1920002")
)
def fatigue_damage_gradient(s):
    return STACK * np.where(s > 0.8, 0.5 * s**4, 0.192 * s**2)


def battery_voltage(p):
    soc, current = p
    table = np.interp(soc, [0.0, 0.1, 0.5, 0.9, 1.0], [3.0, 3.4, 3.7, 4.0, 4.2])
    return (table - 0.1 * current - 0.3 * np.log1p(current)) * current


@program(
    battery_voltage,
    box([0.01, 0.0], [0.99, 2.0]),
    ("current * slope", "slope"),
    ("0.4 / 0.1", "0.3 / 0.1"),
)
def battery_voltage_gradient(p):
    soc, current = p
    base = np.interp(soc, [0.0, 0.1, 0.5, 0.9, 1.0], [3.0, 3.4, 3.7, 4.0, 4.2])
    slope = 0.4 / 0.1 if soc < 0.1 else 0.75 if soc < 0.9 else 2.0
    drop = 0.1 * current + 0.3 * np.log1p(current)
    return np.array([current * slope, base - drop - current * (0.1 + 0.3 / (1 + current))])


def wind_turbine(p):
    ratio, pitch = p
    inverse = 1 / (ratio + 0.08 * pitch) - 0.035 / (pitch**3 + 1)
    return 0.22 * (116 * inverse - 0.4 * pitch - 5) * np.exp(-12.5 * inverse)


@program(wind_turbine, box([3, 0.0], [10, 4]), ("116 - 12.5", "116 + 12.5"), ("0.105", "0.1050001"))
def wind_turbine_gradient(p):
    ratio, pitch = p
    q = ratio + 0.08 * pitch
    inverse = 1 / q - 0.035 / (pitch**3 + 1)
    load = 116 * inverse - 0.4 * pitch - 5
    e = 0.22 * np.exp(-12.5 * inverse)
    by_inverse = e * (116 - 12.5 * load)
    by_pitch = -0.08 / q**2 + 0.105 * pitch**2 / (pitch**3 + 1) ** 2
    return np.array([-by_inverse / q**2, by_inverse * by_pitch - 0.4 * e])


def heat_exchanger(ua):
    ntu = ua / 1.5
    e = np.exp(-ntu * 0.4)
    return (1 - e) / (1 - 0.6 * e)


@program(heat_exchanger, box(0.1, 9), ("0.4 * e", "0.6 * e"), ("0.4 / 1.5", "0.4 / 1.500002"))
def heat_exchanger_slope(ua):
    k = 0.4 / 1.5
    e = np.exp(-k * ua)
    return k * (0.4 * e) / (1 - 0.6 * e) ** 2


def neutron_diffusion(s):
    a = np.diag(2 + s) - np.eye(5, k=1) - np.eye(5, k=-1)
    return STACK @ np.linalg.solve(a, np.ones(5))


@program(neutron_diffusion, box(0.1, 2, shape=(5,)), ("-phi", "phi"), ("2 + s", "2.0000002 + s"))
def neutron_diffusion_adjoint(s):
    a = np.diag(2 + s) - np.eye(5, k=1) - np.eye(5, k=-1)
    phi, importance = np.linalg.solve(a, np.ones(5)), np.linalg.solve(a.T, STACK)
    return -phi * importance


def thermocouple(v):
    c = (0.0, 25.08, 0.0786, -0.2503)
    return sum(a * v**k for k, a in enumerate(c)) ** 2


@program(thermocouple, box(-2, 5), ("2 * t", "t"), ("0.2503", "0.25030002"))
def thermocouple_slope(v):
    t, dt = 0.0, 0.0
    for a in (-0.2503, 0.0786, 25.08, 0.0):
        dt = dt * v + t
        t = t * v + a
    return 2 * t * dt


def queue_delay(p):
    load = p[0] / (p[1] + 1)
    return np.where(load < 0.8, load / (1 - load), 4 + 25 * (load - 0.8)) + 0.1 * p[1]


@program(queue_delay, box([0.1, 0.1], [2, 2]), ("-p[0]", "p[0]"), ("25.0)", "25.00003)"))
def queue_delay_gradient(p):
    load = p[0] / (p[1] + 1)
    slope = np.where(load < 0.8, 1 / (1 - np.minimum(load, 0.8)) ** 2, 25.0)
    return slope * np.array([1 / (p[1] + 1), -p[0] / (p[1] + 1) ** 2]) + np.array([0.0, 0.1])


def tolerance_stack(x):
    gap = 1.2 - np.sum(x)
    return np.sum(0.1 / x) + 3 * np.minimum(gap, 0) ** 2


@program(tolerance_stack, box(0.1, 1, shape=(5,)), ("- 0.1", "+ 0.1"), ("< 0", "< -0.01"))
def tolerance_stack_gradient(x):
    gap = 1.2 - sum(x)
    g = -6 * gap * np.ones(5) if gap < 0 else np.zeros(5)
    return g - 0.1 / x**2
