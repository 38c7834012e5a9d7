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
from symtape.rigorous.backward_error import is_xla
from verify.claimants.claim import Answer
from verify.judging.search.evaluator import Evaluation, Evaluator, Status
from verify.judging.search.tracks import Track, paths_of

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
        answers: dict[int, tuple[Any, Answer]] = {}
        for number, k in enumerate(np.flatnonzero(fitting).tolist()):
            if finite[k] and sure[number]:
                answer = _ask_claim(evaluator, graph, points[k], paths[k], exact.shape[1])
                if isinstance(answer, Evaluation):
                    found[k] = answer
                else:
                    answers[k] = exact[number], answer
            elif finite[k]:
                found[k] = evaluator.evaluate(points[k])
        found |= _compare_answers(evaluator, points, paths, answers)
    return found


def _finite(graph: Graph, values: list[tuple[Any, bool]], count: int) -> Any:
    flags = np.ones(count, dtype=bool)
    for at in graph.outputs:
        value, many = values[at]
        finite = np.isfinite(value)
        flags &= np.all(np.reshape(finite, (count, -1)), axis=1) if many else np.all(finite)
    return flags


def _ask_claim(
    evaluator: Evaluator, graph: Graph, x: Point, path: Any, entries: int
) -> Answer | Evaluation:
    evaluator.count += 1
    answer = evaluator.answer(x, graph, path)
    if not isinstance(answer, Evaluation):
        evaluator.charge_for(graph, entries)
    return answer


def _compare_answers(
    evaluator: Evaluator,
    points: list[Point],
    paths: Sequence[Any],
    answers: dict[int, tuple[Any, Answer]],
) -> dict[int, Evaluation]:
    """The evaluations of a claim beside the exact entries, of all points with the same types."""
    kinds: dict[Any, list[int]] = {}
    for k, (_, answer) in answers.items():
        kinds.setdefault(tuple((part.dtype, part.shape) for part in answer.parts), []).append(k)
    found = {}
    for kind, members in kinds.items():
        exact = np.array([answers[k][0] for k in members])
        worst, start = [(0.0, math.nan, math.nan)] * len(members), 0
        for number, (_, shape) in enumerate(kind):
            claimed = np.array([answers[k][1].parts[number].ravel() for k in members])
            end = start + math.prod(shape)
            worst = _find_worst(worst, claimed, exact[:, start:end])
            start = end
        dtype = str(kind[0][0]) if kind else ""
        for row, k, errors in zip(exact.astype(float), members, worst, strict=True):
            parts = answers[k][1].parts
            excess = evaluator.excess(parts, separate_entries(row, map(np.shape, parts)))
            found[k] = Evaluation(
                points[k], Status.COMPARED, paths[k], *errors, dtype, excess=excess
            )
    return found


Worst = tuple[float, float, float]


def _find_worst(before: list[Worst], claimed: Any, exact: Any) -> list[Worst]:
    """For each point the entry with the largest error, unless an earlier part has a larger one."""
    if not claimed.size:
        return before
    ulps = _ulps(claimed, exact)
    at = np.argmax(ulps, axis=1)[:, None]
    columns = (np.take_along_axis(each, at, 1)[:, 0].tolist() for each in (ulps, claimed, exact))
    return [
        (error, claim, float(truth)) if math.isnan(old[1]) or error > old[0] else old
        for old, error, claim, truth in zip(before, *columns, strict=True)
    ]


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
