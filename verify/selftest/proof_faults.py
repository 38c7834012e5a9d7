"""Faults of what proves claims over regions, each with a wrong claim that it lets through."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np
from flint import arb

from symtape.prover import cases, needs, powers, prove, ring, steps, values
from symtape.symbolic.interval import Interval
from symtape.symbolic.walk import GraphWalk
from verify.model.stated_accuracy import StatedAccuracy
from verify.oracles.over_region import (
    attempt,
    bounds,
    choices,
    conditions,
    cuts,
    definedness,
    domain,
    enclosure,
    equalities,
    path,
    pieces,
    proof,
    recordings,
)
from verify.oracles.over_region.part import Part


@dataclass(frozen=True, slots=True)
class Plant:
    """An attribute of a piece, what stands in its place, and the claim that this lets through."""

    owner: Any
    name: str
    wrong: Callable[[Any], Any]
    claim: str


def _always(value: Any) -> Callable[[Any], Any]:
    return lambda right: lambda *args, **terms: value


def _then(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The right function, whose result is changed."""
    return lambda right: lambda *args, **terms: change(right(*args, **terms))


def _forget(*names: str) -> Callable[[Any], Any]:
    """The right function, whose result says nothing of some of its fields."""
    return _then(lambda found: dataclasses.replace(found, **dict.fromkeys(names, ())))


def _keep_parity(right: Any) -> Any:
    def reduced(self: Any, polynomial: Any, at: int) -> Any:
        terms = polynomial.to_dict().items()
        return self.context.from_dict({(*e[:at], e[at] % 2, *e[at + 1 :]): c for e, c in terms})

    return reduced


def _square_to_one(right: Any) -> Any:
    def begin(self: Any) -> None:
        right(self)
        self.kernels[0].value = self.unit

    return begin


def _take_all_gaps(right: Any) -> Any:
    def gaps(row: Any) -> Any:
        hull = conditions.find_hull(row.over)
        return hull.gaps if hull else right(row)

    return gaps


def _prove_once(right: Any) -> Any:
    def prove_formula(self: Any, *args: Any) -> Any:
        return path.Found.PROVED if self._proved else right(self, *args)

    return prove_formula


def _compare_first(right: Any) -> Any:
    def begin(self: Any, *args: Any) -> None:
        right(self, *args)
        self.pairs = self.pairs[:1]

    return begin


def _fix_choices(right: Any) -> Any:
    def constants(self: Any) -> Any:
        return [
            {
                id(node): np.asarray(made.values[at])[()]
                for at, node in enumerate(made.graph.nodes)
                if node.primitive is not None and choices.is_constant(node)
            }
            for made in self.shadows
        ]

    return property(constants)


def _round(value: Any) -> Fraction:
    return Fraction(value).limit_denominator(1000)


_POSITIVE: Final = Interval(arb(0), arb("inf"), True, True)

