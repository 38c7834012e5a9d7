"""The modules ``math``, ``cmath`` and ``statistics`` of tensors: each function by NumPy's.

Where they raise, as ``math.sqrt(-1.0)`` does, they raise of tensors as well; where they answer
yes or no, or a whole number, the answer is a decision of the recording.
"""

from __future__ import annotations

import functools
import importlib
import math
import statistics
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from symtape.recording.nested import holds_tensor, join_nested
from symtape.recording.tensor import Tensor

Function = Callable[..., Any]

_ALIKE: Final = (
    *("acos", "asin", "atan", "atan2", "acosh", "asinh", "atanh", "pow"),
    *("sin", "cos", "tan", "sinh", "cosh", "tanh"),
    *("exp", "expm1", "log1p", "log2", "log10", "sqrt", "degrees", "radians", "copysign", "fmod"),
    *("ldexp", "isnan", "isinf", "isfinite", "exp2", "cbrt"),
)
"""What NumPy has by the same name."""

_DECISIONS: Final = frozenset(("isnan", "isinf", "isfinite"))

_OF_COMPLEX: Final = (
    *("acos", "asin", "atan", "acosh", "asinh", "atanh", "sin", "cos", "tan", "sinh", "cosh"),
    *("tanh", "exp", "log10", "sqrt"),
)

_IN_SCIPY: Final = {math.erf: "erf", math.erfc: "erfc", math.lgamma: "gammaln", math.gamma: "gamma"}


def to_float(x: Any, kind: type = float) -> Any:
    """A tensor of one element as ``float`` takes it; a tensor still."""
    if x.size != 1:
        return kind(x)
    number = x.reshape(()) if x.ndim else x
    return number if number.dtype == kind else number.astype(kind)


def to_complex(x: Any) -> Any:
    """A tensor of one element as ``complex`` takes it; a tensor still."""
    return to_float(x, complex)


def _value(x: Any) -> Any:
    if isinstance(x, Tensor):
        return x._value.item() if x._value.size == 1 else x._value
    return [_value(item) for item in x] if isinstance(x, list | tuple) else x


def _numbers(x: Any) -> Any:
    """A tensor of numbers of ``math``, which computes with Python's floats."""
    return to_float(x) if isinstance(x, Tensor) else x


def _complex_numbers(x: Any) -> Any:
    """A tensor of numbers of ``cmath``."""
    return to_complex(x) if isinstance(x, Tensor) else x


def _check_and_call(
    original: Function,
    meant: Function,
    decides: bool = False,
    numbers: Function = _numbers,
) -> Function:
    """`meant` of tensors, after `original` has raised what it raises of their values."""

    @functools.wraps(original)
    def call_meant(*args: Any) -> Any:
        if not any(isinstance(x, Tensor) for x in args):
            return original(*args)
        original(*map(_value, args))
        found = meant(*map(numbers, args))
        return bool(found) if decides else found

    return call_meant


def _check_and_call_many(original: Function, meant: Function) -> Function:
    """`meant` of the items of iterables, if a tensor is among them."""

    @functools.wraps(original)
    def call_meant(*args: Any, **keywords: Any) -> Any:
        args = tuple(x if isinstance(x, int | float | Tensor | None) else list(x) for x in args)
        if not holds_tensor(args) and not holds_tensor(list(keywords.values())):
            return original(*args, **keywords)
        original(*map(_value, args), **{name: _value(x) for name, x in keywords.items()})
        return meant(*args, **keywords)

    return call_meant


def _special(name: str, x: Any) -> Any:
    return getattr(importlib.import_module("scipy.special"), name)(x)


def _log(x: Any, base: Any = math.e) -> Any:
    return np.log(x) if base is math.e else np.log(x) / np.log(base)


def _modf(x: Any) -> tuple[Any, Any]:
    whole = np.trunc(x)
    return x - whole, whole


def _frexp(x: Any) -> tuple[Any, int]:
    """Where the exponent changes is a decision, as of every whole number."""
    _, exponent = math.frexp(_value(x))
    if x != 0:
        bool(abs(x) >= 2.0 ** (exponent - 1)), bool(abs(x) < 2.0**exponent)
    return x / 2.0**exponent, exponent


def _is_close(a: Any, b: Any, *, rel_tol: float = 1e-09, abs_tol: float = 0.0) -> bool:
    if not any(isinstance(x, Tensor) for x in (a, b)):
        return math.isclose(a, b, rel_tol=rel_tol, abs_tol=abs_tol)
    if bool(a == b):
        return True
    near = np.maximum(rel_tol * np.maximum(abs(a), abs(b)), abs_tol)
    # An infinite number is close to itself alone.
    return bool(np.isfinite(a - b)) and bool(abs(a - b) <= near)


