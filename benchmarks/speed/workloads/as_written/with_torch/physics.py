"""Fields, waves and chains, as users of PyTorch write them."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as FN

pi = math.pi


def magnetotelluric(lr, thickness, freqs, ro, po):
    mu0 = 4e-7 * pi
    rho = torch.exp(lr)
    om = 2 * pi * freqs
    Z = torch.sqrt(1j * om * mu0 * rho[-1])
    for j in range(len(rho) - 2, -1, -1):
        g = torch.sqrt(1j * om * mu0 / rho[j])
        w = g * rho[j]
        r = torch.exp(-2 * g * thickness[j]) * (w - Z) / (w + Z)
        Z = w * (1 - r) / (1 + r)
    app = torch.abs(Z) ** 2 / (mu0 * om)
    ph = torch.rad2deg(torch.angle(Z))
    return (
        torch.sum((torch.log10(app) - torch.log10(ro)) ** 2)
        + 1e-3 * torch.sum((ph - po) ** 2)
        + 0.1 * torch.sum(torch.diff(lr) ** 2)
    )


def gravity_inversion(G, d, w):
    def f(m):
        r = G @ m.ravel() - d
        q = w[:, None] * m
        dx = torch.diff(q, dim=1)[:-1]
        dz = torch.diff(q, dim=0)[:, :-1]
        return 0.5 * r @ r + 0.1 * torch.sum(torch.sqrt(dx**2 + dz**2 + 1e-6))

    return f


def phi4(phi, m2, lam):
    a = 0.5 * m2 * phi**2 + lam / 4 * phi**4
    for mu in range(4):
        a = a + 0.5 * (torch.roll(phi, -1, mu) - phi) ** 2
    return a.sum()


def wave_inversion(c, source, traces):
    up, u = torch.zeros_like(c), torch.zeros_like(c)
    loss = 0.0
    k = torch.zeros_like(c)
    k[50, 50] = 1
    c2 = (c * 0.3) ** 2
    for s, d in zip(source, traces):
        lap = FN.pad(
            u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1],
            (1, 1, 1, 1),
        )
        un = 2 * u - up + c2 * lap + s * k
        loss = loss + torch.sum((un[5] - d) ** 2)
        up, u = u, un
    return loss


def nls_splitstep(p, x, k, target):
    dt = 0.01
    psi = p[0] / torch.cosh(p[1] * x) * torch.exp(1j * p[2] * x)
    l = torch.exp(-0.5j * k**2 * dt)
    for _ in range(60):
        psi = torch.fft.ifft(l * torch.fft.fft(psi * torch.exp(1j * dt * torch.abs(psi) ** 2)))
    return torch.sum((torch.abs(psi) - target) ** 2) * (x[1] - x[0])


def mps_norm(tensors, h):
    def tr(e, A):
        return torch.einsum("bsc,bsd->cd", torch.einsum("ab,asc->bsc", e, A), A)

    env = torch.ones(1, 1)
    for A in tensors:
        env = tr(env, A)
    norm = env[0, 0]
    en = 0.0
    op = ((h + h.T) / 2).reshape(2, 2, 2, 2)
    for s in range(0, len(tensors) - 1, 6):
        l = torch.ones(1, 1)
        for A in tensors[:s]:
            l = tr(l, A)
        pair = torch.tensordot(tensors[s], tensors[s + 1], dims=([2], [0]))
        l = torch.einsum("ab,aijc,ijkl,bkld->cd", l, pair, op, pair)
        for A in tensors[s + 2 :]:
            l = tr(l, A)
        en = en + l[0, 0]
    return en / norm + torch.log(norm) ** 2
