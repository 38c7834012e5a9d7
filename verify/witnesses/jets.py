"""Jets as a witness: Taylor series in balls, which share nothing with rules or closed forms.

They say whether the closed form is right at a point, and stand in for it where there is none.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from symtape.errors import BudgetSpent, Unsupported
from symtape.graph.freeze import record
from symtape.graph.graph import Graph, Node
from symtape.precision import precision
from symtape.rigorous import ball, jets
from symtape.rigorous.enclose import enclose
from symtape.rigorous.interval import interval
from symtape.symbolic.budget import Budget
from symtape.symbolic.collector import uncollected
from symtape.symbolic.program import Program
from symtape.symbolic.shadow import Shadow
from verify import places
from verify.witnesses.closed_form import MOST_BITS, ClosedForms, Truth, good_bits

__all__ = ["agree", "truth_by_jets"]

_FEW: Final = 6
"""Up to so many coordinates every axis is gone along; beyond, two directions stand for all."""

_MANY: Final = 64
"""Beyond so many coordinates one direction stands for all: it is drawn from 2^21 numbers an axis,
so that no fault but a contrived one is orthogonal to it."""

_DIRECTIONS: Final = 2
_FIRST_BITS: Final = 300
_MOST_EXPANSIONS: Final = 500
"""Most expansions that a whole derivative may take where there is no closed form."""

_MOST_SUSPECTS: Final = 200
_SUSPICION: Final = Budget(seconds=2.0, statements=20_000)

Directions = list[Any]


@uncollected
def agree(graph: Graph, point: Sequence[Any], truth: Truth, quantity: str) -> str:
    """Whether jets confirm the closed form at a point.

    Gradients and Jacobians are compared along every axis where there are at most 6 of them,
    and otherwise along two directions; Hessians by two pairs of directions. A direction along
    which jets know nothing says nothing.

    Parameters
    ----------
    graph : Graph
        The function.
    point : sequence of arrays
    truth : Truth
        What the closed form says; entries that are not finite are not compared.
    quantity : str
        ``"gradient"``, ``"jacobian"`` or ``"hessian"``.

    Returns
    -------
    str
        The conflict in words, with both enclosures; empty where there is none.
    """
    try:
        for lines in _lines(graph, quantity):
            said = _along(graph, point, truth, lines)
            if said is None:
                continue
            found, sides = said
            expected = _contracted(truth, lines, found.shape)
            for index in np.ndindex(found.shape):
                one, other = found[index], expected[index]
                if _apart(one, other):
                    return _words(graph, point, quantity, lines, index, (one, other), sides)
    except Unsupported:
        return ""
    return ""


def _apart(one: Any, other: Any) -> bool:
    return bool(one.is_finite() and other.is_finite() and not one.overlaps(other))


def _lines(graph: Graph, quantity: str) -> Iterator[list[Directions]]:
    """What to compare along: one direction, or two for a second derivative."""
    shapes = [graph.nodes[at].shape for at in graph.inputs]
    size = sum(int(np.prod(shape)) for shape in shapes)
    if quantity == "hessian":
        for seed in range(_DIRECTIONS if size > 1 else 1):
            yield [_random(shapes, 2 * seed), _random(shapes, 2 * seed + 1)]
    elif size <= _FEW:
        for number, shape in enumerate(shapes):
            for index in np.ndindex(shape):
                axis = [np.zeros(other) for other in shapes]
                axis[number][index] = 1
                yield [axis]
    else:
        for seed in range(_DIRECTIONS if size <= _MANY else 1):
            yield [_random(shapes, seed)]


def _random(shapes: Sequence[tuple[int, ...]], seed: int) -> Directions:
    """A direction of multiples of 2^-20, none of them zero: exact in every arithmetic."""
    draw = np.random.default_rng(seed)
    return [
        draw.integers(1, 2**20 + 1, shape) * draw.choice([-1, 1], shape) / 2.0**20
        for shape in shapes
    ]


def _along(
    graph: Graph, point: Sequence[Any], truth: Truth, lines: list[Directions]
) -> tuple[Any, str] | None:
    """The derivative along `lines`; from both sides where only that is known."""
    bits = truth.precision
    if len(lines) == 2:
        return jets.mixed(graph, point, lines, bits)[0], ""
    found = jets.jvp(graph, point, lines[0], bits)[0]
    if all(one.is_finite() for one in found.flat):
        return found, ""
    return _from_both_sides(graph, point, bits, lines[0])


def _from_both_sides(
    graph: Graph, point: Sequence[Any], bits: int, line: Directions
) -> tuple[Any, str] | None:
    """What is chosen by a comparison at the point itself may be smooth across it all the same."""
    back = [-part for part in line]
    ahead, behind = (jets.taylor(graph, point, side, bits, germ=True)[0] for side in (line, back))
    value = enclose(graph, point, bits)[0]
    for index in np.ndindex(value.shape):
        here = value[index]
        if not all(side[index][0].overlaps(here) for side in (ahead, behind)):
            return None
        if _apart(ahead[index][1], -behind[index][1]):
            return None
    return ahead[..., 1], ", from both sides"


def _contracted(truth: Truth, lines: list[Directions], output: tuple[int, ...]) -> Any:
    """The closed form's derivative along `lines`, of shape `output`."""
    with precision(truth.precision):
        flat = [ball.objects(np.concatenate([np.ravel(part) for part in line])) for line in lines]
        sizes = [part.size for part in lines[0]]
        total: Any = ball.objects(np.zeros(output, dtype=int))
        if len(lines) == 1:
            start = 0
            for part, size in zip(truth.parts, sizes, strict=True):
                rows = part.reshape(math.prod(output), size)
                total = total + ball.matmul(rows, flat[0][start : start + size]).reshape(output)
                start += size
            return np.asarray(total, dtype=object).reshape(output)
        bounds = np.cumsum([0, *sizes])
        blocks = iter(truth.parts)
        for i, rows in enumerate(sizes):
            for j, columns in enumerate(sizes):
                block = next(blocks).reshape(rows, columns)
                right = ball.matmul(block, flat[1][bounds[j] : bounds[j + 1]])
                total = total + np.sum(flat[0][bounds[i] : bounds[i + 1]] * right)
        return np.asarray(total, dtype=object).reshape(output)


