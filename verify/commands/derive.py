"""``symtape derive``: closed forms."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

import click

from verify.commands.options import RegularFile, takes
from verify.commands.refusals import explain_refusals

_FORMULAS: Final = ("value", "gradient", "jacobian", "hessian")
_WRITTEN: Final = ("gradient", "value_and_grad", "jacobian", "hessian", "hvp")
LANGUAGES: Final = ("numpy", "jax", "torch", "c")
_LANGUAGES: Final = ("numpy", "python", "c", "julia", "fortran")


@click.command(
    epilog="""
\b
Examples:
  symtape derive energy.py:energy --at '[1.0, 2.0]'
  symtape derive energy.py:energy --at '[1.0, 2.0]' --what hessian --format latex
  symtape derive energy.py:energy --at '[1.0, 2.0]' --code numpy --out grad_energy.py --test
  symtape derive loss.py:loss --at '[1.0, 2.0]' --notation array
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
    type=click.Choice(tuple(dict.fromkeys((*_FORMULAS, *_WRITTEN)))),
    help="The formula to print. May be repeated; hvp and value_and_grad need --code.  "
    "[default: value, and gradient or jacobian]",
)
@click.option(
    "--format",
    "language",
    type=click.Choice(("text", "latex", "mathml", *_LANGUAGES)),
    default="text",
    show_default=True,
    help="The notation: text, a format for documents, or scalar code.",
)
@click.option(
    "--code",
    type=click.Choice(LANGUAGES),
    help="Print a whole function of arrays in this language instead.",
)
@click.option(
    "--wrt", multiple=True, help="With --code: the argument to differentiate by. May be repeated."
)
@click.option(
    "--out", type=RegularFile(dir_okay=False), help="With --code: write the code to this file."
)
@click.option("--test", is_flag=True, help="With --code numpy and --out: also write a test file.")
@click.option("--force", is_flag=True, help="Overwrite existing files.")
@click.option(
    "--notation",
    type=click.Choice(("array", "entries")),
    help="Print formulas of whole arrays, or one formula per entry.  [default: arrays where "
    "that is readable]",
)
@takes("budget", words="The time limit in seconds.", default=True)
def derive(
    target: str,
    at: str,
    what: tuple[str, ...],
    language: str,
    code: str | None,
    wrt: tuple[str, ...],
    out: Path | None,
    test: bool,
    force: bool,
    notation: Literal["array", "entries"] | None,
    budget: float,
) -> None:
    """Print closed forms of a function's value and derivatives.

    TARGET is FILE.py:FUNCTION or MODULE:FUNCTION.
    """
    with explain_refusals():
        from verify.campaign.formulas import formulas, write_derivative
        from verify.errors import UsageError

        if code is not None:
            if len(what) > 1 or "value" in what:
                known = ", ".join(_WRITTEN)
                raise UsageError(f"--code writes one derivative; --what is one of {known}")
            if test and (out is None or code != "numpy"):
                raise UsageError("--test goes with --code numpy and --out FILE.py")
            written = write_derivative(
                target, at, code, what[0] if what else None, wrt, out, test, force
            )
            click.echo(written, nl=False)
            return
        if wrt or out or test or force:
            raise UsageError("--wrt, --out, --test and --force go with --code")
        if unknown := [one for one in what if one not in _FORMULAS]:
            raise UsageError(f"--what {unknown[0]} goes with --code")
        for text in formulas(target, at, what, language, budget, notation):
            click.echo(text)
