"""More programs of physics: optics, quantum mechanics, chains, projectiles."""

from __future__ import annotations

import numpy as np

from benchmarks.corpus.registry import Group
from verify import box

PHYSICS = Group("physics programs")
program = PHYSICS.program

TRIANGLE = np.array([[0.0, 0.0], [1.2, 0.1], [0.5, 1.1]])


def lens_system(p):
    x, a = 0.3, 0.0
    for f, d in ((p[0], 0.5), (p[1], 0.8)):
        a = a - x / f
        x = x + d * a
    return x**2 + 0.1 * a**2


@program(lens_system, box(0.5, 3, shape=(2,)), ("/ f**2", "/ f"), ("0.2 * a", "0.2000001 * a"))
def lens_system_adjoint(p):
    x, a, kept = 0.3, 0.0, []
    for f, d in ((p[0], 0.5), (p[1], 0.8)):
        kept.append((x, f, d))
        a = a - x / f
        x = x + d * a
    bx, ba, g = 2 * x, 0.2 * a, []
    for before, f, d in reversed(kept):
        ba = ba + d * bx
        g.append(ba * before / f**2)
        bx = bx - ba / f
    return np.array(g[::-1])


def thin_film(p):
    n, d = p
    delta = 2 * np.pi * n * d / 0.55
    r1, r2 = (1 - n) / (1 + n), (n - 1.5) / (n + 1.5)
    top = r1**2 + r2**2 + 2 * r1 * r2 * np.cos(2 * delta)
    bottom = 1 + r1**2 * r2**2 + 2 * r1 * r2 * np.cos(2 * delta)
    return top / bottom


@program(
    thin_film,
    box([1.1, 0.05], [2.5, 0.3]),
    ("-2 / (1 + n)", "2 / (1 + n)"),
    ("3 / (n + 1.5)", "3.000003 / (n + 1.5)"),
)
def thin_film_gradient(p):
    n, d = p
    delta = 2 * np.pi * n * d / 0.55
    r1, r2 = (1 - n) / (1 + n), (n - 1.5) / (n + 1.5)
    dr1, dr2 = -2 / (1 + n) ** 2, 3 / (n + 1.5) ** 2
    c, s, m = np.cos(2 * delta), np.sin(2 * delta), r1 * r2
    top, bottom = r1**2 + r2**2 + 2 * m * c, 1 + m**2 + 2 * m * c
    dm = dr1 * r2 + r1 * dr2
    wave = -4 * m * s * 2 * np.pi / 0.55
    dtop = np.array([2 * r1 * dr1 + 2 * r2 * dr2 + 2 * dm * c + wave * d, wave * n])
    dbottom = np.array([2 * m * dm + 2 * dm * c + wave * d, wave * n])
    return (dtop * bottom - top * dbottom) / bottom**2


def brachistochrone(y):
    h = np.concatenate([[0.0], y, [1.0]])
    ds = np.sqrt(0.25**2 + np.diff(h) ** 2)
    speed = np.sqrt(2 * 9.81 * (0.5 * (h[1:] + h[:-1]) + 0.1))
    return np.sum(ds / speed)


@program(
    brachistochrone,
    box(0.1, 1.2, shape=(3,)),
    ("9.81 * ds", "ds"),
    ("[1:-1]", "[1:-1] * 0.9999999"),
)
def brachistochrone_gradient(y):
    h = np.concatenate([[0.0], y, [1.0]])
    dh = np.diff(h)
    ds = np.sqrt(0.25**2 + dh**2)
    v = np.sqrt(19.62 * (0.5 * (h[1:] + h[:-1]) + 0.1))
    slope = dh / (ds * v)
    weight = -0.5 * 9.81 * ds / v**3
    g = np.zeros(5)
    g[1:] += slope + weight
    g[:-1] += weight - slope
    return g[1:-1]


def catenary(y):
    h = np.concatenate([[0.0], y, [0.5]])
    length = np.sqrt(0.2**2 + np.diff(h) ** 2)
    weight = 0.5 * (h[1:] + h[:-1]) * length
    return np.sum(weight) + 50 * (np.sum(length) - 1.5) ** 2


@program(
    catenary, box(-1, 1, shape=(4,)), ("100 * (", "50 * ("), ("0.5 * length", "0.5000001 * length")
)
def catenary_gradient(y):
    h = np.concatenate([[0.0], y, [0.5]])
    d = np.diff(h)
    length = np.sqrt(0.04 + d * d)
    stretch = 100 * (length.sum() - 1.5) + 0.5 * (h[1:] + h[:-1])
    half = 0.5 * length
    g = np.zeros_like(h)
    g[1:] += half + stretch * d / length
    g[:-1] += half - stretch * d / length
    return g[1:-1]


def quantum_expectation(psi):
    h = np.array([[0.5, -0.2, 0.0], [-0.2, 0.1, -0.3], [0.0, -0.3, -0.7]])
    return psi @ h @ psi / (psi @ psi)


