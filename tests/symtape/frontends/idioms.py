"""Idioms of plain NumPy code: a function and a point for each, to be recorded as it stands."""

from __future__ import annotations

import builtins
import collections
import dataclasses
import functools
import itertools
import math
import operator
import statistics
from concurrent.futures import ThreadPoolExecutor
from math import exp as _exp
from math import hypot, log

import numpy as np
import scipy.linalg
import scipy.spatial.distance
import scipy.special
import scipy.stats
from numpy import asarray as to_array
from numpy import sum as total
from numpy import zeros

X = np.array([0.5, 2.0, -0.75, 1.25])

IDIOMS = {}


def idiom(function):
    IDIOMS[function.__name__.strip("_")] = function
    return function


def row(name, function):
    IDIOMS[name] = function


row("asarray", lambda x: np.sum(np.asarray(x, dtype=float) ** 2))
row("asanyarray", lambda x: np.sum(np.asanyarray(x) ** 3))
row("ascontiguousarray", lambda x: np.sum(np.ascontiguousarray(x.T) ** 2))
row("asfortranarray", lambda x: np.sum(np.asfortranarray(np.outer(x, x)) ** 2))
row("asarray_chkfinite", lambda x: np.sum(np.asarray_chkfinite(x) ** 2))
row("require", lambda x: np.sum(np.require(x, float, ["C"]) ** 2))
row("array without a copy", lambda x: np.sum(np.array(x, copy=None) ** 2))
row("array with ndmin", lambda x: np.sum(np.array(x[0], ndmin=2) ** 2))
row("nested lists", lambda x: np.linalg.det(np.array([[x[0], x[1]], [x[2], 1.0]])))
row("mixed lists", lambda x: np.sum(np.array([x, np.ones(4), [1, 2, 3, x[0]]]) ** 2))
row("atleast_1d", lambda x: np.atleast_1d(x[0])[0] ** 2)
row("atleast_2d", lambda x: np.sum(np.atleast_2d([x[0], x[1]]) ** 2))
row("atleast_3d", lambda x: np.sum(np.atleast_3d(x) ** 2))
row("full", lambda x: np.sum(np.full((2, 2), x[0]) ** 2))
row("full of rows", lambda x: np.sum(np.full((3, 4), x) ** 2))
row("full_like", lambda x: np.sum(np.full_like(np.ones(3), x[1]) ** 2))
row("r_", lambda x: np.sum(np.r_[x[0], 1.0, x[1:], 0:3] ** 2))
row("c_", lambda x: np.sum(np.c_[x, x**2, np.ones(4)] ** 3))
row("block", lambda x: np.sum(np.block([[np.outer(x, x), x[:, None]], [x[None], x[:1]]]) ** 2))
row("fromiter", lambda x: np.sum(np.fromiter((t**2 for t in x), dtype=float)))
row("vectorize", lambda x: np.sum(np.vectorize(lambda t, s: t * math.exp(s))(x, x[::-1])))
row("frompyfunc", lambda x: np.sum(np.frompyfunc(lambda t: t**3, 1, 1)(x)))
row("apply_along_axis", lambda x: np.sum(np.apply_along_axis(lambda r: r * r[0], 0, x)))
row("sum of a list", lambda x: np.sum([x[0] ** 2, x[1]]))
row("dot of lists", lambda x: np.dot([x[0], 1.0], [x[1], x[2]]))
row("mean of a list", lambda x: np.mean([x[0], x[1] ** 2]))
row("maximum of lists", lambda x: np.sum(np.maximum([x[0], x[1]], [1.0, 1.0])))
row("float64", lambda x: np.float64(x[0]) ** 2 + np.float64(x[1]))
row("zeros then rows", lambda x: rows_of(np.zeros((2, 4)), x))
row("empty then entries", lambda x: entries_of(np.empty_like(x), x))
row("eye then entries", lambda x: corner_of(np.eye(2), x))
row("a name for zeros", lambda x: entries_of(zeros(4), x))
row("a name for asarray", lambda x: total(to_array(x) ** 2))
row("a name for sum", lambda x: total([x[0] ** 2, x[1]]))
row("a name for exp", lambda x: _exp(x[0]) + log(x[1]) * hypot(x[2], x[3]))


def rows_of(y, x):
    y[0] = x
    y[1] = x**2
    return np.sum(y * y[::-1])


def entries_of(y, x):
    for k in range(len(x)):
        y[k] = x[k] ** 2
    y[1:] -= y[:-1]
    return np.sum(y**2)


def corner_of(y, x):
    y[0, 1] = x[0]
    return np.linalg.det(y + np.diag(x[:2]))


