"""Pieces: the smooth functions that meet at a point without a classical derivative.

A graph is read with one alternative for each element that has several, and with either outcome
of each comparison that holds with equality. The derivatives of all these readings are enclosed
at the point: see :mod:`verify.judging.kinks.admissible` for what follows from them.

Choices: what an operation may be taken for at a point where it has no classical derivative.
``abs(x)`` at 0 is ``x`` or ``-x``; a maximum of equal numbers is each of them. Every alternative is
smooth, so that a graph read with one alternative for each such element has a gradient. Near the
point the function follows one of these readings, and whatever a rule answers at the point itself (a
half, an equal share, 0) is a mean of theirs.

An alternative says on which side of a tie it holds, so that readings which no neighbour of the
point follows can be told: where ``max(x, y)`` is ``x``, ``min(x, y)`` is ``y``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Final, TypeAlias

import numpy as np

from symtape.errors import Unsupported
from symtape.graph.graph import Graph, Node
from symtape.symbolic.derivative import gradient, hessian, jacobian
from symtape.symbolic.shadow import Shadow
from symtape.symbolic.walk import reread_shadow
from verify.judging.kinks.alternatives import (
    ActivePieces,
    Alternative,
    Choice,
    Gap,
    Piece,
    Problem,
    State,
)
from verify.judging.kinks.boundaries import Boundary, boundaries, is_comparison, outcome
from verify.judging.kinks.domain import defined_beside
from verify.judging.kinks.elements import Element, Rows
from verify.judging.kinks.search import Search, kink_at

MANY: Final = "more pieces meet here than symtape can try"
MOST: Final = 128
"""So many pieces are gone through, and no more."""

_MOST_STATEMENTS: Final = 1_000_000
"""Over all readings together, so that a large program with many kinks does not take minutes."""


Pinned: TypeAlias = Mapping[tuple[int, tuple[int, ...]], int]
"""The signs by which comparisons come out, by node and index."""


class Full(Exception):
    """There are more pieces than are looked at."""


def explore(problem: Problem, pinned: Pinned | None = None) -> ActivePieces:
    """Every piece at a point; `pinned` comparisons come out by a sign that is known."""
    walk = Walk(problem, pinned)
    try:
        walk.expand(State(values=walk.outcomes()))
    except Full:
        walk.found.lost = MANY
    return walk.found


class Walk:
    """Goes from choice to choice, in the order of the nodes."""

    def __init__(self, problem: Problem, pinned: Pinned | None = None) -> None:
        self.graph, self.form, self.point = problem.graph, problem.form, problem.point
        self.derive = _DERIVATIVES[problem.quantity]
        self.second = problem.is_second
        self.pinned = pinned or {}
        self.found = ActivePieces()
        self.seen: set[Any] = set()
        self.most = min(MOST, max(4, _MOST_STATEMENTS // (len(self.form.program) + 1)))
        self.readings = 0
        counts: dict[Gap, int] = {}
        for boundary in boundaries(self.form, self.point):
            if isinstance(boundary, Boundary):
                counts[boundary.gap] = counts.get(boundary.gap, 0) + 1
        self.alone = {gap for gap, count in counts.items() if count == 1}

    def outcomes(self) -> dict[int, dict[int, bool]]:
        """The values of the comparisons that are pinned."""
        found: dict[int, dict[int, bool]] = {}
        for (at, index), sign in self.pinned.items():
            node = self.graph.nodes[at]
            found.setdefault(at, {})[_flat(index, node.shape)] = outcome(node, sign)
        return found

    def expand(self, state: State) -> None:
        """The pieces that follow from what has been chosen."""
        self.readings += 1
        if self.readings > 4 * self.most:
            raise Full
        try:
            reading = self.reading(state)
        except (ValueError, IndexError, Unsupported):
            # With another outcome the arrays have other shapes, or values that no index can be.
            self._add_crossing(state)
            return
        choice = self._find_open_choice(reading, state)
        if choice is None:
            self.keep(reading, state)
            return
        if isinstance(choice, str):
            self._lose(choice)
            return
        for which in range(len(choice.alternatives)):
            after = state.choose_alternative(choice, which)
            if is_comparison(self.graph.nodes[choice.node]):
                after = replace(after, compared={**after.compared, **dict(after.sides)})
            self.expand(after)

    def _lose(self, words: str) -> None:
        self.found.lost = self.found.lost or words

    def reading(self, state: State) -> Shadow:
        """The graph with what has been chosen."""
        values = self.form.values
        if state.values:
            inputs = [values[at] for at in self.graph.inputs]
            forced = {
                at: {**self.settled.get(at, {}), **state.values.get(at, {})}
                for at in {*self.settled, *state.values}
            }
            values = replay_values(self.graph, inputs, forced)
        return reread_shadow(self.form, values, state.meant)

    @cached_property
    def settled(self) -> dict[int, dict[int, Any]]:
        """Values of the form that are not those that floats compute: ties in exact arithmetic."""
        inputs = [self.form.values[at] for at in self.graph.inputs]
        found: dict[int, dict[int, Any]] = {}
        for at, (own, value) in enumerate(
            zip(self.form.values, replay_values(self.graph, inputs, {}), strict=True)
        ):
            if own is value or self.graph.nodes[at].dtype.kind != "f":
                continue
            flat, other = np.ravel(own), np.ravel(value)
            differ = np.flatnonzero((flat != other) & ~(np.isnan(flat) & np.isnan(other)))
            if differ.size:
                found[at] = {k: flat[k] for k in differ.tolist()}
        return found

    def _find_open_choice(self, reading: Shadow, state: State) -> Choice | str | None:
        """The first choice that is open; words where its alternatives are not known."""
        search = Search(reading, meant=state.meant)
        comparing = self._comparisons(reading)
        # From the first node on: what a later choice multiplied by 0 matters with another one.
        for at, node in enumerate(self.graph.nodes):
            for boundary in comparing.get(at, ()):
                choice = self._comparison(boundary, state)
                if (at, choice.key) not in state.done:
                    return choice
            if has_pieces(node) and (found := self._open(search, at, state)) is not None:
                return found
        return None

    def _comparisons(self, reading: Shadow) -> dict[int, list[Boundary]]:
        by_node: dict[int, list[Boundary]] = {}
        for boundary in boundaries(reading, self.point):
            if isinstance(boundary, Boundary):
                by_node.setdefault(boundary.node, []).append(boundary)
        return by_node

    def _comparison(self, boundary: Boundary, state: State) -> Choice:
        node = self.graph.nodes[boundary.node]
        flat = _flat(boundary.index, node.shape)
        known = self.pinned.get((boundary.node, boundary.index))
        if known is not None:
            signs = [known * boundary.sign]
        elif boundary.gap in state.compared:
            signs = [state.compared[boundary.gap]]
        else:
            signs = [0, 1, -1]
        alternatives = [
            Alternative(((boundary.gap, sign),), values={flat: outcome(node, sign * boundary.sign)})
            for sign in signs
        ]
        if len(signs) == 3 and boundary.gap in self.alone:
            alternatives = _fewer(alternatives, flat)
        return Choice(boundary.node, (flat,), alternatives)

    def _open(self, search: Search, at: int, state: State) -> Choice | str | None:
        found = self.choices(search, at)
        if isinstance(found, str):
            return found
        for choice in found:
            if (at, choice.key) not in state.done:
                self.note(choice)
                return choice
        return None

    def choices(self, search: Search, at: int) -> list[Choice] | str:
        """The choices of a node that the output uses; words where they are not known."""
        node = self.graph.nodes[at]
        mask = search.own(at, node)
        if mask is None or not (search.constant(at) or search.matters(mask, at)):
            return []
        if not search.constant(at) and node.row.elementwise:
            mask = mask & search.uses(at)
        found = choices_of(search.form, at, mask, second=self.second)
        return found if isinstance(found, str) else [one for one in found if one.alternatives]

    def note(self, choice: Choice) -> None:
        """Keep that pieces meet at a choice."""
        self.found.edge |= choice.edge
        self.found.loose |= choice.loose
        self.found.vertical |= any(taken.vertical for taken in choice.alternatives)

    def _add_crossing(self, state: State) -> None:
        """Another path of the function begins on some side of the gaps that were compared."""
        if not state.real:
            return
        sides = list(state.compared.items())
        if len(sides) != 1 or not sides[0][1]:
            self._lose("other paths of the function begin here, more than one at a time")
        elif sides[0] not in self.found.crossings:
            self.found.crossings.append(sides[0])

    def _is_undefined(self, values: Sequence[Any]) -> bool:
        """Whether a piece is that of a side where there is no function, but NaN for all of it."""
        missing = all(bool(np.all(np.isnan(values[at]))) for at in self.graph.outputs)
        return missing and not np.all(defined_beside(self.graph, self.point))

    def keep(self, reading: Shadow, state: State) -> None:
        """Take note of a reading in which nothing is open any more."""
        values = reading.values
        if not self.graph.is_followed_by(values):
            self._add_crossing(state)
            return
        if self._is_undefined(values):
            self.found.edge = True
            return
        kink = kink_at(reading, unknown=True)
        if kink is not None:
            self._lose(f"what {kink.op} may be taken for here is not known")
            return
        ids = self.derive(reading)
        known = (
            *[part.tobytes() for part in (*reading.outputs, *ids)],
            tuple(sorted(state.sides.items())), state.real, state.vertical, state.family,
        )  # fmt: skip
        if known in self.seen:
            return
        self.seen.add(known)
        if len(self.found.pieces) >= self.most:
            raise Full
        self.found.pieces.append(
            Piece(reading, ids, dict(state.sides), state.real, state.vertical, state.family)
        )


def has_pieces(node: Node) -> bool:
    """Whether it is known what a node may be taken for at its kinks."""
    return node.primitive is not None and node.primitive.pieces is not None


def _flat(index: tuple[int, ...], shape: tuple[int, ...]) -> int:
    return int(np.ravel_multi_index(index, shape)) if shape else 0


def _fewer(alternatives: list[Alternative], flat: int) -> list[Alternative]:
    """Without the tie itself, where that comes out as one of the sides does; or both in one."""
    tie, above, below = alternatives
    if above.values == below.values:
        return [tie, Alternative(values={flat: above.values[flat]})]
    return [above, below]


def replay_values(
    graph: Graph, inputs: Sequence[Any], forced: Mapping[int, Mapping[int, Any]]
) -> list[Any]:
    """The value of every node at `inputs`, with some elements of some nodes `forced`."""
    known = {id(graph.nodes[at]): at for at in forced}

    def apply(node: Node, args: list[Any]) -> Any:
        result = node.row.evaluate(*args, **node.params)
        if id(node) not in known:
            return result
        result = np.array(result)
        for flat, value in forced[known[id(node)]].items():
            result.flat[flat] = value
        return result[()]

    with np.errstate(all="ignore"):
        return graph.interpret(list(inputs), constant=lambda node: node.constant, apply=apply)


_DERIVATIVES: Final[dict[str, Callable[[Shadow], list[Any]]]] = {
    "gradient": lambda form: list(gradient(form)),
    "jacobian": lambda form: list(jacobian(form)),
    "hessian": lambda form: [block for row in hessian(form) for block in row],
}


def choices_of(form: Shadow, at: int, mask: Any, *, second: bool = False) -> list[Choice] | str:
    """The choices of node `at` where `mask` holds; words where its alternatives are not known.

    Parameters
    ----------
    form : Shadow
        At the point.
    at : int
        A node whose row has `pieces`.
    mask : bool array
    second : bool
        Whether second derivatives are asked for.
    """
    node = form.graph.nodes[at]
    row = node.row
    assert row.pieces is not None
    unknown = f"what {node.name} may be taken for here is not known"
    if not row.elementwise:
        whole = row.pieces(Rows(form, at), **node.params)
        return unknown if whole is None else list(whole)
    kinks = [
        Element(form, at, flat)
        for flat in np.flatnonzero(np.broadcast_to(mask, node.shape)).tolist()
    ]
    found = [row.pieces(kink, *kink.operands, **node.params) for kink in kinks]
    if second and any(choice is not None and choice.bent for choice in found):
        return f"{node.name} that meets here has no finite second derivative"
    return unknown if any(choice is None for choice in found) else found
