"""Judging pairs: each a unit of work, posed and judged where it runs."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass, replace
from typing import Final

import numpy as np

from verify.auditing.answers import PosedPair, write_answer
from verify.auditing.packages.convention import NotPosed
from verify.auditing.packages.declared_region import declared_region
from verify.auditing.packages.likeness import Likeness, agrees_at, likeness_of
from verify.auditing.packages.pair import Pair, Unpaired
from verify.auditing.packages.registry import find_conventions
from verify.campaign.addresses import address
from verify.model.case import Case
from verify.model.result import Result
from verify.model.stated_accuracy import StatedAccuracy
from verify.model.verdict import Verdict
from verify.reporting.codec import decode, encode

_LAST_DIGITS: Final = 1e-12
"""A claim that is off by no more is judged again as one that states this accuracy.

Compiled code does not say in which order it sums, so that a few ulps say nothing about a rule.
"""

_ROUNDINGS: Final = 4
"""Of the largest value that an entry has: what is less, and cut off to zero, is no mistake."""

_LEAST: Final = 0.1
"""Seconds for judging again, where judging has taken what there were."""


@dataclass(frozen=True, slots=True)
class PairWork:
    """One pair, to be posed and judged.

    Attributes
    ----------
    pair : Pair
    seed : int
        Of the search, and of the region where one is searched.
    effort : float
    strict : bool
    judged : bool
        Whether it is judged, or posed alone.
    distribution : str
        The package's, whose version the answer depends on.
    """

    pair: Pair
    seed: int = 0
    effort: float = 1.0
    strict: bool = False
    judged: bool = True
    distribution: str = ""

    @property
    def id(self) -> str:
        """The pair's."""
        return self.pair.id

    @property
    def key(self) -> str:
        """Its content address, by the pair, the options and the package's version."""
        parts = json.dumps(asdict(self), sort_keys=True)
        return address("pair", parts, packages=self.packages)

    @property
    def packages(self) -> tuple[str, ...]:
        """The package that is audited."""
        return (self.distribution,) if self.distribution else ()

    def run(self, seconds: float) -> str:
        """A result as JSON, or why there is none, or what the listing says of it."""
        start = time.perf_counter()
        convention = find_conventions().conventions[self.pair.convention]
        try:
            case = _restrict_to_region(convention.pose(self.pair), self.pair)
        except NotPosed as error:
            return self._write_unpaired(str(error))
        except Exception as error:  # noqa: BLE001  # of a plugin, or of the package
            return self._write_unpaired(f"posing it raised {type(error).__name__}: {error}")
        if not self.judged:
            return write_answer(PosedPair(case.title, case.over.describe() if case.over else ""))
        case = replace(case, strict=self.strict, effort=self.effort)
        result = self._judge_case(case, seconds)
        if not self.strict and (stated := _accuracy_of_slight_errors(result)):
            left = max(seconds - (time.perf_counter() - start), _LEAST)
            again = self._judge_case(replace(case, accuracy=stated), left)
            # Where it fails elsewhere too, the library has stated nothing that could be held to.
            result = result if again.failing else again
        result = _unless_differences_agree(case, result)
        if result.verdict is Verdict.WRONG:
            if bound := _bound_that_cuts_off(result):
                return self._write_unpaired(
                    f"what it returns is cut off at {bound:g} in size; it is right where it is not"
                )
            found = likeness_of(case)
            if found.of_value:
                return self._write_unpaired(
                    "it is the derivative in terms of the value: it is right where it is given "
                    f"what {self.pair.function} returns"
                )
            if found.looked_at and not found.right and not self.pair.sure:
                if not (words := _describe_common(result, found)):
                    return self._write_unpaired(
                        "paired by name or behaviour, but not a derivative: "
                        f"{found.words}; at none of {found.looked_at} points do they agree, "
                        "or differ as wrong derivatives do"
                    )
                result = replace(result, suspect=words)
        return write_answer(replace(result, seconds=time.perf_counter() - start))

    def _judge_case(self, case: Case, seconds: float) -> Result:
        from verify.campaign.deciding import judge_case

        result = judge_case(case, seconds, self.seed)
        return replace(result, replay=self.replay)

    @property
    def replay(self) -> str:
        """The shell line that audits this pair again."""
        seed = f" --seed {self.seed}" if self.seed else ""
        return f"symtape audit {self.pair.module} --only {self.id!r}{seed}"

    def _write_unpaired(self, reason: str) -> str:
        return write_answer(Unpaired(self.id, self.pair.convention, reason))

    def describe_end(self, words: str) -> str:
        """The undecided result of a pair that came to no answer."""
        result = Result(
            id=self.id,
            title=f"{self.pair.claim}, as the derivative of {self.pair.function}",
            suite=self.pair.module,
            quantity=self.pair.quantity,
            claimant=self.pair.claim,
            verdict=Verdict.UNDECIDED,
            message=words,
            replay=self.replay,
        )
        return write_answer(result)


