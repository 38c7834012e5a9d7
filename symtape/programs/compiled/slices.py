"""A pass: sums of slices that are set in zeros, without the zeros."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from symtape.graph.freeze import hashable
from symtape.graph.graph import Node
from symtape.primitives.arithmetic import ADD
from symtape.primitives.indexing import GETITEM, SCATTER
from symtape.primitives.primitive import Array, Primitive
from symtape.programs.compiled.rewriting import Builder, applies_to

_BASIC = (int, np.integer, slice, type(None), type(Ellipsis))


def _sum_of_slices(
    *xs: Array, indices: tuple[Any, ...], shape: tuple[int, ...], based: bool
) -> Array:
    """The first array, or zeros, plus each value in its place and 0.0 everywhere else, in turn.

    What was -0.0 is 0.0 after the next addition: so it is with the zeros.
    """
    if based:
        base, *values = xs
        out: Any = np.add(base, 0.0, order="C")  # as one of zeros, and as machine code makes it
        out[indices[0]] = np.add(base[indices[0]], values[0])
    else:
        values = list(xs)
        out = np.zeros(shape, values[0].dtype)
        out[indices[0]] = values[0]
    last = indices[0]
    for index, value in zip(indices[1:], values[1:], strict=True):
        added = np.add(out[index], value)
        out[last] += 0.0
        out[index] = added
        last = index
    return out


def _elements(*xs: Any, indices: tuple[Any, ...], shape: tuple[int, ...], based: bool) -> Any:
    out = np.array(xs[0], dtype=object) if based else np.zeros(shape, dtype=object)
    for index, value in zip(indices, xs[1:] if based else xs, strict=True):
        out[index] = out[index] + value
    return out


def _rule(g: Any, argnum: int, indices: tuple[Any, ...], based: bool) -> Any:
    if based and argnum == 0:
        return g
    return GETITEM(g, index=indices[argnum - based])


SUM_OF_SLICES = Primitive(
    inputs="*xs",
    evaluate=_sum_of_slices,
    vjp=_rule,
    elements=_elements,
    rounding=lambda shapes, params: len(params["indices"]),
    structure="linear",
    source="linear in each argument",
)
"""Of programs alone: no row of the vocabulary, since nobody writes it."""


@dataclasses.dataclass(slots=True)
class _Chain:
    """A slice that is added to what was there, which may be such a sum itself.

    Links, and no lists: of each sum of thousands of slices there are all those that it grew from.
    """

    before: _Chain | int | None
    index: Any
    value: int

    def node(self, like: Node, known: dict[Any, Mapping[str, Any]]) -> Node:
        """The sum as one operation; those that are alike have the same parameters."""
        indices, values = [], []
        link: _Chain | int | None = self
        while isinstance(link, _Chain):
            indices.append(link.index)
            values.append(link.value)
            link = link.before
        based = link is not None
        key = like.shape, based, *map(id, indices)
        made = {"indices": tuple(indices[::-1]), "shape": like.shape, "based": based}
        params = known.setdefault(key, made)
        inputs = (*((link,) if link is not None else ()), *values[::-1])
        return dataclasses.replace(like, primitive=SUM_OF_SLICES, inputs=inputs, params=params)


def put_sums_of_slices(nodes: list[Node], kept: Sequence[int], roots: Sequence[int]) -> bool:
    """Put sums of scattered slices in place as one operation each; whether there are any.

    Parameters
    ----------
    nodes : list of Node
    kept : sequence of int
        Those that are needed, in order.
    roots : sequence of int
        What they are needed for.
    """
    if all(nodes[at].primitive is not SCATTER for at in kept):
        return False
    uses = [0] * len(nodes)
    for at in roots:
        uses[at] += 1
    for at in kept:
        for i in nodes[at].inputs:
            uses[i] += 1
    chains: dict[int, _Chain] = {}
    for at in kept:
        # A number has no zeros around a slice of it, and cannot be written into.
        node = nodes[at]
        if node.primitive is not ADD or node.dtype.kind != "f" or not node.shape:
            continue
        chain = _chain(nodes, chains, uses, node)
        if chain is not None:
            chains[at] = chain
            for i in node.inputs:
                if chains.get(i) is chain.before:
                    del chains[i]
    known: dict[Any, Mapping[str, Any]] = {}
    for at, chain in chains.items():
        nodes[at] = chain.node(nodes[at], known)
    return bool(chains)


def _chain(
    nodes: Sequence[Node], chains: Mapping[int, _Chain], uses: Sequence[int], node: Node
) -> _Chain | None:
    """The addition of a slice in place of that of an array with the slice in it."""
    for base, added in (node.inputs, node.inputs[::-1]):
        slice_, before = nodes[added], nodes[base]
        if not (uses[added] == 1 and _is_slice(slice_, node)) or before.shape != node.shape:
            continue
        if before.dtype != node.dtype:
            continue
        index, (value,) = slice_.params["index"], slice_.inputs
        if uses[base] == 1 and base in chains:
            return _Chain(chains[base], index, value)
        if uses[base] == 1 and _is_slice(before, node):
            (first,) = before.inputs
            return _Chain(_Chain(None, before.params["index"], first), index, value)
        return _Chain(base, index, value)
    return None


def _is_slice(node: Node, of: Node) -> bool:
    if node.primitive is not SCATTER or node.shape != of.shape or node.dtype != of.dtype:
        return False
    return is_basic(node.params["index"])


def is_basic(index: Any) -> bool:
    """Whether an index is of integers, slices, None and Ellipsis alone."""
    items = index if isinstance(index, tuple) else (index,)
    return all(isinstance(item, _BASIC) and not isinstance(item, bool) for item in items)


@applies_to(ADD, of=(SCATTER,))
def add_before_scatter(build: Builder, node: Node) -> int | None:
    """A rule: one scatter of a sum for the sum of two scatters to the same places."""
    one, other = (build.nodes[i] for i in node.inputs)
    if not (_is_slice(one, node) and _is_slice(other, node)):
        return None
    if hashable(one.params["index"]) != hashable(other.params["index"]):
        return None
    (a,), (b,) = one.inputs, other.inputs
    if build.nodes[a].shape != build.nodes[b].shape or build.nodes[b].dtype != node.dtype:
        return None
    total = build.apply(ADD, (a, b), {}, build.nodes[a])
    return build.apply(SCATTER, (total,), one.params, node)