for _name in (
    *("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "atanh"),
    *("exp", "expm1", "log1p", "sqrt", "fabs", "erf", "erfc", "degrees", "radians"),
):
    _function = getattr(math, _name)
    row(f"math.{_name}", lambda x, f=_function: f(x[0]) * f(0.5 * x[0]) + x[1])

row("math.log", lambda x: math.log(x[1]) + math.log(x[1], 3) + math.log2(x[0]) + math.log10(x[1]))
row("math.atan2", lambda x: math.atan2(x[0], x[1]) * math.pow(x[1], x[0]))
row("math.acosh", lambda x: math.acosh(x[1]) + math.copysign(x[0], x[2]) + math.fmod(x[1], 0.75))
row("math.lgamma", lambda x: math.lgamma(x[1]))
row("math.fsum", lambda x: math.fsum(t**2 for t in x))
row("math.prod", math.prod)
row("math.hypot", lambda x: math.hypot(*x))
row("math.dist", lambda x: math.dist(x, [1.0, 0.0, 0.0, 1.0]))
row("math.isnan", lambda x: 0.0 if math.isnan(x[0]) or math.isinf(x[1]) else x[0] * x[1])
row("math.floor", lambda x: x[1] * math.floor(x[3]) + x[0] * math.ceil(x[0]))
row("mapped", lambda x: sum(map(math.sin, x)))
row("float", lambda x: float(x[0]) ** 2 * float(x[1]))
row("floats", lambda x: sum(t * t for t in map(float, x)))
row("round", lambda x: round(x[1], 2) * 0.0 + x[0] * round(x[1] + 0.25))
row("divmod", lambda x: operator.mul(*divmod(x[1] + 0.25, 1.0)))
row("int", lambda x: x[int(x[3])] ** 2)
row("item", lambda x: x[0].item() * x.item(1) * x.sum().item())
row("tolist", lambda x: sum(t**2 for t in x.tolist()))
row("builtins", lambda x: builtins.max(x) * builtins.min(x) + abs(x[2]) + sum(sorted(x)[:2]))
row("mean", lambda x: statistics.mean(x) * statistics.fmean(list(x)))
row("variance", lambda x: statistics.variance(x) + statistics.pstdev(x) + statistics.stdev(x))
row("median", lambda x: statistics.median(x) ** 2)
row("geometric_mean", lambda x: statistics.geometric_mean(x**2) + statistics.harmonic_mean(x**2))
row("covariance", lambda x: statistics.covariance(x, x**2))
row("accumulated", lambda x: list(itertools.accumulate(x, operator.mul))[-1])
row("reduced", lambda x: functools.reduce(lambda a, b: a * b + 1, x))
row("a Counter", lambda x: sum(collections.deque(x, maxlen=2)) ** 2)


@idiom
def _asks_for_an_array(x):
    return np.sum(x**2) if type(x) is np.ndarray else np.sum(x**3)


@idiom
def _asks_for_a_subclass(x):
    return x[0] ** 2 if issubclass(type(x), np.ndarray) else x[0] ** 3


@idiom
def _asks_for_a_module(x):
    return x[0] ** 2 if type(x[0]).__module__ == "numpy" else x[0] ** 3


@idiom
def _asks_for_a_number(x):
    return x[0] ** 2 if isinstance(x[0], float) and np.isscalar(x[0]) else x[0] ** 3


class Model:
    scale = math.sqrt(2.0)

    def __init__(self, shift):
        self.shift = float(shift)

    def at(self, x):
        out = np.zeros(len(x))
        out[:] = np.asarray(x) * self.scale
        return math.exp(out[0]) + out[1] ** 2 + self.shift

    @property
    def doubled(self):
        return np.asarray(self.shift) * 2

    @staticmethod
    def squared(t):
        return float(t) ** 2

    @classmethod
    def made(cls, t):
        return cls(t).doubled


MODEL = Model(1.5)
row("a method", MODEL.at)
row("a static method", lambda x: Model.squared(x[0]) + Model.made(x[1]))
row("an object made of it", lambda x: Model(x[2]).at(x))
row("a partial", functools.partial(lambda scale, x: np.sum(np.array([x[0] * scale])), 3.0))


@dataclasses.dataclass
class State:
    position: float
    momentum: float


@idiom
def _dataclass(x):
    state = State(float(x[0]), x[1])
    return dataclasses.replace(state, momentum=x[2]).momentum * state.position


@idiom
def _generator(x):
    def squares():
        for t in x:
            yield math.pow(t, 2)

    return math.fsum(squares())


@idiom
def _recursion(x):
    def horner(k, t):
        return float(x[k]) + t * horner(k + 1, t) if k < 3 else x[3]

    return horner(0, float(x[0]))


@idiom
def _decorated(x):
    def logged(function):
        @functools.wraps(function)
        def wrapper(*args):
            return function(*args)

        return wrapper

    return logged(lambda t: np.asarray(t)[0] ** 2)(x)


@idiom
def _threads(x):
    with ThreadPoolExecutor(2) as pool:
        return sum(pool.map(lambda t: t**2, list(x)))


@idiom
def _masked_write(x):
    y = x**2
    y[x > 1] = x[0]
    y[y < 0.3] *= 2
    return np.sum(y)


@idiom
def _masked_write_by_asarray(x):
    y = np.asarray(x) * 2
    mask = np.asarray(x) < 0
    y[mask] = -(y[mask] ** 2)
    return np.sum(y * x)


@idiom
def _outs(x):
    y = np.empty(4)
    np.multiply(x, x, out=y)
    np.exp(y, y)
    z = np.empty(())
    np.einsum("i,i->", y, x, out=z)
    s = np.zeros(4)
    np.cumsum(x, out=s)
    np.dot(np.outer(x, x), x, out=y)
    return z * np.sum(s * y)


@idiom
def _writers(x):
    y = np.zeros((2, 2))
    np.fill_diagonal(y, x[:2])
    np.copyto(y, x[2], where=np.array([[False, True], [False, False]]))
    np.put(y, [2], x[3])
    z = x.copy()
    np.place(z, z < 0, [x[0]])
    np.putmask(z, z > 1, z**2)
    np.put_along_axis(z, np.array([0]), x[1], axis=0)
    w = np.empty(3)
    w.fill(x[0])
    return np.sum(y**2) + np.sum(z**2) + np.sum(w)


@idiom
def _writes_through_views(x):
    a = np.zeros((2, 2))
    a[0][1] = x[0]
    a.T[0] = x[:2]
    for each in a:
        each[:] = each * x[1]
    a.ravel()[3] = x[2]
    part = a[0:1]
    part -= x[3]
    a.flat[0] += 1.0
    return np.sum(a**2)


@idiom
def _add_at(x):
    y = np.zeros(2)
    np.add.at(y, [0, 0, 1, 1], x**2)
    y[np.array([0, 1])] += x[:2]
    return y[0] * y[1]


@idiom
def _histogram_like(x):
    bins = np.searchsorted([0.0, 1.0, 1.5], x)
    y = np.zeros(4)
    np.add.at(y, bins, x)
    return np.sum(y**2)


row("searchsorted", lambda x: x[np.searchsorted([0.0, 1.0], x[0])] ** 2)
row("digitize", lambda x: np.sum(np.array([1.0, 2.0, 3.0])[np.digitize(x, [0.0, 1.0])] * x))
row("argmax", lambda x: x[np.argmax(x)] ** 2 + x[np.argmin(x)])
row("argsort", lambda x: np.sum(x[np.argsort(x)] * np.arange(4)))
row("unique", lambda x: np.sum(np.unique(x) ** 2))
row("nonzero", lambda x: np.sum(x[np.nonzero(x > 0)] ** 2) + np.sum(x[np.flatnonzero(x < 1)]))
row("where of one", lambda x: np.sum(x[np.where(x > 0)] ** 2))
row("interp", lambda x: np.interp(x[0], [0.0, 1.0, 2.0], [0.0, 1.0, 4.0]) ** 2)
row("piecewise", lambda x: np.sum(np.piecewise(x, [x < 0, x >= 0], [lambda t: t**2, lambda t: t])))
row("select", lambda x: np.sum(np.select([x < 0, x > 1], [x**2, x**3], 1.0)))
row("choose", lambda x: np.sum(np.choose([0, 1, 0, 1], [x, x**2])))
row("sort", lambda x: np.sum(np.sort(x) * np.arange(4.0)))
row("sliding windows", lambda x: np.sum(np.lib.stride_tricks.sliding_window_view(x, 2) ** 2))
row("ndenumerate", lambda x: sum(t**2 * i[0] for i, t in np.ndenumerate(x)))
row("nditer", lambda x: sum(t**2 for t in np.nditer(x)))
row("flat", lambda x: sum(t**2 for t in x.flat))
row("polynomials", lambda x: np.poly1d([1.0, 2.0])(x[2]) + np.polyval([x[0], 1.0], x[1]))
row("scipy.stats", lambda x: scipy.stats.norm.logpdf(x[0], x[1], 1.5) + scipy.stats.gmean(x**2))
row("scipy.special", lambda x: scipy.special.logsumexp(x) * np.sum(scipy.special.softmax(x)[:2]))
row("scipy.linalg", lambda x: np.sum(scipy.linalg.solve(np.outer(x, x) + np.eye(4), x) ** 2))
row("scipy.spatial", lambda x: scipy.spatial.distance.euclidean(x, np.ones(4)))
row("scipy.linalg.toeplitz", lambda x: np.sum(scipy.linalg.toeplitz(x) ** 3))
