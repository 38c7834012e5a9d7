"""Minima and fits of ``scipy.optimize``, by the implicit function theorem."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from scipy import optimize

from symtape.errors import Unsupported
from symtape.primitives.linear_algebra import INV, SOLVE
from symtape.recording.nested import holds_tensor, join_nested
from symtape.recording.tape import GradientTape
from symtape.recording.tensor import Tensor, tensor_of
from symtape.scipy.active import LOOSE, OF_OPTIMA, Active, ends_of, ends_of_pair
from symtape.scipy.captured import Function, Plain, call_outside, plain_value
from symtape.scipy.solutions import Equations, Problem, gradient_of, make_returned
from symtape.scipy.twins import append_arguments, one_number, part_of, settle_value, twin


def optimum(
    what: str,
    given: Function,
    cost: Function,
    ends: tuple[Any, Any],
    run: Callable[[Function, Function | None], tuple[Any, Any]],
) -> tuple[Any, Any, bool]:
    """What SciPy finds, the minimum of `cost` close to it, and whether anything moves that.

    Parameters
    ----------
    what : str
        The name of the solver.
    given : callable
        What it is given.
    cost : callable
    ends : pair
        The lower and the upper bounds.
    run : callable ``(function, gradient) -> (all, place)``
        The search for a function of floats, of which no gradient is known at first.
    """
    slope = gradient_of(cost)
    found, place = run(Plain(given), None)
    x = _to_vector(place)
    bounds = Active(what, *ends, x, Plain(slope)(x))

    def solve_again(function: Function, gradient: Function) -> Any:
        return _to_vector(run(function, gradient)[1])

    def residual(z: Any) -> Any:
        return gradient_of(lambda z: cost(bounds.whole(z)))(z)

    z = x[bounds.free]
    if not z.size:
        return found, bounds.whole(z), holds_tensor([bounds.lower, bounds.upper])
    known = Equations(Problem(what, given, residual, solve_again, slope, bounds.unknowns), x)
    if not known.tensors:
        if holds_tensor([bounds.lower, bounds.upper]):
            # A search may stop short of a bound that would move the minimum.
            known.check()
        return found, x, False
    return found, bounds.whole(known.solution(OF_OPTIMA, LOOSE)), True


def _to_vector(x: Any) -> Any:
    return np.atleast_1d(np.asarray(x, dtype=np.float64))


def _minimize(given: dict[str, Any]) -> Any:
    args, x0 = given.pop("args"), np.atleast_1d(plain_value(given.pop("x0"))).astype(float)
    whole = append_arguments(given.pop("fun"), args)
    if given.pop("constraints") not in ((), [], None):
        raise Unsupported(
            "minimize(constraints=...): the derivative of a constrained minimum is not known "
            "here; eliminate the constraint, or solve its Karush-Kuhn-Tucker equations by root"
        )
    jac = given.pop("jac")
    f: Function = (
        (lambda x: one_number(whole(x)[0])) if jac is True else (lambda x: one_number(whole(x)))
    )
    jac = (
        part_of(whole, 1) if jac is True else append_arguments(jac, args) if callable(jac) else jac
    )
    second = {name: given.pop(name) for name in ("hess", "hessp")}
    bounds = given.pop("bounds")
    ends = ends_of(bounds)
    if bounds is not None:
        lower, upper = (np.zeros(x0.shape) + plain_value(end) for end in ends)
        given["bounds"] = optimize.Bounds(lower, upper)
    own = {
        name: Plain(append_arguments(h, args)) if callable(h) else h for name, h in second.items()
    }

    def run(g: Function, gradient: Function | None) -> tuple[Any, Any]:
        slopes: dict[str, Any] = {"jac": gradient if jac else None}
        if gradient is None:
            slopes = {"jac": Plain(jac) if callable(jac) else jac, **own}
        found = call_outside(optimize.minimize, g, x0, **slopes, **given)
        return found, found.x

    result, best, moves = optimum("minimize", f, f, ends, run)
    if moves:
        result.x, result.fun = best, f(best)
    return result


minimize = twin(
    optimize.minimize,
    _minimize,
    "a minimum, free or on bounds that it presses against. What it finds is a stationary point; "
    "``fun`` is the function there, and all else is SciPy's.",
)


def _minimize_scalar(given: dict[str, Any]) -> Any:
    f = append_arguments(given.pop("fun"), given.pop("args"))
    bounds = given.pop("bounds")
    given = {name: settle_value(value) for name, value in given.items()}
    ends = (-np.inf, np.inf) if bounds is None else (join_nested(bounds[0]), join_nested(bounds[1]))
    if bounds is not None:
        given["bounds"] = tuple(float(plain_value(end)) for end in ends)

    def cost(x: Any) -> Any:
        return one_number(f(np.reshape(x, ())))

    def run(g: Function, _: Any) -> tuple[Any, Any]:
        found = call_outside(optimize.minimize_scalar, lambda x: float(g(x)), **given)
        return found, found.x

    result, best, moves = optimum("minimize_scalar", cost, cost, ends, run)
    if moves:
        result.x, result.fun = best[0], cost(best)
    return result


minimize_scalar = twin(
    optimize.minimize_scalar, _minimize_scalar, "a minimum of a function of one number."
)


_LOSSES: Final[dict[str, Function]] = {
    "linear": lambda z: z,
    "soft_l1": lambda z: 2 * ((1 + z) ** 0.5 - 1),
    "huber": lambda z: np.where(z <= 1, z, 2 * np.where(z <= 1, 1, z) ** 0.5 - 1),
    "cauchy": np.log1p,
    "arctan": np.arctan,
}


def _least_squares(given: dict[str, Any]) -> Any:
    args, kwargs = given.pop("args"), given.pop("kwargs", None) or {}
    own, x0 = given.pop("fun"), np.atleast_1d(plain_value(given.pop("x0"))).astype(float)
    loss, scale = given.pop("loss"), given.pop("f_scale")
    jac = given.pop("jac")
    if loss not in _LOSSES:
        raise Unsupported(
            f"least_squares(loss={loss!r}): expected one of {', '.join(_LOSSES)}, of which the "
            "derivative is known here"
        )
    ends = ends_of_pair(given.pop("bounds"))
    lower, upper = (plain_value(end) for end in ends)
    given |= {"bounds": (lower, upper), "loss": loss, "f_scale": scale}

    def f(x: Any) -> Any:
        return np.atleast_1d(join_nested(own(x, *args, **kwargs)))

    def cost(x: Any) -> Any:
        return 0.5 * scale**2 * np.sum(_LOSSES[loss]((f(x) / scale) ** 2))

    def run(g: Function, gradient: Function | None) -> tuple[Any, Any]:
        slopes: Any = "2-point"
        if gradient is None:
            slopes = Plain(lambda x: jac(x, *args, **kwargs)) if callable(jac) else jac
        found = call_outside(optimize.least_squares, g, x0, jac=slopes, **given)
        return found, found.x

    result, best, moves = optimum("least_squares", f, cost, ends, run)
    if moves:
        result.x, result.fun, result.cost = best, f(best), cost(best)
    return result


least_squares = twin(
    optimize.least_squares,
    _least_squares,
    "a least sum of squares, or of losses; free or on bounds that it presses against.",
)


def _curve_fit(given: dict[str, Any]) -> Any:
    f, sigma = given["f"], given["sigma"]
    xdata, ydata = given["xdata"], join_nested(given["ydata"])
    absolute, full = given["absolute_sigma"], given["full_output"]
    if given.get("nan_policy") == "omit":
        raise Unsupported("curve_fit(nan_policy='omit'): leave the data that are nan out yourself")
    jac = given.pop("jac")
    ends = ends_of_pair(given["bounds"])

    def residual(p: Any) -> Any:
        off = join_nested(f(xdata, *(p[k] for k in range(np.shape(p)[0])))) - ydata
        return off if sigma is None else _weight_residuals(off, join_nested(sigma))

    plain = {
        name: settle_value(value)
        for name, value in given.items()
        if name not in ("f", "full_output")
    }
    plain["bounds"] = tuple(plain_value(end) for end in ends)
    of_floats = Plain(lambda x, p: f(x, *p))

    @functools.wraps(f)  # SciPy counts the parameters.
    def model(x: Any, *p: Any) -> Any:
        return of_floats(x, p)

    slopes = Plain(lambda x, *p: jac(x, *p)) if callable(jac) else jac
    popt, pcov, *rest = call_outside(
        optimize.curve_fit, model, **plain, jac=slopes, full_output=True
    )

    def run(g: Function, gradient: Function | None) -> tuple[Any, Any]:
        if gradient is None:
            return None, popt
        found = call_outside(optimize.least_squares, g, popt, bounds=plain["bounds"], xtol=1e-12)
        return None, found.x

    def cost(p: Any) -> Any:
        return 0.5 * np.sum(residual(p) ** 2)

    _, best, moves = optimum("curve_fit", residual, cost, ends, run)
    if moves:
        pcov = _covariance(residual, best, absolute, pcov)
    return (best, pcov, *rest) if full else (best, pcov)


def _weight_residuals(off: Any, sigma: Any) -> Any:
    if np.ndim(sigma) < 2:
        return off / sigma
    return SOLVE(np.linalg.cholesky(sigma), np.reshape(off, (-1, 1)))[:, 0]


def _covariance(residual: Function, best: Any, absolute: bool, computed: Any) -> Any:
    """``(J' J)⁻¹``, scaled by the mean of the squares; SciPy has J by differences."""
    with GradientTape(persistent=True, watch_accessed_variables=False) as tape:
        best = best if isinstance(best, Tensor) else tensor_of(np.asarray(best))
        tape.watch(best)
        off = residual(best)
    jacobian = tape.jacobian(off, best)
    exact = INV(np.swapaxes(jacobian, 0, 1) @ jacobian)
    rows, columns = jacobian.shape
    if not absolute and rows > columns:
        exact = exact * (np.sum(off**2) / (rows - columns))
    relative = float(np.max(np.abs(computed / exact._value - 1)))
    if not relative < 1e-3:
        raise Unsupported("curve_fit: the covariance is singular, or bounds are active")
    return make_returned(exact, LOOSE * relative + OF_OPTIMA)


curve_fit = twin(
    optimize.curve_fit,
    _curve_fit,
    "the parameters of a model that fit data best, and their covariance, as functions of the data, "
    "of their errors, and of what the model holds.",
)
