"""Second opinions on outcomes, and on one entry of a derivative: confirmed, contradicted, none."""

from __future__ import annotations

import enum
import functools
import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, ParamSpec

from mpmath import mp

from symtape.errors import BudgetSpent
from symtape.graph.graph import Graph
from verify.claimants.claim import Claim
from verify.claimants.stopped_gradients import remove_stops, stopping_lines
from verify.limits.limit import limit_time
from verify.model.internal_errors import describe_error, is_internal
from verify.model.quantity import Quantity
from verify.model.result import KinkFacts, PointOutcome
from verify.model.verdict import Verdict
from verify.oracles.recheck.differences import (
    BRIEF,
    STAGES,
    Functional,
    Quotient,
    settle_quotient,
)
from verify.oracles.recheck.elementwise import SLOW
from verify.oracles.recheck.evaluation import NotRechecked

P = ParamSpec("P")

_SLACK: Final = mp.mpf(10) ** -18
"""Relatively."""

_ROUNDED: Final = mp.mpf(2) ** -50
"""The same, of slopes that were rounded to floats."""

_NOTHING: Final = mp.mpf(2) ** -1100
"""What no float shows."""

_VAGUE: Final = mp.mpf(10) ** -6
"""A quotient that is known to no more than this, relatively, says nothing."""

_INFINITE_SLOPE: Final = 1e6
"""A quotient above it passes for one of an infinite slope."""

_NO_SLOPE: Final = mp.mpf(10) ** 400
"""No float is a slope as large."""

_SHOWN: Final = 17


class OpinionStatus(enum.Enum):
    """What a second opinion says."""

    CONFIRMED = "confirmed"
    CONTRADICTED = "contradicted"
    SILENT = "not rechecked"


@dataclass(frozen=True, slots=True)
class Opinion:
    """A second opinion.

    Attributes
    ----------
    status : OpinionStatus
    words : str
        The value that was found, or why there is none.
    """

    status: OpinionStatus
    words: str

    def __str__(self) -> str:
        return f"{self.status.value}: {self.words}"


_LOCK: Final = threading.RLock()


def _hold_lock(opinion: Callable[P, Opinion]) -> Callable[P, Opinion]:
    """`opinion`, for which other threads wait: mpmath has one precision for all of them."""

    @functools.wraps(opinion)
    def call_locked(*args: P.args, **kwargs: P.kwargs) -> Opinion:
        with _LOCK:
            return opinion(*args, **kwargs)

    return call_locked


@_hold_lock
def opinion_on_entry(
    graph: Graph,
    quantity: Quantity,
    x: Sequence[Any],
    argument: int,
    index: tuple[int, ...],
    claimed: float,
    bounds: tuple[str, str],
    *,
    fails: bool,
) -> Opinion:
    """Whether difference quotients lie in an enclosure, and away from a value said to be wrong.

    Parameters
    ----------
    graph : Graph
        The function, recorded at `x`.
    quantity : Quantity
        Which derivative.
    x : sequence of arrays
        The arguments; of a product the directions behind them.
    argument, index : int, tuple of int
        The entry, as :class:`verify.model.result.Entry` has it.
    claimed : float
    bounds : pair of str
        Decimal bounds of the exact derivative.
    fails : bool
        Whether `claimed` is said not to be the derivative.

    Examples
    --------
    >>> import symtape
    >>> graph = symtape.record(lambda x: x**3, 2.0)
    >>> print(opinion_on_entry(graph, Quantity("gradient"), [2.0], 0, (), 11.0, ("12", "12"),
    ...                        fails=True))
    confirmed: 12.0 by difference quotients in 400 digits
    """

    def opinion(graph: Graph) -> Opinion:
        try:
            functional = Functional(graph, quantity, x, argument, index)
            stages = BRIEF if is_slow(graph) else STAGES
            found, digits = settle_quotient(functional, claimed, stages=stages)
            if _is_vague(found, digits, claimed):
                return _detect_divergence(found, digits, fails)
            if words := "" if fails or quantity.second else _describe_two_sides(functional, found):
                return Opinion(OpinionStatus.CONTRADICTED, words)
        except NotRechecked as error:
            return Opinion(OpinionStatus.SILENT, str(error))
        with mp.workdps(digits):
            return _compare_with_claim(found, digits, claimed, bounds, fails)

    return _retry_without_stops(graph, opinion)


