"""How far a claim may be from the derivative, where no proof says that it is not at all."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Final

from flint import arb

from symtape.process.precision import precision
from symtape.prover import bound_differences
from symtape.symbolic.trees import Tree
from verify.model.stated_accuracy import StatedAccuracy
from verify.oracles.over_region.bounds import Bounds
from verify.oracles.over_region.choices import BITS
from verify.oracles.over_region.constants import number_meant, number_near
from verify.oracles.over_region.definedness import name_intervals, to_intervals
from verify.oracles.over_region.path import KERNELS, Path
from verify.oracles.over_region.series import bound_by_series

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
        defined=True,
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
