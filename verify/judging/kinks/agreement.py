"""The one derivative of all pieces that meet at a point, where they agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
from flint import arb

from symtape.process.precision import precision
from symtape.recording.structure import separate_entries
from symtape.symbolic.precise import Plan
from symtape.symbolic.program import Program
from verify.judging.kinks.active_pieces import ActivePieces, Piece
from verify.judging.kinks.alternatives import Gap
from verify.judging.kinks.problem import Problem
from verify.judging.kinks.slopes import PieceSlopes, coordinates_of, may_be_equal
from verify.oracles.closed_form import Truth, good_bits

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
