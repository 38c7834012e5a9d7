"""Programs of control and robotics: rollouts, costs to go, filters, kinematics, planning."""

from __future__ import annotations

import numpy as np

from benchmarks.corpus.registry import Group
from verify import box

CONTROL = Group("control programs")
program = CONTROL.program

F = np.array([[1.0, 0.1], [-0.2, 0.95]])
G = np.array([0.0, 0.1])
FIVE = box(-2, 2, shape=(5,))
TWO = box(-2, 2, shape=(2,))


def linear_rollout(u):
    x, cost = np.array([1.0, -0.5]), 0.0
    for k in range(5):
        x = F @ x + G * u[k]
        cost = cost + x @ x + 0.3 * u[k] ** 2
    return cost


@program(linear_rollout, FIVE, ("F.T", "F"), ("0.6 * u[k]", "0.6000001 * u[k]"))
def linear_rollout_adjoint(u):
    x, states = np.array([1.0, -0.5]), []
    for k in range(5):
        x = F @ x + G * u[k]
        states.append(x)
    b, g = np.zeros(2), np.zeros(5)
    for k in range(4, -1, -1):
        b = b + 2 * states[k]
        g[k] = G @ b + 0.6 * u[k]
        b = F.T @ b
    return g


def pendulum_swing(u):
    a, w, cost = 0.1, 0.0, 0.0
    for k in range(5):
        w = w + 0.2 * (np.sin(a) + u[k])
        a = a + 0.2 * w
        cost = cost + 1 - np.cos(a) + 0.05 * u[k] ** 2
    return cost


@program(
    pendulum_swing, FIVE, ("np.cos(before)", "1"), ("0.1 * u[k]", "0.1 * np.clip(u[k], -1.99, 2)")
)
def pendulum_swing_adjoint(u):
    a, w, angles = 0.1, 0.0, [0.1]
    for k in range(5):
        w = w + 0.2 * (np.sin(a) + u[k])
        a = a + 0.2 * w
        angles.append(a)
    ba, bw, g = 0.0, 0.0, np.zeros(5)
    for k in range(4, -1, -1):
        before = angles[k]
        ba = ba + np.sin(angles[k + 1])
        bw = bw + 0.2 * ba
        g[k] = 0.2 * bw + 0.1 * u[k]
        ba = ba + 0.2 * bw * np.cos(before)
    return g


def saturated_control(u):
    x = 0.5
    cost = 0.0
    for k in range(5):
        x = 0.9 * x + 0.3 * np.clip(u[k], -1, 1)
        cost = cost + x**2
    return cost


@program(saturated_control, FIVE, ("b = 0.9 * b", "b = b"), ("< 1", "< 0.99"))
def saturated_control_adjoint(u):
    x, states = 0.5, []
    for k in range(5):
        x = 0.9 * x + 0.3 * np.clip(u[k], -1, 1)
        states.append(x)
    b, g = 0.0, np.zeros(5)
    for k in reversed(range(5)):
        b = b + 2 * states[k]
        g[k] = 0.3 * b if abs(u[k]) < 1 else 0.0
        b = 0.9 * b
    return g


def gain_tuning(k):
    x, cost = np.array([1.0, 0.3]), 0.0
    for _ in range(6):
        u = -(k @ x)
        cost = cost + x @ x + 0.1 * u**2
        x = F @ x + G * u
    return cost


@program(gain_tuning, TWO, ("- G @ b", "+ G @ b"), ("0.2 * u", "0.2000002 * u"))
def gain_tuning_adjoint(k):
    x, kept = np.array([1.0, 0.3]), []
    for _ in range(6):
        u = -(k @ x)
        kept.append((x, u))
        x = F @ x + G * u
    b, g = np.zeros(2), np.zeros(2)
    for x, u in kept[::-1]:
        du = -0.2 * u - G @ b
        g += du * x
        b = F.T @ b + 2 * x + du * k
    return g


def quadrotor_hover(p):
    z, v, tilt = p
    thrust = 1.0 + 0.3 * (1 - z) - 0.6 * v
    return np.array([v, thrust * np.cos(tilt) - 1, thrust * np.sin(tilt)])


