"""Regions on the command line and in marks."""

import json
import shlex

import pytest
from click.testing import CliRunner

from verify.cli import cli

SOURCE = """
import numpy as np
import verify

def slope(x):
    return np.cos(x) * (1 + (x > 41.7))

@verify.case(over=[-60, 60], claimed=slope, seed=5)
def wave(x):
    return np.sin(x)

def area(x, y, scale=2.0):
    return scale * np.sum(x * y)
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    (tmp_path / "waves.py").write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("verify.campaign._EFFORT", 0.1)

    def call(*words):
        done = CliRunner().invoke(cli, ["verify", *words, "--jobs", "0", "--out", "out"])
        reports = list((tmp_path / "out").glob("*.json")) if (tmp_path / "out").is_dir() else []
        cases = json.loads(reports[0].read_text())["cases"] if reports else []
        return done, cases

    return call


def test_a_marked_region_is_searched_with_its_seed(run):
    done, (case,) = run("waves.py")
    assert done.exit_code == 1
    assert case["verdict"] == "WRONG"
    assert shlex.split(case["replay"])[:3] == ["symtape", "verify", "waves.py:wave"]


def test_a_region_on_the_command_line_and_its_replay_line(run):
    words = ["waves.py:wave", "--over", "[-30, 30]", "--claimed", "slope", "--seed", "9"]
    done, (case,) = run(*words)
    assert done.exit_code == 0, done.output
    assert case["verdict"] == "CORRECT"
    replay = shlex.split(case["replay"])
    assert replay[replay.index("--over") + 1] == "[-30, 30]"
    assert replay[replay.index("--seed") + 1] == "9"


def test_a_region_for_several_arguments_leaves_defaults_alone(run):
    done, (case,) = run("waves.py:area", "--over", "box(-1, 1, shape=(2,)), box(-1, 1, shape=(2,))")
    assert done.exit_code == 0, done.output
    assert case["verdict"] == "CORRECT"


@pytest.mark.parametrize("over", ["[-60", "[60, -60]", "[0, 1], [0, 1]", "open('x')"])
def test_a_region_that_is_none_is_refused_in_words(run, over):
    done, _ = run("waves.py:wave", "--over", over)
    assert done.exit_code == 2
    assert "over" in done.output or "over" in str(done.exception)


def test_suites_bring_their_own_points(run):
    done, _ = run("classics", "--over", "[0, 1]")
    assert done.exit_code == 2
