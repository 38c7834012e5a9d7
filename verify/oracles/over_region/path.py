"""One path of a function and of a claim: whether their difference vanishes on it."""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

import numpy as np
from flint import arb

from symtape.graph.graph import Graph
from symtape.process.budget import Budget
from symtape.process.precision import precision
from symtape.prover import Proof, bound_differences, prove_by_cases, prove_equal
from symtape.prover.prove import Sides
from symtape.prover.reader import Reader
from symtape.prover.statements import Statements
from symtape.symbolic.interval import Interval
from symtape.symbolic.precise import Plan
from symtape.symbolic.shadow import shadow, write_beside
from symtape.symbolic.trees import Tree, contains_function, is_rational, leaves
from verify.model.quantity import Quantity
from verify.oracles.closed_form import derivative_statements
from verify.oracles.over_region.bounds import Bounds
from verify.oracles.over_region.choices import BITS
from verify.oracles.over_region.constants import number_meant, number_near
from verify.oracles.over_region.definedness import Definedness, name_intervals, to_intervals
from verify.oracles.over_region.domain import Domain
from verify.oracles.over_region.pieces import piecewise_shadow
from verify.oracles.over_region.series import bound_by_series

_BUDGET: Final = Budget(statements=50_000)

_KERNELS: Final = 64
"""Beside the inputs, in a proof."""

ALL_BITS: Final = 1000
"""Of what is equal."""

_ENOUGH_BITS: Final = 40
"""With so many no other meaning of constants is tried."""

_LEAST_BITS: Final = 20
"""Fewer are not worth to be told."""

