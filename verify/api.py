"""The calls people write: verify a gradient, a Jacobian, a Hessian."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from symtape.errors import NotTraceable
from symtape.symbolic.budget import Budget
from verify import places
from verify.cases import (
    Case,
    as_points,
    called,
    check_arity,
    check_callable,
    check_quantity,
    check_seed,
    region_of,
)
from verify.errors import UsageError
from verify.judge import DEFAULT_BUDGET, verify_case
from verify.result import Result

__all__ = ["derivative", "gradient", "hessian", "jacobian"]


def derivative(
    quantity: str,
    function: Callable[..., Any],
    *,
    at: Sequence[Any] | None = None,
    over: Any = None,
    claimed: Callable[..., Any] | None = None,
    seed: int = 0,
    budget: Budget = DEFAULT_BUDGET,
) -> Result:
    """Verify a claim: that `claimed` is the `quantity` of `function`.

    Parameters
    ----------
    quantity : {"gradient", "jacobian", "hessian"}
    function : callable
        Plain NumPy code of its array arguments.
    at : sequence of points, optional
        A point is the only argument itself, or a tuple of several.
    over : region, optional
        Where to search for points at which the claim goes wrong; beside `at`, or instead of it.
        ``[lower, upper]`` for a number, ``verify.box(-1, 1, shape=(3,))`` and its like for
        arrays; a tuple with one for each argument, or a dict by name.
    claimed : callable, optional
        Takes the arguments of `function`; returns an array, or with several arguments a tuple
        of one for each. Default: symtape's own tape.
    seed : int
        Of the search; the same seed finds the same.
    budget : Budget
        From :mod:`symtape.symbolic.budget`.
        Seconds for all of it, and statements for each symbolic step; what they do not suffice
        for is UNDECIDED. A single call into compiled code cannot be stopped, nor can anything
        but the symbolic steps outside the main thread; ``symtape verify`` runs each case in a
        process of its own, which can.

    Returns
    -------
    Result

    Raises
    ------
    UsageError
        Points, a region, a quantity, a seed, a budget or shapes that do not fit.
    NotTraceable, NotOnTape
        `function` returned no array, or did what no tape can follow.
    Exception
        Whatever `function` itself raises, unless it says that the point is outside its domain.
    """
    check_quantity(quantity)
    check_callable("function", function)
    if claimed is not None:
        check_callable("claimed", claimed)
    check_seed(seed)
    _check_budget(budget)
    if at is None and over is None:
        raise UsageError(
            f"verify.{quantity} needs points, at=[x1, x2], or a region to search, "
            "over=[lower, upper]"
        )
    points = () if at is None else as_points(at)
    for point in points:
        check_arity(function, point)
    name = called(function)
    where = places.of_function(function)
    case = Case(
        id=name,
        title=name,
        function=function,
        at=points,
        quantity=quantity,
        claimed=claimed,
        over=None if over is None else region_of(function, over),
        seed=seed,
    )
    try:
        return verify_case(case, budget)
    except (UsageError, NotTraceable) as error:
        raise type(error)(f"{_placed(name, where)}: {error}") from error


def _check_budget(budget: Any) -> None:
    if not isinstance(budget, Budget) or not budget.seconds > 0:
        raise UsageError(
            f"budget={budget!r}; expected Budget(seconds=60), with seconds above 0, which "
            "'from symtape.symbolic.budget import Budget' brings"
        )


def _placed(name: str, where: str) -> str:
    return name if not where or where in name else f"{name} ({where})"


def gradient(
    function: Callable[..., Any],
    *,
    at: Sequence[Any] | None = None,
    over: Any = None,
    claimed: Callable[..., Any] | None = None,
    seed: int = 0,
    budget: Budget = DEFAULT_BUDGET,
) -> Result:
    """Verify the gradient of a scalar function; see :func:`derivative` for the parameters.

    Examples
    --------
    >>> import numpy as np, verify
    >>> r = verify.gradient(lambda x: np.sum(np.tanh(x)), at=[[0.5, 19.0]])
    >>> r.verdict
    <Verdict.CORRECT: 'CORRECT'>
    >>> def mine(x):
    ...     return 1 - np.tanh(x) ** 2
    >>> verify.gradient(lambda x: np.sum(np.tanh(x)), claimed=mine, at=[[0.5, 19.0]]).verdict
    <Verdict.INACCURATE: 'INACCURATE'>

    The points are searched, if a region is given.

    >>> r = verify.gradient(np.tanh, claimed=mine, over=[-60, 60], seed=1)
    >>> print(r.verdict.value, "at", r.witness.x[0])
    INACCURATE at 20.0
    """
    return derivative(
        "gradient", function, at=at, over=over, claimed=claimed, seed=seed, budget=budget
    )


def jacobian(
    function: Callable[..., Any],
    *,
    at: Sequence[Any] | None = None,
    over: Any = None,
    claimed: Callable[..., Any] | None = None,
    seed: int = 0,
    budget: Budget = DEFAULT_BUDGET,
) -> Result:
    """Verify the Jacobian of a function; see :func:`derivative` for the parameters.

    Examples
    --------
    >>> import numpy as np, verify
    >>> r = verify.jacobian(np.exp, at=[0.5], claimed=lambda x: 2 * np.exp(x))
    >>> print(r.verdict.value, "-", r.witness.message)
    WRONG - the exact jacobian excludes the value; it is 2 times too large
    """
    return derivative(
        "jacobian", function, at=at, over=over, claimed=claimed, seed=seed, budget=budget
    )


def hessian(
    function: Callable[..., Any],
    *,
    at: Sequence[Any] | None = None,
    over: Any = None,
    claimed: Callable[..., Any] | None = None,
    seed: int = 0,
    budget: Budget = DEFAULT_BUDGET,
) -> Result:
    """Verify the Hessian of a scalar function; see :func:`derivative` for the parameters.

    With several arguments a claim returns a tuple of tuples, one block for each pair.

    Examples
    --------
    >>> import numpy as np, verify
    >>> verify.hessian(lambda x: np.prod(x), at=[[2.0, 3.0]]).verdict
    <Verdict.CORRECT: 'CORRECT'>
    """
    return derivative(
        "hessian", function, at=at, over=over, claimed=claimed, seed=seed, budget=budget
    )
