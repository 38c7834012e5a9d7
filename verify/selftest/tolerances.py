"""How much of the tolerances right code takes, measured: derivatives written by hand, unread.

The programs of people round elsewhere than the tape's and the closed form. Of each function of the
self-test the derivative by hand is asked at random points, in two precisions, and what it is off by
set beside what the bounds would be without a tolerance. Right is what the reference of
:mod:`verify.selftest.alarms` shows to be.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from symtape.errors import SymtapeError
from verify.claimants.claim import Claim, claim_of
from verify.judging.rounding import tolerances
from verify.judging.rounding.float_value import allowance, claimed_unit, margins, widen_allowance
from verify.judging.rounding.programs import Point
from verify.judging.rounding.unread import allow_cancellation, terms
from verify.limits.limit import DEFAULT_BUDGET
from verify.oracles.closed_form import ClosedForms, shape_of
from verify.oracles.exact_derivative import derivative_at
from verify.selftest.alarms import doubtful
from verify.selftest.functions import FUNCTIONS
from verify.selftest.points import generator
from verify.suites.problem import Problem

MEASURED: Final = ("FEW", "LITTLE", "ORDERS", "SEVERAL")
"""The tolerances that are measured."""

_SCALES: Final = (1.0, 0.125, 8.0, 1e-3, 40.0, 1e-6, 1e3, 1.0)
"""By which points are multiplied, in turn: near zero, and into tails."""

_OPERATIONS: Final = 250_000


@dataclass(frozen=True, slots=True)
class Need:
    """What right code takes of a tolerance at most.

    Attributes
    ----------
    name : str
        Of :mod:`verify.judging.rounding.tolerances`.
    taken : float
    worst : str
        The derivative that takes the most; empty if none takes any.
    """

    name: str
    taken: float = 0.0
    worst: str = ""

    @property
    def exceeds(self) -> bool:
        """Whether the tolerance is too small."""
        return self.taken > float(getattr(tolerances, self.name))

    def __str__(self) -> str:
        verdict = "too small" if self.exceeds else "holds"
        most = f", by {self.worst}" if self.worst else ""
        given = getattr(tolerances, self.name)
        return (
            f"{self.name:10s} {given:g}: {verdict}; right code takes {self.taken:.3g} of it{most}"
        )


def needs(points: int = 8, seed: int = 0) -> list[Need]:
    """What right code takes of each measured tolerance.

    Examples
    --------
    >>> [need.name for need in needs(points=0)]
    ['FEW', 'LITTLE', 'ORDERS', 'SEVERAL']
    """
    most = {name: Need(name) for name in MEASURED}
    for name, problem in FUNCTIONS.items():
        drawn = problem.points(generator(seed, f"tolerances {name}"), points)
        for number, point in enumerate(drawn):
            for dtype in (np.float64, np.float32):
                scale = _SCALES[number % len(_SCALES)]
                x = tuple(np.asarray(scale * np.asarray(part), dtype)[()] for part in point)
                for found, taken in _measure_problem(problem, x):
                    if taken > most[found].taken:
                        most[found] = Need(found, taken, f"{name}, {np.dtype(dtype).name}")
    return list(most.values())


def _measure_problem(problem: Problem, point: tuple[Any, ...]) -> Iterator[tuple[str, float]]:
    case = problem.case([point], problem.derivative)
    if doubtful(case, point):
        return
    claim = claim_of(case)
    try:
        with np.errstate(all="ignore"):
            yield from _measure_errors(claim, tuple(np.asarray(x)[()] for x in point))
    except SymtapeError:
        return


def _measure_errors(claim: Claim, x: Sequence[Any]) -> Iterator[tuple[str, float]]:
    """What an answer is off by, as multiples of what each tolerance multiplies."""
    graph = claim.record(tuple(x), _OPERATIONS)
    values = graph.values(*x)
    exact = derivative_at(ClosedForms(claim.quantity), graph, x, DEFAULT_BUDGET, values)
    point = Point(tuple(x), graph, exact, values)
    answer = claim.answer(tuple(x), shape_of(graph, claim.quantity))
    unit = claimed_unit(graph, answer.parts)
    program = claim.reference(tuple(x), _OPERATIONS)
    allowed = allowance(program, x, exact, unit)
    known = allow_cancellation(widen_allowance(allowed, program, x, exact, unit), point, unit)
    bounds = zip(margins(program, x, exact, unit), terms(point, unit), known, strict=True)
    for part, balls, ((radii, costs, roundings), cancelled, whole) in zip(
        answer.parts, exact.parts, bounds, strict=True
    ):
        errors = np.asarray(_DISTANCES(part, balls), dtype=float)
        normal = roundings >= float(np.finfo(part.dtype).smallest_normal)
        beyond = normal & (errors > radii) & np.isfinite(radii)
        wide = normal & (radii > tolerances.NARROW / unit * roundings)
        yield "ORDERS", _largest(errors, costs, wide & (errors > roundings))
        yield "SEVERAL", _largest(errors, roundings, beyond & (errors <= costs))
        yield "FEW", _largest(errors, np.maximum(roundings, cancelled), beyond & (errors > costs))
        yield "LITTLE", _largest(errors, whole, beyond)


_DISTANCES: Final = np.frompyfunc(lambda value, ball: float(abs(ball - float(value)).lower()), 2, 1)


def _largest(errors: Any, measure: Any, some: Any) -> float:
    some = some & (measure > 0)
    return float(np.max(errors[some] / measure[some], initial=0.0))
