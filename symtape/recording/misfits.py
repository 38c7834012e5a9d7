"""Arguments that are no arrays, where the function took them for some: said by their names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from symtape.errors import NotOnTape, SymtapeError
from symtape.recording.structure import flatten

_LONGEST: Final = 60
_LARGEST: Final = 1024
"""Bits of the whole numbers that are floats."""


def quote(x: Any) -> str:
    """A value on less than a line."""
    if isinstance(x, int) and x.bit_length() > 256:
        return f"an int of {x.bit_length()} bits"
    try:
        text = " ".join(repr(x).split())
    except ValueError:
        # Python writes no integers of many thousand digits.
        return f"a {type(x).__name__}"
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def check_function(function: Any) -> None:
    """Refuse what cannot be called, when it is given.

    Raises
    ------
    TypeError
        `function` is none; says what it is.
    """
    if not callable(function):
        raise TypeError(f"function={quote(function)}: expected a function of numbers or arrays")


def misfit(error: Exception, given: Mapping[Any, Any]) -> Exception:
    """The words for an `error` of a function that was `given` a list, or dict, that is no array.

    The error itself, where all arguments are arrays or numbers, or it has words already.

    Examples
    --------
    >>> print(misfit(TypeError("list ** int"), {0: 2.0, 1: [None, 1.0]}))
    argument 1 is [None, 1.0], a list that is not an array of numbers, so the function was given \
the list itself, and raised TypeError: list ** int; expected an array of numbers, or a function \
that takes the list apart
    """
    if isinstance(error, SymtapeError) and error.code != NotOnTape.code:
        return error
    for key, arg in given.items():
        for leaf in flatten(arg) if type(arg) in (list, tuple) else ():
            if isinstance(leaf, int) and leaf.bit_length() > _LARGEST:
                return _too_large(leaf, key)
        kind = type(arg).__name__
        if type(arg) in (list, tuple, dict) and not is_array_like(arg):
            return NotOnTape(
                f"argument {key} is {quote(arg)}, a {kind} that is not an array of numbers, so the "
                f"function was given the {kind} itself, and raised {type(error).__name__}: "
                f"{error}; expected an array of numbers, or a function that takes the {kind} apart",
                code="dtype:argument",
            )
    return error


def is_array_like(arg: Any) -> bool:
    """Whether nested lists are an array of numbers."""
    try:
        return np.asarray(arg).dtype.kind in "biufc"
    except (TypeError, ValueError):
        return False


def _too_large(x: int, key: Any) -> NotOnTape:
    return NotOnTape(
        f"argument {key} holds {quote(x)}, which is larger than any float; derivatives are taken "
        "by floating-point numbers, scale it first",
        code="dtype:argument",
    )
