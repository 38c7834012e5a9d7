"""Functions in which values decide sizes, shapes, places and ways, and points that decide apart."""

from __future__ import annotations

import bisect
import math
from itertools import pairwise

import numpy as np

POINTS = tuple(
    np.array(point)
    for point in (
        [1.0, -2.0, 3.0, 2.5],
        [1.5, 2.0, -3.0, -1.0],
        [-1.0, -2.5, -3.0, -0.5],
        [1.0, 2.0, 3.0, 4.0],
        [0.5, -1.5, 2.5, 2.5],
        [4.0, 3.0, 2.0, -1.0],
    )
)
"""Another number of entries is positive at nearly each of them."""


def scaled_in_place(x):
    y = x.copy()
    y[y < 0] *= 0.1
    return np.sum(y)


def sigmoid(x):
    y = np.empty_like(x)
    y[x >= 0] = 1 / (1 + np.exp(-x[x >= 0]))
    e = np.exp(x[x < 0])
    y[x < 0] = e / (1 + e)
    return np.sum(y)


def by_groups(x):
    total, signs = 0.0, np.sign(x)
    for sign in np.unique(signs):
        total = total + np.mean(x[signs == sign] ** 2)
    return total


def centred_by_columns(x):
    a = np.outer(x, x)[:, x > 0]
    return np.sum((a - a.mean(axis=0)) ** 2) / a.shape[1]


def runs(x):
    ends = np.flatnonzero(np.diff(np.sign(x))) + 1
    return sum((np.mean(part) ** 2 for part in np.split(x, ends)), 0.0)


def padded(x):
    kept = x[x > 0]
    return np.sum(np.pad(kept, (0, 5 - len(kept)), constant_values=1.0) ** 2)


def winsorised(x):
    low, high = np.sort(x)[1], np.sort(x)[-2]
    y = x.copy()
    y[y < low], y[y > high] = low, high
    return np.mean(y**2)


def compressed_rows(x):
    a = np.stack([x, 2 * x, x**2])
    return np.sum(np.compress(x[:3] > 0, a, axis=0)) / max(np.count_nonzero(x[:3] > 0), 1)


def deleted(x):
    return np.sum(np.delete(x, np.flatnonzero(x < 0)) ** 2)


def halved(x):
    count = 0
    while np.sum(x) > 1.0:
        x, count = x / 2, count + 1
    return np.sum(x**2) * (count + 1)


def above_the_mean(x):
    chosen = x[x > x.mean()]
    return np.sum(chosen**2) / chosen.size


def longest(x):
    parts = np.split(np.sort(x), [np.searchsorted(np.sort(x), 0.0)])
    return np.sum(max(parts, key=len) ** 2)


def by_bisection(x):
    return x[bisect.bisect_left(sorted([float(k) for k in range(4)]), x[0]) % 4] ** 2


def selected(x):
    return sum((t**2 for t in x if t > 0), 0.0 * x[0])


def counted(x):
    return np.sum(x) * sum(1 for t in x if t > 0)


def dictionary(x):
    groups = {}
    for t in x:
        groups.setdefault(bool(t > 0), []).append(t)
    return sum(len(group) * np.sum(np.stack(group) ** 2) for group in groups.values())


def interval(x):
    knots = np.array([-2.0, 0.0, 2.0])
    k = np.clip(np.searchsorted(knots, x[0]) - 1, 0, 1)
    return (x[0] - knots[k]) * x[1] ** (k + 1)


def blocks(x):
    n = int(np.count_nonzero(x > 0))
    return np.trace(np.outer(x, x)[:n, :n]) / (n + 1)


def of_gaps(x):
    places = np.flatnonzero(x > 0)
    return sum((x[b] - x[a] for a, b in pairwise(places)), 0.0) + np.sum(x)


def solved(x):
    n = len(x[x > 0]) + 1
    a = np.eye(n) * (1 + x[0] ** 2) + 1.0
    return np.sum(np.linalg.solve(a, np.ones(n)))


def stacked(x):
    return np.var(np.concatenate([x[x > 0], -x[x <= 0], [1.0]]))


