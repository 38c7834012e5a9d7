"""Products of complex arrays that sum over shared axes."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from symtape.graph.cartesian.parts import (
    Parts,
    add,
    minus,
    multiply,
    pair,
    parts,
    plus,
    stack_parts,
    take,
)
from symtape.graph.cartesian.readings import reads
from symtape.graph.cartesian.slack import slack
from symtape.primitives.primitive import PRIMITIVES, Primitive


@reads("matmul")
def matmul(a: Any, b: Any) -> Parts:
    """Each part as one sum of twice as many products, in whatever order it is added up."""
    left, right = parts(a), parts(b)
    dense = all(x is not None for x in (left.re, left.im, right.re, right.im))
    if not dense or 0 in (np.size(left.re), np.size(right.re)):
        return multiply_parts_by(np.matmul, left, right)
    across = np.ndim(left.re) - 1
    down = max(np.ndim(right.re) - 2, 0)
    rows = np.concatenate([left.re, left.im], axis=across)
    re = np.matmul(rows, np.concatenate([right.re, -right.im], axis=down))
    im = np.matmul(rows, np.concatenate([right.im, right.re], axis=down))
    return Parts(re, im)


def multiply_parts_by(product: Any, a: Parts, b: Parts) -> Parts:
    """A product of complex arrays, of which it is known how those of real ones are computed."""

    def multiply_parts(x: Any, y: Any) -> Any:
        return None if x is None or y is None else product(x, y)

    return pair(
        minus(multiply_parts(a.re, b.re), multiply_parts(a.im, b.im)),
        plus(multiply_parts(a.re, b.im), multiply_parts(a.im, b.re)),
    )


@reads("outer", "cross", "convolve", "correlate")
def bilinear(row: Primitive, a: Any, b: Any, **params: Any) -> Parts:
    """A row that is linear in each of two arguments."""
    left, right = parts(a), parts(b)
    units = _count_roundings(left, right)
    return multiply_parts_by(lambda x, y: slack(row(x, y, **params), units), left, right)


def _count_roundings(a: Parts, b: Parts) -> int:
    """Half of the products that are added up beside those of one part alone, and two more."""
    return min(np.size(a.real), np.size(b.real)) + 2


@reads("linear_recurrence")
def linear_recurrence(a: Any, b: Any) -> Parts:
    """Step by step, along the last axis."""
    factors, terms = parts(a), parts(b)
    found = [take(terms, (..., 0))]
    for k in range(1, np.shape(terms.real)[-1]):
        found.append(add(multiply(take(factors, (..., k)), found[-1]), take(terms, (..., k))))
    return stack_parts(found, -1)


@reads("einsum")
def einsum(*operands: Any, **params: Any) -> Parts:
    """Every choice of a part of each operand; an even number of imaginary ones is real."""
    row = PRIMITIVES["einsum"]
    given = [parts(x) for x in operands]
    units = max((np.size(z.real) for z in given), default=0) + 2
    found: list[Any] = [None, None]
    for choice in itertools.product((0, 1), repeat=len(given)):
        chosen = [z.im if imaginary else z.re for z, imaginary in zip(given, choice, strict=True)]
        if any(part is None for part in chosen):
            continue
        term = slack(row(*chosen, **params), units)
        turns = sum(choice) % 4
        combine = plus if turns < 2 else minus
        found[turns % 2] = combine(found[turns % 2], term)
    return pair(*found)
