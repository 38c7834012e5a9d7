"""Modes: further ways to the same derivative, compared with what is exact at some of the points.

A framework that is right in reverse mode may be wrong in forward mode, and a rule that is right
for one point wrong for a batch of them. Each mode is judged as a claim of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from symtape.errors import BudgetSpent, SymtapeError
from verify.claimants.claim import Answer, Claim
from verify.errors import DidNotReturn, NotADerivative, UsageError
from verify.judging.answered import AnsweredClaim
from verify.judging.at_point import judge_answer
from verify.judging.rounding.programs import Point, Programs
from verify.model.grade import grade_outcome
from verify.model.result import PointOutcome
from verify.model.verdict import Verdict
from verify.oracles.closed_form import shape_of

_FIRST: Final = 12
"""Points at which modes are judged in any case; a search has many more."""

_LEAST: Final = 4

_AGAIN: Final = 200
"""Points at which they are judged besides, once one of them failed: simpler ones are looked for."""


OnSides = Callable[..., PointOutcome]
"""What becomes of an outcome, and of the `claim` that it is of, where rounding picks the branch."""


@dataclass
class _Mode:
    """One mode, and whether it has ever answered."""

    claim: Claim
    programs: Programs
    answered: bool = False
    refused: str = ""


class Modes:
    """The modes of a case.

    Parameters
    ----------
    claims : mapping of str to Claim
        Beside the one that is judged.
    own : str
        What the one that is judged is called.
    operations : int
        Most to record of each.
    effort : float
        Of the search; below 1 there are fewer points.

    Attributes
    ----------
    of_xla : bool
        Whether one of them may take a subnormal number for 0.
    left : int
        Points at which they will still be judged.
    """

    def __init__(
        self, claims: Mapping[str, Claim], own: str, operations: int, effort: float = 1.0
    ) -> None:
        self._modes = {
            name: _Mode(claim, Programs(claim, operations)) for name, claim in claims.items()
        }
        self._own = own
        self.uses_xla = any(claim.uses_xla for claim in claims.values())
        self.left = max(_LEAST, int(_FIRST * min(effort, 1.0)))

    def judge(
        self, point: Point, outcome: PointOutcome, explain: bool, on_sides: OnSides
    ) -> PointOutcome:
        """`outcome`, of the claim that is judged, with what is to be said of the modes.

        What does not pass is asked `on_sides`, where rounding may have picked the branch.
        """
        failed = outcome.verdict.fails
        # What fails is explained at a few points only, and there it is told who does not.
        if not (explain if failed else self.left > 0):
            return outcome
        self.left -= not failed
        found = {
            name: said
            for name, mode in self._modes.items()
            if not mode.refused
            and (said := self._judge_mode(mode, point, False, on_sides)) is not None
        }
        bad = {name: said for name, said in found.items() if said.verdict.fails}
        good = [name for name, said in found.items() if said.verdict is Verdict.CORRECT]
        noted = {name: _is_noted(self._modes[name].claim, point, bad[name]) for name in bad}
        # What fails at the fringe alone hides no mode that fails where it matters.
        hides = failed and not all(noted.values())
        if failed and not (hides and _is_noted(self._modes[min(noted)].claim, point, outcome)):
            return replace(outcome, message=_sentence(outcome.message, good, list(bad)))
        if not bad:
            return outcome
        self.left = _AGAIN
        if outcome.verdict is Verdict.CORRECT:
            good = [self._own, *good]
        name = min(bad, key=lambda mode: (noted[mode], bad[mode].verdict is not Verdict.WRONG))
        mode = self._modes[name]
        told = (self._judge_mode(mode, point, True, on_sides) if explain else None) or bad[name]
        others = [other for other in bad if other != name]
        words = (
            f"{_name_mode(name)} ({mode.claim.claimant}){_describe_return(told)}; {told.message}"
        )
        return replace(told, message=_sentence(words, good, others))

    def _judge_mode(
        self, mode: _Mode, point: Point, explain: bool, on_sides: OnSides
    ) -> PointOutcome | None:
        """The verdict on a mode; None where it does not exist, or nothing can be said."""
        shapes = shape_of(point.graph, mode.claim.quantity)
        try:
            answer: Answer = mode.claim.answer(point.x, shapes)
        except DidNotReturn as error:
            return PointOutcome.from_judgement(point.x, Verdict.UNDECIDED, str(error))
        except UsageError as error:
            mode.refused = str(error)
            return None
        except NotADerivative as error:
            if error.__cause__ is not None and not mode.answered:
                # A framework may have no such mode for a function, and says so by raising.
                mode.refused = str(error)
                return None
            from verify.judging.diagnosis.findings import unfit

            return unfit(mode.claim, point, error, explain)
        mode.answered = True
        asked = AnsweredClaim(mode.claim, mode.programs, point, answer, explain)
        return _quietly(lambda: on_sides(judge_answer(asked), claim=mode.claim))


def _is_noted(claim: Claim, point: Point, outcome: PointOutcome) -> bool:
    return bool(
        grade_outcome(outcome, claim.quantity, point.graph, approximates=not claim.ours).note
    )


def _quietly(call: Callable[[], PointOutcome]) -> PointOutcome | None:
    try:
        return call()
    except BudgetSpent:
        raise
    except (SymtapeError, LookupError):
        return None


def _describe_return(outcome: PointOutcome) -> str:
    worst = outcome.worst
    return "" if worst is None else f" returns {worst.claimed:.6g}"


def _name_mode(name: str) -> str:
    return name if name.endswith("mode") else f"{name} mode"


def _sentence(words: str, good: list[str], bad: list[str]) -> str:
    """`words`, and which modes agree with the exact derivative, and which do not either."""
    said = [words]
    if good:
        verb = "agrees" if len(good) == 1 else "agree"
        said.append(f"{_join_modes(good)} {verb} with the exact derivative")
    if bad:
        said.append(f"{_join_modes(bad)} {'is' if len(bad) == 1 else 'are'} off as well")
    return "; ".join(filter(None, said))


def _join_modes(names: list[str]) -> str:
    *first, last = map(_name_mode, names)
    return f"{', '.join(first)} and {last}" if first else last
