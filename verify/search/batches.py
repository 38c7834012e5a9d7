"""Batches: many points read at once, where a known recording and a known closed form allow it.

The function and the exact derivative are evaluated on arrays of points; the claim, which is
anybody's code, is called at each. Points of another path or another form, and those at which
extended floats cannot tell what the derivative is, are read one by one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from symtape.errors import Unsupported
from symtape.graph.graph import Graph
from symtape.rigorous.xla import is_xla
from verify.errors import NotADerivative
from verify.kinks.paths import paths_of
from verify.oracles.closed_form import shape_of
from verify.search.reader import Reader, Reading, Standing
from verify.search.tracks import Track

__all__ = ["read_many"]

_FEW: Final = 12
"""Fewer points are read one by one."""

_ROUNDS: Final = 16
"""So many recordings and forms are looked for among the points."""

_SURE: Final = 2.0**-5
"""Of an ulp: how far off extended floats may be and be trusted."""

Point = tuple[Any, ...]


def read_many(reader: Reader, points: Sequence[Point]) -> list[Reading]:
    """The readings at points, in their order.

    Raises
    ------
    NotTraceable, NotOnTape, UsageError
        As :meth:`Reader.read`.
    """
    found: dict[int, Reading] = {}
    kinds: dict[Any, list[int]] = {}
    for number, x in enumerate(points):
        kinds.setdefault(tuple((np.shape(arg), arg.dtype) for arg in x), []).append(number)
    for left in kinds.values():
        for _ in range(_ROUNDS):
            if len(left) < _FEW or is_xla():
                break
            # Reading one of them makes its recording and its closed form known.
            found[left[0]] = reader.read(points[left[0]])
            left = left[1:]
            read = _together(reader, [points[k] for k in left])
            found |= {left[k]: reading for k, reading in read.items()}
            left = [k for number, k in enumerate(left) if number not in read]
        for k in left:
            found[k] = reader.read(points[k])
    return [found[k] for k in range(len(points))]


def _together(reader: Reader, points: list[Point]) -> dict[int, Reading]:
    """Readings at those of the points that take the path that was recorded or replayed last."""
    track = next((track for track in reader.tracks.known if track.fits(points[0])), None)
    if track is None or not reader.comparable(track.graph):
        return {}
    with np.errstate(all="ignore"):
        replayed = track.followed_by_many(points)
        if replayed is None:
            return {}
        values, taken = replayed
        return _compared(reader, track, points, values, taken)


def _compared(
    reader: Reader, track: Track, points: list[Point], values: list[tuple[Any, bool]], taken: Any
) -> dict[int, Reading]:
    graph, count = track.graph, len(points)
    paths = paths_of(graph, values, count)
    finite = taken & _finite(graph, values, count)
    found = {
        k: Reading(points[k], Standing.OUTSIDE, paths[k])
        for k in np.flatnonzero(taken & ~finite).tolist()
    }
    reader.count += len(found)
    flat = np.array([np.concatenate([np.ravel(arg) for arg in x]) for x in points], dtype=float)
    for fitting, exact, errors in reader.forms.at_many(graph, values, flat):
        sure = np.all(errors <= _SURE * np.spacing(np.abs(exact).astype(float)), axis=1)
        for number, k in enumerate(np.flatnonzero(fitting).tolist()):
            if finite[k] and sure[number]:
                found[k] = _claimed(reader, graph, points[k], paths[k], exact[number])
            elif finite[k]:
                found[k] = reader.read(points[k])
    return found


def _finite(graph: Graph, values: list[tuple[Any, bool]], count: int) -> Any:
    flags = np.ones(count, dtype=bool)
    for at in graph.outputs:
        value, many = values[at]
        finite = np.isfinite(value)
        flags &= np.all(np.reshape(finite, (count, -1)), axis=1) if many else np.all(finite)
    return flags


def _claimed(reader: Reader, graph: Graph, x: Point, path: Any, exact: Any) -> Reading:
    """The reading of a claim beside the exact entries."""
    reader.count += 1
    try:
        answer = reader.claim.answer(x, shape_of(graph, reader.claim.quantity))
    except NotADerivative as error:
        return Reading(x, Standing.REFUSED, path, math.inf, words=str(error))
    except (Unsupported, LookupError) as error:
        return Reading(x, Standing.UNKNOWN, path, words=str(error))
    reader.pay(graph, len(exact))
    worst, start = (0.0, math.nan, math.nan), 0
    for part in answer.parts:
        beside = exact[start : start + part.size]
        start += part.size
        ulps = _ulps(part.ravel(), beside)
        if part.size and (math.isnan(worst[1]) or np.max(ulps) > worst[0]):
            at = int(np.argmax(ulps))
            worst = (float(ulps[at]), float(part.flat[at]), float(beside[at]))
    dtype = str(answer.parts[0].dtype) if answer.parts else ""
    sizes = np.cumsum([part.size for part in answer.parts])[:-1]
    pieces = np.split(exact.astype(float), sizes)
    beside = [piece.reshape(p.shape) for piece, p in zip(pieces, answer.parts, strict=True)]
    excess = reader.excess(answer.parts, beside)
    return Reading(x, Standing.READ, path, *worst, dtype, excess=excess)


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
