"""The program by which a claim computes: recorded once for all points, and is its rule right."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
from flint import arb

from symtape.errors import BudgetSpent, Unsupported
from symtape.graph.fidelity import departure, opaque, points_around
from symtape.graph.freeze import record
from symtape.graph.graph import Graph
from symtape.process.precision import precision
from symtape.process.work import suspend_collector
from symtape.rigorous.enclose import enclose
from symtape.rigorous.floats import may_return, stated_error
from symtape.rigorous.scalar import decimal_bounds
from verify.claimants.claim import Answer, Claim
from verify.claimants.triangles import symmetrise_claim
from verify.judging.rounding.comparison import Comparison, compare
from verify.judging.rounding.float_value import allowance, claimed_unit
from verify.judging.rounding.tolerances import CERTAIN_BITS, DECIDED_BITS, HALF, RESEMBLING
from verify.model.result import Entry, PointOutcome
from verify.model.verdict import Verdict
from verify.oracles.closed_form import BELOW_FLOATS, MOST_BITS, ClosedForms, Truth, good_bits

_MOST_KEPT: Final = 16
_MOST_NODES: Final = 500_000
"""How much is remembered, so that a long search stays small."""


NOT_REPLAYED: Final = (ArithmeticError, IndexError, TypeError, ValueError, Unsupported)
"""What a replay raises where arrays inside had other shapes, or beyond a domain."""


@dataclass(frozen=True, slots=True)
class Point:
    """What is known of a point before a claim is judged.

    Attributes
    ----------
    x : tuple of arrays
    graph : Graph
        The function, recorded there.
    exact : Truth
    values : list
        Of the nodes of `graph`.
    """

    x: tuple[Any, ...]
    graph: Graph
    exact: Truth
    values: list[Any]

    def outcome(
        self, verdict: Verdict, compared: Comparison, words: str = "", power: str = ""
    ) -> PointOutcome:
        """What is found at the point, with the entry that fared worst."""
        return PointOutcome.from_judgement(
            self.x, verdict, words, worst=compared.worst, bits=self.exact.bits, power=power
        )


class Programs:
    """Recorded programs of a claim, and of the tape's derivative of the same function.

    A program that was recorded at another point stands for the claim here if it takes its path
    here and returns bit for bit what the claim returned. If not, the claim is recorded again.

    Parameters
    ----------
    claim : Claim
    budget : int
        Most operations to record.

    Attributes
    ----------
    budget : int
    """

    def __init__(self, claim: Claim, budget: int) -> None:
        self._claim = claim
        self.budget = budget
        self._own: list[Graph] = []
        self._references: list[Graph] = []
        self._symmetrised: dict[frozenset[str], tuple[Claim, ClosedForms, Programs]] = {}

    def find_program(self, point: Point, answer: Answer) -> Graph | None:
        """The claim's own program, if it can be followed."""

        def returns_the_answer(outputs: list[Any]) -> bool:
            return _identical(outputs, answer.parts)

        if (known := _applicable(self._own, point.x, returns_the_answer)) is not None:
            return known
        program = self._record_program(point, answer)
        if program is not None and not program.escapes:
            _keep(self._own, program)
        return program

    def reference(self, point: Point) -> Graph:
        """The same derivative as symtape's tape computes it."""
        if (known := _applicable(self._references, point.x, lambda outputs: True)) is not None:
            return known
        program = self._claim.reference(point.x, self.budget, point.graph)
        if not program.escapes:
            _keep(self._references, program)
        return program

    def symmetrise(self, reading: frozenset[str]) -> tuple[Claim, ClosedForms, Programs]:
        """The claim with both triangles read by these operations, and what is kept of it."""
        if reading not in self._symmetrised:
            claim = symmetrise_claim(self._claim, reading, self.budget)
            forms = ClosedForms(claim.quantity)
            self._symmetrised[reading] = claim, forms, Programs(claim, self.budget)
        return self._symmetrised[reading]

    def _record_program(self, point: Point, answer: Answer) -> Graph | None:
        try:
            program = self._claim.program(point.x, self.budget)
            elsewhere = bool(program.escapes) or self._is_elsewhere(program, point)
        except BudgetSpent:
            raise
        except Exception:  # users' code, given tensors: one that takes none is a black box
            if self._claim.ours:
                raise
            return None
        if self._claim.ours:
            return program if _is_readable(program, point, answer) else None
        if elsewhere:
            return None
        return program if self._gives(program, point, answer) and self._is(program, point) else None

    def _is_elsewhere(self, program: Graph, point: Point) -> bool:
        """Whether an answer that does not depend on the point may be of values that left the tape.

        A recording forgets what left if the answer is the same around: at 60 the slope of tanh is.
        """
        if any(map(program.is_computed, program.outputs)):
            return False
        with self._claim.calls.limit_call(self._claim.claimant, point.x, BudgetSpent):
            return bool(record(self._claim.derivative, *point.x, budget=self.budget).escapes)

    def _is(self, program: Graph, point: Point) -> bool:
        """Whether a recorded program is the claim's code at other points, too."""
        if opaque(program) is not None:
            return False
        around = points_around(program, point.x)
        return departure(self._claim.returned, program, around, may_return) is None

    def _gives(self, program: Graph, point: Point, answer: Answer) -> bool:
        """Whether a recorded program stands for the values: both are good, or neither is.

        Code may do one thing on arrays and another on what records it.
        """
        replayed = [np.asarray(part) for part in program.evaluate(*point.x)]
        if [part.shape for part in replayed] != [part.shape for part in answer.parts]:
            return False
        if all(np.array_equal(a, b) for a, b in zip(replayed, answer.parts, strict=True)):
            return True
        if self._claim.is_read and all(map(_resembles, answer.parts, replayed)):
            return True
        # Solvers that are called on plain arrays leave digits open.
        apart = self._claim.is_read or program.by_parts or stated_error(program) > 0
        if apart and may_return(program, point.x, answer.parts):
            return True
        unit = claimed_unit(point.graph, answer.parts)
        allowed = allowance(self.reference(point), point.x, point.exact, unit)
        found = [compare(parts, point.exact, allowed).beyond for parts in (replayed, answer.parts)]
        return found[0] == found[1]


