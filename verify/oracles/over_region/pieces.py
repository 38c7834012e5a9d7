"""A recording as one formula for all its pieces, in which what it chooses are steps.

``np.where(x > 0, a, b)`` is ``step * a + (1 - step) * b`` with ``step`` the Heaviside function of
``x``, which no derivative passes; the prover takes each step case by case.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from symtape.errors import Unsupported
from symtape.graph.graph import Graph, Node
from symtape.primitives.arithmetic import ABSOLUTE, FABS
from symtape.primitives.extrema import merge_reduced_axes
from symtape.primitives.primitive import Primitive
from symtape.primitives.shape import CAST_TO_DISCRETE
from symtape.primitives.steps import SIGN
from symtape.process.budget import Budget
from symtape.process.work import charge
from symtape.symbolic.element import reading, to_elements
from symtape.symbolic.program import ONE, Program
from symtape.symbolic.shadow import Shadow
from symtape.symbolic.template import ARITHMETIC, intern
from symtape.symbolic.walk import GraphWalk

_ABOVE: Final = intern(("Heaviside", "a0", 0), (0,))
_NOT_BELOW: Final = intern(("Heaviside", "a0", 1), (0,))


def piecewise_shadow(
    graph: Graph, values: Sequence[Any], beside: Shadow | None = None, budget: Budget | None = None
) -> Shadow:
    """The shadow of all pieces of `graph`.

    Parameters
    ----------
    graph : Graph
    values : sequence
        The floats of its nodes at a point, for what is chosen in other ways.
    beside : Shadow, optional
        Whose program and inputs it is written with.
    budget : Budget, optional
        Of a new program.

    Raises
    ------
    Unsupported, BudgetSpent
    """
    program = Program(budget) if beside is None else beside.program
    program.meter.restart("the shadow of all pieces")
    walk = _PiecewiseWalk(graph, program, values, None if beside is None else beside.inputs)
    walk.run()
    names = [f"x{k}" for k in range(len(graph.inputs))]
    inputs = [walk.ids[at] for at in graph.inputs]
    outputs = [walk.statements(at) for at in graph.outputs]
    return Shadow(
        program, inputs, outputs, names, graph, walk.values, walk.ids, walk.selections, walk.held
    )


def stepping_nodes(graph: Graph, values: Sequence[Any]) -> frozenset[int]:
    """The nodes whose choices are steps in :func:`piecewise_shadow`.

    Raises
    ------
    Unsupported, BudgetSpent
    """
    walk = _PiecewiseWalk(graph, Program(), values, None)
    walk.run()
    return frozenset(walk.stepped)


class _PiecewiseWalk(GraphWalk):
    """A walk in which conditions are statements, 1 where they hold and 0 where they don't."""

    def __init__(
        self, graph: Graph, program: Program, values: Sequence[Any], inputs: list[Any] | None
    ) -> None:
        super().__init__(graph, program, list(values), inputs, {})
        self.stepped: set[int] = set()
        self._varying = set(graph.inputs)

    def statements(self, position: int) -> Any:
        if self.ids[position] is None and self.graph.nodes[position].dtype.kind == "b":
            truths = np.asarray(self.values[position])
            flat = [self.program.constant(int(x)) for x in truths.ravel().tolist()]
            return np.array(flat, dtype=np.int64).reshape(truths.shape)
        return super().statements(position)

    def _meaning(self, position: int, node: Node) -> Any:
        if not self._varying.isdisjoint(node.inputs):
            self._varying.add(position)
            found = self._read_steps(node) if node.primitive is not None else None
            if found is not None:
                self.stepped.add(position)
                charge(found.size)
                return found
        return super()._meaning(position, node)

    def _operand(self, position: int) -> Any:
        if self.ids[position] is not None and self.graph.nodes[position].dtype.kind != "f":
            return to_elements(self.program, self.ids[position])
        return super()._operand(position)

    def _candidates(self, position: int) -> Any:
        if self.ids[position] is not None:
            return self.ids[position].ravel()
        return super()._candidates(position)

    def _specialise_powers(
        self, position: int, node: Node, row: Primitive, arrays: list[Any]
    ) -> Any:
        self.guided = False
        found = super()._specialise_powers(position, node, row, arrays)
        if self.guided:
            raise Unsupported("0 to a power that varies is 1 where that is 0")
        return found

    def _read_steps(self, node: Node) -> Any:
        """The statements of a node that chooses; None of any other."""
        row = node.row
        if not row.elementwise:
            choose = _EXTREMES.get(row.decision)
            if choose is not None:
                return self._reduce(node, choose)
        elif row.decision in _CHOICES:
            return self._read_elements(node, _CHOICES[row.decision])
        elif row in _OF_SIGNS:
            return self._read_elements(node, _OF_SIGNS[row])
        if node.dtype.kind in "biu" and any(self.ids[i] is not None for i in node.inputs):
            return self._read_truths(node, row)
        return None

    def _read_truths(self, node: Node, row: Primitive) -> Any:
        """What is computed of conditions, as numbers; None where that is not known."""
        if row is CAST_TO_DISCRETE and self.graph.nodes[node.inputs[0]].dtype.kind == "b":
            return self.statements(node.inputs[0])
        if node.dtype.kind == "b":
            if row.elementwise:
                logic = _LOGIC.get(row.decision)
                return None if logic is None else self._read_elements(node, logic)
            moves = not (row.missing or row.decision) and row.rounding == (0, 0)
            return self._elements(node, row) if moves and any(row.rules) else None
        if row.elementwise and row.symbolic is not None:
            template = reading(row, node).template
            return self._elementwise(-1, node, row) if template in ARITHMETIC else None
        return None

    def _read_elements(self, node: Node, meaning: Callable[..., int]) -> Any:
        arrays = [self.statements(i) for i in node.inputs]
        flat = [a.ravel().tolist() for a in np.broadcast_arrays(*arrays)]
        made = [meaning(self.program, *args) for args in zip(*flat, strict=True)]
        return np.array(made, dtype=np.int64).reshape(node.shape)

    def _reduce(self, node: Node, choose: Callable[..., int]) -> Any:
        rows = merge_reduced_axes(self.statements(node.inputs[0]), node.params["axis"])
        flat = rows.reshape(-1, rows.shape[-1]).tolist()
        step = functools.partial(choose, self.program)
        made = [functools.reduce(step, row) for row in flat]
        return np.array(made, dtype=np.int64).reshape(node.shape)


