"""Options of the plugin, on the command line and in the configuration file."""

from __future__ import annotations

import argparse
import contextlib
import functools
import os
from typing import Any, Final

import pytest

from verify.files import cache
from verify.options import defaults
from verify.options.keywords import KEYWORDS, Keyword

FORMATS: Final = ("json", "junit", "markdown", "html")
"""Of the reports."""


_READ: Final = tuple(KEYWORDS[name] for name in ("seed", "budget", "effort"))
"""What an option of its own reads; the other options are flags, and the folder of the reports."""

_STRICT: Final = KEYWORDS["strict"]
_REPORT: Final = Keyword(
    "report", "str", "Write reports of all claims into this folder.", metavar="DIR", read=str
)

_PREVIOUS_DEFAULTS: Final = pytest.StashKey[defaults.Defaults]()
_MEMORY: Final = pytest.StashKey[contextlib.ExitStack]()


def add(parser: pytest.Parser) -> None:
    """Make the options known."""
    group = parser.getgroup("symtape", "verification of derivatives")
    for keyword in (*_READ, _REPORT):
        default = f" Default: {keyword.default_of_run:g}." if keyword.of_run else ""
        group.addoption(
            _flag(keyword),
            dest=_key(keyword),
            type=functools.partial(_argument, keyword),
            default=None,
            metavar=keyword.metavar,
            help=f"{keyword.brief}{default}",
        )
        parser.addini(_key(keyword), f"as {_flag(keyword)}", default=None)
    group.addoption(
        "--symtape-no-memory",
        action="store_true",
        help="Neither try the counterexamples of earlier runs nor save new ones.",
    )
    group.addoption(_flag(_STRICT), action="store_true", help=_STRICT.brief)
    parser.addini(_key(_STRICT), f"as {_flag(_STRICT)}", type="bool", default=False)


def _flag(keyword: Keyword) -> str:
    return f"--symtape-{keyword.name}"


def _key(keyword: Keyword) -> str:
    return f"symtape_{keyword.name}"


def _argument(keyword: Keyword, text: str) -> Any:
    """The value of an option.

    Raises
    ------
    argparse.ArgumentTypeError
        Says what was expected.
    """
    assert keyword.read is not None
    try:
        return keyword.read(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def apply(config: pytest.Config) -> None:
    """Set the defaults of assertions by the options.

    Raises
    ------
    pytest.UsageError
        A value in the configuration that cannot be read, a folder that cannot be written.
    """
    given = {keyword.of_run: _value(config, keyword) for keyword in _READ}
    found = {field: value for field, value in given.items() if value is not None}
    if _is_strict(config):
        found["strict"] = True
    home = str(config.rootpath / defaults.Defaults().home)
    reports = folder(config)
    if reports is not None and not hasattr(config, "workerinput"):
        _probe(reports)
        _refuse_foreign(reports)
    config.stash[_PREVIOUS_DEFAULTS] = defaults.change(home=home, **found)
    config.stash[_MEMORY] = contextlib.ExitStack()
    config.stash[_MEMORY].enter_context(
        cache.disable_memory(config.getoption("--symtape-no-memory"))
    )


def restore(config: pytest.Config) -> None:
    """Put back what held before :func:`apply`."""
    before = config.stash.get(_PREVIOUS_DEFAULTS, None)
    if before is not None:
        defaults.restore(before)
        config.stash[_MEMORY].close()


def header(config: pytest.Config) -> str | None:
    """A line for the head of the run, of the options that are given."""
    given = [(keyword.name, _value(config, keyword)) for keyword in (*_READ, _REPORT)]
    words = [f"{name} {value}" for name, value in given if value is not None]
    words += ["strict"] if _is_strict(config) else []
    return f"symtape: {', '.join(words)}" if words else None


def _is_strict(config: pytest.Config) -> bool:
    return bool(config.getoption(_flag(_STRICT)) or config.getini(_key(_STRICT)))


def folder(config: pytest.Config) -> str | None:
    """Where the reports go; None for nowhere."""
    value: str | None = _value(config, _REPORT)
    if value is None or config.getoption(_key(_REPORT)) is not None:
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
    from verify.reporting import ForeignFile, paths, refuse_foreign

    try:
        refuse_foreign(paths(reports, FORMATS), "--symtape-report")
    except ForeignFile as error:
        raise pytest.UsageError(str(error)) from None


def _value(config: pytest.Config, keyword: Keyword) -> Any:
    """What is given: on the command line, or else in the configuration file."""
    key = _key(keyword)
    spoken = config.getoption(key)
    if spoken is not None:
        return spoken
    written = config.getini(key)
    if written is None or written == "":
        return None
    try:
        return _argument(keyword, str(written))
    except argparse.ArgumentTypeError as error:
        place = f"{config.inipath}: " if config.inipath else ""
        raise pytest.UsageError(f"{place}{key} = {error}") from None
