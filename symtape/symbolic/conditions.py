"""Under which conditions a shadow holds, in words a person reads: ``x[0] > x[1]``."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Final

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from symtape.graph.graph import Node
from symtape.symbolic.closed_form import expand, lightly_simplified, tree_size
from symtape.symbolic.decimals import replace_long_rationals
from symtape.symbolic.shadow import Selection, Shadow

_MOST: Final = 200
_LONGEST: Final = 40
_EACH: Final = 8

_OPPOSITES: Final = {">": "<=", ">=": "<", "<": ">=", "<=": ">", "==": "!=", "!=": "=="}


def conditions(shadow: Shadow) -> list[str]:
    """The path decisions and the selections of `shadow`, each once, as text.

    After 200 of them the list ends with a count of the rest.
    """
    writer = _Writer(shadow)
    found: dict[str, None] = {}
    for decision in shadow.graph.path:
        if writer.depends(decision.node):
            found.update(dict.fromkeys(writer.truth(decision.node, 0, decision.outcome)))
        if len(found) > _MOST:
            break
    for selection in shadow.selections:
        if len(found) > _MOST:
            break
        found.update(dict.fromkeys(writer.selection(selection)))
    for position in writer.decisive():
        if len(found) > _MOST:
            break
        found.update(dict.fromkeys(writer.each(position)))
    texts = list(found)
    return texts if len(texts) <= _MOST else [*texts[:_MOST], "... and more of the kind"]


def _decision(node: Node) -> str:
    return "" if node.primitive is None else node.primitive.decision


class _Writer:
    """Says in text what elements of a shadow are, and what was decided about them."""

    def __init__(self, shadow: Shadow) -> None:
        self.shadow = shadow
        self.nodes = shadow.graph.nodes
        symbols = [sp.Symbol(name, real=True) for names in shadow.element_names for name in names]
        self._symbols = dict(zip(shadow.program.inputs, symbols, strict=True))
        self._held = set(shadow.held)
        self._depends: dict[int, bool] = dict.fromkeys(shadow.graph.inputs, True)

    def depends(self, position: int) -> bool:
        """Whether a node depends on the inputs."""
        waiting = [position]
        while waiting:
            at = waiting[-1]
            if at in self._depends:
                waiting.pop()
                continue
            unknown = [i for i in self.nodes[at].inputs if i not in self._depends]
            if unknown:
                waiting += unknown
            else:
                self._depends[at] = any(self._depends[i] for i in self.nodes[at].inputs)
        return self._depends[position]

    def element(self, position: int, flat: int) -> str:
        """An element of a node, written out if that is short."""
        ids = self.shadow.ids[position]
        if position in self._held and self.depends(position):
            return self.held_element(position, flat)
        if ids is None:
            return f"{np.ravel(self.shadow.values[position])[flat]:.6g}"
        return self._statement(int(ids.ravel()[flat]), self.nodes[position])

    def held_element(self, position: int, flat: int) -> str:
        """An element of a node that is locally constant, such as ``floor(x)``."""
        node = self.nodes[position]
        row = node.primitive
        name = node.name if row is None else row.spelling or row.name
        if row is not None and row.elementwise:
            return f"{name}({', '.join(self.element(i, k) for i, k in self._operands(node, flat))})"
        return f"{name}({', '.join(map(self._list_elements, node.inputs))})"

    def decisive(self) -> Iterator[int]:
        """The locally constant nodes on whose value something else is built."""
        users: set[int] = set(self.shadow.graph.outputs)
        for position, node in enumerate(self.nodes):
            if position not in self._held:
                users |= set(node.inputs[:1] if _decision(node) == "index" else node.inputs)
                users -= set(node.inputs[:1]) if _decision(node) == "condition" else set()
        for position in self.shadow.held:
            if position in users and self.depends(position):
                yield position

    def each(self, position: int) -> Iterator[str]:
        """What every element of a locally constant node says."""
        node = self.nodes[position]
        if _decision(node) == "shape":
            return
        for flat, value in enumerate(np.ravel(self.shadow.values[position])[: _MOST + 1].tolist()):
            if node.dtype.kind == "b":
                yield from self.truth(position, flat, value)
            else:
                yield f"{self.held_element(position, flat)} == {value:g}"

    def _statement(self, at: int, node: Node) -> str:
        program = self.shadow.program
        size = tree_size(program, [at])
        if size > _LONGEST:
            place = (
                f" at {os.path.basename(node.origin.file)}:{node.origin.line}"
                if node.origin
                else ""
            )
            return f"(the {node.name}{place})"
        (expression,) = expand(program, [at], self._symbols.__getitem__)
        if expression.is_number:
            return repr(float(expression)).removesuffix(".0")
        return str(replace_long_rationals(lightly_simplified(expression)))

    def _list_elements(self, position: int) -> str:
        size = math.prod(self.nodes[position].shape)
        shown = [self.element(position, k) for k in range(min(size, _EACH))]
        return ", ".join(shown) + (", ..." if size > _EACH else "")

    def truth(self, position: int, flat: int, outcome: bool) -> Iterator[str]:
        """What it says that element `flat` of a boolean (or number) node is `outcome`."""
        node = self.nodes[position]
        if not self.depends(position):
            return
        decision = _decision(node)
        if (counted := self._find_counted_mask(node)) is not None and outcome:
            values = np.ravel(self.shadow.values[counted])[: _EACH * _EACH]
            for k, held in enumerate(values):
                yield from self.truth(counted, k, bool(held))
        elif decision in _OPPOSITES:
            a, b = self._operands(node, flat)
            sign = decision if outcome else _OPPOSITES[decision]
            yield f"{self.element(*a)} {sign} {self.element(*b)}"
        elif decision == "not":
            yield from self.truth(node.inputs[0], flat, not outcome)
        elif decision in ("and", "or"):
            yield from self._connective(node, flat, outcome)
        elif decision == ("every" if outcome else "some"):
            for k in self._reduced_elements(node, flat)[: _EACH * _EACH]:
                yield from self.truth(node.inputs[0], k, outcome)
        elif node.dtype.kind == "f":
            yield f"{self.element(position, flat)} {'!=' if outcome else '=='} 0"
        else:
            inside = ", ".join(self._list_mask_entries(i) for i in node.inputs)
            yield f"{'' if outcome else 'not '}{node.name}({inside})"

    def _find_counted_mask(self, node: Node) -> int | None:
        """The mask whose entries are counted, of a condition on their number."""
        first = self.nodes[node.inputs[0]]
        counts = _decision(node) == "==" and _decision(first) == "signs"
        return first.inputs[0] if counts and self.nodes[first.inputs[0]].dtype.kind == "b" else None

    def _list_mask_entries(self, position: int) -> str:
        if self.nodes[position].dtype.kind != "b":
            return self._list_elements(position)
        value = np.ravel(self.shadow.values[position])[:_EACH]
        texts = [t for k, v in enumerate(value) for t in self.truth(position, k, bool(v))]
        return ", ".join(texts)

    def _connective(self, node: Node, flat: int, outcome: bool) -> Iterator[str]:
        """Of ``and``: both hold, or those fail that do; of ``or`` the reverse."""
        for position, k in self._operands(node, flat):
            held = bool(np.ravel(self.shadow.values[position])[k])
            if held == outcome:
                yield from self.truth(position, k, held)

    def _operands(self, node: Node, flat: int) -> list[tuple[int, int]]:
        """For each input, its element that meets element `flat` of an elementwise node."""
        found = []
        for i in node.inputs:
            shape = self.nodes[i].shape
            index = np.broadcast_to(np.arange(math.prod(shape)).reshape(shape), node.shape)
            found.append((i, int(index.ravel()[flat])))
        return found

    def _reduced_elements(self, node: Node, flat: int) -> list[int]:
        """The elements of a reduction's input that its element `flat` is made of."""
        source = self.nodes[node.inputs[0]].shape
        index = np.arange(math.prod(source)).reshape(source)
        axis = node.params.get("axis")
        axes = range(len(source)) if axis is None else (axis,) if isinstance(axis, int) else axis
        kept = [i for i in range(len(source)) if i not in axes]
        rows = index.transpose([*kept, *axes]).reshape(math.prod(node.shape), -1)
        found: list[int] = rows[flat].tolist()
        return found

    def selection(self, selection: Selection) -> Iterator[str]:
        """What it says that these elements were chosen."""
        node = self.nodes[selection.node]
        write = _SELECTIONS.get(_decision(node))
        chosen = selection.chosen.ravel().tolist()
        for flat, pick in enumerate(chosen[: _MOST + 1]):
            if write is not None:
                yield from write(self, node, flat, pick)
        if write is None and any(self.depends(i) for i in node.inputs):
            yield from self._describe_selection(node, chosen)

    def _describe_selection(self, node: Node, chosen: Sequence[int]) -> Iterator[str]:
        picked = ", ".join(self.pick_joined(node, k) for k in chosen[:_EACH])
        more = ", ..." if len(chosen) > _EACH else ""
        yield f"{node.name}({self._list_elements(node.inputs[0])}) is {picked}{more}"

    def pick_joined(self, node: Node, pick: int) -> str:
        """The element at `pick` of the inputs joined end to end."""
        for i in node.inputs:
            size = math.prod(self.nodes[i].shape)
            if pick < size:
                return self.element(i, pick)
            pick -= size
        raise IndexError(pick)

    def value(self, node: Node, pick: int) -> float:
        """The float value of that element."""
        joined = np.concatenate([self.shadow.values[i] for i in node.inputs], axis=None)
        return float(joined[pick])

    def vary(self, node: Node, *picks: int) -> bool:
        """Whether any of those elements is no constant."""
        joined = np.concatenate([self._statements(i) for i in node.inputs])
        constants = self.shadow.program.constants
        return any(joined[k] >= 0 and int(joined[k]) not in constants for k in picks)

    def _statements(self, position: int) -> NDArray[np.int64]:
        """The statements of a node's elements; -1 for each of a constant that has none."""
        ids = self.shadow.ids[position]
        size = math.prod(self.nodes[position].shape)
        return np.full(size, -1, np.int64) if ids is None else np.ravel(ids).astype(np.int64)

    def candidates(self, node: Node, flat: int) -> list[int]:
        """Among which elements of the joined inputs element `flat` was chosen."""
        if len(node.inputs) == 1:
            return self._reduced_elements(node, flat)
        start, found = 0, []
        for i, k in self._operands(node, flat):
            found.append(start + k)
            start += math.prod(self.nodes[i].shape)
        return found


