"""Wheel and sdist hold all of the package, and report what the checkout reports."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from verify.report import load, paths

ROOT = Path(__file__).parents[2]
PACKAGES = ("symtape", "verify")
BUILT = ("pyproject.toml", "README.md", "LICENSE", *PACKAGES)
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")
OFFLINE = ("--no-deps", "--no-index", "--no-build-isolation")
SDIST = "from setuptools.build_meta import build_sdist; build_sdist('dist')"
RUNGS = """
from pathlib import Path
from verify.report import load
from verify.report.proofs import rungs
print(rungs(load(Path("report.json")).cases))
"""
FORMATS = ("json", "junit", "markdown", "html")


def run(*command, cwd):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The folders into which a wheel and an sdist were installed."""
    sources = tmp_path_factory.mktemp("sources")
    left_out = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for name in BUILT:
        copied = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        options = {"ignore": left_out} if (ROOT / name).is_dir() else {}
        copied(ROOT / name, sources / name, **options)
    run(sys.executable, "-c", SDIST, cwd=sources)
    run(*PIP, "wheel", *OFFLINE, "--wheel-dir", "dist", ".", cwd=sources)
    folders = {}
    for kind, ending in (("wheel", "whl"), ("sdist", "tar.gz")):
        [built] = (sources / "dist").glob(f"*.{ending}")
        folders[kind] = tmp_path_factory.mktemp(kind)
        target = ("--no-compile", "--target", folders[kind])
        run(*PIP, "install", *OFFLINE, *target, built, cwd=sources)
    return folders


def files(folder):
    found = [path for name in PACKAGES for path in (folder / name).rglob("*") if path.is_file()]
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in found
        if path.suffix != ".pyc"
    }


@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_every_file_of_the_packages_is_installed(kind, installed):
    sources, found = files(ROOT), files(installed[kind])
    assert sources.keys() - found.keys() == set()
    assert [name for name in found if found[name] != sources[name]] == []


def said(packages, code, folder):
    """What a program prints that finds the packages there."""
    env = {**os.environ, "PYTHONPATH": str(packages)}
    program = [sys.executable, "-c", code]
    return subprocess.run(
        program, cwd=folder, env=env, capture_output=True, text=True, check=True
    ).stdout.strip()


@pytest.mark.parametrize(("kind", "suite"), [("wheel", "primitives"), ("sdist", "seeds")])
def test_an_installed_package_reports_what_the_checkout_reports(
    kind, suite, installed, todays_reports, command, tmp_path
):
    """Of every eighth case: the files are the same, as was seen above."""
    packages = installed[kind]
    where = said(packages, "import verify; print(verify.__file__)", tmp_path)
    assert where == str(packages / "verify" / "__init__.py")

    today = load(todays_reports / "report.json")
    ours = {case.id: replace(case, seconds=0.0) for case in today.cases if case.suite == suite}
    some = [word for name in list(ours)[::8] for word in ("--case", name)]
    command(tmp_path, "verify", suite, *some, "--out", "reports", packages=packages)
    [file] = (tmp_path / "reports").glob("*.json")
    found = load(file)
    assert found.versions == today.versions
    assert found.selftest == today.selftest
    for case in found.cases:
        assert replace(case, seconds=0.0) == ours[case.id], case.id
    assert len(found.cases) == len(some) // 2


@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_an_installed_package_has_the_proofs_that_the_checkout_has(
    kind, installed, todays_reports, tmp_path
):
    shutil.copy(todays_reports / "report.json", tmp_path)
    today = load(todays_reports / "report.json")
    assert len(today.rungs) > 100
    assert said(installed[kind], RUNGS, tmp_path) == repr(today.rungs)


def test_an_installed_package_renders_as_the_checkout_does(
    installed, todays_reports, command, tmp_path
):
    shutil.copy(todays_reports / "report.json", tmp_path)
    words = ["report", "report.json", "--out", "again"]
    words += [word for form in FORMATS for word in ("--format", form)]
    command(tmp_path, *words, packages=installed["wheel"])
    for theirs, ours in zip(
        paths(tmp_path / "again", FORMATS), paths(todays_reports, FORMATS), strict=True
    ):
        assert theirs.read_text(encoding="utf-8") == ours.read_text(encoding="utf-8")
