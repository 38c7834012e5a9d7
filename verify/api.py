"""The calls people write: verify a gradient, a Jacobian, a Hessian, or their products."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from symtape.errors import NotTraceable
from symtape.symbolic.budget import Budget
from verify import places
from verify.cases import (
    Case,
    as_points,
    called,
    check_callable,
    check_quantity,
    check_seed,
)
from verify.directions.posing import posed
from verify.errors import UsageError
from verify.judge import DEFAULT_BUDGET, verify_case
from verify.result import Result
from verify.untraceable import not_recorded, or_sampled

__all__ = ["derivative", "gradient", "hessian", "hvp", "jacobian", "jvp", "vjp"]

_EVIDENCE: Final = ("certified", "sampled")


def derivative(
    quantity: str,
    function: Callable[..., Any],
    *,
    at: Sequence[Any] | None = None,
    over: Any = None,
    claimed: Callable[..., Any] | None = None,
    argnums: Any = None,
    directions: Any = None,
    seed: int = 0,
    budget: Budget = DEFAULT_BUDGET,
    effort: float = 1.0,
    evidence: str = "certified",
) -> Result:
    """Verify a claim: that `claimed` is the `quantity` of `function`.

    Parameters
    ----------
    quantity : {"gradient", "jacobian", "hessian", "vjp", "jvp", "hvp"}
    function : callable
        Plain NumPy code of its array arguments.
    at : sequence of points, optional
        A point is the only argument itself, or a tuple of several. Of a product a point may have
        its directions behind the arguments; if it has none, several are tried.
    over : region, optional
        Where to search for points at which the claim goes wrong; beside `at`, or instead of it.
        ``[lower, upper]`` for a number, ``verify.box(-1, 1, shape=(3,))`` and its like for
        arrays; a tuple with one for each argument, or a dict by name.
    claimed : callable, optional
        Takes the arguments of `function`, and behind them the directions of a product; returns
        an array, or with several arguments a tuple of one for each. Default: symtape's own tape;
        of a function of another framework, that framework's reverse mode.
    argnums : int or tuple of int, optional
        By which arguments the derivative is, of a Hessian both times; by default all.
    directions : region, optional
        Of products: where cotangents, tangents or vectors may lie. By default short decimals,
        ones, zeros and unit vectors, in the shapes that fit.
    seed : int
        Of the search; the same seed finds the same.
    budget : Budget
        From :mod:`symtape.symbolic.budget`.
        Seconds for all of it, and statements for each symbolic step; what they do not suffice
        for is UNDECIDED. A single call into compiled code cannot be stopped, nor can anything
        but the symbolic steps outside the main thread; ``symtape verify`` runs each case in a
        process of its own, which can.
    effort : float
        How much of a region is searched: 1 for about a second of a small function.
    evidence : {"certified", "sampled"}
        What to go by: enclosures of the exact derivative, or floats alone, for functions whose
        operations cannot be recorded.

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
    _check_effort(effort)
    if evidence not in _EVIDENCE:
        raise UsageError(f"evidence={evidence!r}; expected one of {', '.join(_EVIDENCE)}")
    if at is None and over is None:
        raise UsageError(
            f"verify.{quantity} needs points, at=[x1, x2], or a region to search, "
            "over=[lower, upper]"
        )
    name = called(function)
    case = Case(
        id=name,
        title=name,
        function=function,
        at=() if at is None else as_points(at),
        quantity=quantity,
        claimed=claimed,
        seed=seed,
    )
    case = posed(case, over, argnums, directions)
    try:
        if evidence == "sampled":
            from verify.sampled import judged

            return judged(case, budget)
        return verify_case(case, budget, effort)
    except NotTraceable as error:
        offer = "" if evidence == "sampled" else or_sampled(error)
        raise type(error)(f"{_placed(function)}: {error}{offer}") from error
    except UsageError as error:
        raise type(error)(f"{_placed(function)}: {error}") from error
    except Exception as error:
        if evidence == "sampled" or (told := not_recorded(case, error)) is None:
            raise
        raise told from error


def _check_effort(effort: Any) -> None:
    if isinstance(effort, bool) or not isinstance(effort, int | float) or not effort > 0:
        raise UsageError(f"effort={effort!r}; expected a number above 0, 1 for the usual search")


def _check_budget(budget: Any) -> None:
    if not isinstance(budget, Budget) or not budget.seconds > 0:
        raise UsageError(
            f"budget={budget!r}; expected Budget(seconds=60), with seconds above 0, which "
            "'from symtape.symbolic.budget import Budget' brings"
        )


def _placed(function: Callable[..., Any]) -> str:
    name, where = called(function), places.of_function(function)
    return name if not where or where in name else f"{name} ({where})"


