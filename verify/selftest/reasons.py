"""Why a planted fault is none: reasons that can be checked, apart from equal values."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Final

import numpy as np

from verify.model.case import Case
from verify.selftest.operators import Mutant
from verify.selftest.rewriting import MutatedSource, see, watch_call

UNREACHED: Final = "no shape that is tried comes to this place"
REFUSED: Final = "what is left refuses to answer, in words"
"""Reasons of changes that count as not planted."""

Plant = Callable[[Callable[..., Any]], AbstractContextManager[Any]]


def explain_source_change(
    change: MutatedSource, right: Callable[..., Any], cases: Sequence[Case], plant: Plant
) -> str:
    """Why a change of the source changes nothing; empty where that is not known.

    The smallest expression around the change that had the value of the old one
    whenever it was evaluated.

    A function is planted in place of the `right` one by `plant`.
    """
    for words, watcher in change.watchers():
        with plant(watcher):
            pairs = _pairs(cases)
        if not pairs:
            return UNREACHED
        if all(_are_close(old, new) for old, new in pairs):
            return f"{words} have the same value"
    with plant(_pair_functions(right, change.function)):
        if all(_are_close(old, new) for old, new in _pairs(cases)):
            return "the lines after the change return the same value"
    return ""


def _pair_functions(right: Callable[..., Any], wrong: Callable[..., Any]) -> Callable[..., Any]:
    """The wrong function, which shows its value beside that of the right one."""

    def show_both(*args: Any) -> Any:
        value = wrong(*args)
        see(right(*args), value)
        return value

    return _Callable(show_both, inspect.signature(right))


def _pairs(cases: Sequence[Case]) -> list[tuple[Any, Any]]:
    return [
        pair
        for case in cases
        for point in case.at
        for pair in watch_call(functools.partial(_call_derivative, case, point))
    ]


def _call_derivative(case: Case, point: Sequence[Any]) -> None:
    from verify.claimants.claim import claim_of

    claim_of(case).derivative(*point)


def _are_close(old: Any, new: Any) -> bool:
    try:
        first, second = np.asarray(_value(old)), np.asarray(_value(new))
        if first.shape != second.shape:
            return False
        # Exact equality is shown by enclosures; here the orders of two sums may differ.
        return bool(np.allclose(first, second, rtol=1e-13, atol=0, equal_nan=True))
    except (TypeError, ValueError):
        return False


def _value(x: Any) -> Any:
    for name in ("_value", "value"):
        if hasattr(x, name):
            return getattr(x, name)
    return x


_WHY: Final = {
    "one element zeroed": "that element of the cotangent is 0",
    "one element only": "the other elements of the cotangent are 0",
    "zero tail": "the derivative is 0 in the tail",
    "transposed": "the cotangent is symmetric",
    "off-by-one axis": "the cotangent is the same all along the axis",
    "reversed axis": "the cotangent reads the same both ways",
    "sum for the elementwise": "the sum has the same value",
    "mean for the elementwise": "the mean has the same value",
    "wrong argument": "the two have the same value",
    "flag turned": "the flag makes no difference to the cotangent",
    "off by one": "the number makes no difference to the cotangent",
    "rule of another input": "the two rules have the same value",
}


def explain_value_change(
    operator: str, right: Callable[..., Any], wrong: Mutant, cases: Sequence[Case], plant: Plant
) -> str:
    """Why a change of what a rule returns changes nothing; empty where that is not known."""

    def show_both(g: Any, /, *args: Any) -> Any:
        result = wrong(g, *args)
        see(right(g, *args[: len(wrong.needs)]), result)
        return result

    with plant(_Callable(show_both, wrong.__signature__)):
        pairs = _pairs(cases)
    if pairs and all(_zero(old) and (new is None or _zero(new)) for old, new in pairs):
        return "the derivative is 0 everywhere"
    if pairs and all(_are_close(old, new) for old, new in pairs):
        return _WHY.get(operator, "the rule returns the same value")
    return ""


class _Callable:
    """A function that shows the signature it is given."""

    def __init__(self, function: Callable[..., Any], signature: inspect.Signature) -> None:
        self.function = function
        self.__signature__ = signature

    def __call__(self, *args: Any) -> Any:
        return self.function(*args)


def _zero(value: Any) -> bool:
    try:
        return not np.any(np.asarray(_value(value)))
    except (TypeError, ValueError):
        return False
