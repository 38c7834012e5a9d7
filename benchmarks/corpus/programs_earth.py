"""Programs of geophysics and astronomy groups: travel times, orbits, spectra, climate, tides."""

from __future__ import annotations

import numpy as np

from benchmarks.corpus.registry import Group
from verify import box

EARTH = Group("geophysics programs")
SKY = Group("astronomy programs")
program, sky = EARTH.program, SKY.program

STATIONS = np.array([[0.0, 0.0], [3.0, 0.5], [1.0, 2.5], [2.5, 3.0]])
ARRIVALS = np.array([1.2, 0.9, 0.8, 1.1])
THREE = box(0.2, 2, shape=(3,))


def earthquake_location(p):
    d = np.sqrt((p[0] - STATIONS[:, 0]) ** 2 + (p[1] - STATIONS[:, 1]) ** 2 + 0.25)
    return np.sum((p[2] + d / 2.5 - ARRIVALS) ** 2)


@program(
    earthquake_location,
    box([1, 1, -0.5], [2, 2, 0.5]),
    ("0.8 *", "0.4 *"),
    ("+ 0.25)", "+ 0.2500001)"),
)
def earthquake_location_gradient(p):
    delta = p[:2] - STATIONS
    d = np.sqrt(np.sum(delta**2, axis=1) + 0.25)
    r = p[2] + 0.4 * d - ARRIVALS
    return np.append(0.8 * (r / d) @ delta, 2 * np.sum(r))


def layered_travel_time(s):
    thickness = np.array([0.5, 1.0, 1.5])
    sines = 0.3 / s
    return np.sum(thickness * s / np.sqrt(1 - sines**2))


@program(
    layered_travel_time,
    box(0.6, 2, shape=(3,)),
    ("- 0.09 / s**2 / c**3", "+ 0.09 / s**2 / c**3"),
    ("0.09 /", "0.09000009 /"),
)
def layered_travel_time_gradient(s):
    c = np.sqrt(1 - (0.3 / s) ** 2)
    return np.array([0.5, 1.0, 1.5]) * (1 / c - 0.09 / s**2 / c**3)


def straight_ray_tomography(m):
    paths = np.array([[1.0, 0, 1, 0], [0, 1, 0, 1], [1, 1, 0, 0], [0.7, 0.7, 0.7, 0.7]])
    r = paths @ np.exp(m) - ARRIVALS
    return 0.5 * r @ r + 0.1 * np.sum(np.diff(m) ** 2)


@program(
    straight_ray_tomography,
    box(-1, 1, shape=(4,)),
    ("g[:-1] -= d", "g[:-1] += d"),
    ("0.2 *", "0.2000002 *"),
)
def straight_ray_tomography_gradient(m):
    paths = np.array([[1.0, 0, 1, 0], [0, 1, 0, 1], [1, 1, 0, 0], [0.7, 0.7, 0.7, 0.7]])
    e = np.exp(m)
    g = e * (paths.T @ (paths @ e - ARRIVALS))
    d = 0.2 * np.diff(m)
    g[1:] += d
    g[:-1] -= d
    return g


def gravity_anomaly(p):
    x = np.linspace(-2, 2, 7)
    model = p[2] * p[1] / ((x - p[0]) ** 2 + p[1] ** 2) ** 1.5
    return np.sum((model - 0.3 * np.exp(-(x**2))) ** 2)


@program(
    gravity_anomaly,
    box([-1, 0.5, 0.2], [1, 2, 2]),
    ("3 * p[2] * p[1] * d", "1.5 * p[2] * p[1] * d"),
    ("3 * p[1] ** 2", "3.000001 * p[1] ** 2"),
)
def gravity_anomaly_gradient(p):
    x = np.linspace(-2, 2, 7)
    d = x - p[0]
    q = d**2 + p[1] ** 2
    r = 2 * (p[2] * p[1] / q**1.5 - 0.3 * np.exp(-(x**2)))
    by_depth = p[2] * (q - 3 * p[1] ** 2) / q**2.5
    return np.array([r @ (3 * p[2] * p[1] * d / q**2.5), r @ by_depth, r @ (p[1] / q**1.5)])


def wave_equation(c):
    before = now = np.exp(-((np.arange(8) - 3.5) ** 2))
    for _ in range(6):
        lap = np.roll(now, 1) - 2 * now + np.roll(now, -1)
        before, now = now, 2 * now - before + 0.1 * c**2 * lap
    return np.sum(now[:2] ** 2)


@program(
    wave_equation, box(0.3, 1.5, shape=(8,)), ("- after", "+ after"), ("0.2 * c", "0.2000002 * c")
)
def wave_equation_adjoint(c):
    def laplacian(u):
        return np.roll(u, 1) - 2 * u + np.roll(u, -1)

    states = [np.exp(-((np.arange(8) - 3.5) ** 2))] * 2
    for _ in range(6):
        states.append(2 * states[-1] - states[-2] + 0.1 * c**2 * laplacian(states[-1]))
    b = np.zeros(8)
    b[:2] = 2 * states[-1][:2]
    after, g = np.zeros(8), np.zeros(8)
    for now in states[-2:0:-1]:
        g += 0.2 * c * laplacian(now) * b
        b, after = 2 * b + laplacian(0.1 * c**2 * b) - after, b
    return g


