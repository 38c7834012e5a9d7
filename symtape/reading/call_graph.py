"""The functions of users' that a function may call, as far as names tell."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any, Final

from symtape.reading.functions import closed_over, functions_of_attribute, inner_function, names
from symtape.reading.origin import whose
from symtape.recording.of_leaves import OfLeaves

_DEPTH: Final = 4
_CALLED: Final = (FunctionType, type, MethodType, functools.partial)


def reached(function: Callable[..., Any]) -> list[FunctionType]:
    """Functions of users' that one names, and that these name."""
    level, seen = [function], dict[int, FunctionType]()
    for _ in range(_DEPTH):
        following: list[Any] = []
        for item in level:
            for found in _functions_of(item):
                if id(found) not in seen and whose(found.__globals__) == "user":
                    seen[id(found)] = found
                    following += _named(found)
        level = following
    return list(seen.values())


def is_alone(function: FunctionType) -> bool:
    """Whether a function can reach no other one: it names none, holds none and wraps none."""
    if function.__closure__ or function.__defaults__ or function.__kwdefaults__:
        return False
    around = function.__globals__
    for name in names(function.__code__):
        if isinstance(around.get(name), _CALLED):
            return False
    return not function.__dict__


def _functions_of(item: Any) -> list[FunctionType]:
    if isinstance(item, FunctionType):
        # A decorator, of ours or of another, is beside what it decorates.
        wrapped = item.__dict__.get("__wrapped__")
        return [item, *_functions_of(wrapped)] if wrapped is not None else [item]
    if (inner := inner_function(item)) is not None:
        return _functions_of(inner)
    if isinstance(item, OfLeaves):
        return _functions_of(item.__wrapped__)
    if isinstance(item, type):
        return [f for x in vars(item).values() for f in functions_of_attribute(x)]
    if isinstance(item, MethodType):
        return _functions_of(item.__func__) + _functions_of(type(item.__self__))
    if isinstance(item, functools.partial):
        return _functions_of(item.func)
    users = whose({"__name__": type(item).__module__}) == "user"
    return _functions_of(type(item)) if callable(item) and users else []


def _named(function: FunctionType) -> list[Any]:
    around = function.__globals__
    found = [around[name] for name in names(function.__code__) if name in around]
    found += [*closed_over(function), *(function.__defaults__ or ())]
    found += (function.__kwdefaults__ or {}).values()
    return [x for x in found if isinstance(x, _CALLED)]