def _extreme(sign: str) -> Callable[[_Writer, Node, int, int], Iterator[str]]:
    def write(writer: _Writer, node: Node, flat: int, pick: int) -> Iterator[str]:
        if not any(writer.depends(i) for i in node.inputs):
            return
        winner = writer.pick_joined(node, pick)
        for other in writer.candidates(node, flat):
            text = writer.pick_joined(node, other)
            if other != pick and text != winner and writer.vary(node, other, pick):
                tie = "=" if writer.value(node, other) == writer.value(node, pick) else ""
                first, *_ = candidates = sorted((pick, other))
                turned = {">": "<", "<": ">"}[sign] if first != pick else sign
                a, b = (writer.pick_joined(node, k) for k in candidates)
                yield f"{a} {turned}{tie} {b}"

    return write


def _describe_where(writer: _Writer, node: Node, flat: int, pick: int) -> Iterator[str]:
    (condition, k), *_ = writer._operands(node, flat)
    outcome = bool(np.ravel(writer.shadow.values[condition])[k])
    yield from writer.truth(condition, k, outcome)


def _describe_sort(writer: _Writer, node: Node, flat: int, pick: int) -> Iterator[str]:
    axis = node.params.get("axis", -1)
    shape = node.shape
    if flat or not shape:
        return
    chosen = next(s.chosen for s in writer.shadow.selections if writer.nodes[s.node] is node)
    for row in np.moveaxis(np.asarray(chosen).reshape(shape), axis, -1).reshape(-1, shape[axis]):
        yield " <= ".join(writer.pick_joined(node, k) for k in row.tolist())


def _describe_index(writer: _Writer, node: Node, flat: int, pick: int) -> Iterator[str]:
    if flat:
        return
    chosen = next(s.chosen for s in writer.shadow.selections if writer.nodes[s.node] is node)
    for index in node.inputs[1:]:
        if writer.nodes[index].dtype.kind == "b":
            yield from writer.each(index)
        elif writer.depends(index):
            picked = ", ".join(writer.pick_joined(node, k) for k in chosen.ravel()[:_EACH].tolist())
            more = ", ..." if chosen.size > _EACH else ""
            yield f"{writer.held_element(index, 0)} picks {picked}{more}"


_SELECTIONS: Final[dict[str, Callable[[_Writer, Node, int, int], Iterator[str]]]] = {
    "ascending": _describe_sort,
    "condition": _describe_where,
    "index": _describe_index,
    "largest": _extreme(">"),
    "smallest": _extreme("<"),
}
