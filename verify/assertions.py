"""Assertions for tests: a claimed derivative is right, or the test fails and says why."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal

from verify import api
from verify.model.case import check_flags
from verify.model.pass_criteria import in_domain, is_undecided
from verify.model.result import Result
from verify.model.verdict import Verdict
from verify.options import defaults
from verify.options.docstrings import documented
from verify.options.signatures import with_signature_of

if TYPE_CHECKING:
    from symtape.budget import Budget
    from verify.options.budget import Effort

__all__ = [
    "DerivativeError",
    "NotedWarning",
    "UndecidedError",
    "assert_derivative",
    "assert_gradient",
    "assert_hessian",
    "assert_hvp",
    "assert_jacobian",
    "assert_jvp",
    "assert_vjp",
]

__tracebackhide__ = True  # pytest shows the line of the user's that asserts

_CALLER: Final = 4
"""Frames from where a warning is made to the call of an assertion."""


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


class NotedWarning(UserWarning):
    """A claim fails at the fringe alone, where that matters to nobody; ``strict=True`` fails."""


for _error in (DerivativeError, UndecidedError, NotedWarning):
    _error.__module__ = "verify"  # by which name they are caught, and shown by test runners


def _assertion(
    function: Callable[..., Any],
    claimed: Callable[..., Any] | None = None,
    *,
    at: Sequence[Any] | None = None,
    over: Any = None,
    argnums: int | Sequence[int] | None = None,
    seed: int | None = None,
    budget: float | Budget | None = None,
    effort: Effort | None = None,
    evidence: Literal["certified", "sampled"] = "certified",
    strict: bool | None = None,
    convention: Literal["conjugate", "transpose"] = "conjugate",
    allow_undecided: bool = False,
) -> None:
    """What the assertions about derivatives take."""


def _assertion_along_directions(
    function: Callable[..., Any],
    claimed: Callable[..., Any] | None = None,
    *,
    at: Sequence[Any] | None = None,
    over: Any = None,
    argnums: int | Sequence[int] | None = None,
    directions: Any = None,
    seed: int | None = None,
    budget: float | Budget | None = None,
    effort: Effort | None = None,
    evidence: Literal["certified", "sampled"] = "certified",
    strict: bool | None = None,
    convention: Literal["conjugate", "transpose"] = "conjugate",
    allow_undecided: bool = False,
) -> None:
    """What the assertions about products with directions take."""


@documented
@with_signature_of(_assertion)
def assert_gradient(**given: Any) -> Result:
    """Assert that `claimed` is the gradient of `function`.

    Examples
    --------
    >>> import numpy as np, verify
    >>> def slope(x):
    ...     return 1 / np.cosh(x) ** 2
    >>> verify.assert_gradient(np.tanh, slope, over=[-60, 60]).verdict
    <Verdict.CORRECT: 'CORRECT'>
    """
    return assert_derivative("gradient", **given)


@documented
@with_signature_of(_assertion)
def assert_jacobian(**given: Any) -> Result:
    """Assert that `claimed` is the Jacobian of `function`.

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
    return assert_derivative("jacobian", **given)


@documented
@with_signature_of(_assertion)
def assert_hessian(**given: Any) -> Result:
    """Assert that `claimed` is the Hessian of `function`.

    Examples
    --------
    >>> import numpy as np, verify
    >>> def curvature(x):
    ...     return np.diag(np.exp(x))
    >>> box = verify.box(-9, 9, shape=(2,))
    >>> verify.assert_hessian(lambda x: np.sum(np.exp(x)), curvature, over=box).verdict
    <Verdict.CORRECT: 'CORRECT'>
    """
    return assert_derivative("hessian", **given)


@documented
@with_signature_of(_assertion_along_directions)
def assert_vjp(**given: Any) -> Result:
    """Assert that `claimed` gives vector-Jacobian products.

    Examples
    --------
    >>> import numpy as np, verify
    >>> def pulled(x, g):
    ...     return g * np.cos(x)
    >>> verify.assert_vjp(np.sin, pulled, at=[[0.5, 1.0]]).verdict
    <Verdict.CORRECT: 'CORRECT'>
    """
    return assert_derivative("vjp", **given)


@documented
@with_signature_of(_assertion_along_directions)
def assert_jvp(**given: Any) -> Result:
    """Assert that `claimed` gives Jacobian-vector products.

    Examples
    --------
    >>> import numpy as np, verify
    >>> def pushed(x, t):
    ...     return t * np.cos(x)
    >>> verify.assert_jvp(np.sin, pushed, at=[[0.5, 1.0]]).verdict
    <Verdict.CORRECT: 'CORRECT'>
    """
    return assert_derivative("jvp", **given)


@documented
@with_signature_of(_assertion_along_directions)
def assert_hvp(**given: Any) -> Result:
    """Assert that `claimed` gives Hessian-vector products.

    Examples
    --------
    >>> import numpy as np, verify
    >>> def bent(x, v):
    ...     return 6 * x * v
    >>> verify.assert_hvp(lambda x: np.sum(x**3), bent, at=[[1.0, 2.0]]).verdict
    <Verdict.CORRECT: 'CORRECT'>
    """
    return assert_derivative("hvp", **given)


def assert_derivative(
    quantity: str,
    function: Callable[..., Any],
    claimed: Callable[..., Any] | None = None,
    *,
    seed: int | None = None,
    budget: float | Budget | None = None,
    effort: Effort | None = None,
    evidence: Literal["certified", "sampled"] = "certified",
    strict: bool | None = None,
    allow_undecided: bool = False,
    **terms: Any,
) -> Result:
    """Assert that `claimed` is the `quantity` of `function`; see :func:`assert_gradient`.

    Examples
    --------
    >>> import numpy as np
    >>> assert_derivative("gradient", np.sin, np.cos, at=[0.5]).verdict
    <Verdict.CORRECT: 'CORRECT'>
    """
    check_flags(allow_undecided=allow_undecided)
    present = defaults.present()
    result = api.derivative(
        quantity,
        function,
        claimed,
        seed=present.seed if seed is None else seed,
        budget=present.seconds if budget is None else budget,
        effort=present.effort if effort is None else effort,
        evidence=evidence,
        strict=present.strict if strict is None else strict,
        **terms,
    )
    observer = present.observer
    if observer is not None:
        observer.observe(result)
    error = _raised(result, allow_undecided)
    if error is None:
        if result.notes:
            warnings.warn(_noted(result), NotedWarning, stacklevel=_CALLER)
        return result
    seeded = result.coverage is not None and seed is None
    replay = "" if observer is None else observer.replay(result.case.seed if seeded else None)
    raise error(_words(result, replay, evidence, claimed is not None), result)


def _raised(result: Result, allow_undecided: bool) -> type[DerivativeError] | None:
    """What is to be raised; None if it passes."""
    if result.verdict.fails:
        return DerivativeError
    if in_domain(result).verdict is Verdict.OUTSIDE:
        return UndecidedError
    return UndecidedError if is_undecided(result) and not allow_undecided else None


def _noted(result: Result) -> str:
    from verify.report.notes import noted_line

    return noted_line(result)


def _words(result: Result, replay: str, evidence: str, claimed: bool) -> str:
    """What there is to say; imported now, for most assertions pass."""
    from verify.report.call import call_line
    from verify.report.failure import failure

    call = call_line(result, evidence, claimed=claimed)
    return failure(
        result, (replay, call) if replay else (call,), more="pytest -v" if replay else ""
    )
