"""Assertions in SciPy's terms: what is given to its optimizers and solvers, as it is given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Unpack

import numpy as np

from verify import assertions
from verify.adapters.scipy import StatedDerivative, claims, constrains, first_point, ivp_claims
from verify.model.result import Result
from verify.options.signatures import AssertedTerms, add_sections, explain_keywords
from verify.regions import box

__tracebackhide__ = True  # pytest shows the line of the user's that asserts


@add_sections
@explain_keywords
def assert_optimize(
    fun: Any,
    *,
    jac: Any = None,
    hess: Any = None,
    hessp: Callable[..., Any] | None = None,
    args: Any = (),
    col_deriv: bool = False,
    over: Any = None,
    at: Sequence[Any] | None = None,
    **terms: Unpack[AssertedTerms],
) -> list[Result]:
    """Assert that the derivatives that SciPy is given are those of the function it is given.

    Parameters
    ----------
    fun : callable, or NonlinearConstraint
        As for ``scipy.optimize.minimize``, ``least_squares``, ``root`` or ``fsolve``.
    jac, hess, hessp, args, col_deriv
        As SciPy takes them. `jac` may be True; `jac` and `hess` may return arrays, sparse
        matrices or linear operators. A constraint has its own.

    Returns
    -------
    list of Result
        One for each derivative that was given.

    Raises
    ------
    DerivativeError, UndecidedError, UsageError
        As :func:`verify.assert_gradient` does, for the first that fails; and where nothing is
        claimed, as by ``jac="2-point"``.

    Examples
    --------
    >>> import numpy as np, verify
    >>> def bowl(x, k):
    ...     return x[0] ** 2 + k * x[1] ** 2
    >>> def slope(x, k):
    ...     return np.array([2 * x[0], 2 * k * x[1]])
    >>> def curvature(x, k):
    ...     return np.diag([2.0, 2 * k])
    >>> results = verify.assert_optimize(
    ...     bowl, jac=slope, hess=curvature, args=(3.0,), at=[[-1.2, 1.0]]
    ... )
    >>> [(r.case.quantity, r.verdict.value) for r in results]
    [('gradient', 'CORRECT'), ('hessian', 'CORRECT')]
    """
    x = first_point(over, at)
    found = claims(fun, x=x, jac=jac, hess=hess, hessp=hessp, args=args, col_deriv=col_deriv)
    results = []
    for one in found:
        where = {"over": over, "at": at}
        if one.quantity == "hessian" and constrains(fun):
            where = _add_multipliers(np.shape(fun.fun(np.asarray(x, dtype=float))), **where)
        results.append(_assert_one(one, where, terms))
    return results


@add_sections
@explain_keywords
def assert_ivp(
    fun: Callable[..., Any],
    jac: Any,
    *,
    args: Any = (),
    over: Any = None,
    at: Sequence[Any] | None = None,
    **terms: Unpack[AssertedTerms],
) -> Result:
    """Assert that ``jac(t, y)`` is what ``scipy.integrate.solve_ivp`` takes it for.

    Parameters
    ----------
    fun : callable
        ``fun(t, y, *args)``.
    jac : callable, array_like or sparse matrix
        ``jac(t, y, *args)``, the Jacobian by y; or a matrix, if it is constant.
    args : tuple
    over : region, optional
        Of t and y: ``([0, 1], verify.box(-2, 2, shape=(3,)))``.
    at : sequence of points, optional
        Each a pair ``(t, y)``.

    Examples
    --------
    >>> import numpy as np, verify
    >>> def pendulum(t, y):
    ...     return np.stack([y[1], -np.sin(y[0])])
    >>> def slope(t, y):
    ...     return [[0.0, 1.0], [-np.cos(y[0]), 0.0]]
    >>> verify.assert_ivp(pendulum, slope, at=[(0.0, [0.5, 1.0])]).verdict
    <Verdict.CORRECT: 'CORRECT'>
    """
    (one,) = ivp_claims(fun, jac, args=args)
    return _assert_one(one, {"over": over, "at": at}, terms)


def _assert_one(one: StatedDerivative, where: dict[str, Any], terms: AssertedTerms) -> Result:
    check = getattr(assertions, f"assert_{one.quantity}")
    result: Result = check(one.function, one.claimed, argnums=one.argnums, **where, **terms)
    return result


def _add_multipliers(shape: tuple[int, ...], over: Any, at: Any) -> dict[str, Any]:
    """Points and regions of x, as those of x and a multiplier for each constraint."""
    multipliers = np.cos(np.arange(np.prod(shape, dtype=int))).reshape(shape)
    return {
        "over": None if over is None else (over, box(-2, 2, shape=shape)),
        "at": None if at is None else [(x, multipliers) for x in at],
    }
