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

def length(x):
    return np.hypot(x[0], x[1])

def direction(x):
    return x / np.sqrt(x[0] ** 2 + x[1] ** 2)
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    (tmp_path / "waves.py").write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("verify.campaign.deciding._EFFORT", 0.1)

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


OFF_THE_ORIGIN = "box(-1, 1, shape=(2,)).away_from(0.0)"


@pytest.mark.long
def test_conditions_on_the_command_line_are_told_and_replayed(run):
    done, (case,) = run("waves.py:length", "--over", OFF_THE_ORIGIN, "--claimed", "direction")
    assert done.exit_code == 0, done.output
    assert case["coverage"]["region"] == "x in [-1, 1]^2 (away from 0.0)"
    assert shlex.split(case["replay"])[4] == OFF_THE_ORIGIN


@pytest.mark.long
def test_what_is_noted_exits_with_0_and_fails_where_strict(run):
    """The line of a note says where and why; the strict run's replay is strict as well."""
    words = ["waves.py:length", "--over", OFF_THE_ORIGIN, "--claimed", "direction"]
    done, (case,) = run(*words)
    assert (done.exit_code, case["strict"]) == (0, False)
    assert "noted      " in done.output
    assert "1 with notes" in done.output
    done, (case,) = run(*words, "--strict")
    assert (done.exit_code, case["strict"]) == (1, True)
    assert shlex.split(case["replay"])[-1] == "--strict"


@pytest.mark.long
def test_a_finding_at_a_degenerate_point_says_what_to_do(run):
    done, (case,) = run(
        "waves.py:length", "--over", "box(-1, 1, shape=(2,))", "--claimed", "direction"
    )
    assert done.exit_code == 1
    assert [remedy["kind"] for remedy in case["remedies"]] == ["rule out", "fix"]
    assert "over=verify.box(-1.0, 1.0, shape=(2,)).away_from(0.0)" in done.output
