"""What a program inherits: it is proved where the rules of all its operations are.

The sweep through the program is the chain rule; what is left to prove are the rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from symtape.graph.graph import Graph, Node
from symtape.primitives.primitive import Primitive
from symtape.symbolic.boxes import inside
from verify.proofs.known import known
from verify.proofs.standing import RowProof, shape_words

__all__ = ["Inherited", "rung_of"]


@dataclass(frozen=True, slots=True)
class Inherited:
    """A proof of a program at a point, and what it leaves open.

    Attributes
    ----------
    assuming : tuple of str
        The operations with the conditions that their proofs assume.
    elsewhere : tuple of str
        The operations on whole arrays that were proved at other shapes than these.
    """

    assuming: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()

    def __str__(self) -> str:
        words = f", {', '.join(self.elsewhere)} at the tested shapes" if self.elsewhere else ""
        return f"{words}, assuming {'; '.join(self.assuming)}" if self.assuming else words


def rung_of(graph: Graph, values: Sequence[Any]) -> Inherited | None:
    """What `graph` inherits at a point; None if the rule of any of its operations is not proved.

    Parameters
    ----------
    graph : Graph
    values : sequence
        Of every node, at the point.

    Examples
    --------
    >>> import symtape
    >>> graph = symtape.record(lambda x: np.sum(np.exp(x)), [0.5, 1.0])
    >>> rung_of(graph, graph.values([0.5, 1.0])) is not None
    True
    """
    if graph.customs or graph.escapes:
        return None
    assuming: dict[str, None] = {}
    elsewhere: dict[str, None] = {}
    for node in graph.nodes:
        row = node.primitive
        if row is None or node.dtype.kind != "f" or not any(row.rules):
            continue
        proof = known(row)
        inputs = [values[at] for at in node.inputs]
        if proof is None or not proof.proved or not _stands(proof, row, node, inputs):
            return None
        if proof.shapes and shape_words(inputs, node.params) not in proof.shapes:
            elsewhere[row.name] = None
        assuming |= dict.fromkeys(f"{words} of {row.name}" for words in proof.assuming)
    return Inherited(tuple(assuming), tuple(elsewhere))


def _stands(proof: RowProof, row: Primitive, node: Node, inputs: list[Any]) -> bool:
    """Whether the inputs of an application lie where its rule is proved."""
    if not proof.shapes and row.over and not np.all(inside(row.over, row.inputs, inputs)):
        return False
    defined = row.domain is None or bool(np.all(row.domain(*inputs, **node.params)))
    smooth = row.kinks is None or not np.any(row.kinks(*inputs, **node.params))
    return defined and smooth
