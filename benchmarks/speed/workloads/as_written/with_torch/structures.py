"""Trusses, grids, graphs of poses and orbits, as users of PyTorch write them."""

from __future__ import annotations

import math

import torch

pi = math.pi


def truss(nodes, bars, fixed, loads, E=210e3):
    keep = torch.ones(nodes.numel(), dtype=torch.bool)
    keep[fixed] = False
    free = torch.nonzero(keep)[:, 0]
    i, j = bars.T
    dof = torch.stack([2 * i, 2 * i + 1, 2 * j, 2 * j + 1], 1)
    f = loads[free]

    def objective(x):
        moved = nodes.clone()
        moved[2:6, 1] = x["y"]
        areas = torch.exp(x["log_a"])
        d = moved[j] - moved[i]
        l = torch.linalg.norm(d, dim=1)
        c = d / l[:, None]
        k = (E * areas / l)[:, None, None] * c[:, :, None] * c[:, None, :]
        ke = torch.cat([torch.cat([k, -k], 2), torch.cat([-k, k], 2)], 1)
        K = torch.zeros(nodes.numel(), nodes.numel())
        K = K.index_put((dof[:, :, None], dof[:, None, :]), ke, accumulate=True)
        K = K[free][:, free]
        return f @ torch.linalg.solve(K, f) + 0.01 * areas.sum()

    return objective


def fem_poisson(log_k, pts, tri, interior, obs):
    k = torch.exp(log_k)
    p = pts[tri]
    e = torch.stack([p[:, 2] - p[:, 1], p[:, 0] - p[:, 2], p[:, 1] - p[:, 0]], dim=1)
    area = 0.5 * torch.abs(e[:, 0, 0] * e[:, 1, 1] - e[:, 0, 1] * e[:, 1, 0])
    ke = (k / (4 * area))[:, None, None] * (e @ e.mT)
    n = len(pts)
    K = torch.zeros(n, n)
    K = K.index_put((tri[:, :, None], tri[:, None, :]), ke, accumulate=True)
    f = torch.zeros(n).index_add(0, tri.ravel(), (area / 3).repeat_interleave(3))
    u = torch.zeros(n)
    u[interior] = torch.linalg.solve(K[interior][:, interior], f[interior])
    return 0.5 * torch.sum((u - obs) ** 2) + 1e-4 * torch.sum(log_k**2)


def contact_springs(p, x0, edges, rest, steps=40, dt=0.01):
    x, v = x0, torch.zeros_like(x0)
    i, j = edges.T
    k, contact = torch.exp(p["log_k"]), torch.exp(p["log_c"])
    gravity = torch.tensor([0.0, -9.8])
    up = torch.tensor([0.0, 1.0])
    for _ in range(steps):
        d = x[j] - x[i]
        l = torch.linalg.norm(d, dim=1)
        f = (k * (l - rest) / l)[:, None] * d
        force = torch.zeros_like(x).index_add(0, i, f).index_add(0, j, -f)
        force = force + gravity + contact * torch.relu(-x[:, 1])[:, None] * up
        v = 0.99 * (v + dt * force)
        x = x + dt * v
    return torch.mean((x.mean(0) - torch.tensor([0.5, 0.3])) ** 2)


def power_flow(branches, load):
    n = len(load)
    i, j = branches[:, :2].long().T
    y = 1 / torch.complex(branches[:, 2], branches[:, 3])
    shunt = y + 0.5j * branches[:, 4]
    Y = torch.zeros(n, n, dtype=torch.complex128)
    for rows, columns, value in ((i, i, shunt), (j, j, shunt), (i, j, -y), (j, i, -y)):
        Y.index_put_((rows, columns), value, accumulate=True)

    def mismatch(x):
        theta = torch.cat([torch.zeros(1), x["theta"]])
        V = torch.polar(x["vm"], theta)
        res = V * torch.conj(Y @ V) - load
        return torch.sum(res.real**2 + res.imag**2) + 0.1 * torch.sum((x["vm"] - 1) ** 2)

    return mismatch


def ac_ladder(logp, freqs, target_db):
    R, L, C = torch.exp(logp)
    w = 2 * pi * freqs[:, None]
    ys = 1 / (R + 1j * w * L)
    diagonal = ys + 1j * w * C
    between = ys[:, 1:]
    diagonal = diagonal + torch.cat([between, torch.zeros_like(ys[:, :1])], 1)
    Y = torch.diag_embed(diagonal)
    Y = Y - torch.diag_embed(between, 1) - torch.diag_embed(between, -1)
    rhs = torch.cat([ys[:, :1], torch.zeros_like(between)], 1)
    v = torch.linalg.solve(Y, rhs)
    return torch.mean((20 * torch.log10(torch.abs(v[:, -1])) - target_db) ** 2)


def pose_graph(poses, edges, meas, info):
    i, j = edges.T
    a, b = poses[i], poses[j]
    c, s = torch.cos(a[:, 2]), torch.sin(a[:, 2])
    d = b - a
    turn = d[:, 2] - meas[:, 2]
    e = torch.stack(
        [
            c * d[:, 0] + s * d[:, 1] - meas[:, 0],
            -s * d[:, 0] + c * d[:, 1] - meas[:, 1],
            torch.atan2(torch.sin(turn), torch.cos(turn)),
        ],
        1,
    )
    chi = torch.einsum("ni,nij,nj->n", e, info, e)
    return torch.sum(torch.log1p(chi)) + 100 * torch.sum(poses[0] ** 2)


def gps(x, sats, pr, valid):
    pos, clock = x["pos"], x["clock"]
    rng = torch.linalg.norm(sats - pos[:, None, :], dim=-1)
    om = 7.2921e-5 * rng / 299792.458
    c, s = torch.cos(om), torch.sin(om)
    rx = sats[..., 0] * c + sats[..., 1] * s - pos[:, None, 0]
    ry = -sats[..., 0] * s + sats[..., 1] * c - pos[:, None, 1]
    rz = sats[..., 2] - pos[:, None, 2]
    res = (pr - torch.sqrt(rx**2 + ry**2 + rz**2) - clock[:, None])[valid]
    huber = torch.nn.functional.huber_loss(res, torch.zeros_like(res), reduction="sum")
    return huber + 0.5 * torch.sum(torch.diff(pos, 2, dim=0) ** 2)


def accel(r, mu, J2=1.08263e-3):
    d = torch.linalg.norm(r)
    z = 5 * (r[2] / d) ** 2
    j = 1.5 * J2 / d**2
    return -mu * r / d**3 * (1 - j * torch.stack([z - 1, z - 1, z - 3]))


def orbit_fit(y0, station, ranges, sigma):
    def f(y):
        return torch.cat([y[3:], accel(y[:3], 1.0)])

    h = 0.02
    y, chi2 = y0, 0.0
    for s, rho in zip(station, ranges):
        for _ in range(4):
            k1 = f(y)
            k2 = f(y + h / 2 * k1)
            k3 = f(y + h / 2 * k2)
            k4 = f(y + h * k3)
            y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        chi2 = chi2 + ((torch.linalg.norm(y[:3] - s) - rho) / sigma) ** 2
    return chi2
