"""thermo: cubic equations of state and activity coefficients, with their derivatives."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from thermo import eos
from thermo.nrtl import NRTL
from thermo.regular_solution import RegularSolution
from thermo.uniquac import UNIQUAC
from thermo.wilson import Wilson

from benchmarks.packages.pair import Pair

STATE = {"Tc": 507.6, "Pc": 3025000.0, "T": 400.0, "P": 1e6}
OMEGA = 0.2975
EQUATIONS = {
    **{name: {"omega": OMEGA} for name in ("PR", "PR78", "SRK", "TWUPR", "TWUSRK")},
    **{name: {} for name in ("VDW", "RK")},
    "PRSV": {"omega": OMEGA, "kappa1": 0.05},
    "PRSV2": {"omega": OMEGA, "kappa1": 0.05, "kappa2": 0.8, "kappa3": 0.5},
    "APISRK": {"omega": OMEGA},
    "MSRKTranslated": {"omega": OMEGA, "M": 0.7, "N": 0.2},
    "PRTranslatedConsistent": {"omega": OMEGA},
    "SRKTranslatedConsistent": {"omega": OMEGA},
    "PRTranslatedPPJP": {"omega": OMEGA},
}
XS, T = [0.25, 0.55, 0.2], 330.0


def _of_equations() -> Iterator[Pair]:
    for name, more in EQUATIONS.items():
        made = getattr(eos, name)(**STATE, **more)
        for order in (1, 2):

            def value(t, made=made, order=order):
                return made.a_alpha_and_derivatives_pure(t)[order - 1]

            def slope(t, made=made, order=order):
                return made.a_alpha_and_derivatives_pure(t)[order]

            yield Pair(f"thermo: {name}, a_alpha derivative {order}", value, slope, (400.0,))


def _models() -> dict[str, object]:
    taus = [[0.0, 150.0, -80.0], [120.0, 0.0, 60.0], [-40.0, 90.0, 0.0]]
    flat = [[0.0] * 3] * 3
    alphas = [[0.0, 0.3, 0.2], [0.3, 0.0, 0.25], [0.2, 0.25, 0.0]]
    return {
        "NRTL": NRTL(T=T, xs=XS, tau_bs=taus, tau_as=flat, alpha_cs=alphas),
        "Wilson": Wilson(T=T, xs=XS, lambda_bs=taus, lambda_as=flat),
        "UNIQUAC": UNIQUAC(T=T, xs=XS, rs=[2.1, 0.9, 3.1], qs=[1.9, 1.4, 2.4], tau_bs=taus),
        "RegularSolution": RegularSolution(
            *(), T=T, xs=XS, Vs=[7e-5, 8e-5, 9e-5], SPs=[18e3, 15e3, 21e3]
        ),
    }


def _of_mixtures() -> Iterator[Pair]:
    for name, made in _models().items():

        def at(method, made=made):
            return lambda t: getattr(made.to_T_xs(t, XS), method)()

        def mixed(method, made=made):
            return lambda xs: np.asarray(getattr(made.to_T_xs(T, list(xs)), method)())

        label = f"thermo: {name}"
        yield Pair(f"{label}.dGE_dT", at("GE"), at("dGE_dT"), (T,))
        yield Pair(f"{label}.d2GE_dT2", at("dGE_dT"), at("d2GE_dT2"), (T,))
        if hasattr(made, "d3GE_dT3"):
            yield Pair(f"{label}.d3GE_dT3", at("d2GE_dT2"), at("d3GE_dT3"), (T,))
        yield Pair(f"{label}.dGE_dxs", mixed("GE"), mixed("dGE_dxs"), (np.array(XS),))
        first, second = mixed("dGE_dxs"), mixed("d2GE_dxixjs")
        yield Pair(f"{label}.d2GE_dxixjs", first, second, (np.array(XS),), "jacobian")


def pairs() -> Iterator[Pair]:
    """By temperature and by composition."""
    yield from _of_equations()
    yield from _of_mixtures()
