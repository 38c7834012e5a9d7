"""Where the values of a program live: which may share memory, when they die, what is reused.

What is not known to be fresh memory counts as a view of every argument, so that a buffer is written
again only when nothing that may lie in it is needed any more.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from symtape.graph.graph import Graph
from symtape.programs.compiled.emitters import is_fresh, takes_out

SMALLEST: Final = 1024
"""Elements; smaller arrays are made faster than a buffer is named."""

_DELETED: Final = 8192
"""Elements; larger arrays that lie in no buffer are given back as soon as nothing needs them."""

Owners = frozenset[int]
"""The nodes in whose memory a value may lie."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Where values live.

    Attributes
    ----------
    buffers : tuple of (shape, dtype)
    into : mapping of int to int
        The buffer into which a node writes.
    copied : tuple of bool
        Whether an output is to be copied, since others may write there, or another output is it.
    dead : mapping of int to tuple of int
        The nodes that nothing needs after a node.
    """

    buffers: tuple[tuple[tuple[int, ...], np.dtype[Any]], ...]
    into: Mapping[int, int]
    copied: tuple[bool, ...]
    dead: Mapping[int, tuple[int, ...]]


def plan_buffers(graph: Graph, values: Sequence[Any]) -> Plan:
    """A plan for a graph.

    Parameters
    ----------
    graph : Graph
    values : sequence
        Of its nodes, where it was recorded: how each lies in memory.
    """
    owners = _owners(graph, values)
    last = _last_uses(graph)
    ends: dict[int, int] = {}
    for at, of in enumerate(owners):
        for owner in of:
            ends[owner] = max(ends.get(owner, -1), last[at])
    kept = frozenset().union(*(owners[at] for at in graph.outputs))

    def is_planned(at: int) -> bool:
        node, value = graph.nodes[at], values[at]
        if at in kept or node.primitive is None or not takes_out(node):
            return False
        plain = type(value) is np.ndarray and value.flags.c_contiguous
        return plain and value.size >= SMALLEST and value.dtype.kind in "fi"

    into, buffers = _assign_buffers(graph, [at for at in range(len(graph)) if is_planned(at)], ends)
    return Plan(
        buffers, into, _find_copied_outputs(graph, owners, values), _dead(graph, into, last)
    )


def _owners(graph: Graph, values: Sequence[Any]) -> list[Owners]:
    found: list[Owners] = []
    for at, (node, value) in enumerate(zip(graph.nodes, values, strict=True)):
        own = frozenset((at,))
        if isinstance(value, np.generic) and node.primitive is not None:
            found.append(own)  # a number, which nothing writes into
        elif node.primitive is None or is_fresh(node):
            found.append(own)
        else:
            found.append(own.union(*(found[i] for i in node.inputs)))
    return found


def _last_uses(graph: Graph) -> list[int]:
    last = list(range(len(graph)))
    for at, node in enumerate(graph.nodes):
        for i in node.inputs:
            last[i] = at
    for at in graph.outputs:
        last[at] = len(graph)
    return last


def _assign_buffers(
    graph: Graph, writing: Sequence[int], ends: Mapping[int, int]
) -> tuple[dict[int, int], tuple[Any, ...]]:
    """The buffer of each node that writes into one; a buffer is free once its owner is dead."""
    into: dict[int, int] = {}
    buffers: list[tuple[tuple[int, ...], np.dtype[Any]]] = []
    free: defaultdict[Any, list[int]] = defaultdict(list)
    busy: list[int] = []
    for at in writing:
        node = graph.nodes[at]
        # What acts by element may write over an argument that it is the last to read.
        before = at + 1 if node.row.elementwise else at
        for owner in [owner for owner in busy if ends[owner] < before]:
            busy.remove(owner)
            free[buffers[into[owner]]].append(into[owner])
        kind = node.shape, node.dtype
        if not free[kind]:
            free[kind].append(len(buffers))
            buffers.append(kind)
        into[at] = free[kind].pop()
        busy.append(at)
    return into, tuple(buffers)


def _find_copied_outputs(
    graph: Graph, owners: Sequence[Owners], values: Sequence[Any]
) -> tuple[bool, ...]:
    taken: set[int] = set()
    found = []
    for at in graph.outputs:
        foreign = any(graph.nodes[owner].primitive is None for owner in owners[at])
        value = values[at]
        locked = isinstance(value, np.ndarray) and not value.flags.writeable
        found.append(bool(foreign or locked or not taken.isdisjoint(owners[at])))
        taken |= owners[at]
    return tuple(found)


def _dead(graph: Graph, into: Mapping[int, int], last: Sequence[int]) -> dict[int, tuple[int, ...]]:
    dead: defaultdict[int, tuple[int, ...]] = defaultdict(tuple)
    for at, node in enumerate(graph.nodes):
        large = math.prod(node.shape) >= _DELETED and at not in into
        if large and node.primitive is not None and last[at] < len(graph):
            dead[last[at]] += (at,)
    return dict(dead)
