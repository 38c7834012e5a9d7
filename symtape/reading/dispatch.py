"""Functions that are others where they are given tensors."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any

from symtape.errors import NotOnTape
from symtape.recording.in_place import Buffer, lift_tensors
from symtape.recording.nested import holds_tensor, lower_buffers

Function = Callable[..., Any]

Substitute = Callable[[Function], Function]
"""From a function of a library's to what is called in place of it."""


def if_given(
    original: Function, kept: Function, holds: Callable[[Any], bool] = holds_tensor
) -> Function:
    """`kept` where the arguments hold a tensor, and `original` of all else.

    Examples
    --------
    >>> from symtape.recording.tensor import constant
    >>> size = if_given(len, lambda x: x.size)
    >>> size([1, 2]), size(constant([[1.0, 2.0, 3.0]]))
    (2, 3)
    """

    @functools.wraps(original, updated=())  # It may be a type.
    def function(*args: Any, **keywords: Any) -> Any:
        held = holds((*args, *keywords.values()))
        return (kept if held else original)(*args, **keywords)

    return function


def lower_and_lift(original: Function, kept: Function) -> Function:
    """`kept` of the tensors that are in arrays now, with results that can be written into."""

    @functools.wraps(original, updated=())  # It may be a type.
    def function(*args: Any, **keywords: Any) -> Any:
        return lift_tensors(kept(*lower_buffers(args), **lower_buffers(keywords)))

    return function


def substitute_for_tensors(kept: Function) -> Substitute:
    """By a function of tensors."""
    return lambda original: if_given(original, lower_and_lift(original, kept))


def substitute_for_arrays(kept: Function) -> Substitute:
    """By a function that takes arrays as they are, and may write into them."""
    return lambda original: if_given(original, kept)


def substitute_for_functions(kept: Function) -> Substitute:
    """By a function that is given functions, which may hold tensors."""
    return lambda original: lower_and_lift(original, kept)


def substitute_for_output(kept: Function, at: int = -1) -> Substitute:
    """By a function of tensors, whose result is written into the argument at a place."""

    def write(*args: Any, **keywords: Any) -> None:
        given = [*args, *keywords.values()]  # SciPy names the last one in some calls.
        put(given.pop(at), kept(*lower_buffers(given)))

    return substitute_for_arrays(write)


def put(out: Any, found: Any) -> None:
    """Write what was found into the array that compiled code was given for it."""
    if not isinstance(out, Buffer) and holds_tensor(found):
        raise NotOnTape("compiled code wrote a tensor into a plain array")
    out[...] = found


def import_later(module: str, name: str) -> Function:
    """A function of a module that is imported when it is called."""

    def function(*args: Any, **keywords: Any) -> Any:
        return getattr(importlib.import_module(module), name)(*args, **keywords)

    return function
