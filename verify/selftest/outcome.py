"""What became of one fault or one right claim, and the trials they are put to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from symtape.process.budget import Budget
from verify.model.case import Case
from verify.model.verdict import Verdict

CAP: Final = Budget(seconds=60.0, statements=500_000)
"""Of one trial; most take a hundredth of a second, so that the seconds are a last stop."""


@dataclass(frozen=True, slots=True)
class TrialVerdict:
    """What the verifier said of a trial.

    Attributes
    ----------
    verdict : Verdict
        UNDECIDED where the verifier itself stopped.
    error : str
        What stopped it; empty if nothing did.
    """

    verdict: Verdict
    error: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """A planted fault and what the verifier made of it.

    Attributes
    ----------
    id : str
        Where it was planted and what it changed; ``symtape selftest --only`` finds it by this.
    operator : str
        The kind of fault.
    fate : str
        ``refuted``, ``equivalent`` or ``survived``.
    words : str
        Why it is equivalent, or what is known of a survivor.
    errors : tuple of str
        What stopped the verifier in trials of it.
    """

    id: str
    operator: str
    fate: str
    words: str = ""
    errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pair:
    """A right claim at a point and what the verifier made of it.

    Attributes
    ----------
    id : str
        Function, claimant and point.
    group : str
        What kind of claim.
    verdict : str
        Empty for a pair that was not taken, because the value is not right there.
    words : str
        The verifier's message; why a pair was not taken.
    error : str
        What stopped the verifier; empty if nothing did.
    """

    id: str
    group: str
    verdict: str
    words: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class Trial:
    """A case at one point.

    Attributes
    ----------
    case : Case
    inputs : tuple
        Every input of the row, those that do not move among them.
    scaled : bool
        Whether the row's value is used by something else.
    far : int
        The input that is far out in its tail; -1 for none.
    """

    case: Case
    inputs: tuple[Any, ...] = ()
    scaled: bool = False
    far: int = -1

    def judge(self) -> TrialVerdict:
        """What the ordinary verifier says; what stops it leaves the trial undecided."""
        from verify.judging.judge import verify_case

        try:
            return TrialVerdict(verify_case(self.case, CAP).verdict)
        except Exception as error:  # noqa: BLE001
            # What stops the verifier leaves the trial undecided.
            words = f"{type(error).__name__}: {error}, at {self.case.id}"
            return TrialVerdict(Verdict.UNDECIDED, words)
