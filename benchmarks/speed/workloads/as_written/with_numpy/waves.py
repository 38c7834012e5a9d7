"""Heat, water, lenses, films and gates, as users of NumPy write them."""

from __future__ import annotations

import numpy as np
import scipy.linalg


def thomas(a, b, c, d):
    n = len(b)
    cp, dp = [c[0] / b[0]], [d[0] / b[0]]
    for i in range(1, n):
        den = b[i] - a[i] * cp[-1]
        cp.append(c[i] / den)
        dp.append((d[i] - a[i] * dp[-1]) / den)
    x = [dp[-1]]
    for i in range(n - 2, -1, -1):
        x.append(dp[i] - cp[i] * x[-1])
    return np.stack(x[::-1])


def adi_heat(log_k, u0, target, dt=0.1, steps=5):
    k = np.exp(log_k)
    r = 0.5 * dt * k
    a, b, c = -r, 1 + 2 * r, -r
    u = u0
    for _ in range(steps):
        p = np.pad(u, 1)
        u = thomas(a, b, c, u + r * (p[1:-1, 2:] - 2 * u + p[1:-1, :-2]))
        p = np.pad(u, 1)
        u = thomas(a.T, b.T, c.T, (u + r * (p[2:, 1:-1] - 2 * u + p[:-2, 1:-1])).T).T
    return np.mean((u - target) ** 2)


class ShallowWater:
    def __init__(self, dx=1.0, dt=0.02, g=9.8, drag=0.01):
        self.dx, self.dt, self.g, self.drag = (dx, dt, g, drag)

    def ddx(self, q):
        return (np.roll(q, -1, 1) - np.roll(q, 1, 1)) / (2 * self.dx)

    def ddy(self, q):
        return (np.roll(q, -1, 0) - np.roll(q, 1, 0)) / (2 * self.dx)

    def step(self, h, u, v):
        dh = -(self.ddx(h * u) + self.ddy(h * v))
        du = -(u * self.ddx(u) + v * self.ddy(u) + self.g * self.ddx(h)) - self.drag * u
        dv = -(u * self.ddx(v) + v * self.ddy(v) + self.g * self.ddy(h)) - self.drag * v
        return h + self.dt * dh, u + self.dt * du, v + self.dt * dv


def shallow_water(h0, obs, mask):
    model = ShallowWater()
    h, u, v = 10 + h0, np.zeros_like(h0), np.zeros_like(h0)
    for _ in range(20):
        h, u, v = model.step(h, u, v)
    return 0.5 * np.sum((h[mask] - obs) ** 2)


def dg_advection(p, D, lift, J, target, steps=40):
    u = p["u0"]
    a = p["speed"]
    dt = 0.004

    def rhs(u):
        jump = np.zeros((2, u.shape[1]))
        jump[0] = u[0] - np.roll(u[-1], 1)
        return a * (-(D @ u) * J - lift @ jump * J)

    for _ in range(steps):
        u1 = u + dt * rhs(u)
        u2 = 0.75 * u + 0.25 * (u1 + dt * rhs(u1))
        u = u / 3 + 2 / 3 * (u2 + dt * rhs(u2))
    return np.sum((u - target) ** 2)


def refract(d, n, eta):
    cosi = -np.sum(d * n, axis=1)
    k = 1 - eta**2 * (1 - cosi**2)
    return eta * d + (eta * cosi - np.sqrt(np.maximum(k, 1e-09)))[:, None] * n


def trace_surface(o, d, z, curv, eta):
    R = 1 / curv
    centre = np.array([0.0, 0.0, 0.0]) + np.array([0, 0, 1]) * (z + R)
    oc = o - centre
    b = np.sum(oc * d, axis=1)
    disc = b**2 - np.sum(oc**2, axis=1) + R**2
    t = -b - np.sign(R) * np.sqrt(np.maximum(disc, 1e-09))
    hit = o + t[:, None] * d
    return hit, refract(d, (hit - centre) / R, eta)


def lens_rays(p, o, d, index):
    z = 0.0
    for c, gap, n1, n2 in zip(p["curv"], p["gap"], index[:-1], index[1:]):
        o, d = trace_surface(o, d, z, c, n1 / n2)
        z = z + gap
    t = (p["sensor"] + z - o[:, 2]) / d[:, 2]
    spot = o[:, :2] + t[:, None] * d[:, :2]
    return np.sum(np.var(spot, axis=0))


def grape(H0, Hc, target, dt):

    def infidelity(u):
        U = np.eye(len(H0), dtype=complex)
        for amps in u:
            H = H0 + sum((a * h for a, h in zip(amps, Hc)))
            U = scipy.linalg.expm(-1j * dt * H) @ U
        f = np.abs(np.trace(target.conj().T @ U)) ** 2 / len(H0) ** 2
        return 1 - f + 0.001 * np.sum(u**2)

    return infidelity


def ry(t):
    return np.array([[np.cos(t / 2), -np.sin(t / 2)], [np.sin(t / 2), np.cos(t / 2)]])


def rz(t):
    return np.array([[np.exp(-0.5j * t), 0], [0, np.exp(0.5j * t)]])


def apply_gate(state, gate, q):
    return np.moveaxis(np.tensordot(gate, state, axes=(1, q)), 0, q)


def cz(state, q1, q2):
    n = state.ndim
    sign = np.ones((2,) * n)
    idx = [slice(None)] * n
    idx[q1] = idx[q2] = 1
    sign[tuple(idx)] = -1
    return state * sign


def vqc(theta, J):
    layers, n, _ = theta.shape
    state = np.zeros((2,) * n, dtype=complex)
    state[(0,) * n] = 1.0
    for layer in theta:
        for q in range(n):
            state = apply_gate(state, rz(layer[q, 1]) @ ry(layer[q, 0]), q)
        for q in range(n - 1):
            state = cz(state, q, q + 1)
    prob = np.abs(state) ** 2
    energy = 0.0
    for q in range(n - 1):
        m = prob.sum(axis=tuple(k for k in range(n) if k not in (q, q + 1)))
        energy += J[q] * (m[0, 0] + m[1, 1] - m[0, 1] - m[1, 0])
    return energy


def chan_vese(phi, img, eps=1.0):
    H = 0.5 * (1 + 2 / np.pi * np.arctan(phi / eps))
    c1 = np.sum(img * H) / np.sum(H)
    c2 = np.sum(img * (1 - H)) / np.sum(1 - H)
    gy, gx = np.gradient(H)
    length = np.sum(np.sqrt(gx**2 + gy**2 + 1e-08))
    return np.sum((img - c1) ** 2 * H + (img - c2) ** 2 * (1 - H)) + 0.1 * length


def thin_film(d, n_idx, wl, target):
    k = 2 * np.pi / wl
    M = np.tile(np.eye(2, dtype=complex), (len(wl), 1, 1))
    for t, n in zip(d, n_idx):
        delta = k * n * t
        c, s = np.cos(delta), np.sin(delta)
        L = np.empty((len(wl), 2, 2), dtype=complex)
        L[:, 0, 0] = c
        L[:, 0, 1] = 1j * s / n
        L[:, 1, 0] = 1j * n * s
        L[:, 1, 1] = c
        M = M @ L
    num = M[:, 0, 0] + M[:, 0, 1] * 1.52 - M[:, 1, 0] - M[:, 1, 1] * 1.52
    den = M[:, 0, 0] + M[:, 0, 1] * 1.52 + M[:, 1, 0] + M[:, 1, 1] * 1.52
    return np.mean((np.abs(num / den) ** 2 - target) ** 2)
