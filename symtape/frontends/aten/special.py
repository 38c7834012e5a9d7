"""Readings: special functions."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from symtape.frontends.aten.table import declare_elementwise, elementwise, reads, refuse
from symtape.scipy import special as ours

declare_elementwise(
    special,
    *("erf", "erfc", "erfinv", "i0", "special_entr", "special_erfcx", "special_i0e"),
    *("special_i1", "special_i1e", "special_log_ndtr", "special_ndtri", "special_xlog1py"),
    "xlogy",
)

elementwise(
    {
        "digamma": special.psi,
        "igamma": special.gammainc,
        "igammac": special.gammaincc,
        "lgamma": special.gammaln,
        "sigmoid": special.expit,
        "polygamma": ours.polygamma,
        "sinc": np.sinc,
        "special_bessel_j0": special.j0,
        "special_bessel_j1": special.j1,
        "special_bessel_y0": special.y0,
        "special_bessel_y1": special.y1,
        "special_modified_bessel_i0": special.i0,
        "special_modified_bessel_i1": special.i1,
        "special_modified_bessel_k0": special.k0,
        "special_modified_bessel_k1": special.k1,
        "special_scaled_modified_bessel_k0": special.k0e,
        "special_scaled_modified_bessel_k1": special.k1e,
    }
)

refuse(
    "this special function has no enclosure here",
    *("special_zeta", "special_airy_ai", "special_spherical_bessel_j0"),
)


@reads("logit", promotes=True)
def logit(x: Any, eps: float | None = None) -> Any:
    """``log(x / (1 - x))``, of `x` kept away from 0 and 1 if asked."""
    if eps is not None:
        x = np.minimum(np.maximum(x, eps), 1 - eps)
    return special.logit(x)


@reads("log_sigmoid_forward")
def log_sigmoid(x: Any) -> Any:
    """``log(1 / (1 + exp(-x)))``, and what the derivative keeps."""
    return special.log_expit(x), np.exp(-np.absolute(x))
