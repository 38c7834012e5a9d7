"""The line of a claim that is at fault: where one factor on what it computes fixes all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np

from symtape.graph.graph import Graph, Node
from symtape.recording.structure import concatenate_entries
from verify.claimants.claim import Claim
from verify.files import places
from verify.judging.diagnosis.mistakes import (
    Observation,
    are_derivatives_close,
    holds,
    is_gross,
    replay_program,
)

_OPERATIONS: Final = 300
"""Of a claim that is looked into: each is replayed for each of them."""

_ENTRIES: Final = 4096
_LEAST: Final = 3
"""Points that a factor has to explain: at one or two some factor often fits."""


def lines_at_fault(claim: Claim, observations: Sequence[Observation]) -> dict[str, str]:
    """The lines of a claim on which a factor makes it right everywhere, each with its operation.

    Several lines are as many guesses; none where no factor is the mistake, as of a missing term.

    Examples
    --------
    >>> from verify.model.quantity import Quantity
    >>> f, lie = np.sin, lambda x: 2 * np.cos(x)
    >>> claim = Claim(f, Quantity("gradient"), lie, "lie", ours=False)
    >>> seen = [Observation((x,), [lie(x)], [np.cos(x)]) for x in (0.5, 1.0, 2.0)]
    >>> set(lines_at_fault(claim, seen).values()) <= {"cos", "multiply"}
    True
    """
    try:
        program = claim.program(observations[0].x, _OPERATIONS)
        on_path = [seen for seen in observations if holds(program, seen.x)]
        large = sum(np.size(part) for seen in on_path for part in seen.exact) > _ENTRIES
        if large or len(on_path) < _LEAST or not is_gross(on_path):
            return {}
        with np.errstate(all="ignore"):
            found = list(_candidates(program, on_path))
    except Exception:  # noqa: BLE001  # users' code, of which tensors may be no arguments
        return {}
    # Of the operations on a line the first: what comes behind it moves what is wrong already.
    lines: dict[str, str] = {}
    for node in found:
        lines.setdefault(places.place_of_origin(node.origin), node.name)
    return dict(sorted(lines.items()))


def _candidates(program: Graph, observations: Sequence[Observation]) -> Iterator[Node]:
    first, *_ = observations
    exact = concatenate_entries(first.exact)
    claimed = concatenate_entries(first.claimed)
    for at, node in iterate_own_operations(program):
        slope = _scale_node(program, at, 2.0, first.x) - claimed
        if not (size := float(slope @ slope)):
            continue
        factor = 1 + float((exact - claimed) @ slope) / size
        factors = (factor, round(factor * 60) / 60)
        if any(_mends(program, at, each, observations) for each in factors):
            yield node


def _mends(program: Graph, at: int, factor: float, observations: Sequence[Observation]) -> bool:
    pairs = ((concatenate_entries(seen.exact), seen.x) for seen in observations)
    return all(
        are_derivatives_close(_scale_node(program, at, factor, x), exact, exact)
        for exact, x in pairs
    )


def _scale_node(program: Graph, at: int, factor: float, x: tuple[Any, ...]) -> Any:
    """What a claim would return if what it computes at a node were multiplied by a factor."""
    return replay_changed(program, at, lambda value: factor * value, x)


def iterate_own_operations(program: Graph) -> Iterator[tuple[int, Node]]:
    """The operations on floats that are on a line of the user's, each with its position."""
    for at, node in enumerate(program.nodes):
        if node.primitive is None or node.dtype.kind != "f" or node.part is not None:
            continue
        place = places.place_of_origin(node.origin)
        if place and not places.is_library(place):
            yield at, node


def replay_changed(
    program: Graph, at: int | None, change: Callable[[Any], Any], x: tuple[Any, ...]
) -> Any:
    """What a claim would return, flat, if what it computes at a node were changed."""

    def apply(place: int, node: Node, args: list[Any]) -> Any:
        value = node.row(*args, **node.params)
        return change(value) if place == at else value

    outputs = replay_program(program, x, apply)
    return concatenate_entries(outputs if isinstance(outputs, list) else [outputs])
