"""Whether floats that compute a graph may return an answer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from flint import arb

from symtape.errors import Unsupported
from symtape.graph.graph import Graph
from symtape.rigorous.rounding import model

_LAST_DIGITS: Final = 2.0**10
"""By so many times what a change in the last digit of the inputs does, an answer may be off."""

_MOVES: Final = 3


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
    bounds = _bounds(graph, x)
    near: list[Any] | None = None
    for number, answer in enumerate(answers):
        balls = None if bounds is None else bounds[number]
        known = _is_excluded(balls, answer)
        if known is False:
            continue
        if known is True:
            return False
        near = near if near is not None else _find_agreeing_outputs(graph, x, answers, 0.5)
        if not near[number]:
            return False
    return True


def may_kernel_return(graph: Graph, x: Sequence[Any], answers: Sequence[Any]) -> bool:
    """Whether a framework that computes `graph` at `x` in its own steps may return `answers`.

    A graph lists what a kernel means, not in which order it rounds: an interpolation has its
    weights, a normalisation its scale and its shift. So it may be off by more than the model of
    rounding says, but not by more than a thousand times what the last digits of the inputs do.

    Parameters
    ----------
    graph : Graph
    x : sequence of arrays
    answers : sequence of arrays
        Of the shapes of the outputs.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> graph = symtape.record(lambda x: (x - 1.5) * 3, 8.25)
    >>> [may_kernel_return(graph, [8.25], [np.float64(20.25 + off)]) for off in (1e-13, 1e-10)]
    [True, False]
    """
    if may_return(graph, x, answers):
        return True
    finite = all(bool(np.all(np.isfinite(answer))) for answer in answers)
    return finite and all(_find_agreeing_outputs(graph, x, answers, share=1.0))


def _bounds(graph: Graph, x: Sequence[Any]) -> list[Any] | None:
    try:
        return model(graph, x)
    except (Unsupported, LookupError):
        return None


def _is_excluded(balls: Any, answer: Any) -> bool | None:
    """Whether an entry lies outside its ball; None if some ball says nothing, and no other does."""
    if balls is None:
        return None
    unknown = False
    pairs = zip(balls.ravel().tolist(), np.ravel(answer).tolist(), strict=True)
    for ball, value in pairs:
        if not ball.is_finite():
            unknown = True
        elif not math.isfinite(value) or not ball.contains(arb(float(value))):
            return True
    return None if unknown else False


def _find_agreeing_outputs(
    graph: Graph, x: Sequence[Any], answers: Sequence[Any], share: float
) -> list[bool]:
    """Of each output, whether a share of its digits is what a replay gives."""
    random = np.random.default_rng(0)
    replayed = [np.asarray(y) for y in graph.evaluate(*x)]
    moved = [_replay_nearby(graph, x, random) for _ in range(_MOVES)]
    stated = stated_error(graph)
    found = []
    for number, (answer, value) in enumerate(zip(answers, replayed, strict=True)):
        with np.errstate(all="ignore"):
            spread = [np.max(np.abs(outputs[number] - value), initial=0.0) for outputs in moved]
            gap = np.max(np.abs(answer - value), initial=0.0)
        size = float(np.max(np.abs(value), initial=0.0))
        relative = max(_resolution(value.dtype) ** share, stated)
        allowed = max(relative * size, _LAST_DIGITS * float(max(spread)))
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


def _replay_nearby(graph: Graph, x: Sequence[Any], random: np.random.Generator) -> list[Any]:
    moved = []
    for arg in map(np.asarray, x):
        by = np.finfo(arg.dtype).eps * random.choice([-1.0, 1.0], arg.shape)
        moved.append((arg * (1 + by)).astype(arg.dtype)[()])
    return [np.asarray(y) for y in graph.evaluate(*moved)]


def _resolution(dtype: np.dtype[Any]) -> float:
    return float(np.finfo(dtype).eps) if dtype.kind == "f" else 0.0
