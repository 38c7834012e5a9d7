"""Whether a vector lies in the convex hull of others, decided by a direction that separates them.

The hull may be a sum of several (of 40 segments, which has 2^40 vertices): its vertex that is
farthest in some direction is the sum of theirs, and no more is asked of it.

The point of the hull nearest to the vector is sought by Wolfe's method; the direction from one
to the other then separates them if anything does. Floats only propose the direction: that it
separates is checked in exact rational arithmetic.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

import numpy as np
from flint import arb

from symtape.process.precision import precision
from symtape.recording.structure import separate_entries
from symtape.symbolic.precise import Plan
from symtape.symbolic.program import Program
from verify.judging.kinks.alternatives import ActivePieces, Gap, Piece, Problem
from verify.judging.kinks.slopes import PieceSlopes, coordinates_of, may_be_equal
from verify.oracles.closed_form import Truth, good_bits

_STEPS: Final = 1000


def separation(vertices: Any, vector: Any, slack: Any, *more: Any) -> Any:
    """A direction in which every vertex is farther than `vector` by more than the slack.

    Parameters
    ----------
    vertices : float array, shape (k, n)
    vector : float array, shape (n,)
    slack : float array, shape (n,)
        How much each entry of `vector` may be off; positive. An infinite one leaves its entry
        out.
    *more : float arrays, shape (j, n)
        Vertices of polytopes that are added to the hull.

    Returns
    -------
    float array, shape (n,), or None
        A certificate: ``d @ (v - vector) > abs(d) @ slack`` for every vertex ``v``, in exact
        arithmetic. None: no such direction was found.

    Source
    ------
    Wolfe, "Finding the nearest point in a polytope", Math. Programming 11 (1976).

    Examples
    --------
    >>> corners = np.array([[1.0, 0.0], [0.0, 1.0]])  # of max(x, y) at a tie
    >>> separation(corners, np.array([0.3, 0.7]), np.full(2, 1e-9)) is None
    True
    >>> bool(np.all(separation(corners, np.array([1.0, 1.0]), np.full(2, 1e-9)) < 0))
    True
    """
    counted = np.isfinite(slack)
    if not np.any(counted):
        return None
    parts = [part[:, counted] for part in (vertices, *more)]
    vector, slack = vector[counted], slack[counted]
    with np.errstate(all="ignore"):
        scaled = [(parts[0] - vector) / slack, *[part / slack for part in parts[1:]]]
    for direction in _directions(scaled):
        proposed = direction / slack
        size = np.max(np.abs(proposed), initial=0.0)
        if not (np.isfinite(size) and size > 0):
            continue
        proposed = proposed / size
        if _separates(parts, vector, slack, proposed):
            result = np.zeros(counted.shape)
            result[counted] = proposed
            return result
    return None


def _directions(parts: Sequence[Any]) -> Sequence[Any]:
    """What may separate 0 from a sum of hulls: the axis that does most, and the nearest point."""
    low = np.sum([np.min(part, axis=0) for part in parts], axis=0)
    high = np.sum([np.max(part, axis=0) for part in parts], axis=0)
    apart = np.maximum(low, -high)
    best = int(np.argmax(apart))
    axis = np.zeros(len(low))
    axis[best] = 1.0 if low[best] > 0 else -1.0
    if not all(np.all(np.isfinite(part)) for part in parts):
        return [axis]
    return [axis, _nearest(parts)]


def _nearest(parts: Sequence[Any]) -> Any:
    """The point of least norm in the sum of the convex hulls of `parts`."""
    size = sum(float(np.max(np.abs(part), initial=0.0)) for part in parts)
    parts = [part / max(size, 1e-300) for part in parts]
    corner = _corner(parts, np.sum([np.mean(part, axis=0) for part in parts], axis=0))
    corral, points, weights = [corner], _points(parts, [corner]), np.array([1.0])
    for _ in range(_STEPS):
        nearest = weights @ points
        corner = _corner(parts, nearest)
        entering = _points(parts, [corner])
        scale = float(np.max(np.sum(np.vstack([points, entering]) ** 2, axis=1), initial=1.0))
        enough = entering[0] @ nearest >= nearest @ nearest - 1e-12 * scale
        if enough or corner in corral:
            break
        points = np.vstack([points, entering])
        kept, weights = _minor(points @ points.T, [*range(len(points))], np.append(weights, 0.0))
        corral = [[*corral, corner][k] for k in kept]
        points = points[kept]
    nearest, along = weights @ points, (points[1:] - points[0]).T
    # Rounding tilts it by as much as the vertices are farther away: what is left along them goes.
    return nearest - along @ np.linalg.lstsq(along, nearest, rcond=None)[0]


def _corner(parts: Sequence[Any], direction: Any) -> tuple[int, ...]:
    """Which vertex of each part is the least in a direction."""
    return tuple(int(np.argmin(part @ direction)) for part in parts)


def _points(parts: Sequence[Any], corners: Sequence[tuple[int, ...]]) -> Any:
    return np.array([sum(part[k] for part, k in zip(parts, one, strict=True)) for one in corners])


def _minor(gram: Any, corral: list[int], weights: Any) -> tuple[list[int], Any]:
    """Move to the least point of the affine hull, dropping what is left on the way."""
    while len(corral) > 1:
        affine = _least(gram[np.ix_(corral, corral)])
        if np.all(affine > 0):
            return corral, affine
        falling = affine <= 0
        drop = weights[falling] - affine[falling]
        ratios = np.where(drop > 0, weights[falling] / np.where(drop > 0, drop, 1), 0.0)
        step = float(np.min(ratios))
        weights = (1 - step) * weights + step * affine
        out = int(np.flatnonzero(falling)[np.argmin(ratios)])
        corral = corral[:out] + corral[out + 1 :]
        weights = np.delete(np.maximum(weights, 0), out)
        weights = weights / np.sum(weights) if np.sum(weights) > 0 else weights + 1 / len(weights)
    return corral, np.ones(1)


def _least(gram: Any) -> Any:
    """Weights, of sum 1, of the point of least norm in an affine hull."""
    count = len(gram)
    system = np.ones((count + 1, count + 1))
    system[0, 0] = 0.0
    system[1:, 1:] = gram
    right = np.zeros(count + 1)
    right[0] = 1.0
    return np.linalg.lstsq(system, right, rcond=None)[0][1:]


def _separates(parts: Sequence[Any], vector: Any, slack: Any, direction: Any) -> bool:
    exact = [Fraction(float(d)) for d in direction]
    reach = sum(abs(d) * Fraction(float(s)) for d, s in zip(exact, slack, strict=True))
    offset = sum(d * Fraction(float(x)) for d, x in zip(exact, vector, strict=True))
    nearest = sum(
        min(
            sum(d * Fraction(float(v)) for d, v in zip(exact, vertex, strict=True) if d and v)
            for vertex in part
        )
        for part in parts
    )
    return nearest - offset > reach


_AGREE: Final = 140
"""Pieces whose derivatives have this many bits in common are taken for one. What is called wrong
lies outside of them all."""


def agreement(
    found: ActivePieces,
    slopes: list[PieceSlopes],
    problem: Problem,
    exact: Truth,
    bits: int,
) -> Truth | None:
    """The derivative that all pieces have in common; None if they do not, or may not."""
    beside = [one for one in slopes if one.piece.real and not _is_on_tie(one)]
    if found.lost or found.edge or not beside:
        return None
    real = [one for one in slopes if one.piece.real]
    if any(entry is None or isinstance(entry, float) for one in beside for entry in one.entries):
        return None
    if not all(_have_same_value(beside[0], one) for one in real):
        return None
    with precision(bits):
        common = [_union(balls) for balls in zip(*[one.entries for one in beside], strict=True)]
    good = [good_bits(ball, bits) for ball in common]
    if any(b < _AGREE for b in good):
        return None
    shape = beside[0].piece.form.outputs[0].shape
    coordinates = coordinates_of(problem.point, problem.quantity, shape)
    for one in real:
        if _is_on_tie(one) and not _agrees_along(one, common, coordinates, problem.is_second):
            return None
    agreed = _truth(common, beside[0].piece, exact, bits, min(good, default=bits))
    return replace(agreed, costs=separate_entries(_costs(real), map(np.shape, agreed.ids)))


def part_ways(slopes: list[PieceSlopes], bits: int) -> bool:
    """Whether pieces beside the point certainly differ, and all that is finite is known well."""
    balls = [entry for one in slopes for entry in one.entries if isinstance(entry, arb)]
    if any(good_bits(ball, bits) < _AGREE for ball in balls):
        return False
    beside = [one.entries for one in slopes if one.piece.real and not _is_on_tie(one)]
    return any(
        isinstance(a, arb) and isinstance(b, arb) and not a.overlaps(b)
        for one in beside
        for a, b in zip(beside[0], one, strict=True)
    )


def _have_same_value(one: PieceSlopes, other: PieceSlopes) -> bool:
    """Whether two pieces have the same value, and for a second derivative the same gradient."""
    ours, theirs = [*one.values, *one.firsts], [*other.values, *other.firsts]
    return all(may_be_equal(a, b) for a, b in zip(ours, theirs, strict=True))


def _truth(common: list[Any], piece: Piece, exact: Truth, bits: int, good: int) -> Truth:
    return replace(
        exact,
        parts=separate_entries(np.array(common, dtype=object), map(np.shape, piece.ids)),
        ids=piece.ids,
        shadow=piece.form,
        bits=min(good, bits),
        precision=bits,
        plan=Plan(piece.form.program, piece.ids),
        statements=[],
        by_jets=False,
    )


def _costs(slopes: Sequence[PieceSlopes]) -> Any:
    """What rounding may cost each entry of any of the pieces, in units of the unit roundoff."""
    costs = np.array([one.cost for one in slopes])
    return np.max(np.where(np.isfinite(costs), costs, 0.0), axis=0)


def _union(balls: Sequence[Any]) -> Any:
    result = balls[0]
    for ball in balls[1:]:
        if not (ball.is_exact() and result.is_exact() and ball == result):
            result = result.union(ball)
    return result


def _is_on_tie(one: PieceSlopes) -> bool:
    return any(sign == 0 for _, sign in one.gap_slopes)


def _agrees_along(one: PieceSlopes, common: list[Any], coordinates: Any, second: bool) -> bool:
    """Whether a piece that holds on a tie alone agrees in every direction that stays on it.

    Only ties are looked into that fix a coordinate; of a second derivative, those that do so
    exactly.
    """
    fixed = set()
    for (gap, sign), (slope, _) in zip(one.piece.sides.items(), one.gap_slopes, strict=True):
        if sign:
            continue
        moving = [k for k, ball in enumerate(slope) if not ball.is_zero()]
        enough = not second or _fixes(one.piece.form.program, gap)
        if len(moving) == 1 and not slope[moving[0]].contains(0) and enough:
            fixed.add(moving[0])
    free = [k for k, at in enumerate(coordinates) if not fixed & set(np.atleast_1d(at).tolist())]
    return all(may_be_equal(one.entries[k], common[k]) for k in free)


def _fixes(program: Program, gap: Gap) -> bool:
    """Whether a gap is that of an input and a constant."""
    inputs = [at for at in gap if at in program.inputs]
    return len(inputs) == 1 and any(at in program.constants for at in gap)
