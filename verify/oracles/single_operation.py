"""One operation of a program by itself, on the floats that were given to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from flint import arb

from symtape.errors import Unsupported
from symtape.graph.freeze import record
from symtape.graph.graph import Graph, Node
from symtape.process.budget import Budget
from symtape.process.precision import precision
from symtape.rigorous.backward_error import roundings
from symtape.rigorous.enclose import enclose
from symtape.rigorous.rounding import model, rounding_of
from symtape.symbolic.precise import Plan
from symtape.symbolic.walk import shadow

_BITS: Final = 300
_BUDGET: Final = Budget(statements=20_000)


@dataclass(frozen=True, slots=True)
class Single:
    """The readings of an operation, entry by entry.

    Attributes
    ----------
    given : list of float
        What it is applied to, if that is not much.
    floats : list
        What floats make of it.
    templates, balls, models : list of arb, or None
        Its template, its balls, and what rounding may make of its value; None without one.
    """

    given: list[float]
    floats: list[Any]
    templates: list[Any] | None
    balls: list[Any] | None
    models: list[Any] | None

    def entries(self) -> Iterator[tuple[Any, Any, Any, Any]]:
        """Template, ball, model and float of each entry; None for what there is not."""
        nothing = [None] * len(self.floats)
        columns = (self.templates, self.balls, self.models)
        yield from zip(*[column or nothing for column in columns], self.floats, strict=True)


def isolate_operation(
    node: Node, values: Sequence[Any], by: Sequence[int] | None = None
) -> tuple[Graph, list[Any]]:
    """An operation as a program of its floating inputs, and these; the others are constants.

    Or of those inputs alone that are at the places `by`.
    """
    row = node.row
    moving = floating_places(values) if by is None else by

    def apply(*xs: Any) -> Any:
        args = list(values)
        for place, x in zip(moving, xs, strict=True):
            args[place] = x
        result = row(*args, **node.params)
        return result if node.part is None else result[node.part]

    given = [values[i] for i in moving]
    return record(apply, *given), given


def floating_places(values: Sequence[Any]) -> list[int]:
    """Which of some values are floats."""
    return [i for i, value in enumerate(values) if np.asarray(value).dtype.kind == "f"]


def single(node: Node, values: Sequence[Any]) -> Single:
    """The readings of an operation applied to `values`.

    Raises
    ------
    Unsupported
        It is given what is not finite, or nothing but integers.
    BudgetSpent
    """
    places = floating_places(values)
    if not places or not all(np.all(np.isfinite(values[i])) for i in places):
        raise Unsupported(f"{node.name} is given no finite floats")
    graph, given = isolate_operation(node, values)
    templates, balls = (
        _evaluate_by_template(graph, given),
        _evaluate_by_balls(enclose, graph, given, _BITS),
    )
    models = _evaluate_by_balls(model, graph, given)
    if models is None and templates is not None:
        models = _enclose_rounding(graph, node, given)
    numbers = [float(x) for part in given for x in np.ravel(part)]
    floats = np.ravel(graph.evaluate(*given)[0])
    return Single(numbers if len(numbers) <= 4 else [], list(floats), templates, balls, models)


def _evaluate_by_balls(
    reading: Any, graph: Graph, given: list[Any], *bits: int
) -> list[Any] | None:
    try:
        return list(reading(graph, given, *bits)[0].ravel().tolist())
    except Unsupported:
        return None


def _evaluate_by_template(graph: Graph, given: list[Any]) -> list[Any] | None:
    """By its template; None of what is held constant, which means what floats say."""
    try:
        made = shadow(graph, given, _BUDGET)
    except Unsupported:
        return None
    if made.held:
        return None
    return list(Plan(made.program, made.outputs).enclose(given, _BITS)[0].ravel().tolist())


def _enclose_rounding(graph: Graph, node: Node, given: list[Any]) -> list[Any]:
    """What rounding may make of the template's value, of a row without balls."""
    made, unit = shadow(graph, given, _BUDGET), rounding_of(node.dtype)
    k_in, k_out = roundings(node.row, [np.shape(x) for x in given], node.params)
    with precision(_BITS):
        inputs = [arb(float(x)) * unit.factor(k_in) for part in given for x in np.ravel(part)]
        ids = made.outputs[0].ravel().tolist()
        balls = Plan(made.program, made.outputs).run(inputs)
        return [unit.make_rounding(k_out)(balls[at]) for at in ids]
