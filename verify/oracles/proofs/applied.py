"""Proofs of a rule as a program applies it, at the parameters that are met.

The proofs that come with the package are of the examples of the rows. A row on whole arrays has
parameters without end: indices, axes, subscripts. Here the rule is proved at those of the program
itself, on arrays of its shapes, or on smaller ones of as many dimensions where the parameters
allow that. How large they may be follows from counts, so that every machine proves the same.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from symtape.errors import SymtapeError
from symtape.graph.graph import Node
from symtape.primitives.primitive import Primitive
from symtape.primitives.vocabulary import moving_inputs
from symtape.process.work import meter_work, suspend_meter
from verify.oracles.proofs.arrays import prove_at_shape
from verify.oracles.proofs.programs import outputs_of
from verify.oracles.proofs.row_proof import shape_words

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
