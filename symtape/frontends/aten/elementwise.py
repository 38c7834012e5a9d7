"""Readings: arithmetic, functions, comparisons and choices, of each element alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from symtape.frontends.aten.table import declare_elementwise, elementwise, reads, refuse
from symtape.frontends.elementwise import ELEMENTWISE
from symtape.primitives.primitive import is_stand_in
from symtape.scipy import special as ours


@reads("where")
def where(condition: Any, a: Any, b: Any) -> Any:
    """As ``np.where``."""
    dtype = _dtype(a, b)
    return np.where(condition, _cast_to(a, dtype), _cast_to(b, dtype))


def _dtype(a: Any, b: Any) -> Any:
    """What both are taken to: axes count before none, and arrays before numbers."""
    arrays = [x for x in (a, b) if hasattr(x, "dtype")]
    wide = [x for x in arrays if np.ndim(x)] or arrays
    dtypes = {x.dtype.kind: x.dtype for x in arrays}
    if "f" in dtypes and not any(x.dtype.kind == "f" for x in wide):
        wide = arrays
    return np.result_type(*(x.dtype for x in wide)) if wide else np.result_type(a, b)


def _cast_to(x: Any, dtype: Any) -> Any:
    if hasattr(x, "dtype"):
        return x if x.dtype == dtype else x.astype(dtype)
    return np.asarray(x, dtype)


@reads("clamp", promotes=True)
def clamp(x: Any, min: Any = None, max: Any = None) -> Any:  # noqa: A002 -- ATen's names
    """Between two bounds, of which one may be missing."""
    if min is not None:
        x = np.maximum(x, min)
    return x if max is None else np.minimum(x, max)


declare_elementwise(
    np,
    *("bitwise_and", "bitwise_or", "bitwise_xor", "copysign", "deg2rad", "floor_divide", "fmax"),
    *("fmin", "fmod", "heaviside", "hypot", "isinf", "isnan", "log10", "log2", "logaddexp"),
    *("logaddexp2", "logical_and", "logical_not", "logical_or", "logical_xor", "maximum"),
    *("minimum", "rad2deg", "reciprocal", "remainder", "signbit", "trunc"),
)


def _times(b: Any, alpha: Any) -> Any:
    return b if alpha == 1 else alpha * b


elementwise(
    {
        **ELEMENTWISE,
        "add": lambda a, b, alpha=1: np.add(a, _times(b, alpha)),
        "sub": lambda a, b, alpha=1: np.subtract(a, _times(b, alpha)),
        "round": lambda x, decimals=0: np.round(x, decimals),
        "bitwise_not": np.invert,
        "eq": np.equal,
        "ne": np.not_equal,
        "sgn": np.sign,
        "lerp": lambda start, end, weight: start + weight * (end - start),
    }
)

refuse("NumPy's nextafter has no derivative here", "nextafter")


@reads("div", promotes=True)
def div(a: Any, b: Any, rounding_mode: str | None = None) -> Any:
    """``a / b``, and that rounded to a whole number if asked."""
    if rounding_mode == "floor":
        return np.floor_divide(a, b)
    return np.trunc(a / b) if rounding_mode == "trunc" else np.divide(a, b)


@reads("pow", promotes=True)
def power(base: Any, exponent: Any) -> Any:
    """``base ** exponent``; a square and a root as what they are."""
    if not is_stand_in(exponent) and np.ndim(exponent) == 0:
        exponent = exponent.item() if hasattr(exponent, "item") else exponent
        if exponent == 1:
            return np.positive(base)
        if exponent == 2:
            return np.square(base)
        if exponent == 0.5:
            return np.sqrt(base)
    return np.power(base, exponent)


@reads("_local_scalar_dense")
def scalar(x: Any) -> Any:
    """A number that Python goes on with: a decision on the path, or a value that leaves."""
    if not is_stand_in(x):
        return x.item()
    if x.dtype.kind == "b":
        return bool(x)
    if x.dtype.kind in "iu":
        number = int(x._value)
        # A whole number steers as a truth value does: the path says that it is this one.
        bool(np.equal(x, number))
        return number
    return float(x)


@reads("equal")
def equal(a: Any, b: Any) -> bool:
    """Whether all elements are equal, a decision on the path."""
    return np.shape(a) == np.shape(b) and bool(np.all(np.equal(a, b)))


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
