"""``symtape doctor``: what is installed, and whether it fits together."""

from __future__ import annotations

import click

from verify.commands.refusals import explain_refusals


@click.command()
def doctor() -> None:
    """Check the installation.

    It prints the versions of symtape and of what it computes with, the extras that are installed,
    the BLAS of NumPy, and whether the package that Python imports as verify is the one that
    belongs to symtape. It exits with 1 if something is wrong.
    """
    with explain_refusals():
        from verify.commands import installation

        problems = list(installation.problems())
        for label, value in installation.facts():
            click.echo(f"{label:14} {value}")
        for problem in problems:
            click.echo(f"problem        {problem}")
        if not problems:
            click.echo("No problem was found.")
    raise click.exceptions.Exit(1 if problems else 0)