FUNCTIONS = {
    "sum of some": lambda x: np.sum(x[x > 0] ** 2),
    "variance of some": lambda x: np.var(x[x > -10.0 * x[0] ** 2 + 0.5]),
    "mean of some": lambda x: np.sum(x[x > 0]) / (len(x[x > 0]) or 1),
    "mean of some, by NumPy": lambda x: np.mean(np.append(x[x > 0], 1.0)),
    "standard deviation": lambda x: np.std(np.append(x[x > 0], [1.0, 3.0])),
    "median of some": lambda x: np.median(np.append(x[x > 0], 0.3)),
    "quantile of some": lambda x: np.quantile(np.append(x[x > 0], 0.3), 0.3),
    "norm of some": lambda x: np.linalg.norm(np.append(x[x > 0], 1.0)),
    "sorted some": lambda x: np.sum(np.sort(np.append(x[x > 0], 1.0)) * 2.0) / (1 + np.sum(x > 0)),
    "product of some": lambda x: np.prod(np.append(x[x > 0], 2.0)) * len(x[x > 0]),
    "running sums": lambda x: np.sum(np.cumsum(x[x > 0])),
    "differences": lambda x: np.sum(np.diff(x[x > 0]) ** 2),
    "dot": lambda x: x[x > 0] @ np.arange(np.sum(x > 0)),
    "outer": lambda x: np.sum(np.outer(x[x > 0], x[x > 0])) / (1 + x[x > 0].size),
    "size": lambda x: np.sum(x) * x[x > 0].size,
    "shape": lambda x: np.sum(x**2) * x[x > 0].shape[0],
    "len": lambda x: np.sum(x) * len(x[x > 0]),
    "np.size": lambda x: np.sum(x) * np.size(x[x > 0]),
    "np.shape": lambda x: np.sum(x) * np.shape(x[x > 0])[0],
    "len of nonzero": lambda x: np.sum(x) * len(np.nonzero(x > 0)[0]),
    "len of where": lambda x: np.sum(x) * len(np.where(x > 0)[0]),
    "len of argwhere": lambda x: np.sum(x) * len(np.argwhere(x > 0)),
    "len of flatnonzero": lambda x: np.sum(x) * np.flatnonzero(x > 0).size,
    "len of unique": lambda x: np.sum(x) * len(np.unique(np.sign(x))),
    "counts of unique": lambda x: np.sum(x[: np.unique(np.sign(x), return_counts=True)[1].max()]),
    "unique": lambda x: np.sum(np.unique(np.round(x)) * 1.0) * x[0],
    "unique and its inverse": lambda x: np.sum(x * np.unique(np.sign(x), return_inverse=True)[1]),
    "set difference": lambda x: np.sum(np.setdiff1d(np.round(x), [1.0, 2.0]) + x[0]),
    "intersection": lambda x: np.sum(x) * len(np.intersect1d(np.round(x), [1.0, 2.0, 3.0])),
    "nonzero as index": lambda x: np.sum(x[np.nonzero(x > 0)] ** 2),
    "where as index": lambda x: np.sum(x[np.where(x > 0)[0][:1]]),
    "indices of a grid": lambda x: np.sum(np.outer(x, x)[np.ix_(x > 0, x > 0)]),
    "rows by a mask": lambda x: np.sum(np.outer(x, x)[x > 0]) / (1 + len(np.outer(x, x)[x > 0])),
    "columns by a mask": lambda x: np.sum(np.outer(x, x)[:, x > 0].mean(axis=0)),
    "cells by a mask": lambda x: np.var(np.append(np.outer(x, x)[np.outer(x, x) > 1], 0.0)),
    "compress": lambda x: np.sum(np.compress(x > 0, x)) / (1 + len(np.compress(x > 0, x))),
    "extract": lambda x: np.sum(np.extract(x > 0, x) ** 2) * np.extract(x > 0, x).size,
    "argmax": lambda x: x[np.argmax(x)] * np.argmax(x),
    "up to the largest": lambda x: np.sum(x[: np.argmax(x) + 1]) / (np.argmax(x) + 1),
    "argsort": lambda x: x[np.argsort(x)] @ np.arange(4.0),
    "searchsorted into a slice": lambda x: np.sum(np.sort(x)[np.searchsorted(np.sort(x), 0.0) :]),
    "searchsorted into a shape": lambda x: (
        np.sum(np.ones(np.searchsorted(np.sort(x), 0.0) + 1)) * x[0]
    ),
    "digitize": lambda x: np.sum(x * np.array([0.1, 1.0, 7.0])[np.digitize(x, [0.0, 2.0])]),
    "bincount": lambda x: np.sum(np.bincount((x > 0).astype(int), x, 3) ** 2),
    "length of bincount": lambda x: np.sum(x) * len(np.bincount((x > 2.2).astype(int))),
    "histogram": lambda x: (
        np.sum(np.histogram(x, [-4.0, 0.0, 2.2, 5.0])[0] * [1.0, 2.0, 4.0]) * x[0]
    ),
    "repeat": lambda x: np.sum(np.repeat(x, (x > 0).astype(int) + 1) ** 2),
    "tile": lambda x: np.sum(np.tile(x, int(np.sum(x > 0)))),
    "arange": lambda x: np.sum(np.arange(np.sum(x > 0)) + x[0]),
    "zeros": lambda x: np.sum(np.zeros(int(np.sum(x > 0)) + 1) + x[0]),
    "linspace": lambda x: np.var(np.linspace(0.0, x[0], int(np.sum(x > 0)) + 2)),
    "reshape": lambda x: np.sum(x.reshape(2 if x[0] > 1 else 1, -1).mean(axis=0) ** 2),
    "roll": lambda x: np.roll(x, np.argmax(x)) @ np.arange(4.0),
    "take": lambda x: np.sum(np.take(x, np.flatnonzero(x > 0)) ** 2),
    "integer of a value": lambda x: x[int(abs(x[0])) % 4] ** 2,
    "floor": lambda x: np.sum(x ** (math.floor(abs(x[0])) + 1)),
    "round": lambda x: np.sum(x) * round(x[2]),
    "range": lambda x: sum((x[1] / (k + 1) for k in range(int(abs(x[2])))), 0.0 * x[0]),
    "any": lambda x: np.sum(x**2) if np.any(x > 3) else np.sum(x),
    "trim_zeros": lambda x: np.var(np.trim_zeros(np.append(np.where(x > 2.2, 0.0, x), x[0]))),
    "max with a key": lambda x: max(x, key=abs) ** 2,
    "sorted": lambda x: sorted(x)[0] * 3.0 + sorted(x)[-1],
    "masked twice": lambda x: np.sum(x[x > 0][: len(x[x < 0]) + 1]),
    "mask of a mask": lambda x: np.var(np.append(x[x > 0][x[x > 0] > 2.2], [0.0, 1.0])),
    "boolean product": lambda x: np.sum(x * (x > 0)) / np.maximum(np.sum(x > 0), 1),
    "integers of floats": lambda x: x[x.astype(int)[0] % 4] ** 2,
    **{
        function.__name__: function
        for function in (
            *(scaled_in_place, sigmoid, by_groups, centred_by_columns, runs, padded, winsorised),
            *(compressed_rows, deleted, halved, above_the_mean, longest, by_bisection, selected),
            *(counted, dictionary, interval, blocks, of_gaps, solved, stacked),
        )
    },
}
