"""Assertions for tests: a claimed derivative is right, or the test fails and says why."""

from __future__ import annotations

import functools
import inspect
import itertools
import traceback
import warnings
from collections import UserString
from collections.abc import Callable
from typing import Any, Final, Unpack

from verify import api
from verify.model.case import check_flags
from verify.model.grade import is_undecided, keep_domain
from verify.model.result import Result
from verify.model.verdict import Verdict
from verify.options import defaults
from verify.options.keywords import KEYWORDS
from verify.options.signatures import (
    AssertedCheck,
    AssertedProduct,
    add_sections,
    explain_keywords,
    settle,
)

__tracebackhide__ = True  # pytest shows the line of the user's that asserts

_OURS: Final = ("verify.api", "verify.assertions", "verify.optimize", "verify.options.signatures")
"""Where a call of an assertion goes, before it warns."""


class _Explanation(UserString):
    """What an assertion says that fails, written when it is read first.

    Remedies are tried to be offered, which takes longer than the verdict. Nobody reads the failures
    that Hypothesis shrinks, or that a test catches.
    """

    def __init__(self, write: Callable[[], str]) -> None:
        self._write = write

    @functools.cached_property
    def data(self) -> str:  # type: ignore[override]  # it can be set, as UserString's can
        return self._write()

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        return str, (self.data,)


class DerivativeError(AssertionError):
    """A claimed derivative is not the derivative; the message is the explanation.

    Attributes
    ----------
    result : Result or None
        Everything that was found.
    """

    def __init__(self, message: str | UserString, result: Result | None = None) -> None:
        super().__init__(message)
        self.result = result


class UndecidedError(DerivativeError):
    """It is not known whether a claimed derivative is right; says what would help."""


class NotedWarning(UserWarning):
    """A claim fails at extreme values only; with ``strict=True`` that is a failure."""


for _error in (DerivativeError, UndecidedError, NotedWarning):
    _error.__module__ = "verify"  # by which name they are caught, and shown by test runners


@add_sections
@explain_keywords
def assert_gradient(
    function: Callable[..., Any],
    claimed: Callable[..., Any] | None = None,
    **terms: Unpack[AssertedCheck],
) -> Result:
    """Assert that `claimed` is the gradient of `function`.

    Examples
    --------
    >>> import numpy as np, verify
    >>> def slope(x):
    ...     return 1 / np.cosh(x) ** 2
    >>> verify.assert_gradient(np.tanh, slope, over=[-60, 60]).verdict
    <Verdict.CORRECT: 'CORRECT'>
    """
    return _assert_derivative("gradient", function, claimed, **terms)


@add_sections
@explain_keywords
def assert_jacobian(
    function: Callable[..., Any],
    claimed: Callable[..., Any] | None = None,
    **terms: Unpack[AssertedCheck],
) -> Result:
    """Assert that `claimed` is the Jacobian of `function`.

    Examples
    --------
    >>> import numpy as np, verify
    >>> verify.assert_jacobian(np.exp, lambda x: 2 * np.exp(x), at=[0.5])
    Traceback (most recent call last):
    ...
    verify.DerivativeError: WRONG: ... is not the Jacobian of exp
      the jacobian is 3.297443; the exact value is 1.648721; 2 times too large
      ...
    """
    return _assert_derivative("jacobian", function, claimed, **terms)


@add_sections
@explain_keywords
def assert_hessian(
    function: Callable[..., Any],
    claimed: Callable[..., Any] | None = None,
    **terms: Unpack[AssertedCheck],
) -> Result:
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
    return _assert_derivative("hessian", function, claimed, **terms)


@add_sections
@explain_keywords
def assert_vjp(
    function: Callable[..., Any],
    claimed: Callable[..., Any] | None = None,
    **terms: Unpack[AssertedProduct],
) -> Result:
    """Assert that `claimed` gives vector-Jacobian products.

    Examples
    --------
    >>> import numpy as np, verify
    >>> def pulled(x, g):
    ...     return g * np.cos(x)
    >>> verify.assert_vjp(np.sin, pulled, at=[[0.5, 1.0]]).verdict
    <Verdict.CORRECT: 'CORRECT'>
    """
    return _assert_derivative("vjp", function, claimed, **terms)


