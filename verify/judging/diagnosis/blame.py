"""Where a wrong derivative comes from: the rule that fails by itself."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

import symtape
from symtape.errors import BudgetSpent, SymtapeError
from symtape.graph.graph import CustomGradient, Graph, Node
from symtape.process.budget import Budget
from symtape.process.work import Work
from symtape.reading.record import record_readable
from symtape.recording.structure import flatten
from verify.claimants.claim import Claim
from verify.files import places
from verify.judging.kinks.search import quote
from verify.judging.rounding.comparison import compare
from verify.judging.rounding.float_value import allowance
from verify.judging.rounding.programs import examine
from verify.oracles.closed_form import Truth, truth

_MOST_WORK: Final = 1_000_000
"""Statements of all exact derivatives; the search only adds to a verdict that stands."""

_EACH: Final = 200_000
"""Statements of the exact derivative of one operation."""

_TRIES: Final = 3
"""How many applications of the same operation, on values of the same shapes, are looked into."""

_ELEMENTS: Final = 32
"""Of an elementwise operation no more elements than this are looked into."""

_ENTRIES: Final = 1024
"""A Jacobian of more entries is looked into through one weighted sum of its rows."""


@dataclass(frozen=True, slots=True)
class Blame:
    """The operation whose own derivative fails.

    Attributes
    ----------
    op : str
        Its name.
    origin : str
        The user's absolute ``file:line`` that applied it; empty where there is none.
    words : str
        What is wrong with which rule, and where that is written.
    by_a_value : bool
        Whether it is a factor that is a value of the program.
    """

    op: str
    origin: str
    words: str
    by_a_value: bool = False


@dataclass(frozen=True, slots=True)
class _Suspect:
    """An operation by itself, as a function of the values that it was given."""

    op: str
    origin: str
    function: Callable[..., Any]
    point: list[Any]
    rules: list[tuple[str, str]]
    """For each argument of `function`, what its rule is called and where that is written."""


def blame(claim: Claim, graph: Graph, values: Sequence[Any], wrong: bool = True) -> Blame | None:
    """The first operation of `graph` whose own rule fails at the values it was given.

    Only the tape's rules can be looked into, and no claim by others.

    `values` are those of every node. Without `wrong` it is a rule that is inaccurate.
    """
    work = Work(_MOST_WORK, "the search for the operation")
    with contextlib.suppress(BudgetSpent):
        for second in (False, True)[: 1 + claim.quantity.second]:
            for suspect in _suspects(graph, values):
                if (words := _describe_suspect(suspect, wrong, second, work)) is not None:
                    return Blame(suspect.op, suspect.origin, words)
    return None


def nonfinite_derivative(graph: Graph, values: Sequence[Any]) -> Blame | None:
    """The first operation that nothing uses here, but whose derivative is not finite.

    It is what a NaN in the tape's derivative comes from, when the function itself is smooth.
    """
    for at, node in enumerate(graph.nodes):
        if node.primitive is None or node.dtype.kind != "f":
            continue
        inputs = [np.asarray(values[i]) for i in node.inputs]
        if all(np.all(np.isfinite(x)) for x in inputs if x.dtype.kind == "f") and (
            not np.all(np.isfinite(values[at])) or _is_at_kink(node, inputs)
        ):
            words = (
                f"the derivative of {node.name} at {quote(inputs)} is not finite, and 0 times it "
                "is nan; where np.where does not take its value, give it a harmless argument by "
                "an np.where of its own"
            )
            return Blame(node.name, places.place_of_origin(node.origin), words)
    return None


def _is_at_kink(node: Node, inputs: list[Any]) -> bool:
    if node.row.kinks is None:
        return False
    return bool(np.any(node.row.kinks(*inputs, **node.params)))


def _suspects(graph: Graph, values: Sequence[Any]) -> Iterator[_Suspect]:
    yield from (_custom(call, values) for call in graph.customs)
    tried: dict[Any, int] = {}
    for node in graph.nodes:
        if node.primitive is None or node.dtype.kind != "f" or not any(node.primitive.rules):
            continue
        key = (node.name, str(node.params), *(np.shape(values[i]) for i in node.inputs))
        tried[key] = tried.get(key, 0) + 1
        if tried[key] <= _TRIES:
            yield _application(node, [np.asarray(values[i]) for i in node.inputs])


def _custom(call: CustomGradient, values: Sequence[Any]) -> _Suspect:
    rules = [("custom gradient", "")] * len(call.inputs)
    point = [values[i] for i in call.inputs]
    origin = places.place_of_origin(call.origin)
    return _Suspect(f"{call.name} (custom gradient)", origin, call.again, point, rules)


def _application(node: Node, inputs: list[Any]) -> _Suspect:
    row = node.row
    if row.elementwise and math.prod(node.shape) > _ELEMENTS:
        some = np.linspace(0, math.prod(node.shape) - 1, _ELEMENTS).astype(int)
        inputs = [np.broadcast_to(x, node.shape).ravel()[some] for x in inputs]
    moving = [k for k, x in enumerate(inputs) if x.dtype.kind == "f"]

    def call_alone(*xs: Any) -> Any:
        given = dict(zip(moving, xs, strict=True))
        result = row(*(given.get(k, x[()]) for k, x in enumerate(inputs)), **node.params)
        return result if node.part is None else result[node.part]

    rules = []
    for k in moving:
        rule = row.rule(k)
        name = row.inputs[0] if row.variadic else row.inputs[k]
        rules.append(
            (f"VJP rule by {name}", "" if rule is None else places.place_of_function(rule.function))
        )
    point = [inputs[k][()] for k in moving]
    return _Suspect(node.name, places.place_of_origin(node.origin), call_alone, point, rules)


def _describe_suspect(suspect: _Suspect, wrong: bool, second: bool, work: Work) -> str | None:
    """What is the matter with a suspect; None if nothing is, or nothing can be said."""
    function = _sum_values(suspect, always=second)
    arguments = tuple(range(len(suspect.point)))
    quantity = "hessian" if second else "jacobian"
    transform = symtape.hessian if second else symtape.jacobian
    tape = transform(function, argnums=arguments)

    def derivative(*xs: Any) -> list[Any]:
        return flatten(tape(*xs))

    exact = _exact(function, suspect.point, quantity, work)
    if exact is None:
        return None
    try:
        claimed = [np.asarray(part) for part in derivative(*suspect.point)]
        program = record_readable(derivative, *suspect.point)
    except (SymtapeError, LookupError):
        return None
    except Exception as error:  # noqa: BLE001
        # A wrong rule may raise anything, and is blamed for it.
        return f"the {_rule(suspect, 0)} raises {type(error).__name__}: {error}"
    try:
        part = _part(program, suspect, exact, claimed, wrong)
    except (SymtapeError, LookupError, ArithmeticError, ValueError, TypeError):
        return None
    if part is None:
        return None
    fault = "wrong" if wrong else "inaccurate"
    if second:
        rule = _rule(suspect, part // len(arguments))
        return f"the {rule} is {fault} when it is differentiated again"
    return f"the {_rule(suspect, part)} is {fault}"


def _exact(
    function: Callable[..., Any], point: list[Any], quantity: str, work: Work
) -> Truth | None:
    """The exact derivative of an operation by itself; None if there is none to be had."""
    try:
        exact = truth(record_readable(function, *point), point, quantity, Budget(statements=_EACH))
    except BudgetSpent:
        work.spend(_EACH)
        return None
    except (SymtapeError, LookupError, ArithmeticError, ValueError, TypeError):
        return None
    work.spend(len(exact.shadow.program))
    return exact if exact.finite else None


def _sum_values(suspect: _Suspect, always: bool) -> Callable[..., Any]:
    """The suspect's function, or a weighted sum of its values where there are many."""
    size = np.size(suspect.function(*suspect.point))
    if not always and size * sum(np.size(x) for x in suspect.point) <= _ENTRIES:
        return suspect.function

    def weighted_sum(*xs: Any) -> Any:
        y = suspect.function(*xs)
        weights = (np.arange(size) * 7919 % 13 + 1) / 8
        return np.sum(y * weights.reshape(np.shape(y)))

    return weighted_sum


def _part(
    program: Graph, suspect: _Suspect, exact: Truth, claimed: list[Any], wrong: bool
) -> int | None:
    """The part of the derivative that fails; None if none does."""
    if wrong:
        found = examine(program, suspect.point, exact).excluded
        failing = (
            k
            for k, (flags, part) in enumerate(zip(found, claimed, strict=True))
            if np.any(flags) or not np.all(np.isfinite(part))
        )
        return next(failing, None)
    unit = max(float(np.finfo(part.dtype).eps) for part in claimed) / 2
    allowed = allowance(program, suspect.point, exact, unit)
    compared = compare(claimed, exact, allowed)
    return compared.worst.argument if compared.beyond and compared.worst else None


def _rule(suspect: _Suspect, argument: int) -> str:
    name, place = suspect.rules[argument] if suspect.rules else ("rule", "")
    return f"{name} of {suspect.op.removesuffix(' (custom gradient)')}" + (
        f" ({place})" if place else ""
    )