def _words(
    graph: Graph,
    point: Sequence[Any],
    quantity: str,
    lines: list[Directions],
    index: tuple[int, ...],
    both: tuple[Any, Any],
    sides: str,
) -> str:
    by_jets, closed = (str(interval(one)) for one in both)
    entry = f" of output {list(index)}" if index else ""
    along = " and ".join(_direction(line) for line in lines)
    place = _suspect(graph, point)
    return (
        f"for the {quantity}{entry} along {along} the closed form says {closed}, and Taylor series "
        f"say {by_jets}{sides}" + (f"; they part at {place}" if place else "")
    )


def _direction(line: Directions) -> str:
    shown = ", ".join(" ".join(np.array2string(part, threshold=6).split()) for part in line)
    return f"({shown})" if len(line) > 1 else shown


def _suspect(graph: Graph, point: Sequence[Any]) -> str:
    """The first operation of which alone jets and the closed form disagree, and its line."""
    with np.errstate(all="ignore"):
        values = graph.values(*point)
    for node in graph.nodes[:_MOST_SUSPECTS]:
        if node.primitive is None or node.dtype.kind != "f":
            continue
        try:
            if _parts_ways(node, [values[i] for i in node.inputs]):
                return f"{node.name} at {places.relative(places.of_origin(node.origin))}"
        except (BudgetSpent, Unsupported, LookupError, ValueError):
            continue
    return ""


def _parts_ways(node: Node, values: list[Any]) -> bool:
    """Whether jets and the closed form of one operation disagree on its Jacobian."""
    row = node.primitive
    assert row is not None
    moving = [i for i, value in enumerate(values) if np.asarray(value).dtype.kind == "f"]

    def alone(*xs: Any) -> Any:
        args = list(values)
        for place, x in zip(moving, xs, strict=True):
            args[place] = x
        result = row(*args, **node.params)
        return result if node.part is None else result[node.part]

    given = [values[i] for i in moving]
    graph = record(alone, *given)
    truth = ClosedForms("jacobian").at(graph, given, _SUSPICION)
    shapes = [graph.nodes[at].shape for at in graph.inputs]
    lines = [_random(shapes, 0)]
    said = _along(graph, given, truth, lines)
    if said is None:
        return False
    expected = _contracted(truth, lines, said[0].shape)
    return any(map(_apart, said[0].flat, expected.flat))