@add_sections
@explain_keywords
def assert_jvp(
    function: Callable[..., Any],
    claimed: Callable[..., Any] | None = None,
    **terms: Unpack[AssertedProduct],
) -> Result:
    """Assert that `claimed` gives Jacobian-vector products.

    Examples
    --------
    >>> import numpy as np, verify
    >>> def pushed(x, t):
    ...     return t * np.cos(x)
    >>> verify.assert_jvp(np.sin, pushed, at=[[0.5, 1.0]]).verdict
    <Verdict.CORRECT: 'CORRECT'>
    """
    return _assert_derivative("jvp", function, claimed, **terms)


@add_sections
@explain_keywords
def assert_hvp(
    function: Callable[..., Any],
    claimed: Callable[..., Any] | None = None,
    **terms: Unpack[AssertedProduct],
) -> Result:
    """Assert that `claimed` gives Hessian-vector products.

    Examples
    --------
    >>> import numpy as np, verify
    >>> def bent(x, v):
    ...     return 6 * x * v
    >>> verify.assert_hvp(lambda x: np.sum(x**3), bent, at=[[1.0, 2.0]]).verdict
    <Verdict.CORRECT: 'CORRECT'>
    """
    return _assert_derivative("hvp", function, claimed, **terms)


@explain_keywords
def assert_derivative(
    quantity: str,
    function: Callable[..., Any],
    claimed: Callable[..., Any] | None = None,
    **terms: Unpack[AssertedProduct],
) -> Result:
    """Assert that `claimed` is the `quantity` of `function`; see :func:`assert_gradient`.

    Examples
    --------
    >>> import numpy as np
    >>> assert_derivative("gradient", np.sin, np.cos, at=[0.5]).verdict
    <Verdict.CORRECT: 'CORRECT'>
    """
    return _assert_derivative(quantity, function, claimed, **terms)


def _assert_derivative(
    quantity: str,
    function: Callable[..., Any],
    claimed: Callable[..., Any] | None,
    *,
    allow_undecided: bool,
    **terms: Any,
) -> Result:
    check_flags(allow_undecided=allow_undecided)
    present = defaults.present()
    held = {it.name: getattr(present, it.of_run) for it in KEYWORDS.values() if it.of_run}
    result = api.derivative(quantity, function, claimed, **settle(terms, held))
    observer = present.observer
    if observer is not None:
        observer.observe(result)
    error = _find_error_type(result, allow_undecided)
    if error is None:
        if result.notes:
            warnings.warn(_describe_notes(result), NotedWarning, stacklevel=_frames_to_caller())
        return result
    seeded = result.coverage is not None and terms["seed"] is None
    replay = "" if observer is None else observer.replay(result.case.seed if seeded else None)
    words = functools.partial(_words, result, replay, terms["evidence"], claimed is not None)
    raise error(_Explanation(words), result)


def _find_error_type(result: Result, allow_undecided: bool) -> type[DerivativeError] | None:
    """What is to be raised; None if it passes."""
    if result.verdict.fails:
        return DerivativeError
    if keep_domain(result).verdict is Verdict.OUTSIDE:
        return UndecidedError
    return UndecidedError if is_undecided(result) and not allow_undecided else None


def _frames_to_caller() -> int:
    """Frames from where a warning is made to the call of an assertion."""
    frames = (
        frame.f_globals.get("__name__") for frame, _ in traceback.walk_stack(inspect.currentframe())
    )
    return sum(1 for _ in itertools.takewhile(_OURS.__contains__, frames))


def _describe_notes(result: Result) -> str:
    from verify.reporting.explain import noted_line

    return noted_line(result)


def _words(result: Result, replay: str, evidence: str, claimed: bool) -> str:
    """What there is to say; imported now, for most assertions pass."""
    from verify.reporting.call import call_line
    from verify.reporting.failure import failure

    call = call_line(result, evidence, claimed=claimed)
    return failure(
        result, (replay, call) if replay else (call,), more="pytest -v" if replay else ""
    )
