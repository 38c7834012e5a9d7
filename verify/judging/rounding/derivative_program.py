"""The derivative's own program as an oracle of whether its rule is right, in exact arithmetic."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
from flint import arb

from symtape.graph.graph import Graph
from symtape.process.collector import suspend_collector
from symtape.process.precision import precision
from symtape.rigorous.bounds import decimal_bounds
from symtape.rigorous.enclose import enclose
from verify.judging.rounding.tolerances import CERTAIN_BITS, DECIDED_BITS, HALF
from verify.model.result import Entry
from verify.oracles.closed_form import BELOW_FLOATS, MOST_BITS, Truth, good_bits


@dataclass(frozen=True, slots=True)
class RuleCheck:
    """What exact arithmetic says of a program.

    Attributes
    ----------
    excluded : list of bool arrays
        Where its enclosure excludes the exact derivative by half a unit in the last place and
        more, one array a part. A True is a certainty, whatever the conditioning.
    bits : int
        Elsewhere the two agree to ``2**-bits``, relatively.
    slight : bool
        Whether elsewhere an entry is off, by less than any float can show.
    balls : list of object arrays
        What the program is in exact arithmetic.
    """

    excluded: list[Any]
    bits: int
    slight: bool = False
    balls: list[Any] = field(default_factory=list)

    @property
    def wrong(self) -> bool:
        """Whether an entry is excluded."""
        return any(bool(flags.any()) for flags in self.excluded)

    @property
    def certain(self) -> bool:
        """Whether the rule is right, farther than any float shows."""
        return not self.wrong and self.bits >= CERTAIN_BITS


@suspend_collector
def examine(program: Graph, point: Sequence[Any], truth: Truth) -> RuleCheck:
    """Set a program beside the exact derivative, at more and more bits until that decides.

    The precision starts at that of `truth` and doubles, up to 4,800 bits, while an entry of
    the program is known to less than 140 bits and not excluded.
    """
    bits, exact = truth.precision, truth.parts
    while True:
        balls = enclose(program, point, bits)
        found, known = _set_beside(program, balls, exact, bits)
        if found.wrong or known >= DECIDED_BITS or bits >= MOST_BITS:
            return replace(found, bits=min(found.bits, truth.bits))
        bits *= 2
        exact = truth.enclose(point, bits)


def _set_beside(
    program: Graph, balls: list[Any], exact: Sequence[Any], bits: int
) -> tuple[RuleCheck, int]:
    """What balls show of a rule, and to how many bits they are known where they do not exclude."""
    flags: list[Any] = []
    agreed = known = bits
    slight = False
    with precision(bits):
        for at, part, others in zip(program.outputs, balls, exact, strict=True):
            dtype = program.nodes[at].dtype
            missed = np.zeros(part.shape, dtype=bool)
            for index in np.ndindex(part.shape):
                # A mask that a claim returns as it is, `np.abs(x) < 1`, counts as numbers.
                ball = arb(part[index]) if isinstance(part[index], bool) else part[index]
                other = others[index]
                missed[index] = are_apart(ball, other, dtype)
                if missed[index]:
                    continue
                known = min(known, good := good_bits(ball, bits))
                if are_apart(ball, other):
                    slight, good = True, _agreement(ball, other)
                agreed = min(agreed, good)
            flags.append(missed)
    return RuleCheck(flags, agreed, slight, balls), known


def _agreement(ball: Any, exact: Any) -> int:
    """The bits to which two balls that do not meet agree."""
    if exact.contains(0):
        return 0
    digits = (abs(exact) / abs(ball - exact)).log() / arb(2).log()
    return max(0, math.floor(float(digits.lower())))


def are_apart(ball: Any, exact: Any, dtype: Any = None) -> bool:
    """Whether two finite balls do not meet, and are farther apart than floats can show.

    ``exp(-1e9)``, left where a masked entry has no derivative at all, is no fault; nor is, of
    floats of `dtype`, half a unit in the last place of the exact value.
    """
    if not (ball.is_finite() and exact.is_finite()) or ball.overlaps(exact):
        return False
    gap = abs(ball - exact)
    if bool(gap < BELOW_FLOATS):
        return False
    return dtype is None or bool(gap > HALF * arb(last_place(exact, dtype)))


def last_place(exact: Any, dtype: Any) -> float:
    """The spacing of the floats of a dtype at an exact value."""
    kind = np.dtype(dtype if np.dtype(dtype).kind == "f" else np.float64).type
    largest = np.finfo(kind).max
    size = kind(min(abs(float(exact.mid())), float(largest)))
    return float(np.spacing(np.nextafter(size, kind(0)) if size == largest else size))


_DIGITS: Final = 60


def rule_errors(
    rule: RuleCheck, flags: Sequence[Any], claimed: Sequence[Any], truth: Truth
) -> Iterator[Entry]:
    """The entries that a rule is off by, in ulps of its claim, the farthest first.

    Parameters
    ----------
    rule : RuleCheck
        With its balls.
    flags : list of bool arrays
        The entries in question.
    claimed : sequence of float arrays
        What floats make of the rule.
    truth : Truth
    """
    with precision(truth.precision):
        errors = [
            (
                _ulps(rule.balls[number][index], truth.parts[number][index], part.dtype),
                number,
                index,
            )
            for number, part in enumerate(claimed)
            for index in map(tuple, np.argwhere(flags[number]).tolist())
        ]
    for ulps, number, index in sorted(errors, key=lambda error: -error[0]):
        exact, ball = truth.parts[number][index], rule.balls[number][index]
        with precision(truth.precision):
            gap = float(abs(ball - exact).mid())
        bounds, size = decimal_bounds(exact), abs(float(exact.mid()))
        yield Entry(
            argument=number,
            index=index,
            claimed=float(claimed[number][index]),
            lower=bounds.lower,
            upper=bounds.upper,
            ulps=ulps,
            allowed=HALF,
            relative=gap / size if size else gap,
            exactly=ball.str(_DIGITS, radius=False),
        )


def _ulps(ball: Any, exact: Any, dtype: Any) -> float:
    return float((abs(ball - exact) / last_place(exact, dtype)).mid())
