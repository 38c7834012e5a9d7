"""Spectra, filters and factors, as users of PyTorch write them."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as FN

pi = math.pi


def unmixing(p, E, Y):
    A = torch.softmax(p["abund"], dim=1)
    lin = A @ E
    model = lin + p["b"][:, None] * lin * lin
    cosine = torch.sum(Y * model, dim=1) / (
        torch.linalg.norm(Y, dim=1) * torch.linalg.norm(model, dim=1)
    )
    sad = torch.acos(torch.clamp(cosine, -0.999999, 0.999999))
    return torch.mean((Y - model) ** 2) + 0.1 * torch.mean(sad) + 1e-3 * torch.sum(torch.sqrt(A))


def nmf_kl(p, V):
    W, H = torch.exp(p["W"]), torch.exp(p["H"])
    WH = W @ H + 1e-9
    return torch.sum(V * torch.log((V + 1e-9) / WH) - V + WH) + 0.01 * torch.abs(H).sum()


def ica(W, X):
    S = W @ X
    logdet = torch.linalg.slogdet(W).logabsdet
    return torch.mean(torch.sum(torch.log(torch.cosh(S)), dim=0)) - logdet


def equalizer(p, freqs, target_db):
    z = torch.exp(2j * pi * freqs / 48000.0)[:, None]
    f0, q = torch.exp(p["logf"]), torch.exp(p["logq"])
    A = 10 ** (p["gain"] / 40)
    w0 = 2 * pi * f0 / 48000.0
    alpha = torch.sin(w0) / (2 * q)
    c = -2 * torch.cos(w0)
    above = ((1 + alpha * A) * z + c) * z + 1 - alpha * A
    below = ((1 + alpha / A) * z + c) * z + 1 - alpha / A
    h = torch.prod(above / below, dim=1)
    return torch.mean((20 * torch.log10(torch.abs(h)) - target_db) ** 2)


def biquad_time(c, x, y):
    b0, b1, b2, a1, a2 = c
    out = []
    z1 = z2 = torch.zeros(())
    for n in range(len(x)):
        o = b0 * x[n] + z1
        z1 = b1 * x[n] - a1 * o + z2
        z2 = b2 * x[n] - a2 * o
        out.append(o)
    return torch.mean((torch.tanh(torch.stack(out)) - y) ** 2)


def wavelet_packet(h, x):
    g = h.flip(0) * torch.tensor([1.0, -1.0, 1.0, -1.0])
    filters = torch.stack([h, g])[:, None]
    leaves = x[None]
    for _ in range(5):
        padded = torch.cat([leaves, leaves[:, :2]], 1)
        leaves = FN.conv1d(padded[:, None], filters, stride=2).flatten(0, 1)
    cost = torch.sum(torch.sqrt(leaves**2 + 1e-6))
    return cost / len(x) + 10 * (torch.sum(h**2) - 1) ** 2 + (torch.sum(h) - math.sqrt(2)) ** 2


def cp_tensor(p, T, mask):
    est = torch.einsum("ir,jr,kr->ijk", p["A"], p["B"], p["C"])
    r = torch.where(mask, T - est, 0.0)
    return torch.sum(r**2) / mask.sum() + 1e-3 * sum(torch.sum(m**2) for m in p.values())
