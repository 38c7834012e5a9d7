"""Jets as a witness: Taylor series in balls, which share nothing with rules or closed forms.

They say whether the closed form is right at a point, and stand in for it where there is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from symtape.errors import BudgetSpent, Unsupported
from symtape.graph.graph import Graph, Node
from symtape.rigorous import jets
from symtape.rigorous.enclose import enclose
from symtape.rigorous.interval import decimal_bounds
from symtape.symbolic.budget import Budget
from symtape.symbolic.collector import uncollected
from symtape.symbolic.program import Program
from symtape.symbolic.shadow import Shadow
from symtape.work import Work
from verify import places
from verify.wanted import Wanted, as_wanted
from verify.witnesses.closed_form import MOST_BITS, ClosedForms, Truth, good_bits
from verify.witnesses.confirmation import Confirmation, Voice
from verify.witnesses.lines import Directions, axes, contracted, lines_for, pulled, random_line
from verify.witnesses.single import alone

__all__ = ["JETS", "agree", "truth_by_jets"]

JETS: Final = "Taylor series"

_SHAKES: Final = 2
"""Directions in which it is asked whether the path stays the same."""

_FIRST_BITS: Final = 300
_MOST_EXPANSIONS: Final = 500
"""Most expansions that a whole derivative may take where there is no closed form."""

_MOST_SUSPECTS: Final = 200
_SUSPICION: Final = Budget(statements=20_000)
_MOST_SUSPICION: Final = 200_000
"""Statements of the closed forms of all operations that are looked into."""


@uncollected
def agree(graph: Graph, point: Sequence[Any], truth: Truth, quantity: str | Wanted) -> Confirmation:
    """Whether jets confirm the closed form at a point.

    Gradients, Jacobians and vector-Jacobian products are compared along every axis where there
    are at most 6 of them, and otherwise along two directions; Hessians by two pairs of
    directions, their products along two; what is pushed forward along its own tangents. Where
    jets do not know the derivative along one of them they have not confirmed it.

    Parameters
    ----------
    graph : Graph
        The function.
    point : sequence of arrays
    truth : Truth
        What the closed form says; entries that are not finite are not compared.
    quantity : str or Wanted

    Returns
    -------
    Confirmation
        A conflict has both enclosures in its words.
    """
    wanted = as_wanted(quantity)
    silent = ""
    try:
        for lines in lines_for(graph, point, wanted):
            said = _along(graph, point, wanted, truth.precision, lines)
            if said is None:
                silent = silent or f"they do not know it along {_directions(lines)}"
                continue
            outputs, sides = said
            expected = contracted(truth, graph, wanted, lines)
            for found, closed in zip(outputs, expected, strict=True):
                for index in np.ndindex(found.shape):
                    one, other = found[index], closed[index]
                    if _apart(one, other):
                        words = _words(graph, point, wanted, lines, index, (one, other), sides)
                        return Confirmation(JETS, Voice.CONFLICT, words)
                    if not one.is_finite():
                        silent = silent or f"they do not know it along {_directions(lines)}"
    except Unsupported as error:
        silent = places.within(str(error))
    return Confirmation(JETS, Voice.SILENT if silent else Voice.AGREED, silent)


def _apart(one: Any, other: Any) -> bool:
    return bool(one.is_finite() and other.is_finite() and not one.overlaps(other))


def _along(
    graph: Graph, point: Sequence[Any], wanted: Wanted, bits: int, lines: list[Directions]
) -> tuple[list[Any], str] | None:
    """The derivative of each output along `lines`; from both sides where only that is known."""
    if wanted.second:
        return jets.mixed(graph, point, lines, bits)[:1], ""
    found, sides = jets.jvp(graph, point, lines[0], bits), ""
    if not all(one.is_finite() for part in found for one in part.flat):
        beside = _from_both_sides(graph, point, bits, lines[0])
        if beside is None:
            return None
        found, sides = beside, ", from both sides"
    if wanted.quantity == "vjp":
        found = [pulled(found, point, wanted, bits)]
    return found, sides


def _from_both_sides(
    graph: Graph, point: Sequence[Any], bits: int, line: Directions
) -> list[Any] | None:
    """What is chosen by a comparison at the point itself may be smooth across it all the same."""
    back = [-part for part in line]
    ahead, behind = (jets.taylor(graph, point, side, bits, germ=True) for side in (line, back))
    values = enclose(graph, point, bits)
    for value, right, left in zip(values, ahead, behind, strict=True):
        for index in np.ndindex(value.shape):
            here = value[index]
            if not all(side[index][0].overlaps(here) for side in (right, left)):
                return None
            if _apart(right[index][1], -left[index][1]):
                return None
    return [part[..., 1] for part in ahead]


def _words(
    graph: Graph,
    point: Sequence[Any],
    wanted: Wanted,
    lines: list[Directions],
    index: tuple[int, ...],
    both: tuple[Any, Any],
    sides: str,
) -> str:
    by_jets, closed = (str(decimal_bounds(one)) for one in both)
    entry = f" of output {list(index)}" if index else ""
    along = _directions(lines)
    place = _suspect(graph, point)
    return (
        f"for the {wanted.quantity}{entry} along {along} the closed form says {closed}, and "
        f"Taylor series say {by_jets}{sides}" + (f"; they part at {place}" if place else "")
    )


def _directions(lines: list[Directions]) -> str:
    return " and ".join(_direction(line) for line in lines)


def _direction(line: Directions) -> str:
    shown = ", ".join(" ".join(np.array2string(part, threshold=6).split()) for part in line)
    return f"({shown})" if len(line) > 1 else shown


def _suspect(graph: Graph, point: Sequence[Any]) -> str:
    """The first operation of which alone jets and the closed form disagree, and its line."""
    with np.errstate(all="ignore"):
        values = graph.values(*point)
    work = Work(_MOST_SUSPICION, "the search for the operation")
    for node in graph.nodes[:_MOST_SUSPECTS]:
        if node.primitive is None or node.dtype.kind != "f":
            continue
        try:
            if _parts_ways(node, [values[i] for i in node.inputs], work):
                return f"{node.name} at {places.relative(places.of_origin(node.origin))}"
        except (BudgetSpent, Unsupported, LookupError, ValueError):
            continue
    return ""


def _parts_ways(node: Node, values: list[Any], work: Work) -> bool:
    """Whether jets and the closed form of one operation disagree on its Jacobian."""
    graph, given = alone(node, values)
    wanted = Wanted("jacobian")
    truth = ClosedForms(wanted).at(graph, given, _SUSPICION)
    work.spend(len(truth.shadow.program))
    lines = [random_line(graph, range(len(given)), 0)]
    said = _along(graph, given, wanted, truth.precision, lines)
    if said is None:
        return False
    (expected,) = contracted(truth, graph, wanted, lines)
    return any(map(_apart, said[0][0].flat, expected.flat))


def truth_by_jets(
    graph: Graph,
    point: Sequence[Any],
    values: list[Any],
    quantity: str | Wanted,
    shadow: Shadow | None = None,
) -> Truth | None:
    """Enclose the exact derivative by jets, where the closed form cannot.

    Parameters
    ----------
    graph : Graph
    point : sequence of arrays
    values : list
        Of the nodes of `graph` at the point.
    quantity : str or Wanted
    shadow : Shadow, optional
        If there is one, and only its derivative is not finite.

    Returns
    -------
    Truth or None
        None where jets do not know it either, where it would take too many of them, or where
        the point lies on the boundary of the path that was recorded.
    """
    wanted = as_wanted(quantity)
    if _expansions(graph, wanted) > _MOST_EXPANSIONS:
        return None
    bits = _FIRST_BITS
    whole = _Whole(graph, wanted)
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
    return found if _is_linear(graph, point, found, wanted) else None


class _Whole:
    """A whole derivative by jets, which can be asked again at more bits."""

    order: tuple[int, ...] = ()

    def __init__(self, graph: Graph, wanted: Wanted) -> None:
        self._graph, self._wanted = graph, wanted

    def enclose(self, point: Sequence[Any], bits: int) -> list[Any]:
        """The parts of the derivative, at `bits` bits."""
        graph, wanted, count = self._graph, self._wanted, len(point)
        if wanted.quantity == "jvp":
            (lines,) = lines_for(graph, point, wanted)
            return jets.jvp(graph, point, lines[0], bits)
        if wanted.quantity in ("vjp", "hvp"):
            return self._by_axes(point, bits)
        if wanted.quantity == "hessian":
            blocks = jets.hessian(graph, point, bits)
            return [blocks[count * i + j] for i, j in wanted.parts(count)]
        by = jets.jacobian(graph, point, bits)
        return [by[i] for (i,) in wanted.parts(count)]

    def _by_axes(self, point: Sequence[Any], bits: int) -> list[Any]:
        """Of a product, entry by entry."""
        graph, wanted, count = self._graph, self._wanted, len(point)
        parts = [np.empty(np.shape(point[i]), dtype=object) for (i,) in wanted.parts(count)]
        places = [part[0] for part in wanted.parts(count)]
        along = next(lines_for(graph, point, wanted), [[]])[-1]
        for number, index, axis in axes(graph, places):
            if wanted.quantity == "hvp":
                found = jets.mixed(graph, point, [axis, along], bits)[0]
            else:
                found = pulled(jets.jvp(graph, point, axis, bits), point, wanted, bits)
            parts[places.index(number)][index] = found[()]
        return parts


def _nothing(graph: Graph, values: list[Any]) -> Shadow:
    """A shadow that says nothing but the values of the nodes."""
    unknown: list[Any] = [None] * len(graph.nodes)
    return Shadow(Program(), [], [], [], graph, values, unknown, [], [])


def _expansions(graph: Graph, wanted: Wanted) -> int:
    shapes = [graph.nodes[at].shape for at in graph.inputs]
    if wanted.quantity == "jvp":
        return 1
    size = sum(int(np.prod(shapes[i])) for i in wanted.moving(len(shapes)))
    if wanted.quantity == "hessian":
        size = sum(map(int, map(np.prod, shapes)))
        return size * (size + 1) // 2
    return 2 * size if wanted.quantity == "hvp" else size


def _keeps_its_path(graph: Graph, point: Sequence[Any], bits: int) -> bool:
    """Whether near the point every decision of the recorded path is the same."""
    if not graph.path:
        return True
    steps = replace(graph, outputs=tuple(step.node for step in graph.path))
    for seed in range(_SHAKES):
        line = random_line(graph, range(len(point)), seed)
        expanded = jets.taylor(steps, point, line, bits)
        for step, found in zip(graph.path, expanded, strict=True):
            value = found[..., 0].ravel()
            if not all(x.is_exact() or not x.contains(0) for x in value):
                return False
            if any(x.is_zero() for x in value) and graph.nodes[step.node].dtype.kind == "f":
                return False
    return True


def _is_linear(graph: Graph, point: Sequence[Any], truth: Truth, wanted: Wanted) -> bool:
    """Whether a direction between the axes confirms the axes, as it does of smooth functions.

    Of what is pushed forward it is the way back that has to.
    """
    (*rest, last) = next(lines_for(graph, point, wanted, drawn=True), [[]])
    lines = [*rest, last]
    if wanted.quantity == "jvp":
        lines = [[-part for part in last]]
    said = _along(graph, point, wanted, truth.precision, lines)
    if said is None or not all(x.is_finite() for part in said[0] for x in part.flat):
        return False
    expected = contracted(truth, graph, wanted, lines)
    if wanted.quantity == "jvp":
        expected = [-part for part in expected]
    return not any(
        _apart(a, b)
        for one, other in zip(said[0], expected, strict=True)
        for a, b in zip(one.ravel(), other.ravel(), strict=True)
    )
