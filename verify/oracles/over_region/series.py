"""The error of a claim about a function of one number, bounded by Taylor series on pieces.

Beside the middle of a piece the coefficients of claim and derivative cancel as their values do;
the remainder is bounded by the first coefficient that is left out, all over the piece.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from flint import arb, arb_series

from symtape.graph.graph import Graph
from symtape.process.precision import precision
from symtape.process.work import charge
from symtape.rigorous.jets.jet import Jet, coefficients
from symtape.rigorous.jets.reading import Expansion
from symtape.rigorous.scalar import enclose_interval
from verify.model.quantity import Quantity

_ORDER: Final = 24
_BITS: Final = 192
_GUARD: Final = 32
"""Bits beside those to which an interval is a number. To more than these Arb sums long series of
functions of wide balls, for nothing."""

_PIECES: Final = 200
_SMALL: Final = 2.0**-60
"""What is left out may be so large, beside the derivative."""

_NARROW: Final = 2.0**-26
"""A share of the interval that is not divided: what is not known there is not known at all."""

_OF_NODE: Final = 100
"""Operations for an element of a graph, in series."""


def bound_by_series(
    programs: tuple[Graph, Graph], quantity: Quantity, bounds: Sequence[tuple[float, float]]
) -> list[tuple[Any, Any]]:
    """How far a claim may be from the derivative, and a size that this reaches, for each entry.

    Parameters
    ----------
    programs : tuple of Graph
        The function and the claim.
    quantity : Quantity
    bounds : sequence of tuples (float, float)
        Of each number that varies.

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
    errors: list[Any] = []
    sizes: list[Any] = []
    waiting = list(bounds)
    with precision(_BITS, _ORDER + 2):
        for _ in range(_PIECES):
            if not waiting:
                return list(zip(errors, sizes, strict=True))
            low, high = waiting.pop()
            middle = low + (high - low) / 2
            centre = _compare_series(programs, arb(middle))
            here = [abs(exact).lower() for _, exact in centre]
            sizes = list(map(max, here, sizes or here))
            radius = max(arb(high) - middle, middle - arb(low)).upper()
            whole = enclose_interval(arb(low), arb(high))
            with precision(_GUARD + max(whole.rel_accuracy_bits(), 0)):
                everywhere = _compare_series(programs, whole)
            found = _sum_series(centre, everywhere, radius)
            if all(
                near.is_finite() and rest <= size * _SMALL
                for (near, rest), size in zip(found, sizes, strict=True)
            ):
                whole = [near + rest for near, rest in found]
                errors = list(map(max, whole, errors or whole))
            elif high - low < _NARROW * (bounds[0][1] - bounds[0][0]):
                return []
            else:
                waiting += [(low, middle), (middle, high)]
    return []


def _sum_series(
    centre: list[tuple[list[Any], Any]], everywhere: list[tuple[list[Any], Any]], radius: Any
) -> list[tuple[Any, Any]]:
    """For each entry what its series in the middle comes to, at most, and what is left out."""
    return [
        (
            sum((abs(errors[k]) * radius**k for k in range(_ORDER)), arb(0)).upper(),
            (abs(last[_ORDER]) * radius**_ORDER).upper(),
        )
        for (errors, _), (last, _) in zip(centre, everywhere, strict=True)
    ]


def _compare_series(programs: tuple[Graph, Graph], base: Any) -> list[tuple[list[Any], Any]]:
    """For each entry the series of claim minus derivative, and the derivative's first term."""
    function, claim = (_expand(program, base) for program in programs)
    return [
        ([theirs[k] - (k + 1) * ours[k + 1] for k in range(_ORDER + 1)], ours[1])
        for ours, theirs in zip(function, claim, strict=True)
    ]


def _expand(program: Graph, base: Any) -> list[list[Any]]:
    """The series of all that a program computes of ``base + t``."""
    charge(_OF_NODE * len(program))
    [at] = program.inputs
    shape = program.nodes[at].shape
    line = Jet(arb_series([base, 1]))
    reading = Expansion(program, [np.full(shape, float(base.mid()))])
    meanings = program.interpret(
        [np.array([line]).reshape(shape) if shape else line],
        constant=reading.constant,
        apply=reading.apply,
    )
    outputs = [np.ravel(np.asarray(meanings[at], dtype=object)) for at in program.outputs]
    return [coefficients(entry, _ORDER + 1) for output in outputs for entry in output]
