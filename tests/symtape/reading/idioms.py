"""Idioms of plain NumPy code: a function and a point for each, to be recorded as it stands."""

from __future__ import annotations

import bisect
import builtins
import collections
import dataclasses
import fractions
import functools
import heapq
import itertools
import math
import numbers
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
row("require in words", lambda x: np.sum(np.require(x, dtype=float, requirements="C") ** 2))
row("astype by name", lambda x: np.sum(np.fft.ifft(x).real.astype(float, copy=False) ** 2))
row("__array__", lambda x: np.sum(x.__array__() ** 2) + np.sum(x.__array__(float)))
row("a plain array's dot", lambda x: np.sum(np.eye(4)[1:].dot(x) ** 2) + np.arange(4.0).dot(x))
row("a plain array's dot of a list", lambda x: np.ones((3, 2)).dot([x[0], x[1]]) @ x[1:] ** 2)
row("a plain array's dot of a matrix", lambda x: np.sum(np.ones((3, 4)).dot(np.outer(x, x)) ** 2))
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
def assigns_parts_of_complex_numbers(x):
    z = np.empty(4, dtype=complex)
    z.real, z.imag = x**2, x[::-1]
    z.real += 1.0
    y = x.copy()
    y.real[1:] *= 2.0
    return np.sum(np.abs(z) ** 3) + np.sum(y**2)


@idiom
def writes_into_what_is_made_of_a_list(x):
    y = np.transpose([x[:2], x[2:]])
    y[0] = 3.0
    y[1, y[1] > 1.5] = x[0] ** 2
    return np.sum(y**2)


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


RECORDS = np.dtype([("mass", float), ("place", float, (2,)), ("kind", int)])


@idiom
def _structured_arrays(x):
    y = np.zeros(2, dtype=RECORDS)
    y["mass"] = x[:2]
    y["place"][0] = x[2:]
    y[1]["mass"] *= 2
    y["kind"][0] = 3
    return np.sum(y["mass"] ** 2) + np.sum(y[["place"]]["place"] ** 3) * y["kind"][0]


@idiom
def _record_arrays(x):
    y = np.recarray(2, dtype=[("mass", float)])
    y.mass = x[:2]
    return np.sum(y.mass**2)


row("masked arrays", lambda x: np.ma.masked_array(x, mask=[0, 1, 0, 0]).sum() ** 2)
row("masked where", lambda x: np.ma.masked_where(x < 0, x).mean() * np.ma.masked_less(x, 0).var())
row("masked filled", lambda x: (np.ma.array(x, mask=[0, 0, 1, 0]) ** 2 + 1).filled(0.5).sum())
row("masked by a domain", lambda x: np.ma.log(x).sum() + np.sum(np.ma.sqrt(x).compressed()))
row("masked rows", lambda x: np.ma.masked_less(np.outer(x, x), 0).max(axis=0).sum())
row("masked weights", lambda x: np.ma.average(np.ma.array(x, mask=[0, 0, 1, 0]), weights=X**2))
row("masked fill", lambda x: np.ma.masked_invalid(np.append(x, np.nan)).std() ** 2)

row("poly1d", lambda x: (np.poly1d(x) * np.poly1d([1, x[0]])).deriv()(0.5))
row("poly1d integrated", lambda x: np.poly1d(x).integ()(0.5) + np.polyval(np.polyder(x), 0.3))
row("polyfit", lambda x: np.sum(np.polyfit([0.0, 1, 2, 3], x, 2) ** 2))
row("Polynomial", lambda x: np.polynomial.Polynomial(x).deriv()(0.4))
row("Polynomial products", lambda x: (np.polynomial.Polynomial(x) ** 2)(0.4))
row("Chebyshev", lambda x: np.polynomial.Chebyshev(x)(0.4) ** 2)


@functools.cache
def cached(t):
    return t**2 + math.exp(t)


@functools.cache
def table(n):
    return np.arange(n) ** 2.0


class Cached:
    def __init__(self, x):
        self.x = x

    @functools.cached_property
    def squares(self):
        return np.asarray(self.x) ** 2


row("lru_cache", lambda x: cached(x[0]) * cached(x[1]) + np.sum(table(4) * x))
row("cached_property", lambda x: np.sum(Cached(x).squares) * np.sum(Cached(x).squares[1:]))

row("own bins", lambda x: np.sum(x * np.digitize([0.2, 0.6], np.sort(x)).sum()))
row("own order", lambda x: x[np.searchsorted(np.sort(x), [0.1, 1.0])].sum() ** 2)
row("lexsort", lambda x: np.sum(x[np.lexsort((x, [0, 1, 0, 1]))] * np.arange(4)))
row("histogram", lambda x: np.sum(np.histogram([0.1, 0.5, 0.9], bins=3, weights=x[:3])[0] ** 2))
row("density", lambda x: np.sum(np.histogram(x, bins=3, range=(-1, 3), density=True)[0] * x[0]))
row("bincount", lambda x: np.sum(np.bincount([0, 1, 1, 2], weights=x) ** 2))
row("unique inverse", lambda x: operator.matmul(*np.unique(x, return_inverse=True)) ** 2)
row("sets", lambda x: np.sum(np.setdiff1d(x, [2.5]) ** 2) + np.sum(np.union1d(x, [0.1]) ** 3))
row("interp by data", lambda x: np.interp(0.3, [0.0, 0.2, 0.5, 1.0], x) ** 2)
row("interp by places", lambda x: np.interp(0.6, np.sort(x), [1.0, 2, 4, 8]))
row("interp beyond", lambda x: np.interp([-9.0, x[0]], [0.0, 1, 2, 3], x, left=x[1]).sum())
row("piecewise numbers", lambda x: np.sum(np.piecewise(x, [x < 0, x > 1], [-1.0, np.exp, np.sin])))
row("select default", lambda x: np.sum(np.select([x < 0], [x**2], default=x)))
row("choose by argmax", lambda x: np.choose(np.argmax(x), [x[0], x[1] ** 2, x[2], x[3]]))


