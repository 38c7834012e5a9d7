"""More programs of control: planning, arms, filters, tuning."""

from __future__ import annotations

import numpy as np

from benchmarks.corpus.registry import Group
from verify import box

CONTROL = Group("control programs")
program = CONTROL.program

TWO = box(-2, 2, shape=(2,))


def obstacle_cost(path):
    points = path.reshape(3, 2)
    centre = np.array([0.3, 0.6])
    gap = 0.9 - np.sqrt(np.sum((points - centre) ** 2, axis=1) + 0.01)
    smooth = np.sum(np.diff(points, axis=0) ** 2)
    return np.sum(np.maximum(gap, 0) ** 2) + 0.1 * smooth


@program(
    obstacle_cost,
    box(-1, 1, shape=(6,)),
    ("-2 * np.maximum", "2 * np.maximum"),
    ("np.maximum(gap, 0)", "np.where(gap > 0.02, gap, 0)"),
)
def obstacle_cost_gradient(path):
    points = path.reshape(3, 2)
    d = points - np.array([0.3, 0.6])
    r = np.sqrt(np.sum(d**2, axis=1) + 0.01)
    gap = 0.9 - r
    g = -2 * np.maximum(gap, 0)[:, None] * d / r[:, None]
    step = 0.2 * np.diff(points, axis=0)
    g[1:] += step
    g[:-1] -= step
    return g.ravel()


def minimum_jerk(p):
    jerk = p[3:] - 3 * p[2:-1] + 3 * p[1:-2] - p[:-3]
    return np.sum(jerk**2)


@program(
    minimum_jerk,
    box(-2, 2, shape=(7,)),
    ("[1.0, -3.0, 3.0, -1.0]", "[-1.0, 3.0, -3.0, 1.0]"),
    ("2 * np.convolve", "2.000001 * np.convolve"),
)
def minimum_jerk_gradient(p):
    return 2 * np.convolve(np.diff(p, 3), [1.0, -3.0, 3.0, -1.0][::-1])


def arm_reaching(q):
    angles = np.cumsum(q)
    tip = np.array([np.sum(np.cos(angles)), np.sum(np.sin(angles))])
    limit = np.maximum(np.abs(q) - 1.5, 0)
    return np.sum((tip - np.array([1.0, 1.5])) ** 2) + 10 * np.sum(limit**2)


@program(
    arm_reaching, box(-2, 2, shape=(3,)), ("-2 * e[0]", "2 * e[0]"), ("1.5, 0)", "1.500001, 0)")
)
def arm_reaching_gradient(q):
    a = np.cumsum(q)
    e = np.array([np.cos(a).sum(), np.sin(a).sum()]) - np.array([1.0, 1.5])
    by_angle = -2 * e[0] * np.sin(a) + 2 * e[1] * np.cos(a)
    g = np.cumsum(by_angle[::-1])[::-1]
    return g + 20 * np.sign(q) * np.maximum(np.abs(q) - 1.5, 0)


def log_barrier_mpc(u):
    x = 0.2
    cost = 0.0
    for k in range(5):
        x = x + 0.1 * u[k]
        cost = cost + x**2 - 0.01 * np.log(1 - u[k] ** 2)
    return cost


@program(
    log_barrier_mpc,
    box(-0.95, 0.95, shape=(5,)),
    ("[::-1])[::-1]", ")"),
    ("0.02 * u", "0.0200001 * u"),
)
def log_barrier_mpc_gradient(u):
    x = 0.2 + 0.1 * np.cumsum(u)
    later = np.cumsum(x[::-1])[::-1]
    return 0.2 * later + 0.02 * u / (1 - u**2)


def low_pass(c):
    y, loss = 0.0, 0.0
    for t, target in zip((0.0, 1.0, 1.0, 0.0, 1.0), (0.0, 0.3, 0.6, 0.5, 0.6), strict=True):
        y = y + c * (t - y)
        loss = loss + (y - target) ** 2
    return loss


