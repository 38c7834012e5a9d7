"""Auditing a package: the pairs that were found and declared, posed or judged, and the report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from symtape.one_line import OneLineRepr
from verify.auditing.packages.manifest import Manifest
from verify.auditing.packages.pair import Pair, Unpaired
from verify.auditing.packages.walking import Found
from verify.auditing.packages.work import PairWork, read
from verify.campaign import campaign
from verify.campaign.record import About, Record
from verify.campaign.store import Store
from verify.campaign.verification import reported
from verify.errors import UsageError
from verify.model.result import Result
from verify.reporting.codec import decode, encode
from verify.reporting.model import NotJudged, Report
from verify.reporting.versions import versions

KIND: Final = "pairs"
"""Of the campaigns of audits, in a store."""


@dataclass(frozen=True, slots=True, repr=False)
class Plan(OneLineRepr):
    """What an audit judges, and what it does not.

    Attributes
    ----------
    found : Found
    pairs : tuple of Pair
    not_judged : tuple of NotJudged
        What could not be paired, imported, or is excluded.
    """

    found: Found
    pairs: tuple[Pair, ...]
    not_judged: tuple[NotJudged, ...]


def plan(found: Found, manifest: Manifest, only: Sequence[str] = ()) -> Plan:
    """The pairs of a package and those of a manifest, less what is excluded.

    Parameters
    ----------
    found : Found
    manifest : Manifest
    only : sequence of str
        Only what has one of these in its name.

    Raises
    ------
    UsageError
        There is nothing with one of these in its name.
    """
    declared = {pair.id for pair in manifest.pairs}
    pairs = [pair for pair in found.pairs if pair.id not in declared]
    every: list[Pair] = [*manifest.pairs, *(_with_region(pair, manifest) for pair in pairs)]
    unpaired = [each for each in found.unpaired if each.id not in declared]
    for text in only:
        names = [*(each.id for each in every), *(each.id for each in unpaired)]
        if not any(text in name for name in names):
            raise UsageError(
                f"--only {text!r}: nothing that was found in {found.package or 'the manifest'} has "
                "this in its name; see --list"
            )
    kept = [each for each in every if _is_chosen(each, only)]
    excluded = {each.id: gone for each in kept if (gone := manifest.excluded(each))}
    told = [*excluded.values(), *(each for each in unpaired if _is_chosen(each, only))]
    modules = [] if only else _modules(found)
    return Plan(
        found,
        tuple(each for each in kept if each.id not in excluded),
        tuple(sorted((*map(not_judged, told), *modules), key=lambda it: (it.kind, it.id))),
    )


def _with_region(pair: Pair, manifest: Manifest) -> Pair:
    over = manifest.region_of(pair)
    return replace(pair, settings={**pair.settings, "over": dict(over)}) if over else pair


def _is_chosen(each: Pair | Unpaired, only: Sequence[str]) -> bool:
    return not only or any(text in each.id for text in only)


def not_judged(each: Unpaired) -> NotJudged:
    """What is not judged, for a report."""
    return NotJudged(each.id, each.convention, each.reason)


def _modules(found: Found) -> Iterable[NotJudged]:
    yield from (NotJudged(name, "module", words) for name, words in found.unimported)
    yield from (NotJudged(words, "convention", "left out") for words in found.broken)
    if found.left_out:
        shown = ", ".join(found.left_out[:4]) + (", ..." if len(found.left_out) > 4 else "")
        words = f"{len(found.left_out)} modules of tests, examples and benchmarks: {shown}"
        yield NotJudged(found.package, "module", words)


def judged(
    planned: Plan,
    works: Sequence[PairWork],
    *,
    store: Store,
    seed: int,
    replay: str,
    selftest: str = "",
    **running: Any,
) -> Report:
    """Judge the pairs of a plan, and report.

    Parameters
    ----------
    planned : Plan
    works : sequence of PairWork
        Of its pairs.
    store : Store
        Of what came of each.
    seed : int
    replay : str
        The shell line that does it again, which tells this audit from another.
    selftest : str
        For the report to say.
    **running
        As :func:`verify.campaign.campaign.run` takes it.

    Returns
    -------
    Report
        ``interrupted`` if Ctrl-C ended it early; it then holds what was done.
    """
    found = planned.found
    versions_now = versions() | ({found.distribution: found.version} if found.distribution else {})
    about = About(KIND, title_of(found), seed, (found.package,), {"replay": replay})
    record = Record.of(store, about, versions_now, selftest, encode(planned.not_judged))
    campaign.run(works, store=record, **running)
    return report_of(record)


def report_of(record: Record) -> Report:
    """What is known so far of a campaign whose tasks are pairs; unfinished, it is interrupted."""
    every = [read(record.answer(place).text) for place in record.places()]
    told = [not_judged(each) for each in every if isinstance(each, Unpaired)]
    planned = decode(tuple[NotJudged, ...], record.not_judged, "not_judged")
    return reported(
        record,
        tuple(each for each in every if isinstance(each, Result)),
        len(every),
        replay=record.about.options.get("replay", ""),
        not_judged=(*told, *planned),
    )


def title_of(found: Found) -> str:
    """Of the report of a package."""
    if not found.package:
        return "Audit of a manifest"
    behind = f" {found.version}" if found.version else ""
    beside = found.distribution or found.package
    of = f" ({beside}{behind})" if beside != found.package else behind
    return f"Audit of {found.package}{of}"


def works_of(planned: Plan, **options: Any) -> list[PairWork]:
    """A unit of work for each pair of a plan."""
    distribution = planned.found.distribution
    return [PairWork(pair, distribution=distribution, **options) for pair in planned.pairs]
