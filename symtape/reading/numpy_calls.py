"""Calls of NumPy's functions in code that is read, which take lists of tensors as well."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, Final

import numpy as np

from symtape.primitives.protocol import meaning_of
from symtape.reading.arrays import takes_lists
from symtape.reading.functions import CACHED
from symtape.recording.in_place import Buffer, apply_to_buffers

NUMPY_FUNCTION: Final = type(np.sum)

CALLABLES: Final = frozenset(
    (FunctionType, BuiltinFunctionType, MethodType, functools.partial, CACHED)
)
"""Types of what code that is not read is given in another form, since it may call it."""

_CHANGED: Final = CALLABLES | {list, tuple}
"""Types of what NumPy's functions are given in another form."""

_OPERANDS: Final = frozenset((Buffer, float, int))
"""Types of what a ufunc is given in most calls."""

_PASSED: Final = _OPERANDS | {np.ndarray, bool, str, type(None)}
"""Types of what a function is given in most calls; NumPy itself would ask the buffers among it."""


def target_of_ufunc(ufunc: np.ufunc, hand_over: Callable[[Any], Any]) -> Callable[..., Any]:
    """What is called in place of a ufunc."""
    otherwise, count = target_of_numpy(ufunc, hand_over), ufunc.nin

    def call(*args: Any, **keywords: Any) -> Any:
        __tracebackhide__ = True
        if len(args) == count and not keywords and _OPERANDS.issuperset(map(type, args)):
            return apply_to_buffers(ufunc, args)
        return otherwise(*args, **keywords)

    return call


def target_of_numpy(function: Any, hand_over: Callable[[Any], Any]) -> Callable[..., Any]:
    """What is called in place of a function of NumPy, or of a method of one.

    Parameters
    ----------
    function : callable
    hand_over : callable
        From an argument to what code is given that is not read.
    """
    owner, of_python = getattr(function, "__self__", None), type(function) is NUMPY_FUNCTION
    of_ufunc = type(owner) is np.ufunc
    kept = getattr(takes_lists(owner), function.__name__) if of_ufunc else takes_lists(function)

    def call(*args: Any, **keywords: Any) -> Any:
        __tracebackhide__ = True
        kinds = set(map(type, (*args, *keywords.values()) if keywords else args))
        if of_python and Buffer in kinds and kinds <= _PASSED:
            for x in args:
                if type(x) is Buffer:
                    return x.__array_function__(function, (Buffer,), args, keywords)
        if _CHANGED.isdisjoint(kinds):
            return function(*args, **keywords)
        if of_python and meaning_of(function) is None:
            args = tuple(map(hand_over, args))
            keywords = {name: hand_over(x) for name, x in keywords.items()}
        return kept(*args, **keywords)

    return call
