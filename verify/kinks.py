"""Kinks: operations that the value uses where they have no classical derivative.

A step (floor, sign, argmax) is locally constant except where it jumps. What is computed from a
jumping element is followed until it meets the value or steers the path; a jump that nothing
uses does no harm.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from symtape.graph.graph import Graph, Node
from symtape.symbolic.shadow import Shadow

__all__ = ["Kink", "kink_at"]

_MOVING: Final = frozenset(
    {"reshape", "transpose", "getitem", "broadcast_to", "squeeze", "expand_dims", "swapaxes"}
)
"""Rows that hand elements of their only input on, so that they act on a mask as well."""

_BY_EQUALITY: Final = frozenset(
    {"greater", "greater_equal", "less", "less_equal", "equal", "not_equal"}
)
"""Comparisons, whose own boundaries are for :mod:`verify.branches`."""


@dataclass(frozen=True, slots=True)
class Kink:
    """Why there is no classical derivative, in words; the operation, and who applied it."""

    words: str
    op: str
    origin: Any


def kink_at(graph: Graph, form: Shadow) -> Kink | None:
    """The first operation without a classical derivative at the point that the output uses."""
    return _Search(graph, form).found()


class _Search:
    """One pass over a graph, in which jumping elements are followed."""

    def __init__(self, graph: Graph, form: Shadow) -> None:
        self.graph, self.form = graph, form
        outputs = [at for part in form.outputs for at in part.ravel().tolist()]
        self.used = _flags(form.program.needed(outputs), len(form.program))
        self.fixed = _flags(list(form.program.constants), len(form.program))
        self.jumps: dict[int, tuple[Any, int]] = {}
        self.steering = {step.node for step in graph.path} | set(graph.outputs)

    def found(self) -> Kink | None:
        for at, node in enumerate(self.graph.nodes):
            if node.primitive is None:
                continue
            own = self._own(at, node)
            if self._constant(at):
                self._follow(at, node, own)
                if at in self.jumps and at in self.steering:
                    return self._kink(self.jumps[at][1])
                continue
            if own is not None and self._matters(own, at):
                return self._kink(at)
            source = next((self.jumps[i][1] for i in node.inputs if i in self.jumps), None)
            if source is not None and self._matters(self._inherited(node), at):
                return self._kink(source)
        return self._by_truth_value()

    def _own(self, at: int, node: Node) -> Any:
        """Where the operation itself has a kink that its inputs can move across."""
        assert node.primitive is not None
        kinks = node.primitive.kinks
        if kinks is None or node.name in _BY_EQUALITY:
            return None
        moving = [self._varying(i) for i in node.inputs]
        if not any(np.any(mask) for mask in moving):
            return None
        with np.errstate(all="ignore"):
            mask = np.asarray(
                kinks(*[self.form.values[i] for i in node.inputs], **node.params), dtype=bool
            )
        if node.primitive.elementwise and mask.shape == node.shape:
            for_each = np.zeros(node.shape, dtype=bool)
            for one in moving:
                for_each = for_each | one
            mask = mask & for_each
        return mask if np.any(mask) else None

    def _varying(self, at: int) -> Any:
        """Which elements of a node depend on the inputs differentiably."""
        ids = self.form.ids[at]
        if ids is None:
            return np.zeros(self.graph.nodes[at].shape, dtype=bool)
        return ~self.fixed[ids]

    def _constant(self, at: int) -> bool:
        return self.form.ids[at] is None or not np.any(self._varying(at))

    def _follow(self, at: int, node: Node, own: Any) -> None:
        """Keep which elements of a locally constant node jump, and on whose account."""
        if own is not None:
            self.jumps[at] = (self._in_shape(own, node), at)
            return
        source = next((self.jumps[i][1] for i in node.inputs if i in self.jumps), None)
        if source is not None:
            self.jumps[at] = (self._inherited(node), source)

    def _inherited(self, node: Node) -> Any:
        """Which elements of a node may have been computed from jumping ones."""
        assert node.primitive is not None
        masks = [self.jumps[i][0] for i in node.inputs if i in self.jumps]
        if node.primitive.elementwise:
            result = np.zeros(node.shape, dtype=bool)
            for mask in masks:
                result = result | mask
            return result
        if node.name in _MOVING and len(node.inputs) == 1:
            return self._in_shape(node.primitive.evaluate(masks[0], **node.params), node)
        return np.ones(node.shape, dtype=bool)

    def _in_shape(self, mask: Any, node: Node) -> Any:
        mask = np.asarray(mask, dtype=bool)
        if mask.shape == node.shape:
            return mask
        return np.full(node.shape, bool(np.any(mask)))

    def _matters(self, mask: Any, at: int) -> bool:
        """Whether an element on the kink goes into the output."""
        ids = self.form.ids[at]
        chosen = ids[mask] if mask.shape == ids.shape else ids
        return bool(np.any(self.used[chosen]))

    def _by_truth_value(self) -> Kink | None:
        """``if x:`` of a number that is 0, and would be true beside it."""
        for step in self.graph.path:
            node = self.graph.nodes[step.node]
            value = self.form.values[step.node]
            if node.dtype.kind == "f" and not np.any(value) and np.any(self._varying(step.node)):
                words = (
                    f"the truth value of {value} steered the path; beside 0 it is another, so "
                    "the point is on the boundary of a branch"
                )
                return Kink(words, "bool", step.origin)
        return None

    def _kink(self, at: int) -> Kink:
        node = self.graph.nodes[at]
        values = [np.asarray(self.form.values[i]) for i in node.inputs]
        words = f"{node.name} has no classical derivative at {self._met(at, node, values)}"
        return Kink(words, node.name, node.origin)

    def _met(self, at: int, node: Node, values: list[Any]) -> str:
        """What the operation was given where it has the kink."""
        mask = self._own(at, node)
        if not node.shape or mask is None or mask.shape != node.shape:
            return shown(values)
        assert node.primitive is not None
        if not node.primitive.elementwise:
            return shown(values)
        ids = self.form.ids[at]
        needed = mask if ids is None else mask & self.used[ids]
        index = tuple(np.argwhere(needed if np.any(needed) else mask)[0].tolist())
        given = [np.broadcast_to(value, node.shape)[index] for value in values]
        return f"{shown(given)} (element {list(index)})"


def _flags(places: list[int], size: int) -> Any:
    flags = np.zeros(size, dtype=bool)
    flags[places] = True
    return flags


def shown(values: list[Any]) -> str:
    """Arrays on one line, shortened."""
    text = ", ".join(" ".join(str(value).split()) for value in values)
    return text if len(text) <= 80 else text[:77] + "..."
