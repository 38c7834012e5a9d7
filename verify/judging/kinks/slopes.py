"""The derivatives of the pieces that meet at a point, enclosed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from flint import arb

from symtape.symbolic.conditioning import bound_rounding_errors
from symtape.symbolic.derivative import gradient, pull_back
from symtape.symbolic.precise import Plan
from symtape.symbolic.program import ONE, ZERO, Program
from verify.judging.kinks.alternatives import Gap, Piece


@dataclass(frozen=True, slots=True)
class PieceSlopes:
    """The derivative of one piece.

    Attributes
    ----------
    values : list of arb
        Of the function.
    firsts : list of arb
        Its gradient, where the derivative is a second one.
    entries : list
        Of the derivative: a ball, an infinite float, or None where nothing is known.
    gap_slopes : list of (list of arb, int)
        Gradients of the gaps that it is on one side of, and which; 0 on the tie itself.
    cost : float array
        What rounding may cost each entry, in units of the unit roundoff.
    piece : Piece
    """

    values: list[Any]
    firsts: list[Any]
    entries: list[Any]
    gap_slopes: list[tuple[list[Any], int]]
    cost: Any
    piece: Piece


class SlopeEvaluator:
    """Derivatives of pieces at a point, with their gradients if they are `second` ones.

    Pieces that stand on sides of the same gaps share what is known of these.
    """

    def __init__(self, point: Sequence[Any], bits: int, second: bool) -> None:
        self.point, self.bits, self.second = point, bits, second
        self._gaps: dict[Any, list[Any]] = {}

    def evaluate(self, piece: Piece) -> PieceSlopes:
        """The derivative of one piece."""
        program = piece.form.program
        outputs = np.concatenate(piece.form.outputs, axis=None)
        firsts = (
            np.concatenate(gradient(piece.form), axis=None)
            if self.second
            else np.zeros(0, dtype=np.int64)
        )
        ids = np.concatenate(piece.ids, axis=None)
        new = [gap for gap in piece.sides if (program, gap) not in self._gaps]
        plan = Plan(program, [outputs, firsts, ids, *[gap_ids(program, gap) for gap in new]])
        values, before, entries, *gap_slopes = plan.enclose(self.point, self.bits)
        for gap, balls in zip(new, gap_slopes, strict=True):
            self._gaps[program, gap] = list(balls)
        return PieceSlopes(
            list(values),
            list(before),
            [ball if ball.is_finite() else None for ball in entries],
            [(self._gaps[program, gap], sign) for gap, sign in piece.sides.items()],
            bound_rounding_errors(program, ids, self.point, 1.0),
            piece,
        )


def gap_ids(program: Program, gap: Gap) -> Any:
    """The gradient of a gap, over all coordinates, as statements."""
    found = pull_back(program, {program.subtract(*gap): ONE})
    return np.array([found.get(x, ZERO) for x in program.inputs], dtype=np.int64)


def merge_families(slopes: list[PieceSlopes]) -> list[PieceSlopes]:
    """One for each family of pieces that differ in lines for infinite slopes alone."""
    families: dict[Any, list[PieceSlopes]] = {}
    for one in slopes:
        piece = one.piece
        key = (id(piece.form.program), piece.group, piece.family, tuple(piece.sides.items()))
        families.setdefault(key, []).append(one)
    return [_merge_vertical(family) for family in families.values()]


def _merge_vertical(family: list[PieceSlopes]) -> PieceSlopes:
    flat = next((one for one in family if not one.piece.vertical), None)
    if flat is None:
        return replace(family[0], entries=[None] * len(family[0].entries))
    lines = [one for one in family if len(one.piece.vertical) == 1]
    crossed = [one for one in family if len(one.piece.vertical) > 1]
    ids = [np.concatenate(one.piece.ids, axis=None) for one in (flat, *lines, *crossed)]
    entries = []
    for k, base in enumerate(flat.entries):
        own, rest = ids[0][k], [part[k] for part in ids[1:]]
        if all(other == own for other in rest):
            entries.append(base)
        else:
            entries.append(_infinite(base, [one.entries[k] for one in lines], k, crossed))
    return replace(flat, entries=entries)


def _infinite(base: Any, lines: list[Any], k: int, crossed: list[PieceSlopes]) -> float | None:
    """The sign of what grows without bound; None where it is not the same of every line."""
    if base is None or any(line is None for line in lines):
        return None
    slopes = [line - base for line in lines]
    for one in crossed:
        # Lines through lines are no sum of theirs.
        if one.entries[k] is None or len(one.piece.vertical) != len(lines):
            return None
        if not (one.entries[k] - base - sum(slopes, arb(0))).contains(0):
            return None
    signs = {1 if slope > 0 else -1 for slope in slopes if slope > 0 or slope < 0}
    unclear = any(slope.contains(0) and not slope.is_zero() for slope in slopes)
    return None if unclear or len(signs) != 1 else math.inf * signs.pop()


def may_be_equal(a: Any, b: Any) -> bool:
    """Whether two entries may be equal; of balls that says nearly that they are."""
    if isinstance(a, arb) and isinstance(b, arb):
        return bool(a.overlaps(b))
    return a is not None and b is not None and not isinstance(a, arb) and a == b


def coordinates_of(point: Sequence[Any], quantity: str, output: tuple[int, ...]) -> Any:
    """By which coordinates of the point each entry of the derivative is."""
    sizes = [np.size(x) for x in point]
    starts = np.cumsum([0, *sizes])
    places = [np.arange(start, start + size) for start, size in zip(starts, sizes, strict=False)]
    if quantity == "hessian":
        pairs = [np.stack(np.meshgrid(a, b, indexing="ij"), -1) for a in places for b in places]
        return np.concatenate([pair.reshape(-1, 2) for pair in pairs])
    count = math.prod(output) if quantity == "jacobian" else 1
    return np.concatenate([np.tile(place, count) for place in places])


def leaves_piece(gap_slopes: list[tuple[list[Any], int]], at: int, sign: int) -> bool:
    """Whether a step along a coordinate certainly leaves the sides that a piece holds on."""
    for slope, side in gap_slopes:
        moved = slope[at] * sign
        if (side == 0 and (moved > 0 or moved < 0)) or (side * moved < 0):
            return True
    return False


def to_float(entry: Any) -> float:
    """The middle of a ball; NaN where nothing is known."""
    if entry is None:
        return math.nan
    return float(entry.mid()) if isinstance(entry, arb) else float(entry)
