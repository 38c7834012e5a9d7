"""Trusses, grids, graphs of poses and orbits, as users of JAX write them."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax


def power_flow(branches, load):
    n = len(load)
    Y = np.zeros((n, n), complex)
    for i, j, r, x, b in np.asarray(branches):
        i, j = int(i), int(j)
        y = 1 / (r + 1j * x)
        Y[i, i] += y + 0.5j * b
        Y[j, j] += y + 0.5j * b
        Y[i, j] -= y
        Y[j, i] -= y
    Y = jnp.asarray(Y)

    def mismatch(x):
        V = x["vm"] * jnp.exp(1j * jnp.concatenate([jnp.zeros(1), x["theta"]]))
        res = V * jnp.conj(Y @ V) - load
        return jnp.sum(res.real**2 + res.imag**2) + 0.1 * jnp.sum((x["vm"] - 1) ** 2)

    return mismatch


def ac_ladder(logp, freqs, target_db):
    R, L, C = jnp.exp(logp)
    n = len(R)
    w = 2 * jnp.pi * freqs
    Y = jnp.zeros((len(freqs), n, n), complex)
    for k in range(n):
        ys = 1 / (R[k] + 1j * w * L[k])
        Y = Y.at[:, k, k].add(ys + 1j * w * C[k])
        if k > 0:
            Y = Y.at[:, k - 1, k - 1].add(ys).at[:, k, k - 1].add(-ys).at[:, k - 1, k].add(-ys)
    rhs = jnp.zeros((len(freqs), n, 1), complex).at[:, 0, 0].set(1 / (R[0] + 1j * w * L[0]))
    v = jnp.linalg.solve(Y, rhs)[:, :, 0]
    return jnp.mean((20 * jnp.log10(jnp.abs(v[:, -1])) - target_db) ** 2)


def truss(nodes, bars, fixed, loads, E=210000.0):
    free = np.setdiff1d(np.arange(nodes.size), np.asarray(fixed))
    bars = np.asarray(bars)
    dof = np.stack([2 * bars[:, 0], 2 * bars[:, 0] + 1, 2 * bars[:, 1], 2 * bars[:, 1] + 1], 1)

    def objective(x):
        pos = nodes.at[2:6, 1].set(x["y"])
        a = jnp.exp(x["log_a"])
        d = pos[bars[:, 1]] - pos[bars[:, 0]]
        l = jnp.sqrt(jnp.sum(d**2, 1))
        c = d / l[:, None]
        k = (E * a / l)[:, None, None] * c[:, :, None] * c[:, None, :]
        ke = jnp.concatenate([jnp.concatenate([k, -k], 2), jnp.concatenate([-k, k], 2)], 1)
        K = (
            jnp.zeros((nodes.size,) * 2)
            .at[dof[:, :, None], dof[:, None, :]]
            .add(ke)[np.ix_(free, free)]
        )
        f = loads[free]
        return f @ jnp.linalg.solve(K, f) + 0.01 * jnp.sum(a)

    return objective


def fem_poisson(log_k, pts, tri, interior, obs):
    k = jnp.exp(log_k)
    p = pts[tri]
    e = jnp.stack([p[:, 2] - p[:, 1], p[:, 0] - p[:, 2], p[:, 1] - p[:, 0]], axis=1)
    area = 0.5 * jnp.abs(e[:, 0, 0] * e[:, 1, 1] - e[:, 0, 1] * e[:, 1, 0])
    ke = k[:, None, None] * jnp.einsum("eid,ejd->eij", e, e) / (4 * area)[:, None, None]
    n = len(pts)
    K = (
        jnp.zeros((n, n))
        .at[jnp.repeat(tri, 3, axis=1), jnp.tile(tri, (1, 3))]
        .add(ke.reshape(len(tri), 9))
    )
    f = jnp.zeros(n).at[tri].add((area / 3)[:, None])
    u = jnp.zeros(n).at[interior].set(jnp.linalg.solve(K[jnp.ix_(interior, interior)], f[interior]))
    return 0.5 * jnp.sum((u - obs) ** 2) + 0.0001 * jnp.sum(log_k**2)


def contact_springs(p, x0, edges, rest, steps=40, dt=0.01):
    i, j = edges[:, 0], edges[:, 1]
    k = jnp.exp(p["log_k"])

    def step(_, s):
        x, v = s
        d = x[j] - x[i]
        l = jnp.sqrt(jnp.sum(d**2, axis=1))
        f = (k * (l - rest) / l)[:, None] * d
        force = (
            jnp.zeros_like(x)
            .at[i]
            .add(f)
            .at[j]
            .add(-f)
            .at[:, 1]
            .add(-9.8)
            .at[:, 1]
            .add(jnp.exp(p["log_c"]) * jnp.maximum(-x[:, 1], 0.0))
        )
        v = 0.99 * (v + dt * force)
        return x + dt * v, v

    x, v = lax.fori_loop(0, steps, step, (x0, jnp.zeros_like(x0)))
    return jnp.mean((x.mean(axis=0) - jnp.array([0.5, 0.3])) ** 2)


def pose_graph(poses, edges, meas, info):
    i, j = edges.T
    pi, pj = poses[i], poses[j]
    c, s = jnp.cos(pi[:, 2]), jnp.sin(pi[:, 2])
    d = pj - pi
    w = d[:, 2] - meas[:, 2]
    e = jnp.stack(
        [
            c * d[:, 0] + s * d[:, 1] - meas[:, 0],
            -s * d[:, 0] + c * d[:, 1] - meas[:, 1],
            jnp.arctan2(jnp.sin(w), jnp.cos(w)),
        ],
        1,
    )
    return jnp.sum(jnp.log1p(jnp.einsum("ni,nij,nj->n", e, info, e))) + 100 * jnp.sum(poses[0] ** 2)


def orbit_fit(y0, station, ranges, sigma):

    def f(y):
        r = y[:3]
        d = jnp.linalg.norm(r)
        z = 5 * (r[2] / d) ** 2
        j = 1.5 * 0.00108263 / d**2
        return jnp.concatenate([y[3:], -r / d**3 * (1 - j * jnp.array([z - 1, z - 1, z - 3]))])

    h = 0.02

    def rk(_, y):
        k1 = f(y)
        k2 = f(y + h / 2 * k1)
        k3 = f(y + h / 2 * k2)
        k4 = f(y + h * k3)
        return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)

    def step(y, z):
        y = lax.fori_loop(0, 4, rk, y)
        return y, ((jnp.linalg.norm(y[:3] - z[0]) - z[1]) / sigma) ** 2

    return lax.scan(step, y0, (station, ranges))[1].sum()


def gps(x, sats, pr, valid):
    pos, clock = x["pos"], x["clock"]
    rng = jnp.sqrt(((sats - pos[:, None, :]) ** 2).sum(-1))
    om = 7.2921e-05 * rng / 299792.458
    rx = sats[..., 0] * jnp.cos(om) + sats[..., 1] * jnp.sin(om) - pos[:, None, 0]
    ry = -sats[..., 0] * jnp.sin(om) + sats[..., 1] * jnp.cos(om) - pos[:, None, 1]
    rz = sats[..., 2] - pos[:, None, 2]
    res = pr - jnp.sqrt(rx**2 + ry**2 + rz**2) - clock[:, None]
    hub = jnp.where(jnp.abs(res) < 1.0, 0.5 * res**2, jnp.abs(res) - 0.5)
    return jnp.sum(jnp.where(valid, hub, 0.0)) + 0.5 * jnp.sum(jnp.diff(pos, 2, axis=0) ** 2)
