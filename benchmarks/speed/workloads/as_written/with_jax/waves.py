"""Heat, water, lenses, films and gates, as users of JAX write them."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.scipy.linalg import expm


def thomas(a, b, c, d):

    def fwd(s, z):
        cp, dp = s
        a, b, c, d = z
        den = b - a * cp
        s = c / den, (d - a * dp) / den
        return s, s

    s0 = c[0] / b[0], d[0] / b[0]
    last, (cp, dp) = lax.scan(fwd, s0, (a[1:], b[1:], c[1:], d[1:]))
    cp = jnp.concatenate([s0[0][None], cp])
    dp = jnp.concatenate([s0[1][None], dp])

    def back(x, z):
        x = z[1] - z[0] * x
        return x, x

    _, xs = lax.scan(back, dp[-1], (cp[:-1], dp[:-1]), reverse=True)
    return jnp.concatenate([xs, dp[-1][None]])


def adi_heat(log_k, u0, target, dt=0.1, steps=5):
    r = 0.5 * dt * jnp.exp(log_k)
    a, b, c = -r, 1 + 2 * r, -r

    def step(_, u):
        p = jnp.pad(u, 1)
        u = thomas(a, b, c, u + r * (p[1:-1, 2:] - 2 * u + p[1:-1, :-2]))
        p = jnp.pad(u, 1)
        return thomas(a.T, b.T, c.T, (u + r * (p[2:, 1:-1] - 2 * u + p[:-2, 1:-1])).T).T

    return jnp.mean((lax.fori_loop(0, steps, step, u0) - target) ** 2)


def shallow_water(h0, obs, mask):
    mask = jnp.nonzero(mask, size=len(obs))
    g, dt, drag = 9.8, 0.02, 0.01
    dx = lambda q: (jnp.roll(q, -1, 1) - jnp.roll(q, 1, 1)) / 2.0
    dy = lambda q: (jnp.roll(q, -1, 0) - jnp.roll(q, 1, 0)) / 2.0

    def step(_, s):
        h, u, v = s
        return (
            h - dt * (dx(h * u) + dy(h * v)),
            u + dt * (-(u * dx(u) + v * dy(u) + g * dx(h)) - drag * u),
            v + dt * (-(u * dx(v) + v * dy(v) + g * dy(h)) - drag * v),
        )

    h, u, v = lax.fori_loop(0, 20, step, (10 + h0, jnp.zeros_like(h0), jnp.zeros_like(h0)))
    return 0.5 * jnp.sum((h[mask] - obs) ** 2)


def dg_advection(p, D, lift, J, target, steps=40):
    a, dt = p["speed"], 0.004

    def rhs(u):
        jump = jnp.stack([u[0] - jnp.roll(u[-1], 1), jnp.zeros(u.shape[1])])
        return a * (-(D @ u) * J - lift @ jump * J)

    def step(_, u):
        u1 = u + dt * rhs(u)
        u2 = 0.75 * u + 0.25 * (u1 + dt * rhs(u1))
        return u / 3 + 2 / 3 * (u2 + dt * rhs(u2))

    return jnp.sum((lax.fori_loop(0, steps, step, p["u0"]) - target) ** 2)


def lens_rays(p, o, d, index):
    z = 0.0
    for i in range(6):
        c, eta = p["curv"][i], index[i] / index[i + 1]
        R = 1 / c
        centre = jnp.array([0.0, 0.0, 1.0]) * (z + R)
        oc = o - centre
        b = jnp.sum(oc * d, 1)
        t = -b - jnp.sign(R) * jnp.sqrt(jnp.maximum(b**2 - jnp.sum(oc**2, 1) + R**2, 1e-09))
        o = o + t[:, None] * d
        n = (o - centre) / R
        ci = -jnp.sum(d * n, 1)
        k = 1 - eta**2 * (1 - ci**2)
        d = eta * d + (eta * ci - jnp.sqrt(jnp.maximum(k, 1e-09)))[:, None] * n
        z = z + p["gap"][i]
    t = (p["sensor"] + z - o[:, 2]) / d[:, 2]
    return jnp.sum(jnp.var(o[:, :2] + t[:, None] * d[:, :2], axis=0))


def grape(H0, Hc, target, dt):
    Hc = jnp.stack(Hc)

    def infidelity(u):
        U, _ = lax.scan(
            lambda U, a: (expm(-1j * dt * (H0 + jnp.tensordot(a, Hc, 1))) @ U, None),
            jnp.eye(4, dtype=complex),
            u,
        )
        return 1 - jnp.abs(jnp.trace(target.conj().T @ U)) ** 2 / 16 + 0.001 * jnp.sum(u**2)

    return infidelity


def vqc(theta, J):
    layers, n, _ = theta.shape
    state = jnp.zeros((2,) * n, complex).at[(0,) * n].set(1.0)
    for l in range(layers):
        for q in range(n):
            t, u = theta[l, q, 0], theta[l, q, 1]
            c, s = jnp.cos(t / 2), jnp.sin(t / 2)
            g = jnp.array([[jnp.exp(-0.5j * u), 0], [0, jnp.exp(0.5j * u)]]) @ jnp.array(
                [[c, -s], [s, c]]
            )
            state = jnp.moveaxis(jnp.tensordot(g, state, axes=(1, q)), 0, q)
        for q in range(n - 1):
            sign = np.ones((2,) * n)
            idx = [slice(None)] * n
            idx[q] = idx[q + 1] = 1
            sign[tuple(idx)] = -1
            state = state * sign
    prob = jnp.abs(state) ** 2
    energy = 0.0
    for q in range(n - 1):
        m = prob.sum(axis=tuple(k for k in range(n) if k not in (q, q + 1)))
        energy += J[q] * (m[0, 0] + m[1, 1] - m[0, 1] - m[1, 0])
    return energy


def chan_vese(phi, img, eps=1.0):
    H = 0.5 * (1 + 2 / jnp.pi * jnp.arctan(phi / eps))
    c1 = jnp.sum(img * H) / jnp.sum(H)
    c2 = jnp.sum(img * (1 - H)) / jnp.sum(1 - H)
    gy, gx = jnp.gradient(H)
    return jnp.sum((img - c1) ** 2 * H + (img - c2) ** 2 * (1 - H)) + 0.1 * jnp.sum(
        jnp.sqrt(gx**2 + gy**2 + 1e-08)
    )


def thin_film(d, n_idx, wl, target):
    k = 2 * jnp.pi / wl
    M = jnp.tile(jnp.eye(2, dtype=complex), (len(wl), 1, 1))

    def step(M, z):
        t, n = z
        de = k * n * t
        c, s = jnp.cos(de) + 0j, jnp.sin(de) + 0j
        return (
            M @ jnp.stack([jnp.stack([c, 1j * s / n], -1), jnp.stack([1j * n * s, c], -1)], -2),
            None,
        )

    M, _ = lax.scan(step, M, (d, n_idx))
    num = M[:, 0, 0] + M[:, 0, 1] * 1.52 - M[:, 1, 0] - M[:, 1, 1] * 1.52
    den = M[:, 0, 0] + M[:, 0, 1] * 1.52 + M[:, 1, 0] + M[:, 1, 1] * 1.52
    return jnp.mean((jnp.abs(num / den) ** 2 - target) ** 2)
