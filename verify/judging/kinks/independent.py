"""Kinks that do not depend on each other: their gradients add up, and need not be combined.

Of ``sum(abs(x))`` at 0 in 40 coordinates 2^40 pieces meet. But what one element is taken for
changes neither its value nor, where no other kinked element is computed from it, the part that
any other has in the gradient. So the gradient is that of one piece plus a difference for each
element, and the hull of all pieces is a sum of small ones. Elements that hold on sides of the
same tie, or are computed from each other, are gone through together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from symtape.errors import Unsupported
from symtape.symbolic.shadow import Shadow
from symtape.symbolic.template import Template
from symtape.symbolic.walk import reread_shadow
from verify.judging.kinks.alternatives import ActivePieces, Choice, Piece, Problem, State, Statement
from verify.judging.kinks.boundaries import meets_boundary
from verify.judging.kinks.elements import Element
from verify.judging.kinks.pieces import MANY, MOST, Full, Walk, has_pieces
from verify.judging.kinks.search import Search, mark_operands

_MOST_STATEMENTS: Final = 2_000_000
"""Over all readings together."""


def explore_apart(problem: Problem) -> ActivePieces | None:
    """The pieces at a point, those of each group of choices with the others left as they are.

    Returns
    -------
    ActivePieces or None
        Its first piece is what the groups, which count from 1, are differences to. None where
        all pieces can be gone through, comparisons hold with equality, or slopes are infinite;
        and of second derivatives, which do not add up.
    """
    form = problem.form
    if problem.is_second or meets_boundary(form, problem.point):
        return None
    try:
        walk = Walk(problem)
        taken = _take_first_alternatives(walk)
        if taken is None or _count(taken) <= MOST:
            return None
        groups = _groups(form, taken)
        readings = sum(_count(group) + 2 for group in groups)
        if readings * len(form.program) > _MOST_STATEMENTS:
            return ActivePieces(lost=MANY)
        return _explore_groups(walk, taken, groups)
    except (Full, Unsupported, ValueError, IndexError):
        return None


@dataclass(frozen=True, slots=True, eq=False)
class _Taken:
    """A choice, and which of its alternatives was taken."""

    choice: Choice
    which: int


def _count(taken: Sequence[_Taken]) -> int:
    """In how many ways choices can be made together."""
    return math.prod(len(one.choice.alternatives) for one in taken)


def _take_first_alternatives(walk: Walk) -> list[_Taken] | None:
    """A first alternative of every choice, so that together they may be a piece."""
    found: list[_Taken] = []
    state, plain = State(), Search(walk.form)
    for at, node in enumerate(walk.graph.nodes):
        if not has_pieces(node) or plain.own(at, node) is None:
            continue
        choices = walk.choices(Search(walk.reading(state), meant=state.meant), at)
        if isinstance(choices, str):
            return None
        for choice in choices:
            if any(one.values or one.vertical for one in choice.alternatives) or choice.edge:
                return None
            walk.note(choice)
            state, which = _first(state, choice)
            found.append(_Taken(choice, which))
    return found


def _first(state: State, choice: Choice) -> tuple[State, int]:
    for which in range(len(choice.alternatives)):
        after = state.choose_alternative(choice, which)
        if after.real:
            return after, which
    return state.choose_alternative(choice, 0), 0


def _groups(form: Shadow, taken: list[_Taken]) -> list[list[_Taken]]:
    """Choices that hold on sides of the same tie, or of which one is computed from another."""
    roots = list(range(len(taken)))

    def root(k: int) -> int:
        while roots[k] != k:
            k = roots[k]
        return k

    by_gap: dict[Any, int] = {}
    for k, one in enumerate(taken):
        for alternative in one.choice.alternatives:
            for gap, _ in alternative.sides:
                roots[root(k)] = root(by_gap.setdefault(gap, k))
    for k, sources in enumerate(_sources(form, taken)):
        for source in sources:
            roots[root(k)] = root(source)
    groups: dict[int, list[_Taken]] = {}
    for k, one in enumerate(taken):
        groups.setdefault(root(k), []).append(one)
    return list(groups.values())


def _sources(form: Shadow, taken: list[_Taken]) -> list[set[int]]:
    """For each choice, which others its elements are computed from.

    Each element is made a number of its own, of all its operands: what it is read as may leave
    some of them out.
    """
    marks = [Template("a0", 1) for _ in taken]
    meant: dict[int, dict[int, Statement]] = {}
    for one, mark in zip(taken, marks, strict=True):
        for flat in one.choice.alternatives[0].statements:
            places = _places(form, one.choice.node, flat)
            meant.setdefault(one.choice.node, {})[flat] = mark_operands(mark, places)
    marked = reread_shadow(form, form.values, meant)
    number: dict[Any, int] = {mark: k for k, mark in enumerate(marks)}
    result = []
    for k, one in enumerate(taken):
        ids = np.ravel(marked.ids[one.choice.node])
        own = [int(ids[flat]) for flat in one.choice.alternatives[0].statements]
        needed = marked.program.list_needed(own)
        found = {number.get(marked.program.templates[at], k) for at in needed}
        result.append(found - {k})
    return result


def _places(form: Shadow, at: int, flat: int) -> list[int] | None:
    """Which operands an element is computed from; None of all."""
    row = form.graph.nodes[at].row
    return Element(form, at, flat).places if row.elementwise else None


def _explore_groups(
    walk: Walk, taken: list[_Taken], groups: list[list[_Taken]]
) -> ActivePieces | None:
    """The piece that was taken, and those of each group beside it."""
    found = walk.found
    known = {(one.choice.node, one.choice.key) for one in taken}
    for number, group in enumerate([[], *groups]):
        state = State()
        for one in taken:
            if one not in group:
                state = state.choose_alternative(one.choice, one.which)
        pieces = _pieces(walk, state)
        if pieces is None or any(key not in known for one in pieces for key, _ in one.family):
            # Where a choice appears that was not there before, others may bear on it as well.
            return None
        found.pieces += [replace(piece, group=number) for piece in pieces]
    return found


def _pieces(walk: Walk, state: State) -> list[Piece] | None:
    """What follows from some choices; None if it is not known, or belongs to another path."""
    whole = walk.found
    walk.found, walk.seen, walk.readings = ActivePieces(), set(), 0
    try:
        walk.expand(state)
        found = walk.found
    finally:
        walk.found = whole
    whole.loose |= found.loose
    return None if found.lost or found.crossings or found.edge or found.vertical else found.pieces