_SAMPLES: Final = (0.5, 0.125, 0.875)
"""Where in a box the size of a derivative is looked at, as shares of its sides."""


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
        self.in_pieces, self.reason, self._quantity = in_pieces, "", quantity
        self.fits = [part.shape for part in exact] == [part.shape for part in claimed]
        self._program = made.program
        self._names = [f"x{k}" for k in range(len(made.program.inputs))]
        self._plan = Plan(made.program, [*exact, *claimed])
        self.definedness = Definedness(self.shadows, self._plan)
        self._pairs = (
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
    def has_rounded_constants(self) -> bool:
        """Whether constants may have been rounded from other numbers."""
        program = self._program
        numbers = {program.constants[at] for at in self._needed if at in program.constants}
        for template in filter(None, {program.templates[at] for at in self._needed}):
            numbers |= set(leaves(template.tree))
        return any(is_rational(it) and number_near(Fraction(it)) != it for it in numbers)

    @functools.cached_property
    def _has_steps(self) -> bool:
        return self.in_pieces and self._steps_in(at for pair in self._pairs for at in pair)

    def _steps_in(self, ids: Iterable[int]) -> bool:
        templates = {self._program.templates[at] for at in self._program.needed(ids)}
        return any(
            contains_function(template.tree, "Heaviside") for template in filter(None, templates)
        )

    @property
    def _needed(self) -> list[int]:
        return self._program.needed(at for pair in self._pairs for at in pair)

    def enclose(self, bounds: Sequence[tuple[float, float]]) -> int:
        """To how many bits claim and derivative agree at every real point between `bounds`.

        The bits are of the largest value that an entry of the derivative has there; 0 if nothing
        is known. Constants are the floats that they are.
        """
        if not self.fits:
            return 0
        with precision(BITS):
            sizes = self._sizes(bounds)
            if not all(size > 0 for size in sizes):
                return 0
            best = 0
            for meaning in (None, number_meant, number_near):
                if best < _ENOUGH_BITS and (meaning is None or self.has_rounded_constants):
                    best = max(best, self._agreement(bounds, sizes, meaning))
        if best < _LEAST_BITS:
            programs = self.shadows[0].graph, self.shadows[1].graph
            errors = bound_by_series(programs, self._quantity, bounds)
            best = min(_count_bits(errors), ALL_BITS - 1)
        return best if best >= _LEAST_BITS else 0

    def _sizes(self, bounds: Sequence[tuple[float, float]]) -> list[Any]:
        """For each pair a number that the derivative reaches in the box."""
        found = [arb(0) for _ in self._pairs]
        for inner in _SAMPLES:
            shares = ((inner + k / 7) % 1.0 for k in range(len(bounds)))
            x = [
                min(max(low + (high - low) * share, low), high)
                for share, (low, high) in zip(shares, bounds, strict=True)
            ]
            values = self._plan.run(x)
            for k, (ours, _) in enumerate(self._pairs):
                size = abs(values[ours]).lower() if values[ours].is_finite() else arb(0)
                found[k] = size if size > found[k] else found[k]
        return found

    def _agreement(
        self, bounds: Sequence[tuple[float, float]], sizes: Sequence[Any], meaning: Any
    ) -> int:
        differences = bound_differences(
            self._reading_sides(meaning),
            len(self._pairs),
            name_intervals(to_intervals(bounds)),
            _KERNELS + len(self._names),
            defined=True,
        )
        if differences is None:
            return 0
        intervals = Bounds(self._program, bounds, meaning)
        errors = [
            difference + intervals.deviation(ours) + intervals.deviation(theirs)
            for (ours, theirs), difference in zip(self._pairs, differences, strict=True)
        ]
        return _count_bits(zip(errors, sizes, strict=True))

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
        proof = self.compare(box, meaning, defined=True)
        self.reason = proof.reason or ", ".join((*proof.where, *proof.assuming))
        if proof.proved:
            return Found.CONDITIONAL if proof.where or proof.assuming else Found.PROVED
        return Found.CONDITIONAL if "not known" in proof.reason else Found.NOT_PROVED

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
        capacity = _KERNELS + len(self._names)
        if self._has_steps:
            sides, count = self._reading_sides(meaning), len(self._pairs)
            return prove_by_cases(sides, count, box, capacity, defined=defined)
        return prove_equal(self._shared_sides(meaning), box, capacity, defined=defined)

    @functools.cached_property
    def statements(self) -> tuple[Any, ...]:
        """All that a proof depends on, so that points of one path have the same."""
        program = self._program
        needed = [
            (at, program.templates[at], program.arguments[at], program.constants.get(at))
            for at in self._needed
        ]
        return self.fits, tuple(self._pairs), tuple(needed)

    def _shared_sides(self, meaning: Any) -> Sides:
        """All pairs with each statement read once."""

        def sides(reader: Reader) -> Any:
            statements = Statements(self._program, reader, self._names, meaning)
            return [
                (lambda b=theirs: statements.of(b), lambda a=ours: statements.of(a))
                for ours, theirs in self._pairs
            ]

        return sides

    def _reading_sides(self, meaning: Any) -> Sides:
        """Each side read by itself, for steps may differ in the truth from those in the claim."""

        def read(reader: Reader, at: int) -> Any:
            return Statements(self._program, reader, self._names, meaning).of(at)

        def sides(reader: Reader) -> Any:
            return [
                (lambda b=theirs: read(reader, b), lambda a=ours: read(reader, a))
                for ours, theirs in self._pairs
            ]

        return sides


def _count_bits(errors: Iterable[tuple[Any, Any]]) -> int:
    """To how many bits each error is below the size beside it; 0 if nothing bounds them."""
    errors = list(errors)
    if not errors or not all(error < size for error, size in errors):
        return 0
    bits = ALL_BITS
    for error, size in errors:
        if not error.is_zero():
            logarithm = (size / error).log() / arb(2).log()
            bits = min(bits, ALL_BITS - 1, int(logarithm.lower().floor().fmpz()))
    return bits


def _join_numbers(claimed: Sequence[Any], exact: Sequence[Any]) -> Sequence[Any]:
    """A list of numbers that is claimed of one array, as that array."""
    if len(exact) == 1 < len(claimed) == exact[0].size and not any(map(np.ndim, claimed)):
        return [np.reshape(claimed, exact[0].shape)]
    return claimed
