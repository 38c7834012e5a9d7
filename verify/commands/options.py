"""Options that commands share: those of the keywords of a verification, workers and folders."""

from __future__ import annotations

import stat
from collections.abc import Callable, Container
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from verify.options.keywords import KEYWORDS

_ON_THE_LINE: Final = click.core.ParameterSource.COMMANDLINE

F = TypeVar("F", bound=Callable[..., Any])


def _callback(
    read: Callable[[str], Any],
) -> Callable[[click.Context, click.Parameter, str | None], Any]:
    """A callback of click's that reads the value of a keyword."""

    def value(context: click.Context, parameter: click.Parameter, text: str | None) -> Any:
        try:
            return None if text is None else read(text)
        except ValueError as error:
            raise click.BadParameter(str(error)) from None

    return value


def takes(
    name: str, remark: str = "", words: str = "", default: bool = False, **how: Any
) -> Callable[[F], F]:
    """The option of a keyword.

    Parameters
    ----------
    name : str
        The keyword's.
    remark : str
        What the command says of it besides.
    words : str
        What it says instead of what the keyword is, where it means something else.
    default : bool
        Whether the keyword's own default holds.
    **how
        As ``click.option`` takes it.
    """
    found = KEYWORDS[name]
    how = {"metavar": found.metavar} | how if found.metavar else how
    if found.read is not None:
        how |= {"type": str, "callback": _callback(found.read)}
    if default:
        how |= {"default": found.default, "show_default": True}
    return click.option(f"--{name}", help=f"{words or found.brief} {remark}".rstrip(), **how)


workers: Final = click.option(
    "--jobs",
    type=click.IntRange(min=0),
    help="The number of worker processes; with 0 everything runs in this process, as a "
    "debugger needs it.  [default: one per core]",
)


class RegularFile(click.Path):
    """A path of a file that can be read more than once; there need be none yet."""

    def __init__(self, dir_okay: bool = True) -> None:
        super().__init__(path_type=Path, dir_okay=dir_okay)

    def convert(
        self, value: Any, parameter: click.Parameter | None, context: click.Context | None
    ) -> Any:
        """Refuse what blocks whoever opens it, and what leads nowhere."""
        found: Any = super().convert(value, parameter, context)
        path = Path(found)
        try:
            mode = path.stat().st_mode
        except (FileNotFoundError, NotADirectoryError):
            return path
        except OSError as error:
            self.fail(f"{str(path)!r}: {error.strerror or error}")
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            self.fail(f"{str(path)!r} is a pipe or a device; save it in a file, and give that")
        return path


with_baseline: Final = click.option(
    "--baseline",
    type=RegularFile(),
    metavar="RESULT",
    help="Compare with an earlier run, a JSON report or a store, and say which cases are worse, "
    "fixed, changed, new and gone.",
)


def folder_option(words: str) -> Callable[[F], F]:
    """The folder that a command writes into."""
    return click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help=words)


def given_options(context: click.Context, without: Container[str] = ()) -> dict[str, Any]:
    """What the command line has of the options of a command, less some, as it is written there."""
    return {
        option.opts[0]: context.params[str(option.name)]
        for option in context.command.params
        if option.opts[0] not in without
        and context.get_parameter_source(str(option.name)) is _ON_THE_LINE
        and isinstance(option, click.Option)
    }
