"""statsmodels: links, variance functions, robust norms, and models with their scores."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import statsmodels.api as sm
from statsmodels.discrete import discrete_model
from statsmodels.genmod.families import links, varfuncs
from statsmodels.robust import norms

from benchmarks.packages.pair import Pair

PROBABILITY, NEGATIVE, LINEAR = 0.37, -0.37, 0.43
LINKS = {
    **{name: getattr(links, name)() for name in ("Logit", "Probit", "Cauchy", "CLogLog", "LogLog")},
    **{name: getattr(links, name)() for name in ("Log", "LogC", "Identity", "Sqrt")},
    **{name: getattr(links, name)() for name in ("InversePower", "InverseSquared")},
    "Power": links.Power(1.7),
    "NegativeBinomial": links.NegativeBinomial(1.3),
}
VARIANCES = {
    "constant": varfuncs.constant,
    "mu": varfuncs.mu,
    "mu_squared": varfuncs.mu_squared,
    "mu_cubed": varfuncs.mu_cubed,
    "Binomial": varfuncs.Binomial(),
    "Power": varfuncs.Power(1.5),
    "NegativeBinomial": varfuncs.NegativeBinomial(1.3),
}
NORMS = (
    *("LeastSquares", "HuberT", "RamsayE", "AndrewWave", "TrimmedMean", "Hampel"),
    *("TukeyBiweight", "TukeyQuartic", "StudentT"),
)
ORDINATE = np.array([0.4, -1.3, 0.7])


def _of_links() -> Iterator[Pair]:
    for name, link in LINKS.items():
        eta = NEGATIVE if name in ("LogC", "NegativeBinomial") else LINEAR
        label = f"statsmodels: {name}"
        yield Pair(f"{label}.deriv", link, link.deriv, (PROBABILITY,))
        yield Pair(f"{label}.deriv2", link.deriv, link.deriv2, (PROBABILITY,))
        yield Pair(f"{label}.inverse_deriv", link.inverse, link.inverse_deriv, (eta,))
        if name != "LogC":
            slope, curvature = link.inverse_deriv, link.inverse_deriv2
            yield Pair(f"{label}.inverse_deriv2", slope, curvature, (eta,))


def _of_variances() -> Iterator[Pair]:
    for name, variance in VARIANCES.items():
        at = (np.array([PROBABILITY, 0.8]),)

        def slopes(mu, variance=variance):
            return np.diag(variance.deriv(mu))

        yield Pair(f"statsmodels: {name}.deriv", variance, slopes, at, "jacobian")


def _of_norms() -> Iterator[Pair]:
    for name in NORMS:
        norm = getattr(norms, name)(4) if name == "StudentT" else getattr(norms, name)()
        yield Pair(f"statsmodels: {name}.psi", norm.rho, norm.psi, (0.7,))
        yield Pair(f"statsmodels: {name}.psi_deriv", norm.psi, norm.psi_deriv, (0.7,))


def _models() -> dict[str, tuple[object, np.ndarray]]:
    random = np.random.default_rng(0)
    x = sm.add_constant(random.normal(size=(12, 2)))
    mean = x @ [0.5, 0.4, -0.3]
    some, count = (mean + random.normal(size=12) > 0.4).astype(float), random.poisson(np.exp(mean))
    beta, longer = np.array([0.4, 0.3, -0.2]), np.array([0.4, 0.3, -0.2, 0.7])
    response = mean + random.normal(size=12)
    return {
        "Logit": (sm.Logit(some, x), beta),
        "Probit": (sm.Probit(some, x), beta),
        "Poisson": (sm.Poisson(count, x), beta),
        "NegativeBinomial": (sm.NegativeBinomial(count, x), longer),
        "NegativeBinomial, nb1": (sm.NegativeBinomial(count, x, loglike_method="nb1"), longer),
        "NegativeBinomialP": (discrete_model.NegativeBinomialP(count, x), longer),
        "GeneralizedPoisson": (discrete_model.GeneralizedPoisson(count, x), longer),
        "MNLogit": (sm.MNLogit(np.arange(12) % 3, x), np.linspace(-0.3, 0.4, 6)),
        "PHReg": (sm.PHReg(np.abs(response) + 0.1, x[:, 1:], status=some), beta[:2]),
        **{
            f"GLM, {name}": (sm.GLM(y, x, family=getattr(sm.families, name)(**more)), beta)
            for name, y, more in (
                ("Gaussian", response, {}),
                ("Binomial", some, {}),
                ("Poisson", count, {}),
                ("NegativeBinomial", count, {"alpha": 1.0}),
            )
        },
        "OLS": (sm.OLS(response, x), beta),
    }


def _of_models() -> Iterator[Pair]:
    for name, (model, at) in _models().items():
        label, extra = f"statsmodels: {name}", {"scale": 1.0} if "GLM" in name else {}

        def by_scale(method, extra=extra):
            return (lambda params: method(params, **extra)) if extra else method

        loglike, score = by_scale(model.loglike), by_scale(model.score)
        yield Pair(f"{label}.score", loglike, score, (at,))
        yield Pair(f"{label}.hessian", score, by_scale(model.hessian), (at,), "jacobian")
        if hasattr(model, "score_obs") and hasattr(model, "loglikeobs") and name != "MNLogit":
            each = model.loglikeobs
            yield Pair(f"{label}.score_obs", each, model.score_obs, (at,), "jacobian")


def pairs() -> Iterator[Pair]:
    """Links by probability, norms by residual, models by their parameters."""
    yield from _of_links()
    yield from _of_variances()
    yield from _of_norms()
    yield from _of_models()
