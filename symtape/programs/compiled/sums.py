"""Sums of several terms as additions of two, in the order of NumPy or in another one."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TypeVar

from symtape.programs.compiled.nests import HALVED, WIDTH

T = TypeVar("T")
Add = Callable[[T, T], T]


def add_by_halves(add: Add[T], terms: Sequence[T]) -> T:
    """The sum by halves, whose rounding grows as slowly as that of NumPy's.

    Examples
    --------
    >>> add_by_halves(lambda a, b: f"({a}+{b})", "abc")
    '(a+(b+c))'
    """
    if len(terms) < 3:
        return add(*terms) if len(terms) == 2 else terms[0]
    half = len(terms) // 2
    return add(add_by_halves(add, terms[:half]), add_by_halves(add, terms[half:]))


def add_neighbours(add: Add[T], terms: Sequence[T]) -> T:
    """The sum of a vector as NumPy adds it: up to 128 in eight sums, more of them by halves.

    Examples
    --------
    >>> add_neighbours(lambda a, b: f"({a}+{b})", "abc")
    '((a+b)+c)'
    """
    count = len(terms)
    if count > HALVED:
        half = count // 2 - count // 2 % WIDTH
        return add(add_neighbours(add, terms[:half]), add_neighbours(add, terms[half:]))
    whole = count - count % WIDTH
    lanes = [functools.reduce(add, terms[k:whole:WIDTH]) for k in range(WIDTH if whole else 0)]
    begun = [add_by_halves(add, lanes)] if whole else []
    return functools.reduce(add, [*begun, *terms[whole:]])
