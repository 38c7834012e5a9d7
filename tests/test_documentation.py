"""Nothing in the documents is untested: examples run, commands work, names are documented."""

import doctest
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import symtape
import verify

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
README = (ROOT / "README.md").read_text()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_run(page):
    failed, tried = doctest.testfile(str(page), module_relative=False)
    assert failed == 0
    assert tried or ">>>" not in page.read_text()


def console_lines():
    """Every shell line of the README, in order."""
    blocks = re.findall(r"```console\n(.*?)```", README, flags=re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


def test_the_two_first_commands_set_up_what_they_need():
    first, second = console_lines()[:2]
    assert first.startswith("python3 -m venv .venv && .venv/bin/pip install")
    assert first.endswith(".venv/bin/symtape verify")
    assert second.endswith(".venv/bin/python -m pytest -n auto")
    assert "pytest -n auto" in (ROOT / ".ci/run").read_text()


@pytest.mark.parametrize(
    "line", [line for line in console_lines() if line.startswith("symtape")], ids=str
)
def test_commands_work(line, tmp_path):
    words = shlex.split(line)[1:]
    if "--out" in words:
        words[words.index("--out") + 1] = str(tmp_path / "out")
    command = [sys.executable, "-m", "verify", *words]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize(
    ("package", "name"),
    [(symtape, name) for name in symtape.__all__] + [(verify, name) for name in verify.__all__],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_public_names_are_documented(package, name):
    if name != "__version__":
        assert getattr(package, name).__doc__
