"""``symtape verify``: verdicts, and reports of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import click

from verify.commands.campaigns import CampaignOptions, campaign_options
from verify.commands.certificates import write_certificates
from verify.commands.files import LATEST, load_report, probe_folder
from verify.commands.options import folder_option, takes, with_baseline
from verify.commands.refusals import UNDECIDED, USAGE, Refusal, explain_refusals
from verify.model.quantity import QUANTITIES
from verify.options.keywords import BACKENDS
from verify.suites import DESCRIPTIONS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from verify.campaign.load import Target
    from verify.campaign.tasks import Task
    from verify.reporting.model import Report

_WRITTEN: Final = ("json", "junit", "markdown", "html")
_SHOWN: Final = (*_WRITTEN, "sarif", "issue", "text")
_SUITE_LINES: Final = "\n".join(f"  {name:<11} {words}" for name, words in DESCRIPTIONS.items())


@click.command(
    epilog=f"""
\b
Suites:
{_SUITE_LINES}

\b
Examples:
  symtape verify
  symtape verify --suites
  symtape verify primitives --case primitives/sin
  symtape verify classics --compiled llvm
  symtape verify energy.py
  symtape verify energy.py:energy --at '1.0, [2.0, 3.0]' --at '0.5, [1.0, 1.0]'
  symtape verify energy.py:energy --at '[1.0, 2.0]' --claimed energy.py:my_gradient
  symtape verify energy.py:energy --over 'box(-5, 5, shape=(2,))' --claimed my_gradient
  symtape verify energy.py --certificates proofs
  symtape verify package.module:function --at 0.5 --quantity hessian --out build --format junit

\b
Mark a function in a file like this:
  import verify
  @verify.case(at=[[1.0, 2.0]], claimed=my_gradient)
  def energy(x): ...

\b
Exit status:
  0  every case is correct, a kink, outside the domain, or noted
  1  a case is wrong or inaccurate
  2  the command was used wrongly
  3  nothing is wrong, but a case is undecided or the run was interrupted
  4  symtape itself failed; the error is printed
