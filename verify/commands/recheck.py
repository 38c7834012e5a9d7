"""``symtape recheck``: second opinions on a whole report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from verify.commands.files import load_report
from verify.commands.options import RegularFile
from verify.commands.refusals import explain_refusals

if TYPE_CHECKING:
    from verify.oracles.recheck.second import Second


@click.command(
    epilog="""
\b
Examples:
  symtape recheck reports/latest/report.json
  symtape recheck reports/latest/jax/jax.json

\b
Exit status:
  0  every finding is confirmed
  1  something that the report says is contradicted
  2  the command was used wrongly
  3  nothing is contradicted, but a finding could not be rechecked
"""
)
@click.argument("result", type=RegularFile(), metavar="RESULT.json")
@click.option("-v", "--verbose", is_flag=True, help="Print every second opinion as it arrives.")
def recheck(result: Path, verbose: bool) -> None:
    """Check the findings of a report by difference quotients in mpmath.

    The function is evaluated around each point with at least 150 digits. This uses no rule, no
    formula and no ball of symtape, and does not call the claim again: it takes the claimed value
    from the report. It rechecks every finding, and the first point of every other case.
    """
    with explain_refusals():
        from verify.commands.second_opinions import second_opinions
        from verify.oracles.recheck.second import gather_opinions

        def tell(second: Second) -> None:
            if verbose:
                click.echo(f"{second.about}: {second.opinion}")

        found = gather_opinions(second_opinions(load_report(result)), tell)
        for line in found.lines():
            click.echo(line)
    raise click.exceptions.Exit(found.status)
