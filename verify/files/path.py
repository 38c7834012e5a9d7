"""The path that a recording took, in the user's own lines."""

from __future__ import annotations

import linecache
from collections import Counter
from collections.abc import Container, Iterator
from typing import Final

from symtape.graph.graph import Decision, Graph
from symtape.primitives.comparison import COUNT_NONZERO, EQUAL
from verify.files import places

_LONGEST: Final = 100


def path_lines(graph: Graph) -> Iterator[str]:
    """Each line that decided, in order, with how often it went which way."""
    outcomes: dict[tuple[str, str], Counter[str]] = {}
    masks = {at for node in graph.nodes if "template" in node.params for at in node.inputs}
    for step in graph.path:
        verb, way = _describe_outcome(graph, step, masks)
        decision, place = _describe_step(graph, step)
        outcomes.setdefault((f"{decision} {verb}", place), Counter())[way] += 1
    for (decision, place), counts in outcomes.items():
        several = len(counts) > 1 or counts.total() > 1
        ways = (f"{way} {_times(n)}" if several else way for way, n in counts.items())
        yield f"{decision} {' and '.join(ways)}{place}"


def _describe_outcome(graph: Graph, step: Decision, masks: Container[int]) -> tuple[str, str]:
    """A verb and its complement; a mask decides by how many entries it picks."""
    number = _count_picked(graph, step, masks) if step.outcome else None
    if number is not None:
        return "picked", f"{number:,} {'entry' if number == 1 else 'entries'}"
    return "was", str(step.outcome)


def _count_picked(graph: Graph, step: Decision, masks: Container[int]) -> int | None:
    """How many entries of a mask of an index a decision found; None for another decision."""
    compared = graph.nodes[step.node]
    if compared.primitive is not EQUAL:
        return None
    count, number = (graph.nodes[at] for at in compared.inputs)
    if (
        count.primitive is not COUNT_NONZERO
        or number.constant is None
        or count.inputs[0] not in masks
    ):
        return None
    return int(number.constant)


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"


def _describe_step(graph: Graph, step: Decision) -> tuple[str, str]:
    name = graph.nodes[step.node].name
    if step.origin is None:
        return name, ""
    code = linecache.getline(step.origin.file, step.origin.line).strip()
    shown = code if 0 < len(code) <= _LONGEST else name
    return shown, f" at {places.relative(str(step.origin))}"
