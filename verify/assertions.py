"""Assertions for tests: a claimed derivative is right, or the test fails and says why."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from symtape.symbolic.budget import Budget
from verify import api, defaults
from verify.errors import UsageError
from verify.judge import DEFAULT_BUDGET
from verify.listening import listener
from verify.passing import at_fault, inside, is_open
from verify.result import Result
from verify.verdict import Verdict

__all__ = [
    "DerivativeError",
    "UndecidedError",
    "assert_derivative",
    "assert_gradient",
    "assert_hessian",
    "assert_hvp",
    "assert_jacobian",
    "assert_jvp",
    "assert_vjp",
    "limits",
]


class DerivativeError(AssertionError):
    """A claimed derivative is not the derivative; the message is the explanation.

    Attributes
    ----------
    result : Result or None
        Everything that was found.
    """

    def __init__(self, message: str, result: Result | None = None) -> None:
        super().__init__(message)
        self.result = result


class UndecidedError(DerivativeError):
    """It is not known whether a claimed derivative is right; says what would help."""


for _error in (DerivativeError, UndecidedError):
    _error.__module__ = "verify"  # by which name they are caught, and shown by test runners


def assert_gradient(
    function: Callable[..., Any],
    claimed: Callable[..., Any] | None = None,
    *,
    over: Any = None,
    at: Sequence[Any] | None = None,
    argnums: int | Sequence[int] | None = None,
    seed: int | None = None,
    budget: float | Budget | None = None,
    effort: float | None = None,
    allow_undecided: bool = False,
    evidence: str = "certified",
) -> Result:
    """Assert that `claimed` is the gradient of `function`.

    Parameters
    ----------
    function : callable
        Of array arguments, with a scalar value.
    claimed : callable, optional
        Takes the arguments of `function`; returns an array, or with several arguments a tuple
        of one for each. Default: the derivative of symtape, or of the framework that
        `function` is written in.
    over : region, optional
        Where to search for points at which the claim goes wrong; ``[lower, upper]`` for a
        number, ``verify.box(...)`` and its like for arrays.
    at : sequence of points, optional
        Points to judge, beside the region or instead of it.
    argnums : int or sequence of int, optional
        The arguments by which the derivative is; by default all of them.
    seed : int, optional
        Of the search. Default: that of the test run, 0 or ``--symtape-seed``.
    budget : float or Budget, optional
        Seconds for all of it. Default: 60, or ``--symtape-budget``.
    effort : float, optional
        How much is searched, as in :func:`verify.gradient`, where 1 is the default.
        Default: 0.2, or ``--symtape-effort``.
    allow_undecided : bool
        Let it pass that a verdict could not be reached.
    evidence : {"certified", "sampled"}
        What to be content with.

    Returns
    -------
    Result
        What was found, where nothing is wrong with the claim.

    Raises
    ------
    DerivativeError
        The claim is WRONG or INACCURATE.
    UndecidedError
        It could not be decided, or no point is in the domain of `function`.
    UsageError
        Points, a region or shapes that do not fit, as :func:`verify.gradient` has it.

    Notes
    -----
    At a kink it passes if the claimed value is admissible. Where that is not known, as of
    second derivatives and at jumps, a point in `at` fails as undecided; kinks that a search
    came across do not, if other points were found correct.

    Examples
    --------
    >>> import numpy as np, verify
    >>> def slope(x):
    ...     return 1 / np.cosh(x) ** 2
    >>> verify.assert_gradient(np.tanh, slope, over=[-60, 60]).verdict
    <Verdict.CORRECT: 'CORRECT'>
    """
    __tracebackhide__ = True
    return assert_derivative(
        "gradient",
        function,
        claimed,
        over=over,
        at=at,
        argnums=argnums,
        seed=seed,
        budget=budget,
        effort=effort,
        allow_undecided=allow_undecided,
        evidence=evidence,
    )


def assert_jacobian(
    function: Callable[..., Any],
    claimed: Callable[..., Any] | None = None,
    *,
    over: Any = None,
    at: Sequence[Any] | None = None,
    argnums: int | Sequence[int] | None = None,
    seed: int | None = None,
    budget: float | Budget | None = None,
    effort: float | None = None,
    allow_undecided: bool = False,
    evidence: str = "certified",
) -> Result:
    """Assert that `claimed` is the Jacobian of `function`; see :func:`assert_gradient`.

    Examples
    --------
    >>> import numpy as np, verify
    >>> verify.assert_jacobian(np.exp, lambda x: 2 * np.exp(x), at=[0.5])
    Traceback (most recent call last):
    ...
    verify.DerivativeError: WRONG: ... is not the jacobian of exp
      the jacobian is 3.297443; the exact value is 1.648721; 2 times too large
      ...
    """
    __tracebackhide__ = True
    return assert_derivative(
        "jacobian",
        function,
        claimed,
        over=over,
        at=at,
        argnums=argnums,
        seed=seed,
        budget=budget,
        effort=effort,
        allow_undecided=allow_undecided,
        evidence=evidence,
    )


def assert_hessian(
    function: Callable[..., Any],
    claimed: Callable[..., Any] | None = None,
    *,
    over: Any = None,
    at: Sequence[Any] | None = None,
    argnums: int | Sequence[int] | None = None,
    seed: int | None = None,
    budget: float | Budget | None = None,
    effort: float | None = None,
    allow_undecided: bool = False,
    evidence: str = "certified",
) -> Result:
    """Assert that `claimed` is the Hessian of `function`; see :func:`assert_gradient`.

    With several arguments a claim returns a tuple of tuples, one block for each pair.

    Examples
    --------
    >>> import numpy as np, verify
    >>> def curvature(x):
    ...     return np.diag(np.exp(x))
    >>> box = verify.box(-9, 9, shape=(2,))
    >>> verify.assert_hessian(lambda x: np.sum(np.exp(x)), curvature, over=box).verdict
    <Verdict.CORRECT: 'CORRECT'>
    """
    __tracebackhide__ = True
    return assert_derivative(
        "hessian",
        function,
        claimed,
        over=over,
        at=at,
        argnums=argnums,
        seed=seed,
        budget=budget,
        effort=effort,
        allow_undecided=allow_undecided,
        evidence=evidence,
    )


def assert_vjp(
    function: Callable[..., Any],
    claimed: Callable[..., Any] | None = None,
    *,
    over: Any = None,
    at: Sequence[Any] | None = None,
    argnums: int | Sequence[int] | None = None,
    directions: Any = None,
    seed: int | None = None,
    budget: float | Budget | None = None,
    effort: float | None = None,
    allow_undecided: bool = False,
    evidence: str = "certified",
) -> Result:
    """Assert that `claimed` gives vector-Jacobian products; see :func:`assert_gradient`.

    It is called with the arguments of `function` and a cotangent of the shape of its value, and
    returns an array, or a tuple of one for each argument. `directions` says where the cotangent
    may lie, as in :func:`verify.vjp`; a point may have one behind its arguments.

    Examples
    --------
    >>> import numpy as np, verify
    >>> def pulled(x, g):
    ...     return g * np.cos(x)
    >>> verify.assert_vjp(np.sin, pulled, at=[[0.5, 1.0]]).verdict
    <Verdict.CORRECT: 'CORRECT'>
    """
    __tracebackhide__ = True
    return assert_derivative(
        "vjp",
        function,
        claimed,
        over=over,
        at=at,
        argnums=argnums,
        directions=directions,
        seed=seed,
        budget=budget,
        effort=effort,
        allow_undecided=allow_undecided,
        evidence=evidence,
    )


def assert_jvp(
    function: Callable[..., Any],
    claimed: Callable[..., Any] | None = None,
    *,
    over: Any = None,
    at: Sequence[Any] | None = None,
    argnums: int | Sequence[int] | None = None,
    directions: Any = None,
    seed: int | None = None,
    budget: float | Budget | None = None,
    effort: float | None = None,
    allow_undecided: bool = False,
    evidence: str = "certified",
) -> Result:
    """Assert that `claimed` gives Jacobian-vector products; see :func:`assert_gradient`.

    It is called with the arguments of `function` and a tangent for each, and returns what has
    the shape of the value of `function`. `directions` says where the tangents may lie, as in
    :func:`verify.jvp`; a point may have them behind its arguments.
    """
    __tracebackhide__ = True
    return assert_derivative(
        "jvp",
        function,
        claimed,
        over=over,
        at=at,
        argnums=argnums,
        directions=directions,
        seed=seed,
        budget=budget,
        effort=effort,
        allow_undecided=allow_undecided,
        evidence=evidence,
    )


def assert_hvp(
    function: Callable[..., Any],
    claimed: Callable[..., Any] | None = None,
    *,
    over: Any = None,
    at: Sequence[Any] | None = None,
    argnums: int | Sequence[int] | None = None,
    directions: Any = None,
    seed: int | None = None,
    budget: float | Budget | None = None,
    effort: float | None = None,
    allow_undecided: bool = False,
    evidence: str = "certified",
) -> Result:
    """Assert that `claimed` gives Hessian-vector products; see :func:`assert_gradient`.

    It is called with the arguments of `function` and a vector for each, and returns an array,
    or a tuple of one for each argument. `directions` says where the vectors may lie, as in
    :func:`verify.hvp`; a point may have them behind its arguments.
    """
    __tracebackhide__ = True
    return assert_derivative(
        "hvp",
        function,
        claimed,
        over=over,
        at=at,
        argnums=argnums,
        directions=directions,
        seed=seed,
        budget=budget,
        effort=effort,
        allow_undecided=allow_undecided,
        evidence=evidence,
    )


def assert_derivative(
    quantity: str,
    function: Callable[..., Any],
    claimed: Callable[..., Any] | None = None,
    *,
    seed: int | None = None,
    budget: float | Budget | None = None,
    effort: float | None = None,
    allow_undecided: bool = False,
    evidence: str = "certified",
    **terms: Any,
) -> Result:
    """Assert that `claimed` is the `quantity` of `function`; see :func:`assert_gradient`.

    Examples
    --------
    >>> import numpy as np
    >>> assert_derivative("gradient", np.sin, np.cos, at=[0.5]).verdict
    <Verdict.CORRECT: 'CORRECT'>
    """
    __tracebackhide__ = True
    present = defaults.present()
    result = api.derivative(
        quantity,
        function,
        claimed=claimed,
        seed=present.seed if seed is None else seed,
        budget=limits(budget),
        effort=present.effort if effort is None else effort,
        evidence=evidence,
        **terms,
    )
    hearing = listener()
    if hearing is not None:
        hearing.hear(result)
    error = _raised(result, allow_undecided)
    if error is None:
        return result
    seeded = result.coverage is not None and seed is None
    again = [] if hearing is None else [hearing.replay(result.case.seed if seeded else None)]
    raise error(_words(result, again, evidence, claimed is not None), result)


def limits(budget: float | Budget | None = None) -> Budget:
    """What an assertion may spend, given seconds or nothing.

    Raises
    ------
    UsageError
        No number above 0.

    Examples
    --------
    >>> limits(5).seconds
    5
    """
    if isinstance(budget, Budget):
        return budget
    seconds = defaults.present().seconds if budget is None else budget
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds > 0:
        raise UsageError(f"budget={seconds!r}; expected seconds above 0, as in budget=10")
    return Budget(seconds=seconds, statements=DEFAULT_BUDGET.statements)


def _raised(result: Result, allow_undecided: bool) -> type[DerivativeError] | None:
    """What is to be raised; None if it passes."""
    if at_fault(result):
        return DerivativeError
    if inside(result).verdict is Verdict.OUTSIDE:
        return UndecidedError
    return UndecidedError if is_open(result) and not allow_undecided else None


def _words(result: Result, again: list[str], evidence: str, claimed: bool) -> str:
    """What there is to say; imported now, for most assertions pass."""
    from verify.report.call import call_line
    from verify.report.failure import failure

    replays = (*again, call_line(result, evidence, claimed=claimed))
    return failure(result, replays, more="pytest -v" if again else "")
