"""scikit-learn: kernels and likelihoods with ``eval_gradient``, losses with their gradients."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor, kernels
from sklearn.linear_model._huber import _huber_loss_and_gradient
from sklearn.neighbors import NeighborhoodComponentsAnalysis

from benchmarks.packages.pair import Pair

X = np.random.default_rng(0).normal(size=(4, 2))
KERNELS = {
    "RBF": kernels.RBF(0.8),
    "RBF, anisotropic": kernels.RBF([0.8, 1.3]),
    "Matern 1/2": kernels.Matern(0.8, nu=0.5),
    "Matern 3/2": kernels.Matern(0.8, nu=1.5),
    "Matern 5/2": kernels.Matern(0.8, nu=2.5),
    "Matern, infinite": kernels.Matern(0.8, nu=np.inf),
    "RationalQuadratic": kernels.RationalQuadratic(0.8, 1.2),
    "ExpSineSquared": kernels.ExpSineSquared(0.8, 1.4),
    "DotProduct": kernels.DotProduct(0.7),
    "ConstantKernel": kernels.ConstantKernel(0.7),
    "WhiteKernel": kernels.WhiteKernel(0.3),
    "Sum": kernels.RBF(0.8) + kernels.WhiteKernel(0.3),
    "Product": kernels.ConstantKernel(0.7) * kernels.Matern(0.8, nu=1.5),
    "Exponentiation": kernels.Exponentiation(kernels.RationalQuadratic(0.8, 1.2), 2),
}


def _of_kernels() -> Iterator[Pair]:
    for name, kernel in KERNELS.items():

        def values(theta, kernel=kernel):
            return kernel.clone_with_theta(theta)(X)

        def slopes(theta, kernel=kernel):
            return kernel.clone_with_theta(theta)(X, eval_gradient=True)[1]

        yield Pair(f"scikit-learn: {name}", values, slopes, (kernel.theta + 0.1,), "jacobian")


def _of_likelihoods() -> Iterator[Pair]:
    targets = np.sin(X[:, 0])
    for name in ("RBF", "RBF, anisotropic", "Matern 3/2", "RationalQuadratic", "Sum"):
        process = GaussianProcessRegressor(KERNELS[name], alpha=1e-2, optimizer=None)
        process.fit(X, targets)

        def likelihood(theta, process=process):
            return process.log_marginal_likelihood(theta, clone_kernel=True)

        def slope(theta, process=process):
            return process.log_marginal_likelihood(theta, eval_gradient=True)[1]

        at = (KERNELS[name].theta + 0.1,)
        yield Pair(f"scikit-learn: log_marginal_likelihood, {name}", likelihood, slope, at)


def _of_losses() -> Iterator[Pair]:
    random = np.random.default_rng(1)
    x, y, weights = random.normal(size=(6, 2)), random.normal(size=6), np.ones(6)

    def huber(w):
        return _huber_loss_and_gradient(w, x, y, 1.35, 0.01, weights)

    yield Pair(
        *("scikit-learn: Huber regression", lambda w: huber(w)[0], lambda w: huber(w)[1]),
        (np.array([0.4, -0.3, 0.2, 0.9]),),
    )
    labels = np.arange(6) % 2
    same = labels[:, None] == labels
    analysis = NeighborhoodComponentsAnalysis()
    analysis.n_iter_ = 0
    parts = (x, same, -1.0)
    yield Pair(
        "scikit-learn: neighborhood components",
        lambda t: analysis._loss_grad_lbfgs(t, *parts)[0],
        lambda t: analysis._loss_grad_lbfgs(t, *parts)[1],
        (np.array([0.9, 0.1, -0.2, 1.1]),),
    )


def pairs() -> Iterator[Pair]:
    """Kernels by the logarithms of their parameters, losses by coefficients."""
    yield from _of_kernels()
    yield from _of_likelihoods()
    yield from _of_losses()
