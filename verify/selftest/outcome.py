"""What becomes of faults and of right claims, and the trials that they are put to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from symtape.errors import SymtapeError
from symtape.process.budget import Budget
from verify.model.case import Case
from verify.model.verdict import Verdict
from verify.selftest.reasons import REFUSED, UNREACHED

F = TypeVar("F")

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


def try_each(
    faults: Iterable[F],
    name_of: Callable[[F], str],
    keep: Callable[[str], bool],
    tried: Callable[[F, str], Outcome],
) -> list[Outcome]:
    """What becomes of the faults that `keep` says by their ids.

    An id is what `name_of` says, with a number behind it where several have the same.

    Examples
    --------
    >>> try_each([1, 2, 3], lambda k: "odd" if k % 2 else "even", lambda label: "odd" in label,
    ...          lambda k, label: Outcome(label, str(k), "refuted"))[1].id
    'odd (#2)'
    """
    found = []
    counted: Counter[str] = Counter()
    for fault in faults:
        name = name_of(fault)
        counted[name] += 1
        label = name if counted[name] == 1 else f"{name} (#{counted[name]})"
        if keep(label):
            found.append(tried(fault, label))
    return found


def stop_when_refuted(verdicts: Iterable[TrialVerdict]) -> Iterator[TrialVerdict]:
    """The verdicts of trials up to the first that refutes the fault."""
    for verdict in verdicts:
        yield verdict
        if verdict.verdict.fails:
            return


def outcome_of(
    label: str,
    operator: str,
    found: Sequence[TrialVerdict],
    difference: Callable[[], str],
    reason: Callable[[], str],
) -> Outcome:
    """What became of a fault by its trials: refuted, equal everywhere for a reason, or a survivor.

    Parameters
    ----------
    label, operator : str
    found : sequence of TrialVerdict
        Of the trials, up to the first that refutes it.
    difference : callable
        Where the derivatives with and without it differ; empty if they are equal.
    reason : callable
        Why they are equal; empty if that is not known.
    """
    errors = tuple(each.error for each in found if each.error)
    if found and found[-1].verdict.fails:
        return Outcome(label, operator, "refuted", errors=errors)
    try:
        words = difference()
    except SymtapeError:
        return Outcome(label, operator, "void", REFUSED, errors)
    if words:
        tally = ", ".join(sorted({each.verdict.value for each in found}))
        return Outcome(label, operator, "survived", f"{words} (verdicts {tally})", errors)
    if not (words := reason()):
        words = "equal everywhere, for no known reason"
        return Outcome(label, operator, "survived", words, errors)
    return Outcome(label, operator, "void" if words == UNREACHED else "equivalent", words, errors)
