"""Which lines of a claim, and which of its entries, are at fault."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np

from symtape.graph.graph import Graph, Node
from symtape.recording.structure import concatenate_entries
from verify.claimants.claim import Claim
from verify.files import places
from verify.judging.diagnosis.factors import Names, factor_between
from verify.judging.diagnosis.mistakes import (
    Observation,
    are_derivatives_close,
    find_close_entries,
    holds,
    is_gross,
    replay_program,
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


_REPLAYED: Final = 300
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
        program = claim.program(observations[0].x, _REPLAYED)
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

    def replay(node: Node, args: list[Any]) -> Any:
        return change(node.row(*args, **node.params))

    return concatenate_entries(replay_program(program, x, at, replay))
