"""Rules: what is known before any argument is."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from symtape.graph.graph import Node
from symtape.primitives.shape import BROADCAST_TO
from symtape.programs.compiled.rewriting import Builder, applies_where

_MOST_ELEMENTS: Final = 4096
"""Larger constants are kept only if no larger than what they are made of."""


@applies_where(lambda row, given: set(given) == {None})
def fold(build: Builder, node: Node) -> int | None:
    """The value of an operation on constants alone, where computing it warns of nothing."""
    given = [build.nodes[i] for i in node.inputs]
    if any(one.constant is None for one in given):
        return None
    size = int(np.prod(node.shape, dtype=np.int64))
    if size > max(_MOST_ELEMENTS, *(np.size(one.constant) for one in given)):
        return None
    with np.errstate(all="raise"):
        try:
            value = node.row.evaluate(*(one.constant for one in given), **node.params)
        except Exception:  # noqa: BLE001  # it is left to be raised, or warned of, at each call
            return None
    value = value if node.part is None else value[node.part]
    return _constant(build, value, node)


@applies_where(lambda row, given: row.decision == "shape" and len(given) == 1)
def fill(build: Builder, node: Node) -> int | None:
    """Zeros and ones in the shape of something, as one number that is broadcast."""
    if node.part is not None:
        return None
    like = build.nodes[node.inputs[0]]
    one = np.broadcast_to(np.zeros((), like.dtype), like.shape)
    value = np.asarray(node.row.evaluate(one[()] if not like.shape else one, **node.params))
    if value.shape != node.shape or value.dtype != node.dtype or not value.size:
        return None
    first = value.ravel()[0]
    if not bool((value == first).all()):
        return None
    number = build.add_constant(first)
    if not node.shape:
        return number
    return build.apply(BROADCAST_TO, (number,), {"shape": node.shape}, node)


def _constant(build: Builder, value: Any, node: Node) -> int | None:
    if np.shape(value) != node.shape or np.asarray(value).dtype != node.dtype:
        return None
    if isinstance(value, np.ndarray):
        value = np.array(value)
        value.flags.writeable = False
    return build.add_constant(value)