def _hypot(*coordinates: Any) -> Any:
    return functools.reduce(np.hypot, coordinates) if len(coordinates) > 1 else abs(*coordinates)


def _mean(data: Any, weights: Any = None) -> Any:
    data = join_nested(data)
    return np.mean(data) if weights is None else np.average(data, weights=join_nested(weights))


def _variance(data: Any, xbar: Any = None) -> Any:
    return _squares(data, xbar) / (len(data) - 1)


def _pvariance(data: Any, mu: Any = None) -> Any:
    return _squares(data, mu) / len(data)


def _squares(data: Any, centre: Any) -> Any:
    data = join_nested(data)
    return np.sum((data - (np.mean(data) if centre is None else centre)) ** 2)


def _harmonic_mean(data: Any, weights: Any = None) -> Any:
    weights = np.ones(len(data)) if weights is None else join_nested(weights)
    return np.sum(weights) / np.sum(weights / join_nested(data))


def _covariance(x: Any, y: Any, /) -> Any:
    x, y = join_nested(x), join_nested(y)
    return np.sum((x - np.mean(x)) * (y - np.mean(y))) / (np.size(x) - 1)


def _rect(r: Any, phi: Any) -> Any:
    r, phi = np.real(r), np.real(phi)
    return r * np.cos(phi) + r * np.sin(phi) * 1j


def _cmath_substitutes() -> dict[Function, Function]:
    import cmath

    names = (*_OF_COMPLEX, *_DECISIONS)
    meant: dict[str, Function] = {name: getattr(np, name) for name in names}
    meant |= {
        "log": _log,
        "phase": np.angle,
        "polar": lambda z: (np.abs(z), np.angle(z)),
        "rect": _rect,
    }
    return {
        original: _check_and_call(original, function, name in _DECISIONS, _complex_numbers)
        for name, function in meant.items()
        if (original := getattr(cmath, name))
    }


def _math_substitutes() -> dict[Function, Function]:
    meant = {
        original: _check_and_call(original, getattr(np, name), name in _DECISIONS)
        for name in _ALIKE
        if (original := getattr(math, name, None)) is not None
    }
    others: dict[Function, Function] = {
        math.fabs: np.abs,
        math.log: _log,
        math.hypot: _hypot,
        math.modf: _modf,
        math.frexp: _frexp,
        math.remainder: lambda x, y: x - np.rint(x / y) * y,
        **{original: functools.partial(_special, name) for original, name in _IN_SCIPY.items()},
    }
    meant |= {original: _check_and_call(original, kept) for original, kept in others.items()}
    meant[math.isclose] = _is_close
    meant[math.fsum] = _check_and_call_many(math.fsum, lambda items: np.sum(join_nested(items)))
    meant[math.dist] = _check_and_call_many(
        math.dist, lambda p, q: np.linalg.norm(join_nested(p) - join_nested(q))
    )
    if (sumprod := getattr(math, "sumprod", None)) is not None:
        meant[sumprod] = _check_and_call_many(
            sumprod, lambda p, q: np.sum(join_nested(p) * join_nested(q))
        )
    return meant


def _statistics_substitutes() -> dict[Function, Function]:
    meant: dict[Function, Function] = {
        statistics.mean: _mean,
        statistics.fmean: _mean,
        statistics.variance: _variance,
        statistics.pvariance: _pvariance,
        statistics.stdev: lambda data, xbar=None: np.sqrt(_variance(data, xbar)),
        statistics.pstdev: lambda data, mu=None: np.sqrt(_pvariance(data, mu)),
        statistics.geometric_mean: lambda data: np.exp(np.mean(np.log(join_nested(data)))),
        statistics.harmonic_mean: _harmonic_mean,
        statistics.covariance: _covariance,
    }
    if (of_samples := getattr(statistics, "_mean_stdev", None)) is not None:
        meant[of_samples] = lambda data: (_mean(data), np.sqrt(_variance(data)))
    return {
        original: _check_and_call_many(original, function) for original, function in meant.items()
    }


KEPT_SCALARS: Final[dict[Function, Function]] = {
    **_math_substitutes(),
    **_statistics_substitutes(),
    **_cmath_substitutes(),
}
"""Functions of plain numbers, as they keep tensors."""
