"""How far a claim may be from the derivative, where no proof says that it is not at all.

The error of a claim about a function of one number, bounded by Taylor series on pieces. Beside the
middle of a piece the coefficients of claim and derivative cancel as their values do; the remainder
is bounded by the first coefficient that is left out, all over the piece.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, NamedTuple

import numpy as np
from flint import arb, arb_series

from symtape.graph.graph import Graph, Node
from symtape.process.precision import precision
from symtape.process.work import charge
from symtape.prover import bound_differences
from symtape.rigorous.jets.jet import Jet, coefficients
from symtape.rigorous.jets.reading import Expansion
from symtape.rigorous.scalar import enclose_interval
from symtape.symbolic.trees import Tree
from verify.model.quantity import Quantity
from verify.model.stated_accuracy import StatedAccuracy
from verify.oracles.over_region.bounds import Bounds
from verify.oracles.over_region.choices import BITS
from verify.oracles.over_region.constants import number_meant, number_near
from verify.oracles.over_region.definedness import name_intervals, to_intervals
from verify.oracles.over_region.path import KERNELS, Path

ALL_BITS: Final = 1000
"""Of what is equal."""

_ENOUGH_BITS: Final = 40
"""With so many no other meaning of constants is tried."""

_LEAST_BITS: Final = 20
"""Fewer are not worth to be told, but for what is claimed to an accuracy."""

_SAMPLES: Final = (0.5, 0.125, 0.875)
"""Where in a box the size of a derivative is looked at, as shares of its sides."""


def enclose(
    path: Path,
    bounds: Sequence[tuple[float, float]],
    accuracy: StatedAccuracy | None = None,
) -> int:
    """To how many bits claim and derivative agree at every real point between `bounds`.

    The bits are of the largest value that an entry of the derivative has there; 0 if nothing is
    known, or not that the claim is as near as it states. Constants are the floats that they are.

    Parameters
    ----------
    path : Path
        Of function and claim.
    bounds : sequence of tuples (float, float)
    accuracy : StatedAccuracy, optional
        What the claim is held to, at every point.
    """
    if not path.fits:
        return 0
    with precision(BITS):
        sizes = _sizes(path, bounds)
    if not all(size > 0 for size in sizes):
        return 0
    enough = _LEAST_BITS if accuracy is None else 1
    for agree in (_agree_by_series, _agree_by_formula):
        best = agree(path, bounds, sizes, accuracy)
        if best >= enough:
            return best
    return 0


def _agree_by_formula(
    path: Path,
    bounds: Sequence[tuple[float, float]],
    sizes: Sequence[Any],
    accuracy: StatedAccuracy | None,
) -> int:
    best = 0
    with precision(BITS):
        least = [Bounds(path.program, bounds).enclose(ours).size().low for ours, _ in path.pairs]
        for meaning in (None, number_meant, number_near):
            if best < _ENOUGH_BITS and (meaning is None or path.has_rounded_constants):
                errors = _bound_errors(path, bounds, meaning)
                if accuracy is None or all(map(accuracy.allows, errors, least)):
                    best = max(best, _count_bits(errors, sizes))
    return best


def _agree_by_series(
    path: Path,
    bounds: Sequence[tuple[float, float]],
    sizes: Sequence[Any],
    accuracy: StatedAccuracy | None,
) -> int:
    programs = [made.graph for made in path.shadows]
    found = bound_by_series(programs, path.quantity, bounds, accuracy, path.constants)
    return min(_count_bits(*zip(*found, strict=True)), ALL_BITS - 1) if found else 0


def _sizes(path: Path, bounds: Sequence[tuple[float, float]]) -> list[Any]:
    """For each pair a number that the derivative reaches in the box."""
    found = [arb(0) for _ in path.pairs]
    for inner in _SAMPLES:
        shares = ((inner + k / 7) % 1.0 for k in range(len(bounds)))
        x = [
            min(max(low + (high - low) * share, low), high)
            for share, (low, high) in zip(shares, bounds, strict=True)
        ]
        values = path.plan.run(x)
        for k, (ours, _) in enumerate(path.pairs):
            size = abs(values[ours]).lower() if values[ours].is_finite() else arb(0)
            found[k] = size if size > found[k] else found[k]
    return found


def _bound_errors(
    path: Path,
    bounds: Sequence[tuple[float, float]],
    meaning: Callable[[Fraction], Tree] | None,
) -> list[Any]:
    """How far each entry may be off, by the normal form of the difference."""
    differences = bound_differences(
        path.reading_sides(meaning),
        len(path.pairs),
        name_intervals(to_intervals(bounds)),
        KERNELS + len(path.names),
    )
    if differences is None:
        return [arb("inf")] * len(path.pairs)
    intervals = Bounds(path.program, bounds, meaning)
    return [
        difference + intervals.deviation(ours) + intervals.deviation(theirs)
        for (ours, theirs), difference in zip(path.pairs, differences, strict=True)
    ]


def _count_bits(errors: Sequence[Any], sizes: Sequence[Any]) -> int:
    """To how many bits each error is below the size beside it; 0 if nothing bounds them."""
    if not errors or not all(map(operator.lt, errors, sizes)):
        return 0
    bits = ALL_BITS
    for error, size in zip(errors, sizes, strict=True):
        if not error.is_zero():
            logarithm = (size / error).log() / arb(2).log()
            bits = min(bits, ALL_BITS - 1, int(logarithm.lower().floor().fmpz()))
    return bits


_ORDER: Final = 24
_BITS: Final = 192
_GUARD: Final = 32
"""Bits beside those to which an interval is a number. To more than these Arb sums long series of
functions of wide balls, for nothing."""

_PIECES: Final = 1000
_INSIDE: Final = (0.125, 0.875)
"""Shares of an interval."""

_SMALL: Final = 2.0**-60
"""What is left out may be so large, beside the derivative."""

_NARROW: Final = 2.0**-26
"""A share of the interval that is not divided: what is not known there is not known at all."""

_OF_NODE: Final = 25
"""Operations for an element of a graph, in series."""


Series = tuple[list[Any], list[Any]]
"""Of an entry: that of claim minus derivative, and that of the derivative."""

_SeriesOver = Callable[[Any], list[list[Any]]]
"""The series of each entry at a number, or over an interval."""


def bound_by_series(
    programs: Sequence[Graph],
    quantity: Quantity,
    bounds: Sequence[tuple[float, float]],
    accuracy: StatedAccuracy | None = None,
    constants: Sequence[Mapping[int, Any]] = ({}, {}),
) -> list[tuple[Any, Any]]:
    """How far a claim may be from the derivative, and a size that this reaches, for each entry.

    Parameters
    ----------
    programs : sequence of Graph
        The function and the claim.
    quantity : Quantity
    bounds : sequence of tuples (float, float)
        Of each number that varies.
    accuracy : StatedAccuracy, optional
        What the claim is held to, at every point.
    constants : sequence of mappings
        For each program the values of nodes that are the same all over the interval, by the ids
        of the nodes.

    Returns
    -------
    list of tuples of flint.arb
        None if there are several numbers, if it is no first derivative, or if the series are not
        known or remain too far off.

    Raises
    ------
    Unsupported
        An operation has no series.
    """
    if len(bounds) != 1 or quantity.name not in ("gradient", "jacobian"):
        return []
    expansions = [
        functools.partial(_expand, *each) for each in zip(programs, constants, strict=True)
    ]
    errors: list[Any] = []
    waiting = list(bounds)
    with precision(_BITS, _ORDER + 2):
        sizes = _sizes_inside(expansions, *bounds[0])
        for _ in range(_PIECES):
            if not waiting:
                return list(zip(errors, sizes, strict=True))
            low, high = waiting.pop()
            middle = low + (high - low) / 2
            centre = _compare_series(expansions, arb(middle))
            sizes = list(map(max, _sizes_of(centre), sizes))
            radius = max(arb(high) - middle, middle - arb(low)).upper()
            interval = enclose_interval(arb(low), arb(high))
            with precision(_GUARD + max(interval.rel_accuracy_bits(), 0)):
                everywhere = _compare_series(expansions, interval)
            found = [_sum_series(*pair, radius) for pair in zip(centre, everywhere, strict=True)]
            if all(map(functools.partial(_is_enough, accuracy), found, sizes)):
                whole = [piece.near + piece.rest for piece in found]
                errors = list(map(max, whole, errors or whole))
            elif high - low < _NARROW * (bounds[0][1] - bounds[0][0]):
                return []
            else:
                waiting += [(low, middle), (middle, high)]
    return []


def _sizes_inside(expansions: Sequence[_SeriesOver], low: float, high: float) -> list[Any]:
    """Sizes that the derivative has in an interval, in whose middle it may be zero."""
    places = (low + (high - low) * share for share in _INSIDE)
    sizes = (_sizes_of(_compare_series(expansions, arb(place))) for place in places)
    return [max(entry) for entry in zip(*sizes, strict=True)]


def _sizes_of(series: Sequence[Series]) -> list[Any]:
    return [abs(exact[0]).lower() for _, exact in series]


class _Piece(NamedTuple):
    """An entry on a piece.

    Attributes
    ----------
    near : flint.arb
        What the series of the error in the middle comes to, at most.
    rest : flint.arb
        What is left out of it.
    least : flint.arb
        The derivative is at least so large.
    """

    near: Any
    rest: Any
    least: Any


def _is_enough(accuracy: StatedAccuracy | None, piece: _Piece, size: Any) -> bool:
    if accuracy is not None:
        return accuracy.allows(piece.near + piece.rest, piece.least)
    return bool(piece.near.is_finite() and piece.rest <= size * _SMALL)


def _sum_series(centre: Series, everywhere: Series, radius: Any) -> _Piece:
    errors, exact = centre
    powers = [radius**k for k in range(_ORDER + 1)]
    last, last_exact = (abs(series[_ORDER]) * powers[_ORDER] for series in everywhere)
    near = sum((abs(errors[k]) * powers[k] for k in range(_ORDER)), arb(0))
    moved = sum((abs(exact[k]) * powers[k] for k in range(1, _ORDER)), last_exact)
    least = max(abs(exact[0]).lower() - moved.upper(), everywhere[1][0].abs_lower())
    return _Piece(near.upper(), last.upper(), least.lower())


def _compare_series(expansions: Sequence[_SeriesOver], base: Any) -> list[Series]:
    """For each entry the series of claim minus derivative, and that of the derivative."""
    function, claim = (expansion(base) for expansion in expansions)
    pairs = []
    for ours, theirs in zip(function, claim, strict=True):
        exact = [(k + 1) * ours[k + 1] for k in range(_ORDER + 1)]
        pairs.append(([a - b for a, b in zip(theirs, exact, strict=False)], exact))
    return pairs


def _expand(program: Graph, constants: Mapping[int, Any], base: Any) -> list[list[Any]]:
    """The series of all that a program computes of ``base + t``."""
    charge(_OF_NODE * len(program))
    [at] = program.inputs
    shape = program.nodes[at].shape
    reading = _Expansion(program, [np.full(shape, float(base.mid()))])
    reading.constants = constants
    line = np.array([Jet(arb_series([base, 1]))]).reshape(shape)
    meanings = program.interpret(
        [line if shape else line[()]], constant=reading.constant, apply=reading.apply
    )
    outputs = [np.ravel(np.asarray(meanings[at], dtype=object)) for at in program.outputs]
    return [coefficients(entry, _ORDER + 1) for output in outputs for entry in output]


class _Expansion(Expansion):
    """An expansion in which some operations have a value that is known."""

    constants: Mapping[int, Any] = {}

    def apply(self, node: Node, args: list[Any]) -> Any:
        """The meaning of an operation."""
        known = self.constants.get(id(node))
        return super().apply(node, args) if known is None else known
