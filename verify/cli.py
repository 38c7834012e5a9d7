"""The command ``symtape``: verify, check, derive, report, compare, audit, selftest, calibrate, ops.

Only click is imported at the top, so that help comes at once; each command brings what it needs.
"""

from __future__ import annotations

import contextlib
import difflib
import os
import signal
import sys
import traceback
from typing import TYPE_CHECKING, NoReturn

import click

from verify.commands.audit import audit
from verify.commands.calibrate import calibrate
from verify.commands.certificates import check
from verify.commands.compare import compare
from verify.commands.derive import derive
from verify.commands.doctor import doctor
from verify.commands.ops import ops
from verify.commands.recheck import recheck
from verify.commands.refusals import FAILED, UNDECIDED
from verify.commands.report import report
from verify.commands.selftest import selftest
from verify.commands.verify import verify

if TYPE_CHECKING:
    from collections.abc import Sequence


def _print_version(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value and not context.resilient_parsing:
        import symtape

        click.echo(f"symtape {symtape.__version__}")
        context.exit()


_HELP = """Differentiate NumPy code, and verify derivatives without a tolerance.

\b
symtape verify                                      verify the marked functions in all files here
symtape verify energy.py                            verify those of one file
symtape verify --suites                             verify the suites that come with symtape
symtape verify energy.py:energy --at '[1.0, 2.0]'   verify one function at a point
symtape check proofs                                replay certificates of proofs over regions
symtape derive energy.py:energy --at '[1.0, 2.0]'   print its closed forms
symtape compare before.json after.json              show what got worse, and what was fixed
symtape audit jax                                   measure how accurate its derivatives are
symtape recheck reports/latest/report.json          check its findings by another method
symtape selftest                                    measure how good the verifier is
symtape calibrate                                   measure how this machine rounds
symtape ops erf                                     show what is known of an operation
symtape doctor                                      check the installation
"""


class _Commands(click.Group):
    """Commands of which no argument is empty: that is a variable of the shell that is not set."""

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, and refuse what is empty as click has split it, before it is read."""
        try:
            name, command, rest = super().resolve_command(context, args)
        except click.UsageError as error:
            close = difflib.get_close_matches(args[0], self.commands, n=1)
            if close and "Did you mean" not in error.format_message():  # which newer clicks say
                words = f"{error.message} Did you mean {close[0]!r}?"
                raise click.UsageError(words, context) from error
            raise
        if command is not None:
            within = click.Context(command, info_name=name, parent=context)
            given, _, _ = command.make_parser(within).parse_args(args=list(rest))
            for parameter in command.params:
                value = given.get(parameter.name or "")
                if not all(map(_is_said, value if isinstance(value, list | tuple) else [value])):
                    raise click.BadParameter(
                        "it is empty; is a variable of the shell not set?", within, parameter
                    )
        return name, command, rest


def _is_said(value: object) -> bool:
    return not isinstance(value, str) or bool(value.strip())


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    help=_HELP,
    epilog="Each command has its own help: symtape verify --help. Every command exits with "
    f"{FAILED} if symtape itself fails.",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Print the version and exit.",
)
def cli() -> None:
    """Differentiate NumPy code, and verify derivatives without a tolerance."""


_COMMANDS = verify, check, derive, report, compare, recheck, audit, selftest, calibrate, ops, doctor

for _command in _COMMANDS:
    cli.add_command(_command)


def main(args: Sequence[str] | None = None) -> NoReturn:
    """Run the command and exit with its status."""
    with contextlib.suppress(ValueError):  # in another thread than the main one
        # As Ctrl-C does, so that what was done by then is reported.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        status = cli.main(args, prog_name="symtape", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted before a case was done.", err=True)
        sys.exit(UNDECIDED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception as error:  # of symtape itself: what a user can fix is a message by now
        traceback.print_exc()
        click.echo(
            "Error: symtape itself failed, which says nothing about the derivatives; please report "
            "the lines above with the command.",
            err=True,
        )
        raise SystemExit(FAILED) from error
    sys.exit(status or 0)
