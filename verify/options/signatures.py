"""Signatures that several functions share, written out once."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, Final, ParamSpec, TypeVar

from verify.errors import UsageError

_TOLERANCES: Final = ("rtol", "atol", "tol", "tolerance", "eps", "epsilon")
_NO_TOLERANCE: Final = (
    "there is no {}=: verdicts need no tolerance; a claim that is not meant to be exact states its "
    "accuracy, claimed=verify.approximately(g, rtol=1e-9)"
)

P = ParamSpec("P")
R = TypeVar("R")


def with_signature_of(
    written: Callable[P, Any],
) -> Callable[[Callable[..., R]], Callable[P, R]]:
    """Give a function the parameters of another one, at run time and to editors.

    The function is called with all arguments by name, those that were not given too.

    Examples
    --------
    >>> def written(a, *, b=2): ...
    >>> @with_signature_of(written)
    ... def total(**given):
    ...     return sum(given.values())
    >>> total(1), str(inspect.signature(total))
    (3, '(a, *, b=2)')
    >>> total(1, c=3)
    Traceback (most recent call last):
    ...
    TypeError: total() got an unexpected keyword argument 'c'
    """
    signature = inspect.signature(written)

    def decorate(function: Callable[..., R]) -> Callable[P, R]:
        returned = inspect.signature(function).return_annotation

        @functools.wraps(function)
        def taking(*args: P.args, **keywords: P.kwargs) -> R:
            __tracebackhide__ = True  # pytest shows the line of the user's that calls
            try:
                bound = signature.bind(*args, **keywords)
            except TypeError as error:
                if tolerances := [name for name in keywords if name in _TOLERANCES]:
                    raise UsageError(_NO_TOLERANCE.format(tolerances[0])) from None
                raise TypeError(f"{function.__name__}() {error}") from None
            bound.apply_defaults()
            return function(**bound.arguments)

        taking.__signature__ = signature.replace(  # type: ignore[attr-defined]
            return_annotation=returned
        )
        return taking

    return decorate


def in_words(function: Callable[P, R]) -> Callable[P, R]:
    """Have a function say what to do where it is given a keyword that is tempting, and none."""
    return with_signature_of(function)(function)
