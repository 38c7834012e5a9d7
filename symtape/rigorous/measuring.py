"""How much elementwise rows round on this machine, measured against balls.

The constants of a row say that ``fl f(x) = f(x (1 ± k_in u)) (1 ± k_out u)``, plus what
underflows. They were measured for some libraries on some machines; here they are measured
again. Balls are the truth, so a constant that is too small shows at the points tried.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from flint import arb

from symtape.primitives.primitive import Primitive
from symtape.primitives.vocabulary import examples
from symtape.process.precision import precision, refine_ball
from symtape.rigorous import ball
from symtape.rigorous.backward_error import roundings
from symtape.rigorous.rounding import rounding_of
from symtape.rigorous.scalar import to_ball

_BITS: Final = 160
_STEPS: Final = (0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 16.0, 64.0, 1024.0)
"""Multiples of the row's constants that are tried, in order."""

_WIDEST: Final = {2: 4, 4: 30, 8: 250}
"""Decimal exponents of the largest arguments, by the size of a float."""

_WIDEST_OF_SEVERAL: Final = {2: 1, 4: 1.5, 8: 2}
"""The same where there are several arguments: SciPy's functions of orders and shapes are not made
for orders in the hundreds at arguments of 1e9, where some return no digit."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """What the rounding of one row in one dtype took at most.

    Attributes
    ----------
    name, dtype : str
    constants : tuple of float
        ``(k_in, k_out)`` of the row.
    scale : float
        The least multiple of them, of those tried, that explains every value; inf if none does.
    points : int
        How many values were looked at.
    worst : tuple
        The arguments that took the most.
    """

    name: str
    dtype: str
    constants: tuple[float, float]
    scale: float
    points: int
    worst: tuple[Any, ...] = ()

    @property
    def exceeds(self) -> bool:
        """Whether the constants are too small here."""
        return self.scale > 1


def measurable(row: Primitive) -> bool:
    """Whether a row is elementwise, computes floats, and has a reading on balls."""
    return row.elementwise and row.ball is not None and row.outputs == 1 and not row.missing


def measure(row: Primitive, dtype: Any, points: int = 200, seed: int = 0) -> Measurement | None:
    """Measure how much the float reading of a row is off.

    Parameters
    ----------
    row : Primitive
        One that is :func:`measurable`.
    dtype : dtype
        Of the arguments; what comes back says by which unit roundoff it is measured.
    points : int
        How many are tried.
    seed : int

    Returns
    -------
    Measurement or None
        None where the row computes no floats, or nothing at any point.

    Examples
    --------
    >>> from symtape.primitives.primitive import PRIMITIVES
    >>> measure(PRIMITIVES["sqrt"], "float64").exceeds
    False
    """
    constants = roundings(row, (), {})
    scale, count, worst = 0.0, 0, ()
    with np.errstate(all="ignore"), precision(_BITS):
        for args, params in _arguments(row, np.dtype(dtype), points, seed):
            value = np.asarray(row.evaluate(*args, **params))
            if value.dtype.kind != "f" or value.dtype.itemsize > 8:
                return None
            if not np.isfinite(value):
                continue
            needed = _find_multiple(row, args, params, value[()], constants, scale)
            if needed is None:
                continue
            count += 1
            if needed > scale:
                scale, worst = needed, args
    name = np.dtype(dtype).name
    return Measurement(row.name, name, constants, scale, count, worst) if count else None


def _find_multiple(
    row: Primitive,
    args: Sequence[Any],
    params: dict[str, Any],
    value: Any,
    constants: tuple[float, float],
    least: float,
) -> float | None:
    """The multiple of the constants, not below `least`, that explains a value; None of none."""
    exact = _enclose_row(row, list(map(to_ball, args)), params)
    if type(exact) is not arb or not exact.is_finite():
        return None
    unit = rounding_of(value.dtype)
    if not exact.is_zero() and not abs(exact) >= unit.least_normal:
        # What underflows is told apart by the range of floats, not by constants.
        return None
    target = arb(float(value))
    for scale in _STEPS:
        if scale < least:
            continue
        around = [
            unit.make_perturbation(scale * constants[0])(to_ball(x)) if _is_float(x) else to_ball(x)
            for x in args
        ]
        inner = _enclose_row(row, around, params)
        if not inner.is_finite():
            # On the edge of the domain nothing is known.
            return None
        found = unit.make_rounding(scale * constants[1])(inner) if constants[1] else inner
        if not found.is_finite() or found.contains(target):
            return scale
    return math.inf


def _enclose_row(row: Primitive, args: Sequence[Any], params: dict[str, Any]) -> Any:
    assert row.ball is not None
    return refine_ball(functools.partial(row.ball, ball, *args, **params))


def _is_float(x: Any) -> bool:
    return np.asarray(x).dtype.kind == "f"


def _arguments(
    row: Primitive, dtype: np.dtype[Any], points: int, seed: int
) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    """Arguments inside the domain, of every size; what is no float stays as in the examples."""
    rng = np.random.default_rng(seed)
    known = list(_examples(row))
    moving = sum(rule is not None for rule in row.rules)
    widest = (_WIDEST if moving == 1 else _WIDEST_OF_SEVERAL)[dtype.itemsize]
    for number in range(points if known else 0):
        example, params = known[number % len(known)]
        drawn = tuple(
            _draw_argument(x, rule is None, number, rng, dtype, widest)
            for x, rule in zip(example, row.rules, strict=True)
        )
        if row.domain is None or np.all(row.domain(*drawn, **params)):
            yield drawn, params


def _examples(row: Primitive) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    """The row's examples, an element of each argument."""
    for args, params in examples(row):
        if len(args) == len(row.inputs):
            # Orders as Python's own numbers, which leave the dtype of the result alone.
            yield tuple(np.ravel(np.asarray(x)).tolist()[0] for x in args), params


def _draw_argument(
    x: Any, fixed: bool, number: int, rng: Any, dtype: np.dtype[Any], widest: float
) -> Any:
    """One argument: near the example, about one, or of any size, in turn."""
    if np.asarray(x).dtype.kind == "b":
        return np.bool_(rng.integers(2))
    if fixed:
        return x
    kind = number % 4
    if kind == 0:
        value = float(x) * (1 + 0.25 * rng.normal())
    elif kind == 1:
        value = rng.normal() * 2
    elif kind == 2:
        value = rng.choice((-1, 1)) * 10.0 ** rng.uniform(-3, 2)
    else:
        value = rng.choice((-1, 1)) * 10.0 ** rng.uniform(-widest, widest)
    return dtype.type(value)