def groundwater_head(k):
    a = np.zeros((4, 4))
    for i in range(3):
        a[i, i] += k[i]
        a[i + 1, i + 1] += k[i]
        a[i, i + 1] -= k[i]
        a[i + 1, i] -= k[i]
    a = a + np.diag([1.0, 0, 0, 1.0])
    h = np.linalg.solve(a, np.array([1.0, 0.3, 0.1, 0.0]))
    return np.sum(h**2)


@program(groundwater_head, THREE, ("-(h[i]", "(h[i]"), ("0.3, 0.1", "0.3000003, 0.1"))
def groundwater_head_adjoint(k):
    a = np.diag([1.0 + k[0], k[0] + k[1], k[1] + k[2], 1.0 + k[2]])
    a -= np.diag(k, 1) + np.diag(k, -1)
    h = np.linalg.solve(a, [1.0, 0.3, 0.1, 0.0])
    z = np.linalg.solve(a.T, 2 * h)
    return np.array([-(h[i] - h[i + 1]) * (z[i] - z[i + 1]) for i in range(3)])


def variogram_fit(p):
    h = np.array([0.2, 0.5, 1.0, 1.5, 2.5])
    u = np.minimum(h / p[1], 1)
    model = p[0] * (1.5 * u - 0.5 * u**3)
    return np.sum((model - np.array([0.2, 0.5, 0.8, 0.9, 1.0])) ** 2)


@program(
    variogram_fit,
    box([0.5, 0.6], [2, 2.4]),
    ("-1.5 * u", "1.5 * u"),
    ("h < p[1]", "h < p[1] - 0.01"),
)
def variogram_fit_gradient(p):
    h = np.array([0.2, 0.5, 1.0, 1.5, 2.5])
    inside = h < p[1]
    u = np.minimum(h / p[1], 1)
    shape = 1.5 * u - 0.5 * u**3
    r = 2 * (p[0] * shape - np.array([0.2, 0.5, 0.8, 0.9, 1.0]))
    by_range = np.where(inside, -1.5 * u * (1 - u**2) / p[1], 0.0)
    return np.array([r @ shape, p[0] * (r @ by_range)])


def energy_balance(t):
    albedo = 0.45 - 0.15 * np.tanh((t - 273) / 10)
    return 340 * (1 - albedo) - 0.61 * 5.67e-8 * t**4


@program(energy_balance, box(220, 320), ("5.1 *", "0.51 *"), ("2.44 *", "2.440002 *"))
def energy_balance_slope(t):
    th = np.tanh((t - 273) / 10)
    return 5.1 * (1 - th**2) - 2.44 * 5.67e-8 * t**3


def stommel_box(s):
    flow = np.abs(0.6 + s[0] - 2 * s[1])
    return np.array([1 - s[0] * (1 + flow), 0.3 - s[1] * (0.5 + flow)])


@program(
    stommel_box, THREE, ("2 * sign * s[0]", "sign * s[0]"), ("0.6 +", "0.61 +"), quantity="jacobian"
)
def stommel_box_jacobian(s):
    q = 0.6 + s[0] - 2 * s[1]
    sign, flow = np.sign(q), np.abs(q)
    j = np.zeros((2, 3))
    j[0, :2] = -(1 + flow) - sign * s[0], 2 * sign * s[0]
    j[1, :2] = -sign * s[1], -(0.5 + flow) + 2 * sign * s[1]
    return j


def shallow_water(u):
    h, q = u[:4] + 2, u[4:]
    flux = q**2 / h + 4.905 * h**2
    return np.sum(np.roll(flux, -1) * np.array([0.1, 0.3, 0.6, 0.2]))


@program(
    shallow_water,
    box(-1, 1, shape=(8,)),
    ("np.roll(w, 1)", "np.roll(w, -1)"),
    ("9.81 * h", "9.81001 * h"),
)
def shallow_water_gradient(u):
    h, q = u[:4] + 2, u[4:]
    w = np.array([0.1, 0.3, 0.6, 0.2])
    b = np.roll(w, 1)
    return np.concatenate([b * (9.81 * h - q**2 / h**2), 2 * b * q / h])


def tidal_fit(p):
    t = np.arange(8) * 0.7
    model = p[0] * np.cos(t - p[1]) + p[2]
    return np.mean((model - np.sin(0.9 * t)) ** 2)


@program(
    tidal_fit, box(-2, 2, shape=(3,)), ("p[0] * np.sin", "-p[0] * np.sin"), ("* 0.7", "* 0.7000001")
)
def tidal_fit_gradient(p):
    t = np.arange(8) * 0.7
    r = (p[0] * np.cos(t - p[1]) + p[2] - np.sin(0.9 * t)) / 4
    return np.array([r @ np.cos(t - p[1]), r @ (p[0] * np.sin(t - p[1])), r.sum()])


def ice_flow(h):
    surface = h + np.linspace(1, 0, 6)
    slope = np.diff(surface)
    thick = 0.5 * (h[1:] + h[:-1])
    return np.sum(thick**5 * slope**4)


@program(
    ice_flow, box(0.2, 1.5, shape=(6,)), ("4 * thick**5", "3 * thick**5"), ("2.5 *", "2.5000025 *")
)
def ice_flow_gradient(h):
    slope = np.diff(h + np.linspace(1, 0, 6))
    thick = 0.5 * (h[1:] + h[:-1])
    by_slope = 4 * thick**5 * slope**3
    by_thick = 2.5 * thick**4 * slope**4
    return np.append(0.0, by_slope + by_thick) + np.append(by_thick - by_slope, 0.0)