def _describe_common(result: Result, found: Likeness) -> str:
    """What a claim that is right nowhere has to do with the derivative; empty for nothing."""
    if found.everywhere:
        what = f"at each of {found.looked_at} points what is claimed is {found.everywhere}"
        return f"{what}; {found.words}"
    blamed = next((point for point in result.failing if point.op), None)
    # What is claimed and what is exact come before the mistake.
    return "" if blamed is None else "; ".join([*blamed.message.split("; ")[2:], found.words])


def _accuracy_of_slight_errors(result: Result) -> StatedAccuracy | None:
    """What a claim is held to that fails by so little that nobody would call it wrong.

    It loses its last digits; or it is cut off to zero where it is below those it has elsewhere.
    """
    cut_off = 0.0
    for point in result.failing:
        if point.relative_error is not None and point.relative_error <= _LAST_DIGITS:
            continue
        entry = point.worst
        if entry is None or entry.claimed != 0:
            return None
        right = [it.worst for it in result.points if it.verdict is Verdict.CORRECT and it.worst]
        place = entry.argument, entry.index
        sizes = [abs(it.claimed) for it in right if (it.argument, it.index) == place]
        bound = _ROUNDINGS * float(np.finfo(np.float64).eps) * max(sizes, default=0.0)
        if max(abs(float(entry.lower)), abs(float(entry.upper))) > bound:
            return None
        cut_off = max(cut_off, bound)
    return StatedAccuracy(_LAST_DIGITS, cut_off) if result.failing else None


def _bound_that_cuts_off(result: Result) -> float:
    """The size at which a claim is cut off, if it is wrong for no other reason; else 0.

    At all failing points it has the same size, and the derivative is larger and of its sign.
    """
    bounds = set()
    for point in result.failing:
        if point.relative_error is not None and point.relative_error <= _LAST_DIGITS:
            continue
        entry = point.worst
        if entry is None or not entry.claimed * float(entry.lower) > entry.claimed**2:
            return 0.0
        bounds.add(abs(entry.claimed))
    right = any(point.verdict is Verdict.CORRECT for point in result.points)
    return bounds.pop() if len(bounds) == 1 and right and len(result.failing) > 1 else 0.0


def _unless_differences_agree(case: Case, result: Result) -> Result:
    """A result that is undecided where it rests on kinks at which differences bear out the claim.

    One value of a choice at a tie, as of ``sign(0)``, may make a smooth function look as if it had
    a kink.
    """
    failing = result.failing
    if not failing or not all(point.kink is not None and point.x for point in failing):
        return result
    if not all(agrees_at(case, point.x) for point in failing):
        return result
    words = "differences show no kink there, and agree with the claim"
    words = f"{words}: {result.message}"
    read_again = decode(Result, encode(result), "result")  # No verdict follows from its points.
    return replace(read_again, verdict=Verdict.UNDECIDED, basis="", message=words)


def _restrict_to_region(case: Case, pair: Pair) -> Case:
    """A case over the region that the manifest has for it, if there is one."""
    over = pair.settings.get("over")
    if not over or case.over is None:
        return case
    return replace(case, over=declared_region(over, case.function, case.over.names))
