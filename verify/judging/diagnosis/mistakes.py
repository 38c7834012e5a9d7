"""Mistakes in the chain rule: the recorded operation that a wrong derivative mistreats.

The derivative of a program is a sum of contributions, one through each argument of each
operation. A claim from elsewhere cannot be looked into, but what it returns can be set against
the derivative in which one contribution is left out: where the claim differs from the exact
derivative by a multiple of that contribution, and by the same one at several points, the mistake
is named with the line of the user's own code.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

import symtape
from symtape.errors import BudgetSpent, SymtapeError
from symtape.graph.graph import Graph, Node
from symtape.process.work import Work, suspend_meter
from symtape.recording.structure import concatenate_entries, flatten, separate_entries
from verify.claimants.tape import tape_derivative
from verify.files import places
from verify.judging.diagnosis.blame import Blame
from verify.judging.diagnosis.factors import NO_NAMES, Names, factor_between
from verify.model.quantity import Quantity, to_quantity

_ALIKE: Final = 1e-8
"""Relative difference up to which a mistake explains a value; the verdict stands without it."""

_SLIGHT: Final = 1e-6
"""A claim that is off by less shows no mistake, for then many would explain it."""

_MOST_WORK: Final = 250_000
"""Operations that are replayed for it, of which one on large arrays counts as several."""

_AS_ONE: Final = 4096
"""Numbers on which an operation costs twice as much as on a few."""

_PLACES: Final = ("first", "second", "third", "fourth")

_MOST: Final = 120
"""Contributions that are looked into; programs of more operations are looked into in part."""


@dataclass(frozen=True, slots=True)
class Observation:
    """What a claim returned at one point, and the derivative there in floats.

    Attributes
    ----------
    x : tuple
        The arguments.
    claimed, exact : list of float arrays
        One for each part of the derivative.
    """

    x: tuple[Any, ...]
    claimed: list[Any]
    exact: list[Any]


@dataclass(frozen=True, slots=True)
class _Change:
    """Another treatment of one argument of one operation, when it is differentiated."""

    node: int
    argument: int
    replay: Callable[[Node, list[Any]], Any]
    words: Callable[[float], str]
    multiples: bool = False
    """Whether a multiple of the change explains a claim as well as the change itself."""


def mistake(
    graph: Graph,
    quantity: str | Quantity,
    observations: Sequence[Observation],
    names: Names = NO_NAMES,
) -> Blame | None:
    """The first operation whose contribution, treated wrongly, explains a claim everywhere.

    Parameters
    ----------
    graph : Graph
        Of the function, recorded at the first of the points.
    quantity : str or Quantity
    observations : sequence of Observation
        At several points; one alone proves little, and names only what fits a plain mistake.
    names : mapping from int to str
        Of nodes of `graph`.

    Examples
    --------
    >>> f = lambda x: x * np.sin(x)
    >>> seen = [Observation((x,), [np.sin(x)], [np.sin(x) + x * np.cos(x)]) for x in (0.5, 2.0)]
    >>> mistake(symtape.record(f, 0.5), "gradient", seen).words.partition(",")[0]
    'the term through sin is missing'
    """
    quantity = to_quantity(quantity)
    on_path = [seen for seen in observations if holds(graph, seen.x)]
    if not is_gross(on_path):
        return None
    try:
        return _explanation(graph, quantity, on_path, names)
    except BudgetSpent:
        return None


def _explanation(
    graph: Graph, quantity: Quantity, on_path: Sequence[Observation], names: Names
) -> Blame | None:
    """As :func:`mistake`, of points on the recorded path.

    Raises
    ------
    BudgetSpent
    """
    work = Work(_MOST_WORK, "the search for the mistake")
    each = sum(_replays(graph, seen) for seen in on_path)
    tried: list[tuple[_Change, list[Any]]] = []
    for number, change in enumerate(_changes(graph, quantity)):
        if number >= _MOST:
            return None
        work.spend(each)
        changed = _everywhere(graph, quantity, change, on_path)
        factor = None if changed is None else _explains(change, on_path, changed)
        if factor is not None:
            return _blame_change(graph, change, change.words(factor))
        if changed is not None and change.multiples:
            tried.append((change, changed))
    return _blame_value_factor(graph, on_path, tried, names)


def _replays(graph: Graph, seen: Observation) -> int:
    """What it costs to differentiate the program at a point once."""
    entries, inputs = (sum(map(np.size, parts)) for parts in (seen.exact, seen.x))
    rows = max(entries // max(inputs, 1), 1)
    return sum(1 + rows * math.prod(node.shape) // _AS_ONE for node in graph.nodes)


def _blame_change(graph: Graph, change: _Change, words: str) -> Blame:
    node = graph.nodes[change.node]
    return Blame(node.name, places.place_of_origin(node.origin), words)


def _blame_value_factor(
    graph: Graph,
    observations: Sequence[Observation],
    tried: Sequence[tuple[_Change, list[Any]]],
    names: Names,
) -> Blame | None:
    """The first contribution that is off by a factor which is a value of the program."""
    points = [seen.x for seen in observations]

    def find_factor(left_out: Sequence[list[Any]]) -> str:
        claimed = [
            _subtract_parts(s.claimed, rest) for s, rest in zip(observations, left_out, strict=True)
        ]
        exact = [
            _subtract_parts(s.exact, rest) for s, rest in zip(observations, left_out, strict=True)
        ]
        return factor_between(graph, points, claimed, exact, are_derivatives_close, names)

    if words := find_factor(
        [[np.zeros_like(part) for part in seen.exact] for seen in observations]
    ):
        return Blame("", "", f"the derivative {words}", by_a_value=True)
    for change, rests in tried:
        parts = [
            separate_entries(rest, map(np.shape, seen.exact))
            for rest, seen in zip(rests, observations, strict=True)
        ]
        if words := find_factor(parts):
            said = f"{change.words(1.0).partition(' is ')[0]} {words}"
            return replace(_blame_change(graph, change, said), by_a_value=True)
    return None


def _subtract_parts(parts: Sequence[Any], rest: Sequence[Any]) -> list[Any]:
    return [np.asarray(a, dtype=float) - b for a, b in zip(parts, rest, strict=True)]


def holds(graph: Graph, x: tuple[Any, ...]) -> bool:
    """Whether a point takes the path of a recording; not where it cannot be replayed."""
    try:
        return graph.holds(*x)
    except (ValueError, ArithmeticError, IndexError):
        return False


def _changes(graph: Graph, quantity: Quantity) -> Iterator[_Change]:
    """What is commonly done wrongly, operation by operation in the order of the program."""
    moving = _moving_nodes(graph, quantity)
    for at, node in enumerate(graph.nodes):
        if node.primitive is None or node.dtype.kind != "f" or at not in moving or node.part:
            continue  # several results of one operation are told by the first
        if node.primitive.rounding == (0, 0) and not _is_switch(node):
            continue  # what moves data is told by the operation that uses it
        for argument, source in enumerate(node.inputs):
            if source in moving:
                yield from _iterate_argument_changes(graph, at, argument)
        yield from _other_branch(graph, at)


def _moving_nodes(graph: Graph, quantity: Quantity) -> set[int]:
    """The float nodes that depend on an input that the derivative is by."""
    inputs = [graph.inputs[i] for i in quantity.moving(len(graph.inputs))]
    moving = {at for at in inputs if graph.nodes[at].dtype.kind == "f"}
    for at, node in enumerate(graph.nodes):
        if node.dtype.kind == "f" and not moving.isdisjoint(node.inputs):
            moving.add(at)
    return moving


def _iterate_argument_changes(graph: Graph, at: int, argument: int) -> Iterator[_Change]:
    node = graph.nodes[at]
    source = graph.nodes[node.inputs[argument]]

    def detach_argument(node: Node, args: list[Any]) -> Any:
        return _apply_with_argument(node, args, argument, symtape.stop_gradient(args[argument]))

    # Of equal copies one is also a share of the sum, which says less.
    copied = math.prod(source.shape) < math.prod(node.shape)
    if node.row.elementwise and copied:
        yield _Change(
            at,
            argument,
            lambda node, args: _apply_with_argument(
                node, args, argument, _first_only(args[argument], node)
            ),
            lambda factor: (
                f"the {_name_argument(graph, at, argument)} of {node.name} is broadcast from shape "
                f"{source.shape} to {node.shape}, and the sum over what it was broadcast to is "
                "missing"
            ),
        )
    yield _Change(at, argument, detach_argument, _multiple(graph, at, argument), multiples=True)
    if node.row.elementwise and len(node.inputs) == 1:
        yield _Change(
            at,
            argument,
            lambda node, args: args[0] + symtape.stop_gradient(_apply_node(node, args) - args[0]),
            lambda factor: f"the factor that {node.name} contributes by the chain rule is missing",
        )


def _is_switch(node: Node) -> bool:
    """Whether a node chooses between two numbers by a condition."""
    return node.primitive is not None and node.primitive.decision == "condition"


def _other_branch(graph: Graph, at: int) -> Iterator[_Change]:
    """A choice by a condition, differentiated as though the other value had been taken."""
    node = graph.nodes[at]
    if not _is_switch(node):
        return

    def swap_branches(node: Node, args: list[Any]) -> Any:
        condition, first, second = args
        turned = _apply_node(node, [condition, second, first])
        return symtape.stop_gradient(_apply_node(node, args) - turned) + turned

    yield _Change(
        at,
        1,
        swap_branches,
        lambda factor: f"the derivative of the other branch of {node.name} is taken",
    )


def _multiple(graph: Graph, at: int, argument: int) -> Callable[[float], str]:
    name = graph.nodes[at].name
    if len(graph.nodes[at].inputs) > 1:
        name = f"the {_name_argument(graph, at, argument)} of {name}"

    def words(factor: float) -> str:
        term = f"the term through {name}"
        if factor == 0:
            return f"{term} is missing"
        if factor == -1:
            return f"{term} has the wrong sign"
        return f"{term} is {times_too(factor)}"

    return words


def times_too(factor: float) -> str:
    """A factor that does not belong there, in words.

    Examples
    --------
    >>> times_too(-0.25)
    '4 times too small and of the wrong sign'
    """
    size, times = ("large", abs(factor)) if abs(factor) > 1 else ("small", 1 / abs(factor))
    return f"{times:.6g} times too {size}{' and of the wrong sign' if factor < 0 else ''}"


def _name_argument(graph: Graph, at: int, argument: int) -> str:
    """A row's own name for an argument, or its place: a letter is easily taken for the user's."""
    row = graph.nodes[at].row
    own = "" if row.variadic else row.inputs[argument]
    if len(own) > 1:
        return own
    return f"{_PLACES[argument]} argument" if argument < len(_PLACES) else f"argument {argument}"


def _apply_with_argument(node: Node, args: list[Any], argument: int, given: Any) -> Any:
    return _apply_node(node, [given if k == argument else arg for k, arg in enumerate(args)])


def _apply_node(node: Node, args: list[Any]) -> Any:
    return node.row(*args, **node.params)


def _first_only(arg: Any, node: Node) -> Any:
    """`arg` broadcast, with a derivative through the first of its copies alone."""
    shape = (1,) * (len(node.shape) - np.ndim(arg)) + np.shape(arg)
    grid = np.indices(node.shape)
    first = np.ones(node.shape, dtype=bool)
    for axis, (n, m) in enumerate(zip(shape, node.shape, strict=True)):
        if n != m:
            first &= grid[axis] == 0
    return np.where(first, arg, symtape.stop_gradient(arg))


def _everywhere(
    graph: Graph, quantity: Quantity, change: _Change, observations: Sequence[Observation]
) -> list[Any] | None:
    """The derivative with a change in it at all points; None if it cannot be had at one."""
    found = []
    for seen in observations:
        other = _changed_derivative(graph, quantity, change, seen)
        if other is None:
            return None
        found.append(other)
    return found


def _explains(
    change: _Change, observations: Sequence[Observation], changed: Sequence[Any]
) -> float | None:
    """The factor of the contribution with which the claim comes out; None if there is none."""
    claimed = [concatenate_entries(seen.claimed) for seen in observations]
    exact = [concatenate_entries(seen.exact) for seen in observations]
    factor = 0.0
    if change.multiples:
        found = _factor(*map(np.concatenate, (claimed, exact, changed)))
        if found is None or (len(observations) == 1 and found not in (0.0, -1.0)):
            return None
        factor = found
    fits = (
        are_derivatives_close(c, (1 - factor) * o + factor * e, e)
        for c, e, o in zip(claimed, exact, changed, strict=True)
    )
    telling = any(not are_derivatives_close(o, e, e) for o, e in zip(changed, exact, strict=True))
    return factor if telling and all(fits) else None


def _factor(claimed: Any, exact: Any, detached: Any) -> float | None:
    """By which multiple of ``exact - detached`` the claim exceeds `detached`, least squares."""
    through = exact - detached
    size = float(through @ through)
    if not np.isfinite(size) or size == 0:
        return None
    factor = float((claimed - detached) @ through) / size
    rounded = round(factor * 60) / 60
    factor = rounded if abs(factor - rounded) < 1e-7 else factor
    return None if abs(factor - 1) < 1e-6 or not np.isfinite(factor) else factor


def _changed_derivative(
    graph: Graph, quantity: Quantity, change: _Change, seen: Observation
) -> Any:
    """The derivative with the change in it, flat; None where it cannot be had."""

    def function(*xs: Any) -> Any:
        outputs = replay_program(graph, xs, change.node, change.replay)
        return outputs[0] if len(outputs) == 1 else outputs

    transform = tape_derivative(function, quantity, len(seen.x))
    try:
        parts = flatten(transform(*seen.x))
    except (SymtapeError, LookupError, ValueError, TypeError, ArithmeticError, IndexError):
        return None
    return concatenate_entries(parts)


def replay_program(
    graph: Graph, xs: Sequence[Any], at: int | None, replay: Callable[[Node, list[Any]], Any]
) -> list[Any]:
    """What a recording returns where the operation at a node is done by ``replay(node, args)``."""
    changed = None if at is None else graph.nodes[at]

    def apply(node: Node, args: list[Any]) -> Any:
        return replay(node, args) if node is changed else _apply_node(node, args)

    with suspend_meter():  # what a diagnosis may cost is bounded by itself
        values = graph.interpret(xs, lambda node: node.constant, apply)
    return [values[output] for output in graph.outputs]


def are_derivatives_close(a: Any, b: Any, exact: Any, within: float = _ALIKE) -> bool:
    """Whether two derivatives are the same, as far as a mistake is to explain."""
    return bool(np.all(find_close_entries(a, b, exact, within)))


def find_close_entries(a: Any, b: Any, exact: Any, within: float = _ALIKE) -> Any:
    """Which entries of two derivatives are the same, as far as a mistake is to explain."""
    scale = np.max(np.abs(exact), initial=0.0)
    finite = np.isfinite(a) & np.isfinite(b)
    gaps = np.abs(np.where(finite, a, 0.0) - np.where(finite, b, 0.0))
    return finite & (gaps <= within * np.maximum(np.abs(b), 1e-3 * scale))


def is_gross(observations: Sequence[Observation]) -> bool:
    """Whether claims are off by more somewhere than what any mistake would explain."""
    joined = [tuple(map(concatenate_entries, (seen.claimed, seen.exact))) for seen in observations]
    return any(not are_derivatives_close(ours, there, there, _SLIGHT) for ours, there in joined)