def _applicable(
    known: list[Graph], x: tuple[Any, ...], agrees: Callable[[list[Any]], bool]
) -> Graph | None:
    """The first program that takes its recorded path at `x` and whose outputs agree."""
    shapes = [np.shape(arg) for arg in x]
    for program in known:
        if [program.nodes[at].shape for at in program.inputs] != shapes:
            continue
        if [program.nodes[at].dtype for at in program.inputs] != [arg.dtype for arg in x]:
            continue
        try:
            values = program.values(*x)
        except NOT_REPLAYED:
            continue
        if not program.is_followed_by(values):
            continue
        if agrees([values[at] for at in program.outputs]):
            return program
    return None


def _is_readable(program: Graph, point: Point, answer: Answer) -> bool:
    """Whether a program of the tape has no complex numbers, or only such as were taken apart.

    That they were taken apart rightly shows in what comes of it.
    """
    if any(node.dtype.kind == "c" for node in program.nodes):
        return False
    return not program.by_parts or _stands_for(program, point, answer)


def _stands_for(program: Graph, point: Point, answer: Answer) -> bool:
    """Whether what a program gives is what was claimed, but for any loss by rounding."""
    replayed = [np.asarray(part) for part in program.evaluate(*point.x)]
    return all(map(_resembles, answer.parts, replayed))


def _resembles(claimed: Any, replayed: Any) -> bool:
    """Whether what a framework computed is what its program says, but for any loss by rounding."""
    both = np.isfinite(claimed) & np.isfinite(replayed)
    sizes = np.abs(replayed[both])
    gaps = np.abs(claimed[both] - replayed[both])
    return bool(np.all(gaps <= RESEMBLING * np.max(sizes, initial=0.0)))


def _identical(outputs: list[Any], parts: list[Any]) -> bool:
    arrays = [np.asarray(output) for output in outputs]
    return len(arrays) == len(parts) and all(
        a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
        for a, b in zip(arrays, parts, strict=True)
    )


def _keep(known: list[Graph], program: Graph) -> None:
    """Remember a program, the latest first, as long as there is room."""
    known.insert(0, program)
    del known[_MOST_KEPT:]
    while len(known) > 1 and sum(len(one) for one in known) > _MOST_NODES:
        del known[-1]


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
