"""Batches: points evaluated at once, where a known recording and a known closed form allow it.

The function and the exact derivative are evaluated on arrays of points; the claim, which is
anybody's code, is called at each. Points of another path or another form, and those at which
extended floats cannot tell what the derivative is, are evaluated one by one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from symtape.graph.graph import Graph
from symtape.recording.structure import separate_entries
from symtape.rigorous.xla import is_xla
from verify.judging.kinks.paths import paths_of
from verify.judging.search.evaluator import Evaluation, Evaluator, Status
from verify.judging.search.tracks import Track

_FEW: Final = 12
"""Fewer points are evaluated one by one."""

_ROUNDS: Final = 16
"""So many recordings and forms are looked for among the points."""

_SURE: Final = 2.0**-5
"""Of an ulp: how far off extended floats may be and be trusted."""

Point = tuple[Any, ...]


def evaluate_many(evaluator: Evaluator, points: Sequence[Point]) -> list[Evaluation]:
    """The evaluations at points, in their order.

    Raises
    ------
    NotTraceable, NotOnTape, UsageError
        As :meth:`Evaluator.evaluate`.
    """
    found: dict[int, Evaluation] = {}
    kinds: dict[Any, list[int]] = {}
    for number, x in enumerate(points):
        kinds.setdefault(tuple((np.shape(arg), arg.dtype) for arg in x), []).append(number)
    for left in kinds.values():
        for _ in range(_ROUNDS):
            if len(left) < _FEW or is_xla():
                break
            # Evaluating one of them makes its recording and its closed form known.
            found[left[0]] = evaluator.evaluate(points[left[0]])
            left = left[1:]
            done = _evaluate_together(evaluator, [points[k] for k in left])
            found |= {left[k]: evaluation for k, evaluation in done.items()}
            left = [k for number, k in enumerate(left) if number not in done]
        for k in left:
            found[k] = evaluator.evaluate(points[k])
    return [found[k] for k in range(len(points))]


def _evaluate_together(evaluator: Evaluator, points: list[Point]) -> dict[int, Evaluation]:
    """Evaluations at those of the points that take the path that was recorded or replayed last."""
    track = next((track for track in evaluator.tracks.known if track.fits(points[0])), None)
    if track is None or not evaluator.comparable(track.graph):
        return {}
    replayed = track.followed_by_many(points)
    if replayed is None:
        return {}
    values, taken = replayed
    return _compare_points(evaluator, track, points, values, taken)


def _compare_points(
    evaluator: Evaluator,
    track: Track,
    points: list[Point],
    values: list[tuple[Any, bool]],
    taken: Any,
) -> dict[int, Evaluation]:
    graph, count = track.graph, len(points)
    paths = paths_of(graph, values, count)
    finite = taken & _finite(graph, values, count)
    found = {
        k: Evaluation(points[k], Status.OUTSIDE, paths[k])
        for k in np.flatnonzero(taken & ~finite).tolist()
    }
    evaluator.count += len(found)
    flat = np.array([np.concatenate([np.ravel(arg) for arg in x]) for x in points], dtype=float)
    for fitting, exact, errors in evaluator.forms.evaluate_points(graph, values, flat):
        sure = np.all(errors <= _SURE * np.spacing(np.abs(exact).astype(float)), axis=1)
        for number, k in enumerate(np.flatnonzero(fitting).tolist()):
            if finite[k] and sure[number]:
                found[k] = _evaluate_claim(evaluator, graph, points[k], paths[k], exact[number])
            elif finite[k]:
                found[k] = evaluator.evaluate(points[k])
    return found


def _finite(graph: Graph, values: list[tuple[Any, bool]], count: int) -> Any:
    flags = np.ones(count, dtype=bool)
    for at in graph.outputs:
        value, many = values[at]
        finite = np.isfinite(value)
        flags &= np.all(np.reshape(finite, (count, -1)), axis=1) if many else np.all(finite)
    return flags


def _evaluate_claim(
    evaluator: Evaluator, graph: Graph, x: Point, path: Any, exact: Any
) -> Evaluation:
    """The evaluation of a claim beside the exact entries."""
    evaluator.count += 1
    answer = evaluator.answer(x, graph, path)
    if isinstance(answer, Evaluation):
        return answer
    evaluator.charge_for(graph, len(exact))
    worst = (0.0, math.nan, math.nan)
    beside = separate_entries(exact, map(np.shape, answer.parts))
    for part, truth in zip(answer.parts, beside, strict=True):
        ulps = _ulps(part.ravel(), truth.ravel())
        if part.size and (math.isnan(worst[1]) or np.max(ulps) > worst[0]):
            at = int(np.argmax(ulps))
            worst = (float(ulps[at]), float(part.flat[at]), float(truth.flat[at]))
    dtype = str(answer.parts[0].dtype) if answer.parts else ""
    excess = evaluator.excess(answer.parts, [truth.astype(float) for truth in beside])
    return Evaluation(x, Status.COMPARED, path, *worst, dtype, excess=excess)


def _ulps(claimed: Any, exact: Any) -> Any:
    """Distances in units in the last place of the claim's dtype at the exact values."""
    limits = np.finfo(claimed.dtype)
    middle = exact.astype(float)
    _, exponent = np.frexp(middle)
    least = float(limits.smallest_subnormal)
    unit = np.maximum(np.ldexp(float(limits.eps), exponent - 1), least)
    ulps = (np.abs(exact - claimed) / unit).astype(float)
    beyond = np.isinf(claimed) & (np.abs(middle) >= float(limits.max))
    right = beyond & (np.signbit(claimed) == np.signbit(middle))
    ulps = np.where(np.isfinite(claimed), ulps, np.where(right, 0.0, np.inf))
    return np.where(claimed == middle, 0.0, ulps)
