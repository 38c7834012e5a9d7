"""Fields, waves and chains, as users of JAX write them."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax


def magnetotelluric(log_rho, thickness, freqs, rho_obs, phase_obs):
    mu0 = 4e-7 * np.pi
    rho = jnp.exp(log_rho)
    omega = 2 * np.pi * freqs
    Z = jnp.sqrt(1j * omega * mu0 * rho[-1])

    def layer(Z, rt):
        r_, t = rt
        g = jnp.sqrt(1j * omega * mu0 / r_)
        w = g * r_
        r = jnp.exp(-2 * g * t) * (w - Z) / (w + Z)
        return w * (1 - r) / (1 + r), None

    Z, _ = lax.scan(layer, Z, (rho[:-1], thickness), reverse=True)
    app = jnp.abs(Z) ** 2 / (mu0 * omega)
    phase = jnp.degrees(jnp.angle(Z))
    return (
        jnp.sum((jnp.log10(app) - jnp.log10(rho_obs)) ** 2)
        + 1e-3 * jnp.sum((phase - phase_obs) ** 2)
        + 0.1 * jnp.sum(jnp.diff(log_rho) ** 2)
    )


def gravity_inversion(G, d, w):
    def objective(m):
        r = G @ m.ravel() - d
        q = w[:, None] * m
        dx = jnp.diff(q, axis=1)[:-1, :]
        dz = jnp.diff(q, axis=0)[:, :-1]
        return 0.5 * r @ r + 0.1 * jnp.sum(jnp.sqrt(dx**2 + dz**2 + 1e-6))

    return objective


def phi4(phi, m2, lam):
    a = 0.5 * m2 * phi**2 + lam / 4 * phi**4
    for mu in range(phi.ndim):
        a = a + 0.5 * (jnp.roll(phi, -1, axis=mu) - phi) ** 2
    return a.sum()


def wave_inversion(c, source, traces):
    def lap(u):
        return (
            jnp.zeros_like(u)
            .at[1:-1, 1:-1]
            .set(u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1])
        )

    def step(uu, sd):
        up, u = uu
        s, d = sd
        un = (2 * u - up + (c * 0.3) ** 2 * lap(u)).at[50, 50].add(s)
        return (u, un), jnp.sum((un[5] - d) ** 2)

    return lax.scan(step, (jnp.zeros_like(c), jnp.zeros_like(c)), (source, traces))[1].sum()


def nls_splitstep(p, x, k, target):
    dt = 0.01
    psi = p[0] / jnp.cosh(p[1] * x) * jnp.exp(1j * p[2] * x)
    lin = jnp.exp(-0.5j * k**2 * dt)

    def step(psi, _):
        psi = psi * jnp.exp(1j * dt * jnp.abs(psi) ** 2)
        return jnp.fft.ifft(lin * jnp.fft.fft(psi)), None

    psi, _ = lax.scan(step, psi, None, length=60)
    return jnp.sum((jnp.abs(psi) - target) ** 2) * (x[1] - x[0])


def mps_norm(tensors, h):
    tr = lambda e, A: jnp.einsum("ab,asc,bsd->cd", e, A, A, optimize=True)
    env = jnp.ones((1, 1))
    for A in tensors:
        env = tr(env, A)
    norm = env[0, 0]
    energy = 0.0
    op = ((h + h.T) / 2).reshape(2, 2, 2, 2)
    for s in range(0, len(tensors) - 1, 6):
        left = jnp.ones((1, 1))
        for A in tensors[:s]:
            left = tr(left, A)
        pair = jnp.tensordot(tensors[s], tensors[s + 1], axes=(2, 0))
        left = jnp.einsum("ab,aijc,ijkl,bkld->cd", left, pair, op, pair, optimize=True)
        for A in tensors[s + 2 :]:
            left = tr(left, A)
        energy += left[0, 0]
    return energy / norm + jnp.log(norm) ** 2
