"""Why a planted fault is none: equal values, and reasons for them that can be checked."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from flint import arb

from symtape.errors import SymtapeError
from symtape.process.precision import precision
from symtape.rigorous.enclose import enclose
from verify.claimants.claim import claim_of, fresh
from verify.model.case import Case
from verify.selftest.operators import Mutant
from verify.selftest.rewriting import MutatedSource, see, watch_call

UNREACHED: Final = "no shape that is tried comes to this place"
REFUSED: Final = "what is left refuses to answer, in words"
"""Reasons of changes that count as not planted."""

Watch = Callable[[Callable[..., Any]], list[tuple[Any, Any]]]
"""Puts a function in the place of the right one, and gives the pairs of values that it shows."""


def explain_source_change(change: MutatedSource, right: Callable[..., Any], watch: Watch) -> str:
    """Why a change of the source changes nothing; empty where that is not known.

    The smallest expression around the change that had the value of the old one
    whenever it was evaluated.
    """
    for words, watcher in change.watchers():
        pairs = watch(watcher)
        if not pairs:
            return UNREACHED
        if all(_are_close(old, new) for old, new in pairs):
            return f"{words} have the same value"
    if all(_are_close(old, new) for old, new in watch(_pair_functions(right, change.function))):
        return "the lines after the change return the same value"
    return ""


def _pair_functions(right: Callable[..., Any], wrong: Callable[..., Any]) -> Callable[..., Any]:
    """The wrong function, which shows its value beside that of the right one."""

    def show_both(*args: Any) -> Any:
        value = wrong(*args)
        see(right(*args), value)
        return value

    return _Callable(show_both, inspect.signature(right))


def watch_cases(cases: Sequence[Case]) -> list[tuple[Any, Any]]:
    """The pairs that are shown while the claims are called at their points."""
    return [
        pair
        for case in cases
        for point in case.at
        for pair in watch_call(functools.partial(claim_of(case).derivative, *point))
    ]


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
    operator: str, right: Callable[..., Any], wrong: Mutant, watch: Watch
) -> str:
    """Why a change of what a rule returns changes nothing; empty where that is not known."""

    def show_both(g: Any, /, *args: Any) -> Any:
        result = wrong(g, *args)
        see(right(g, *args[: len(wrong.needs)]), result)
        return result

    pairs = watch(_Callable(show_both, wrong.__signature__))
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


BITS: Final = 600
_AGREED: Final = -250
_OPERATIONS: Final = 2_000_000


def difference(cases: Sequence[Case], wrong: Callable[[Case, Sequence[Any]], list[Any]]) -> str:
    """Where the derivatives with and without a fault differ; empty if they are equal everywhere.

    Both recorded programs are enclosed at 600 bits; `wrong` gives the enclosures of the faulty one.
    They count as equal where the enclosures of every entry agree to ``2**-250``, relatively to the
    largest entry.

    Raises
    ------
    SymtapeError
        The faulty derivative refuses to be computed.
    """
    for case in cases:
        for point in case.at:
            try:
                other = wrong(case, point)
            except SymtapeError:
                raise
            except Exception as error:  # noqa: BLE001
                # A planted fault may raise anything, and is found by it.
                return f"it raises {type(error).__name__}: {error} at {_format_point(point)}"
            if not are_equivalent(balls_of(case, point), other):
                return f"the derivative differs at {_format_point(point)} of {case.id}"
    return ""


def balls_of(case: Case, point: Sequence[Any]) -> list[Any]:
    """The claimed derivative at `point`, enclosed at 600 bits; one object array for each part."""
    given = tuple(fresh(x) for x in point)
    with np.errstate(all="ignore"):
        program = claim_of(case).program(given, _OPERATIONS)
    return enclose(program, given, BITS)


def are_equivalent(first: Sequence[Any], second: Sequence[Any]) -> bool:
    """Whether the enclosures agree to ``2**-250`` of the largest entry."""
    if [np.shape(a) for a in first] != [np.shape(b) for b in second]:
        return False
    with precision(BITS):
        return all(_equal(a, b) for a, b in zip(first, second, strict=True))


def _equal(first: Any, second: Any) -> bool:
    pairs = list(zip(np.ravel(first), np.ravel(second), strict=True))
    size = max((abs(x).upper() for pair in pairs for x in pair), default=arb(0))
    return all(bool(abs(x - y).upper() <= size * arb((1, _AGREED))) for x, y in pairs)


def _format_point(point: Sequence[Any]) -> str:
    return ", ".join(" ".join(repr(np.asarray(x).tolist()).split())[:60] for x in point)
