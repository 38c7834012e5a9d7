"""Spectra, filters and factors, as users of NumPy write them."""

from __future__ import annotations

import numpy as np
from scipy.special import softmax


def unmixing(p, E, Y):
    A = softmax(p["abund"], axis=1)
    lin = A @ E
    model = lin + p["b"][:, None] * lin * lin
    r = Y - model
    sad = np.arccos(
        np.clip(
            np.sum(Y * model, axis=1) / (np.linalg.norm(Y, axis=1) * np.linalg.norm(model, axis=1)),
            -0.999999,
            0.999999,
        )
    )
    return np.mean(r**2) + 0.1 * np.mean(sad) + 0.001 * np.sum(np.sqrt(A))


def nmf_kl(p, V):
    W, H = np.exp(p["W"]), np.exp(p["H"])
    WH = W @ H + 1e-09
    return np.sum(V * np.log((V + 1e-09) / WH) - V + WH) + 0.01 * np.abs(H).sum()


def ica(W, X):
    S = W @ X
    sign, logdet = np.linalg.slogdet(W)
    return np.mean(np.sum(np.log(np.cosh(S)), axis=0)) - logdet


class Peaking:
    def __init__(self, f0, gain_db, q, fs=48000.0):
        A = 10 ** (gain_db / 40)
        w0 = 2 * np.pi * f0 / fs
        alpha = np.sin(w0) / (2 * q)
        self.b = np.array([1 + alpha * A, -2 * np.cos(w0), 1 - alpha * A])
        self.a = np.array([1 + alpha / A, -2 * np.cos(w0), 1 - alpha / A])

    def response(self, z):
        return np.polyval(self.b, z) / np.polyval(self.a, z)


def equalizer(p, freqs, target_db):
    z = np.exp(-2j * np.pi * freqs / 48000.0)[::1]
    z = 1 / z
    h = np.ones(len(freqs), dtype=complex)
    for f0, g, q in zip(np.exp(p["logf"]), p["gain"], np.exp(p["logq"])):
        h = h * Peaking(f0, g, q).response(z)
    return np.mean((20 * np.log10(np.abs(h)) - target_db) ** 2)


def biquad_time(c, x, y):
    b0, b1, b2, a1, a2 = c
    out = np.zeros(len(x))
    z1 = z2 = 0.0
    for n in range(len(x)):
        out[n] = b0 * x[n] + z1
        z1 = b1 * x[n] - a1 * out[n] + z2
        z2 = b2 * x[n] - a2 * out[n]
    return np.mean((np.tanh(out) - y) ** 2)


def split(x, h, g):
    xp = np.concatenate([x, x[: len(h)]])
    lo = sum(h[k] * xp[k : k + len(x)] for k in range(len(h)))[::2]
    hi = sum(g[k] * xp[k : k + len(x)] for k in range(len(g)))[::2]
    return lo, hi


def packet(x, h, g, depth):
    if depth == 0:
        return [x]
    lo, hi = split(x, h, g)
    return packet(lo, h, g, depth - 1) + packet(hi, h, g, depth - 1)


def wavelet_packet(h, x):
    g = h[::-1] * np.array([1, -1] * (len(h) // 2))
    leaves = packet(x, h, g, 5)
    cost = sum(np.sum(np.sqrt(l**2 + 1e-06)) for l in leaves)
    return cost / len(x) + 10 * (np.sum(h**2) - 1) ** 2 + (np.sum(h) - np.sqrt(2)) ** 2


def cp_tensor(p, T, mask):
    est = np.einsum("ir,jr,kr->ijk", p["A"], p["B"], p["C"])
    r = np.where(mask, T - est, 0.0)
    return np.sum(r**2) / mask.sum() + 0.001 * sum(np.sum(m**2) for m in p.values())
