"""Faults planted in right claims about functions."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from symtape.recording.structure import flatten
from verify.model.foreign import one_or_all
from verify.selftest.operators import PLAIN, changes_of_entries
from verify.selftest.rewriting import MutatedSource, rewritten
from verify.suites.problem import Problem

Derivative = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class ClaimFault:
    """A wrong derivative.

    Attributes
    ----------
    operator, words : str
        The kind of fault, and what was changed.
    make : callable ``() -> derivative``
        A new one each time, as some remember what they were asked.
    source : MutatedSource or None
        Of a change in the source.
    """

    operator: str
    words: str
    make: Callable[[], Derivative]
    source: MutatedSource | None = None


def faults_of_claim(problem: Problem, point: tuple[Any, ...]) -> Iterator[ClaimFault]:
    """The wrong derivatives that are made of a right one.

    The point shows the shapes.
    """
    right = problem.derivative
    shapes = [np.shape(part) for part in flatten(right(*point))]
    for operator, words, change in _iterate_value_faults(shapes):
        yield ClaimFault(operator, words, functools.partial(_change_answer, right, change))
    for operator, words, make in _iterate_call_faults(problem, point, shapes):
        yield ClaimFault(operator, words, functools.partial(make, right))
    for made in rewritten(right, tuple(inspect.signature(right).parameters)):
        yield ClaimFault(
            made.operator, made.words, functools.partial(getattr, made, "function"), made
        )


Change = Callable[[list[Any], tuple[Any, ...]], list[Any]]


def _change_answer(right: Derivative, change: Change) -> Derivative:
    return lambda *xs: one_or_all(change(flatten(right(*xs)), xs))


def _change_each(change: Callable[[Any], Any]) -> Change:
    return lambda parts, xs: [change(part) for part in parts]


def _change_last(change: Callable[[Any], Any]) -> Change:
    return lambda parts, xs: [*parts[:-1], change(parts[-1])]


def _tiny(parts: list[Any], xs: tuple[Any, ...]) -> list[Any]:
    # A constant factor would be rounded away before it is recorded; a traced one is exact.
    scale = 1e-14 * (1 + sum(np.sum(x * x) for x in xs))
    return [part + part * scale for part in parts]


def _iterate_value_faults(shapes: list[tuple[int, ...]]) -> Iterator[tuple[str, str, Change]]:
    for operator, words, change in PLAIN:
        yield operator, words, _change_each(change)
    yield "factor 1 + 1e-14", "r → r + 1e-14 (1 + x·x) r", _tiny
    yield "float32 cast", "r → float32(r)", _change_each(_round_to_float32)
    for operator, words, change in changes_of_entries(shapes[-1]):
        yield operator, words, _change_last(change)
    if shapes[-1]:
        yield "forgot 1/n", "r → n r", _change_last(lambda r: len(r) * r)
    if len(shapes) == 2 and shapes[0] == shapes[1]:
        yield "swapped arguments", "(a, b) → (b, a)", lambda parts, xs: parts[::-1]


def _round_to_float32(r: Any) -> Any:
    return (
        (np.asarray(r) if isinstance(r, float | int) else r).astype(np.float32).astype(np.float64)
    )


Maker = Callable[[Derivative], Derivative]


def _iterate_call_faults(
    problem: Problem, point: tuple[Any, ...], shapes: list[tuple[int, ...]]
) -> Iterator[tuple[str, str, Maker]]:
    """Faults of how the derivative is called, and of what it remembers."""
    yield "moved point", "x → x + 1e-6", lambda right: lambda *xs: right(*[x + 1e-6 for x in xs])
    yield "stale point", "the first point's derivative for ever", _stale
    yield "accumulated", "the second call adds to the first", _accumulate_answers
    single = "x → float32(x)"
    yield "float32 cast", single, lambda right: lambda *xs: right(*map(_round_to_float32, xs))
    if problem.quantity == "gradient" and _bends(problem, point):
        yield "finite differences", "h = 1e-6, forward", lambda right: _differences(problem)
    if any(np.ndim(x) for x in point):
        yield "in place", "x is scaled before it is used", _scale_inputs_in_place
    if len(point) == 2 and np.shape(point[0]) == np.shape(point[1]):
        yield "swapped arguments", "f(x, y) → f(y, x)", lambda right: lambda x, y: right(y, x)
    if len(shapes) == 2 and shapes[0] == shapes[1] != ():
        yield "aliasing", "one buffer for two arguments", _alias_parts


def _stale(right: Derivative) -> Derivative:
    kept: list[Any] = []

    def wrong(*xs: Any) -> Any:
        if not kept:
            kept.append(right(*xs))
        return kept[0]

    return wrong


def _accumulate_answers(right: Derivative) -> Derivative:
    total: list[Any] = []

    def wrong(*xs: Any) -> Any:
        parts = flatten(right(*xs))
        total[:] = [a + b for a, b in zip(total, parts, strict=True)] if total else parts
        return one_or_all(total)

    return wrong


def _bends(problem: Problem, point: tuple[Any, ...]) -> bool:
    """Whether the function is not linear in each coordinate, where differences would be exact."""
    base = problem.function(*point)
    for k, i in ((k, i) for k, x in enumerate(point) for i in range(np.size(x))):
        ends = [problem.function(*_move(point, k, i, step)) for step in (0.25, -0.25)]
        if abs(sum(ends) - 2 * base) > 1e-9 * max(map(abs, (base, *ends))):
            return True
    return False


def _move(point: tuple[Any, ...], k: int, i: int, step: float) -> list[Any]:
    """A point with one number of an argument moved."""
    flat = np.array(point[k], dtype=float).reshape(-1)
    flat[i] += step
    moved = flat.reshape(np.shape(point[k]))[()]
    return [moved if j == k else x for j, x in enumerate(point)]


def _differences(problem: Problem) -> Derivative:
    step = 1e-6

    def wrong(*xs: Any) -> Any:
        base = problem.function(*xs)

        def slope(k: int, i: int) -> Any:
            return (problem.function(*_move(xs, k, i, step)) - base) / step

        sizes = [(k, np.shape(x)) for k, x in enumerate(xs)]
        return one_or_all(
            [np.reshape([slope(k, i) for i in range(math.prod(s))], s) for k, s in sizes]
        )

    return wrong


def _scale_inputs_in_place(right: Derivative) -> Derivative:
    def wrong(*xs: Any) -> Any:
        for x in xs:
            if isinstance(x, np.ndarray):
                x *= 1.5
        return right(*xs)

    return wrong


def _alias_parts(right: Derivative) -> Derivative:
    def wrong(*xs: Any) -> Any:
        first, second = right(*xs)
        buffer = np.array(first)
        parts = (buffer, buffer)
        buffer[...] = second
        return parts

    return wrong