def gradient(
    function: Callable[..., Any],
    *,
    at: Sequence[Any] | None = None,
    over: Any = None,
    claimed: Callable[..., Any] | None = None,
    argnums: Any = None,
    seed: int = 0,
    budget: Budget = DEFAULT_BUDGET,
    effort: float = 1.0,
    evidence: str = "certified",
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

    By some of the arguments alone:

    >>> def area(a, b):
    ...     return np.sum(a * b)
    >>> verify.gradient(area, claimed=lambda a, b: a, at=[(2.0, 3.0)], argnums=1).verdict
    <Verdict.CORRECT: 'CORRECT'>
    """
    return derivative(
        "gradient",
        function,
        at=at,
        over=over,
        claimed=claimed,
        argnums=argnums,
        seed=seed,
        budget=budget,
        effort=effort,
        evidence=evidence,
    )


def jacobian(
    function: Callable[..., Any],
    *,
    at: Sequence[Any] | None = None,
    over: Any = None,
    claimed: Callable[..., Any] | None = None,
    argnums: Any = None,
    seed: int = 0,
    budget: Budget = DEFAULT_BUDGET,
    effort: float = 1.0,
    evidence: str = "certified",
) -> Result:
    """Verify the Jacobian of a function; see :func:`derivative` for the parameters.

    Examples
    --------
    >>> import numpy as np, verify
    >>> r = verify.jacobian(np.exp, at=[0.5], claimed=lambda x: 2 * np.exp(x))
    >>> print(r.verdict.value, "-", r.witness.message)
    WRONG - the jacobian is 3.297443; the exact value is 1.648721; 2 times too large
    """
    return derivative(
        "jacobian",
        function,
        at=at,
        over=over,
        claimed=claimed,
        argnums=argnums,
        seed=seed,
        budget=budget,
        effort=effort,
        evidence=evidence,
    )


def hessian(
    function: Callable[..., Any],
    *,
    at: Sequence[Any] | None = None,
    over: Any = None,
    claimed: Callable[..., Any] | None = None,
    argnums: Any = None,
    seed: int = 0,
    budget: Budget = DEFAULT_BUDGET,
    effort: float = 1.0,
    evidence: str = "certified",
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
        "hessian",
        function,
        at=at,
        over=over,
        claimed=claimed,
        argnums=argnums,
        seed=seed,
        budget=budget,
        effort=effort,
        evidence=evidence,
    )


def vjp(
    function: Callable[..., Any],
    *,
    at: Sequence[Any] | None = None,
    over: Any = None,
    claimed: Callable[..., Any] | None = None,
    argnums: Any = None,
    directions: Any = None,
    seed: int = 0,
    budget: Budget = DEFAULT_BUDGET,
    effort: float = 1.0,
    evidence: str = "certified",
) -> Result:
    """Verify a vector-Jacobian product, as reverse mode and custom rules compute it.

    A claim is called as ``claimed(*args, g)``, with a cotangent `g` of the shape of the output,
    or one for each output; it returns an array, or a tuple of one for each argument. See
    :func:`derivative` for the parameters.

    Examples
    --------
    >>> import numpy as np, verify
    >>> def lost_a_factor(x, g):
    ...     return g * np.cos(x)
    >>> r = verify.vjp(lambda x: np.sin(2 * x), claimed=lost_a_factor, at=[(0.5, 3.0)])
    >>> r.verdict
    <Verdict.WRONG: 'WRONG'>
    >>> verify.vjp(lambda x: np.sin(2 * x), at=[0.5]).verdict
    <Verdict.CORRECT: 'CORRECT'>
    """
    return derivative(
        "vjp",
        function,
        at=at,
        over=over,
        claimed=claimed,
        argnums=argnums,
        directions=directions,
        seed=seed,
        budget=budget,
        effort=effort,
        evidence=evidence,
    )


def jvp(
    function: Callable[..., Any],
    *,
    at: Sequence[Any] | None = None,
    over: Any = None,
    claimed: Callable[..., Any] | None = None,
    argnums: Any = None,
    directions: Any = None,
    seed: int = 0,
    budget: Budget = DEFAULT_BUDGET,
    effort: float = 1.0,
    evidence: str = "certified",
) -> Result:
    """Verify a Jacobian-vector product, as forward mode computes it.

    A claim is called as ``claimed(*args, *tangents)``, with a tangent of the shape of each
    argument that the derivative is by; it returns what `function` returns the shape of. See
    :func:`derivative` for the parameters.

    Examples
    --------
    >>> import numpy as np, verify
    >>> r = verify.jvp(np.exp, claimed=lambda x, t: -t * np.exp(x), at=[(0.5, 1.0)])
    >>> print(r.verdict.value, "-", r.witness.message)
    WRONG - the jvp is -1.648721; the exact value is 1.648721; the sign is wrong
    """
    return derivative(
        "jvp",
        function,
        at=at,
        over=over,
        claimed=claimed,
        argnums=argnums,
        directions=directions,
        seed=seed,
        budget=budget,
        effort=effort,
        evidence=evidence,
    )


def hvp(
    function: Callable[..., Any],
    *,
    at: Sequence[Any] | None = None,
    over: Any = None,
    claimed: Callable[..., Any] | None = None,
    argnums: Any = None,
    directions: Any = None,
    seed: int = 0,
    budget: Budget = DEFAULT_BUDGET,
    effort: float = 1.0,
    evidence: str = "certified",
) -> Result:
    """Verify a Hessian-vector product of a scalar function.

    A claim is called as ``claimed(*args, *vectors)``, which without further arguments is how
    ``scipy.optimize.minimize(hessp=...)`` calls it, and returns an array, or a tuple of one for
    each argument. See :func:`derivative` for the parameters.

    Examples
    --------
    >>> import numpy as np, verify
    >>> verify.hvp(lambda x: np.sum(x**3), claimed=lambda x, v: 6 * x * v, at=[[1.0, 2.0]]).verdict
    <Verdict.CORRECT: 'CORRECT'>
    """
    return derivative(
        "hvp",
        function,
        at=at,
        over=over,
        claimed=claimed,
        argnums=argnums,
        directions=directions,
        seed=seed,
        budget=budget,
        effort=effort,
        evidence=evidence,
    )
