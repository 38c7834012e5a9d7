"""The score as plain text: by kind of fault, in total, and what there is to look at."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Final

from verify.selftest.score import Finding, Score, Tally

__all__ = ["table"]

_MOST: Final = 40
"""Findings of a kind that are shown; all of them are in the JSON."""


def table(score: Score, equivalents: bool = False) -> str:
    """The score in lines.

    Parameters
    ----------
    score : Score
    equivalents : bool
        List the equivalent changes with their reasons, too.
    """
    return "\n".join(_lines(score, equivalents)) + "\n"


def _lines(score: Score, equivalents: bool) -> Iterator[str]:
    yield f"Selftest of symtape {score.version}: {score}"
    yield ""
    yield from _faults(score)
    yield ""
    yield from _claims(score)
    yield from _found("Survivors", score.survivors, score.seed)
    yield from _found("False alarms", score.alarms, score.seed)
    if equivalents:
        yield from _found("Equivalent, for this reason", score.equivalents, score.seed, len)
    else:
        yield from _reasons(score)
    yield from (f"skipped: {words}" for words in score.skipped)
    if score.part < 1:
        yield "This was a sample; the full run is 'symtape selftest'."
    if score.interrupted:
        yield "Interrupted: only what was done is counted."
    known = " · ".join(f"{name} {version}" for name, version in score.versions.items())
    yield f"{score.seconds:.1f} s · {known}"


def _faults(score: Score) -> Iterator[str]:
    heads = ("planted", "refuted", "equivalent", "survived", "score")
    yield _row("fault", heads)
    for operator, tally in score.faults.items():
        yield _row(operator, _fault_cells(tally))
    yield _row("all faults", _fault_cells(_total(score.faults)))


def _fault_cells(tally: Tally) -> tuple[str, ...]:
    real = tally.tried - tally.equivalent
    share = f"{100 * tally.caught / real:.1f} %" if real else "-"
    counts = (tally.tried, tally.caught, tally.equivalent, real - tally.caught)
    return (*(f"{count:,}" for count in counts), share)


def _claims(score: Score) -> Iterator[str]:
    yield _row("right claims by", ("pairs", "alarms", "undecided", "not taken", ""))
    for group, tally in score.claims.items():
        yield _row(group, _claim_cells(tally))
    yield _row("all right claims", _claim_cells(_total(score.claims)))


def _claim_cells(tally: Tally) -> tuple[str, ...]:
    counts = (tally.tried, tally.caught, tally.undecided, tally.left_out)
    return (*(f"{count:,}" for count in counts), "")


def _total(tallies: Mapping[str, Tally]) -> Tally:
    return sum(tallies.values(), Tally())


def _row(name: str, cells: tuple[str, ...]) -> str:
    return (f"{name:<28}" + "".join(f"{cell:>11}" for cell in cells)).rstrip()


def _found(
    title: str, findings: tuple[Finding, ...], seed: int, most: object = None
) -> Iterator[str]:
    if not findings:
        return
    yield ""
    yield f"{title}:"
    shown = findings if most else findings[:_MOST]
    for finding in shown:
        yield f"  {finding.id}"
        yield f"    {finding.words}"
        if not most:
            words = ["symtape", "selftest", "--only", finding.id]
            yield "    replay  " + shlex.join(words + (["--seed", str(seed)] if seed else []))
    if len(findings) > len(shown):
        yield f"  and {len(findings) - len(shown):,} more, in the JSON"


def _reasons(score: Score) -> Iterator[str]:
    if score.equivalents:
        yield ""
        yield (
            f"{len(score.equivalents):,} changes are equivalent; --equivalents lists them with "
            "their reasons."
        )