def truth_by_jets(
    graph: Graph,
    point: Sequence[Any],
    values: list[Any],
    quantity: str,
    shadow: Shadow | None = None,
) -> Truth | None:
    """Enclose the exact derivative by jets, where the closed form cannot.

    Parameters
    ----------
    graph : Graph
    point : sequence of arrays
    values : list
        Of the nodes of `graph` at the point.
    quantity : str
    shadow : Shadow, optional
        If there is one, and only its derivative is not finite.

    Returns
    -------
    Truth or None
        None where jets do not know it either, where it would take too many of them, or where
        the point lies on the boundary of the path that was recorded.
    """
    if _expansions(graph, quantity) > _MOST_EXPANSIONS:
        return None
    bits = _FIRST_BITS
    whole = _Whole(graph, quantity)
    try:
        if not _keeps_its_path(graph, point, bits):
            return None
        while True:
            parts = whole.enclose(point, bits)
            good = min((good_bits(x, bits) for part in parts for x in part.flat), default=bits)
            if not all(x.is_finite() for part in parts for x in part.flat):
                return None
            if 2 * good >= bits or bits >= MOST_BITS:
                break
            bits *= 2
    except Unsupported:
        return None
    made = shadow or _nothing(graph, values)
    found = Truth(parts, [], made, min(good, bits), bits, whole, [], by_jets=True)
    return found if _is_linear(graph, point, found, quantity) else None


class _Whole:
    """A whole derivative by jets, which can be asked again at more bits."""

    order: tuple[int, ...] = ()

    def __init__(self, graph: Graph, quantity: str) -> None:
        self._graph = graph
        self._derive = jets.hessian if quantity == "hessian" else jets.jacobian

    def enclose(self, point: Sequence[Any], bits: int) -> list[Any]:
        """The parts of the derivative, at `bits` bits."""
        return self._derive(self._graph, point, bits)


def _nothing(graph: Graph, values: list[Any]) -> Shadow:
    """A shadow that says nothing but the values of the nodes."""
    unknown: list[Any] = [None] * len(graph.nodes)
    return Shadow(Program(), [], [], [], graph, values, unknown, [], [])


def _expansions(graph: Graph, quantity: str) -> int:
    size = sum(int(np.prod(graph.nodes[at].shape)) for at in graph.inputs)
    return size * (size + 1) // 2 if quantity == "hessian" else size


def _keeps_its_path(graph: Graph, point: Sequence[Any], bits: int) -> bool:
    """Whether near the point every decision of the recorded path is the same."""
    if not graph.path:
        return True
    steps = replace(graph, outputs=tuple(step.node for step in graph.path))
    shapes = [graph.nodes[at].shape for at in graph.inputs]
    for seed in range(_DIRECTIONS):
        expanded = jets.taylor(steps, point, _random(shapes, seed), bits)
        for step, found in zip(graph.path, expanded, strict=True):
            value = found[..., 0].ravel()
            if not all(x.is_exact() or not x.contains(0) for x in value):
                return False
            if any(x.is_zero() for x in value) and graph.nodes[step.node].dtype.kind == "f":
                return False
    return True


def _is_linear(graph: Graph, point: Sequence[Any], truth: Truth, quantity: str) -> bool:
    """Whether a direction between the axes confirms the axes, as it does of smooth functions."""
    shapes = [graph.nodes[at].shape for at in graph.inputs]
    lines = [_random(shapes, k) for k in range(2 if quantity == "hessian" else 1)]
    said = _along(graph, point, truth, lines)
    if said is None or not all(x.is_finite() for x in said[0].flat):
        return False
    return not any(map(_apart, said[0].flat, _contracted(truth, lines, said[0].shape).flat))
