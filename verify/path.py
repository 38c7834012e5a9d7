"""The path that a recording took, in the user's own lines."""

from __future__ import annotations

import itertools
import linecache
from collections.abc import Iterator
from typing import Final

from symtape.graph.graph import Decision, Graph
from verify import places

__all__ = ["path_lines"]

_LONGEST: Final = 100


def path_lines(graph: Graph) -> Iterator[str]:
    """Each decision with its outcome and place; one that repeats is told once, with a count."""
    for (outcome, place), run in itertools.groupby(graph.path, lambda step: _told(graph, step)):
        times = sum(1 for _ in run)
        yield f"{outcome}{f' {times} times' if times > 1 else ''}{place}"


def _told(graph: Graph, step: Decision) -> tuple[str, str]:
    name = graph.nodes[step.node].name
    if step.origin is None:
        return f"{name} was {step.outcome}", ""
    code = linecache.getline(step.origin.file, step.origin.line).strip()
    shown = code if 0 < len(code) <= _LONGEST else name
    return f"{shown} was {step.outcome}", f" at {places.relative(str(step.origin))}"
