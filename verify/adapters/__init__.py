"""Adapters: derivatives and functions of other frameworks, as callables of NumPy arrays.

Each framework has a module of its own, imported only when the framework is. A function is wrapped
without being asked for; ``verify.adapters.jax.adapt(f)`` and its like do it where that is not
clear from the function.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, Final

from verify.errors import UsageError

_SAID_OF_TENSORS: Final = {
    "valid JAX type": "jax",
    "must be Tensor, not Tensor": "torch",
}
"""What compiled code, which leaves no line behind, says of a tensor that is not its own."""


def adapt_function(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` as a callable of NumPy arrays and Tensors, whichever framework it is of.

    Parameters
    ----------
    function : callable
        Never called. NumPy functions come back as they are, and those that convert between a
        framework and NumPy themselves.

    Raises
    ------
    UsageError
        Its code names two frameworks, it needs arguments by keyword, or it takes a mapping.

    Examples
    --------
    >>> import numpy as np
    >>> adapt_function(np.sin) is np.sin
    True
    """
    from verify.model.foreign import AdaptedCallable, check_positional, is_any_loaded

    if isinstance(function, AdaptedCallable):
        return function
    check_positional(function)
    if not is_any_loaded(function):
        return function
    from verify.adapters import detection

    hits = detection.find_frameworks(function)
    if not hits:
        return function
    if detection.converts(function):
        return function
    if len(hits) > 1:
        raise UsageError(_describe_mixture(function, hits))
    adapter = importlib.import_module(f"verify.adapters.{hits[0].framework}")
    return adapter.adapt(function)  # type: ignore[no-any-return]


def __getattr__(name: str) -> Any:
    from verify.model.foreign import FRAMEWORKS

    if name not in FRAMEWORKS.values():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return importlib.import_module(f"{__name__}.{name}")


def advice(error: BaseException) -> str:
    """What to do about a framework's error that is about one of our tensors; empty if it is not.

    Parameters
    ----------
    error : exception
        Raised by a function that was taken for NumPy code.
    """
    from verify.adapters import detection

    text = str(error)
    from symtape.errors import SymtapeError

    if isinstance(error, SymtapeError) or not isinstance(
        error, TypeError | ValueError | RuntimeError | AttributeError
    ):
        return ""
    if "ensor" not in text:
        return ""
    said = next((of for words, of in _SAID_OF_TENSORS.items() if words in text), "")
    framework = said or detection.raised_in(error)
    if not framework:
        return ""
    return (
        f"{framework} cannot take a tensor of symtape; say that the function is of {framework}, "
        f"as verify.adapters.{framework}.adapt(f)"
    )


def _describe_mixture(function: Callable[..., Any], hits: list[Any]) -> str:
    from verify.model.case import name_function

    names = " and ".join(f"{hit.framework} ({hit.by})" for hit in hits)
    choices = " or ".join(f"verify.adapters.{hit.framework}.adapt(f)" for hit in hits)
    return (
        f"{name_function(function)} uses {names}; say in which of them it is called, as {choices}, "
        "or let it take and return NumPy arrays"
    )
