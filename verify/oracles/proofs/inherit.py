"""What a program inherits: it is proved where the rules of all its operations are.

The sweep through the program is the chain rule; what is left to prove are the rules.

Proofs of a rule as a program applies it, at the parameters that are met. The proofs that come with
the package are of the examples of the rows. A row on whole arrays has parameters without end:
indices, axes, subscripts. Here the rule is proved at those of the program itself, on arrays of its
shapes, or on smaller ones of as many dimensions where the parameters allow that. How large they may
be follows from counts, so that every machine proves the same.
"""

from __future__ import annotations

import enum
import itertools
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from symtape.errors import SymtapeError
from symtape.graph.graph import Graph, Node
from symtape.primitives.primitive import Primitive
from symtape.primitives.vocabulary import moving_inputs
from symtape.process.work import meter_work, suspend_meter
from symtape.symbolic.boxes import lie_inside
from verify.oracles.proofs.known import RowProof, find_proof, setting_words, shape_words
from verify.oracles.proofs.programs import outputs_of, prove_at_shape


@dataclass(frozen=True, slots=True)
class InheritedProof:
    """A proof of a program at a point, and what it leaves open.

    Attributes
    ----------
    assuming : tuple of str
        The operations with the conditions that their proofs assume.
    elsewhere : tuple of str
        The operations on whole arrays that were proved at their parameters, on other shapes.
    """

    assuming: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()

    def __str__(self) -> str:
        words = f", {', '.join(self.elsewhere)} at the tested shapes" if self.elsewhere else ""
        return f"{words}, assuming {'; '.join(self.assuming)}" if self.assuming else words


def rung_of(graph: Graph, values: Sequence[Any]) -> InheritedProof | None:
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
    if graph.customs or graph.escapes or graph.by_parts:
        # By parts, its operations are others than those whose rules the tape applies.
        return None
    assuming: dict[str, None] = {}
    elsewhere: dict[str, None] = {}
    for node in graph.nodes:
        row = node.primitive
        if row is None or node.dtype.kind not in "fc" or not any(row.rules):
            continue
        proof = find_proof(row)
        inputs = [values[at] for at in node.inputs]
        if proof is None or not proof.proved or not _stands(proof, row, node, inputs):
            return None
        place = _place(proof, row, node, inputs)
        if place is None:
            return None
        if place is _Place.TESTED:
            elsewhere[row.name] = None
        assuming |= dict.fromkeys(f"{words} of {row.name}" for words in proof.assuming)
    return InheritedProof(tuple(assuming), tuple(elsewhere))


class _Place(enum.Enum):
    """Where the rules of a row are proved, of an application of it."""

    HERE = "at its parameters and shapes"
    TESTED = "at its parameters, on other shapes of as many dimensions"


def _place(proof: RowProof, row: Primitive, node: Node, inputs: list[Any]) -> _Place | None:
    """Where a proof holds that covers the parameters of an application; None without one."""
    if not proof.shapes:
        covered = all(setting in proof.params for setting in _settings(row, node, inputs))
        return _Place.HERE if covered else None
    if shape_words(inputs, node.params) in proof.shapes or proved_as_applied(row, node, inputs):
        return _Place.HERE
    tested = setting_words(inputs, node.params) in proof.params
    return _Place.TESTED if tested or proved_when_small(row, node, inputs) else None


def _settings(row: Primitive, node: Node, inputs: list[Any]) -> list[str]:
    """The parameters of an elementwise row, and each order that its elements are of."""
    orders = {
        name: np.unique(x).tolist()
        for name, x, rule in zip(row.inputs, inputs, row.rules, strict=True)
        if rule is None and np.asarray(x).dtype.kind in "iu"
    }
    return [
        setting_words([], {**dict(zip(orders, chosen, strict=True)), **node.params})
        for chosen in itertools.product(*orders.values())
    ]


def _stands(proof: RowProof, row: Primitive, node: Node, inputs: list[Any]) -> bool:
    """Whether the inputs of an application lie where its rule is proved."""
    if not proof.shapes and row.over and not np.all(lie_inside(row.over, row.inputs, inputs)):
        return False
    defined = row.domain is None or bool(np.all(row.domain(*inputs, **node.params)))
    smooth = row.kinks is None or not np.any(row.kinks(*inputs, **node.params))
    return defined and smooth


_MOST_ELEMENTS: Final = 1_000
"""Of all arrays together, for a rule whose statements are those of the derivative."""

_MOST_TERMS: Final = 40
"""The same, for a rule whose sums of products have to be expanded before they compare."""

_SHORT: Final = 2
"""Lengths of the axes of smaller arrays; what is shorter stays."""

_MOST_WORK: Final = 300_000
"""Operations that a proof may take; of the built-in rows none that succeeds on small arrays takes a
tenth of it."""

_FOUND: Final[dict[tuple[Any, ...], bool]] = {}

_MOST_FOUND: Final = 4096
"""Rows at shapes of which the answer is remembered; a search at one shape asks for a few."""


def proved_as_applied(row: Primitive, node: Node, inputs: Sequence[Any]) -> bool:
    """Whether the rules of `row` are proved at the shapes and parameters of an application."""
    size = sum(np.size(x) for x in inputs) + int(np.prod(node.shape))
    if size > _MOST_ELEMENTS:
        return False
    return _is_known_application(
        row, node, inputs, expand=row.structure == "multilinear" and size <= _MOST_TERMS
    )


def proved_when_small(row: Primitive, node: Node, inputs: Sequence[Any]) -> bool:
    """Whether they are on the first entries along each axis, at the parameters of `node`."""
    places = (slice(_SHORT),)
    small = [np.asarray(x)[places * np.ndim(x)] for x in inputs]
    if sum(map(np.size, small)) > _MOST_TERMS:
        return False
    return _is_known_application(row, node, small, expand=True)


def _is_known_application(row: Primitive, node: Node, inputs: Sequence[Any], expand: bool) -> bool:
    arrays = tuple(x if np.ndim(x) == 0 else np.asarray(x) for x in inputs)
    key = (row, row.rules, row.elements, row.select, shape_words(arrays, node.params), expand)
    if key not in _FOUND:
        if len(_FOUND) >= _MOST_FOUND:
            _FOUND.clear()
        with (
            suspend_meter(),
            meter_work(_MOST_WORK, "a proof"),
            np.errstate(all="ignore"),
            warnings.catch_warnings(),
        ):
            # Smaller arrays may be what NumPy warns of: the product of vectors of length 2.
            warnings.simplefilter("error")
            _FOUND[key] = _prove_application(row, node, arrays, expand)
    return _FOUND[key]


def _prove_application(row: Primitive, node: Node, arrays: tuple[Any, ...], expand: bool) -> bool:
    params = dict(node.params)
    try:
        free = moving_inputs(row, arrays)
        parts = outputs_of(row, arrays, params)
        proofs = [
            prove_at_shape(row, arrays, params, free, argnum, part, expand).proof
            for argnum in free
            for part in parts
        ]
    except (ArithmeticError, LookupError, SymtapeError, TypeError, ValueError, Warning):
        # Parameters that fit no smaller arrays.
        return False
    return bool(proofs) and all(proof.proved and not proof.assuming for proof in proofs)
