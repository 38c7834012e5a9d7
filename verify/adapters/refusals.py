"""What frameworks say when they have no derivative to give, which is no wrong one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

_WORDS: Final = {
    "jax": (
        "differentiation does not work for",
        "gradients are only implemented",
        "can't apply forward-mode autodiff",
        "differentiation rule for",
        "transpose rule",
        "jvp rule for",
        "is not differentiable",
    ),
    "torch": (
        "must override the setup_context",
        "trying to use forward ad with",
        "does not support it because it has not been implemented",
        "you must implement the jvp",
        "must implement the jvp",
        "you must override the vmap",
        "is not implemented for",
        "derivative for",
    ),
}
"""What a framework's own errors say of what it cannot differentiate, in lower case."""

_NOT_THERE: Final = ("not implemented", "not supported", "does not support", "not work")


def refuses(error: BaseException) -> str:
    """The framework that raised because it does not differentiate something; empty otherwise.

    Of a framework are only errors that its own code raised, not the user's code under it.

    Parameters
    ----------
    error : exception
        Raised by a claim.

    Examples
    --------
    >>> refuses(NotImplementedError("the Hessian of it is to be done"))
    ''
    """
    framework = _raised_by(error)
    words = str(error).lower()
    known = any(said in words for said in _WORDS.get(framework, ()))
    if not known and isinstance(error, NotImplementedError):
        known = framework in _WORDS and any(said in words for said in _NOT_THERE)
    return framework if known else ""


def _raised_by(error: BaseException) -> str:
    """The framework in whose code an error was raised; JAX leaves its own frames out."""
    *_, last = ["", *_modules(error)]
    adapter = last.removeprefix("verify.adapters.")
    return adapter if adapter in _WORDS else last.partition(".")[0]


def _modules(error: BaseException) -> Iterator[str]:
    trace: Any = error.__traceback__
    while trace is not None:
        yield str(trace.tb_frame.f_globals.get("__name__") or "")
        trace = trace.tb_next
