"""Trusses, grids, graphs of poses and orbits, as users of NumPy write them."""

from __future__ import annotations

import numpy as np


class Grid:
    def __init__(self, branches, n):
        self.n = n
        self.Y = np.zeros((n, n), dtype=complex)
        for i, j, r, x, b in branches:
            i, j = int(i), int(j)
            y = 1 / (r + 1j * x)
            self.Y[i, i] += y + 0.5j * b
            self.Y[j, j] += y + 0.5j * b
            self.Y[i, j] -= y
            self.Y[j, i] -= y

    def injections(self, theta, vm):
        V = vm * np.exp(1j * theta)
        return V * np.conj(self.Y @ V)


def power_flow(branches, load):
    grid = Grid(branches, len(load))

    def mismatch(x):
        theta = np.concatenate([[0.0], x["theta"]])
        S = grid.injections(theta, x["vm"])
        res = S - load
        return np.sum(res.real**2 + res.imag**2) + 0.1 * np.sum((x["vm"] - 1) ** 2)

    return mismatch


def ac_ladder(logp, freqs, target_db):
    R, L, C = np.exp(logp)
    n = len(R)
    w = 2 * np.pi * freqs
    Y = np.zeros((len(freqs), n, n), dtype=complex)
    for k in range(n):
        ys = 1 / (R[k] + 1j * w * L[k])
        yc = 1j * w * C[k]
        Y[:, k, k] += ys + yc
        if k > 0:
            Y[:, k - 1, k - 1] += ys
            Y[:, k, k - 1] -= ys
            Y[:, k - 1, k] -= ys
    rhs = np.zeros((len(freqs), n, 1), dtype=complex)
    rhs[:, 0, 0] = 1 / (R[0] + 1j * w * L[0])
    v = np.linalg.solve(Y, rhs)[:, :, 0]
    return np.mean((20 * np.log10(np.abs(v[:, -1])) - target_db) ** 2)


class Truss:
    def __init__(self, nodes, bars, fixed, loads, E=210000.0):
        self.nodes, self.bars, self.loads, self.E = (nodes, bars, loads, E)
        self.free = np.setdiff1d(np.arange(nodes.size), fixed)

    def stiffness(self, areas, nodes):
        K = np.zeros((nodes.size, nodes.size))
        for a, (i, j) in zip(areas, self.bars):
            d = nodes[j] - nodes[i]
            l = np.sqrt(d @ d)
            c = d / l
            k = self.E * a / l * np.outer(c, c)
            dof = np.array([2 * i, 2 * i + 1, 2 * j, 2 * j + 1])
            K[np.ix_(dof, dof)] += np.block([[k, -k], [-k, k]])
        return K

    def compliance(self, areas, nodes):
        K = self.stiffness(areas, nodes)[np.ix_(self.free, self.free)]
        f = self.loads[self.free]
        return f @ np.linalg.solve(K, f)


def truss(nodes, bars, fixed, loads):
    t = Truss(nodes, bars, fixed, loads)

    def objective(x):
        moved = nodes.copy()
        moved[2:6, 1] = x["y"]
        return t.compliance(np.exp(x["log_a"]), moved) + 0.01 * np.sum(np.exp(x["log_a"]))

    return objective


def fem_poisson(log_k, pts, tri, interior, obs):
    k = np.exp(log_k)
    p = pts[tri]
    e = np.stack([p[:, 2] - p[:, 1], p[:, 0] - p[:, 2], p[:, 1] - p[:, 0]], axis=1)
    area = 0.5 * np.abs(e[:, 0, 0] * e[:, 1, 1] - e[:, 0, 1] * e[:, 1, 0])
    ke = k[:, None, None] * np.einsum("eid,ejd->eij", e, e) / (4 * area)[:, None, None]
    n = len(pts)
    K = np.zeros((n, n))
    rows = np.repeat(tri, 3, axis=1)
    cols = np.tile(tri, (1, 3))
    np.add.at(K, (rows, cols), ke.reshape(len(tri), 9))
    f = np.zeros(n)
    np.add.at(f, tri, (area / 3)[:, None])
    u = np.zeros(n)
    u[interior] = np.linalg.solve(K[np.ix_(interior, interior)], f[interior])
    return 0.5 * np.sum((u - obs) ** 2) + 0.0001 * np.sum(log_k**2)


