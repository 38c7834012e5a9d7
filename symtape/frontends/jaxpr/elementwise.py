"""Primitives that act on each element alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from symtape.frontends.elementwise import ELEMENTWISE
from symtape.frontends.jaxpr.table import READINGS, Call, reads
from symtape.recording.custom import stop_gradient
from symtape.recording.tensor import Tensor


def _equal(x: Any, y: Any) -> Any:
    # What asks whether a value is the same as itself asks whether it is a number.
    return np.invert(np.isnan(x)) if x is y else np.equal(x, y)


_OF_OPERANDS: Final[dict[str, Callable[..., Any]]] = {
    **ELEMENTWISE,
    "add": np.add,
    "add_any": np.add,
    "and": np.bitwise_and,
    "cbrt": np.cbrt,
    "clamp": lambda low, x, high: np.minimum(np.maximum(x, low), high),
    "eq": _equal,
    "eq_to": _equal,
    "is_finite": np.isfinite,
    "le_to": np.less_equal,
    "lt_to": np.less,
    "max": np.maximum,
    "min": np.minimum,
    "ne": lambda x, y: np.isnan(x) if x is y else np.not_equal(x, y),
    "not": np.invert,
    "or": np.bitwise_or,
    "pow": np.power,
    "rem": np.fmod,
    "square": np.square,
    "stop_gradient": lambda x: stop_gradient(x) if x.dtype.kind == "f" else x,
    "sub": np.subtract,
    "xor": np.bitwise_xor,
    **dict.fromkeys(("conj", "real", "copy", "copy_p", "name"), lambda x: x),
    **dict.fromkeys(("with_memory_space_constraint", "reshard"), lambda x: x),
    **dict.fromkeys(("optimization_barrier", "tie", "device_put"), lambda *xs: list(xs)),
}

_SCIPY: Final[dict[str, str]] = {
    "bessel_i0e": "i0e",
    "bessel_i1e": "i1e",
    "digamma": "psi",
    "erf": "erf",
    "erf_inv": "erfinv",
    "erfc": "erfc",
    "igamma": "gammainc",
    "igammac": "gammaincc",
    "lgamma": "gammaln",
    "logistic": "expit",
    "regularized_incomplete_beta": "betainc",
}


def _apply_to_operands(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda call, *operands: function(*operands)


def _apply_scipy(name: str) -> Callable[..., Any]:
    def reading(call: Call, *operands: Any) -> Any:
        from scipy import special

        return getattr(special, name)(*operands)

    return reading


READINGS.update({name: _apply_to_operands(function) for name, function in _OF_OPERANDS.items()})
READINGS.update({name: _apply_scipy(function) for name, function in _SCIPY.items()})


@reads("div")
def _quotient(call: Call, x: Any, y: Any) -> Any:
    """Of integers: rounded towards zero."""
    if call.dtype.kind == "f":
        return np.divide(x, y)
    return np.sign(x) * np.sign(y) * (np.abs(x) // np.abs(y))


@reads("integer_pow")
def _integer_power(call: Call, x: Any) -> Any:
    exponent = int(call.params["y"])
    if exponent == 2:
        return np.square(x)
    if exponent == -1:
        return np.reciprocal(x)
    return np.power(x, np.asarray(exponent).astype(call.dtype)[()])


@reads("round")
def _round_nearest(call: Call, x: Any) -> Any:
    """To the nearest; ties go to the even, or away from zero."""
    if int(call.params["rounding_method"]) == 1:
        return np.rint(x)
    half = np.asarray(0.5, call.dtype)[()]
    return np.where(np.abs(x - np.trunc(x)) == half, x + np.sign(x) * half, np.rint(x))


@reads("polygamma")
def _polygamma(call: Call, order: Any, x: Any) -> Any:
    from symtape.scipy.special import polygamma

    orders = np.unique(np.asarray(order)) if not isinstance(order, Tensor) else np.empty(0)
    if orders.size != 1 or orders[0] != int(orders[0]):
        raise call.refuse("polygamma is read for one order, an integer that no input changes")
    return polygamma(int(orders[0]), x)


@reads("convert_element_type")
def _convert_dtype(call: Call, x: Any) -> Any:
    dtype = np.dtype(call.params["new_dtype"])
    if dtype.kind not in "fiub":
        raise call.refuse(f"a conversion to {dtype}: symtape computes with real numbers of NumPy")
    return x if x.dtype == dtype else x.astype(dtype)


@reads("reduce_precision")
def _fewer_digits(call: Call, x: Any) -> Any:
    found = np.finfo(x.dtype)
    if call.params["exponent_bits"] < found.nexp or call.params["mantissa_bits"] < found.nmant:
        raise call.refuse("rounding to fewer digits has no derivative, and no row in symtape")
    return x


@reads("select_n")
def _select_case(call: Call, which: Any, *cases: Any) -> Any:
    if len(cases) == 1:
        return cases[0]
    if which.dtype.kind == "b":
        return np.where(which, cases[1], cases[0])
    chosen = cases[-1]
    for place in range(len(cases) - 2, -1, -1):
        chosen = np.where(np.less_equal(which, place), cases[place], chosen)
    return chosen


@reads("nextafter")
def _refuse_nextafter(call: Call, x: Any, y: Any) -> Any:
    raise call.refuse("the next float is no function of real numbers")
