"""``symtape audit``: the derivatives of a library, or of a package that wrote them by hand."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from verify.commands.campaigns import CampaignOptions, campaign_options
from verify.commands.files import LATEST, load_report, probe_folder
from verify.commands.options import (
    RegularFile,
    folder_option,
    given_options,
    takes,
    with_baseline,
)
from verify.commands.refusals import UNDECIDED, Refusal, explain_refusals
from verify.options.command_lines import command_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verify.auditing.run import Plan
    from verify.reporting.model import NotJudged, Report

_LIBRARIES: Final = ("jax", "torch", "autograd", "symtape")
_WRITTEN: Final = ("json", "junit", "markdown", "html")
_FORMATS: Final = ("float64", "float32", "bfloat16", "float16")
_POINTS: Final = 3000
_OF_MEASURING: Final = ("--dtype", "--order", "--points")
"""What only a measurement of a library that differentiates heeds."""
_OF_LIBRARIES: Final = (*_OF_MEASURING, "--rules")
_OF_PACKAGES: Final = (
    *("--list", "--convention", "--include", "--manifest", "--effort", "--strict", "--versions"),
)
"""What only an audit of a package's pairs heeds."""
_RUNNING: Final = (
    *("--jobs", "--store", "--retry", "--executor", "--scheduler", "--memory"),
    *("--budget", "--format", "--out", "--baseline"),
)
"""How and where an audit runs, and what it writes: not what it is of."""


@dataclass(slots=True)
class Options:
    """What is asked of an audit, as the command line gives it."""

    package: str | None
    only: tuple[str, ...]
    seed: int
    campaign: CampaignOptions
    out: Path | None
    listing: bool
    conventions: tuple[str, ...]
    manifest: Path | None
    budget: float
    effort: float | None
    strict: bool
    written: tuple[str, ...]
    formats: tuple[str, ...]
    orders: tuple[str, ...]
    points: int
    rules: bool
    baseline: Path | None
    include: tuple[str, ...]
    versions: str


@click.command(
    epilog="""
\b
Examples:
  symtape audit scipy.interpolate --list
  symtape audit scipy.stats --only norm --only gamma
  symtape audit chemicals --out audits --format html
  symtape audit springs --include tests,examples
  symtape audit springs --versions 1.4.0,2.0.1
  symtape audit --manifest audit.toml
  symtape audit jax
  symtape audit torch --dtype float64 --order 1
  symtape audit jax --rules
  symtape audit symtape --only tanh --out audits

\b
Exit status:
  0  every derivative is right
  1  one is wrong or inaccurate
  2  the command was used wrongly, or the package is not installed
  3  nothing is wrong, but something is undecided, or the run was interrupted
"""
)
@click.argument("package", required=False)
@click.option(
    "--only",
    multiple=True,
    metavar="TEXT",
    help="Audit only functions with this in their names. May be repeated.",
)
@takes("seed", words="The random seed of the points.", default=True)
@campaign_options
@folder_option("Write the reports into this folder.  [default: reports/latest/PACKAGE]")
@click.option("--list", "listing", is_flag=True, help="List the pairs without judging them.")
@click.option(
    "--convention",
    "conventions",
    multiple=True,
    metavar="NAME",
    help="Audit only pairs of this convention. May be repeated.",
)
@click.option(
    "--include",
    multiple=True,
    metavar="KIND",
    help="Audit released tests, examples or benchmarks too: --include tests,examples.",
)
@click.option(
    "--manifest",
    type=RegularFile(),
    metavar="FILE.toml",
    help="Pairs, regions and exclusions that the audit cannot find by itself.",
)
@takes("budget", default=True)
@takes("effort", " [default: 1]")
@takes("strict", is_flag=True)
@click.option(
    "--format",
    "written",
    multiple=True,
    type=click.Choice((*_WRITTEN, "sarif", "issue")),
    help="Write this kind of report: issue is the text to post for each finding. May be repeated.  "
    "[default: all but sarif and issue]",
)
@click.option(
    "--dtype",
    "formats",
    multiple=True,
    type=click.Choice(_FORMATS),
    help="A float format. May be repeated.  [default: all; for second derivatives float64 and "
    "float32]",
)
@click.option(
    "--order",
    "orders",
    multiple=True,
    type=click.Choice(["1", "2"]),
    help="Measure first or second derivatives.  [default: both]",
)
@click.option(
    "--points",
    type=click.IntRange(min=64),
    default=_POINTS,
    show_default=True,
    help="About how many points each derivative of a library is computed at.",
)
@click.option(
    "--rules",
    is_flag=True,
    help="Prove or refute the rules of jax, torch or autograd in exact arithmetic, without "
    "measuring floats.",
)
@with_baseline
@click.option(
    "--versions",
    default="",
    metavar="OLD,...,NEW",
    help="Fetch these releases from the package index, audit each in a folder of its own, and "
    "compare: what still fails, what is fixed, what is new.",
)
@click.pass_context
def audit(context: click.Context, /, campaign: CampaignOptions, **given: Any) -> None:
    """Judge the hand-written derivatives of PACKAGE, or measure those of a library.

    PACKAGE is an installed package or one of its modules. The audit finds pairs of a function and
    its claimed derivative by what they compute and by their names, and judges each pair. It
    lists what it could not pair or bound, with the reason; a manifest can supply what is missing.

    If PACKAGE is jax, torch, autograd or symtape, which differentiate by themselves, the audit
    compares the derivative of every differentiable function of one or two arguments with exact
    values over the whole range of floats. The report shows where digits are lost. A measurement
    may take two minutes unless --budget says otherwise. With --rules the comparison is in exact
    arithmetic: each rule is proved for all numbers, refuted at one, or undecided. Only these
    libraries take --dtype, --order, --points and --rules.

    With --versions the exit status is that of symtape compare.
    """
    options = Options(campaign=campaign, **given)
    with explain_refusals():
        if options.package in _LIBRARIES:
            _refuse_idle(context, _OF_PACKAGES, f"{options.package} differentiates by itself")
            name = f"{options.package}-rules" if options.rules else options.package
            status = _judge(context, _plan_library(context, options), options, name)
        else:
            _refuse_idle(context, _OF_LIBRARIES, f"only {', '.join(_LIBRARIES)} are measured")
            audited = _audit_releases if options.versions else _audit_package
            status = audited(context, options)
    raise click.exceptions.Exit(status)


