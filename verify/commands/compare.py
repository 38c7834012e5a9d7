"""``symtape compare``: saved results beside each other, over time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import click

from verify.commands.files import load_report, probe_folder
from verify.commands.options import RegularFile, folder_option
from verify.commands.refusals import Refusal, explain_refusals

_SHOWN: Final = ("json", "junit", "markdown", "html", "text")
_WRITTEN: Final = ("json", "junit", "markdown", "html")


@click.command(
    epilog="""
\b
Examples:
  symtape compare before.json build/report.json
  symtape compare before.json after.json --format markdown > comment.md
  symtape compare 0.4.json 0.5.json 0.6.json --out history
  symtape compare monday.sqlite tonight.sqlite

\b
Exit status:
  0  nothing is worse
  1  a case is newly wrong or inaccurate
  2  the command was used wrongly
  3  nothing is worse, but something is newly undecided, the last run was
     interrupted, or the runs have no case in common
"""
)
@click.argument("results", nargs=-1, required=True, type=RegularFile(), metavar="OLD [...] NEW")
@click.option(
    "--format",
    "formats",
    multiple=True,
    type=click.Choice(_SHOWN),
    help="The format. May be repeated with --out.  [default: text; with --out all others]",
)
@folder_option("Write files into this folder.  [default: the standard output]")
@click.option("-v", "--verbose", is_flag=True, help="List every case that changed (text only).")
def compare(
    results: tuple[Path, ...], formats: tuple[str, ...], out: Path | None, verbose: bool
) -> None:
    """Show what changed between saved runs.

    Each file is a report.json that symtape verify or audit saved, or a store (--store), the oldest
    first. Cases are matched by their ids; each is worse, new, changed, gone, fixed, still failing
    or unchanged. With more than two files the changes are those from the first to the last, and a
    table has a column for each file.
    """
    with explain_refusals():
        status = compare_files(results, formats, out, verbose)
    raise click.exceptions.Exit(status)


def compare_files(
    results: Sequence[Path], formats: Sequence[str], out: Path | None, verbose: bool = False
) -> int:
    """Compare saved runs, the oldest first; the exit status."""
    from verify.reporting.comparison import compare as compared
    from verify.reporting.comparison import paths, render, write
    from verify.reporting.comparison.as_text import show

    if len(results) < 2:
        raise Refusal("a comparison needs two files: symtape compare OLD.json NEW.json.")
    if out is None and len(formats) > 1:
        raise Refusal("several formats need a folder: name it with --out DIR.")
    found = compared([load_report(path) for path in results], [path.stem for path in results])
    if out is not None:
        chosen = formats or _WRITTEN
        files = write(found, probe_folder(out, paths(out, chosen)), chosen)
    if out is None and formats not in ((), ("text",)):
        click.echo(render(found, formats[0]), nl=False)
    else:
        show(found, every=verbose)
    for path in files if out is not None else ():
        click.echo(f"wrote {path}")
    return int(found.exit_status)
