"""``symtape audit``: how accurate a library's own derivatives are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from verify.commands.files import probed
from verify.commands.options import into, takes, workers
from verify.commands.refusals import UNDECIDED, refusing

if TYPE_CHECKING:
    from verify.audit.entries import Audit

_LIBRARIES: Final = ("jax", "torch", "autograd", "symtape")
_FORMATS: Final = ("float64", "float32", "bfloat16", "float16")
_LINES: Final = 25
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
  symtape audit jax
  symtape audit torch --dtype float64 --order 1
  symtape audit symtape --only tanh --out audits
  symtape audit jax --render

Exit status: 0 if every derivative is right; 1 if one is wrong or inaccurate; 2 if the library is
not installed; 3 if it was interrupted before any fault was found.
"""
)
@click.argument("library", type=click.Choice(_LIBRARIES))
@click.option(
    "--dtype",
    "formats",
    multiple=True,
    type=click.Choice(_FORMATS),
    help="A float format; may be repeated.  [default: all; of second derivatives float64, float32]",
)
@click.option(
    "--order",
    "orders",
    multiple=True,
    type=click.Choice(["1", "2"]),
    help="First or second derivatives.  [default: both]",
)
@click.option("--only", default="", metavar="TEXT", help="Only functions with this in their name.")
@click.option(
    "--points",
    type=click.IntRange(min=64),
    default=3000,
    show_default=True,
    help="At about how many points each derivative is computed.",
)
@takes("seed", words="Of these.", default=True)
@workers
@into("Write the pages into this folder.  [default: reports/audits/LIBRARY]")
@click.option(
    "--render",
    is_flag=True,
    help="Measure nothing: write the pages again, from the audit.json in the folder.",
)
@click.pass_context
def audit(
    context: click.Context,
    library: str,
    formats: tuple[str, ...],
    orders: tuple[str, ...],
    only: str,
    points: int,
    seed: int,
    jobs: int | None,
    out: Path | None,
    render: bool,
) -> None:
    """Measure how accurate the derivatives of a library are, all over the floats.

    Every differentiable function of one and two arguments that LIBRARY has is compared with
    exact values; the pages show where digits are lost, with a program for each finding and
    Markdown that is ready for an issue tracker.
    """
    with refusing():
        from verify.audit.run import audit as run
        from verify.audit.writing import replaced, write
        from verify.commands.progress import counting

        where = out or Path("reports") / "audits" / library
        earlier = _measured_before(context, library, where) if render else None
        folder = probed(where, replaced(where))
        if earlier is not None:
            found = earlier
        else:
            chosen = [int(order) for order in orders] or [1, 2]
            with counting("auditing") as (start, tell):
                found = run(library, formats, chosen, only, points, seed, jobs, tell, start)
        paths = write(found, folder)
        show(found)
        tell_written(paths)
    faulty = any(entry.is_fault for entry in found.entries)
    raise click.exceptions.Exit(1 if faulty else UNDECIDED if found.interrupted else 0)


def _measured_before(context: click.Context, library: str, folder: Path) -> Audit:
    """The audit of an earlier run.

    Raises
    ------
    UsageError
        The folder has none of this library, or options are given that only a new one could heed.
    """
    from verify.audit.as_json import read
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
    from verify.audit.as_markdown import headline, title_of, worst_of

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
