"""scipy.stats as it stands: its Python code is recorded, by places and by all parameters."""

import numpy as np
import pytest
from scipy import stats

import symtape
import verify
from symtape.reading.distributions import RECORDED

SHAPES = {
    "beta": (2.5, 1.5),
    "gamma": (2.5,),
    "chi2": (3.5,),
    "t": (4.5,),
    "pareto": (2.5,),
    "truncnorm": (-1.25, 1.5),
    "gennorm": (1.75,),
    "lognorm": (0.75,),
    "weibull_min": (1.75,),
    "f": (3.5, 5.5),
    "ncx2": (3.5, 0.75),
    "nct": (3.5, 0.75),
    "skewnorm": (1.75,),
    "rice": (0.75,),
    "invgauss": (0.75,),
    "exponnorm": (1.25,),
    "vonmises": (2.25,),
    "wrapcauchy": (0.375,),
}
FIXED = {
    "nct": "the derivatives of its distribution by its shapes are not known",
    "ncx2": "the derivative of its distribution by the degrees of freedom is not known",
    "rice": "its distribution is ncx2's",
    "vonmises": "the derivative of its distribution by kappa is not known",
}
"""Distributions that are differentiated by place, location and scale alone."""

WITHOUT_BALLS = {
    ("ncx2", "cdf"): "Arb has not the non-central distribution",
    ("nct", "cdf"): "Arb has not the non-central distribution",
    ("rice", "cdf"): "Arb has not the non-central distribution",
}

DISCRETE = {
    "poisson": lambda d, m, z: getattr(d, m)(2, z[0]),
    "bernoulli": lambda d, m, z: getattr(d, m)(1, z[0]),
    "binom": lambda d, m, z: getattr(d, m)(2, 7, z[0]),
    "nbinom": lambda d, m, z: getattr(d, m)(2, z[1], z[0]),
    "geom": lambda d, m, z: getattr(d, m)(2, z[0]),
    "betabinom": lambda d, m, z: getattr(d, m)(2, 7, z[0], z[1]),
}
CONTINUOUS = [
    (name, method)
    for name, methods in RECORDED.items()
    if isinstance(getattr(stats, name or "norm"), stats.rv_continuous) and name
    for method in methods
]


def _continuous(name, method):
    distribution, shapes = getattr(stats, name), SHAPES.get(name, ())
    given = () if name in FIXED else shapes

    def function(z):
        return getattr(distribution, method)(
            z[0], *(shapes if name in FIXED else z[3:]), loc=z[1], scale=z[2]
        )

    inverse = method in ("ppf", "isf")
    at = 0.375 if inverse else float(distribution.ppf(0.375, *shapes, loc=0.25, scale=1.5))
    return function, np.array([at, 0.25, 1.5, *given])


def _quotients(function, at, step=1e-4):
    found = []
    for unit in np.eye(len(at)):
        ends = [np.asarray(function(at + k * step * unit)) for k in (-2, -1, 1, 2)]
        found.append((ends[0] - 8 * ends[1] + 8 * ends[2] - ends[3]) / (12 * step))
    return np.stack(found, axis=-1)


def _agrees(function, at):
    gradient = symtape.grad(function)(at)
    np.testing.assert_allclose(gradient, _quotients(function, at), rtol=1e-6, atol=1e-8)
    direction = np.linspace(1.0, 2.0, len(at))
    _, forward = symtape.jvp(function, (at,), (direction,))
    assert forward == pytest.approx(gradient @ direction, rel=1e-10)


@pytest.mark.parametrize(("name", "method"), CONTINUOUS)
def test_continuous_distributions(name, method):
    _agrees(*_continuous(name, method))


@pytest.mark.parametrize("name", ["norm", "gamma", "beta", "t", "gumbel_r", "pareto", "skewnorm"])
@pytest.mark.parametrize("method", ["logpdf", "cdf"])
def test_second_derivatives(name, method):
    function, at = _continuous(name, method)
    quotients = _quotients(symtape.grad(function), at)
    np.testing.assert_allclose(symtape.hessian(function)(at), quotients, rtol=1e-5, atol=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "method"), [pair for pair in CONTINUOUS if pair[1] in ("logpdf", "cdf")]
)
def test_verdicts(name, method):
    function, at = _continuous(name, method)
    found = verify.gradient(function, at=[at])
    expected = "UNDECIDED" if (name, method) in WITHOUT_BALLS else "CORRECT"
    assert found.verdict.value == expected, str(found)


