"""One rule before the prover, and in exact arithmetic at single points."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from symtape.errors import SymtapeError, Unsupported
from symtape.graph.fidelity import opaque
from symtape.graph.graph import Graph
from symtape.process.work import meter_work
from symtape.prover import Proof
from symtape.recording.structure import flatten
from verify.auditing.rules.domains import Domain, Part
from verify.claimants.claim import Claim
from verify.judging.diagnosis.stated import severity
from verify.judging.rounding.programs import examine, rule_errors
from verify.judging.rounding.tolerances import HALF
from verify.limits.limit import DEFAULT_BUDGET
from verify.model.case import argument_names, part_names
from verify.model.outcome import Entry, PointOutcome
from verify.model.verdict import Verdict
from verify.oracles.closed_form import ClosedForms, shape_of
from verify.oracles.exact_derivative import derivative_at
from verify.oracles.over_region.choices import is_readable
from verify.oracles.over_region.constants import number_meant, number_near
from verify.oracles.over_region.path import Path
from verify.reporting.wording import count_noun

_APPROXIMATE: Final = 2.0**-20
"""A rule that is off by less is that of an approximation."""

_ROUNDED: Final = 2.0**-40
"""By less a rule may be off whose constants are floats, also where terms cancel."""

_OPERATIONS: Final = 20_000
_MOST_WORK: Final = 1_000_000
"""Operations that a proof may take."""

_UNREADABLE: Final = (
    ArithmeticError,
    LookupError,
    RuntimeError,
    SymtapeError,
    TypeError,
    ValueError,
)

Point = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Ruling:
    """What is known of a rule.

    Attributes
    ----------
    verdict : Verdict
        CORRECT where it is proved, WRONG where it is refuted, INACCURATE where it is refuted by
        less than a millionth of the derivative; else UNDECIDED.
    message : str
        What the proof leaves open, how far off the rule is, or why nothing is known.
    witness : PointOutcome or None
        Where it is refuted.
    """

    verdict: Verdict
    message: str
    witness: PointOutcome | None = None


@np.errstate(all="ignore")
def judge_rule(claim: Claim, domain: Domain) -> Ruling:
    """Prove a rule, or else refute it.

    A rule that is proved is tried at the plain points of the domain all the same, for a proof by
    parts does not reach between them.

    Parameters
    ----------
    claim : Claim
        Whose program can be read.
    domain : Domain
    """
    proof, everywhere = _prove_over(claim, domain)
    inner = [] if proof.proved else [point for part in domain.parts for point in part.points]
    witness, right = _find_witness(claim, [*domain.plain, *inner])
    told = _rename(_describe_proof(proof), claim, domain)
    if witness is None or (proof.proved and witness.verdict is Verdict.INACCURATE):
        if proof.proved:
            return Ruling(Verdict.CORRECT, told)
        return Ruling(
            Verdict.UNDECIDED, f"{told}; it is right at {count_noun(right, 'point')} to 2⁻⁴⁰"
        )
    if everywhere:
        words = f"oracle conflict: {told}, and {witness.message}; this is a fault of symtape"
        return Ruling(Verdict.UNDECIDED, words)
    rest = f"; elsewhere {told}" if proof.proved else ""
    return Ruling(witness.verdict, f"{witness.message}{rest}", witness)


def _describe_proof(proof: Proof) -> str:
    conditions = "; ".join(dict.fromkeys((*proof.where, *proof.assuming)))
    words = f"proved{proof.reason}" if proof.proved else proof.reason
    return f"{words} where {conditions}" if conditions else words


def _prove_over(claim: Claim, domain: Domain) -> tuple[Proof, bool]:
    """A proof on the whole domain, or on each of its parts, and whether it leaves nothing out."""
    whole = _prove_on(claim, domain.whole, _prove_pieces)
    if whole.proved and not _conditions(whole):
        return whole, True
    found: dict[Proof, None] = {}
    for part in domain.parts:
        proof = _prove_on(claim, part, _prove_pieces)
        if not proof.proved:
            proof = _prove_on(claim, part, _prove_paths)
        if not proof.proved:
            return (whole if whole.proved else proof), False
        found[proof] = None
    by_parts = Proof(
        True,
        tuple(itertools.chain.from_iterable(proof.where for proof in found)),
        tuple(itertools.chain.from_iterable(proof.assuming for proof in found)),
        max((proof.reason for proof in found), key=len),
    )
    fewer = len(_conditions(by_parts)) < len(_conditions(whole))
    return (by_parts if fewer or not whole.proved else whole), False


def _conditions(proof: Proof) -> set[str]:
    return {*proof.where, *proof.assuming}


def _prove_on(claim: Claim, part: Part, prove: Callable[[Claim, Part], Proof]) -> Proof:
    try:
        with meter_work(_MOST_WORK, "the proof"):
            return prove(claim, part)
    except _UNREADABLE as error:
        return Proof(False, reason=_describe(error))


def _prove_pieces(claim: Claim, part: Part) -> Proof:
    """A proof of all that function and rule may choose, in one formula."""
    point = part.points[0]
    programs = _programs(claim, point)
    if not all(map(is_readable, programs)):
        return Proof(False, reason="what it chooses has no formula")
    return _prove_path(Path(*programs, point, claim.quantity, True), part)


def _prove_paths(claim: Claim, part: Part) -> Proof:
    """A proof on each path that the points of a part take."""
    known: dict[Any, Proof] = {}
    for point in part.points:
        path = Path(*_programs(claim, point), point, claim.quantity)
        if path.statements not in known:
            known[path.statements] = found = _prove_path(path, part)
            if not found.proved:
                return found
    paths = f"{len(known)} paths" if len(known) > 1 else "path"
    first = next(iter(known.values()))
    return replace(first, reason=f"{first.reason} on the {paths} that points take")


def _prove_path(path: Path, part: Part) -> Proof:
    found = path.compare(part.box)
    if found.proved or not path.has_rounded_constants:
        return found
    for meaning in (number_meant, number_near):
        meant = path.compare(part.box, meaning)
        if meant.proved:
            return replace(meant, reason=", up to the rounding of constants")
    return found


def _programs(claim: Claim, point: Point) -> tuple[Graph, Graph]:
    """The function and the rule as programs.

    Raises
    ------
    Unsupported
        One of them is not all recorded, or is not what the library computes.
    """
    found = claim.record(point, _OPERATIONS), claim.program(point, _OPERATIONS)
    for graph, who in zip(found, ("the formula", "the rule"), strict=True):
        missing = [node.name for node in graph.nodes if node.primitive and node.row.missing]
        if graph.escapes or graph.by_parts or opaque(graph) or missing:
            raise Unsupported(f"not all of {who} can be read{': ' + missing[0] if missing else ''}")
    computed, replayed = flatten(claim.derivative(*point)), found[1].evaluate(*point)
    if not all(
        np.allclose(a, b, rtol=_APPROXIMATE, atol=_APPROXIMATE, equal_nan=True)
        for a, b in zip(computed, replayed, strict=True)
    ):
        raise Unsupported(f"the rule was read as {replayed}, and it computes {computed}")
    return found


def _describe(error: Exception) -> str:
    words = str(error).partition("; ")[0].partition(" (at ")[0]
    return " ".join(words.split())[:240] or type(error).__name__


def _find_witness(claim: Claim, points: Iterable[Point]) -> tuple[PointOutcome | None, int]:
    """Where a rule is wrong, or else an approximation, and at how many points it is right."""
    forms = ClosedForms(claim.quantity)
    found, right = None, 0
    for point in points:
        try:
            one = _refute(claim, forms, point)
        except _UNREADABLE:
            continue
        if one is not None and one.verdict is Verdict.WRONG:
            return one, right
        right += one is None
        found = found or one
    return found, right


def _refute(claim: Claim, forms: ClosedForms, point: Point) -> PointOutcome | None:
    """What exact arithmetic says against a rule at a point; None if that is nothing."""
    graph, program = _programs(claim, point)
    exact = derivative_at(forms, graph, point, DEFAULT_BUDGET, graph.values(*point))
    if not exact.finite:
        raise Unsupported("there is no derivative")
    claimed = claim.answer(point, shape_of(graph, claim.quantity)).parts
    rule = examine(program, point, exact)
    entry = next(rule_errors(rule, rule.excluded, claimed, exact), None)
    entry = entry or _find_missing_number(claimed, exact.parts, rule.balls)
    if entry is None or entry.relative < _ROUNDED:
        return None
    near = entry.relative < _APPROXIMATE
    said = f"{entry.exactly[:24]} in exact arithmetic" if entry.exactly else "without a value"
    words = f"{said}, where the derivative is {entry.lower[:24]}"
    words = f"an approximation: off by {entry.relative:.2g} of the derivative" if near else words
    verdict = Verdict.INACCURATE if near else Verdict.WRONG
    outcome = PointOutcome.from_judgement(point, verdict, words, entry, exact.bits)
    size = float(np.max(np.abs(graph.evaluate(*point)[0])))
    outcome = replace(outcome, severity=severity(outcome, size))
    names = argument_names(claim.function, len(point))
    return outcome.name_parts(names, part_names(claim.function, len(point), claim.quantity))


def _find_missing_number(
    claimed: Sequence[Any], exact: Sequence[Any], balls: Sequence[Any]
) -> Entry | None:
    """An entry that has no value in floats and none in exact arithmetic, such as 0 / 0."""
    for number, part in enumerate(claimed):
        for index in map(tuple, np.argwhere(~np.isfinite(part)).tolist()):
            if not balls[number][index].is_finite():
                value = str(exact[number][index].mid())
                return Entry(number, index, float(part[index]), value, value, np.inf, HALF, np.inf)
    return None


def _rename(words: str, claim: Claim, domain: Domain) -> str:
    """Words of the prover with the names of arguments in them."""
    point = domain.whole.points[0]
    names = argument_names(claim.function, len(point))
    called = [
        f"{name}{list(place) if place else ''}"
        for name, x in zip(names, point, strict=True)
        for place in np.ndindex(np.shape(x))
    ]
    return re.sub(r"\bx(\d+)\b", lambda it: called[int(it[1])], words)
