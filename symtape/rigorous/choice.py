"""Deciding and choosing between balls, where a decision may be undecidable.

A comparison answers True or False for all values that the balls hold, or None. What is chosen
on None is the hull of all that could have been chosen.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from flint import arb

from symtape.rigorous.scalar import Ball, binary, enclose_interval, hull, to_ball

Truth: TypeAlias = bool | None


@binary
def less(a: Ball, b: Ball) -> Truth:
    """``a < b``, three-valued."""
    return True if a < b else False if a >= b else None


@binary
def less_equal(a: Ball, b: Ball) -> Truth:
    """``a <= b``, three-valued."""
    return True if a <= b else False if a > b else None


@binary
def greater(a: Ball, b: Ball) -> Truth:
    """``a > b``, three-valued."""
    return True if a > b else False if a <= b else None


@binary
def greater_equal(a: Ball, b: Ball) -> Truth:
    """``a >= b``, three-valued."""
    return True if a >= b else False if a < b else None


@binary
def equal(a: Ball, b: Ball) -> Truth:
    """``a == b``, three-valued; True only of exact balls, and of one and the same."""
    return True if _is_same_ball(a, b) or a == b else False if a != b else None


@binary
def not_equal(a: Ball, b: Ball) -> Truth:
    """``a != b``, three-valued."""
    return False if _is_same_ball(a, b) or a == b else True if a != b else None


def _is_same_ball(a: Ball, b: Ball) -> bool:
    """Whether two balls are one object: a number that was only moved, as the largest of some is."""
    return a is b and bool(a.is_finite())


def truth(x: Any) -> Truth:
    """A truth value as True, False or None; a number is True where it is not zero."""
    if x is None:
        return None
    if type(x) is arb:
        found: Truth = False if x.is_zero() else None if x.contains(0) else True
        return found
    return bool(x)


def _lift(function: Callable[..., Any], *args: Any) -> Any:
    """Apply `function` of scalars to scalars, or by element to arrays."""
    if any(isinstance(arg, np.ndarray) and arg.ndim for arg in args):
        return np.frompyfunc(function, len(args), 1)(*args)
    return function(*(arg[()] if isinstance(arg, np.ndarray) else arg for arg in args))


def _not(a: Any) -> Truth:
    found = truth(a)
    return None if found is None else not found


def _and(a: Any, b: Any) -> Truth:
    both = (truth(a), truth(b))
    return False if False in both else None if None in both else True


def _or(a: Any, b: Any) -> Truth:
    both = (truth(a), truth(b))
    return True if True in both else None if None in both else False


def logical_not(a: Any) -> Any:
    """Three-valued not."""
    return _lift(_not, a)


def logical_and(a: Any, b: Any) -> Any:
    """Three-valued and: False beside None is False."""
    return _lift(_and, a, b)


def logical_or(a: Any, b: Any) -> Any:
    """Three-valued or: True beside None is True."""
    return _lift(_or, a, b)


def _select_ball(condition: Any, a: Any, b: Any) -> Ball:
    found = truth(condition)
    if found is None:
        return hull(to_ball(a), to_ball(b))
    return to_ball(a if found else b)


def where(condition: Any, a: Any, b: Any) -> Any:
    """`a` where `condition` is True, `b` where False, the hull of both where undecided."""
    return _lift(_select_ball, condition, a, b)


@binary
def maximum(a: Ball, b: Ball) -> Ball:
    """The greater; of overlapping balls, what it may be."""
    return a if a >= b else b if b >= a else a.max(b)


@binary
def minimum(a: Ball, b: Ball) -> Ball:
    """The less; of overlapping balls, what it may be."""
    return a if a <= b else b if b <= a else a.min(b)


def sort(array: Any, axis: int | None = -1) -> Any:
    """Sort balls along `axis`; None ravels first.

    Element k holds every value that the k-th least can take: it lies between the k-th least of
    the lower ends and the k-th least of the upper ends.
    """
    return sort_rows(array, axis, lambda row: _sort_balls([to_ball(x) for x in row]))


def sort_rows(array: Any, axis: int | None, sort_row: Callable[[list[Any]], list[Any]]) -> Any:
    """Each row along `axis` as `sort_row` puts it; None ravels first."""
    array = np.asarray(array, dtype=object)
    if axis is None:
        array, axis = array.ravel(), 0
    rows = np.moveaxis(array, axis, -1)
    result = np.empty(rows.shape, dtype=object)
    for index in np.ndindex(rows.shape[:-1]):
        result[index] = sort_row(list(rows[index]))
    return np.moveaxis(result, -1, axis)


def _sort_balls(balls: list[Ball]) -> list[Ball]:
    unknown = [ball for ball in balls if ball.is_nan()]
    if unknown:
        return [unknown[0]] * len(balls)
    order = functools.cmp_to_key(_compare_balls)
    middles = sorted(balls, key=lambda ball: order(ball.mid()))
    if all(a <= b for a, b in itertools.pairwise(middles)):
        return middles
    lowers = sorted((ball.lower() for ball in balls), key=order)
    uppers = sorted((ball.upper() for ball in balls), key=order)
    return [enclose_interval(a, b) for a, b in zip(lowers, uppers, strict=True)]


def _compare_balls(a: Ball, b: Ball) -> int:
    return -1 if a < b else int(a > b)
