"""The closed form as an oracle: the shadow's derivative in balls, at as many bits as it takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Protocol

import numpy as np
from flint import arb

from symtape.graph.graph import Graph
from symtape.graph.sameness import same_computation
from symtape.process.budget import Budget
from symtape.process.work import suspend_collector
from symtape.symbolic.derivative import (
    gradient,
    hessian,
    hessian_times,
    jacobian,
    pulled_back,
    pushed_forward,
)
from symtape.symbolic.extended import ManyPoints
from symtape.symbolic.precise import Plan
from symtape.symbolic.shadow import Shadow
from symtape.symbolic.walk import shadow
from verify.model.quantity import Quantity, to_quantity
from verify.model.verdict import Confirmation

FIRST_BITS: Final = 300
MOST_BITS: Final = 4800

BELOW_FLOATS: Final = arb((1, -1076))
"""Less than half the smallest positive float64."""

_MOST_FORMS: Final = 32
_MOST_STATEMENTS: Final = 500_000
"""How much is remembered, so that a long search stays small."""


class Refinable(Protocol):
    """How to evaluate a derivative again at more bits; `order` are the statements that takes."""

    order: Any

    def enclose(self, point: Sequence[Any], bits: int) -> list[Any]:
        """The parts of the derivative."""


@dataclass(frozen=True, slots=True)
class Truth:
    """Enclosures of the exact derivative, one object array of balls for each part.

    Attributes
    ----------
    parts : list of object arrays
        In the order of :func:`entries_of`.
    ids : list of int arrays
        The statements of the shadow's program that they are.
    shadow : Shadow
    bits : int
        Every ball's radius is below ``2**-bits`` of its value.
    precision : int
        The working precision that this took.
    plan : Refinable
        How to evaluate `ids`.
    statements : list
        The ball of every statement that they depend on; empty where they are not known.
    by_jets : bool
        Whether jets say so alone, and there are no statements of it.
    sizes : list of float arrays or None
        For each entry the size of what it is made of, where its conditioning cannot be asked:
        of a limit, which is not computed as the function is.
    costs : list of float arrays or None
        Where several pieces agree, what rounding may cost each entry of any of them, in units of
        the unit roundoff: floats may compute another piece than that of `ids`.
    given : callable, optional
        What the shadow takes of a point, where that is not all of it: at kinks what the
        derivative is not by is a constant.
    nodes : callable, optional
        ``(point, bits)``: the enclosures of the function's nodes by their templates, None of
        those that are locally constant.
    unconfirmed : tuple of Confirmation
        The oracles that had nothing to say of it.
    """

    parts: list[Any]
    ids: list[Any]
    shadow: Shadow
    bits: int
    precision: int
    plan: Refinable
    statements: list[Any]
    by_jets: bool = False
    sizes: list[Any] | None = None
    costs: list[Any] | None = None
    given: Callable[[Sequence[Any]], Sequence[Any]] | None = None
    nodes: Callable[[Sequence[Any], int], list[Any]] | None = None
    unconfirmed: tuple[Confirmation, ...] = ()

    def inputs(self, point: Sequence[Any]) -> Sequence[Any]:
        """What the shadow's program is given at a point."""
        return point if self.given is None else self.given(point)

    def enclose(self, point: Sequence[Any], bits: int) -> list[Any]:
        """The parts of the derivative at another point, or at more bits."""
        return self.plan.enclose(self.inputs(point), bits)

    @property
    def finite(self) -> bool:
        """Whether every entry has a finite enclosure."""
        return all(ball.is_finite() for part in self.parts for ball in part.ravel())


class ClosedForms:
    """The closed forms of one derivative, for each way that the function computes.

    At another point where the same operations are recorded, and the same choices made, the
    closed form is the same: it is only evaluated again.

    Parameters
    ----------
    quantity : str or Quantity
    """

    def __init__(self, quantity: str | Quantity) -> None:
        self.quantity = to_quantity(quantity)
        self._forms: list[_Form] = []

    @suspend_collector
    def evaluate(
        self, graph: Graph, point: Sequence[Any], budget: Budget, values: list[Any] | None = None
    ) -> Truth:
        """As :func:`truth`; `values` are those of the nodes of `graph`, if they are known."""
        if values is None:
            with np.errstate(all="ignore"):
                values = graph.values(*point)
        form, made = self._form(graph, values, point, budget)
        return _evaluate_form(form, made, point)

    def knows(self, graph: Graph, values: list[Any]) -> bool:
        """Whether the closed form for a point with these values has been derived already."""
        return self._find_known_form(graph, values) is not None

    def evaluate_points(
        self, graph: Graph, values: Sequence[tuple[Any, bool]], inputs: Any
    ) -> Iterator[tuple[Any, Any, Any]]:
        """What is known of the derivative at many points by extended floats, without balls.

        Parameters
        ----------
        graph : Graph
            Of which they all take the path.
        values : sequence of tuples (array, bool)
            Of its nodes, as :meth:`~symtape.symbolic.shadow.Shadow.find_unchanged_points` takes
            them.
        inputs : float array, points by numbers
            The points, flat.

        Yields
        ------
        tuple
            Which points a form is that of, a bool array; for these the entries of all parts, and
            bounds of their errors: long double arrays, points by entries.
        """
        left = np.ones(len(inputs), dtype=bool)
        chosen: list[dict[int, Any]] = [{} for _ in inputs]
        for form in self._forms:
            if not form.computes(graph) or not form.many.readable:
                continue
            fitting = left & form.shadow.find_unchanged_points(values, chosen)
            if np.any(fitting):
                left &= ~fitting
                needed = [at for part in form.ids for at in part.ravel().tolist()]
                yield fitting, *form.many.run(inputs[fitting], needed)

    def _find_known_form(self, graph: Graph, values: list[Any]) -> tuple[_Form, Shadow] | None:
        chosen: dict[int, Any] = {}
        for form in self._forms:
            if form.computes(graph):
                moved = form.shadow.move_to(graph, values, chosen)
                if moved is not None:
                    return form, moved
        return None

    def _form(
        self, graph: Graph, values: list[Any], point: Sequence[Any], budget: Budget
    ) -> tuple[_Form, Shadow]:
        if (known := self._find_known_form(graph, values)) is not None:
            return known
        made = shadow(graph, point, budget)
        form = _Form(made, derivative_statements(made, self.quantity))
        self._keep(form)
        return form, made

    def _keep(self, form: _Form) -> None:
        """Remember a form, the latest first, as long as there is room."""
        self._forms.insert(0, form)
        room, kept = _MOST_STATEMENTS, list[_Form]()
        for one in self._forms[:_MOST_FORMS]:
            room -= len(one.shadow.program)
            if room < 0 and kept:
                break
            kept.append(one)
        self._forms = kept


