"""Bounds that are active at an optimum, and least squares between bounds."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from scipy import optimize

from symtape.errors import Unsupported
from symtape.primitives.linear_algebra import SOLVE
from symtape.recording.nested import holds_tensor, join_nested
from symtape.scipy.captured import Function, call_outside, plain_value
from symtape.scipy.solutions import Held, held_at, make_returned
from symtape.scipy.twins import twin

OF_OPTIMA: Final = 1e-8
"""What optima are off by at least, relatively."""

LOOSE: Final = 1e3
"""How many times less exact another minimum may be than one that is known."""

_ACTIVE: Final = 1e-6


class Active:
    """Which bounds are active at an optimum, and the unknowns that are left."""

    def __init__(self, what: str, lower: Any, upper: Any, x: Any, slope: Any) -> None:
        self.lower = np.zeros(x.shape) + lower
        self.upper = np.zeros(x.shape) + upper
        self.at_lower, self.at_upper = self._active(x)
        self.free = ~(self.at_lower | self.at_upper)
        sides = enumerate(zip(self.at_lower, self.at_upper, strict=True))
        self._held = [
            self.lower[i] if low else self.upper[i] if high else 0.0 for i, (low, high) in sides
        ]
        size = np.max(np.abs(slope), initial=0.0)
        pressed = np.where(self.at_lower, slope, -slope)[~self.free]
        if np.any(pressed <= _ACTIVE * max(1.0, size)):
            raise Unsupported(
                f"{what}: the solution {x.tolist()} stands on a bound that it hardly presses "
                "against, so that it has a kink there; move the bound"
            )

    def _active(self, x: Any) -> tuple[Any, Any]:
        lower, upper = (plain_value(bound) for bound in (self.lower, self.upper))
        with np.errstate(invalid="ignore"):
            near = _ACTIVE * np.maximum(1.0, np.abs(x))
            return x - lower <= near, (upper - x <= near) & ~(x - lower <= near)

    def unknowns(self, x: Any) -> Any:
        """Those that are not held by a bound.

        Raises
        ------
        ValueError
            Other bounds are active at `x`.
        """
        low, high = self._active(x)
        if np.any(low != self.at_lower) or np.any(high != self.at_upper):
            raise ValueError("other bounds are active there")
        return x[self.free]

    def whole(self, z: Any) -> Any:
        """All unknowns, of those that are free."""
        if np.all(self.free):
            return z
        places = np.eye(len(self.free))[:, self.free]
        return places @ z + join_nested(self._held)


def ends_of(bounds: Any) -> tuple[Any, Any]:
    """Lower and upper bounds, of pairs or as ``scipy.optimize.Bounds``."""
    if bounds is None:
        return -np.inf, np.inf
    if not hasattr(bounds, "lb"):
        lower = [-np.inf if low is None else low for low, _ in bounds]
        bounds = lower, [np.inf if high is None else high for _, high in bounds]
    return ends_of_pair(bounds)


def ends_of_pair(bounds: Any) -> tuple[Any, Any]:
    """Lower and upper bounds, of a pair or as ``scipy.optimize.Bounds``."""
    if hasattr(bounds, "lb"):
        return join_nested(bounds.lb), join_nested(bounds.ub)
    lower, upper = bounds
    return join_nested(lower), join_nested(upper)


def _least_in_bounds(a: Any, b: Any, lower: Any, upper: Any, solve: Function) -> Any:
    """Least squares with bounds, by those that are active, which are decisions."""
    a, b = join_nested(a), join_nested(b)

    def active(a: Any, b: Any) -> Any:
        x = solve(a, b)
        slope = a.T @ (a @ x - b)
        bounds = Active("nnls", plain_value(lower), plain_value(upper), x, slope)
        return np.stack([bounds.free, bounds.at_lower, bounds.at_upper]).astype(np.float64)

    free, low, high = held_at((a, b), Held(active))
    held = _mask_bound(low, lower) + _mask_bound(high, upper)
    gram = np.swapaxes(a, 0, 1) @ a
    n = np.shape(a)[1]
    matrix = np.reshape(free, (n, 1)) * gram * free + np.eye(n) * (1 - free)
    right = free * (np.swapaxes(a, 0, 1) @ (b - a @ held))
    return held + SOLVE(matrix, np.reshape(right, (n, 1)))[:, 0]


def _mask_bound(active: Any, bound: Any) -> Any:
    value = plain_value(bound)
    if not holds_tensor(bound):
        return active * np.where(np.isfinite(value), value, 0.0)
    return active * bound


def _nnls(given: dict[str, Any]) -> Any:
    a, b = given.pop("A"), given.pop("b")
    if not holds_tensor([a, b]):
        return call_outside(optimize.nnls, a, b, **given)

    def solve(a: Any, b: Any) -> Any:
        return call_outside(optimize.nnls, a, b, **given)[0]

    x = _least_in_bounds(a, b, 0.0, np.inf, solve)
    return x, np.linalg.norm(join_nested(a) @ x - join_nested(b))


nnls = twin(optimize.nnls, _nnls, "least squares with no negative unknowns.")


def _lsq_linear(given: dict[str, Any]) -> Any:
    a, b = given.pop("A"), given.pop("b")
    lower, upper = ends_of_pair(given.pop("bounds"))
    plain = {"bounds": (plain_value(lower), plain_value(upper)), **given}
    result = call_outside(optimize.lsq_linear, plain_value(a), plain_value(b), **plain)
    if not holds_tensor([a, b, lower, upper]):
        return result

    def solve(a: Any, b: Any) -> Any:
        return call_outside(optimize.lsq_linear, a, b, **{**plain, "tol": 1e-12}).x

    exact = _least_in_bounds(a, b, lower, upper, solve)
    off = result.x - exact._value
    size = np.where(exact._value == 0, 1.0, np.abs(exact._value))
    relative = float(np.max(np.abs(off) / size))
    result.x = make_returned(exact, LOOSE * relative + OF_OPTIMA)
    result.fun = join_nested(a) @ result.x - join_nested(b)
    result.cost = 0.5 * np.sum(result.fun**2)
    return result


lsq_linear = twin(optimize.lsq_linear, _lsq_linear, "least squares within bounds.")
