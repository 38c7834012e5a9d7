"""``symtape audit``: the derivatives of a library, or of a package that wrote them by hand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from verify.commands.baseline import baseline as with_baseline
from verify.commands.campaigns import CampaignOptions, campaign_options
from verify.commands.files import LATEST, probed
from verify.commands.options import RegularFile, into, takes
from verify.commands.refusals import UNDECIDED, Refusal, refusing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verify.auditing.libraries.entries import Audit

_LIBRARIES: Final = ("jax", "torch", "autograd", "symtape")
_WRITTEN: Final = ("json", "junit", "markdown", "html")
_FORMATS: Final = ("float64", "float32", "bfloat16", "float16")
_LINES: Final = 25
_OF_LIBRARIES: Final = {
    "formats": "--dtype",
    "orders": "--order",
    "points": "--points",
    "render": "--render",
}
"""What only an audit of a library that differentiates heeds."""
_OF_PACKAGES: Final = {
    "listing": "--list",
    "conventions": "--convention",
    "manifest": "--manifest",
    "budget": "--budget",
    "effort": "--effort",
    "strict": "--strict",
    "written": "--format",
    "store": "--store",
    "retry": "--retry",
    "baseline": "--baseline",
}
"""What only an audit of a package's pairs heeds."""
_MEASURING: Final = {
    "formats": "--dtype",
    "orders": "--order",
    "only": "--only",
    "points": "--points",
    "seed": "--seed",
    "jobs": "--jobs",
}
"""What only measuring heeds."""


