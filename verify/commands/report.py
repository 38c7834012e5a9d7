"""``symtape report``: a saved result, or a saved audit, rendered again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from verify.commands.files import audited, loaded, probed
from verify.commands.options import into
from verify.commands.refusals import Refusal, refusing

if TYPE_CHECKING:
    from verify.audit.entries import Audit

_SHOWN: Final = ("json", "junit", "markdown", "html", "text")


@click.command(
    epilog="""
\b
Examples:
  symtape report reports/report.json --format html --out site
  symtape report reports/report.json --format markdown > summary.md
  symtape report reports/audits/jax/audit.json --format html --out site
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
    """Render again what symtape verify or symtape audit saved."""
    with refusing():
        audit = audited(result)
        if audit is not None:
            _report_audit(audit, formats, out)
            return
        from verify.report import render, write
        from verify.report.as_text import conclude, show

        found = loaded(result)
        if out is None:
            _refuse_several(formats)
            if formats[0] == "text":
                show(found, every=True, verbose=verbose)
                conclude(found)
            else:
                click.echo(render(found, formats[0]), nl=False)
            return
        for path in write(found, out, formats, result.stem):
            click.echo(f"wrote {path}")


def _refuse_several(formats: tuple[str, ...]) -> None:
    if len(formats) > 1:
        raise Refusal("several formats go into files: say where with --out DIR.")


def _report_audit(audit: Audit, formats: tuple[str, ...], out: Path | None) -> None:
    from verify.audit.writing import FORMATS, rendered, replaced, write
    from verify.commands.audit import show, tell_written

    if formats == ("text",):
        show(audit)
        return
    for each in formats:
        if each not in FORMATS:
            raise Refusal(f"an audit has no {each} files; choose among {', '.join(FORMATS)}.")
    if out is not None:
        tell_written(write(audit, probed(out, replaced(out, formats)), formats))
        return
    _refuse_several(formats)
    if formats[0] == "html":
        raise Refusal("an audit has a page for each function: say where with --out DIR.")
    [text] = rendered(audit, formats[0]).values()
    click.echo(text, nl=False)
