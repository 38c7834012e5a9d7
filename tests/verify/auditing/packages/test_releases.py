"""Released versions of a package: fetched into folders of their own, audited, compared."""

import importlib.metadata
import json
import sys

import pytest
from click.testing import CliRunner

from tests.documents import ROOT
from tests.releases import use_releases, write_release
from verify.auditing.packages.releases import install_release
from verify.cli import cli
from verify.errors import UsageError
from verify.reporting import load

MODULE = """
import numpy as np

def sag(x):
    return np.cosh(x) - 1

def sag_der(x):
    return {sag}

def twist(x):
    return x**3 + x

def twist_der(x):
    return {twist}

def sway(x):
    return np.sin(2 * x)

def sway_der(x):
    return {sway}
"""
RIGHT = {"sag": "np.sinh(x)", "twist": "3 * x**2 + 1", "sway": "2 * np.cos(2 * x)"}
WRONG = {"sag": "-np.sinh(x)", "twist": "3 * x**2", "sway": "np.cos(2 * x)"}
RELEASES = {
    "1.0": {"sag": WRONG, "twist": WRONG, "sway": RIGHT},
    "1.1": {"sag": WRONG, "twist": RIGHT, "sway": WRONG},
}
"""`sag` is wrong in both, `twist` is mended in the later one, and `sway` wrong from there on."""


@pytest.fixture
def index(tmp_path, monkeypatch):
    """A package index on the disk, which has two releases of a package."""
    folder = tmp_path / "index"
    folder.mkdir()
    for version, chosen in RELEASES.items():
        text = MODULE.format(**{name: table[name] for name, table in chosen.items()})
        write_release(folder, "ropeways", version, text)
    use_releases(monkeypatch, folder)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return folder


def audit(*words):
    done = CliRunner().invoke(cli, ["audit", *words])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


@pytest.mark.long
def test_releases_are_compared(index, tmp_path):
    (tmp_path / "ropeways.py").write_text("raise RuntimeError('this is not a release')")
    paths = list(sys.path)
    done = audit(
        *("ropeways", "--versions", "1.0, 1.1", "--effort", "quick", "--jobs", "0"),
        *("--out", "out", "--format", "json", "--format", "markdown"),
    )
    assert done.exit_code == 1, done.output
    assert "ropeways 1.1 beside ropeways 1.0" in done.stdout
    assert "Still failing:\n  ropeways:sag_der\n" in done.stdout
    assert "1 worse, 1 fixed, 1 still failing" in done.stdout
    for version in RELEASES:
        report = load(tmp_path / "out" / version / "ropeways.json")
        assert report.versions["ropeways"] == version
        assert (tmp_path / "out" / version / "ropeways.md").exists()
    rows = json.loads((tmp_path / "out" / "comparison.json").read_text())["rows"]
    kinds = {row["change"]["id"]: row["change"]["kind"] for row in rows}
    assert kinds == {
        "ropeways:sag_der": "still failing",
        "ropeways:twist_der": "fixed",
        "ropeways:sway_der": "worse",
    }
    told = (tmp_path / "out" / "comparison.md").read_text()
    assert "Still failing:\n\n- `ropeways:sag_der`" in told
    assert paths == sys.path
    with pytest.raises(importlib.metadata.PackageNotFoundError):
        importlib.metadata.version("ropeways")


REFUSED = [
    (("ropeways", "--versions", "1.0"), "a comparison needs two releases"),
    (("ropeways", "--versions", "1.0,"), "a comparison needs two releases"),
    (("--versions", "1.0,1.1"), "of which package?"),
    (("jax", "--versions", "1.0,1.1"), "jax differentiates by itself"),
    (("ropeways", "--versions", "1.0,1.1", "--list"), "--list has no meaning"),
]


@pytest.mark.parametrize(("words", "message"), REFUSED)
def test_a_wrong_use_is_refused(index, words, message):
    done = audit(*words)
    assert (done.exit_code, message in done.stderr) == (2, True), done.output


@pytest.mark.long
def test_what_pip_cannot_have_is_said_with_what_to_do(index, tmp_path):
    with pytest.raises(UsageError, match=r"ropeways==9\.9.*PIP_INDEX_URL.*PIP_FIND_LINKS"):
        install_release("ropeways", "9.9", tmp_path / "made")
    with pytest.raises(UsageError, match="has no package 'bridges'"):
        install_release("bridges", "ropeways==1.0", tmp_path / "made")
    install_release("ropeways.sub", "1.1", tmp_path / "other")
    assert "2 * np.cos" not in (tmp_path / "other" / "ropeways.py").read_text()
