"""Planting: each fault that is asked for, by its id, put to the verifier."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from symtape.errors import SymtapeError
from verify.selftest.outcome import Outcome, TrialVerdict
from verify.selftest.reasons import REFUSED, UNREACHED

F = TypeVar("F")


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
