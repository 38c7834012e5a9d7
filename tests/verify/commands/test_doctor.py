"""``symtape doctor``, and what it finds out of order."""

import importlib.metadata

import pytest
from click.testing import CliRunner

import symtape
from symtape.recording.acceleration import IS_ACCELERATED
from verify.cli import cli


@pytest.fixture
def told():
    def tell():
        result = CliRunner().invoke(cli, ["doctor"])
        return result.exit_code, result.output

    return tell


def test_an_installation_in_order_has_no_problem(told):
    status, output = told()
    assert status == 0, output
    facts = dict(line.split(maxsplit=1) for line in output.splitlines() if "extra" not in line)
    assert facts["symtape"] == symtape.__version__
    assert "BLAS" in facts
    assert facts["tape"].startswith("in C" if IS_ACCELERATED else "in Python")
    assert output.endswith("No problem was found.\n")


def test_another_package_called_verify_is_named(told, monkeypatch):
    owners = {"verify": ["symtape", "verify-other"]}
    monkeypatch.setattr(importlib.metadata, "packages_distributions", lambda: owners)
    status, output = told()
    assert status == 1
    assert "the package 'verify-other' installs a module named verify too" in output


@pytest.mark.parametrize(("typed", "meant"), [("verfy", "verify"), ("doctr", "doctor")])
def test_a_mistyped_command_is_answered_with_the_closest(typed, meant):
    result = CliRunner().invoke(cli, [typed])
    assert result.exit_code == 2
    assert result.output.count(f"Did you mean '{meant}'?") == 1
