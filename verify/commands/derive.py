"""``symtape derive``: closed forms."""

from __future__ import annotations

from typing import Final

import click

from verify.commands.options import takes
from verify.commands.refusals import refusing

_FORMULAS: Final = ("value", "gradient", "jacobian", "hessian")
_LANGUAGES: Final = ("numpy", "python", "c", "julia", "fortran")


@click.command(
    epilog="""
\b
Examples:
  symtape derive energy.py:energy --at '[1.0, 2.0]'
  symtape derive energy.py:energy --at '[1.0, 2.0]' --what hessian --format latex
  symtape derive package.module:function --at '1.0, 2.0' --what gradient --format c

The point fixes the shapes of the arguments and the path through the function; the formulas hold
wherever the same path is taken, and say so.
"""
)
@click.argument("target", metavar="TARGET")
@takes(
    "at",
    words="The function's arguments as Python numbers and lists, separated by commas.",
    required=True,
)
@click.option(
    "--what",
    multiple=True,
    type=click.Choice(_FORMULAS),
    help="Which formula. May be repeated.  [default: value, and gradient or jacobian]",
)
@click.option(
    "--format",
    "language",
    type=click.Choice(("text", "latex", "mathml", *_LANGUAGES)),
    default="text",
    show_default=True,
    help="How it is written: for people, for documents, or as code.",
)
@takes("budget", words="Seconds after which it is given up.", default=True)
def derive(target: str, at: str, what: tuple[str, ...], language: str, budget: float) -> None:
    """Print closed forms of a function's value and derivatives.

    TARGET is FILE.py:FUNCTION or MODULE:FUNCTION.
    """
    with refusing():
        from verify.campaign.formulas import formulas

        for text in formulas(target, at, what, language, budget):
            click.echo(text)
