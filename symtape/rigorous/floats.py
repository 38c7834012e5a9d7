"""Whether floats that compute a graph may return an answer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from flint import arb

from symtape.errors import Unsupported
from symtape.graph.fidelity import find_spreads
from symtape.graph.graph import Graph
from symtape.rigorous.rounding import model
from symtape.rigorous.scalar import Ball

_LAST_DIGITS: Final = 2.0**10
"""By so many times what a change in the last digit of the inputs does, an answer may be off."""

_MORE_STEPS: Final = 2.0**10
"""How many times as much as the model says a library may be off that takes other steps."""


def may_return(graph: Graph, x: Sequence[Any], answers: Sequence[Any]) -> bool:
    """Whether float code that computes `graph` at `x` may return `answers`.

    The model of rounding says so as far as it reaches. Where it does not, half of the digits have
    to agree, or as many as the last digit of the inputs leaves.

    Parameters
    ----------
    graph : Graph
    x : sequence of arrays
    answers : sequence of arrays
        Of the shapes of the outputs.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> graph = symtape.record(lambda x: (x + 0.1) + 0.2, 0.3)
    >>> [may_return(graph, [0.3], [np.float64(y)]) for y in (0.3 + (0.1 + 0.2), 0.61)]
    [True, False]
    """
    return _are_possible(graph, x, answers, 1)


def may_library_return(graph: Graph, x: Sequence[Any], answers: Sequence[Any]) -> bool:
    """Whether a library that computes `graph` at `x` in its own steps may return `answers`.

    A graph lists what a function of a library means, not how it rounds: a convolution is computed
    by Fourier transforms, an interpolation rounds its weights first. So an answer may be off by
    more than the model of rounding says, but not by more than a thousand times as much. All else is
    as in :func:`may_return`.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> graph = symtape.record(lambda x: (x - 1.5) * 3, 8.25)
    >>> [may_library_return(graph, [8.25], [np.float64(20.25 + off)]) for off in (1e-12, 1e-10)]
    [True, False]
    """
    return _are_possible(graph, x, answers, _MORE_STEPS)


def _are_possible(graph: Graph, x: Sequence[Any], answers: Sequence[Any], times: float) -> bool:
    """Whether answers lie in the balls of the model, or in balls so many times as large."""
    bounds = _bounds(graph, x)
    near: list[Any] | None = None
    for number, answer in enumerate(answers):
        balls = None if bounds is None else bounds[number]
        known = _is_excluded(balls, answer, times)
        if known is False:
            continue
        if known is True:
            return False
        near = near if near is not None else _find_agreeing_outputs(graph, x, answers)
        if not near[number]:
            return False
    return True


def _bounds(graph: Graph, x: Sequence[Any]) -> list[Any] | None:
    try:
        return model(graph, x)
    except (Unsupported, LookupError):
        return None


def _is_excluded(balls: Any, answer: Any, times: float) -> bool | None:
    """Whether an entry lies outside its ball; None if some ball says nothing, and no other does."""
    if balls is None:
        return None
    unknown = False
    roundoff = _resolution(np.asarray(answer).dtype)
    pairs = zip(balls.ravel().tolist(), np.ravel(answer).tolist(), strict=True)
    for ball, value in pairs:
        if not ball.is_finite():
            unknown = True
            continue
        held = math.isfinite(value) and _widen(ball, roundoff, times).contains(arb(float(value)))
        if not held:
            return True
    return None if unknown else False


def _widen(ball: Ball, roundoff: float, times: float) -> Ball:
    """A ball as it is, or so many times its own and one rounding more of a result."""
    if times == 1:
        return ball
    return arb(ball.mid(), (ball.rad() + abs(ball.mid()) * roundoff) * times)


def _find_agreeing_outputs(graph: Graph, x: Sequence[Any], answers: Sequence[Any]) -> list[bool]:
    """Of each output, whether it is what a replay gives, but for half of its digits."""
    replayed = [np.asarray(y) for y in graph.evaluate(*x)]
    spreads = find_spreads(graph, x, replayed)
    stated = stated_error(graph)
    found = []
    for answer, value, spread in zip(answers, replayed, spreads, strict=True):
        with np.errstate(all="ignore"):
            gap = np.max(np.abs(answer - value), initial=0.0)
        size = float(np.max(np.abs(value), initial=0.0))
        relative = max(math.sqrt(_resolution(value.dtype)), stated)
        allowed = max(relative * size, _LAST_DIGITS * spread)
        # What overflows in one order of operations need not in another.
        found.append(not math.isfinite(allowed) or not math.isfinite(gap) or bool(gap <= allowed))
    return found


def stated_error(graph: Graph) -> float:
    """How far results of iterations are off, relatively, as their rows say; 0 without any."""
    rows = [(node.row, node.dtype) for node in graph.nodes if node.primitive is not None]
    return max(
        (
            row.rounding[1] * float(np.finfo(dtype).eps)
            for row, dtype in rows
            if row.name == "returned" and isinstance(row.rounding, tuple)
        ),
        default=0.0,
    )


def _resolution(dtype: np.dtype[Any]) -> float:
    return float(np.finfo(dtype).eps) if dtype.kind == "f" else 0.0