def _refuse_idle(context: click.Context, options: Sequence[str], why: str) -> None:
    """Refuse what is given and would mean nothing."""
    for idle in filter(given_options(context).__contains__, options):
        raise Refusal(f"{idle} has no meaning here, since {why}; leave it out")


def _plan_library(context: click.Context, options: Options) -> Plan:
    """The measurements of a library, which have more time by default than a case."""
    from verify.auditing.libraries.work import SECONDS, plan_measurements
    from verify.auditing.rules.work import plan_rules

    if "--budget" not in given_options(context):
        options.budget = SECONDS
    assert options.package is not None
    if options.rules:
        _refuse_idle(context, _OF_MEASURING, "--rules measures no floats")
        return plan_rules(options.package, options.only)
    orders = tuple(map(int, options.orders)) or (1, 2)
    asked = options.formats, orders, options.only, options.points, options.seed
    return plan_measurements(options.package, *asked)


def _audit_releases(context: click.Context, options: Options) -> int:
    """Audit released versions and compare them; the exit status."""
    from verify.commands.releases import compare_releases

    _refuse_idle(context, ("--list", "--baseline"), "--versions compares runs itself")
    if not options.package:
        raise Refusal("of which package? Write symtape audit PACKAGE --versions OLD,NEW")
    versions = [text.strip() for text in options.versions.split(",")]
    given = given_options(context, without=("--versions", "--out", "--format"))
    folder = options.out or LATEST / options.package
    written = options.written or _WRITTEN
    return compare_releases(options.package, versions, given, folder, written)


def _audit_package(context: click.Context, options: Options) -> int:
    """List or judge the pairs of a package; the exit status."""
    from verify.auditing.packages.manifest import Manifest, load
    from verify.auditing.packages.planning import plan_pairs
    from verify.auditing.packages.walking import Found, find_pairs
    from verify.campaign.importing import see

    manifest = Manifest() if options.manifest is None else load(options.manifest)
    options.package = name = options.package or manifest.package
    if not name and not manifest.pairs:
        raise Refusal(
            "which package? Write symtape audit PACKAGE, or --manifest FILE.toml with pairs or a "
            "package in it"
        )
    see(str(Path.cwd()))  # Workers inherit it.
    jobs, include = options.campaign.jobs, _kinds(options.include)
    found = find_pairs(name, options.conventions, jobs, include=include) if name else Found("")
    effort = 1.0 if options.effort is None else options.effort
    how: dict[str, Any] = {"seed": options.seed, "effort": effort, "strict": options.strict}
    plan = plan_pairs(found, manifest, options.only, **how, judged=not options.listing)
    if options.listing:
        return _list(plan, options, found.modules)
    stem = "manifest" if options.manifest is None else options.manifest.stem
    return _judge(context, plan, options, name or stem)


