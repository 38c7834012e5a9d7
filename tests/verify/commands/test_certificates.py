"""``symtape verify --certificates`` and ``symtape check``."""

import json
import re

import pytest
from click.testing import CliRunner

from verify.cli import cli

FILE = """
import numpy as np
import verify

@verify.case(over=[-2, 2], claimed=lambda x: 2 * x)
def square(x):
    return x**2

@verify.case(over=[-2, 2], claimed=lambda x: np.floor(x) + 0 * x)
def steps(x):
    return x * np.floor(x)

@verify.case(at=[1.0], claimed=np.cos)
def wave(x):
    return np.sin(x)

@verify.case(over=[-2, 2], claimed=lambda x: 3 * x)
def wrong(x):
    return x**2
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path / "home"))
    (tmp_path / "shapes.py").write_text(FILE)

    def call(*words):
        result = CliRunner().invoke(cli, words)
        return result.exit_code, result.output

    return call


def test_what_is_proved_is_written_and_the_rest_counted_with_the_reason(run, tmp_path):
    folder = tmp_path / "proofs"
    folder.mkdir()
    (folder / "shapes.py-steps.json").write_text("of an earlier run")
    options = ["--certificates", "proofs", "--jobs", "0", "--effort", "quick"]
    status, output = run("verify", "shapes.py", *options)
    assert status == 1, output
    assert "wrote 1 certificate into proofs\n" in output
    assert "no certificate of 1: it chooses by floor\n" in output
    assert "no certificate of 1: it has no region\n" in output
    assert [path.name for path in folder.iterdir()] == ["shapes.py-square.json"]
    proved = "shapes.py-square.json: gradient of shapes.py:square proved on 100.00%\n"
    assert run("check", "proofs") == (0, proved)


@pytest.mark.long
def test_a_certificate_that_was_changed_is_rejected(run, tmp_path):
    run("verify", "shapes.py:square", "--certificates", "proofs", "--jobs", "0")
    [file] = (tmp_path / "proofs").iterdir()
    made = json.loads(file.read_text())
    made["claim"]["case"] = "shapes.py:other"
    file.write_text(json.dumps(made))
    status, output = run("check", "proofs")
    assert status == 1
    assert output == f"{file.name}: REJECTED: its digest is that of something else\n"


def test_a_folder_without_certificates_is_a_mistake(run, tmp_path):
    (tmp_path / "empty").mkdir()
    for folder in ("empty", "nowhere"):
        status, output = run("check", folder)
        assert status == 2
        assert f"there are no certificates in '{folder}'" in output


def test_what_is_nested_too_deeply_or_cannot_be_read_is_told(run, tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.json").write_text("[" * 200_000)
    assert run("check", "deep")[1].startswith("a.json: REJECTED: ")
    status, output = run("check", "a" * 5_000)
    assert status == 2
    # Since Python 3.13 a name that is too long names nothing, rather than what cannot be read.
    assert re.search("(cannot read|there are no certificates in) 'aaaa", output)
