"""Energies on grids and chains, with gradients written in place and out of place."""

from __future__ import annotations

import numpy as np

from benchmarks.corpus.registry import Group
from verify import box

STENCILS = Group("stencils")

LINE = box(-2, 2, shape=(6,))
FIELD = box(-2, 2, shape=(3, 4))


def dirichlet(u):
    return 0.5 * np.sum((u[1:] - u[:-1]) ** 2)


def dirichlet_in_place(u):
    g = np.zeros_like(u)
    d = u[1:] - u[:-1]
    g[1:] += d
    g[:-1] -= d
    return g


def dirichlet_by_diff(u):
    d = np.diff(u)
    return np.concatenate([[0.0], d]) - np.concatenate([d, [0.0]])


def dirichlet_padded(u):
    p = np.pad(u, 1, mode="edge")
    return 2 * u - p[2:] - p[:-2]


def dirichlet_loop(u):
    g = [0.0] * len(u)
    for i in range(len(u) - 1):
        d = u[i + 1] - u[i]
        g[i + 1] += d
        g[i] -= d
    return np.array(g)


def dirichlet_matrix(u):
    n = len(u)
    d = np.diff(np.eye(n), axis=0)
    return d.T @ d @ u


def neighbours(u):
    return np.sum(u**2) + np.sum(u[1:] * u[:-1])


def neighbours_in_place(u):
    g = 2 * u
    g[:-1] += u[1:]
    g[1:] += u[:-1]
    return g


def neighbours_out_of_place(u):
    zero = np.zeros(1)
    return 2 * u + np.concatenate([u[1:], zero]) + np.concatenate([zero, u[:-1]])


def bending(u):
    return 0.5 * np.sum((u[2:] - 2 * u[1:-1] + u[:-2]) ** 2)


def bending_in_place(u):
    c = u[2:] - 2 * u[1:-1] + u[:-2]
    g = np.zeros_like(u)
    g[2:] += c
    g[1:-1] -= 2 * c
    g[:-2] += c
    return g


def bending_convolved(u):
    return np.convolve(np.diff(u, 2), [1.0, -2.0, 1.0])


def periodic(u):
    return 0.5 * np.sum((np.roll(u, -1) - u) ** 2)


def periodic_rolled(u):
    return 2 * u - np.roll(u, 1) - np.roll(u, -1)


def periodic_modulo(u):
    n, g = len(u), np.empty(len(u))
    for i in range(n):
        g[i] = 2 * u[i] - u[(i - 1) % n] - u[(i + 1) % n]
    return g


def fermi_pasta(u):
    d = np.diff(u)
    return np.sum(d**2 / 2 + 0.3 * d**3 / 3)


def fermi_pasta_in_place(u):
    d = np.diff(u)
    force = d + 0.3 * d**2
    g = np.zeros(len(u))
    g[1:] += force
    g[:-1] -= force
    return g


def double_well(u):
    return np.sum((u**2 - 1) ** 2 / 4) + dirichlet(u)


def double_well_in_place(u):
    g = u**3 - u
    g[1:] += u[1:] - u[:-1]
    g[:-1] += u[:-1] - u[1:]
    return g


def frenkel(u):
    return np.sum(1 - np.cos(u)) + dirichlet(u)


def frenkel_ends(u):
    g = np.sin(u)
    g[1:-1] += 2 * u[1:-1] - u[2:] - u[:-2]
    g[0] += u[0] - u[1]
    g[-1] += u[-1] - u[-2]
    return g


def arc_length(u):
    return np.sum(np.sqrt(1 + np.diff(u) ** 2))


def arc_length_in_place(u):
    d = np.diff(u)
    t = d / np.sqrt(1 + d * d)
    g = np.zeros_like(u)
    g[:-1] -= t
    g[1:] += t
    return g


def total_variation(u):
    return np.sum(np.abs(np.diff(u)))


def total_variation_sign(u):
    s = np.sign(np.diff(u))
    return np.concatenate([-s[:1], s[:-1] - s[1:], s[-1:]])


def trapezoid(u):
    return 0.25 * (0.5 * u[0] ** 2 + np.sum(u[1:-1] ** 2) + 0.5 * u[-1] ** 2)


def trapezoid_weights(u):
    g = 0.5 * u
    g[0] *= 0.5
    g[-1] *= 0.5
    return g


def simpson(u):
    w = np.array([1, 4, 2, 4, 2, 1])
    return np.sum(w * np.exp(u)) / 3


def simpson_slices(u):
    g = np.exp(u) / 3
    g[1::2][:2] *= 4
    g[2:-1:2] *= 2
    return g


def smooth_image(a):
    return 0.5 * (np.sum(np.diff(a, axis=0) ** 2) + np.sum(np.diff(a, axis=1) ** 2))


def smooth_image_in_place(a):
    g = np.zeros_like(a)
    rows, columns = np.diff(a, axis=0), np.diff(a, axis=1)
    g[1:] += rows
    g[:-1] -= rows
    g[:, 1:] += columns
    g[:, :-1] -= columns
    return g


