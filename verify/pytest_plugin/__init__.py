"""The pytest plugin: cases of test files as tests of their own, and verdicts in pytest's reports.

It is loaded at the start of every run of pytest, so nothing of ours that takes time is imported
before a test asks for it.
"""

from __future__ import annotations

import importlib
from collections.abc import Generator
from typing import Any, Final

import pytest

# ruff: noqa: E402
from verify.pytest_plugin import rewriting  # isort: split

rewriting.leave_alone()  # before any other of our modules is loaded

import verify
from verify.model.marks import marks_of
from verify.options import defaults
from verify.pytest_plugin import options
from verify.pytest_plugin.claims import Claims
from verify.pytest_plugin.errors import is_ours, long_words, remove_our_frames
from verify.pytest_plugin.items import CaseItem as CaseItem
from verify.pytest_plugin.tally import Tally

_NAMES: Final = ("symtape", "verify.pytest_plugin")
"""What it may be registered as: by its entry point, and by ``-p``."""

_CLAIMS: Final = pytest.StashKey[Claims]()


def pytest_plugin_registered(plugin: Any, plugin_name: str, manager: Any) -> None:
    """Keep the plugin from being registered once more under its other name."""
    if getattr(plugin, "__name__", None) == __name__ and plugin_name in _NAMES:
        for other in set(_NAMES) - {plugin_name}:
            manager.set_blocked(other)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options of the command line and of the configuration."""
    options.add(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Take over the options; count verdicts where the run is reported."""
    config.addinivalue_line("markers", "symtape: a function marked with @verify.case")
    options.apply(config)
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Tally(config), "symtape-tally")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Put the defaults back, for a run within a run."""
    options.restore(config)


def pytest_report_header(config: pytest.Config) -> str | None:
    """The options, where they are not as usual."""
    return options.header(config)


def pytest_pycollect_makeitem(
    collector: pytest.Collector, name: str, obj: Any
) -> list[pytest.Item] | None:
    """A marked function of a test module, or class, is an item for each of its marks."""
    obj = obj.__func__ if type(obj) is staticmethod else obj
    marks = marks_of(obj)
    if not marks or not isinstance(collector, pytest.Module | pytest.Class):
        return None
    if getattr(obj, "__module__", None) != collector.module.__name__:
        return []
    return [CaseItem.from_mark(collector, name, obj, number) for number in range(len(marks))]


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """A mark that is refused ends the traceback at the mark."""
    report = yield
    excinfo = getattr(getattr(report, "call", None), "excinfo", None)
    if excinfo is not None and is_ours(excinfo.value):
        remove_our_frames(excinfo)
        report.longrepr = collector.repr_failure(excinfo)
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    """Observe what assertions find while a test runs."""
    item.stash[_CLAIMS] = Claims(item)
    before = defaults.change(observer=item.stash[_CLAIMS])
    try:
        return (yield)
    finally:
        defaults.restore(before)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Import the engines before Hypothesis looks at its clock, which allows 0.2 s an example."""
    if not getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
        return
    if any(value is verify for value in vars(item.module).values()):  # type: ignore[attr-defined]
        importlib.import_module("verify.assertions")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Send verdicts along with the report of each phase of a test."""
    if call.excinfo is not None and not item.config.getoption("fulltrace", False):
        remove_our_frames(call.excinfo)
    observed = item.stash.get(_CLAIMS, None)
    claims = observed.take() if observed is not None else []
    for claim in claims:
        item.user_properties.extend(claim.properties)
    report = yield
    if claims:
        report.symtape = [claim.sent for claim in claims]  # type: ignore[attr-defined]
    if call.excinfo is not None and item.config.get_verbosity() > 0:
        words = long_words(call.excinfo.value)
        report.sections += [("symtape", words)] if words else []
    return report
