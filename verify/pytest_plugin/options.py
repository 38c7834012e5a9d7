"""Options of the plugin, on the command line and in the configuration file."""

from __future__ import annotations

import argparse
import contextlib
import math
import os
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import pytest

from verify.files.cache import forgetting
from verify.model import defaults
from verify.model.budget import EFFORTS, effort_from

__all__ = ["FORMATS", "add", "apply", "folder", "header", "restore"]

FORMATS: Final = ("json", "junit", "markdown", "html")
"""Of the reports."""


def _seed(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = -1
    if number < 0:
        raise argparse.ArgumentTypeError(f"{text!r}: expected a whole number from 0")
    return number


def _above_zero(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r}: expected a number above 0")
    return number


def _effort(text: str) -> float:
    try:
        return effort_from(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


class _Option(NamedTuple):
    """One option.

    Attributes
    ----------
    name : str
        Without ``--symtape-``.
    field : str
        The default of :mod:`verify.model.defaults` that it sets; empty for none.
    read : callable
        From text to the value.
    metavar, words : str
        For the help.
    """

    name: str
    field: str
    read: Callable[[str], Any]
    metavar: str
    words: str

    @property
    def flag(self) -> str:
        return f"--symtape-{self.name}"

    @property
    def key(self) -> str:
        return f"symtape_{self.name}"


_OPTIONS: Final = (
    _Option("seed", "seed", _seed, "N", "seed of the searches that name none (default: 0)"),
    _Option("budget", "seconds", _above_zero, "SECONDS", "that one claim may take (default: 60)"),
    _Option(
        "effort",
        "effort",
        _effort,
        "FACTOR",
        f"how much of a region is searched: a number, or {', '.join(EFFORTS)} (default: 0.2)",
    ),
    _Option("report", "", str, "DIR", "write reports of all claims into this folder"),
)

_BEFORE: Final = pytest.StashKey[defaults.Defaults]()
_MEMORY: Final = pytest.StashKey[contextlib.ExitStack]()


def add(parser: pytest.Parser) -> None:
    """Make the options known."""
    group = parser.getgroup("symtape", "verification of derivatives")
    for option in _OPTIONS:
        group.addoption(
            option.flag,
            dest=option.key,
            type=option.read,
            default=None,
            metavar=option.metavar,
            help=option.words,
        )
        parser.addini(option.key, f"as {option.flag}", default=None)
    group.addoption(
        "--symtape-no-memory",
        action="store_true",
        help="try no counterexamples of earlier runs, and keep none",
    )
    group.addoption(
        "--symtape-strict",
        action="store_true",
        help="what is wrong at the fringe alone fails as well, instead of giving a warning",
    )
    parser.addini("symtape_strict", "as --symtape-strict", type="bool", default=False)


def apply(config: pytest.Config) -> None:
    """Set the defaults of assertions by the options.

    Raises
    ------
    pytest.UsageError
        A value in the configuration that cannot be read, a folder that cannot be written.
    """
    given = {option.field: _value(config, option) for option in _OPTIONS if option.field}
    found = {field: value for field, value in given.items() if value is not None}
    if _is_strict(config):
        found["strict"] = True
    home = str(config.rootpath / defaults.Defaults().home)
    reports = folder(config)
    if reports is not None and not hasattr(config, "workerinput"):
        _probe(reports)
        _refuse_foreign(reports)
    config.stash[_BEFORE] = defaults.change(home=home, **found)
    config.stash[_MEMORY] = contextlib.ExitStack()
    config.stash[_MEMORY].enter_context(forgetting(config.getoption("--symtape-no-memory")))


def restore(config: pytest.Config) -> None:
    """Put back what held before :func:`apply`."""
    before = config.stash.get(_BEFORE, None)
    if before is not None:
        defaults.restore(before)
        config.stash[_MEMORY].close()


def header(config: pytest.Config) -> str | None:
    """A line for the head of the run, of the options that are given."""
    given = [(option.name, _value(config, option)) for option in _OPTIONS]
    words = [f"{name} {value}" for name, value in given if value is not None]
    words += ["strict"] if _is_strict(config) else []
    return f"symtape: {', '.join(words)}" if words else None


def _is_strict(config: pytest.Config) -> bool:
    return bool(config.getoption("--symtape-strict") or config.getini("symtape_strict"))


def folder(config: pytest.Config) -> str | None:
    """Where the reports go; None for nowhere."""
    value: str | None = _value(config, _OPTIONS[-1])
    if value is None or config.getoption(_OPTIONS[-1].key) is not None:
        return value
    return str(config.rootpath / value)


def _probe(reports: str) -> None:
    """Make the folder, and try it, before hours are spent on what goes there."""
    probe = os.path.join(reports, f".symtape-{os.getpid()}")
    try:
        os.makedirs(reports, exist_ok=True)
        with open(probe, "x"):
            pass
        os.unlink(probe)
    except OSError as error:
        raise pytest.UsageError(
            f"cannot write reports into {reports!r}: {error.strerror or error}; choose another "
            "folder with --symtape-report, or make this one writable"
        ) from None


def _refuse_foreign(reports: str) -> None:
    """Refuse, before anything runs, to write over what is not a report of ours."""
    from verify.report import ForeignFile, paths, refuse_foreign

    try:
        refuse_foreign(paths(reports, FORMATS), "--symtape-report")
    except ForeignFile as error:
        raise pytest.UsageError(str(error)) from None


def _value(config: pytest.Config, option: _Option) -> Any:
    """What is given: on the command line, or else in the configuration file."""
    spoken = config.getoption(option.key)
    if spoken is not None:
        return spoken
    written = config.getini(option.key)
    if written is None or written == "":
        return None
    try:
        return option.read(str(written))
    except argparse.ArgumentTypeError as error:
        place = f"{config.inipath}: " if config.inipath else ""
        raise pytest.UsageError(f"{place}{option.key} = {error}") from None