@click.command(
    epilog="""
\b
Examples:
  symtape audit scipy.interpolate --list
  symtape audit scipy.stats --only norm --only gamma
  symtape audit chemicals --out audits --format html
  symtape audit --manifest audit.toml
  symtape audit jax
  symtape audit torch --dtype float64 --order 1
  symtape audit symtape --only tanh --out audits
  symtape audit jax --render

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
@into("Write the reports into this folder.  [default: reports/latest/PACKAGE]")
@click.option("--list", "listing", is_flag=True, help="List the pairs without judging them.")
@click.option(
    "--convention",
    "conventions",
    multiple=True,
    metavar="NAME",
    help="Audit only pairs of this convention. May be repeated.",
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
    type=click.Choice(_WRITTEN),
    help="Write this kind of report. May be repeated.  [default: all]",
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
    default=3000,
    show_default=True,
    help="About how many points each derivative of a library is computed at.",
)
@click.option(
    "--render",
    is_flag=True,
    help="Write the pages again from the audit.json in the folder, without measuring.",
)
@with_baseline
@click.pass_context
def audit(
    context: click.Context,
    package: str | None,
    only: tuple[str, ...],
    seed: int,
    campaign: CampaignOptions,
    out: Path | None,
    listing: bool,
    conventions: tuple[str, ...],
    manifest: Path | None,
    budget: float,
    effort: float | None,
    strict: bool,
    written: tuple[str, ...],
    formats: tuple[str, ...],
    orders: tuple[str, ...],
    points: int,
    render: bool,
    baseline: Path | None,
) -> None:
    """Judge the hand-written derivatives of PACKAGE, or measure those of a library.

    PACKAGE is an installed package or one of its modules. The audit finds pairs of a function and
    its claimed derivative by the names and methods that libraries use, and judges each pair. It
    lists what it could not pair or bound, with the reason; a manifest can supply what is missing.

    If PACKAGE is jax, torch, autograd or symtape, which differentiate by themselves, the audit
    compares the derivative of every differentiable function of one or two arguments with exact
    values all over the floats. The pages show where digits are lost. Only these libraries take
    --dtype, --order, --points and --render.
    """
    with refusing():
        if package in _LIBRARIES:
            _refuse_idle(context, _OF_PACKAGES, f"{package} differentiates by itself")
            status = _measured(context, package, formats, orders, only, campaign.jobs, out)
        else:
            from verify.commands.package_audit import Options, audited

            _refuse_idle(context, _OF_LIBRARIES, f"only {', '.join(_LIBRARIES)} are measured")
            asked = only, conventions, manifest, seed, budget, effort, strict, campaign, baseline
            options = Options(*asked)
            status = audited(package, options, listing, out, written or _WRITTEN)
    raise click.exceptions.Exit(status)


def _refuse_idle(context: click.Context, options: Mapping[str, str], why: str) -> None:
    """Refuse what is given and would mean nothing."""
    given = click.core.ParameterSource.COMMANDLINE
    idle = [words for it, words in options.items() if context.get_parameter_source(it) is given]
    if idle:
        raise Refusal(f"{idle[0]} has no meaning here, since {why}; leave it out")


def _measured(
    context: click.Context,
    library: str,
    formats: tuple[str, ...],
    orders: tuple[str, ...],
    only: tuple[str, ...],
    jobs: int | None,
    out: Path | None,
) -> int:
    """Measure a library, write the pages, and say what was found."""
    from verify.auditing.libraries.run import audit as run
    from verify.auditing.libraries.writing import replaced, write
    from verify.commands.progress import counting

    if len(only) > 1:
        raise Refusal("--only may be given once where a library is measured; give one TEXT")
    points, seed = context.params["points"], context.params["seed"]
    where = out or LATEST / library
    render = bool(context.params["render"])
    earlier = _measured_before(context, library, where) if render else None
    folder = probed(where, replaced(where))
    if earlier is not None:
        found = earlier
    else:
        chosen = [int(order) for order in orders] or [1, 2]
        with counting("auditing") as (start, tell):
            part = only[0] if only else ""
            found = run(library, formats, chosen, part, points, seed, jobs, tell, start)
    paths = write(found, folder)
    show(found)
    tell_written(paths)
    faulty = any(entry.is_fault for entry in found.entries)
    return 1 if faulty else UNDECIDED if found.interrupted else 0


def _measured_before(context: click.Context, library: str, folder: Path) -> Audit:
    """The audit of an earlier run.

    Raises
    ------
    UsageError
        The folder has none of this library, or options are given that only a new one could heed.
    """
    from verify.auditing.libraries.as_json import read
    from verify.errors import UsageError

    given = click.core.ParameterSource.COMMANDLINE
    idle = [it for it in _MEASURING if context.get_parameter_source(it) is given]
    if idle:
        raise UsageError(
            f"--render measures nothing, so that {_MEASURING[idle[0]]} has no meaning beside it; "
            "leave one of them out"
        )
    file = folder / "audit.json"
    if not file.is_file():
        raise UsageError(f"there is no {file}; run symtape audit {library} first, or say --out")
    found = read(file.read_text(encoding="utf-8"))
    if found.claimant != library:
        raise UsageError(f"{file} is an audit of {found.claimant}, not of {library}")
    return found


def tell_written(paths: list[Path]) -> None:
    """Where an audit was written to."""
    beside = f" and {len(paths) - 1} files beside it" if len(paths) > 1 else ""
    click.echo(f"wrote {paths[0]}{beside}")


def show(found: Audit) -> None:
    """Print the gravest findings, a line each."""
    from verify.auditing.libraries.as_markdown import headline, title_of, worst_of

    click.echo(f"{title_of(found)}: {headline(found)}")
    if found.interrupted:
        click.echo("Interrupted; only what was done is counted.")
    faulty = [worst_of(entries) for entries in found.functions.values()]
    faulty = [entry for entry in faulty if entry.is_fault]
    for entry in faulty[:_LINES]:
        first = entry.witnesses[0]
        at = ", ".join(x.decimal for x in first.x)
        name = f"{entry.function} {entry.derivative} {entry.format}"
        click.echo(
            f"  {entry.verdict.value:10} {name:30} {first.kind} at {at}: "
            f"{first.claimed.decimal}, exactly {first.exact[:12]}"
        )
    if len(faulty) > _LINES:
        click.echo(f"  and {len(faulty) - _LINES} more functions, on the page")
