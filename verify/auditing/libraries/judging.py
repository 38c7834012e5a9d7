"""Judging: what is wrong with a claimed derivative at each point, if anything is.

An error is no finding where conditioning explains it: an ulp of the argument is worth
``|x d'/d|`` ulps of the derivative, and any program rounds a few times. Nor is what the least
floats lose by being flushed to zero, nor a value chosen at a kink by convention.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from symtape.errors import SymtapeError
from symtape.graph.freeze import record
from symtape.process.precision import precision
from symtape.rigorous.rounding import model
from verify.auditing.libraries.exact import Exact, Truths
from verify.auditing.libraries.formats import Format
from verify.auditing.libraries.functions import Function
from verify.auditing.libraries.spelling import compile_formula, differentiate_elementwise

KINDS: Final = {
    "-": "wrong sign",
    "!": "not finite",
    "0": "wrong zero",
    "f": "finite where infinite",
    "n": "not zero where zero",
    "~": "inaccurate",
}
"""What can be wrong with a value, the gravest first, by the sign that stands for it."""

ROUNDINGS: Final = {"float64": 256, "float32": 256, "bfloat16": 8, "float16": 8}
"""Ulps that any honest program may lose. Half precision is commonly computed in single, and has few
digits to lose."""

CONDITIONED: Final = {"float64": 16, "float32": 16, "bfloat16": 8, "float16": 8}
"""The same for each ulp that an ulp of the arguments is worth."""

SEVERAL: Final = 256
"""Most ulps that a model ball may excuse: an ill way to compute is no excuse for itself."""

_NEARLY_ALL: Final = 1 - 2.0**-5
_GROWN: Final = 2.0**11
_UNITS: Final = 2.0**53


@dataclass(frozen=True, slots=True)
class JudgedPoints:
    """The outcome at each point.

    Attributes
    ----------
    inside : (n,) bool array
        Where the function is finite and its derivative known: the points that count.
    ulps, allowed : (n,) float arrays
        The error, and what conditioning and rounding explain of it.
    kinds : (n,) array of characters
        One of `KINDS`, ``.`` for a right value, ``_`` for one that was flushed to zero.
    """

    inside: Any
    ulps: Any
    allowed: Any
    kinds: Any

    @property
    def bad(self) -> Any:
        """Where there is a finding."""
        return ~np.isin(self.kinds, (".", "_"))


def judge_values(
    function: Function,
    points: Sequence[Any],
    wrt: tuple[int, ...],
    truth: Truths,
    claimed: Any,
    form: Format,
    at_zero: Any = None,
) -> JudgedPoints:
    """Judge the values that a claimant returned.

    Parameters
    ----------
    function : Function
    points : sequence of (n,) arrays
    wrt : tuple of int
    truth : Truths
        At these points.
    claimed : (n,) float array
    form : Format
    at_zero : (n,) float array, optional
        What the claimant says where every argument below the normal numbers is replaced by zero:
        a library that does so by itself flushes, which is its choice.
    """
    exact = truth.derivative
    ulps = exact.ulps(claimed, form)
    inside = exact.are_known & truth.value.are_known & ~truth.value.is_beyond(form)
    cost = truth.condition + form.unit * truth.curvature
    allowed = ROUNDINGS[form.name] + CONDITIONED[form.name] * cost
    suspect = inside & ~(ulps <= allowed)
    allowed[suspect] = np.maximum(
        allowed[suspect],
        _bound_by_model(function, [x[suspect] for x in points], wrt, exact.value[suspect]),
    )
    suspect &= ~(ulps <= allowed)
    kinds = np.full(len(ulps), ".")
    kinds[suspect] = "~"
    kinds[suspect & (claimed == 0)] = "0"
    kinds[suspect & (exact.high == 0)] = "n"
    beyond = exact.is_beyond(form)
    kinds[suspect & (np.sign(claimed) * np.sign(exact.high) < 0)] = "-"
    kinds[suspect & ~np.isfinite(claimed)] = "!"
    nearly = np.abs(claimed) >= form.greatest * _NEARLY_ALL
    kinds[suspect & beyond & np.isfinite(claimed)] = "f"
    kinds[suspect & beyond & nearly] = "."
    nearly_beyond = np.abs(exact.value) >= form.greatest * _NEARLY_ALL
    kinds[suspect & nearly_beyond & np.isinf(claimed) & ~beyond] = "."
    kinds[suspect & _is_flushed(points, exact, claimed, form, at_zero)] = "_"
    return JudgedPoints(inside, ulps, allowed, kinds)


def _is_flushed(
    points: Sequence[Any], exact: Exact, claimed: Any, form: Format, at_zero: Any
) -> Any:
    """Where what is lost lies below the normal numbers, in the result or in an argument."""
    # What was flushed on the way may have been multiplied by an argument since.
    grown = np.clip(np.max(np.abs(points), axis=0), 2, _GROWN)
    lost = np.abs(claimed - exact.value) <= grown * form.least_normal
    if at_zero is None:
        return lost
    tiny = np.any([(np.abs(x) < form.least_normal) & (x != 0) for x in points], axis=0)
    same = (claimed == at_zero) | (np.isnan(claimed) & np.isnan(at_zero))
    # The function's own value has few digits there, or none, and what is made of it has no more.
    rough = np.isfinite(claimed) & (np.sign(claimed) == np.sign(exact.high))
    return lost | (tiny & (same | rough))


def _bound_by_model(function: Function, points: list[Any], wrt: tuple[int, ...], exact: Any) -> Any:
    """What a model ball of symtape's own program says that honest rounding may cost, in ulps."""
    none = np.zeros(len(exact))
    if not len(exact):
        return none
    derivative = differentiate_elementwise(
        compile_formula(function.formula, function.arguments), wrt
    )
    try:
        program = record(derivative, *points)
        with precision(160):
            [balls] = model(program, points, 160)
    except SymtapeError:
        return none
    radii = np.array([float(ball.rad()) if ball.is_finite() else 0.0 for ball in balls.ravel()])
    found = np.nan_to_num(radii / np.abs(exact) * _UNITS, nan=0.0, posinf=0.0)
    return np.minimum(found, SEVERAL)
