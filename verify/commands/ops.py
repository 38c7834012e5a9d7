"""``symtape ops``: what the vocabulary knows of an op."""

from __future__ import annotations

import click

from verify.commands.refusals import explain_refusals

_WIDTH = 120
"""Of the table, where the terminal is narrower or there is none."""


@click.command(
    epilog="""
\b
Examples:
  symtape ops
  symtape ops --format csv
  symtape ops erf cholesky
"""
)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "csv", "json"]),
    default="table",
    show_default=True,
    help="The format of the table.",
)
def ops(names: tuple[str, ...], form: str) -> None:
    """Show what symtape knows of each operation NAME.

    It prints the formula, the domain, the kinks, the rounding and the proof of the operation.
    Without a NAME, it prints a table of all NumPy and SciPy functions that symtape differentiates.
    The table says which derivatives there are, and whether there is a closed form, an enclosure in
    ball arithmetic and a proof.
    """
    with explain_refusals():
        if names:
            from verify.reporting.ops import ops as told

            click.echo("\n\n".join(told(names)))
            return
        from verify.reporting import names as of_names

        found = of_names.names()
        if form == "table":
            from rich.console import Console

            screen = Console()
            Console(width=max(screen.width, _WIDTH)).print(of_names.format_table(found))
        else:
            click.echo(of_names.format_csv(found) if form == "csv" else of_names.format_json(found))