@pytest.mark.parametrize(
    ("name", "method"),
    [(name, method) for name in DISCRETE for method in RECORDED[name] if method != "entropy"],
)
def test_discrete_distributions(name, method):
    call, distribution = DISCRETE[name], getattr(stats, name)
    at = np.array([0.375, 2.5]) if name in ("nbinom", "betabinom") else np.array([0.375])
    _agrees(lambda z: call(distribution, method, z), at)


DATA = np.array([0.25, -1.25, 0.75, 2.125, 0.0625])
PLACE = np.array([0.25, 0.5])


def _covariance(z):
    return np.stack([np.stack([z[2], z[3]]), np.stack([z[3], 1.5 * z[2]])])


CALLS = {
    "dirichlet.logpdf": (lambda z: stats.dirichlet.logpdf([0.25, 0.25, 0.5], z), [1.5, 2.0, 0.75]),
    "dirichlet.pdf": (lambda z: stats.dirichlet.pdf([0.25, 0.25, 0.5], z), [1.5, 2.0, 0.75]),
    "dirichlet.entropy": (lambda z: stats.dirichlet.entropy(z), [1.5, 2.0, 0.75]),
    "multivariate_normal.logpdf": (
        lambda z: stats.multivariate_normal.logpdf(z[:2], z[2:], [[2.0, 0.25], [0.25, 1.0]]),
        [0.25, 0.5, 0.75, 1.0],
    ),
    "multivariate_normal.pdf": (
        lambda z: stats.multivariate_normal.pdf(z[:2], z[2:], [[2.0, 0.25], [0.25, 1.0]]),
        [0.25, 0.5, 0.75, 1.0],
    ),
    "multinomial.logpmf": (
        lambda z: stats.multinomial.logpmf([1, 2, 3], 6, z / np.sum(z)),
        [0.25, 0.25, 0.5],
    ),
    "multinomial.pmf": (
        lambda z: stats.multinomial.pmf([1, 2, 3], 6, z / np.sum(z)),
        [0.25, 0.25, 0.5],
    ),
    "wishart.logpdf": (
        lambda z: stats.wishart.logpdf(np.array([[2.0, 0.25], [0.25, 1.0]]), 4.5, _covariance(z)),
        [0.0, 0.0, 1.5, 0.25],
    ),
    "poisson.entropy": (lambda z: stats.poisson.entropy(z[0]), [2.5]),
    "norm.entropy": (lambda z: stats.norm.entropy(z[0], z[1]), [0.5, 1.5]),
    "gamma.entropy": (lambda z: stats.gamma.entropy(z[0], 0.0, z[1]), [2.5, 1.5]),
    "norm.nnlf": (lambda z: stats.norm.nnlf(z, DATA), [0.25, 1.5]),
    "gamma.nnlf": (lambda z: stats.gamma.nnlf([z[0], -2.0, z[1]], DATA), [2.5, 1.5]),
    "a frozen one": (lambda z: stats.norm(z[0], z[1]).logpdf(0.5), [0.25, 1.5]),
    "gamma.var": (lambda z: stats.gamma.var(z[0], 0.0, z[1]), [2.5, 1.5]),
    "beta.std": (lambda z: stats.beta.std(z[0], z[1]), [2.5, 1.5]),
    "sem": (stats.sem, DATA),
    "zscore": (lambda z: stats.zscore(z)[1], DATA),
    "gmean": (stats.gmean, abs(DATA)),
    "hmean": (stats.hmean, abs(DATA)),
    "skew": (stats.skew, DATA),
    "kurtosis": (stats.kurtosis, DATA),
    "moment": (lambda z: stats.moment(z, 3), DATA),
    "gaussian_kde at a place": (lambda z: stats.gaussian_kde(DATA)(z)[0], [0.375]),
    "gaussian_kde.logpdf": (lambda z: stats.gaussian_kde(DATA).logpdf(z)[0], [0.375]),
    "gaussian_kde by data": (lambda z: stats.gaussian_kde(z)(PLACE)[0], DATA),
    "f.ppf": (lambda z: stats.f.ppf(z[0], z[1], z[2]), [0.375, 3.5, 5.5]),
}


@pytest.mark.parametrize("name", CALLS)
def test_others(name):
    function, at = CALLS[name]
    _agrees(function, np.array(at))