def _is_vague(found: Quotient, digits: int, claimed: float) -> bool:
    with mp.workdps(digits):
        size = max(abs(found.value), abs(mp.mpf(claimed)) if math.isfinite(claimed) else mp.zero)
        return bool(found.error > _NOTHING and found.error >= _VAGUE * size)


def _detect_divergence(found: Quotient, digits: int, fails: bool) -> Opinion:
    """Where quotients grow and grow no finite number is the slope."""
    if not fails and abs(found.value) > _NO_SLOPE:
        words = f"quotients that grow beyond {_decimal(abs(found.value))}: no slope is finite there"
        return Opinion(OpinionStatus.CONTRADICTED, words)
    return Opinion(OpinionStatus.SILENT, f"quotients in {digits} digits do not settle")


def _retry_without_stops(graph: Graph, opinion: Callable[[Graph], Opinion]) -> Opinion:
    """That of the derivative of the values where the one that holds what is stopped disagrees."""
    found = opinion(graph)
    if found.status is OpinionStatus.CONTRADICTED and stopping_lines(graph):
        return opinion(remove_stops(graph))
    return found


def _describe_two_sides(functional: Functional, central: Quotient) -> str:
    """The slopes on both sides, if they are two: central quotients are their mean at a kink."""
    right, digits = settle_quotient(functional, None, side=1)
    with mp.workdps(digits):
        off = abs(right.value - central.value)
        if off <= 4 * (right.error + central.error) + _SLACK * abs(central.value) + _NOTHING:
            return ""
        left = 2 * central.value - right.value
    return f"{_decimal(left)} from the left and {_decimal(right.value)} from the right"


def _compare_with_claim(
    found: Quotient, digits: int, claimed: float, bounds: tuple[str, str], fails: bool
) -> Opinion:
    words = f"{_decimal(found.value)} by difference quotients in {digits} digits"
    slack = 4 * found.error + _SLACK * abs(found.value) + _NOTHING
    lower, upper = (mp.mpf(bound) for bound in bounds)
    if not lower - slack <= found.value <= upper + slack:
        return Opinion(
            OpinionStatus.CONTRADICTED, f"{words}, outside of [{bounds[0]}, {bounds[1]}]"
        )
    if fails and math.isfinite(claimed):
        off = abs(mp.mpf(claimed) - found.value)
        nearest = float(found.value)
        if math.isfinite(nearest) and off <= mp.mpf(math.ulp(nearest)) / 2:
            return Opinion(OpinionStatus.CONTRADICTED, f"{words}, which is what is claimed")
        if off <= 4 * found.error:
            return Opinion(OpinionStatus.SILENT, f"{words}, not settled enough to tell")
    return Opinion(OpinionStatus.CONFIRMED, words)


@_hold_lock
def opinion_on_slope(
    graph: Graph,
    quantity: Quantity,
    x: Sequence[Any],
    argument: int,
    index: tuple[int, ...],
    claimed: float | None,
    sides: tuple[float | None, float | None],
) -> Opinion:
    """Whether one-sided quotients are those stated at a kink, and away from what is claimed.

    Parameters
    ----------
    graph, quantity, x, argument, index, claimed
        As of :func:`opinion_on_entry`.
    sides : pair of float or None
        The slopes from the left and from the right that were stated.
    """
    if quantity.second:
        return Opinion(OpinionStatus.SILENT, "one-sided second derivatives have no quotient here")
    found = []
    try:
        functional = Functional(graph, quantity, x, argument, index)
        for sign, stated in zip((-1, 1), sides, strict=True):
            quotient, digits = settle_quotient(functional, claimed, side=sign)
            found.append(quotient.value)
            with mp.workdps(digits):
                if stated is not None and not _is_near_stated(quotient, stated):
                    return Opinion(
                        OpinionStatus.CONTRADICTED,
                        f"{_decimal(quotient.value)} from the "
                        f"{'left' if sign < 0 else 'right'}, where {stated!r} is stated",
                    )
    except NotRechecked as error:
        return Opinion(OpinionStatus.SILENT, str(error))
    words = " and ".join(_decimal(value) for value in found)
    if claimed is not None and all(float(value) == claimed for value in found):
        return Opinion(
            OpinionStatus.CONTRADICTED, f"{words} from both sides, which is what is claimed"
        )
    return Opinion(OpinionStatus.CONFIRMED, f"{words} from the left and from the right")


