"""The command ``symtape``: verify, derive, report.

Only click is imported at the top, so that help comes at once; each command brings what it needs.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

import click

from verify.refusals import UNDECIDED, Refusal, refusing
from verify.suites import DESCRIPTIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verify.campaign import Task
    from verify.load import Target
    from verify.report.model import Report

__all__ = ["cli", "main"]

_WRITTEN: Final = ("json", "junit", "markdown", "html")
_SHOWN: Final = (*_WRITTEN, "text")
_QUANTITIES: Final = ("gradient", "jacobian", "hessian")
_FORMULAS: Final = ("value", *_QUANTITIES)
_LANGUAGES: Final = ("numpy", "python", "c", "julia", "fortran")
_SUITE_LINES: Final = "\n".join(f"  {name:<11} {words}" for name, words in DESCRIPTIONS.items())


def _print_version(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value and not context.resilient_parsing:
        import symtape

        click.echo(f"symtape {symtape.__version__}")
        context.exit()


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Each command has its own help: symtape verify --help.",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Print the version and exit.",
)
def cli() -> None:
    r"""Differentiate NumPy code, and verify derivatives without a tolerance.

    \b
    symtape verify                                      the built-in suites
    symtape verify energy.py                            your marked functions
    symtape verify energy.py:energy --at '[1.0, 2.0]'   one function at a point
    symtape derive energy.py:energy --at '[1.0, 2.0]'   its closed forms
    symtape selftest                                    how good the verifier is
    symtape calibrate                                   how this machine rounds
    """


@cli.command(
    epilog=f"""
\b
Suites:
{_SUITE_LINES}

\b
Examples:
  symtape verify
  symtape verify primitives --case primitives/sin
  symtape verify energy.py
  symtape verify energy.py:energy --at '1.0, [2.0, 3.0]' --at '0.5, [1.0, 1.0]'
  symtape verify energy.py:energy --at '[1.0, 2.0]' --claimed energy.py:my_gradient
  symtape verify energy.py:energy --over 'box(-5, 5, shape=(2,))' --claimed my_gradient
  symtape verify package.module:function --at 0.5 --quantity hessian --out build --format junit

\b
In a file, mark what is to be verified:
  import verify
  @verify.case(at=[[1.0, 2.0]], claimed=my_gradient)
  def energy(x): ...

\b
Exit status:
  0  everything is correct (or a kink, or outside the domain, and says so)
  1  something is wrong or inaccurate
  2  the command was used wrongly
  3  nothing is wrong, but something is undecided, or the run was interrupted
"""
)
@click.argument("targets", nargs=-1, metavar="[TARGET]...")
@click.option(
    "--at",
    multiple=True,
    metavar="POINT",
    help="A point: the function's arguments as Python numbers and lists, separated by commas. "
    "May be repeated.",
)
@click.option(
    "--over",
    metavar="REGION",
    help="Where to search for points: '[-60, 60]' for a number, 'box(-1, 1, shape=(3,))' for an "
    "array, one after the other for several arguments.",
)
@click.option(
    "--quantity",
    type=click.Choice(_QUANTITIES),
    help="Which derivative.  [default: gradient, or what the mark says]",
)
@click.option(
    "--claimed",
    metavar="FILE.py:FUNCTION",
    help="The function that claims to be the derivative, called like the function itself.  "
    "[default: symtape's tape]",
)
@click.option(
    "--case", "only", multiple=True, metavar="ID", help="Only the case of this id. May be repeated."
)
@click.option("--list", "listing", is_flag=True, help="List the cases and verify nothing.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write reports into this folder.  [default: reports for whole suites; else none]",
)
@click.option(
    "--format",
    "formats",
    multiple=True,
    type=click.Choice(_SHOWN),
    help="Write this kind of report. May be repeated.  [default: json, junit, markdown, html]",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=0),
    help="Worker processes; 0 runs in this one, for a debugger.  [default: one a core]",
)
@click.option(
    "--budget",
    type=click.FloatRange(min=0, min_open=True),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="For each case; when it is spent the case is UNDECIDED.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Of the searches; 0 leaves those that cases name.",
)
@click.option(
    "--baseline",
    type=click.Path(path_type=Path),
    metavar="RESULT.json",
    help="An earlier run: say which verdicts changed since.",
)
def verify(
    targets: tuple[str, ...],
    at: tuple[str, ...],
    over: str | None,
    quantity: str | None,
    claimed: str | None,
    only: tuple[str, ...],
    listing: bool,
    out: Path | None,
    formats: tuple[str, ...],
    jobs: int | None,
    budget: float,
    seed: int,
    baseline: Path | None,
) -> None:
    """Verify derivatives, and report.

    A TARGET is a built-in suite, FILE.py (its marked functions), FILE.py:FUNCTION or
    MODULE:FUNCTION. Without any: every suite, with the reports in the folder reports.
    """
    with refusing():
        from verify.campaign import plan, run
        from verify.load import Target
        from verify.progress import progress
        from verify.report import since

        names = tuple(dict.fromkeys(targets)) or tuple(DESCRIPTIONS)
        asked = [Target(name, at, quantity, claimed, over) for name in names]
        tasks = plan(asked, only)
        if listing:
            _list(tasks)
            return
        folder = _folder(asked, only, out, formats)
        earlier = None if baseline is None else _loaded(baseline)
        _prove_rows_of(asked)
        with progress(len(tasks)) as tell:
            report = run(
                tasks,
                title=_title(names),
                jobs=jobs,
                seed=seed,
                budget=budget,
                on_result=tell,
            )
        if "primitives" in names and not only and not report.interrupted:
            report = _with_rungs(report)
        if earlier is not None:
            report = since(report, earlier, whole=not only and not report.interrupted)
        _deliver(report, len(tasks), folder, formats or _WRITTEN, "-".join(_stems(names)))
    raise click.exceptions.Exit(_status(report))


def _prove_rows_of(asked: Sequence[Target]) -> None:
    """Prove what rows the users' files brought, once, before the workers ask for it."""
    if all(target.is_suite for target in asked):
        return
    from verify.proofs.killable import prove_new_rows

    prove_new_rows()


