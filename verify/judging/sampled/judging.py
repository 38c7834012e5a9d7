"""Judging by samples: a verdict on a claim about a black box, point by point.

WRONG is said only of what several windows exclude, far above the noise; where the samples could
not have told a right claim from a wrong one the verdict is UNDECIDED, with the size of the fault
that they could have seen.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from typing import Any, Final

import numpy as np

from symtape.errors import BudgetSpent, NotOnTape, NotTraceable, Unsupported
from symtape.process.budget import Budget
from symtape.recording.structure import concatenate_entries, flatten
from verify.claimants.claim import Claim, claim_of, fresh
from verify.claimants.determinism import check_repeatable, unsteady, unsteady_values
from verify.errors import NotADerivative, NotAFunction, Refused, UsageError
from verify.files import places
from verify.judging.kinks.domain import not_finite
from verify.judging.sampled import words
from verify.judging.sampled.directions import probes
from verify.judging.sampled.line import WIDE, noise_of
from verify.judging.sampled.outputs import BlackBox, Output, OutputStatus, ProbeResult
from verify.judging.search.ledger import Ledger, add_given_up, no_function, stopped_outcomes
from verify.limits.limit import time_error, time_limit
from verify.model.case import Case, argument_names
from verify.model.grade import grade_outcome
from verify.model.result import Coverage, KinkFacts, PointOutcome, Result, Slope
from verify.model.verdict import Verdict
from verify.regions import Region
from verify.regions.box import Box

_POINTS: Final = 24
"""Of a region, of which a third are special ones."""

_FEWEST: Final = 8
_NUMBERS: Final = 20_000
"""Of a region fewer points, but so many, once the function has been asked for so many numbers."""

_BLIND: Final = 1e-2
"""Where a fault of this part of the derivative could not have been seen, nothing is decided."""

LEAST_SEVERITY: Final = 1e-3
"""What samples exclude is seen in the value, however little it is of the derivative."""

_ASKED: Final = 2
"""Points at which function and claim are asked twice."""

_OPERATIONS: Final = 250_000
"""Most operations recorded of a function that symtape's tape differentiates."""

Point = tuple[Any, ...]


def judge_by_samples(case: Case, budget: Budget) -> Result:
    """Judge a case by the values of its function alone.

    Nothing is recorded: the function may be compiled code or a simulation. Its value along lines
    through a point is compared with what the claim says of its change there: polynomials through
    windows of every size, a step into the complex plane where that is analytic, and for second
    derivatives the curvatures. The noise of the function is measured.

    Parameters
    ----------
    case : Case
    budget : Budget
        Seconds for the whole case; where they do not suffice, and nothing is wrong, it ends
        UNDECIDED.

    Returns
    -------
    Result
        Its evidence is the rung "sampled", which is no certificate.

    Raises
    ------
    UsageError
        A gradient of an array.
    Exception
        What the function raises at every point.
    """
    started = time.perf_counter()
    claim = claim_of(case)
    claim.calls.seconds = budget.seconds
    judge = _Judge(claim, case.over, case.seed, budget.seconds)
    found: tuple[PointOutcome, ...] = ()
    coverage = None
    try:
        outcomes = [judge.judge_point(x) for x in case.at]
        if case.over is not None:
            found, coverage = _looked_over(case.over, case.seed, judge, case.strict)
    except NotAFunction as error:
        return no_function(case, error, time.perf_counter() - started)
    if judge.raised is not None and not judge.called:
        raise judge.raised
    return Result.from_points(
        case,
        (*outcomes, *stopped_outcomes(claim, (*outcomes, *found)), *found),
        seconds=time.perf_counter() - started,
        coverage=None if coverage is None else add_given_up(coverage, claim),
    )


def _looked_over(
    region: Region, seed: int, judge: _Judge, strict: bool
) -> tuple[tuple[PointOutcome, ...], Coverage]:
    """Points all over a region, until there are enough."""
    ledger = Ledger(strict)
    unjudged: list[PointOutcome] = []
    for tried, x in enumerate(_candidates(region, seed)):
        if tried >= _FEWEST and judge.numbers > _NUMBERS:
            break
        if judge.late:
            unjudged = [judge.unjudged_outcome(x)]
            break
        ledger.add(judge.judge_point(x))
    stopped = "the budget was spent" if unjudged else ""
    count = len(ledger.outcomes)
    coverage = ledger.coverage(region.describe(), seed, count, 0, stopped)
    return (*ledger.select_outcomes(), *unjudged), coverage


