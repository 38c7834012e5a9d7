"""Entries of a derivative that are wrong while others are right: their factor, and their lines."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from symtape.graph.graph import Graph, Node
from symtape.recording.structure import concatenate_entries
from verify.claimants.claim import Claim
from verify.files import places
from verify.judging.diagnosis.claimed_lines import iterate_own_operations, replay_changed
from verify.judging.diagnosis.factors import Names, factor_between
from verify.judging.diagnosis.mistakes import (
    Observation,
    are_derivatives_close,
    find_close_entries,
    holds,
)

_OPERATIONS: Final = 200
"""Of a claim that is looked into: each is replayed for each of them."""

_POINTS: Final = 2
"""Points at which it is seen which entries an operation changes: at one, a zero may hide some."""


def factor_of_wrong_entries(graph: Graph, observations: Sequence[Observation], names: Names) -> str:
    """A value of the program that all the wrong entries lack, or have too often, in words.

    Parameters
    ----------
    graph : Graph
        Of the function.
    observations : sequence of Observation
    names : mapping from int to str
        Of nodes of `graph`.

    Returns
    -------
    str
        ``"each lacks the factor x"``; empty if no value explains all points.
    """
    on_path = [seen for seen in observations if holds(graph, seen.x)]
    wrong = [_find_wrong(seen) for seen in on_path]
    claimed, exact = (
        [
            [np.where(flags, part, 0.0) for flags, part in zip(found, parts, strict=True)]
            for found, parts in zip(wrong, each, strict=True)
        ]
        for each in ([seen.claimed for seen in on_path], [seen.exact for seen in on_path])
    )
    points = [seen.x for seen in on_path]
    factor = factor_between(graph, points, claimed, exact, are_derivatives_close, names)
    return f"each {factor}" if factor else ""


def name_nodes(graph: Graph, arguments: Sequence[str], function: Callable[..., Any]) -> Names:
    """What a function's code calls the arguments of its recording, and the arrays that it reads.

    Examples
    --------
    >>> import symtape
    >>> t = np.array([1.0, 2.0])
    >>> f = lambda k: np.exp(-k * t)
    >>> sorted(name_nodes(symtape.record(f, 0.5), ["k"], f).values())
    ['k', 't']
    """
    names = dict(zip(graph.inputs, arguments, strict=False))
    outer = _find_outer_arrays(function)
    for at, node in enumerate(graph.nodes):
        if node.primitive is None and at not in names and np.ndim(node.constant):
            constant = np.asarray(node.constant)
            found = (name for name, value in outer.items() if np.array_equal(value, constant))
            if name := next(found, ""):
                names[at] = name
    return names


def _find_outer_arrays(function: Callable[..., Any]) -> dict[str, Any]:
    """The arrays among a function's closure cells, its globals and its object's attributes."""
    owner = getattr(function, "__self__", None)
    own = {f"self.{name}": value for name, value in getattr(owner, "__dict__", {}).items()}
    try:
        outer = inspect.getclosurevars(inspect.unwrap(function))
    except (TypeError, ValueError):
        return {}
    known = {**outer.globals, **outer.nonlocals, **own}
    return {
        name: value
        for name, value in known.items()
        if isinstance(value, np.ndarray) and value.dtype.kind in "biuf"
    }


def lines_of_wrong_entries(claim: Claim, observations: Sequence[Observation]) -> dict[str, str]:
    """The lines of a claim that compute its wrong entries and no others, each with its operation.

    Of the operations that change an entry the last one that computes is taken, or else the last.
    There are no lines where a wrong entry has none of its own, or all entries are wrong.

    Examples
    --------
    >>> from verify.model.quantity import Quantity
    >>> f, lie = (lambda x: x[0] * np.sin(x[1])), lambda x: np.array([np.sin(x[1]), x[0]])
    >>> claim = Claim(f, Quantity("gradient"), lie, "lie", ours=False)
    >>> x = np.array([2.0, 0.5])
    >>> lines_of_wrong_entries(claim, [Observation((x,), [lie(x)], [lie(x)])])
    {}
    """
    wrong = np.any([concatenate_entries(_find_wrong(seen)) for seen in observations], axis=0)
    if np.all(wrong) or not np.any(wrong):
        return {}
    try:
        program = claim.program(observations[0].x, _OPERATIONS)
        points = [seen.x for seen in observations if holds(program, seen.x)][:_POINTS]
        with np.errstate(all="ignore"):
            last = _find_last_nodes(program, points, wrong)
    except Exception:  # noqa: BLE001  # users' code, of which tensors may be no arguments
        return {}
    if not all(entry in last for entry in np.flatnonzero(wrong).tolist()):
        return {}
    return dict(
        sorted({places.place_of_origin(it.origin): it.name for it in last.values()}.items())
    )


def _find_last_nodes(
    program: Graph, points: Sequence[tuple[Any, ...]], wrong: Any
) -> dict[int, Node]:
    """For each wrong entry the last of the user's operations that changes wrong entries alone."""
    last: dict[int, Node] = {}
    given = [replay_changed(program, None, _move, x) for x in points]
    for at, node in iterate_own_operations(program):
        shifted = [replay_changed(program, at, _move, x) for x in points]
        changed = np.any([a != b for a, b in zip(shifted, given, strict=True)], axis=0)
        if not np.any(changed & ~wrong):
            for entry in np.flatnonzero(changed).tolist():
                last[entry] = _choose_node(last.get(entry), node)
    return last


def _choose_node(before: Node | None, node: Node) -> Node:
    """The later of two operations, unless it only moves on what the other computes."""
    return before if before is not None and _moves_data(node) else node


def _moves_data(node: Node) -> bool:
    return node.row.rounding == (0, 0)


def _move(value: Any) -> Any:
    return 2 * value + 1


def _find_wrong(seen: Observation) -> list[Any]:
    """Which entries are wrong, part by part."""
    return [
        ~find_close_entries(ours, there, there)
        for ours, there in zip(seen.claimed, seen.exact, strict=True)
    ]
