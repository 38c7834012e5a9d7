"""The conventions of single packages are a plugin as anybody's: found once it is installed."""

import ast
import os
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import EntryPoint

import pytest

import verify
from tests.documents import ROOT
from verify import auditing
from verify.auditing.packages.registry import GROUP, find_conventions, own

FOLDER = ROOT / "examples" / "conventions"
FILES = sorted((FOLDER / "symtape_conventions").glob("*.py"))
POINTS = tomllib.loads((FOLDER / "pyproject.toml").read_text())["project"]["entry-points"][GROUP]
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "install")
OFFLINE = ("--no-deps", "--no-index", "--no-build-isolation", "--no-compile")
ASKED = ("--convention", "special-functions", "--only", "jvp(0, x)", "--list", "--jobs", "1")


def found():
    conventions = find_conventions([EntryPoint(*each, GROUP) for each in POINTS.items()])
    assert not conventions.broken
    return [it for it in conventions.conventions.values() if it.name in POINTS]


def test_every_convention_of_the_plugin_is_registered():
    homes = {type(each).__module__.rpartition(".")[2] for each in found()}
    assert homes == {file.stem for file in FILES if "\nCONVENTION: " in file.read_text()}
    assert {each.name for each in found()} == {*POINTS}
    assert not {each.name for each in own()} & {*POINTS}


def test_the_page_has_a_row_for_every_convention_of_the_plugin():
    rows = (ROOT / "docs" / "auditing-a-library.md").read_text().splitlines()
    for each in found():
        assert any(
            row.startswith(f"| `{each.name}` | ") and row.endswith(f" | {each.summary} |")
            for row in rows
        ), each.name


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_plugin_is_written_with_public_names(file):
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module.partition(".")[0] == "verify":
            public = {"verify": verify, "verify.auditing": auditing}[node.module].__all__
            assert {alias.name for alias in node.names} <= {*public}


@pytest.mark.campaign
def test_an_audit_asks_a_plugin_once_it_is_installed(tmp_path):
    left_out = shutil.ignore_patterns("__pycache__", "*.egg-info", "build")
    source, site = tmp_path / "source", tmp_path / "site"
    shutil.copytree(FOLDER, source, ignore=left_out)
    done = subprocess.run(
        [*PIP, *OFFLINE, "--target", site, source], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    done = subprocess.run(
        [sys.executable, "-m", "verify", "audit", "scipy.special", *ASKED],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(site)])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "jvp(0, x), as the gradient of jv by x" in done.stdout
    assert "1 to be judged" in done.stdout