@program(
    quantum_expectation,
    box(0.2, 1, shape=(3,)),
    ("h @ psi - e * psi", "h @ psi"),
    ("-0.3, -0.7", "-0.3000003, -0.7"),
)
def quantum_expectation_gradient(psi):
    h = np.array([[0.5, -0.2, 0.0], [-0.2, 0.1, -0.3], [0.0, -0.3, -0.7]])
    n = psi @ psi
    e = quantum_expectation(psi)
    return 2 * (h @ psi - e * psi) / n


def two_level(t):
    wave = np.array([1.0 + 0j, 0.0])
    for angle in t:
        c, s = np.cos(angle), np.sin(angle)
        wave = np.stack([c * wave[0] - 1j * s * wave[1], c * wave[1] - 1j * s * wave[0]])
        wave = wave * np.array([1.0, np.exp(0.3j)])
    return np.abs(wave[1]) ** 2


@program(two_level, box(-1.5, 1.5, shape=(3,)), ("-s * back", "s * back"), ("0.3j", "0.3000003j"))
def two_level_gradient(t):
    phase = np.diag([1.0, np.exp(0.3j)])
    x = np.array([[0, -1j], [-1j, 0]])
    steps = [phase @ (np.cos(a) * np.eye(2) + np.sin(a) * x) for a in t]
    g = np.zeros(3)
    for k in range(3):
        s, back = np.sin(t[k]), np.eye(2)
        slope = phase @ (-s * back + np.cos(t[k]) * x)
        out = np.array([1.0, 0.0])
        plain = np.array([1.0, 0.0])
        for j in range(3):
            out = (slope if j == k else steps[j]) @ out
            plain = steps[j] @ plain
        g[k] = 2 * np.real(np.conj(plain[1]) * out[1])
    return g


def spring_network(x):
    edges = ((0, 1), (1, 2), (2, 0))
    total = 9.81 * np.sum(x[:, 1])
    for i, j in edges:
        total = total + 5 * (np.linalg.norm(x[i] - x[j]) - 1) ** 2
    return total


@program(
    spring_network,
    box(TRIANGLE - 0.2, TRIANGLE + 0.2),
    ("10 * (length - 1)", "10 * length"),
    ("(2, 0)", "(2, 0)) if x[0, 0] < 0.19 else ((0, 1), (1, 2)"),
)
def spring_network_gradient(x):
    edges = ((0, 1), (1, 2), (2, 0))
    g = np.zeros_like(x)
    g[:, 1] = 9.81
    for i, j in edges:
        d = x[i] - x[j]
        length = np.linalg.norm(d)
        pull = 10 * (length - 1) * d / length
        g[i] += pull
        g[j] -= pull
    return g


def projectile_with_drag(p):
    x, y, u, v = 0.0, 0.0, p[0] * np.cos(p[1]), p[0] * np.sin(p[1])
    for _ in range(12):
        speed = np.sqrt(u**2 + v**2)
        x, y = x + 0.05 * u, y + 0.05 * v
        u, v = u - 0.05 * 0.1 * speed * u, v - 0.05 * (9.81 + 0.1 * speed * v)
    return (x - 3) ** 2 + y**2


@program(
    projectile_with_drag,
    box([3.0, 0.3], [8.0, 1.2]),
    ("(speed + u * u / speed)", "speed"),
    ("2 * (x - 3)", "2 * (x - 3.000001)"),
)
def projectile_with_drag_gradient(p):
    c, s = np.cos(p[1]), np.sin(p[1])
    x, y, u, v = 0.0, 0.0, p[0] * c, p[0] * s
    dx, dy = np.zeros(2), np.zeros(2)
    du, dv = np.array([c, -p[0] * s]), np.array([s, p[0] * c])
    for _ in range(12):
        speed = np.sqrt(u**2 + v**2)
        x, y, dx, dy = x + 0.05 * u, y + 0.05 * v, dx + 0.05 * du, dy + 0.05 * dv
        au = (speed + u * u / speed) * du + u * v / speed * dv
        av = (speed + v * v / speed) * dv + u * v / speed * du
        u, v = u - 0.005 * speed * u, v - 0.05 * 9.81 - 0.005 * speed * v
        du, dv = du - 0.005 * au, dv - 0.005 * av
    return 2 * (x - 3) * dx + 2 * y * dy


def langevin_magnet(x):
    near = np.abs(x) < 1e-3
    safe = np.where(near, 1.0, x)
    return np.where(near, x / 3, 1 / np.tanh(safe) - 1 / safe)


@program(
    langevin_magnet, box(0.3, 9), ("- 1 / np.sinh", "+ 1 / np.sinh"), ("x > 30, 30.0", "x > 8, 8.0")
)
def langevin_magnet_slope(x):
    return 1 / x**2 - 1 / np.sinh(np.where(x > 30, 30.0, x)) ** 2
