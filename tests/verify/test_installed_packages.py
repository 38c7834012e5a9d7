"""The sdist and a wheel of it hold all of the package, and report what the checkout reports."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from verify.reporting import load, paths, render
from verify.reporting.proofs import rungs
from verify.suites import SUITES

ROOT = Path(__file__).parents[2]
REPORT = ROOT / "reports" / "report.json"
PACKAGES = ("symtape", "verify")
BUILT = ("pyproject.toml", "README.md", "LICENSE", *PACKAGES)
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")
OFFLINE = ("--no-deps", "--no-index", "--no-build-isolation")
SDIST = "from setuptools.build_meta import build_sdist; build_sdist('dist')"
RUNGS = """
from pathlib import Path
from verify.reporting import load
from verify.reporting.proofs import rungs
print(rungs(load(Path("report.json")).cases))
"""
FORMATS = ("json", "junit", "markdown", "html")


def run(*command, cwd):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The folder into which a wheel was installed that was made of an sdist, as for a release."""
    sources = tmp_path_factory.mktemp("sources")
    left_out = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for name in BUILT:
        copied = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        options = {"ignore": left_out} if (ROOT / name).is_dir() else {}
        copied(ROOT / name, sources / name, **options)
    run(sys.executable, "-c", SDIST, cwd=sources)
    [built] = (sources / "dist").glob("*.tar.gz")
    folder = tmp_path_factory.mktemp("installed")
    run(*PIP, "install", *OFFLINE, "--no-compile", "--target", folder, built, cwd=sources)
    return folder


def files(folder):
    found = [path for name in PACKAGES for path in (folder / name).rglob("*") if path.is_file()]
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in found
        if path.suffix not in (".pyc", ".so", ".pyd")  # which are made on each machine
    }


@pytest.mark.long
def test_every_file_of_the_packages_is_installed(installed):
    sources, found = files(ROOT), files(installed)
    assert sources.keys() - found.keys() == set()
    assert [name for name in found if found[name] != sources[name]] == []


def said(packages, code, folder):
    """What a program prints that finds the packages there."""
    env = {**os.environ, "PYTHONPATH": str(packages)}
    program = [sys.executable, "-c", code]
    return subprocess.run(
        program, cwd=folder, env=env, capture_output=True, text=True, check=True
    ).stdout.strip()


@pytest.mark.long
def test_an_installed_package_reports_what_the_checkout_reports(installed, command, tmp_path):
    """Of a few cases: the files are the same, as was seen above."""
    where = said(installed, "import verify; print(verify.__file__)", tmp_path)
    assert where == str(installed / "verify" / "__init__.py")

    names = [case.id for case in SUITES["primitives"]()][::80]
    some = [word for name in names for word in ("--case", name)]
    theirs, ours = (
        reported(command, tmp_path / name, "primitives", *some, packages=place)
        for name, place in (("theirs", installed), ("ours", ROOT))
    )
    assert [case.id for case in theirs.cases] == names
    assert without_times(theirs) == without_times(ours)


def reported(command, folder, *words, packages):
    command(folder, "verify", *words, "--out", "reports", packages=packages)
    [file] = (folder / "reports").glob("*.json")
    return load(file)


def without_times(report):
    cases = tuple(replace(case, seconds=0.0) for case in report.cases)
    return replace(report, cases=cases, created="", elapsed=0.0)


@pytest.mark.long
def test_an_installed_package_has_the_proofs_that_the_checkout_has(installed, tmp_path):
    shutil.copy(REPORT, tmp_path)
    known = rungs(load(REPORT).cases)
    assert len(known) > 100
    assert said(installed, RUNGS, tmp_path) == repr(known)


@pytest.mark.long
def test_an_installed_package_renders_as_the_checkout_does(installed, command, tmp_path):
    whole = load(REPORT)
    some = replace(whole, cases=whole.cases[::25])
    (tmp_path / "report.json").write_text(render(some, "json"), encoding="utf-8")
    words = ["report", "report.json", "--out", "again"]
    words += [word for form in FORMATS for word in ("--format", form)]
    command(tmp_path, *words, packages=installed)
    for form, file in zip(FORMATS, paths(tmp_path / "again", FORMATS), strict=True):
        assert file.read_text(encoding="utf-8") == render(load(tmp_path / "report.json"), form)