def _add_above(program: Program, a: int, b: int) -> int:
    return program.place(_ABOVE, (program.subtract(a, b),))


def _not_below(program: Program, a: int, b: int) -> int:
    return program.place(_NOT_BELOW, (program.subtract(a, b),))


def _equal(program: Program, a: int, b: int) -> int:
    return program.subtract(_not_below(program, a, b), _add_above(program, a, b))


def _complement(program: Program, a: int) -> int:
    return program.subtract(ONE, a)


def _either(program: Program, a: int, b: int) -> int:
    return program.subtract(program.add(a, b), program.multiply(a, b))


def _take(program: Program, condition: int, a: int, b: int) -> int:
    if a == b:
        return a
    first = program.multiply(condition, a)
    return program.add(first, program.multiply(_complement(program, condition), b))


def _larger(program: Program, a: int, b: int) -> int:
    return _take(program, _not_below(program, a, b), a, b)


def _smaller(program: Program, a: int, b: int) -> int:
    return _take(program, _not_below(program, b, a), a, b)


def _size(program: Program, a: int) -> int:
    return _take(program, program.place(_NOT_BELOW, (a,)), a, program.negate(a))


def _sign(program: Program, a: int) -> int:
    both = program.add(program.place(_ABOVE, (a,)), program.place(_NOT_BELOW, (a,)))
    return program.subtract(both, ONE)


_EXTREMES: Final[dict[str, Callable[..., int]]] = {"largest": _larger, "smallest": _smaller}
_LOGIC: Final[dict[str, Callable[..., int]]] = {
    "and": Program.multiply,
    "or": _either,
    "not": _complement,
}
_CHOICES: Final[dict[str, Callable[..., int]]] = {
    **_EXTREMES,
    "condition": _take,
    ">": _add_above,
    ">=": _not_below,
    "<": lambda program, a, b: _add_above(program, b, a),
    "<=": lambda program, a, b: _not_below(program, b, a),
    "==": _equal,
    "!=": lambda program, a, b: _complement(program, _equal(program, a, b)),
}
_OF_SIGNS: Final[dict[Primitive, Callable[..., int]]] = {
    ABSOLUTE: _size,
    FABS: _size,
    SIGN: _sign,
}