@program(low_pass, box(0.05, 0.95), ("- c * dy", ""), ("0.5, 0.6)", "0.5, 0.6000006)"))
def low_pass_slope(c):
    y, dy, g = 0.0, 0.0, 0.0
    for t, target in zip((0.0, 1.0, 1.0, 0.0, 1.0), (0.0, 0.3, 0.6, 0.5, 0.6), strict=True):
        dy = dy + (t - y) - c * dy
        y = y + c * (t - y)
        g += 2 * (y - target) * dy
    return g


def pid_tuning(k):
    x, v, integral, before, cost = 0.0, 0.0, 0.0, 1.0, 0.0
    for _ in range(8):
        e = 1 - x
        integral = integral + 0.1 * e
        u = k[0] * e + k[1] * integral + k[2] * (e - before)
        v = v + 0.1 * (u - v)
        x = x + 0.1 * v
        cost, before = cost + e**2, e
    return cost


@program(
    pid_tuning,
    box(0, 3, shape=(3,)),
    ("e - before]", "e]"),
    ("range(8)", "range(8 - (k[2] > 2.99))"),
)
def pid_tuning_gradient(k):
    x, v, integral, before = 0.0, 0.0, 0.0, 1.0
    dx, dv, di, db, g = (np.zeros(3) for _ in range(5))
    for _ in range(8):
        e, de = 1 - x, -dx
        g = g + 2 * e * de
        integral, di = integral + 0.1 * e, di + 0.1 * de
        u = k[0] * e + k[1] * integral + k[2] * (e - before)
        du = np.array([e, integral, e - before]) + k[0] * de + k[1] * di + k[2] * (de - db)
        v, dv = v + 0.1 * (u - v), dv + 0.1 * (du - dv)
        x, dx = x + 0.1 * v, dx + 0.1 * dv
        before, db = e, de
    return g


def friction_slide(p):
    x, v = p
    for _ in range(4):
        v = v - 0.1 * (x + 0.3 * np.tanh(v / 0.1))
        x = x + 0.1 * v
    return x**2 + v**2


@program(friction_slide, TWO, ("1 - 0.3 *", "1 + 0.3 *"), ("+ 2 * v", "+ 2.000002 * v"))
def friction_slide_gradient(p):
    x, v = p
    slopes = []
    for _ in range(4):
        t = np.tanh(v / 0.1)
        slopes.append(1 - 0.3 * (1 - t * t))
        v = v - 0.1 * (x + 0.3 * t)
        x = x + 0.1 * v
    b = np.array([2 * x, 0.0])
    b[1] = b[1] + 2 * v
    for s in slopes[::-1]:
        b[1] += 0.1 * b[0]
        b = np.array([b[0] - 0.1 * b[1], s * b[1]])
    return b


def wrap_tracking(s):
    d = s[0] - 0.3
    error = np.arctan2(np.sin(d), np.cos(d))
    return error**2 + 0.1 * s[1] ** 2


@program(
    wrap_tracking, box(-2.5, 2.5, shape=(2,)), ("2 * error", "error"), ("0.2 *", "0.2000002 *")
)
def wrap_tracking_gradient(s):
    d = s[0] - 0.3
    error = np.arctan2(np.sin(d), np.cos(d))
    return np.array([2 * error, 0.2 * s[1]])


def formation_keeping(x):
    links = ((0, 1, 1.0), (1, 2, 1.0), (0, 2, 1.5))
    total = 0.0
    for i, j, d in links:
        total = total + (np.sum((x[i] - x[j]) ** 2) - d**2) ** 2
    return total / 4


@program(formation_keeping, box(-2, 2, shape=(3, 2)), ("g[j] -=", "g[j] +="), ("1.5)", "1.500001)"))
def formation_keeping_gradient(x):
    links = ((0, 1, 1.0), (1, 2, 1.0), (0, 2, 1.5))
    g = np.zeros_like(x)
    for i, j, d in links:
        e = x[i] - x[j]
        g[i] += (e @ e - d**2) * e
        g[j] -= (e @ e - d**2) * e
    return g
