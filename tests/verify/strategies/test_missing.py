"""Without Hypothesis the package says which extra brings it, and nothing else imports it."""

from __future__ import annotations

import subprocess
import sys

import pytest


def run(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    return done.stdout + done.stderr


def test_a_missing_extra_is_named_in_words():
    said = run("import sys; sys.modules['hypothesis'] = None\nimport verify\nverify.strategies")
    assert "MissingExtra: verify.strategies needs hypothesis, which is not installed" in said
    assert "pip install 'symtape[pytest]'" in said


def test_nothing_else_imports_hypothesis():
    assert run(
        "import sys, verify, verify.api, verify.judging.sampled\nprint('hypothesis' in sys.modules)"
    ).endswith("False\n")


@pytest.mark.long
def test_it_is_reached_without_an_import_of_its_own():
    assert run("import verify\nprint(callable(verify.strategies.points))").endswith("True\n")
