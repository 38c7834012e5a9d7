"""``symtape ops``: what the vocabulary knows of an op."""

from __future__ import annotations

import click

from verify.commands.refusals import refusing


@click.command(
    epilog="""
\b
Examples:
  symtape ops
  symtape ops erf cholesky
"""
)
@click.argument("names", nargs=-1, metavar="[NAME]...")
def ops(names: tuple[str, ...]) -> None:
    """Print what the row of each op NAME says: readings, domain, kinks, rounding, proof.

    Without a NAME all names are printed.
    """
    with refusing():
        from verify.report.ops import ops as told

        click.echo("\n\n".join(told(names)))
