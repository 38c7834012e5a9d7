"""Fields, waves and chains, as users of NumPy write them."""

from __future__ import annotations

import numpy as np


def magnetotelluric(log_rho, thickness, freqs, rho_obs, phase_obs):
    mu0 = 4e-7 * np.pi
    rho = np.exp(log_rho)
    omega = 2 * np.pi * freqs
    Z = np.sqrt(1j * omega * mu0 * rho[-1])
    for j in range(len(rho) - 2, -1, -1):
        gamma = np.sqrt(1j * omega * mu0 / rho[j])
        w = gamma * rho[j]
        ex = np.exp(-2 * gamma * thickness[j])
        r = ex * (w - Z) / (w + Z)
        Z = w * (1 - r) / (1 + r)
    app = np.abs(Z) ** 2 / (mu0 * omega)
    phase = np.degrees(np.angle(Z))
    return (
        np.sum((np.log10(app) - np.log10(rho_obs)) ** 2)
        + 1e-3 * np.sum((phase - phase_obs) ** 2)
        + 0.1 * np.sum(np.diff(log_rho) ** 2)
    )


class GravityProblem:
    def __init__(self, G, d, depth_weight, eps=1e-3, alpha=0.1):
        self.G, self.d, self.w, self.eps, self.alpha = G, d, depth_weight, eps, alpha

    def misfit(self, m):
        r = self.G @ m.ravel() - self.d
        return 0.5 * r @ r

    def tv(self, m):
        dx = np.diff(m, axis=1)[:-1, :]
        dz = np.diff(m, axis=0)[:, :-1]
        return np.sum(np.sqrt(dx**2 + dz**2 + self.eps**2))

    def objective(self, m):
        return self.misfit(m) + self.alpha * self.tv(self.w[:, None] * m)


def gravity_inversion(G, d, w):
    return GravityProblem(G, d, w).objective


def phi4(phi, m2, lam):
    action = 0.5 * m2 * phi**2 + lam / 4 * phi**4
    for mu in range(phi.ndim):
        action = action + 0.5 * (np.roll(phi, -1, axis=mu) - phi) ** 2
    return action.sum()


def laplacian(u):
    out = np.zeros_like(u)
    out[1:-1, 1:-1] = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1]
    return out


def wave_inversion(c, source, traces, dt=0.3):
    u_prev, u = np.zeros_like(c), np.zeros_like(c)
    loss = 0.0
    for s, d in zip(source, traces):
        u_next = 2 * u - u_prev + (c * dt) ** 2 * laplacian(u)
        u_next[50, 50] += s
        loss += np.sum((u_next[5] - d) ** 2)
        u_prev, u = u, u_next
    return loss


def nls_splitstep(p, x, k, target, dt=0.01, steps=60):
    psi = p[0] / np.cosh(p[1] * x) * np.exp(1j * p[2] * x)
    lin = np.exp(-0.5j * k**2 * dt)
    for _ in range(steps):
        psi = psi * np.exp(1j * dt * np.abs(psi) ** 2)
        psi = np.fft.ifft(lin * np.fft.fft(psi))
    return np.sum((np.abs(psi) - target) ** 2) * (x[1] - x[0])


def mps_norm(tensors, h):
    env = np.ones((1, 1))
    for A in tensors:
        env = np.einsum("ab,asc,bsd->cd", env, A, A)
    norm = env[0, 0]
    energy = 0.0
    op = ((h + h.T) / 2).reshape(2, 2, 2, 2)
    for site in range(0, len(tensors) - 1, 6):
        left = np.ones((1, 1))
        for A in tensors[:site]:
            left = np.einsum("ab,asc,bsd->cd", left, A, A)
        pair = np.tensordot(tensors[site], tensors[site + 1], axes=(2, 0))
        left = np.einsum("ab,aijc,ijkl,bkld->cd", left, pair, op, pair, optimize=True)
        for A in tensors[site + 2 :]:
            left = np.einsum("ab,asc,bsd->cd", left, A, A)
        energy += left[0, 0]
    return energy / norm + np.log(norm) ** 2