def contact_springs(p, x0, edges, rest, steps=40, dt=0.01):
    x, v = x0.copy(), np.zeros_like(x0)
    i, j = edges[:, 0], edges[:, 1]
    k = np.exp(p["log_k"])
    for _ in range(steps):
        d = x[j] - x[i]
        l = np.sqrt(np.sum(d**2, axis=1))
        f = (k * (l - rest) / l)[:, None] * d
        force = np.zeros_like(x)
        np.add.at(force, i, f)
        np.add.at(force, j, -f)
        force[:, 1] -= 9.8
        depth = np.maximum(-x[:, 1], 0.0)
        force[:, 1] += np.exp(p["log_c"]) * depth
        v = 0.99 * (v + dt * force)
        x = x + dt * v
    return np.mean((x.mean(axis=0) - np.array([0.5, 0.3])) ** 2)


def wrap(a):
    return np.arctan2(np.sin(a), np.cos(a))


def pose_graph(poses, edges, meas, info):
    i, j = edges.T
    pi, pj = poses[i], poses[j]
    c, s = np.cos(pi[:, 2]), np.sin(pi[:, 2])
    dx, dy = pj[:, 0] - pi[:, 0], pj[:, 1] - pi[:, 1]
    e = np.empty((len(edges), 3))
    e[:, 0] = c * dx + s * dy - meas[:, 0]
    e[:, 1] = -s * dx + c * dy - meas[:, 1]
    e[:, 2] = wrap(pj[:, 2] - pi[:, 2] - meas[:, 2])
    chi = np.einsum("ni,nij,nj->n", e, info, e)
    return np.sum(np.log1p(chi)) + 100 * np.sum(poses[0] ** 2)


def accel(r, mu, J2=0.00108263):
    d = np.linalg.norm(r)
    z = 5 * (r[2] / d) ** 2
    j = 1.5 * J2 / d**2
    return -mu * r / d**3 * (1 - j * np.array([z - 1, z - 1, z - 3]))


def rk4(f, y, h):
    k1 = f(y)
    k2 = f(y + h / 2 * k1)
    k3 = f(y + h / 2 * k2)
    k4 = f(y + h * k3)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def orbit_fit(y0, station, ranges, sigma):
    f = lambda y: np.concatenate([y[3:], accel(y[:3], 1.0)])
    y, chi2 = y0, 0.0
    for s, rho in zip(station, ranges):
        for _ in range(4):
            y = rk4(f, y, 0.02)
        chi2 += ((np.linalg.norm(y[:3] - s) - rho) / sigma) ** 2
    return chi2


def gps(x, sats, pr, valid):
    pos, clock = x["pos"], x["clock"]
    d = sats - pos[:, None, :]
    rng = np.sqrt((d**2).sum(-1))
    tau = rng / 299792.458
    om = 7.2921e-05 * tau
    rx = sats[..., 0] * np.cos(om) + sats[..., 1] * np.sin(om) - pos[:, None, 0]
    ry_ = -sats[..., 0] * np.sin(om) + sats[..., 1] * np.cos(om) - pos[:, None, 1]
    rz_ = sats[..., 2] - pos[:, None, 2]
    res = (pr - np.sqrt(rx**2 + ry_**2 + rz_**2) - clock[:, None])[valid]
    huber = np.where(np.abs(res) < 1.0, 0.5 * res**2, np.abs(res) - 0.5)
    return huber.sum() + 0.5 * np.sum(np.diff(pos, 2, axis=0) ** 2)