@program(
    quadrotor_hover,
    box(-1, 1, shape=(3,)),
    ("[-0.3 * s, -0.6 * s", "[0.3 * s, -0.6 * s"),
    ("0.6 * v", "0.6000001 * v"),
    quantity="jacobian",
)
def quadrotor_hover_jacobian(p):
    z, v, tilt = p
    c, s = np.cos(tilt), np.sin(tilt)
    thrust = 1.3 - 0.3 * z - 0.6 * v
    return np.array(
        [[0, 1, 0], [-0.3 * c, -0.6 * c, -thrust * s], [-0.3 * s, -0.6 * s, thrust * c]]
    )


def cart_pole(s):
    _, v, a, w = s
    sa, ca = np.sin(a), np.cos(a)
    bottom = 1.1 - 0.1 * ca**2
    acc = (0.05 * w**2 * sa - 0.981 * sa * ca) / bottom
    spin = (0.981 * 1.1 * sa / 0.1 - 0.05 * w**2 * sa * ca) / (0.5 * bottom)
    return np.array([v, acc, w, spin])


@program(
    cart_pole,
    box(-1, 1, shape=(4,)),
    ("2 * 0.1 * sa * ca", "0.1 * sa * ca"),
    ("0.1 * w * sa * ca", "0.1000001 * w * sa * ca"),
    quantity="jacobian",
)
def cart_pole_jacobian(s):
    _, _, a, w = s
    sa, ca = np.sin(a), np.cos(a)
    d = 1.1 - 0.1 * ca**2
    dd = 2 * 0.1 * sa * ca
    top = 0.05 * w**2 * sa - 0.981 * sa * ca
    spin = 10.791 * sa - 0.05 * w**2 * sa * ca
    j = np.zeros((4, 4))
    j[0, 1] = j[2, 3] = 1
    j[1, 2] = (0.05 * w**2 * ca - 0.981 * (ca**2 - sa**2)) / d - top * dd / d**2
    j[1, 3] = 0.1 * w * sa / d
    j[3, 2] = 2 * ((10.791 * ca - 0.05 * w**2 * (ca**2 - sa**2)) / d - spin * dd / d**2)
    j[3, 3] = -2 * (0.1 * w * sa * ca) / d
    return j


def bicycle_model(s):
    x, y, heading, speed = s
    slip = np.arctan(0.5 * np.tan(0.2))
    return np.array(
        [
            x + 0.1 * speed * np.cos(heading + slip),
            y + 0.1 * speed * np.sin(heading + slip),
            heading + 0.1 * speed * np.sin(slip) / 1.5,
            speed,
        ]
    )


@program(
    bicycle_model,
    box(-2, 2, shape=(4,)),
    ("-0.1 * s[3]", "0.1 * s[3]"),
    ("/ 15", "/ 15.00001"),
    quantity="jacobian",
)
def bicycle_model_jacobian(s):
    slip = np.arctan(0.5 * np.tan(0.2))
    c, sn = np.cos(s[2] + slip), np.sin(s[2] + slip)
    j = np.eye(4)
    j[:2, 2] = -0.1 * s[3] * sn, 0.1 * s[3] * c
    j[:3, 3] = 0.1 * c, 0.1 * sn, np.sin(slip) / 15
    return j


def extended_filter(p):
    mean, var = p[0], np.exp(p[1])
    predicted = mean + 0.1 * np.sin(mean)
    slope = 1 + 0.1 * np.cos(mean)
    var = slope**2 * var + 0.1
    gain = var * 2 * predicted / (4 * predicted**2 * var + 0.3)
    return predicted + gain * (1.0 - predicted**2)


@program(extended_filter, TWO, ("- predicted * 2 * gain", ""), ("0.02 * s", "0.02000001 * s"))
def extended_filter_gradient(p):
    mean, v0 = p[0], np.exp(p[1])
    predicted, slope = mean + 0.1 * np.sin(mean), 1 + 0.1 * np.cos(mean)
    s = np.sin(mean)
    var = slope**2 * v0 + 0.1
    dm = np.array([slope, 0.0])
    dvar = np.array([-0.02 * s * 10 * slope * v0, slope**2 * v0])
    bottom = 4 * predicted**2 * var + 0.3
    gain = 2 * var * predicted / bottom
    dbottom = 8 * predicted * var * dm + 4 * predicted**2 * dvar
    dgain = (2 * dvar * predicted + 2 * var * dm) / bottom - gain * dbottom / bottom
    return dm + dgain * (1 - predicted**2) - predicted * 2 * gain * dm
