"""Regions written as Python again, with what rules some points out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from verify.regions.conditions import Condition, Conditional, Restricted
from verify.regions.region import Point, Product, Region
from verify.regions.subset import ImposedCondition, Subset


@dataclass(frozen=True)
class Restriction:
    """A way to leave points out.

    Attributes
    ----------
    line : str
        The region with it, in Python; empty where the region cannot be written.
    call : str
        The call alone, that goes behind a region.
    imposed : Imposed
        What it demands.
    """

    line: str
    call: str
    imposed: ImposedCondition


def region_to_source(region: Region) -> str:
    """A region as Python that makes it; empty for one of code, or of shapes that go together.

    Examples
    --------
    >>> from verify.regions import as_region, box
    >>> region_to_source(as_region((box(0, 1), box(2, 3).excluding("zeros")), ["x", "y"]))
    "verify.product(verify.box(0.0, 1.0), verify.box(2.0, 3.0).excluding('zeros'))"
    """
    return _format_region(region, {}, "")


def _format_region(region: Region, more: dict[int, str], behind: str) -> str:
    """The same with further calls behind single arguments, by place, and behind all."""
    base, joint = region, ""
    calls = dict.fromkeys(range(len(region.arguments)), "")
    if isinstance(region, Subset):
        base = region.base
        for one in region.conditions:
            if not _can_be_written(one.condition):
                return ""
            if len(one.places) == 1:
                calls[one.places[0]] += one.condition.source
            else:
                joint += one.condition.source
    if not isinstance(base, Product) or not _is_whole(base):
        return ""
    spaces = [
        f"verify.{space.format_call()}{calls[at]}{more.get(at, '')}"
        for at, space in enumerate(base.arguments)
    ]
    if len(spaces) == 1:
        return f"{spaces[0]}{joint}{behind}"
    return f"verify.product({', '.join(spaces)}){joint}{behind}"


def _can_be_written(condition: Condition) -> bool:
    return condition.source.startswith((".excluding(", ".away_from(")) and condition.is_plain


def _is_whole(base: Product) -> bool:
    """Whether every shape of an argument goes with every one of the others."""
    return len(base.joint) == int(np.prod([len(space.shapes) for space in base.arguments]))


def restrictions(region: Region, point: Point, kink: bool) -> Iterator[Restriction]:
    """Ways to leave a point out, that which takes the fewest others along first.

    Parameters
    ----------
    region : Region
        Of the arguments alone.
    point : tuple of arguments
    kink : bool
        Whether there is no classical derivative at it.

    Examples
    --------
    >>> from verify.regions import as_region, box
    >>> region = as_region(box(-1, 1, shape=(2,)), ["x"])
    >>> [found.call for found in restrictions(region, (np.array([0.5, 0.5]),), False)]
    ['.away_from(0.5)', '.where(lambda x: x[0] != x[1], "entries apart")', ".excluding('ties')"]
    """
    names = region.names
    for at, (name, x) in enumerate(zip(names, map(np.asarray, point), strict=True)):
        for call, condition in _conditions_on_one(name, x):
            line = _format_region(region, {at: call}, "")
            yield Restriction(line, call, ImposedCondition(condition, (at,)))
    every = tuple(range(len(names)))
    for call, condition in _conditions_on_pair(names, point):
        yield Restriction(
            _format_region(region, {}, call), call, ImposedCondition(condition, every)
        )
    if kink:
        (condition,) = Conditional().excluding("kinks").conditions
        call = condition.source
        yield Restriction(
            _format_region(region, {}, call), call, ImposedCondition(condition, every)
        )


def _conditions_on_one(name: str, x: np.ndarray) -> Iterator[tuple[str, Condition]]:
    numbers = x.ravel()
    if 0 < numbers.size <= 4 or not np.any(numbers):
        same = numbers.size and np.all(numbers == numbers[0])
        yield _plain(Conditional().away_from(float(numbers[0]) if same else x.tolist()))
    if x.shape == (2,) and numbers[0] == numbers[1] and name.isidentifier():
        words = "entries apart"
        call = f'.where(lambda {name}: {name}[0] != {name}[1], "{words}")'
        yield call, Condition(words, call, lambda given: given[0] != given[1])
    if np.any(numbers == 0) and numbers.size > 1:
        yield _plain(Conditional().excluding("zeros"))
    if len(np.unique(numbers)) < numbers.size:
        yield _plain(Conditional().excluding("ties"))


def _plain(made: Restricted) -> tuple[str, Condition]:
    (condition,) = made.conditions
    return condition.source, condition


def _conditions_on_pair(names: Sequence[str], point: Point) -> Iterator[tuple[str, Condition]]:
    """Two arguments that are equal."""
    arrays = [np.asarray(x) for x in point]
    for at, one in enumerate(arrays):
        for other in range(at + 1, len(arrays)):
            same = one.shape == arrays[other].shape and np.array_equal(one, arrays[other])
            if not same or not all(name.isidentifier() for name in names):
                continue
            a, b = names[at], names[other]
            words = f"{a} and {b} apart"
            differs = f"np.any({a} != {b})" if one.ndim else f"{a} != {b}"
            call = f'.where(lambda {", ".join(names)}: {differs}, "{words}")'

            def are_apart(*xs: Any, at: int = at, other: int = other) -> bool:
                return bool(np.any(xs[at] != xs[other]))

            yield call, Condition(words, call, are_apart)
