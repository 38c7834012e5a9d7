"""One path of a function and of a claim: whether their difference vanishes on it."""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

import numpy as np

from symtape.errors import BudgetSpent
from symtape.graph.graph import Graph
from symtape.process.budget import Budget
from symtape.process.work import meter_work
from symtape.prover import Proof, prove_by_cases, prove_equal
from symtape.prover.prove import Sides
from symtape.prover.reader import Reader
from symtape.prover.statements import Statements
from symtape.symbolic.interval import Interval
from symtape.symbolic.precise import Plan
from symtape.symbolic.trees import Tree, contains_function, is_rational, leaves
from symtape.symbolic.walk import shadow, write_beside
from verify.model.quantity import Quantity
from verify.oracles.closed_form import derivative_statements
from verify.oracles.over_region.bounds import Bounds
from verify.oracles.over_region.choices import is_constant
from verify.oracles.over_region.constants import number_meant, number_near
from verify.oracles.over_region.definedness import Definedness, name_intervals, to_intervals
from verify.oracles.over_region.domain import Domain
from verify.oracles.over_region.equalities import are_equal, may_agree, values_at_points
from verify.oracles.over_region.pieces import piecewise_shadow

_BUDGET: Final = Budget(statements=50_000)

KERNELS: Final = 64
"""Beside the inputs, in a proof."""

_SOON: Final = 100_000
"""Operations; what takes more is looked at statement by statement before it is all written out."""

