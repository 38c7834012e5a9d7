"""Functions of balls over arrays of balls, with as little as can be between them and Arb."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from symtape.primitives.primitive import Primitive, name_of
from symtape.rigorous import ball
from symtape.rigorous.elementary import DIRECT, ENOUGH


class _FunctionLookup:
    """Stands in for the functions of balls, and tells which of them is called on what."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return lambda *args: (getattr(ball, name), args)


class _Operand:
    """Stands in for a ball, and tells which operator is applied to what."""

    def __add__(self, other: Any) -> Any:
        return operator.add, (self, other)

    def __sub__(self, other: Any) -> Any:
        return operator.sub, (self, other)

    def __mul__(self, other: Any) -> Any:
        return operator.mul, (self, other)

    def __truediv__(self, other: Any) -> Any:
        return operator.truediv, (self, other)

    def __neg__(self) -> Any:
        return operator.neg, (self,)


def bind_reading(reading: Callable[..., Any], module: Any) -> Callable[..., Any]:
    """A reading in a module of functions; of one that is only a name the function itself."""
    name = name_of(reading)
    return functools.partial(reading, module) if name is None else getattr(module, name)


def find_named_function(row: Primitive) -> Callable[..., Any] | None:
    """The function or operator that the reading of a row only names, without the call in between.

    Examples
    --------
    >>> from symtape.primitives.primitive import PRIMITIVES
    >>> find_named_function(PRIMITIVES["add"])
    <built-in function add>
    """
    assert row.ball is not None
    given = tuple(_Operand() for _ in row.inputs)
    try:
        function, args = row.ball(_FunctionLookup(), *given)
    except Exception:  # noqa: BLE001  # whatever a reading does with what is no ball
        return None
    same = isinstance(args, tuple) and len(args) == len(given)
    if not (callable(function) and same and all(map(operator.is_, args, given))):
        return None
    return function  # type: ignore[no-any-return]


@functools.lru_cache(maxsize=4096)  # rows
def is_operator(row: Primitive) -> bool:
    """Whether the reading of a row is an operator, which NumPy applies to arrays of objects."""
    return (
        row.ball is not None
        and getattr(find_named_function(row), "__module__", "") == operator.add.__module__
    )


def vectorise(scalar: Callable[..., Any], arity: int) -> Callable[..., Any]:
    """`scalar` by element; where Arb computes all that is asked for, without a step in Python."""
    each: Callable[..., Any] = np.frompyfunc(scalar, arity, 1)
    if scalar not in DIRECT:
        return each
    function, measure = DIRECT[scalar]
    direct: Callable[..., Any] = np.frompyfunc(function, 1, 1)

    def apply_to_array(x: Any) -> Any:
        try:
            if measure is None or min(map(measure, x.ravel().tolist()), default=0) > ENOUGH:
                return direct(x)
        except TypeError:
            # Plain numbers among the balls.
            pass
        return each(x)

    return apply_to_array