"""
)
@click.argument("targets", nargs=-1, metavar="[TARGET]...")
@takes(
    "at",
    "Give the arguments of the function as Python numbers and lists, separated by commas. May be "
    "repeated.",
    multiple=True,
)
@takes(
    "over",
    "Write '[-60, 60]' for a number and 'box(-1, 1, shape=(3,))' for an array; separate several "
    "arguments by commas.",
)
@takes(
    "quantity",
    " [default: gradient, or what the mark says]",
    type=click.Choice(QUANTITIES),
)
@takes("claimed", "It takes the same arguments as the function.  [default: symtape's tape]")
@click.option(
    "--compiled",
    type=click.Choice(BACKENDS),
    help="Verify the derivative after symtape.compile has compiled it with this back end.",
)
@click.option(
    "--case",
    "only",
    multiple=True,
    metavar="ID",
    help="Verify only the case with this id. May be repeated.",
)
@click.option("--suites", is_flag=True, help="Verify all suites that come with symtape.")
@click.option("--list", "listing", is_flag=True, help="List the cases and verify nothing.")
@folder_option(
    "Write the reports into this folder.  [default: reports/latest for whole suites, else none]"
)
@click.option(
    "--format",
    "formats",
    multiple=True,
    type=click.Choice(_SHOWN),
    help="Write this kind of report. May be repeated.  [default: json, junit, markdown, html]",
)
@click.option(
    "--certificates",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Prove each correct claim over its region, and write a certificate of the proof into this "
    "folder, for symtape check.",
)
@campaign_options
@takes("budget", default=True)
@takes("effort", " [default: 4, or what the mark says]")
@takes("seed", "With 0, cases keep the seeds they name.", default=True)
@takes("strict", "Built-in suites are strict.", is_flag=True)
@click.option(
    "--no-memory",
    is_flag=True,
    help="Neither try the counterexamples of earlier runs nor save new ones.",
)
@click.option("-v", "--verbose", is_flag=True, help="Explain every case in full.")
@with_baseline
def verify(
    targets: tuple[str, ...],
    at: tuple[str, ...],
    over: str | None,
    quantity: str | None,
    claimed: str | None,
    compiled: str | None,
    only: tuple[str, ...],
    suites: bool,
    listing: bool,
    out: Path | None,
    formats: tuple[str, ...],
    certificates: Path | None,
    campaign: CampaignOptions,
    budget: float,
    effort: float | None,
    seed: int,
    strict: bool,
    no_memory: bool,
    verbose: bool,
    baseline: Path | None,
) -> None:
    """Verify derivatives and write reports.

    A TARGET is a built-in suite, FILE.py (its marked functions), FILE.py:FUNCTION or
    MODULE:FUNCTION. Without a TARGET, symtape verifies the marked functions of all files below
    this folder, or below the paths that [tool.symtape] in pyproject.toml names; in a checkout of
    symtape it verifies the built-in suites.
    """
    with explain_refusals():
        from verify.campaign.load import Target
        from verify.campaign.tasks import plan
        from verify.campaign.verification import verify_tasks
        from verify.commands.progress import progress
        from verify.files import cache
        from verify.reporting import add_changes
        from verify.reporting.proofs import add_rungs
        from verify.selftest import describe_last_score

        options = {"--at": at, "--over": over, "--quantity": quantity, "--claimed": claimed}
        chosen = _choose_targets(targets, suites, options)
        names = chosen.names
        asked = [Target(name, at, quantity, claimed, over, compiled) for name in names]
        tasks = plan(asked, only, effort, strict)
        if listing:
            _list(tasks)
            return
        folder = _folder(asked, only, out, formats, chosen.stem)
        before = load_report(baseline) if baseline else None
        _prove_rows_of(asked)
        with campaign.open_store() as store, cache.disable_memory(no_memory):
            # Which is gone before the report comes.
            with progress("verifying", len(tasks)) as (start, tick):
                report = verify_tasks(
                    tasks,
                    store=store,
                    executor=campaign.choose_executor(),
                    title=chosen.title,
                    seed=seed,
                    budget=budget,
                    options={
                        **options,
                        "--compiled": compiled,
                        "--case": only,
                        "--effort": effort,
                        "--strict": strict,
                    },
                    retry=campaign.retry,
                    selftest=describe_last_score(),
                    on_result=lambda case: tick(
                        f"{case.verdict.value} {case.id}", case.verdict.fails
                    ),
                    on_start=campaign.starting(len(tasks), start),
                    say=campaign.say,
                )
            report = add_rungs(report, only)
            whole = all(_is_whole(name) for name in names) and not only
            report = add_changes(report, before, whole) if before else report
            _deliver(report, len(tasks), folder, formats or _WRITTEN, chosen.stem, verbose)
            if certificates is not None:
                write_certificates(report, tasks, certificates)
            status = _status(report, chosen.broken)
    raise click.exceptions.Exit(status)


class _Chosen(NamedTuple):
    """What is verified.

    Attributes
    ----------
    names : tuple of str
        The targets.
    title, stem : str
        Of the report, and of its files.
    broken : int
        Files with marked functions that do not import.
    """

    names: tuple[str, ...]
    title: str
    stem: str
    broken: int = 0


def _choose_targets(targets: Sequence[str], suites: bool, options: Mapping[str, object]) -> _Chosen:
    from verify.campaign.marked_files import is_own_checkout

    if not (targets or suites or is_own_checkout(Path.cwd())):
        return _discover_targets(options)
    names = tuple(dict.fromkeys([*targets, *(DESCRIPTIONS if suites or not targets else ())]))
    if set(names) == set(DESCRIPTIONS):
        return _Chosen(names, "Built-in suites", "report")
    stems = [Path(name.partition(".py")[0].replace(":", ".")).name for name in names]
    return _Chosen(names, ", ".join(names), "-".join(stems))


def _discover_targets(options: Mapping[str, object]) -> _Chosen:
    """The marked functions of the files below this folder."""
    from verify.campaign.marked_files import NOTHING_FOUND, import_marked_files, marked_files

    if given := [option for option, value in options.items() if value]:
        raise Refusal(
            f"{' and '.join(given)}: of which function? Name it: "
            f"symtape verify FILE.py:FUNCTION {given[0]} ..."
        )
    names, errors = import_marked_files(marked_files(Path.cwd()))
    for error in errors:
        click.echo(f"Left out: {error}", err=True)
    if not names:
        told = "none of the files with marked functions imports; fix the errors above"
        raise Refusal(told if errors else NOTHING_FOUND)
    return _Chosen(tuple(names), "Marked functions", "report", len(errors))


def _prove_rows_of(asked: Sequence[Target]) -> None:
    """Prove what rows the users' files brought, once, before the workers ask for it."""
    if all(target.is_suite for target in asked):
        return
    from verify.oracles.proofs.row import prove_new_rows

    prove_new_rows()


def _list(tasks: Sequence[Task]) -> None:
    for task in tasks:
        case = task.find()
        click.echo(f"{case.id}  {case.quantity}  {case.title}")


def _is_whole(name: str) -> bool:
    """Whether a target is a suite or a file, and not one function of several."""
    return name in DESCRIPTIONS or name.endswith(".py")


def _folder(
    asked: Sequence[Target],
    only: tuple[str, ...],
    out: Path | None,
    formats: tuple[str, ...],
    stem: str,
) -> Path | None:
    """Where the reports go, made and tried before the run; None for nowhere."""
    whole_suites = all(target.is_suite for target in asked) and not only
    if out is None and not formats and not whole_suites:
        return None
    from verify.reporting import paths

    folder = out or LATEST
    return probe_folder(folder, paths(folder, formats or _WRITTEN, stem))


def _deliver(
    report: Report,
    planned: int,
    folder: Path | None,
    formats: Sequence[str],
    name: str,
    verbose: bool,
) -> None:
    from verify.reporting import write
    from verify.reporting.as_text import conclude, show

    show(report, verbose=verbose)
    if report.suites == ("primitives",) and report.rungs:
        from verify.reporting.as_text import show_rungs

        show_rungs(report)
    if report.interrupted:
        click.echo(f"Interrupted: {len(report.cases)} of {planned} cases were done.", err=True)
    written = write(report, folder, formats, name) if folder is not None else []
    conclude(report)
    for path in written:
        click.echo(f"wrote {path}")


def _status(report: Report, broken: int) -> int:
    from verify.model.verdict import exit_status

    status = int(exit_status(case.verdict for case in report.cases))
    if status == 1 or not (broken or report.interrupted):
        return status
    return USAGE if broken else UNDECIDED
