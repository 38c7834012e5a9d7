"""Refusals: what the user can fix, said in a paragraph, with the exit status that goes with it."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import IO, Any, Final

import click

USAGE: Final = 2
"""The command was used wrongly."""

UNDECIDED: Final = 3
"""Nothing is wrong, but something is not decided."""


FAILED: Final = 4
"""An error inside symtape itself."""


class Refusal(click.ClickException):
    """What was asked for cannot be done; said in a paragraph."""

    exit_code = USAGE

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the paragraph; in colour on a terminal, unless NO_COLOR is set."""
        stream = file or sys.stderr
        colour = stream.isatty() and not os.environ.get("NO_COLOR")
        label = click.style("Error:", fg="red", bold=True) if colour else "Error:"
        click.echo(f"{label} {self.message}", file=stream, color=colour)


class GivenUp(Refusal):
    """A budget was spent, or something is not supported."""

    exit_code = UNDECIDED


@contextlib.contextmanager
def explain_refusals() -> Iterator[None]:
    """What the user can fix becomes a message and exit status 2; budgets spent, 3."""
    from symtape.errors import BudgetSpent, MissingExtra, NotTraceable, Unsupported
    from verify.errors import IncompleteInstallation, UsageError
    from verify.files import places
    from verify.reporting import BadReport, ForeignFile, UnwritableFolder

    mendable = (BadReport, ForeignFile, IncompleteInstallation, MissingExtra, NotTraceable)
    try:
        yield
    except (UsageError, UnwritableFolder, *mendable) as error:
        raise Refusal(str(error)) from error
    except (BudgetSpent, Unsupported) as error:
        raise GivenUp(places.relativise_text(str(error))) from error