def _with_rungs(report: Report) -> Report:
    from dataclasses import replace

    from verify.proofs.table import rungs

    return replace(report, rungs=rungs(report.cases))


def _loaded(result: Path) -> Report:
    from verify.report import load

    try:
        return load(result)
    except (OSError, UnicodeDecodeError) as error:
        words = getattr(error, "strerror", None) or error
        raise Refusal(
            f"cannot read {str(result)!r}: {words}. Give the JSON file that "
            "'symtape verify' wrote, reports/report.json for the built-in suites."
        ) from error


def _list(tasks: Sequence[Task]) -> None:
    for task in tasks:
        case = task.find()
        click.echo(f"{case.id}  {case.quantity}  {case.title}")


def _title(names: Sequence[str]) -> str:
    return "Built-in suites" if set(names) == set(DESCRIPTIONS) else ", ".join(names)


def _stems(names: Sequence[str]) -> list[str]:
    """For the reports' file names."""
    if set(names) == set(DESCRIPTIONS):
        return ["report"]
    return [Path(name.partition(".py")[0].replace(":", ".")).name for name in names]


def _folder(
    asked: Sequence[Target], only: tuple[str, ...], out: Path | None, formats: tuple[str, ...]
) -> Path | None:
    """Where the reports go, made and tried before the run; None for nowhere."""
    whole_suites = all(target.is_suite for target in asked) and not only
    if out is None and not formats and not whole_suites:
        return None
    return _probed(out or Path("reports"))


def _probed(folder: Path) -> Path:
    """`folder`, made and tried."""
    probe = folder / f".symtape-{os.getpid()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise Refusal(
            f"cannot write reports into {str(folder)!r}: {error.strerror or error}. "
            "Choose another folder with --out, or make this one writable."
        ) from error
    return folder


def _deliver(
    report: Report, planned: int, folder: Path | None, formats: Sequence[str], name: str
) -> None:
    from verify.report import write
    from verify.report.as_text import show

    show(report)
    if report.suites == ("primitives",) and report.rungs:
        from verify.report.as_rungs import show_rungs

        show_rungs(report)
    if report.interrupted:
        click.echo(f"Interrupted: {len(report.cases)} of {planned} cases were done.", err=True)
    if folder is not None:
        for path in write(report, folder, formats, name):
            click.echo(f"wrote {path}")


def _status(report: Report) -> int:
    from verify.verdict import exit_status

    status = int(exit_status(case.verdict for case in report.cases))
    return UNDECIDED if report.interrupted and status == 0 else status


@cli.command(
    epilog="""
\b
Examples:
  symtape derive energy.py:energy --at '[1.0, 2.0]'
  symtape derive energy.py:energy --at '[1.0, 2.0]' --what hessian --format latex
  symtape derive package.module:function --at '1.0, 2.0' --what gradient --format c

The point fixes the shapes of the arguments and the path through the function; the formulas hold
wherever the same path is taken, and say so.
"""
)
@click.argument("target", metavar="TARGET")
@click.option(
    "--at",
    required=True,
    metavar="POINT",
    help="The function's arguments as Python numbers and lists, separated by commas.",
)
@click.option(
    "--what",
    multiple=True,
    type=click.Choice(_FORMULAS),
    help="Which formula. May be repeated.  [default: value, and gradient or jacobian]",
)
@click.option(
    "--format",
    "language",
    type=click.Choice(("text", "latex", "mathml", *_LANGUAGES)),
    default="text",
    show_default=True,
    help="How it is written: for people, for documents, or as code.",
)
@click.option(
    "--budget",
    type=click.FloatRange(min=0, min_open=True),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="After which it is given up.",
)
def derive(target: str, at: str, what: tuple[str, ...], language: str, budget: float) -> None:
    """Print closed forms of a function's value and derivatives.

    TARGET is FILE.py:FUNCTION or MODULE:FUNCTION.
    """
    with refusing():
        from verify.formulas import formulas

        for text in formulas(target, at, what, language, budget):
            click.echo(text)