class _Form:
    """A closed form that is ready to be evaluated."""

    def __init__(self, made: Shadow, ids: list[Any]) -> None:
        self.shadow = made
        self.ids = ids
        self.plan = Plan(made.program, ids)
        self._asked: dict[int, tuple[Graph, bool]] = {}

    @cached_property
    def many(self) -> ManyPoints:
        """The same program, to be run at many points at once."""
        return ManyPoints(self.shadow.program, self.plan.order)

    @cached_property
    def _node_plan(self) -> Plan:
        """How to evaluate the nodes themselves."""
        return Plan(self.shadow.program, [ids for ids in self.shadow.ids if ids is not None])

    def nodes(self, point: Sequence[Any], bits: int) -> list[Any]:
        """Enclosures of the nodes, None of those that are locally constant."""
        found = iter(self._node_plan.enclose(point, bits))
        return [None if ids is None else next(found) for ids in self.shadow.ids]

    def computes(self, graph: Graph) -> bool:
        """Whether `graph` is the same computation; remembered of graphs that come again."""
        known = self._asked.get(id(graph))
        if known is None or known[0] is not graph:
            if len(self._asked) >= _MOST_FORMS:
                self._asked.clear()
            known = self._asked[id(graph)] = graph, same_computation(self.shadow.graph, graph)
        return known[1]


def truth(graph: Graph, point: Sequence[Any], quantity: str | Quantity, budget: Budget) -> Truth:
    """Enclose the exact derivative of `graph` at `point` by its closed form.

    The precision starts at 300 bits and doubles until every entry is known to half of it, or
    4,800 bits are reached.

    Raises
    ------
    BudgetSpent, Unsupported
        From the shadow.
    """
    return ClosedForms(quantity).evaluate(graph, point, budget)


def _evaluate_form(form: _Form, made: Shadow, point: Sequence[Any]) -> Truth:
    precision = FIRST_BITS
    while True:
        parts = form.plan.enclose(point, precision)
        bits = min(
            (good_bits(ball, precision) for part in parts for ball in part.ravel().tolist()),
            default=precision,
        )
        plan = form.plan
        good = min(bits, precision)
        found = Truth(parts, form.ids, made, good, precision, plan, plan.last, nodes=form.nodes)
        if 2 * bits >= precision or precision >= MOST_BITS:
            return found
        precision *= 2


def derivative_statements(form: Shadow, quantity: Quantity) -> list[Any]:
    """The statements of each part of a derivative."""
    count = len(form.inputs)
    along = [form.inputs[at] for at in quantity.direction_places(count)]
    if quantity.name == "jvp":
        return pushed_forward(form, dict(zip(quantity.rows(count), along, strict=True)))
    if quantity.name == "hessian":
        blocks = hessian(form)
        return [blocks[i][j] for i, j in quantity.parts(count)]
    if quantity.name == "hvp":
        by = hessian_times(form, dict(zip(quantity.rows(count), along, strict=True)))
    elif quantity.name == "vjp":
        by = pulled_back(form, along)
    else:
        by = gradient(form) if quantity.name == "gradient" else jacobian(form)
    return [by[i] for (i,) in quantity.parts(count)]


def good_bits(ball: Any, precision: int) -> int:
    """How many bits of `ball` are good; `precision` for an exact one, 0 for one that is none.

    A ball around 0 is good when no float but 0 is in it: its bits are absolute.
    """
    if not ball.is_finite():
        return 0
    if ball.is_exact():
        return precision
    if ball.contains(0):
        return precision if ball.rad() < BELOW_FLOATS else 0
    return max(int(ball.rel_accuracy_bits()), 0)


def shape_of(graph: Graph, quantity: str | Quantity) -> list[tuple[int, ...]]:
    """The shapes of the parts of a derivative of `graph`."""
    inputs = [graph.nodes[at].shape for at in graph.inputs]
    outputs = [graph.nodes[at].shape for at in graph.outputs]
    return to_quantity(quantity).shapes(inputs, outputs)