def _decimal(value: Any) -> str:
    # Of thousands of digits Python refuses to make a decimal.
    with mp.workdps(2 * _SHOWN):
        return str(mp.nstr(+value, _SHOWN))


def _is_near_stated(quotient: Quotient, stated: float) -> bool:
    if not math.isfinite(stated):
        return bool(abs(quotient.value) > _INFINITE_SLOPE)
    off = abs(quotient.value - mp.mpf(stated))
    return bool(off <= 4 * quotient.error + _ROUNDED * max(abs(quotient.value), 1))


_FINDINGS: Final = 4
"""Findings of a case that are rechecked; the first of them is the one that is shown."""

_SMALL: Final = 1_000
"""Numbers in a graph up to which a finding is rechecked by the way."""

_TINY: Final = 200
"""The same, of what is no finding."""

_SECONDS: Final = 10.0
"""After which there is no opinion; :data:`SLOW` functions at awkward arguments get there."""

_OPERATIONS: Final = 250_000


def recheck_outcomes(claim: Claim, outcomes: Sequence[PointOutcome]) -> tuple[PointOutcome, ...]:
    """`outcomes` with second opinions on the first findings, or on one of those that pass.

    A finding that is contradicted, or a derivative that is, becomes UNDECIDED: an oracle conflict.
    """
    finding = [at for at, it in enumerate(outcomes) if it.verdict.fails][:_FINDINGS]
    passing = [at for at, it in enumerate(outcomes) if it.verdict is Verdict.CORRECT][:1]
    found = list(outcomes)
    for at in finding or passing:
        found[at] = _add_opinion(claim, outcomes[at], _SMALL if finding else _TINY)
    return tuple(found)


def _add_opinion(claim: Claim, outcome: PointOutcome, largest: int) -> PointOutcome:
    try:
        graph = claim.record(outcome.x, _OPERATIONS)
        if graph.elements > largest or (largest == _TINY and is_slow(graph)):
            return outcome
        opinion = opinion_on(claim, graph, outcome)
    except Exception as error:  # noqa: BLE001  # told as what it is: the verdict stands without
        words = describe_error(error) if is_internal(error) else str(error)
        return replace(outcome, recheck=f"{OpinionStatus.SILENT.value}: {words}")
    if opinion is None or opinion.status is OpinionStatus.SILENT:
        return outcome
    if opinion.status is OpinionStatus.CONFIRMED:
        return replace(outcome, recheck=opinion.words)
    words = f"oracle conflict: the recheck finds {opinion.words}"
    message = f"{words}; this is a fault of symtape, not of the claim"
    return replace(
        outcome, verdict=Verdict.UNDECIDED, message=message, recheck=opinion.words, conflict=True
    )


def is_slow(graph: Graph) -> bool:
    """Whether mpmath may take seconds for a value at hundreds of digits."""
    return any(node.primitive is not None and node.name in SLOW for node in graph.nodes)


def opinion_on(claim: Claim, graph: Graph, outcome: PointOutcome) -> Opinion | None:
    """A second opinion on the entry that an outcome shows; None where it shows none."""
    try:
        with limit_time(_SECONDS, lambda where: BudgetSpent(f"{_SECONDS:g} s were not enough")):
            if outcome.kink is not None:
                return _opinion_on_kink(claim, graph, outcome, outcome.kink)
            if (worst := outcome.worst) is None:
                return None
            return opinion_on_entry(
                graph,
                claim.quantity,
                outcome.x,
                worst.argument,
                worst.index,
                worst.claimed,
                (worst.lower, worst.upper),
                # Of a rule that is off in exact arithmetic the float may well be the nearest.
                fails=outcome.verdict.fails and not worst.exactly,
            )
    except BudgetSpent as error:
        return Opinion(OpinionStatus.SILENT, str(error))


def _opinion_on_kink(
    claim: Claim, graph: Graph, outcome: PointOutcome, kink: KinkFacts
) -> Opinion | None:
    for slope in kink.slopes:
        inside = slope.claimed is not None and slope.lower <= slope.claimed <= slope.upper
        if not inside:
            return opinion_on_slope(
                graph,
                claim.quantity,
                outcome.x,
                slope.argument,
                slope.index,
                slope.claimed,
                (slope.left, slope.right),
            )
    return None
