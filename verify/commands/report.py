"""``symtape report``: a saved result, or a campaign in its store, rendered again."""

from __future__ import annotations

import difflib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from verify.commands.files import load_report
from verify.commands.options import RegularFile, folder_option
from verify.commands.refusals import Refusal, explain_refusals
from verify.commands.stores import campaign_in, is_store

if TYPE_CHECKING:
    from verify.reporting.model import Report

_SHOWN: Final = ("json", "junit", "markdown", "html", "sarif", "issue", "text")


@click.command(
    epilog="""
\b
Examples:
  symtape report reports/latest/report.json --format html --out site
  symtape report reports/latest/report.json --format markdown > summary.md
  symtape report reports/latest/report.json --case primitives/sin --format html > sin.html
  symtape report reports/latest/jax/jax.json --format html --out site
  symtape report tonight.sqlite --format html --out site
"""
)
@click.argument("result", type=RegularFile(), metavar="RESULT")
@click.option(
    "--format",
    "formats",
    multiple=True,
    type=click.Choice(_SHOWN),
    default=("text",),
    help="The format. May be repeated with --out.  [default: text]",
)
@click.option(
    "--case",
    "only",
    multiple=True,
    metavar="ID",
    help="Show only the case with this id. May be repeated.",
)
@folder_option("Write files into this folder.  [default: the standard output]")
@click.option("-v", "--verbose", is_flag=True, help="Explain every case in full (text only).")
@click.option(
    "--campaign",
    type=click.IntRange(min=1),
    metavar="NUMBER",
    help="The campaign to show, if the store holds several.",
)
def report(
    result: Path,
    formats: tuple[str, ...],
    only: tuple[str, ...],
    out: Path | None,
    verbose: bool,
    campaign: int | None,
) -> None:
    """Show a saved result of symtape verify or symtape audit in another format.

    RESULT is a JSON file, or the store (--store) of a campaign or an audit, which may still be
    running.
    """
    with explain_refusals():
        if is_store(result):
            with campaign_in(result, campaign) as found:
                _report(_select_cases(found, only), formats, out, result.stem, verbose)
            return
        if campaign is not None:
            raise Refusal(f"--campaign {campaign}: {str(result)!r} is not a store of campaigns.")
        _report(_select_cases(load_report(result), only), formats, out, result.stem, verbose)


def _report(
    found: Report, formats: tuple[str, ...], out: Path | None, stem: str, verbose: bool
) -> None:
    from verify.reporting import parts, write
    from verify.reporting.as_text import conclude, show

    if out is not None:
        for path in write(found, out, formats, stem):
            click.echo(f"wrote {path}")
        return
    if len(formats) > 1:
        raise Refusal("several formats need a folder: name it with --out DIR.")
    if formats[0] == "text":
        show(found, every=True, verbose=verbose)
        conclude(found)
    else:
        for text in parts(found, formats[0]):
            click.echo(text, nl=False)


def _select_cases(report: Report, only: tuple[str, ...]) -> Report:
    """The report, of the cases of these ids alone if there are any."""
    if not only:
        return report
    known = [case.id for case in report.cases]
    for name in only:
        if name not in known:
            close = difflib.get_close_matches(name, known, n=3) or known[:3]
            raise Refusal(f"--case {name!r}: there is no such case; some: {', '.join(close)}.")
    kept = tuple(case for case in report.cases if case.id in only)
    return replace(report, cases=kept, rungs=(), changes=(), baseline="")