_CERTAIN: Final = ("does not vanish", "not known")
"""Words for what is the same, however it is written."""


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
    in_pieces : bool
        Whether what is chosen by values are steps, so that it is one path with what lies beside.

    Attributes
    ----------
    shadows : tuple of Shadow
        Of the function and of the claim, in one program.
    reason : str
        Why the last attempt proved nothing.
    definedness : Definedness
        Of all that they compute.

    Raises
    ------
    Unsupported, BudgetSpent
        From the shadow.
    """

    def __init__(
        self,
        function: Graph,
        claim: Graph,
        point: Sequence[Any],
        quantity: Quantity,
        in_pieces: bool = False,
    ) -> None:
        if in_pieces:
            made = piecewise_shadow(function, function.values(*point), budget=_BUDGET)
            exact = derivative_statements(made, quantity)
            beside = piecewise_shadow(claim, claim.values(*point), made)
        else:
            made = shadow(function, point, _BUDGET)
            exact = derivative_statements(made, quantity)
            beside = write_beside(made, claim, claim.values(*point))
        claimed = _join_numbers(beside.outputs, exact)
        self.shadows = made, beside
        self.in_pieces, self.reason, self.quantity = in_pieces, "", quantity
        self.fits = [part.shape for part in exact] == [part.shape for part in claimed]
        self.program = made.program
        self.names = [f"x{k}" for k in range(len(made.program.inputs))]
        self.plan = Plan(made.program, [*exact, *claimed])
        self.definedness = Definedness(self.shadows, self.plan)
        self.pairs = (
            [
                (ours, theirs)
                for a, b in zip(exact, claimed, strict=True)
                for ours, theirs in dict.fromkeys(zip(a.ravel(), b.ravel(), strict=True))
                # What turns has a side where it does, whatever it is equal to.
                if ours != theirs or (in_pieces and self._steps_in([theirs]))
            ]
            if self.fits
            else []
        )

    @functools.cached_property
    def constants(self) -> list[dict[int, Any]]:
        """For function and claim the values that are the same all over a path, by nodes' ids."""
        if self.in_pieces:
            return [{}, {}]
        return [
            {
                id(node): np.asarray(made.values[at])[()]
                for at, node in enumerate(made.graph.nodes)
                if node.primitive is not None and is_constant(node)
            }
            for made in self.shadows
        ]

    @functools.cached_property
    def has_rounded_constants(self) -> bool:
        """Whether constants may have been rounded from other numbers."""
        program = self.program
        numbers = {program.constants[at] for at in self._needed if at in program.constants}
        for template in filter(None, {program.templates[at] for at in self._needed}):
            numbers |= set(leaves(template.tree))
        return any(is_rational(it) and number_near(Fraction(it)) != it for it in numbers)

    @functools.cached_property
    def _has_steps(self) -> bool:
        return self.in_pieces and self._steps_in(at for pair in self.pairs for at in pair)

    def _steps_in(self, ids: Iterable[int]) -> bool:
        templates = {self.program.templates[at] for at in self.program.list_needed(ids)}
        return any(
            contains_function(template.tree, "Heaviside") for template in filter(None, templates)
        )

    @property
    def _needed(self) -> list[int]:
        return self.program.list_needed(at for pair in self.pairs for at in pair)

    def prove(
        self,
        bounds: Sequence[tuple[float, float]],
        rounded: bool = False,
        domain: Domain | None = None,
    ) -> Found:
        """Whether claim and derivative are equal where they are defined between `bounds`.

        Where it is `rounded`, constants stand for numbers that they may have been rounded from.
        With a `domain` only what lies in it is asked.
        """
        meaning = number_meant if rounded else None
        box = name_intervals(to_intervals(bounds)) if domain is None else domain.box
        proof = None
        if domain is None and self.fits and not self._has_steps:
            values = values_at_points(self.plan, bounds)
            if not rounded and not may_agree(values, self.pairs):
                self.reason = "the formulas differ"
                return Found.NOT_PROVED
            proof = self._compare_soon(box, meaning)
            if proof is None or _has_no_normal_form(proof):
                intervals = Bounds(self.program, bounds, meaning)
                if are_equal(intervals, self._needed, values, self.pairs):
                    return Found.PROVED
        proof = proof or self.compare(box, meaning, defined=True)
        self.reason = proof.reason or ", ".join((*proof.where, *proof.assuming))
        if proof.proved:
            return Found.CONDITIONAL if proof.where or proof.assuming else Found.PROVED
        return Found.CONDITIONAL if "not known" in proof.reason else Found.NOT_PROVED

    def _compare_soon(
        self, box: Mapping[str, Interval], meaning: Callable[[Fraction], Tree] | None
    ) -> Proof | None:
        """The proof in one normal form; None if that takes more than a little work."""
        try:
            with meter_work(_SOON, "a short normal form"):
                return self.compare(box, meaning, defined=True)
        except BudgetSpent:
            return None

    def compare(
        self,
        box: Mapping[str, Interval],
        meaning: Callable[[Fraction], Tree] | None = None,
        defined: bool = False,
    ) -> Proof:
        """The proof that claim and derivative are equal in a box, with its conditions.

        Parameters
        ----------
        box : mapping
            An interval for each number that is bounded; they are called ``x0``, ``x1`` ...
        meaning : callable, optional
            The number that a constant stands for.
        defined : bool
            Whether it is known that both are defined all over the box.
        """
        if not self.fits:
            return Proof(False, reason="they have other shapes")
        capacity = KERNELS + len(self.names)
        if self._has_steps:
            sides, count = self.reading_sides(meaning), len(self.pairs)
            return prove_by_cases(sides, count, box, capacity, defined=defined)
        return prove_equal(self.reading_sides(meaning, shared=True), box, capacity, defined=defined)

    @functools.cached_property
    def statements(self) -> tuple[Any, ...]:
        """All that a proof depends on, so that points of one path have the same."""
        program = self.program
        needed = [
            (at, program.templates[at], program.arguments[at], program.constants.get(at))
            for at in self._needed
        ]
        return self.fits, tuple(self.pairs), tuple(needed)

    def reading_sides(self, meaning: Any, shared: bool = False) -> Sides:
        """Each side read by itself, for steps may differ in the truth from those in the claim.

        Or `shared`: all pairs with each statement read once.
        """

        def sides(reader: Reader) -> Any:
            read = functools.partial(Statements, self.program, reader, self.names, meaning)
            once = read() if shared else None

            def side(at: int) -> Any:
                return (read() if once is None else once).find_quotient(at)

            return [
                (functools.partial(side, theirs), functools.partial(side, ours))
                for ours, theirs in self.pairs
            ]

        return sides


def _has_no_normal_form(proof: Proof) -> bool:
    return not proof.proved and not any(words in proof.reason for words in _CERTAIN)


def _join_numbers(claimed: Sequence[Any], exact: Sequence[Any]) -> Sequence[Any]:
    """A list of numbers that is claimed of one array, as that array."""
    if len(exact) == 1 < len(claimed) == exact[0].size and not any(map(np.ndim, claimed)):
        return [np.reshape(claimed, exact[0].shape)]
    return claimed
