"""Heat, water, lenses, films and gates, as users of PyTorch write them."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as FN

pi = math.pi


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
    return torch.stack(x[::-1])


def adi_heat(log_k, u0, target, dt=0.1, steps=5):
    r = 0.5 * dt * torch.exp(log_k)
    a, b, c = -r, 1 + 2 * r, -r
    u = u0
    for _ in range(steps):
        p = FN.pad(u, (1, 1, 1, 1))
        u = thomas(a, b, c, u + r * (p[1:-1, 2:] - 2 * u + p[1:-1, :-2]))
        p = FN.pad(u, (1, 1, 1, 1))
        u = thomas(a.T, b.T, c.T, (u + r * (p[2:, 1:-1] - 2 * u + p[:-2, 1:-1])).T).T
    return torch.mean((u - target) ** 2)


def ddx(q):
    return (torch.roll(q, -1, 1) - torch.roll(q, 1, 1)) / 2


def ddy(q):
    return (torch.roll(q, -1, 0) - torch.roll(q, 1, 0)) / 2


def shallow_water(h0, obs, mask, dt=0.02, g=9.8, drag=0.01):
    h, u, v = 10 + h0, torch.zeros_like(h0), torch.zeros_like(h0)
    for _ in range(20):
        dh = -(ddx(h * u) + ddy(h * v))
        du = -(u * ddx(u) + v * ddy(u) + g * ddx(h)) - drag * u
        dv = -(u * ddx(v) + v * ddy(v) + g * ddy(h)) - drag * v
        h, u, v = h + dt * dh, u + dt * du, v + dt * dv
    return 0.5 * torch.sum((h[mask] - obs) ** 2)


def dg_advection(p, D, lift, J, target, steps=40):
    a, dt = p["speed"], 0.004

    def rhs(u):
        jump = torch.stack([u[0] - torch.roll(u[-1], 1), torch.zeros_like(u[0])])
        return a * (-(D @ u) * J - (lift @ jump) * J)

    u = p["u0"]
    for _ in range(steps):
        u1 = u + dt * rhs(u)
        u2 = 0.75 * u + 0.25 * (u1 + dt * rhs(u1))
        u = u / 3 + 2 / 3 * (u2 + dt * rhs(u2))
    return torch.sum((u - target) ** 2)


def refract(d, n, eta):
    cosi = -torch.sum(d * n, dim=1)
    k = 1 - eta**2 * (1 - cosi**2)
    return eta * d + (eta * cosi - torch.sqrt(torch.clamp(k, min=1e-9)))[:, None] * n


def lens_rays(p, o, d, index):
    z = 0.0
    axis = torch.tensor([0.0, 0.0, 1.0])
    for c, gap, n1, n2 in zip(p["curv"], p["gap"], index[:-1], index[1:]):
        R = 1 / c
        centre = axis * (z + R)
        oc = o - centre
        b = torch.sum(oc * d, dim=1)
        disc = b**2 - torch.sum(oc**2, dim=1) + R**2
        t = -b - torch.sign(R) * torch.sqrt(torch.clamp(disc, min=1e-9))
        o = o + t[:, None] * d
        d = refract(d, (o - centre) / R, n1 / n2)
        z = z + gap
    t = (p["sensor"] + z - o[:, 2]) / d[:, 2]
    spot = o[:, :2] + t[:, None] * d[:, :2]
    return torch.sum(torch.var(spot, dim=0, correction=0))


def thin_film(d, n_idx, wl, target):
    k = 2 * pi / wl
    M = torch.eye(2, dtype=torch.complex128).expand(len(wl), 2, 2)
    for t, n in zip(d, n_idx):
        delta = k * n * t
        c, s = torch.cos(delta) + 0j, 1j * torch.sin(delta)
        M = M @ torch.stack([c, s / n, n * s, c], -1).reshape(-1, 2, 2)
    top = M[:, 0, 0] + M[:, 0, 1] * 1.52
    bottom = M[:, 1, 0] + M[:, 1, 1] * 1.52
    return torch.mean((torch.abs((top - bottom) / (top + bottom)) ** 2 - target) ** 2)


def chan_vese(phi, img, eps=1.0):
    H = 0.5 * (1 + 2 / pi * torch.atan(phi / eps))
    c1 = torch.sum(img * H) / torch.sum(H)
    c2 = torch.sum(img * (1 - H)) / torch.sum(1 - H)
    gy, gx = torch.gradient(H)
    length = torch.sum(torch.sqrt(gx**2 + gy**2 + 1e-8))
    return torch.sum((img - c1) ** 2 * H + (img - c2) ** 2 * (1 - H)) + 0.1 * length


def grape(H0, Hc, target, dt):
    controls = torch.stack(Hc)
    size = len(H0)

    def infidelity(u):
        H = H0 + torch.einsum("tk,kij->tij", u.to(controls.dtype), controls)
        U = torch.eye(size, dtype=controls.dtype)
        for step in torch.matrix_exp(-1j * dt * H):
            U = step @ U
        f = torch.abs(torch.trace(target.conj().T @ U)) ** 2 / size**2
        return 1 - f + 1e-3 * torch.sum(u**2)

    return infidelity


def vqc(theta, J):
    layers, n, _ = theta.shape
    c, s = torch.cos(theta[:, :, 0] / 2), torch.sin(theta[:, :, 0] / 2)
    phase = torch.exp(-0.5j * theta[:, :, 1])
    turned = torch.stack([c * phase, -s * phase, s / phase, c / phase], -1)
    gates = turned.reshape(layers, n, 2, 2)
    signs = []
    for q in range(n - 1):
        sign = torch.ones((2,) * n)
        sign[(slice(None),) * q + (1, 1)] = -1
        signs.append(sign)
    state = torch.zeros((2,) * n, dtype=torch.complex128)
    state[(0,) * n] = 1.0
    for layer in gates:
        for q in range(n):
            state = torch.movedim(torch.tensordot(layer[q], state, dims=([1], [q])), 0, q)
        for sign in signs:
            state = state * sign
    prob = torch.abs(state) ** 2
    energy = 0.0
    for q in range(n - 1):
        m = prob.sum(dim=tuple(k for k in range(n) if k not in (q, q + 1)))
        energy = energy + J[q] * (m[0, 0] + m[1, 1] - m[0, 1] - m[1, 0])
    return energy
