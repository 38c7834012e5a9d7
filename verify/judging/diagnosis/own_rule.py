"""The rule that somebody wrote, as the backward of a function of torch's, which is at fault."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from symtape.errors import SymtapeError
from symtape.graph.graph import Graph
from symtape.process.budget import Budget
from symtape.reading.record import record_readable
from symtape.recording.origin import Origin
from symtape.rigorous.matrices import midpoints
from verify.adapters.own_rules import OwnRule, own_rules
from verify.claimants.claim import Answer, Claim
from verify.errors import NotADerivative, UsageError
from verify.files import places
from verify.judging.kinks.at_kink import find_smooth_derivative
from verify.judging.rounding.programs import Point, examine
from verify.model.quantity import Quantity
from verify.model.result import Entry
from verify.oracles.closed_form import ClosedForms, shape_of

_NAMES: Final = ("backward", "bwd", "vjp", "jvp")
"""How the functions end that people write rules in."""

_OPERATIONS: Final = 200_000
_EACH: Final = Budget(statements=100_000)
"""For one rule, of the few that are given; they only add to a verdict that stands."""

_GROSS: Final = 2.0**-10
"""Relative error above which rounding is no excuse for a rule that exact arithmetic excludes."""

Function = tuple[str, str]


@dataclass(frozen=True, slots=True)
class FaultyRule:
    """A rule that is wrong by itself, at what it was given.

    Attributes
    ----------
    name : str
        Of the function that it belongs to.
    claim : Claim
        That function, and its gradient by the rule.
    point : Point
        What it was given.
    answer : Answer
        What the rule makes of that.
    op : str
        The operation of the rule that gives the wrong entry; empty if none does.
    origin : Origin or None
        The line of it, or that at which the rule begins.
    """

    name: str
    claim: Claim
    point: Point
    answer: Answer
    op: str
    origin: Origin | None


def faulty_rule(claim: Claim, point: Point) -> FaultyRule | None:
    """The first rule of a user's own that is wrong by itself where the claim applies it.

    Enclosures exclude what it gives for what it was given at `point`, and by more than rounding.
    None where the claim is symtape's, where there is no such rule, and where nothing is certain.
    """
    if claim.ours or getattr(claim.derivative, "framework", "") == "":
        return None
    try:
        for rule in own_rules(claim.function, point.x):
            found = _find_faulty_rule(claim, rule)
            if found is not None and _is_used(claim, point, found):
                return found
    except Exception:  # noqa: BLE001
        # Users' code, called in a way of its own: what that raises is nothing to report.
        return None
    return None


def _find_faulty_rule(claim: Claim, rule: OwnRule) -> FaultyRule | None:
    alone = Claim(rule.function, Quantity("gradient"), rule.gradient, claim.claimant, ours=False)
    try:
        point = _smooth(alone, rule)
        if point is None:
            return None
        answer = alone.answer(point.x, shape_of(point.graph, alone.quantity))
        program = alone.program(point.x, _OPERATIONS)
        flags = examine(program, point.x, point.exact).excluded
    except (SymtapeError, NotADerivative, UsageError, LookupError, ArithmeticError):
        return None
    errors = [
        np.where(flag, _relative(ours, balls), 0.0)
        for flag, ours, balls in zip(flags, answer.parts, point.exact.parts, strict=True)
    ]
    peaks = [float(np.max(part, initial=0.0)) for part in errors]
    if not peaks or max(peaks) < _GROSS:
        return None
    output = program.outputs[peaks.index(max(peaks))]
    last = _last(program, output, _functions(point.graph))
    op, origin = ("", rule.place) if last is None else last
    return FaultyRule(rule.name, alone, point, answer, op, origin)


def _smooth(alone: Claim, rule: OwnRule) -> Point | None:
    """What is exact of the function alone; None where it has a kink."""
    x, forms = rule.point, ClosedForms(alone.quantity)
    graph = record_readable(alone.function, *x, budget=_OPERATIONS)
    exact = find_smooth_derivative(alone.function, forms, graph, x, _EACH)
    return None if exact is None else Point(x, graph, exact, graph.values(*x))


def _relative(ours: Any, balls: Any) -> Any:
    exact = midpoints(balls)
    scale = np.maximum(np.abs(exact), np.abs(ours))
    gaps = np.abs(ours - exact)
    return np.where(np.isfinite(ours), gaps / np.where(scale > 0, scale, 1.0), 1.0)


def _is_used(claim: Claim, point: Point, found: FaultyRule) -> bool:
    """Whether it is this rule that the claim runs."""
    if _innermost(claim.derivative) is _innermost(claim.function):
        return True
    program = claim.program(point.x, _OPERATIONS)
    return bool(found.op) and any(n.origin == found.origin for n in program.nodes)


def _innermost(function: Callable[..., Any]) -> Any:
    return inspect.unwrap(function)


def describe_rule_line(claim: Claim, point: Point, worst: Entry | None) -> str:
    """Words for the line of a rule, of the user's own, that the wrong entry last went through.

    Returns
    -------
    str
        Empty if the program of the claim cannot be followed, or has no such line.
    """
    if claim.ours or worst is None:
        return ""
    try:
        program = claim.program(point.x, _OPERATIONS)
    except Exception:  # noqa: BLE001
        # Users' code, given tensors: one that takes none names no line.
        return ""
    if worst.argument >= len(program.outputs):
        return ""
    last = _last(program, program.outputs[worst.argument])
    return "" if last is None else computed_at(last[1])


def computed_at(origin: Origin | None) -> str:
    """Words for a line of a rule."""
    place = places.relative(places.place_of_origin(origin))
    return f"computed at {place} in {origin.function}" if origin is not None and place else ""


def _functions(graph: Graph) -> set[Function]:
    """The functions that a program's lines are in."""
    return {(n.origin.file, n.origin.function) for n in graph.nodes if n.origin is not None}


def _last(
    program: Graph, output: int, others: Collection[Function] | None = None
) -> tuple[str, Origin] | None:
    """The operation nearest to an output that is on a line of a rule.

    That is a line outside of the functions `others`; or, if these are not known, in a function
    that is called like a rule.
    """
    waiting, seen = [output], set[int]()
    nearest: tuple[str, Origin] | None = None
    while waiting:
        at = max(waiting)
        waiting.remove(at)
        if at in seen:
            continue
        seen.add(at)
        node = program.nodes[at]
        origin = node.origin
        if origin is not None and _is_of_rule(origin, others):
            # What moves data is told only where there is no arithmetic.
            if node.primitive is not None and node.primitive.rounding != (0, 0):
                return node.name, origin
            nearest = nearest or (node.name, origin)
        waiting.extend(node.inputs)
    return nearest


def _is_of_rule(origin: Origin, others: Collection[Function] | None) -> bool:
    if not places.place_of_origin(origin) or places.is_library(origin.file):
        return False
    if origin.function.endswith(_NAMES):
        return True
    return others is not None and (origin.file, origin.function) not in others
