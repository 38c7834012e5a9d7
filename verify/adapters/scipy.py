"""Derivatives as SciPy's optimizers, root finders and ODE solvers take them.

The arguments are the ones that are given to SciPy: ``jac`` may be True, ``hess`` may return a
sparse matrix or a linear operator, ``args`` are passed on, and a ``NonlinearConstraint`` is taken
apart into the claims that it makes.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from verify.adapters import adapt_function
from verify.adapters.dense import dense, is_operator, transposed_dense
from verify.errors import UsageError
from verify.model.case import check_callable, name_function, region_of, to_points

Function = Callable[..., Any]


@dataclass(frozen=True)
class StatedDerivative:
    """One derivative that is claimed, in the terms of :func:`verify.derivative`.

    Attributes
    ----------
    quantity : str
        ``gradient``, ``jacobian``, ``hessian`` or ``hvp``.
    function, claimed : callable
        Of x alone; ``args`` are in them.
    argnums : int or None
        Which argument the derivative is by; None for all.
    """

    quantity: str
    function: Function
    claimed: Function
    argnums: int | None = None


def claims(
    fun: Any,
    *,
    x: Any,
    jac: Any = None,
    hess: Any = None,
    hessp: Function | None = None,
    args: Any = (),
    col_deriv: bool = False,
) -> list[StatedDerivative]:
    """What the arguments of a call to SciPy claim.

    Parameters
    ----------
    fun : callable, or NonlinearConstraint
        ``fun(x, *args)`` with a scalar value, or a vector as ``least_squares`` and ``root`` take
        it. A constraint brings its own `jac` and `hess`.
    x : array_like
        A point, to see what `fun` and `jac` return.
    jac : callable, or True
        ``jac(x, *args)``: an array, a sparse matrix or array, or a LinearOperator, of which the
        products with the transpose are a claim of their own. True if `fun` returns the value
        and its gradient.
    hess : callable
        ``hess(x, *args)``; of a constraint ``hess(x, v)``, the Hessian of ``v @ fun(x)``.
    hessp : callable
        ``hessp(x, p, *args)``.
    args : tuple
        More arguments of all of them.
    col_deriv : bool
        As in ``scipy.optimize.fsolve``: the Jacobian has its derivatives down the columns.

    Returns
    -------
    list of Stated

    Raises
    ------
    UsageError
        Nothing is claimed: a finite difference scheme, or an estimate by quasi-Newton updates.

    Examples
    --------
    >>> found = claims(lambda x: (x @ x, 2 * x), x=[1.0, 2.0], jac=True)
    >>> [one.quantity for one in found], found[0].claimed(np.array([1.0, 2.0]))
    (['gradient'], array([2., 4.]))
    """
    if constrains(fun):
        return _constraint_claims(fun, x)
    check_callable("fun", fun)
    fun, jac, hess, hessp = map(_adapt_if_callable, (fun, jac, hess, hessp))
    args = args if isinstance(args, tuple) else (args,)
    x = np.asarray(x, dtype=float)
    if jac is True:
        fun, jac = _select_return(fun, 0, "value"), _select_return(fun, 1, "derivative")
    value = _Value(_fix_arguments(fun, args), x)
    found = list(_iterate_jacobian_claims(value, jac, args, x, col_deriv))
    if _claims("hess", hess):
        found.append(StatedDerivative("hessian", value.scalar, _fix_arguments(hess, args)))
    if hessp is not None:
        found.append(StatedDerivative("hvp", value.scalar, _fix_arguments(hessp, args, before=2)))
    if not found:
        raise UsageError(
            f"{name_function(fun)}: nothing is claimed; give jac=, hess= or hessp= as SciPy gets "
            "them"
        )
    return found


def ivp_claims(fun: Function, jac: Any, *, args: Any = ()) -> list[StatedDerivative]:
    """What ``scipy.integrate.solve_ivp(fun, ..., jac=jac)`` is told: ``jac(t, y)`` by y.

    Parameters
    ----------
    fun : callable
        ``fun(t, y, *args)``.
    jac : callable, or array_like or sparse matrix
        ``jac(t, y, *args)``, or a matrix if it is constant.
    args : tuple

    Examples
    --------
    >>> found = ivp_claims(lambda t, y: -2 * y, [[-2.0]])
    >>> found[0].quantity, found[0].argnums, found[0].claimed(0.0, np.array([1.0]))
    ('jacobian', 1, array([[-2.]]))
    """
    check_callable("fun", fun)
    fun, jac = _adapt_if_callable(fun), _adapt_if_callable(jac)
    args = args if isinstance(args, tuple) else (args,)
    if not callable(jac):
        if not _claims("jac", jac):
            raise UsageError(
                f"{name_function(fun)}: nothing is claimed; give jac= as solve_ivp gets it"
            )
        constant = np.array(dense(jac), dtype=float)

        def jac(t: Any, y: Any, *more: Any) -> Any:
            return constant.copy()

    return [
        StatedDerivative(
            "jacobian", _fix_arguments(fun, args, before=2), _fix_arguments(jac, args, before=2), 1
        )
    ]


def first_point(over: Any, at: Sequence[Any] | None) -> Any:
    """A point of those given, or of the region: the only argument at it."""
    if at is not None:
        return to_points(at)[0][0]
    if over is None:
        raise UsageError(
            "verify.assert_optimize needs points, at=[x1, x2], or a region to search, "
            "over=verify.box(-1, 1, shape=(2,))"
        )
    return next(iter(region_of(lambda x: x, over).points(0)))[0]


class _Value:
    """What `fun` computes, as a scalar where SciPy takes it for one."""

    def __init__(self, function: Function, x: Any) -> None:
        self.function = function
        with np.errstate(all="ignore"):
            self.shape = np.shape(function(x.copy()))
        self.one = int(np.prod(self.shape)) == 1

    @property
    def scalar(self) -> Function:
        """The function with a value of shape (); one of shape (1,) is as good to SciPy."""
        function = self.function
        if not self.shape or not self.one:
            return function

        @functools.wraps(function)
        def call_squeezed(*xs: Any) -> Any:
            return np.reshape(function(*xs), ())

        return call_squeezed


def _iterate_jacobian_claims(
    value: _Value, jac: Any, args: tuple[Any, ...], x: Any, col_deriv: bool
) -> Iterator[StatedDerivative]:
    if not _claims("jac", jac):
        return
    claimed = _fix_arguments(jac, args)
    if col_deriv:
        claimed = _wrap_claim(claimed, lambda found: np.transpose(dense(found)))
    with np.errstate(all="ignore"):
        returned = jac(x.copy(), *args)
    if value.one and np.ndim(dense(returned)) < 2:
        yield StatedDerivative("gradient", value.scalar, claimed)
        return
    yield StatedDerivative("jacobian", value.function, claimed)
    if is_operator(returned) and _has_transpose(returned):
        yield StatedDerivative(
            "jacobian", value.function, _wrap_claim(claimed, transposed_dense, "rmatvec")
        )


def _adapt_if_callable(given: Any) -> Any:
    return adapt_function(given) if callable(given) else given


def _has_transpose(operator: Any) -> bool:
    try:
        operator.rmatvec(np.zeros(operator.shape[0]))
    except NotImplementedError:
        return False
    return True


def _constraint_claims(constraint: Any, x: Any) -> list[StatedDerivative]:
    """The Jacobian of a constraint, and the Hessian of its combinations with multipliers."""
    fun, jac, hess = map(_adapt_if_callable, (constraint.fun, constraint.jac, constraint.hess))
    x = np.asarray(x, dtype=float)
    value = _Value(fun, x)
    found: list[StatedDerivative] = []
    if _claims("jac", jac, default=True):
        found += _iterate_jacobian_claims(value, jac, (), x, False)
    if _claims("hess", hess, default=True):

        @functools.wraps(fun)
        def combine_values(x: Any, v: Any) -> Any:
            return np.sum(v * fun(x))

        combine_values.__signature__ = inspect.signature(lambda x, v: None)  # type: ignore[attr-defined]
        found.append(StatedDerivative("hessian", combine_values, hess, 0))
    if not found:
        raise UsageError(
            "the constraint leaves its derivatives to SciPy, so there is nothing to verify; give "
            "it jac= or hess="
        )
    return found


def constrains(fun: Any) -> bool:
    """Whether `fun` is a ``scipy.optimize.NonlinearConstraint``."""
    return not callable(fun) and all(hasattr(fun, name) for name in ("fun", "jac", "hess"))


def _claims(name: str, derivative: Any, default: bool = False) -> bool:
    """Whether there is a claim to verify; estimates are none, and are refused unless `default`."""
    if derivative is None or derivative is False:
        return False
    if callable(derivative) or (name == "jac" and not isinstance(derivative, str)):
        return True
    if default:
        return False
    if isinstance(derivative, str):
        words = f"{name}={derivative!r} asks SciPy for finite differences"
    else:
        words = f"{name}={type(derivative).__name__}() is an estimate that SciPy updates as it goes"
    raise UsageError(f"{words}, so there is nothing to verify; give the function that computes it")


def _fix_arguments(function: Function, args: tuple[Any, ...], before: int = 1) -> Function:
    """`function` of its first arguments alone, under its own name."""
    if not args:
        return function

    @functools.wraps(function)
    def call_fixed(*xs: Any) -> Any:
        return function(*xs, *args)

    call_fixed.__signature__ = _first(function, before)  # type: ignore[attr-defined]
    return call_fixed


def _first(function: Function, count: int) -> inspect.Signature:
    """The signature of `function`, of which only the first `count` arguments are left."""
    try:
        names = list(inspect.signature(function).parameters)[:count]
    except (TypeError, ValueError):
        names = []
    names = names if len(names) == count else [f"x{k}" for k in range(count)]
    kind = inspect.Parameter.POSITIONAL_ONLY
    return inspect.Signature([inspect.Parameter(name, kind) for name in names])


def _select_return(fun: Function, index: int, what: str) -> Function:
    """One of the two that `fun` returns with ``jac=True``."""

    @functools.wraps(fun)
    def call_selected(*xs: Any) -> Any:
        both = fun(*xs)
        if not (isinstance(both, tuple | list) and len(both) == 2):
            raise UsageError(
                f"jac=True, but {name_function(fun)} returned {type(both).__name__}; expected the "
                "value and its gradient, as a pair"
            )
        return both[index]

    call_selected.__qualname__ = f"the {what} of {name_function(fun)}"
    return call_selected


def _wrap_claim(claimed: Function, after: Function, by: str = "") -> Function:
    @functools.wraps(claimed)
    def call_changed(*xs: Any) -> Any:
        return after(claimed(*xs))

    if by:
        call_changed.__qualname__ = f"{name_function(claimed)} by {by}"
    return call_changed
