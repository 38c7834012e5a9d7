"""Operations that only compare, on balls: done where all comparisons are certain.

What depends on order and sign alone gives the same answer for any numbers of the same order and
sign; so it is evaluated on ranks, and refused where the balls leave the order open.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from flint import arb

from symtape.errors import Unsupported
from symtape.recording.structure import separate_entries
from symtape.rigorous.scalar import to_ball


class UndecidedOrder(Unsupported):
    """Balls overlap whose order a choice depends on."""


COMPARING: Final = frozenset(["every", "order", "signs", "some"])
"""Decisions of rows whose answer depends on the order and sign of their arguments alone."""


def ranks(name: str, arrays: Sequence[Any], place: str) -> list[Any]:
    """Floats of the order and sign that the numbers in `arrays` of balls have.

    Raises
    ------
    Undecided
        Two balls overlap, or one may be zero.
    """
    balls = [to_ball(0)]
    for array in arrays:
        balls.extend(to_ball(x) for x in np.asarray(array, dtype=object).flat)
    order = sorted(range(len(balls)), key=functools.cmp_to_key(compare_by_middle(balls)))
    ranks = np.zeros(len(balls))
    for before, after in itertools.pairwise(order):
        a, b = balls[before], balls[after]
        if not (a < b or a == b):
            raise UndecidedOrder(
                f"undecided: {name} at {place} depends on the order of {a} and {b} (0 counts), "
                "which these enclosures leave open; raise the precision, or move the point off "
                "the tie"
            )
        ranks[after] = ranks[before] + (a < b)
    ranks -= ranks[0]
    return separate_entries(ranks[1:], map(np.shape, arrays))


def compare_by_middle(balls: list[arb]) -> Any:
    """A comparison of two balls by their places in a list, for :func:`functools.cmp_to_key`."""
    middles = [ball.mid() for ball in balls]

    def compare(i: int, j: int) -> int:
        return -1 if middles[i] < middles[j] else int(middles[i] > middles[j])

    return compare