PLANTS: Final[dict[str, Plant]] = {
    "a case that is lost": Plant(cases.Cases, "advance", _always(False), "one side"),
    "a boundary taken for empty": Plant(
        cases.Meeting, "note", _always(None), "sides that differ by entry"
    ),
    "halves of zero taken for sides": Plant(cases.Meeting, "note", _always(None), "a point"),
    "a tie taken for a mean": Plant(steps, "_is_halfway", _always(True), "a tie"),
    "a relation of steps": Plant(ring.Ring, "_drop_powers", _keep_parity, "the square of a step"),
    "a relation of i": Plant(ring.Ring, "__post_init__", _square_to_one, "circular functions"),
    "an assumption that is dropped": Plant(
        needs.Needs,
        "assume",
        lambda right: lambda self, factor, sign: self.signs.note(factor, sign),
        "a root of a square beside an end",
    ),
    "a sign at one point": Plant(
        values.Signs, "_prove_sign", lambda right: values.Signs.guess, "a root of a square"
    ),
    "conditions that are dropped": Plant(
        path.Path, "compare", _forget("where", "assuming"), "a root of a square beside an end"
    ),
    "an identity beyond where it holds": Plant(
        needs.Needs, "positive", _always(None), "left of zero"
    ),
    "a box that is skipped": Plant(
        Part, "halves", _then(lambda parts: (parts[1], copy.copy(parts[1]))), "a branch"
    ),
    "a path that is lost": Plant(attempt.Attempt, "_prove_formula", _prove_once, "a branch"),
    "a branch that is not asked": Plant(
        attempt,
        "choices_over",
        lambda right: lambda graph, *given: right(dataclasses.replace(graph, path=()), *given),
        "a branch",
    ),
    "a choice at one point": Plant(
        choices, "_check_common_choice", _always(None), "a step of floor"
    ),
    "a path taken for another": Plant(
        attempt,
        "choices_over",
        lambda right: lambda *given: (b"", right(*given)[1]),
        "a step of floor",
    ),
    "a face that no part has": Plant(
        cuts._Line,
        "look_at",
        _always(np.zeros((2, 2), dtype=bool)),
        "a point between branches",
    ),
    "a choice that intervals leave open": Plant(
        definedness, "_is_element_settled", _always(True), "a needle beside a branch"
    ),
    "a mask that is flipped": Plant(
        pieces, "_CHOICES", lambda right: {**right, "<": right[">"]}, "a mask"
    ),
    "a value of one point": Plant(
        pieces._PiecewiseWalk,
        "_specialise_powers",
        lambda right: GraphWalk._specialise_powers,
        "zero to the power of zero",
    ),
    "a domain that is not looked at": Plant(
        definedness.Definedness, "is_defined", _always(True), "undefined beyond"
    ),
    "what has no bound taken for finite": Plant(
        bounds.Bounds, "is_bounded", _always(True), "undefined at poles"
    ),
    "a bound that is too small": Plant(prove.Magnitudes, "quotient", _always(arb(0)), "a factor"),
    "a derivative that is measured too large": Plant(
        enclosure, "_sizes", _always([arb(2) ** 40]), "a small term of two"
    ),
    "a constant whose error costs nothing": Plant(
        bounds.Bounds, "deviation", _always(arb(0)), "a steep constant"
    ),
    "constants taken for others": Plant(path, "number_meant", lambda right: _round, "a constant"),
    "an entry that is not compared": Plant(path.Path, "__init__", _compare_first, "another entry"),
    "statements taken for equal": Plant(
        equalities.Equalities, "_compare", _always(True), "a factor of what is long"
    ),
    "what is shared taken for positive": Plant(
        equalities.Equalities,
        "_box",
        _then(lambda made: dict.fromkeys(made, _POSITIVE)),
        "a root of a square in what is long",
    ),
    "an accuracy that is not asked for": Plant(
        StatedAccuracy, "allows", _always(True), "a series that ends too soon"
    ),
    "a derivative that is taken for larger": Plant(
        enclosure,
        "_sum_series",
        _then(lambda found: found._replace(least=arb(2) ** 40)),
        "a series that ends too soon",
    ),
    "a series that is not summed": Plant(
        enclosure,
        "_sum_series",
        _then(lambda found: found._replace(near=arb(0), rest=arb(0))),
        "a factor",
    ),
    "a choice that is taken for one in all pieces": Plant(
        path.Path, "constants", _fix_choices, "a term on one side"
    ),
    "entries in another order": Plant(
        path,
        "derivative_statements",
        _then(lambda parts: [part.T for part in parts]),
        "a transposed matrix",
    ),
    "a size taken for all": Plant(
        proof,
        "boxes_of",
        lambda right: (
            lambda region: [space.pick_shape(space.shapes[0]) for space in region.arguments]
        ),
        "another size",
    ),
    "a recording that is not compared": Plant(
        recordings.Recordings, "check", _always(None), "code that asks for tensors"
    ),
    "a claim taken for defined": Plant(
        domain._Search,
        "visit",
        lambda right: lambda self, made, doubtful, assumes: right(self, made, doubtful, True),
        "undefined beside an end",
    ),
    "a pole taken for a gap of a formula": Plant(
        domain, "removable_gaps", _take_all_gaps, "a removable pole"
    ),
    "a comparison that no condition decides": Plant(
        domain._Search, "_decides", _always(True), "another factor on one side"
    ),
    "a condition that is not told": Plant(
        definedness, "find_domain", _forget("conditions"), "undefined at a kink"
    ),
    "a domain of what is not needed": Plant(
        domain._Search,
        "_are_needed",
        _always(True),
        "a side that a branch not taken has not",
    ),
    "a recording that is not compared where it is defined": Plant(
        recordings.Recordings,
        "check",
        _always(None),
        "code that asks for tensors, beside a pole",
    ),
    "a logarithm of anything": Plant(
        powers.Powers,
        "_settle_signs",
        lambda right: lambda self, unknown, sign: unknown,
        "a root of a square beside an end",
    ),
}
"""By what is wrong with them."""
