"""Kinks: operations that the value uses where they have no classical derivative.

A step (floor, sign, argmax) is locally constant except where it jumps. What is computed from a
jumping element is followed until it meets the value or steers the path; a jump that nothing
uses does no harm.

Statements that no input moves: constants, and what is computed of constants alone. ``abs(x.imag)``
of a real number is the absolute value of 0. A program does not reduce it to a constant, and yet no
neighbour of the point gives it another value.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from symtape.graph.graph import Node
from symtape.primitives.planar import ARCTAN2
from symtape.symbolic.program import Program
from symtape.symbolic.shadow import Shadow
from symtape.symbolic.template import ADD, STOP, Template
from symtape.symbolic.walk import Meant, reread_shadow
from verify.judging.kinks.alternatives import Statement
from verify.judging.kinks.elements import Element


@dataclass(frozen=True, slots=True)
class Kink:
    """Why there is no classical derivative, in words; the operation, and who applied it."""

    words: str
    op: str
    origin: Any


def kink_at(form: Shadow, *, unknown: bool = False) -> Kink | None:
    """The first operation without a classical derivative at the point that the output uses.

    Of the `unknown` ones only: operations whose pieces are known are passed over.
    """
    return Search(form, unknown=unknown).first_kink()


class Search:
    """One pass over a graph, in which jumping elements are followed."""

    def __init__(
        self, form: Shadow, meant: Mapping[int, Meant] | None = None, *, unknown: bool = False
    ) -> None:
        self.graph, self.form, self.unknown = form.graph, form, unknown
        self.meant = meant or {}
        self.jumps: dict[int, tuple[Any, int]] = {}
        self.steering = {step.node for step in self.graph.path} | set(self.graph.outputs)

    @functools.cached_property
    def used(self) -> Any:
        """Which statements the output depends on."""
        outputs = [at for part in self.form.outputs for at in part.ravel().tolist()]
        return _flags(self.form.program.list_needed(outputs), len(self.form.program))

    @functools.cached_property
    def fixed(self) -> Any:
        """Which statements no input moves."""
        return which_are_fixed(self.form.program)

    def first_kink(self) -> Kink | None:
        """The first kink that the value or the path uses."""
        for at, node in enumerate(self.graph.nodes):
            if node.primitive is None:
                continue
            own = self.own(at, node)
            if self.constant(at):
                self._follow(at, node, own)
                if at in self.jumps and at in self.steering:
                    return self.kink(self.jumps[at][1])
                continue
            if own is not None and self.matters(own, at):
                return self.kink(at)
            source = next((self.jumps[i][1] for i in node.inputs if i in self.jumps), None)
            if source is not None and self.matters(self._inherited_jumps(node), at):
                return self.kink(source)
        return self._find_truth_kink()

    def list_kinks(self) -> Iterator[Kink]:
        """Every operation that is itself at a kink which the value uses, in order."""
        for at, node in enumerate(self.graph.nodes):
            if node.primitive is None or self.constant(at):
                continue
            own = self.own(at, node)
            if own is not None and self.matters(own, at):
                yield self.kink(at)

    def own(self, at: int, node: Node) -> Any:
        """Where the operation itself has a kink that its inputs can move across."""
        row = node.row
        kinks = row.kinks
        # The boundaries of comparisons are for :mod:`verify.judging.kinks.boundaries`.
        if kinks is None or row.compares or (self.unknown and row.pieces is not None):
            return None
        moving = [self._varying_elements(i) for i in node.inputs]
        if not any(np.any(mask) for mask in moving):
            return None
        mask = np.asarray(
            kinks(*[self.form.values[i] for i in node.inputs], **node.params), dtype=bool
        )
        if row.elementwise and mask.shape == node.shape:
            for_each = np.zeros(node.shape, dtype=bool)
            for one in moving:
                for_each = for_each | one
            mask = mask & for_each
        return mask if np.any(mask) else None

    def _varying_elements(self, at: int) -> Any:
        """Which elements of a node depend on the inputs differentiably."""
        ids = self.form.ids[at]
        if ids is None:
            return np.zeros(self.graph.nodes[at].shape, dtype=bool)
        return ~self.fixed[ids]

    def constant(self, at: int) -> bool:
        """Whether a node is locally constant."""
        return self.form.ids[at] is None or not np.any(self._varying_elements(at))

    def _follow(self, at: int, node: Node, own: Any) -> None:
        """Keep which elements of a locally constant node jump, and on whose account."""
        if own is not None:
            self.jumps[at] = (self._fit_mask(own, node), at)
            return
        source = next((self.jumps[i][1] for i in node.inputs if i in self.jumps), None)
        if source is not None:
            self.jumps[at] = (self._inherited_jumps(node), source)

    def _inherited_jumps(self, node: Node) -> Any:
        """Which elements of a node may have been computed from jumping ones."""
        masks = [self.jumps[i][0] for i in node.inputs if i in self.jumps]
        if node.row.elementwise:
            result = np.zeros(node.shape, dtype=bool)
            for mask in masks:
                result = result | mask
            return result
        if node.row.moves:
            return self._fit_mask(node.row.evaluate(masks[0], **node.params), node)
        return np.ones(node.shape, dtype=bool)

    def _fit_mask(self, mask: Any, node: Node) -> Any:
        mask = np.asarray(mask, dtype=bool)
        if mask.shape == node.shape:
            return mask
        return np.full(node.shape, bool(np.any(mask)))

    def matters(self, mask: Any, at: int) -> bool:
        """Whether an element on the kink goes into the output."""
        used = self.uses(at)
        return bool(np.any(used[mask] if mask.shape == used.shape else used))

    def uses(self, at: int) -> Any:
        """Which elements of a node go into the output."""
        ids, going = self._chosen_statements
        return going[np.asarray(ids[at])]

    @cached_property
    def _chosen_statements(self) -> tuple[list[Any], Any]:
        """The statements of all nodes, and which of them go into the output, whatever is chosen.

        In ``x - max(x, y)`` the choice of x leaves nothing to be seen of it, so each element
        that chooses at a tie is made a number of its own, of all that it may choose.
        """
        marks: dict[int, dict[int, Statement]] = {}
        for at, node in enumerate(self.graph.nodes):
            row = node.primitive
            if row is None or row.select is None or self.form.ids[at] is None:
                continue
            mask = self.own(at, node)
            if mask is None:
                continue
            whole = np.broadcast_to(mask, node.shape) if row.elementwise else np.ones(node.shape)
            marks[at] = {
                k: mark_operands(Template("a0", 1), self._find_tied_operands(at, k))
                for k in np.flatnonzero(whole).tolist()
            }
        if not marks:
            return self.form.ids, self.used
        form = self.form
        meant: dict[int, Any] = {
            at: {**some, **self.meant.get(at, {})} for at, some in marks.items()
        }
        marked = reread_shadow(form, form.values, {**self.meant, **meant})
        outputs = [at for part in marked.outputs for at in part.ravel().tolist()]
        return marked.ids, _flags(form.program.list_needed(outputs), len(form.program))

    def _find_tied_operands(self, at: int, flat: int) -> list[int]:
        """Which operands an element may be: those of its value."""
        node, values = self.graph.nodes[at], self.form.values
        given = np.concatenate([values[i] for i in node.inputs], axis=None)
        places = np.flatnonzero(given == np.ravel(values[at])[flat]).tolist()
        if node.row.elementwise:
            places = [k for k in Element(self.form, at, flat).places if k in places]
        return places

    def _find_truth_kink(self) -> Kink | None:
        """``if x:`` of a number that is 0, and would be true beside it."""
        for step in self.graph.path:
            node = self.graph.nodes[step.node]
            value = self.form.values[step.node]
            if (
                node.dtype.kind == "f"
                and not np.any(value)
                and np.any(self._varying_elements(step.node))
            ):
                words = (
                    f"the truth value of {value} steered the path; beside 0 it is another, so "
                    "the point is on the boundary of a branch"
                )
                return Kink(words, "bool", step.origin)
        return None

    def kink(self, at: int) -> Kink:
        """What there is to say of a node without a classical derivative."""
        node = self.graph.nodes[at]
        values = [np.asarray(self.form.values[i]) for i in node.inputs]
        words = f"{node.name} at {self._describe_operands(at, node, values)}"
        if self.graph.by_parts and node.row is ARCTAN2:
            words = f"the branch cut of a function of complex numbers, {words}"
        return Kink(words, node.name, node.origin)

    def _describe_operands(self, at: int, node: Node, values: list[Any]) -> str:
        """What the operation was given where it has the kink."""
        mask = self.own(at, node)
        if not node.shape or mask is None or mask.shape != node.shape:
            return quote(values)
        if not node.row.elementwise:
            return quote(values)
        ids = self.form.ids[at]
        needed = mask if ids is None else mask & self.used[ids]
        index = tuple(np.argwhere(needed if np.any(needed) else mask)[0].tolist())
        given = [np.broadcast_to(value, node.shape)[index] for value in values]
        return f"{quote(given)} (element {list(index)})"


_PAIR: Final = Template(ADD.tree, 2)


def mark_operands(mark: Template, places: Sequence[int] | None) -> Statement:
    """An element as a number of its own, `mark` of the sum of some operands; None of all."""

    def meaning(program: Program, own: int, operands: Sequence[int]) -> int:
        total = own
        for operand in operands if places is None else [operands[k] for k in places]:
            total = program.apply(_PAIR, (total, operand))
        return program.apply(mark, (total,))

    return meaning


def _flags(places: list[int], size: int) -> Any:
    flags = np.zeros(size, dtype=bool)
    flags[places] = True
    return flags


def quote(values: list[Any]) -> str:
    """Arrays on one line, shortened."""
    text = ", ".join(" ".join(str(value).split()) for value in values)
    return text if len(text) <= 80 else text[:77] + "..."


def which_are_fixed(program: Program) -> Any:
    """Of every statement whether it has the same value at every point, as a mask.

    What is held constant has no derivative, and moves with the inputs all the same.

    Examples
    --------
    >>> program = Program()
    >>> root, other = program.sqrt(program.constant(2)), program.sqrt(program.input())
    >>> which_are_fixed(program)[[root, other]].tolist()
    [True, False]
    """
    flags = np.zeros(len(program), dtype=bool)
    flags[list(program.constants)] = True
    # Arguments stand before what is computed of them.
    for at in np.flatnonzero((np.array(program.highest) < 0) & ~flags).tolist():
        flags[at] = program.templates[at] is not STOP and flags[list(program.arguments[at])].all()
    return flags
