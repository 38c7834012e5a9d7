"""Constants of a claim that are floats near to what was meant: pi, a square root, a third.

``2 / np.sqrt(np.pi)`` is rounded before anybody can record it, so a rule that is right on paper
is the rule of a slightly different function in exact arithmetic. Such a claim is not wrong: it is
read again with every such constant blurred, and where that reading holds the exact derivative,
its values decide. Constants of the function itself are what they are, and so are short ones (2,
0.5, 1024), which are likely to be meant.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from flint import arb

from symtape.graph.graph import Graph, Node
from symtape.precision import precision
from symtape.rigorous.enclose import Reading, enclose
from symtape.rigorous.scalar import as_ball
from verify.witnesses.closed_form import Truth, good_bits
from verify.witnesses.derivative_program import Rule, apart

__all__ = ["absorbed", "blurred"]

_ULPS: Final = 4
"""What a constant may be off by: it may be the result of a few operations."""

_LEAST: Final = arb((1, -64))
"""No rounding of a float is as small as this, relatively, but by an accident."""


def blurred(program: Graph, function: Graph, point: Sequence[Any], truth: Truth) -> Rule:
    """Set a program, its long constants blurred, beside the exact derivative.

    Parameters
    ----------
    program : Graph
        The claim's own.
    function : Graph
        What it is the derivative of; constants that are in it are exact, also times a power of
        two.
    point : sequence of arrays
    truth : Truth

    Returns
    -------
    Rule
        An entry that is excluded is so whatever the constants round.
    """
    known = {
        digits
        for node in function.nodes
        if node.constant is not None and np.asarray(node.constant).dtype.kind == "f"
        for digits in _digits(np.asarray(node.constant)).ravel().tolist()
    }
    with precision(truth.precision):
        balls = _Blurred(program, point, known).outputs()
        missed = [
            np.asarray(np.frompyfunc(apart, 3, 1)(ball, exact, program.nodes[at].dtype), dtype=bool)
            for at, ball, exact in zip(program.outputs, balls, truth.parts, strict=True)
        ]
        bits = min(
            (good_bits(ball, truth.precision) for part in balls for ball in part.ravel()),
            default=truth.precision,
        )
    return Rule(missed, min(bits, truth.bits))


def absorbed(
    program: Graph,
    function: Graph,
    point: Sequence[Any],
    truth: Truth,
    allowed: Sequence[Any],
    honest: Graph,
) -> float | None:
    """The long constant of a function that its claimed derivative has worked out, if that is all.

    The derivative of ``erfc(-x / np.sqrt(2)) / 2`` is written with ``x * x / 2``, which is the
    exact one of a root that nobody rounded. The two differ by what rounding the root costs.

    Parameters
    ----------
    program : Graph
        The claim's own.
    function : Graph
    point : sequence of arrays
    truth : Truth
    allowed : sequence of float arrays
        How far from the exact derivative honest floats may be.
    honest : Graph
        The same derivative with the function's own constants.

    Returns
    -------
    float or None
        None if the function has no long constant, or the claim is farther off. A claim that has
        them all, perhaps only in what it computes of the function again, is held to what their
        last digits explain.
    """
    own, there = _long(function), _long(program)
    if not own:
        return None
    missing = [constant for digits, constant in own.items() if digits not in there]
    balls = enclose(program, point, truth.precision)
    if not missing and not _blur_holds(balls, honest, point, truth):
        return None
    with precision(truth.precision):
        near = all(
            _rounded_off(ball, exact, bound)
            for part, exacts, bounds in zip(balls, truth.parts, allowed, strict=True)
            for ball, exact, bound in zip(
                np.ravel(part),
                np.ravel(exacts),
                np.broadcast_to(bounds, np.shape(exacts)).ravel().tolist(),
                strict=True,
            )
        )
    return next(iter(missing or own.values())) if near else None


def _blur_holds(balls: Sequence[Any], honest: Graph, point: Sequence[Any], truth: Truth) -> bool:
    """Whether other last digits of the long constants of `honest` explain every ball."""
    with precision(truth.precision):
        blur = _Blurred(honest, point, set()).outputs()
        return all(
            ball.overlaps(other)
            for part, others in zip(balls, blur, strict=True)
            for ball, other in zip(np.ravel(part), np.ravel(others), strict=True)
        )


def _rounded_off(ball: Any, exact: Any, bound: float) -> bool:
    """Whether two balls are as far apart as a rounded constant may set them, and not much less."""
    gap = abs(ball - exact)
    return bool(ball.overlaps(exact) or (gap <= arb(bound) and gap >= abs(exact) * _LEAST))


def _long(graph: Graph) -> dict[float, float]:
    """The long constants of a graph, by their digits."""
    found: dict[float, float] = {}
    for node in graph.nodes:
        array = np.asarray(node.constant) if node.constant is not None else np.zeros(0)
        if array.dtype.kind != "f":
            continue
        room = np.finfo(array.dtype).nmant // 2
        for value, digits in zip(
            array.ravel().tolist(), _digits(array).ravel().tolist(), strict=True
        ):
            if math.isfinite(value) and not math.ldexp(digits, room).is_integer():
                found.setdefault(digits, value)
    return found


class _Blurred(Reading):
    """A reading of a graph in which long constants are balls of a few ulps."""

    def __init__(self, graph: Graph, inputs: Sequence[Any], known: set[float]) -> None:
        super().__init__(graph, inputs)
        self._known = known

    def constant(self, node: Node) -> Any:
        """The meaning of a constant, blurred where it is long and not the function's own."""
        array = np.asarray(node.constant)
        if array.dtype.kind != "f":
            return super().constant(node)
        digits = np.finfo(array.dtype).nmant
        meaning = np.frompyfunc(lambda x: self._ball(x, digits), 1, 1)(array)
        return meaning if array.ndim else as_ball(meaning)

    def _ball(self, x: Any, most: int) -> Any:
        exact = as_ball(x)
        digits = float(_digits(np.asarray(x)))
        # Half of the digits that there are room for: who meant it wrote it down.
        short = math.ldexp(digits, most // 2).is_integer()
        if not math.isfinite(x) or short or digits in self._known:
            return exact
        return exact + arb(0, 1) * abs(exact) * arb(math.ldexp(_ULPS, -most))


def _digits(array: Any) -> Any:
    """The digits of floats, as numbers from 0.5 to 1."""
    return np.abs(np.frexp(array.astype(np.float64))[0])