@idiom
def _formatted(x):
    log = [f"{x[0]:.3f} {x}", str(x), f"{x[1]:5.2f}", "%5.2f" % x[1]]  # noqa: UP031
    return x[0] ** len(log)


row("isscalar", lambda x: x[0] ** 2 if np.isscalar(x[0]) and not np.isscalar(x) else x[1])
row("divmods", lambda x: divmod(x[1], 0.3)[1] * x[0] + divmod(2.3, x[0] + 0.1)[1])
row("remainders", lambda x: (x[1] // 0.3) * x[0] + x[1] % 0.3 * x[0] + math.fmod(x[1], 0.3))
row("fractions", lambda x: fractions.Fraction(1, 3) * x[0] ** 2)
row("sorted lists", lambda x: sum(k * t for k, t in enumerate(sorted(x, key=lambda t: -t))))
row("heapq", lambda x: heapq.nsmallest(2, x)[1] ** 2 + heapq.nlargest(1, list(x))[0])
row("bisect", lambda x: x[bisect.bisect([0.0, 1.0, 3.0], x[0])] ** 2)
row("extremes", lambda x: min(x) * max(x) + max(x[0], x[2], 0.0) + min(x[0], 1, key=abs))
row("sums", lambda x: sum(x, start=x[0] ** 2) * np.sum(sum([x, x**2])))
row("answers", lambda x: x[0] ** 2 if any(t > 1 for t in x) and not all(x > 0) else x[1])
row("math.modf", lambda x: math.modf(x[1] + 0.2)[0] + math.modf(x[3])[0] * x[0])
row("math.remainder", lambda x: math.remainder(x[1], 0.3) * x[0] + math.ldexp(x[0], 2))
row("math.frexp", lambda x: math.frexp(x[3])[0] * x[0])
row("math.isclose", lambda x: x[0] ** 2 if math.isclose(x[1], x[1] + 0.1, abs_tol=0.2) else x[1])
row("medians", lambda x: statistics.median(x) * statistics.median_low(x))
row("quantiles", lambda x: statistics.quantiles(x, n=3)[0] ** 2)
row("correlation", lambda x: statistics.correlation(list(x), [1, 2, 4, 3.0]))
row("linear regression", lambda x: statistics.linear_regression([1, 2, 4, 3.0], x).slope ** 2)
row("NormalDist", lambda x: statistics.NormalDist(x[0], x[1]).pdf(0.3))
row("NormalDist.cdf", lambda x: statistics.NormalDist(x[0], x[1]).cdf(0.3))
row("NormalDist of samples", lambda x: statistics.NormalDist.from_samples(list(x)).stdev)
row("real parts", lambda x: x[0].real ** 2 + x[0].imag + x[0].conjugate())
row("numbers.Real", lambda x: x[0] ** 2 if isinstance(x[0], numbers.Real) else x[1])
row("strided", lambda x: np.sum(np.lib.stride_tricks.as_strided(x, (3, 2), (8, 8)) ** 2))
row("fromfunction", lambda x: np.sum(np.fromfunction(lambda i, j: x[i.astype(int)] * j, (4, 2))))


@idiom
def _errstate(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        y = np.where(x > 0, np.log(x), 0.0)
    return np.sum(y**2)


row("vectorize rows", lambda x: np.sum(ROWS(np.outer(x, x)) ** 2))
row("vectorize types", lambda x: np.sum(np.vectorize(cached, otypes=[float])(x)))
row(
    "vectorize without",
    lambda x: np.sum(np.vectorize(np.polyval, excluded=[0])([1.0, x[0], 2.0], x)),
)
row("vectorize by name", lambda x: np.sum(np.vectorize(lambda t, s=1: t * s)(x, s=x[0])))
row("vectorize pairs", lambda x: np.sum(np.vectorize(lambda t: (t, t**2))(x)[1]))
row("several iterated", lambda x: sum(a * b for a, b in np.nditer([x, x**2])))
row("broadcast", lambda x: sum(a * b for a, b in np.broadcast(x, x[:1])))
ROWS = np.vectorize(lambda r: r * r.sum(), signature="(n)->(n)")
row("a density estimated", lambda x: np.sum(scipy.stats.gaussian_kde(x)([0.1, 0.2])))
row("its logarithm", lambda x: np.sum(scipy.stats.gaussian_kde([0.1, 0.7, 1.0]).logpdf(x)))
row("a frozen distribution", lambda x: scipy.stats.norm(x[0], x[1]).logpdf(x[2]))
row("masks of SciPy", lambda x: scipy.stats.genpareto.logpdf(x[1], x[3], scale=x[0]))
row("moments", lambda x: scipy.stats.skew(x) * scipy.stats.kurtosis(x) + scipy.stats.sem(x))
row("scores", lambda x: np.sum(scipy.stats.zscore(x) ** 3) + scipy.stats.pearsonr(x, X**2)[0])
row("a regression", lambda x: scipy.stats.linregress([1.0, 2, 4, 3], x).slope ** 2)
