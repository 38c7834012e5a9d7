"""``symtape audit PACKAGE``: the pairs of a package, listed or judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from verify.commands.baseline import beside, earlier
from verify.commands.files import LATEST, probed
from verify.commands.refusals import UNDECIDED, Refusal
from verify.options.command_lines import command_line

if TYPE_CHECKING:
    from verify.auditing.run import Plan
    from verify.commands.campaigns import CampaignOptions
    from verify.reporting.model import NotJudged, Report


@dataclass(frozen=True, slots=True)
class Options:
    """What is asked of an audit, as the command line gives it."""

    only: tuple[str, ...]
    conventions: tuple[str, ...]
    manifest: Path | None
    seed: int
    budget: float
    effort: float | None
    strict: bool
    campaign: CampaignOptions
    baseline: Path | None = None


def audited(
    package: str | None,
    options: Options,
    listing: bool,
    out: Path | None,
    written: Sequence[str],
) -> int:
    """List or judge the pairs of a package; the exit status."""
    from verify.auditing.packages.manifest import Manifest, load
    from verify.auditing.packages.walking import Found, walked
    from verify.auditing.run import plan
    from verify.campaign.importing import see

    manifest = Manifest() if options.manifest is None else load(options.manifest)
    name = package or manifest.package
    if not name and not manifest.pairs:
        raise Refusal(
            "which package? Write symtape audit PACKAGE, or --manifest FILE.toml with pairs or a "
            "package in it"
        )
    see(str(Path.cwd()))  # Workers inherit it.
    found = walked(name, options.conventions, options.campaign.jobs) if name else Found("")
    planned = plan(found, manifest, options.only)
    if listing:
        return _list(planned, options)
    return _judge(planned, options, name or _stem(options), out, written)


def _stem(options: Options) -> str:
    return "manifest" if options.manifest is None else options.manifest.stem


def _works(planned: Plan, options: Options, judged: bool = True) -> list[Any]:
    from verify.auditing.run import works_of

    effort = 1.0 if options.effort is None else options.effort
    return works_of(planned, seed=options.seed, effort=effort, strict=options.strict, judged=judged)


def _list(planned: Plan, options: Options) -> int:
    """Print what was found, and what of it could not be judged."""
    from verify.auditing.packages.pair import Unpaired
    from verify.auditing.packages.work import Posed, read
    from verify.auditing.run import not_judged
    from verify.commands.progress import ticks
    from verify.reporting.model import NotJudged

    works = _works(planned, options, judged=False)
    places = {work.key: place for place, work in enumerate(works)}
    posed: dict[int, Posed] = {}
    told: list[NotJudged] = []
    with ticks(len(works), "looking") as tick:
        for outcome in options.campaign.chosen().outcomes(works, options.budget):
            place, answer = places[outcome.key], read(outcome.text)
            tick(works[place].id)
            if isinstance(answer, Posed):
                posed[place] = answer
            elif isinstance(answer, Unpaired):
                told.append(not_judged(answer))
            else:
                told.append(NotJudged(answer.id, works[place].pair.convention, answer.message))
    for place in sorted(posed):
        click.echo(f"{works[place].id}\n    {posed[place].title}\n    {posed[place].over}")
    every = sorted([*told, *planned.not_judged], key=lambda it: (it.kind, it.id))
    if every:
        click.echo("\nNot judged:")
    for each in every:
        click.echo(f"{each.id} ({each.kind})\n    {each.reason}")
    _count([works[place].pair.convention for place in posed], every, planned)
    return 0


def _count(posed: Sequence[str], left: Sequence[NotJudged], planned: Plan) -> None:
    """How many of each convention."""
    found, lost = Counter(posed), Counter(each.kind for each in left)
    click.echo(f"\n{len(posed)} to be judged, of {planned.found.modules} modules")
    for name in sorted({*found, *lost} - {"module", "convention"}):
        click.echo(f"  {name:24} {found[name]:5} to be judged {lost[name]:5} not")


def _judge(
    planned: Plan, options: Options, name: str, out: Path | None, written: Sequence[str]
) -> int:
    from verify.auditing.run import judged
    from verify.commands.progress import counting
    from verify.model.verdict import exit_status
    from verify.reporting import paths, write
    from verify.reporting.as_text import conclude, show
    from verify.selftest import describe_last_score

    where = out or LATEST / name
    folder = probed(where, paths(where, written, name))
    before = earlier(options.baseline)
    works = _works(planned, options)
    names = {work.key: work.id for work in works}
    with options.campaign.opened() as store, counting("auditing") as (start, tick):
        report = judged(
            planned,
            works,
            store=store,
            executor=options.campaign.chosen(),
            seconds=options.budget,
            seed=options.seed,
            replay=_replay(planned, options),
            retry=options.campaign.retry,
            on_outcome=lambda outcome: tick(names[outcome.key]),
            on_start=options.campaign.starting(len(works), start),
            say=options.campaign.say,
            selftest=describe_last_score(),
        )
    whole = not (options.only or options.conventions)
    report = beside(report, before, whole)
    show(report)
    paths_of_report = write(report, folder, written, name)
    conclude(report)
    for path in paths_of_report:
        click.echo(f"wrote {path}")
    return _status(report, int(exit_status(case.verdict for case in report.cases)))


def _replay(planned: Plan, options: Options) -> str:
    package = planned.found.package
    given = {
        "--only": options.only,
        "--convention": options.conventions,
        "--manifest": options.manifest,
        "--effort": options.effort,
        "--strict": options.strict,
        "--seed": options.seed,
    }
    return command_line(["symtape", "audit", *([package] if package else [])], given)


def _status(report: Report, status: int) -> int:
    if status == 1:
        return 1
    return UNDECIDED if report.interrupted or not report.cases else status
