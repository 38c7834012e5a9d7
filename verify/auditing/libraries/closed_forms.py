"""Derivatives of the functions of the table as formulas, for people."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import sympy

import symtape
from verify.auditing.libraries.functions import Function
from verify.auditing.libraries.spelling import compile_formula

_TYPICAL: Final = {False: (0.7,), True: (0.7, 1.3)}
_LONGEST: Final = 400


def closed_form(function: Function, wrt: tuple[int, ...]) -> str:
    """The derivative as a formula; empty where there is none of a readable size.

    Examples
    --------
    >>> from verify.auditing.libraries.functions import FUNCTIONS
    >>> closed_form(FUNCTIONS["sinh"], (0,))
    'cosh(x)'
    """
    point = _TYPICAL[function.is_binary]
    try:
        found = str(derivative_of(function, wrt, _move_inside(function, point)))
    except Exception:  # noqa: BLE001  # whatever SymPy or the shadow cannot do
        return ""
    return found if len(found) <= _LONGEST else ""


def _move_inside(function: Function, point: Sequence[float]) -> tuple[float, ...]:
    """A point of the domain that is like `point`."""
    found = []
    for x, (low, high) in zip(point, (function.over, function.second), strict=False):
        span = min(high - low, 2.0)
        middle = low + span / 2 if np.isfinite(low) else x
        found.append(x if low < x < high else middle)
    return tuple(found)


@functools.lru_cache(maxsize=512)  # ways of the functions of the table
def derivative_of(function: Function, wrt: tuple[int, ...], point: tuple[float, ...]) -> Any:
    """The derivative in SymPy, on the path that a point takes."""
    formula = compile_formula(function.formula, function.arguments)
    derived = symtape.derive(formula, *point, names=function.arguments)
    found = derived.gradient.sympy if len(wrt) == 1 else derived.hessian.sympy
    for place in wrt if function.is_binary else ():
        found = found[place]
    free = {str(symbol): symbol for symbol in found.free_symbols}
    named = sympy.symbols(function.arguments)
    return found.subs({free[str(symbol)]: symbol for symbol in named if str(symbol) in free})
