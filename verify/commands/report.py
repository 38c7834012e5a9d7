"""``symtape report``: a saved result, rendered again."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from verify.commands.files import loaded
from verify.commands.options import into
from verify.commands.refusals import Refusal, refusing

__all__ = ["report"]

_SHOWN: Final = ("json", "junit", "markdown", "html", "text")


@click.command(
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
@into("Write files into this folder.  [default: the standard output]")
@click.option("-v", "--verbose", is_flag=True, help="Explain every case at length, in text.")
def report(result: Path, formats: tuple[str, ...], out: Path | None, verbose: bool) -> None:
    """Render a saved result again."""
    with refusing():
        from verify.report import render, write
        from verify.report.as_text import conclude, show

        found = loaded(result)
        if out is None:
            if len(formats) > 1:
                raise Refusal("several formats go into files: say where with --out DIR.")
            if formats[0] == "text":
                show(found, every=True, verbose=verbose)
                conclude(found)
            else:
                click.echo(render(found, formats[0]), nl=False)
            return
        for path in write(found, out, formats, result.stem):
            click.echo(f"wrote {path}")