@cli.command(
    epilog="""
\b
Examples:
  symtape report reports/report.json --format html --out site
  symtape report reports/report.json --format markdown > summary.md
"""
)
@click.argument("result", type=click.Path(path_type=Path), metavar="RESULT.json")
@click.option(
    "--format",
    "formats",
    multiple=True,
    type=click.Choice(_SHOWN),
    default=("text",),
    help="The rendering; may be repeated with --out.  [default: text]",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write files into this folder.  [default: the standard output]",
)
def report(result: Path, formats: tuple[str, ...], out: Path | None) -> None:
    """Render a saved result again."""
    with refusing():
        from verify.report import render, write

        found = _loaded(result)
        if out is None:
            if len(formats) > 1:
                raise Refusal("several formats go into files: say where with --out DIR.")
            click.echo(render(found, formats[0]), nl=False)
            return
        for path in write(found, out, formats, result.stem):
            click.echo(f"wrote {path}")


@cli.command(
    epilog="""
\b
Examples:
  symtape selftest
  symtape selftest --quick
  symtape selftest --only tanh:sign
  symtape selftest --only 'rule tanh by x'

Exit status: 0 if no fault survived and no right claim was called wrong; 1 otherwise; 3 if some of
it was skipped, not judged, or not done before an interrupt.
"""
)
@click.option("--quick", is_flag=True, help="A sample of about a tenth, drawn by the seed.")
@click.option(
    "--jobs",
    type=click.IntRange(min=0),
    help="Worker processes; 0 runs in this one, for a debugger.  [default: one a core]",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Of the points, and of the sample.",
)
@click.option(
    "--budget",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="For all of it; what is not done by then is left out.",
)
@click.option(
    "--only",
    default="",
    metavar="TEXT",
    help="Only the faults and claims whose id holds this; or ROW:OPERATOR.",
)
@click.option("--equivalents", is_flag=True, help="List the changes that change nothing.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write the score into this folder, as selftest.json.",
)
def selftest(
    quick: bool,
    jobs: int | None,
    seed: int,
    budget: float | None,
    only: str,
    equivalents: bool,
    out: Path | None,
) -> None:
    """Verify the verifier: planted faults, and right claims.

    Thousands of faults are planted in the rules of the vocabulary and in derivatives written by
    hand; each must be refuted. Thousands of right derivatives are claimed; none may be called
    wrong. A full score is kept, and every report shows the last one.
    """
    with refusing():
        from verify.progress import ticks
        from verify.selftest.run import QUICK, plan, run
        from verify.selftest.score import keep_score
        from verify.selftest.table import show

        tasks = plan(seed, QUICK if quick else 1.0, only)
        file = None if out is None else _probed(out) / "selftest.json"
        with ticks(len(tasks), "planting faults") as tell:
            score = run(tasks, jobs=jobs, budget=budget, on_done=lambda task: tell(task.name))
        if only and not (score.faults or score.claims or score.doubtful):
            raise Refusal(f"no fault and no claim has {only!r} in its id; see docs/selftest.md.")
        show(score, equivalents)
        keep_score(score)
        if file is not None:
            file.write_text(score.to_json(), encoding="utf-8")
            click.echo(f"wrote {file}")
    raise click.exceptions.Exit(1 if not score.clean else UNDECIDED if score.doubtful else 0)


@cli.command(
    epilog="""
\b
Examples:
  symtape calibrate
  symtape calibrate exp gammaln --points 5000

Exit status: 0 if every constant holds on this machine; 1 if one is too small.
"""
)
@click.argument("rows", nargs=-1, metavar="[ROW]...")
@click.option(
    "--points",
    type=click.IntRange(min=1),
    default=200,
    show_default=True,
    help="Tried for each row and dtype.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Of the points by chance.",
)
def calibrate(rows: tuple[str, ...], points: int, seed: int) -> None:
    """Measure the rounding of NumPy and SciPy on this machine.

    What honest rounding may cost is computed from constants of each operation. They are measured
    here again, against enclosures; said is where one is too small, or of each ROW that is named.
    """
    with refusing():
        from verify.calibrate import calibrate as measured
        from verify.calibrate import described

        found = measured(
            rows,
            points,
            seed,
            lambda one: click.echo(described(one)) if rows or one.exceeds else None,
        )
    exceeding = sum(one.exceeds for one in found)
    tried = sum(one.points for one in found)
    click.echo(
        f"{len(found)} roundings measured at {tried} points: "
        + (f"{exceeding} exceed their constants" if exceeding else "all constants hold here")
    )
    raise click.exceptions.Exit(1 if exceeding else 0)


def main(args: Sequence[str] | None = None) -> NoReturn:
    """Run the command and exit with its status."""
    try:
        status = cli.main(args, prog_name="symtape", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted before a case was done.", err=True)
        sys.exit(UNDECIDED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    sys.exit(status or 0)
