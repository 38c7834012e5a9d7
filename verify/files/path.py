"""The path that a recording took, in the user's own lines."""

from __future__ import annotations

import linecache
from collections import Counter
from collections.abc import Iterator
from typing import Final

from symtape.graph.graph import Decision, Graph
from verify.files import places

_LONGEST: Final = 100


def path_lines(graph: Graph) -> Iterator[str]:
    """Each line that decided, in order, with how often it went which way."""
    outcomes: dict[tuple[str, str], Counter[str]] = {}
    for step in graph.path:
        outcomes.setdefault(_describe_step(graph, step), Counter())[str(step.outcome)] += 1
    for (decision, place), counts in outcomes.items():
        several = len(counts) > 1 or counts.total() > 1
        ways = (f"{way} {_times(n)}" if several else way for way, n in counts.items())
        yield f"{decision} was {' and '.join(ways)}{place}"


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"


def _describe_step(graph: Graph, step: Decision) -> tuple[str, str]:
    name = graph.nodes[step.node].name
    if step.origin is None:
        return name, ""
    code = linecache.getline(step.origin.file, step.origin.line).strip()
    shown = code if 0 < len(code) <= _LONGEST else name
    return shown, f" at {places.relative(str(step.origin))}"