def smooth_image_padded(a):
    p = np.pad(a, 1, mode="edge")
    return 4 * a - p[2:, 1:-1] - p[:-2, 1:-1] - p[1:-1, 2:] - p[1:-1, :-2]


def smooth_image_loops(a):
    g = np.zeros_like(a)
    n, m = a.shape
    for i in range(n):
        for j in range(m):
            for k, col in ((i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)):
                if 0 <= k < n and 0 <= col < m:
                    g[i, j] += a[i, j] - a[k, col]
    return g


def rudin(a):
    dx, dy = a[:-1, 1:] - a[:-1, :-1], a[1:, :-1] - a[:-1, :-1]
    return np.sum(np.sqrt(dx**2 + dy**2 + 0.01))


def rudin_in_place(a):
    dx, dy = a[:-1, 1:] - a[:-1, :-1], a[1:, :-1] - a[:-1, :-1]
    r = np.sqrt(dx**2 + dy**2 + 0.01)
    g = np.zeros_like(a)
    g[:-1, :-1] -= (dx + dy) / r
    g[:-1, 1:] += dx / r
    g[1:, :-1] += dy / r
    return g


def flow(u):
    return np.sum((u[1:] - u[:-1] + 0.1 * u[:-1] ** 2) ** 2)


def flow_adjoint(u):
    r = u[1:] - u[:-1] + 0.1 * u[:-1] ** 2
    g = np.zeros_like(u)
    g[1:] = 2 * r
    g[:-1] += 2 * r * (0.2 * u[:-1] - 1)
    return g


def windows(u):
    return np.sum((u[:-2] + u[1:-1] + u[2:]) ** 2) / 9


def windows_convolved(u):
    s = np.convolve(u, np.ones(3), mode="valid")
    return 2 * np.convolve(s, np.ones(3)) / 9


def windows_counted(u):
    g = np.zeros(len(u))
    for k in range(len(u) - 2):
        g[k : k + 3] += 2 * u[k : k + 3].sum() / 9
    return g


def scatter(u):
    return np.sum(np.array([u[0] + u[2] + u[2], u[1] * u[4], u[2] - u[5]]) ** 2)


def scatter_at(u):
    b = np.array([u[0] + 2 * u[2], u[1] * u[4], u[2] - u[5]])
    g = np.zeros(6)
    np.add.at(g, [0, 2, 2, 2, 5], [2 * b[0], 2 * b[0], 2 * b[0], 2 * b[2], -2 * b[2]])
    g[1] += 2 * b[1] * u[4]
    g[4] += 2 * b[1] * u[1]
    return g


def matched(u):
    return np.sum(u[[0, 2, 4]] * u[[1, 3, 5]])


def matched_swap(u):
    g = np.empty_like(u)
    g[0::2], g[1::2] = u[1::2], u[0::2]
    return g


TABLE = {
    "Dirichlet, in place": (dirichlet, dirichlet_in_place),
    "Dirichlet, diff": (dirichlet, dirichlet_by_diff),
    "Dirichlet, padded": (dirichlet, dirichlet_padded),
    "Dirichlet, loop": (dirichlet, dirichlet_loop),
    "Dirichlet, matrix": (dirichlet, dirichlet_matrix),
    "neighbours, in place": (neighbours, neighbours_in_place),
    "neighbours, out of place": (neighbours, neighbours_out_of_place),
    "bending, in place": (bending, bending_in_place),
    "bending, convolved": (bending, bending_convolved),
    "periodic, rolled": (periodic, periodic_rolled),
    "periodic, modulo": (periodic, periodic_modulo),
    "Fermi-Pasta-Ulam, in place": (fermi_pasta, fermi_pasta_in_place),
    "double well, in place": (double_well, double_well_in_place),
    "Frenkel-Kontorova, ends apart": (frenkel, frenkel_ends),
    "arc length, in place": (arc_length, arc_length_in_place),
    "total variation, signs": (total_variation, total_variation_sign),
    "trapezoid, ends scaled in place": (trapezoid, trapezoid_weights),
    "Simpson, slices": (simpson, simpson_slices),
    "upwind, adjoint in place": (flow, flow_adjoint),
    "windows, convolved": (windows, windows_convolved),
    "windows, counted": (windows, windows_counted),
    "scatter, add.at": (scatter, scatter_at),
    "pairs, swapped": (matched, matched_swap),
}
for _name, (_f, _g) in TABLE.items():
    STENCILS.add(_name, _f, _g, LINE)

IMAGES = {
    "image, in place": (smooth_image, smooth_image_in_place),
    "image, padded": (smooth_image, smooth_image_padded),
    "image, loops": (smooth_image, smooth_image_loops),
    "total variation of an image, in place": (rudin, rudin_in_place),
}
for _name, (_f, _g) in IMAGES.items():
    STENCILS.add(_name, _f, _g, FIELD)
