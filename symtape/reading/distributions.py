"""What distributions of SciPy compute by complex logarithms or in C, as it keeps tensors."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from symtape.reading.dispatch import Substitute, substitute_for_tensors
from symtape.recording.nested import join_nested


def _log_gauss_mass(a: Any, b: Any) -> Any:
    """The logarithm of the normal probability between `a` and `b`, of their broadcast shape."""
    from scipy.special import log_ndtr, ndtr

    a, b = np.broadcast_arrays(join_nested(a), join_nested(b))
    right = np.greater(a, 0)
    central = np.less_equal(a, 0) & np.greater(b, 0)
    # The other tail is accurate where this one is next to 1.
    low, high = np.where(right, -b, a), np.where(right, -a, b)
    low, high = np.where(central, -1.0, low), np.where(central, -0.5, high)
    above = log_ndtr(high)
    tail = above + np.log1p(-np.exp(log_ndtr(low) - above))
    middle = np.log1p(-ndtr(np.where(central, a, -1.0)) - ndtr(np.where(central, -b, -1.0)))
    return np.where(central, middle, tail)


def _von_mises_cdf(kappa: Any, x: Any) -> Any:
    """As SciPy's function in C, by its row."""
    from symtape.primitives.special.students import VONMISES_CDF

    return VONMISES_CDF(join_nested(kappa), join_nested(x))


def _kernels(points: Any, at: Any, factor: Any) -> tuple[Any, Any]:
    """Half the squared distance of each place from each point, and the logarithm of the norm."""
    apart = np.transpose(points)[:, :, None] - np.transpose(at)[:, None, :]
    shape = np.shape(apart)
    apart = np.reshape(np.linalg.solve(factor, np.reshape(apart, (shape[0], -1))), shape)
    size = np.shape(factor)[0]
    norm = np.sum(np.log(np.diagonal(factor))) + size / 2 * math.log(2 * math.pi)
    return np.sum(apart * apart, axis=0) / 2, norm


def _gaussian_kernel_estimate(points: Any, values: Any, at: Any, factor: Any, *_: Any) -> Any:
    """As SciPy's function in C: sums of normal densities about `points`, whitened by `factor`."""
    distance, norm = _kernels(points, at, factor)
    return np.transpose(np.exp(-distance - norm)) @ join_nested(values)


def _gaussian_kernel_estimate_log(points: Any, values: Any, at: Any, factor: Any, *_: Any) -> Any:
    """The logarithm of :func:`_gaussian_kernel_estimate`."""
    from symtape.scipy.special import logsumexp

    distance, norm = _kernels(points, at, factor)
    terms = -distance[:, :, None] - norm
    return logsumexp(terms + np.log(join_nested(values))[:, None, :], axis=0)


SUBSTITUTES: Final[dict[str, dict[str, Substitute]]] = {
    "scipy.stats._continuous_distns": {"_log_gauss_mass": substitute_for_tensors(_log_gauss_mass)},
    "scipy.stats._stats": {
        "von_mises_cdf": substitute_for_tensors(_von_mises_cdf),
        "gaussian_kernel_estimate": substitute_for_tensors(_gaussian_kernel_estimate),
        "gaussian_kernel_estimate_log": substitute_for_tensors(_gaussian_kernel_estimate_log),
    },
}

_BOTH: Final = ("pdf", "logpdf")
_SIX: Final = (*_BOTH, "cdf", "logcdf", "sf", "logsf")
_PPF: Final = ("ppf", "isf")

RECORDED: Final[dict[str, tuple[str, ...]]] = {
    **dict.fromkeys(
        ("norm", "cauchy", "expon", "gumbel_l", "gumbel_r", "logistic", "uniform", "pareto"),
        (*_SIX, *_PPF),
    ),
    **dict.fromkeys(("laplace", "beta", "gamma", "chi2", "t"), (*_SIX, *_PPF)),
    **dict.fromkeys(("gennorm", "lognorm", "weibull_min", "rayleigh", "halfnorm", "f"), _SIX),
    **dict.fromkeys(("ncx2", "nct", "skewnorm", "rice", "invgauss"), _SIX),
    "exponnorm": (*_BOTH, "cdf", "sf"),
    "truncnorm": (*_SIX, "ppf"),
    "vonmises": ("pdf", "logpdf", "cdf"),
    "wrapcauchy": _BOTH,
    "dirichlet": (*_BOTH, "entropy"),
    "multivariate_normal": _BOTH,
    "multinomial": ("pmf", "logpmf"),
    "poisson": ("pmf", "logpmf", "cdf", "entropy"),
    "bernoulli": ("pmf", "logpmf", "cdf"),
    **dict.fromkeys(("binom", "nbinom", "geom", "betabinom"), ("pmf", "logpmf")),
    "": ("gaussian_kde", "sem", "zscore", "gmean", "hmean", "skew", "kurtosis", "moment"),
}
"""Of scipy.stats, what its Python code is recorded of: by distribution, its methods."""
