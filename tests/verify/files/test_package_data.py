"""Without a file of the package nothing is verified; the error says which, and what to do."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import verify
from verify.errors import IncompleteInstallation
from verify.files import package_data
from verify.oracles.proofs import known

ROOT = Path(verify.__file__).parents[1]


@pytest.fixture
def proofs(tmp_path, monkeypatch):
    """The place of the proofs that come with the package; there is nothing yet."""
    monkeypatch.setattr(known, "FILE", tmp_path / "proved.json")
    monkeypatch.setattr(known, "_FOUND", {})
    known._entries.cache_clear()
    yield tmp_path / "proved.json"
    known._entries.cache_clear()


@pytest.mark.parametrize("text", [None, "", "{", "[]", "{}", '{"prover": 1}', "\x00"])
def test_no_verdict_without_the_proofs(proofs, text):
    if text is not None:
        proofs.write_text(text)
    with pytest.raises(IncompleteInstallation, match=r"proved\.json.*Reinstall"):
        verify.gradient(np.tanh, at=[0.5])
    with pytest.raises(IncompleteInstallation, match=r"proved\.json.*Reinstall"):
        verify.gradient(np.tanh, over=[-1, 1])


def test_proofs_of_another_prover_prove_nothing(proofs):
    proofs.write_text('{"prover": 0, "rows": {}}')
    assert not str(verify.gradient(np.tanh, at=[0.5]).evidence).startswith("proved")


def test_bytes_that_are_no_text_are_told(tmp_path):
    (tmp_path / "page.html.j2").write_bytes(b"\xff")
    with pytest.raises(IncompleteInstallation, match=r"page\.html\.j2.*Reinstall"):
        package_data.text(tmp_path / "page.html.j2")


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A folder with all of the packages; one, so that its modules are compiled once."""
    folder = tmp_path_factory.mktemp("copy")
    kept = shutil.ignore_patterns("__pycache__")
    for package in ("symtape", "verify"):
        shutil.copytree(ROOT / package, folder / package, ignore=kept)
    return folder


READ_LIKE_THESE = (
    "selftest/score.json",
    "reporting/templates/page.html.j2",
    "reporting/templates/style.css",
)


@pytest.mark.parametrize(
    "missing",
    [
        "oracles/proofs/proved.json",
        pytest.param("reporting/templates/case.html.j2", marks=pytest.mark.long),
        *(pytest.param(name, marks=pytest.mark.campaign) for name in READ_LIKE_THESE),
    ],
)
def test_the_command_says_which_file_is_missing(copy, tmp_path, missing):
    (copy / "verify" / missing).rename(tmp_path / "kept")
    (tmp_path / "own").mkdir()
    words = ["verify", "seeds", "--case", "seeds/square", "--out", "out", "--format", "html"]
    done = subprocess.run(
        [sys.executable, "-P", "-m", "verify", *words, "--jobs", "1"],
        cwd=tmp_path / "own",
        env={**os.environ, "PYTHONPATH": str(copy)},
        capture_output=True,
        text=True,
        check=False,
    )
    (tmp_path / "kept").rename(copy / "verify" / missing)
    assert done.returncode == 2, done.stdout + done.stderr
    assert str(copy / "verify" / missing) in done.stderr
    assert "Reinstall symtape" in done.stderr
    assert "Traceback" not in done.stderr
    assert not list((tmp_path / "own").rglob("*.html"))