def _candidates(region: Region, seed: int) -> Iterator[Point]:
    """Special points and ones by chance, in turn."""
    random = np.random.default_rng([seed, 5])
    special = region.points(seed)
    for k in range(_POINTS // 3):
        yield region.draw(random, "uniform", k)
        yield from islice(special, 1)
        yield region.draw(random, ("whole", "mixed")[k % 2], k)


class _Judge:
    """Judges one claim at point after point.

    Attributes
    ----------
    called : bool
        Whether the function has returned anything yet.
    raised : Exception or None
        The first thing that it raised.
    numbers : int
        For how many numbers the function was asked.
    """

    def __init__(self, claim: Claim, region: Region | None, seed: int, seconds: float) -> None:
        self.claim, self.seed, self.seconds = claim, seed, seconds
        self._until = time.perf_counter() + seconds
        self.numbers = 0
        self.inside = _make_domain_test(region)
        self._asked = 0
        self.called = False
        self.raised: Exception | None = None

    @property
    def late(self) -> bool:
        """Whether the budget is spent."""
        return time.perf_counter() > self._until

    def unjudged_outcome(self, x: Point) -> PointOutcome:
        """A point for which there was no time."""
        return PointOutcome.from_judgement(x, Verdict.UNDECIDED, str(time_error(self.seconds)))

    def judge_point(self, x: Point) -> PointOutcome:
        """What there is to say of the claim at one point."""
        x = tuple(fresh(arg) for arg in x)
        left = self._until - time.perf_counter()
        limit = time_limit(left, self.seconds)
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"), limit:
                warnings.simplefilter("ignore")
                outcome = self._judge(x)
                fails = outcome.verdict.fails
                return grade_outcome(outcome, self.claim.quantity) if fails else outcome
        except BudgetSpent as error:
            return PointOutcome.from_judgement(x, Verdict.UNDECIDED, str(error))

    def _judge(self, x: Point) -> PointOutcome:
        if outside := not_finite(x, argument_names(self.claim.function, len(x))):
            return PointOutcome.from_judgement(x, Verdict.OUTSIDE, outside)
        try:
            outputs = [np.asarray(y) for y in flatten(self.claim.value(*map(np.copy, x)))]
        except BudgetSpent:
            raise
        except Exception as error:  # noqa: BLE001  # where users' code raises, it is undefined
            self.raised = self.raised or error
            place = places.place_of_error(error)
            told = f"the function raised {type(error).__name__}: {error}"
            return PointOutcome.from_judgement(x, Verdict.OUTSIDE, told, origin=place or None)
        self.called = True
        _check(self.claim, outputs)
        if not all(np.isfinite(y).all() for y in outputs):
            return PointOutcome.from_judgement(
                x, Verdict.OUTSIDE, "the function is not finite here"
            )
        return self._judge_outputs(x, outputs)

    def _judge_outputs(self, x: Point, outputs: list[Any]) -> PointOutcome:
        shapes = self.claim.quantity.shapes([np.shape(a) for a in x], [y.shape for y in outputs])
        try:
            if self._asked < _ASKED:
                self._asked += 1
                self._check_steady(x)
                check_repeatable(self.claim, x, shapes)
            parts = self.claim.answer(x, shapes).parts
        except Refused as error:
            return PointOutcome.from_judgement(x, Verdict.UNDECIDED, str(error))
        except NotADerivative as error:
            return PointOutcome.from_judgement(
                x, Verdict.WRONG, str(error), severity=1.0, misbehaviour=error.misbehaviour
            )
        except (NotTraceable, NotOnTape, Unsupported, LookupError) as error:
            raise UsageError(f"{words.NO_CLAIM}: {error}") from error
        if _is_along_nothing(self.claim, x):
            return _judge_zero_product(x, parts)
        if not all(np.isfinite(part).all() for part in parts):
            return PointOutcome.from_judgement(x, Verdict.UNDECIDED, words.NOT_FINITE)
        epsilon = max(_epsilon(a) for a in (*x, *outputs, *parts))
        function = _contract_function(self.claim, x)
        box = BlackBox(function, x, epsilon, self.inside)
        results = []
        for probe in probes(self.claim, x, parts, np.random.default_rng([self.seed, 7])):
            results.append(ProbeResult(box, probe))
            if self.late:
                break
        stated = _stated_tolerance(self.claim, parts)
        outcome = _verdict(x, results, lambda: self._noise(x, shapes, epsilon) + stated)
        self.numbers += box.numbers
        return (
            self.unjudged_outcome(x)
            if self.late and outcome.verdict is Verdict.CORRECT
            else outcome
        )

    def _check_steady(self, x: Point) -> None:
        """Refuse a function without a single value at `x`.

        Raises
        ------
        NotAFunction
        """
        with self.claim.calls.limit_call("the function", x, BudgetSpent):
            told = unsteady_values(self.claim.function, x)
            if not told and self.claim.ours:
                # What a function keeps, a tape takes for constant.
                with suppress(Exception):
                    told = unsteady(self.claim.function, x, _OPERATIONS)
        if told:
            raise NotAFunction(told, x)

    def _noise(self, x: Point, shapes: list[Any], epsilon: float) -> float:
        """How noisy an entry of the claim is, at most, near the point."""
        rows = self.claim.quantity.moving(len(x))
        units = {i: np.maximum(np.abs(np.asarray(x[i], float)), 1.0) for i in rows}

        def evaluate_at(t: float) -> Any:
            moved = list(x)
            for i, unit in units.items():
                moved[i] = np.asarray(x[i] + t * unit).astype(np.asarray(x[i]).dtype)[()]
            try:
                parts = self.claim.answer(tuple(moved), shapes).parts
            except NotADerivative:
                return None
            flat = concatenate_entries(parts)
            return flat if np.isfinite(flat).all() else None

        found = noise_of(evaluate_at, epsilon, WIDE)
        return float("inf") if found is None else float(np.max(found, initial=0.0))


def _contract_function(claim: Claim, x: Point) -> Callable[..., Any]:
    """The function whose derivative a claim is along its arguments: of a VJP a number."""
    if claim.quantity.name != "vjp":
        return claim.value
    cotangents = [np.asarray(x[at]) for at in claim.quantity.direction_places(len(x))]

    def pair_with_cotangents(*args: Any) -> Any:
        outputs = [np.asarray(y) for y in flatten(claim.value(*args))]
        return sum(np.sum(g * y) for g, y in zip(cotangents, outputs, strict=True))

    return pair_with_cotangents


def _stated_tolerance(claim: Claim, parts: list[Any]) -> float:
    """How far off an entry may be by the accuracy that the claim states; 0 where it does not."""
    if (accuracy := claim.accuracy) is None:
        return 0.0
    largest = max((float(np.max(np.abs(part), initial=0.0)) for part in parts), default=0.0)
    return accuracy.atol + accuracy.rtol * largest


def _is_along_nothing(claim: Claim, x: Point) -> bool:
    """Whether all directions of a product are zero."""
    along = claim.quantity.direction_places(len(x))
    return bool(along) and not any(np.any(x[at]) for at in along)


def _judge_zero_product(x: Point, parts: list[Any]) -> PointOutcome:
    """A product along zero is zero, whatever the function."""
    if any(np.any(part) for part in parts):
        return PointOutcome.from_judgement(x, Verdict.WRONG, words.NOT_LINEAR, severity=1.0)
    return PointOutcome.from_judgement(x, Verdict.CORRECT, power="a product along zero is zero")


def _verdict(x: Point, results: list[ProbeResult], noise: Callable[[], float]) -> PointOutcome:
    looks = [(s, k, out) for s in results for k, out in enumerate(s.outputs(0.0))]
    if any(out.status in (OutputStatus.OFF, OutputStatus.CLOSE) for _, _, out in looks):
        lost = noise()
        looks = [
            (s, k, out)
            for s in results
            for k, out in enumerate(s.outputs(lost * _length(s) ** s.probe.order))
        ]
    by_status: dict[OutputStatus, list[tuple[ProbeResult, int, Output]]] = {}
    for look in looks:
        by_status.setdefault(look[2].status, []).append(look)
    if OutputStatus.KINK in by_status:
        return _kink(x, by_status[OutputStatus.KINK][-1])
    if OutputStatus.OFF in by_status:
        # Of a single entry, if one is off by itself.
        result, k, out = by_status[OutputStatus.OFF][-1]
        said = words.wrong(out, result.probe.name, result.remainder_order(k))
        return PointOutcome.from_judgement(x, Verdict.WRONG, said, severity=_severity(result, out))
    if OutputStatus.CLOSE in by_status:
        result, _, out = by_status[OutputStatus.CLOSE][-1]
        return PointOutcome.from_judgement(
            x, Verdict.UNDECIDED, words.close(out, result.probe.name)
        )
    return _agreeing_outcome(x, looks, results)


def _severity(result: ProbeResult, out: Output) -> float:
    """How far a claim is off, at least, beside the derivative here and a unit away."""
    apart = abs(out.claimed - out.value) - out.bar
    size = max(abs(out.claimed), abs(out.value), result.bends())
    return max(LEAST_SEVERITY, apart / size)


def _agreeing_outcome(
    x: Point, looks: list[tuple[ProbeResult, int, Output]], results: list[ProbeResult]
) -> PointOutcome:
    """CORRECT, if a fault would have been seen."""
    if not looks:
        return PointOutcome.from_judgement(
            x, Verdict.CORRECT, power="there is nothing to differentiate by"
        )
    fault = max(8 * out.bar / s.probe.entry for s, _, out in looks)
    largest = max(
        max(abs(out.value) - 8 * out.bar, 0.0) / s.probe.entry if out.bar < np.inf else 0.0
        for s, _, out in looks
    )
    level = largest == 0 and fault < np.inf
    if level:
        largest = max(max(s.bends(), 0.0) / s.probe.entry for s in results)
    if not largest or fault > _BLIND * largest:
        return PointOutcome.from_judgement(x, Verdict.UNDECIDED, words.blind(fault, largest))
    said = words.power(fault / largest, len(results), level)
    return PointOutcome.from_judgement(x, Verdict.CORRECT, power=said)


def _kink(x: Point, look: tuple[ProbeResult, int, Output]) -> PointOutcome:
    result, _, out = look
    assert out.sides is not None
    low, high = sorted(out.sides)
    alone = sum(np.size(arg) for arg in x) == 1
    between = low - out.bar <= out.claimed <= high + out.bar
    slope = Slope("", (), *out.sides, low, high, out.claimed)
    facts = KinkFacts((slope,) if alone else (), True if alone and between else None)
    return PointOutcome.from_judgement(
        x, Verdict.KINK, words.kink(out, result.probe.name), kink=facts
    )


def _length(result: ProbeResult) -> float:
    """The sum of the steps of all entries."""
    return max(
        float(sum(np.sum(np.abs(step)) for step in d.values())) for d, _ in result.probe.lines
    )


def _epsilon(array: Any) -> float:
    dtype = np.asarray(array).dtype
    return float(np.finfo(dtype).eps) if dtype.kind == "f" else float(np.finfo(np.float64).eps)


def _make_domain_test(region: Region | None) -> Callable[[Point], bool]:
    """Where the function may be called: of a region of boxes nowhere else."""
    if region is None or not all(isinstance(s, Box) and not s.whole for s in region.arguments):
        return lambda point: True
    return region.contains


def _check(claim: Claim, outputs: list[Any]) -> None:
    quantity = claim.quantity.name
    if any(y.dtype.kind not in "fiub" for y in outputs):
        raise UsageError(f"the function returned {outputs[0].dtype}; expected real numbers")
    scalar = quantity in ("gradient", "hessian", "hvp")
    if scalar and (len(outputs) != 1 or outputs[0].shape != ()):
        raise UsageError(
            f"the {quantity} is that of a scalar function, and this one returned shape "
            f"{outputs[0].shape}; sum it, or verify its jacobian"
        )
    if quantity == "jacobian" and len(outputs) != 1:
        raise UsageError(f"the function returned {len(outputs)} outputs; verify one at a time")