def _kinds(given: Sequence[str]) -> list[str]:
    """What of a package is audited too, of lists of words."""
    from verify.auditing.packages.modules import KINDS

    words = [word.strip() for each in given for word in each.split(",")]
    for word in words:
        if word not in KINDS:
            raise Refusal(f"--include {word!r}: expected some of {', '.join(KINDS)}")
    return words


def _list(plan: Plan, options: Options, modules: int) -> int:
    """Print what was found, and what of it could not be judged."""
    from verify.auditing.answers import PosedPair, read_answer
    from verify.auditing.packages.pair import Unpaired
    from verify.auditing.run import not_judged
    from verify.commands.progress import progress
    from verify.reporting.model import NotJudged
    from verify.reporting.wording import count_noun

    works: Any = plan.works
    places = {work.key: place for place, work in enumerate(works)}
    posed: dict[int, PosedPair] = {}
    told: list[NotJudged] = []
    with progress("looking") as (start, tick):
        start(len(works))
        for outcome in options.campaign.choose_executor().outcomes(works, options.budget):
            place, answer = places[outcome.key], read_answer(outcome.text)
            tick(works[place].id, False)
            if isinstance(answer, PosedPair):
                posed[place] = answer
            elif isinstance(answer, Unpaired):
                told.append(not_judged(answer))
            else:
                told.append(NotJudged(answer.id, works[place].pair.convention, answer.message))
    for place in sorted(posed):
        click.echo(f"{works[place].id}\n    {posed[place].title}\n    {posed[place].over}")
    every = sorted([*told, *plan.not_judged], key=lambda it: (it.kind, it.id))
    if every:
        click.echo("\nNot judged:")
    for each in every:
        click.echo(f"{each.id} ({each.kind})\n    {each.reason}")
    found = Counter(works[place].pair.convention for place in posed)
    lost = Counter(each.kind for each in every)
    click.echo(f"\n{len(posed)} to be judged, of {count_noun(modules, 'module')}")
    for name in sorted({*found, *lost} - {"module", "convention"}):
        click.echo(f"  {name:24} {found[name]:5} to be judged {lost[name]:5} not")
    return 0


def _judge(context: click.Context, plan: Plan, options: Options, name: str) -> int:
    from verify.auditing.run import judge
    from verify.commands.progress import progress
    from verify.model.verdict import exit_status
    from verify.reporting import add_changes, paths, write
    from verify.reporting.as_text import conclude, show
    from verify.selftest import describe_last_score

    written, folder = options.written or _WRITTEN, options.out or LATEST / name
    probe_folder(folder, paths(folder, written, name))
    before = load_report(options.baseline) if options.baseline else None
    names = {work.key: work.id for work in plan.works}
    given = given_options(context, without=_RUNNING) | {"--seed": options.seed}
    with options.campaign.open_store() as store, progress("auditing") as (start, tick):
        report = judge(
            plan,
            store=store,
            executor=options.campaign.choose_executor(),
            seconds=options.budget,
            seed=options.seed,
            replay=command_line(["symtape", "audit", *filter(None, [options.package])], given),
            retry=options.campaign.retry,
            on_outcome=lambda outcome: tick(names[outcome.key], False),
            on_start=options.campaign.starting(len(plan.works), start),
            say=options.campaign.say,
            selftest=describe_last_score(),
        )
    if before is not None:
        report = add_changes(report, before, whole=not (options.only or options.conventions))
    show(report)
    paths_of_report = write(report, folder, written, name)
    conclude(report)
    for path in paths_of_report:
        click.echo(f"wrote {path}")
    return _status(report, int(exit_status(case.verdict for case in report.cases)))


def _status(report: Report, status: int) -> int:
    if status == 1:
        return 1
    return UNDECIDED if report.interrupted or not report.cases else status
