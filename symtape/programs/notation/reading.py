"""A recorded graph as sums of products of indexed arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from symtape.graph.graph import Graph, Node
from symtape.programs.notation.algebra import (
    broadcast_sum,
    contract_terms,
    decimal,
    scale_sum,
    times,
)
from symtape.programs.notation.indexed import Base, NotReadable, Sum, array_as_sum
from symtape.programs.notation.meanings import MEANINGS, Notes
from symtape.programs.notation.names import Constant
from symtape.programs.notation.normal import apply_elementwise
from symtape.programs.notation.words import ELEMENTWISE


@dataclass
class Reading:
    """A graph that is read.

    Attributes
    ----------
    graph : Graph
    names : sequence of str
        Of its inputs.
    constants : mapping
        From the positions of arrays that are constants to their variables.
    sums : list of Sum or None
        The meaning of each node, where it has one that floats can have.
    notes : Notes
    """

    graph: Graph
    names: Sequence[str]
    constants: Mapping[int, Constant]
    sums: list[Sum | None] = field(default_factory=list)
    notes: Notes = field(default_factory=Notes)

    def __post_init__(self) -> None:
        self.leaves = [
            Base("leaf", name, self.graph.nodes[at].shape)
            for name, at in zip(self.names, self.graph.inputs, strict=True)
        ]
        given = dict(zip(self.graph.inputs, self.leaves, strict=True))
        for position, node in enumerate(self.graph.nodes):
            if position in given:
                self.sums.append(array_as_sum(given[position]))
            elif node.primitive is None:
                self.sums.append(self._constant(position, node))
            else:
                self.sums.append(self._operation(node))

    @property
    def result(self) -> Sum:
        """What the graph returns.

        Raises
        ------
        NotReadable
            It depends on an operation that has no meaning here.
        """
        (at,) = self.graph.outputs
        found = self.sums[at]
        if found is None:
            raise NotReadable("an operation has no form in array notation")
        return found

    def _constant(self, position: int, node: Node) -> Sum | None:
        value = np.asarray(node.constant)
        if value.dtype.kind not in "fiub" or not np.all(np.isfinite(value)) or not value.size:
            return None
        if (value == value.flat[0]).all():
            return broadcast_sum(decimal(float(value.flat[0])), value.shape)
        if value.ndim == 2 and _is_multiple_of_unit(value):
            unit = array_as_sum(Base("delta", "eye", value.shape))
            return times(broadcast_sum(decimal(float(value[0, 0])), value.shape), unit)
        known = self.constants.get(position)
        if known is None:
            return None
        held = array_as_sum(Base("leaf", known.name, known.value.shape))
        held = contract_terms(held, (0, 1), (1, 0)) if known.turned else held
        return scale_sum(held, -1) if known.negative else held

    def _operation(self, node: Node) -> Sum | None:
        arguments = [self.sums[i] for i in node.inputs]
        if any(a is None for a in arguments):
            return None
        given = [a for a in arguments if a is not None]
        read = MEANINGS.get(node.name)
        try:
            if read is not None:
                return read(self.notes, node, given)
            if node.row.elementwise and not node.params and node.name in ELEMENTWISE:
                return apply_elementwise(node.name, [broadcast_sum(a, node.shape) for a in given])
        except NotReadable:
            return None
        return None


def _is_multiple_of_unit(value: Any) -> bool:
    rows, columns = value.shape
    return rows == columns and bool(np.array_equal(value, value[0, 0] * np.eye(rows)))
