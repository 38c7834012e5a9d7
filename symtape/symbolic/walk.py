"""Writing a shadow: one pass over the nodes of a graph at a point, and the statements they mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from symtape.errors import Unsupported
from symtape.graph.graph import Graph, Node
from symtape.primitives.arguments import takes_values
from symtape.primitives.primitive import Primitive
from symtape.process.budget import Budget
from symtape.process.work import charge
from symtape.symbolic.element import (
    constant_power,
    is_specialised,
    reading,
    select_template_constants,
    to_elements,
    to_statements,
)
from symtape.symbolic.program import Program
from symtape.symbolic.shadow import Selection, Shadow, chosen_by
from symtape.symbolic.template import Number

Meant: TypeAlias = Mapping[int, Callable[[Program, int, Sequence[int]], int]]
"""By flat index, what an element means: see :func:`reread_shadow`."""


def shadow(
    graph: Graph,
    inputs: Sequence[Any],
    budget: Budget | None = None,
    names: Sequence[str] | None = None,
) -> Shadow:
    """Write `graph`, as it computes at `inputs`, as a straight-line program.

    Parameters
    ----------
    graph : Graph
    inputs : sequence of array_like
        The point; one for each input of the graph.
    budget : Budget, optional
        For this step, and again for each derivative.
    names : sequence of str, optional
        What the inputs are called; ``x0, x1, ...`` by default.

    Raises
    ------
    Unsupported
        An operation has no symbolic reading; names it and the user's line.
    BudgetSpent

    Examples
    --------
    >>> import numpy as np, symtape
    >>> graph = symtape.record(lambda x: np.maximum(x[0], x[1]) * x[0], [1.0, 2.0])
    >>> made = shadow(graph, [[1.0, 2.0]])
    >>> from symtape.symbolic.conditions import conditions
    >>> conditions(made)
    ['x0[0] < x0[1]']
    """
    program = Program(budget)
    program.meter.restart("the shadow")
    with np.errstate(all="ignore"):
        values = graph.values(*inputs)
    names = list(names) if names is not None else [f"x{k}" for k in range(len(graph.inputs))]
    return _walk_graph(graph, program, values, names, None)


def reread_shadow(
    form: Shadow, values: list[Any], meant: Mapping[int, Meant] | None = None
) -> Shadow:
    """The graph of `form` with the choices that `values` make, on the same program.

    What both compute alike has the same statements, so that they can be compared.

    Parameters
    ----------
    form : Shadow
    values : list
        A value for every node of the graph.
    meant : mapping, optional
        For some nodes, what some of their elements mean instead of what the row says: by flat
        index a function ``(program, own, operands) -> statement``, where `own` is the statement
        that the row gives, and `operands` those of all inputs, raveled and joined.

    Raises
    ------
    Unsupported, BudgetSpent
    """
    form.program.meter.restart("the shadow of another branch")
    return _walk_graph(form.graph, form.program, values, form.names, form.inputs, meant)


def write_beside(form: Shadow, graph: Graph, values: list[Any]) -> Shadow:
    """Another `graph` of the same inputs as a shadow on the program of `form`.

    Raises
    ------
    Unsupported, BudgetSpent
    """
    form.program.meter.restart("the shadow of another function")
    return _walk_graph(graph, form.program, values, form.names, form.inputs)


def _walk_graph(
    graph: Graph,
    program: Program,
    values: list[Any],
    names: list[str],
    inputs: list[Any] | None,
    meant: Mapping[int, Meant] | None = None,
) -> Shadow:
    walk = GraphWalk(graph, program, values, inputs, meant or {})
    # SymPy may be loaded inside a call of NumPy's, and leave a flag of floating point.
    with np.errstate(all="ignore"):
        walk.run()
    return Shadow(
        program,
        [walk.ids[at] for at in graph.inputs],
        [walk.statements(at) for at in graph.outputs],
        names,
        graph,
        values,
        walk.ids,
        walk.selections,
        walk.held,
        walk.guided,
    )


class GraphWalk:
    """One pass over the nodes of a graph.

    Parameters
    ----------
    graph : Graph
    program : Program
        What the statements are added to.
    values : list
        The float value of every node at the point.
    inputs : list of int arrays or None
        The statements of the inputs; new ones if None.
    meant : mapping of int to Meant
        For some nodes, what some of their elements mean instead of what the row says.

    Attributes
    ----------
    ids : list of int arrays or None
        The statements of every node; None where it is locally constant.
    selections : list of Selection
    held : list of int
        The nodes that are locally constant.
    guided : bool
        Whether a reading went by values in a way that only it knows.
    """

    def __init__(
        self,
        graph: Graph,
        program: Program,
        values: list[Any],
        inputs: list[Any] | None,
        meant: Mapping[int, Meant],
    ) -> None:
        self.graph, self.program, self.values = graph, program, values
        self.meant = meant
        self.ids: list[Any] = []
        self.selections: list[Selection] = []
        self.held: list[int] = []
        self.guided = False
        self._given = {
            at: None if inputs is None else inputs[k] for k, at in enumerate(graph.inputs)
        }
        self._whole: dict[Any, list[Any]] = {}

    def run(self) -> None:
        """Walk all nodes, in their order."""
        charge(5 * len(self.graph) + 2 * self.graph.elements)
        for position, node in enumerate(self.graph.nodes):
            self.ids.append(self._meaning(position, node))
            if position in self.meant:
                self.ids[position] = self._substitute_meant_elements(position, node)
            if self.ids[-1] is None and node.primitive is not None:
                self.held.append(position)

    def _substitute_meant_elements(self, position: int, node: Node) -> Any:
        """The statements of a node of which some elements are meant otherwise."""
        ids = np.array(self.statements(position))
        operands = [at for i in node.inputs for at in self._candidates(i).tolist()]
        for flat, meaning in self.meant[position].items():
            ids.flat[flat] = meaning(self.program, int(ids.flat[flat]), operands)
        return ids

    def statements(self, position: int) -> Any:
        """The statements of a node, its constants written down if it is locally constant."""
        found = self.ids[position]
        if found is None:
            value = np.asarray(self.values[position])
            numbers = self._held_numbers(position, value)
            flat = [self.program.constant(x) for x in numbers]
            found = np.array(flat, dtype=np.int64).reshape(value.shape)
            if self.graph.nodes[position].dtype.kind == "f":
                self.ids[position] = found
        return found

    def _held_numbers(self, position: int, value: Any) -> list[Number]:
        """The values of a node that is locally constant, without what rounding made of them."""
        node = self.graph.nodes[position]
        row = node.primitive
        inputs = [np.asarray(self.values[i]) for i in node.inputs]
        if row is None or row.elements is None or row.rounding == (0, 0):
            return list(value.ravel().tolist())
        if not all(np.all(np.isfinite(x)) for x in (value, *inputs)):
            return list(value.ravel().tolist())
        exact = row.elements(*[_fractions(x) for x in inputs], **node.params)
        return list(np.ravel(exact).tolist())

    def _meaning(self, position: int, node: Node) -> Any:
        if node.dtype.kind == "c":
            raise _unsupported_error(node, f"complex numbers, which {node.name} gives")
        if position in self._given:
            if (known := self._given[position]) is not None:
                return known
            flat = [self.program.input() for _ in range(int(np.prod(node.shape, dtype=int)))]
            return np.array(flat, dtype=np.int64).reshape(node.shape)
        row = node.primitive
        if row is None or node.dtype.kind != "f":
            return None
        if row.stops:
            held = self.statements(node.inputs[0])
            return self._shape_statements(
                [self.program.stop(a) for a in held.ravel().tolist()], held.shape
            )
        if not row.missing and not any(row.rules):
            return None
        if row.symbolic is not None and row.elementwise:
            return self._elementwise(position, node, row)
        if row.select is not None:
            return self._select(position, node)
        return self._elements(node, row)

    def _shape_statements(self, flat: list[int], shape: tuple[int, ...]) -> Any:
        return np.array(flat, dtype=np.int64).reshape(shape)

    def _elementwise(self, position: int, node: Node, row: Primitive) -> Any:
        arrays = [self.statements(i) for i in node.inputs]
        if is_specialised(row):
            return self._specialise_powers(position, node, row, arrays)
        place = self.program.placer(reading(row, node), len(arrays))
        if not node.shape and all(not a.ndim for a in arrays):
            return np.array(place(*[int(a) for a in arrays]), dtype=np.int64)
        flat = [a.ravel().tolist() for a in np.broadcast_arrays(*arrays)]
        return self._shape_statements(list(map(place, *flat)), node.shape)

    def _specialise_powers(
        self, position: int, node: Node, row: Primitive, arrays: list[Any]
    ) -> Any:
        constants, program = self.program.constants, self.program
        value = np.ravel(self.values[position]).tolist()
        made = []
        flat = [a.ravel().tolist() for a in np.broadcast_arrays(*arrays)]
        for number, args in enumerate(zip(*flat, strict=True)):
            known = [constants.get(a) for a in args]
            if constant_power(row, known):
                made.append(program.constant(value[number]))
                self.guided = True
            else:
                made.append(
                    program.place(reading(row, node, select_template_constants(row, known)), args)
                )
        return self._shape_statements(made, node.shape)

    def _select(self, position: int, node: Node) -> Any:
        chosen = chosen_by(self.graph, self.values, position)
        joined = np.concatenate([self._candidates(i) for i in node.inputs])
        self.selections.append(Selection(position, chosen))
        return joined[chosen]

    def _candidates(self, position: int) -> Any:
        """Statements to choose from; conditions count in the joining, and are never chosen."""
        node = self.graph.nodes[position]
        if node.dtype.kind == "b":
            return np.zeros(int(np.prod(node.shape, dtype=int)), dtype=np.int64)
        return self.statements(position).ravel()

    def _elements(self, node: Node, row: Primitive) -> Any:
        key = (row.name, node.inputs, id(node.params))
        if node.part is None or key not in self._whole:
            result = self._run_elements(node, row)
            if node.part is None:
                return self._check_statements(result, node)
            self._whole[key] = list(result)
        return self._check_statements(self._whole[key][node.part], node)

    def _run_elements(self, node: Node, row: Primitive) -> Any:
        reading = row.elements
        if reading is None:
            raise _unsupported_error(node, f"the operation {row.name}")
        params = dict(node.params)
        if takes_values(reading):
            self.guided = True
            params["values"] = [np.asarray(self.values[i]) for i in node.inputs]
        return reading(*[self._operand(i) for i in node.inputs], **params)

    def _operand(self, position: int) -> Any:
        if self.graph.nodes[position].dtype.kind != "f":
            return np.asarray(self.values[position])
        return to_elements(self.program, self.statements(position))

    def _check_statements(self, result: Any, node: Node) -> Any:
        ids = to_statements(self.program, result)
        if ids.shape != node.shape:
            raise _unsupported_error(
                node,
                f"its reading on elements gave shape {ids.shape}, expected {node.shape}, of "
                f"{node.name}",
            )
        return ids


_fractions = np.frompyfunc(Fraction, 1, 1)


def _unsupported_error(node: Node, what: str) -> Unsupported:
    place = f" (at {node.origin})" if node.origin else ""
    return Unsupported(f"the symbolic engine has no reading of {what}{place}")
