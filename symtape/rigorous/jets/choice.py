"""Deciding and choosing between jets, and step functions.

A comparison holds near ``t = 0``: what is equal at 0, and may be different beside it, leaves it
undecided, and what is chosen by it is lost. A germ decides by what follows.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
from flint import arb

from symtape.rigorous import choice as plain
from symtape.rigorous import steps
from symtape.rigorous.choice import Truth
from symtape.rigorous.jets.elementary import absolute
from symtape.rigorous.jets.jet import Element, Jet, Lost, binary, ordering, unary, value_of
from symtape.rigorous.scalar import hull


def _comparison(
    of_balls: Callable[[Any, Any], Any], holds: tuple[bool, bool, bool]
) -> Callable[[Any, Any], Any]:
    """A comparison, from its truth where the first is less, equal and greater."""

    def compare(a: Any, b: Any) -> Any:
        if any(isinstance(arg, np.ndarray) and arg.ndim for arg in (a, b)):
            return np.frompyfunc(compare, 2, 1)(a, b)
        order = ordering(a, b)
        if order is not None:
            return holds[order + 1]
        first, second = value_of(a), value_of(b)
        if first == second:
            return None
        return of_balls(first, second)

    compare.__name__ = compare.__qualname__ = of_balls.__name__
    compare.__doc__ = f"``{of_balls.__name__}``, near ``t = 0``; three-valued."
    return compare


less = _comparison(plain.less, (True, False, False))
less_equal = _comparison(plain.less_equal, (True, True, False))
greater = _comparison(plain.greater, (False, False, True))
greater_equal = _comparison(plain.greater_equal, (False, True, True))
equal = _comparison(plain.equal, (False, True, False))
not_equal = _comparison(plain.not_equal, (True, False, True))


def truth(x: Any) -> Truth:
    """A truth value as True, False or None; a number is True where it is not zero."""
    if isinstance(x, Jet):
        found: Truth = not_equal(x, arb(0))
        return found
    return plain.truth(x)


def _lift_to_truths(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of truths, of jets as well."""
    of_any = np.frompyfunc(truth, 1, 1)

    @functools.wraps(function)
    def call(*args: Any) -> Any:
        return function(*(of_any(arg) for arg in args))

    return call


logical_not = _lift_to_truths(plain.logical_not)
logical_and = _lift_to_truths(plain.logical_and)
logical_or = _lift_to_truths(plain.logical_or)


def where(condition: Any, a: Any, b: Any) -> Any:
    """`a` where `condition` holds, `b` where it does not; lost where that is undecided."""
    if any(isinstance(arg, np.ndarray) and arg.ndim for arg in (condition, a, b)):
        return np.frompyfunc(where, 3, 1)(condition, a, b)
    found = truth(condition[()] if isinstance(condition, np.ndarray) else condition)
    if found is None:
        return Lost(hull(value_of(a), value_of(b)))
    return a if found else b


@binary(plain.maximum)
def maximum(a: Jet, b: Jet) -> Any:
    """The greater."""
    order = ordering(a, b)
    if order is None:
        return Lost(plain.maximum(value_of(a), value_of(b)))
    return a if order >= 0 else b


@binary(plain.minimum)
def minimum(a: Jet, b: Jet) -> Any:
    """The less."""
    order = ordering(a, b)
    if order is None:
        return Lost(plain.minimum(value_of(a), value_of(b)))
    return a if order <= 0 else b


def sort(array: Any, axis: int | None = -1) -> Any:
    """Sort along `axis`; what stands beside an undecided tie is lost."""
    return plain.sort_rows(array, axis, _sort_elements)


def _sort_elements(row: list[Element]) -> list[Element]:
    values = plain.sort(np.array([value_of(x) for x in row], dtype=object))
    order = sorted(
        row, key=functools.cmp_to_key(lambda a, b: ordering(a, b) or _compare_by_middle(a, b))
    )
    open_pairs = [ordering(a, b) is None for a, b in itertools.pairwise(order)]
    beside = zip([False, *open_pairs], [*open_pairs, False], strict=True)
    return [
        Lost(value) if before or after else x
        for x, value, (before, after) in zip(order, values, beside, strict=True)
    ]


def _compare_by_middle(a: Element, b: Element) -> int:
    first, second = value_of(a).mid(), value_of(b).mid()
    return -1 if first < second else int(first > second)


def _step(x: Jet, function: Callable[[Any], Any]) -> Any:
    """A step function that jumps at halves of integers only, or not at all."""
    at = x.s[0]
    twice = 2 * at
    if not (at.is_exact() and twice.is_integer()):
        found = function(at)
        return type(x)(found) if found.is_exact() else Lost(found)
    sides = [function(at - arb(0.25)), function(at), function(at + arb(0.25))]
    if sides[0] == sides[1] == sides[2]:
        return type(x)(sides[1])
    side = ordering(x, at)
    return Lost(hull(*sides)) if side is None else type(x)(sides[side + 1])


def _make_step(reference: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The function of jets that steps as `reference` does."""

    def step(x: Any) -> Any:
        return _step(x, reference)

    step.__name__ = step.__qualname__ = reference.__name__
    step.__doc__ = reference.__doc__
    return unary(reference)(step)


sign = _make_step(steps.sign)
floor = _make_step(steps.floor)
ceil = _make_step(steps.ceil)
trunc = _make_step(steps.trunc)
rint = _make_step(steps.rint)


@binary(steps.heaviside)
def heaviside(x: Jet, h: Jet) -> Any:
    """0 below zero, `h` at zero, 1 above."""
    side = ordering(x, arb(0))
    if side is None:
        return Lost(steps.heaviside(value_of(x), value_of(h)).union(arb(0)).union(arb(1)))
    return h if side == 0 else type(x)(int(side > 0))


@binary(steps.copysign)
def copysign(x: Jet, y: Jet) -> Any:
    """``|x|`` with the sign of `y`."""
    side = ordering(y, arb(0))
    size = absolute(x)
    if not side:
        return Lost(hull(value_of(size), -value_of(size)))
    return size if side > 0 else -size


def signbit(x: Element) -> Truth:
    """Whether the sign is minus; None where it may be zero."""
    side = ordering(x, arb(0))
    return None if not side else side < 0


@binary(steps.floor_divide)
def floor_divide(x: Jet, y: Jet) -> Any:
    """``floor(x / y)``."""
    return floor(x / y)


@binary(steps.remainder)
def remainder(x: Jet, y: Jet) -> Any:
    """``x - floor(x / y) y``."""
    return x - floor(x / y) * y


@binary(steps.fmod)
def fmod(x: Jet, y: Jet) -> Any:
    """``x - trunc(x / y) y``."""
    return x - trunc(x / y) * y
