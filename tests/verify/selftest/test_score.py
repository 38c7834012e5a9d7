"""The score: its arithmetic, its JSON, and which of two is the last."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys

import pytest

from symtape.version import __version__
from verify.errors import IncompleteInstallation
from verify.files import cache
from verify.files.digest import digest
from verify.selftest import score as module
from verify.selftest.outcome import Outcome, Pair
from verify.selftest.run import Done, add_up_score
from verify.selftest.score import (
    Finding,
    Score,
    Tally,
    describe_last_score,
    keep_score,
    last_score,
)
from verify.selftest.table import table

DONE = [
    Done(
        [
            Outcome("a", "sign", "refuted"),
            Outcome("b", "sign", "equivalent", "the derivative is 0 everywhere"),
            Outcome("c", "sign", "void", "unreached"),
            Outcome("d", "factor 2", "survived", "it differs"),
        ],
        [
            Pair("p", "tape", "CORRECT"),
            Pair("q", "tape", "UNDECIDED"),
            Pair("r", "tape", "WRONG", "the sign is wrong"),
            Pair("s", "tape", ""),
            Pair("t", "jax", "KINK"),
        ],
    ),
    Done(skipped="torch is not installed"),
]

STOPPED = [
    Done([Outcome("a", "sign", "refuted", errors=("TypeError: no", "TypeError: no"))]),
    Done(pairs=[Pair("p", "tape", "UNDECIDED", error="ValueError: not so")]),
    Done(stopped=Finding("tanh", "all of this row was given up: TimeoutError")),
]


def full(**changes):
    given = {
        "version": __version__,
        "created": "2030-01-01T00:00:00+00:00",
        "sources": digest(),
    }
    return Score(**{**given, **changes})


def test_what_tasks_found_is_added_up():
    score = add_up_score(DONE, seed=3)
    assert score.faults == {"factor 2": Tally(1), "sign": Tally(2, 1, equivalent=1, left_out=1)}
    assert (score.planted_count, score.refuted_count, score.equivalent, score.survivor_count) == (
        3,
        1,
        1,
        1,
    )
    assert (score.pairs, score.false_alarms, score.undecided) == (4, 1, 1)
    assert score.survivors == (Finding("d", "it differs"),)
    assert score.alarms == (Finding("r", "WRONG: the sign is wrong"),)
    assert score.skipped == ("torch is not installed",)
    assert not score.clean
    assert score.complete


def test_the_table_shows_every_number_and_how_to_replay():
    text = table(add_up_score(DONE, seed=3))
    for words in (
        "3 planted faults: 1 refuted, 1 equivalent, 1 survived",
        "replay  symtape selftest --only d --seed 3",
        "replay  symtape selftest --only r --seed 3",
        "Skipped: torch is not installed.",
    ):
        assert words in text
    assert "the derivative is 0 everywhere" in table(add_up_score(DONE), equivalents=True)


def test_the_table_reads_well(snapshot):
    score = add_up_score([*DONE, *STOPPED], seed=3, seconds=12.34)
    score = dataclasses.replace(score, created="2030-01-01", versions={"numpy": "2.4"}, version="1")
    snapshot("selftest", table(score, width=80))


def test_a_terminal_of_80_columns_shows_every_column():
    score = full(
        faults={"sum for the elementwise": Tally(12_345, 12_000, equivalent=345)},
        claims={"tape on rows, float64": Tally(12_345)},
    )
    text = table(score, width=80)
    for words in ("planted", "refuted", "equivalent", "survived", "score", "100.0 %", "12,345"):
        assert words in text
    for words in ("at points", "false alarms", "undecided", "not taken"):
        assert words in text


def test_what_was_not_judged_is_counted_with_its_words():
    score = add_up_score(STOPPED)
    assert {each.id: each.words for each in score.not_judged} == {
        "a": "TypeError: no",
        "p": "ValueError: not so",
        "tanh": "all of this row was given up: TimeoutError",
    }
    assert score.clean
    assert score.doubtful
    assert not score.complete
    assert "3 not judged" in str(score)
    assert "Not judged:" in table(score)
    assert Score.from_data(json.loads(score.to_json())) == score


def test_a_score_without_what_was_not_judged_can_be_read():
    data = json.loads(full().to_json())
    del data["not_judged"]
    assert Score.from_data(data) == full()


def test_json_and_back():
    score = add_up_score(DONE, seed=3)
    assert Score.from_data(json.loads(score.to_json())) == score


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        {},
        {"schema": "else"},
        {"schema": module.SCHEMA},
        {"schema": module.SCHEMA, "a": 1},
    ],
)
def test_what_is_no_score_is_refused(data):
    with pytest.raises(ValueError, match="score"):
        Score.from_data(data)


@pytest.fixture
def places(tmp_path, monkeypatch):
    """A committed score of other sources, none kept; returns the place of what is committed."""
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(module, "COMMITTED", tmp_path / "score.json")
    (tmp_path / "score.json").write_text(full(sources="others").to_json())
    return tmp_path / "score.json"


def test_the_last_score_is_the_latest(places):
    assert last_score() == full(sources="others")
    assert keep_score(full(seed=2, created="2030-02-01"))
    assert last_score().seed == 2
    assert keep_score(full(seed=4, created="2029-02-01"))
    assert last_score() == full(sources="others")


def test_it_is_said_where_the_sources_have_changed_since(places):
    words = f"of {__version__}: {last_score()}"
    assert describe_last_score() == f"{words}; the sources have changed since"
    places.write_text(full().to_json())
    assert describe_last_score() == words


@pytest.mark.parametrize("changes", [{"part": 0.1}, {"interrupted": True}])
def test_a_part_of_a_run_is_not_kept(places, changes):
    assert not keep_score(full(**changes, created="2031-01-01"))
    assert last_score() == full(sources="others")


def test_a_kept_score_that_cannot_be_read_counts_as_absent(places):
    assert cache.store("selftest", "score", {"schema": "else"})
    assert last_score() == full(sources="others")


@pytest.mark.parametrize("text", [None, "{", "[]", '{"schema": "else"}'])
def test_without_the_committed_score_the_installation_is_incomplete(places, text):
    places.unlink()
    if text is not None:
        places.write_text(text)
    with pytest.raises(IncompleteInstallation, match=r"score\.json.*Reinstall"):
        last_score()


def test_reading_the_score_is_light():
    heavy = {"flint", "pebble", "scipy", "sympy"}
    code = (
        "import verify.selftest as s; s.last_score(); import sys; "
        f"print(*sorted(set(sys.modules) & {heavy!r}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_tallies_add_up():
    assert Tally(1, 2, 3, 4, 5) + Tally(1) == Tally(2, 2, 3, 4, 5)
    assert dataclasses.astuple(Tally()) == (0, 0, 0, 0, 0)
