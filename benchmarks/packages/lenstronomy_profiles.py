"""lenstronomy: lensing potentials, ``derivatives`` and ``hessian``."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator

import numpy as np
from lenstronomy.LensModel import Profiles

from benchmarks.packages.pair import Pair

AT = np.array([0.7, 0.4])
VALUES = {
    "theta_E": 1.1,
    "gamma": 1.9,
    "e1": 0.1,
    "e2": -0.05,
    "Rs": 1.3,
    "alpha_Rs": 0.8,
    "center_x": 0.02,
    "center_y": -0.03,
    "s_scale": 0.2,
    "sigma0": 0.7,
    "Ra": 0.3,
    "r_core": 0.4,
    "r_trunc": 3.1,
    "amp": 0.9,
    "sigma": 0.6,
    "sigma_x": 0.6,
    "sigma_y": 0.8,
    "gamma1": 0.05,
    "gamma2": -0.04,
    "kappa": 0.1,
    "kappa_0": 0.3,
    "theta_c": 0.7,
    "q": 0.8,
    "a": 0.9,
    "s": 0.3,
    "m": 4,
    "a_m": 0.05,
    "phi_m": 0.3,
    "k_eff": 0.4,
    "R_sersic": 0.9,
    "n_sersic": 2.0,
    "alpha_1": 0.8,
    "w_c": 0.2,
    "w_t": 0.9,
    "gamma_in": 1.1,
    "b": 1.1,
    "f_xx": 0.1,
    "f_yy": 0.2,
    "f_xy": 0.03,
    "f_yx": 0.03,
    "alpha_x": 0.1,
    "alpha_y": 0.2,
    "g1": 0.01,
    "g2": 0.02,
    "g3": -0.01,
    "g4": 0.03,
    "phi": 0.4,
    "gamma_ext": 0.05,
    "psi_ext": 0.4,
    "ra_0": 0.0,
    "dec_0": 0.0,
    "lambda_approx": 0.9,
    "a4_a": 0.02,
}
SLOW = ("Interpol", "Tabulated", "Shapelets", "GaussDec", "GaussianEllipseKappa", "numba", "BPL")


def _profiles() -> Iterator[tuple[str, type]]:
    for found in pkgutil.iter_modules(Profiles.__path__):
        try:
            module = importlib.import_module(f"{Profiles.__name__}.{found.name}")
        except ImportError:
            continue
        for name, profile in [*vars(module).items()]:
            if inspect.isclass(profile) and profile.__module__ == module.__name__:
                yield name, profile


def _of(name: str, profile: type) -> Iterator[Pair]:
    made = profile()
    names = [n for n in inspect.signature(made.function).parameters if n not in ("x", "y")]
    values = {n: VALUES[n] for n in names}

    def function(x):
        return made.function(x[0], x[1], **values)

    def slopes(x):
        return np.array(made.derivatives(x[0], x[1], **values))

    def curvatures(x):
        return np.reshape(made.hessian(x[0], x[1], **values), (2, 2))

    finite = [np.all(np.isfinite(f(AT))) for f in (function, slopes, curvatures)]
    if all(finite):
        yield Pair(f"lenstronomy: {name}.derivatives", function, slopes, (AT,))
        yield Pair(f"lenstronomy: {name}.hessian", slopes, curvatures, (AT,), "jacobian")


def pairs() -> Iterator[Pair]:
    """Every profile whose parameters are numbers that are known here."""
    for name, profile in _profiles():
        if any(part in name for part in SLOW) or not hasattr(profile, "hessian"):
            continue
        try:
            yield from _of(name, profile)
        except Exception:  # noqa: BLE001  # of theirs: "not yet implemented", and the like
            continue
