"""Running an audit: the works that a source planned, judged or measured, and the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from symtape.one_line import OneLineRepr
from verify.auditing.answers import read_answer
from verify.auditing.packages.pair import Unpaired
from verify.auditing.upstream import known_upstream
from verify.campaign import campaign
from verify.campaign.record import CampaignIdentity, Record
from verify.campaign.store import Store
from verify.campaign.verification import make_report
from verify.campaign.work import Work
from verify.model.result import Result
from verify.reporting.codec import decode, encode
from verify.reporting.model import NotJudged, Report, rank, versions

KIND: Final = "pairs"
"""Of the campaigns of audits, in a store."""


@dataclass(frozen=True, slots=True, repr=False)
class Plan(OneLineRepr):
    """What an audit judges, and what it does not.

    Attributes
    ----------
    title : str
        Of the report.
    package : str
        What is audited; empty where a manifest alone says it.
    works : tuple of Work
        Pairs to be judged, or derivatives to be measured.
    not_judged : tuple of NotJudged
        What could not be paired, imported, or is excluded.
    versions : mapping
        Of what is audited.
    """

    title: str
    package: str
    works: tuple[Work, ...]
    not_judged: tuple[NotJudged, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)


def judge(
    plan: Plan, *, store: Store, seed: int, replay: str, selftest: str = "", **running: Any
) -> Report:
    """Do the works of a plan, and report.

    Parameters
    ----------
    plan : Plan
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
    about = CampaignIdentity(KIND, plan.title, seed, (plan.package,), {"replay": replay})
    now = versions() | dict(plan.versions)
    record = Record.from_store(store, about, now, selftest, encode(plan.not_judged))
    campaign.run(plan.works, store=record, **running)
    return report_of(record)


def report_of(record: Record) -> Report:
    """What is known so far of a campaign of an audit; unfinished, it is interrupted."""
    every = [read_answer(record.answer(place).text) for place in record.places()]
    told = [not_judged(each) for each in every if isinstance(each, Unpaired)]
    planned = decode(tuple[NotJudged, ...], record.not_judged, "not_judged")
    return make_report(
        record,
        _thin([_add_upstream(each) for each in every if isinstance(each, Result)]),
        len(every),
        replay=record.identity.options.get("replay", ""),
        not_judged=(*told, *planned),
    )


def not_judged(each: Unpaired) -> NotJudged:
    """What is not judged, for a report."""
    return NotJudged(each.id, each.convention, each.reason)


def _add_upstream(case: Result) -> Result:
    return replace(case, remedies=(*case.remedies, *known_upstream(case)))


def _thin(cases: Sequence[Result]) -> tuple[Result, ...]:
    """Cases of which, of each function that fails in many ways, the gravest keeps its plot.

    The id of a measured derivative is the function's with the derivative and the format behind it.
    """
    gravest: dict[str, Result] = {}
    for case in sorted((it for it in cases if it.accuracy), key=rank):
        gravest.setdefault(case.id.partition(" ")[0], case)
    kept = set(map(id, gravest.values()))
    return tuple(it if id(it) in kept else replace(it, accuracy=None) for it in cases)
