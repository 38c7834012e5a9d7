"""A run of pytest within the tests, with the plugin as it is loaded for a user."""

from __future__ import annotations

import gc
import importlib.metadata
import sys

import hypothesis  # noqa: F401  # here, where its warnings are no errors yet
import pytest

import verify.assertions
import verify.campaign.verification
import verify.reporting.codec  # noqa: F401

FARES = """
import struct

import numpy as np
import pytest
import verify


def by_hand(x):
    return 1 - np.tanh(x) ** 2


def wrong(x):
    return -np.cos(x)


@verify.case(at=[0.5])
@verify.case(over=[-60, 60], claimed=by_hand)
def fare(x):
    return np.tanh(x)


@verify.case(at=[0.5, 2.0], claimed=np.cos)
def test_wave(x):
    return np.sin(x)


@verify.case(at=[0.5])
def lost(x):
    return x * struct.unpack("d", struct.pack("d", np.sin(x)))[0]


@verify.case(at=[0.5], allow_undecided=True)
def allowed(x):
    return x * struct.unpack("d", struct.pack("d", np.sin(x)))[0]


@pytest.mark.xfail(strict=True)
@verify.case(at=[0.5], claimed=wrong)
def known(x):
    return np.sin(x)


@pytest.mark.skip(reason="later")
@verify.case(at=[0.5])
def skipped(x):
    return x


def test_two():
    verify.assert_gradient(np.sin, np.cos, at=[0.5])
    verify.assert_gradient(np.sin, wrong, over=[0, 1])


def test_plain():
    assert True
"""


@pytest.fixture(scope="session")
def plugin():
    """How the plugin is named: by its entry point where that is installed."""
    installed = importlib.metadata.entry_points(group="pytest11").names
    return "symtape" if "symtape" in installed else "verify.pytest_plugin"


@pytest.fixture
def run(pytester, plugin, monkeypatch):
    """``run("-v", ...)``: pytest on the files of a fresh folder."""
    monkeypatch.delenv("SYMTAPE_HOME", raising=False)

    def call(*words):
        fixed = ("-p", plugin, "-p", "no:cacheprovider", "--strict-markers", "-W", "error")
        # The modules are imported already, by the run that this one is in.
        fixed += ("-W", "ignore::pytest.PytestAssertRewriteWarning", "--symtape-effort=0.05")
        memory = Memory()
        gc.freeze()  # pytest 8 ends with five full collections, of all that this process has
        result = pytester.runpytest_inprocess(*fixed, *words, plugins=[memory])
        memory.restore(pytester.path)
        return result

    return call


class Memory:
    """Keeps what a run within this process imports, which pytester forgets.

    A library imported twice has two of each class, and tests that come later would meet both.
    """

    def __init__(self):
        self.modules = {}

    def pytest_unconfigure(self):
        self.modules = dict(sys.modules)

    def restore(self, folder):
        for name, module in self.modules.items():
            if not str(getattr(module, "__file__", None)).startswith(str(folder)):
                sys.modules.setdefault(name, module)


@pytest.fixture
def fares(pytester):
    """A test file with cases and assertions of every kind."""
    return pytester.makepyfile(test_fares=FARES)
