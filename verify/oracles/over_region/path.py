"""One path of a function and of a claim: whether their difference vanishes on it."""

from __future__ import annotations

import enum
import functools
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

from flint import arb

from symtape.graph.graph import Graph
from symtape.process.budget import Budget
from symtape.process.precision import precision
from symtape.prover import prove_equal
from symtape.prover.reader import Reader
from symtape.prover.statements import Statements
from symtape.symbolic.interval import Interval
from symtape.symbolic.precise import Plan
from symtape.symbolic.shadow import shadow, write_beside
from symtape.symbolic.trees import is_rational, leaves
from verify.model.quantity import Quantity
from verify.oracles.closed_form import derivative_statements
from verify.oracles.over_region.choices import BITS
from verify.oracles.over_region.constants import number_meant

_BUDGET: Final = Budget(statements=50_000)

_KERNELS: Final = 64
"""Beside the inputs, in a proof."""


class Found(enum.Enum):
    """What became of an attempt."""

    PROVED = enum.auto()
    CONDITIONAL = enum.auto()
    """The prover has to be told more: on a part of the box the conditions may be decided."""
    NOT_PROVED = enum.auto()


class Path:
    """What function and claim compute where they choose as at one point.

    Parameters
    ----------
    function, claim : Graph
        Recorded there.
    point : sequence of arrays
    quantity : Quantity
        That the claim is said to be.

    Raises
    ------
    Unsupported, BudgetSpent
        From the shadow.
    """

    def __init__(
        self, function: Graph, claim: Graph, point: Sequence[Any], quantity: Quantity
    ) -> None:
        made = shadow(function, point, _BUDGET)
        exact = derivative_statements(made, quantity)
        claimed = write_beside(made, claim, claim.values(*point)).outputs
        self.fits = [part.shape for part in exact] == [part.shape for part in claimed]
        self._program = made.program
        self._names = [f"x{k}" for k in range(len(made.program.inputs))]
        self._plan = Plan(made.program, exact)
        self._pairs = (
            [
                (ours, theirs)
                for a, b in zip(exact, claimed, strict=True)
                for ours, theirs in dict.fromkeys(zip(a.ravel(), b.ravel(), strict=True))
                if ours != theirs
            ]
            if self.fits
            else []
        )

    @functools.cached_property
    def has_rounded_constants(self) -> bool:
        """Whether constants may have been rounded from other numbers."""
        program = self._program
        needed = program.needed(at for pair in self._pairs for at in pair)
        numbers = {program.constants[at] for at in needed if at in program.constants}
        for template in filter(None, {program.templates[at] for at in needed}):
            numbers |= set(leaves(template.tree))
        return any(is_rational(it) and number_meant(Fraction(it)) != it for it in numbers)

    def is_defined(self, balls: Sequence[Any]) -> bool:
        """Whether the derivative is finite at every point of a box, one ball a number."""
        with precision(BITS):
            values = self._plan.run(list(balls))
        return all(
            values[at].is_finite() for part in self._plan.parts for at in part.ravel().tolist()
        )

    def prove(self, bounds: Sequence[tuple[float, float]], rounded: bool = False) -> Found:
        """Whether claim and derivative are equal at every real point between `bounds`.

        Where it is `rounded`, constants stand for numbers that they may have been rounded from.
        """
        if not self.fits:
            return Found.NOT_PROVED
        if not self._pairs:
            return Found.PROVED
        box = {
            name: Interval(arb(low), arb(high))
            for name, (low, high) in zip(self._names, bounds, strict=True)
        }

        meaning = number_meant if rounded else None

        def sides(reader: Reader) -> Any:
            statements = Statements(self._program, reader, self._names, meaning)
            return [
                (lambda b=theirs: statements.of(b), lambda a=ours: statements.of(a))
                for ours, theirs in self._pairs
            ]

        proof = prove_equal(sides, box, capacity=_KERNELS + len(self._names))
        if proof.proved:
            return Found.CONDITIONAL if proof.where or proof.assuming else Found.PROVED
        return Found.CONDITIONAL if "not known" in proof.reason else Found.NOT_PROVED
