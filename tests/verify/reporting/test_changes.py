"""A run beside an earlier one: what changed, what is new, what is gone."""

from __future__ import annotations

import dataclasses

import pytest

from verify.model.change import Kind
from verify.model.result import Result
from verify.model.verdict import Verdict
from verify.reporting import Report, add_changes, render


def run(verdicts: dict[str, Verdict], created: str = "2030-01-01", suite: str = "s") -> Report:
    """A report with these cases."""
    cases = [Result(name, name, suite, "gradient", "mine", it) for name, it in verdicts.items()]
    return Report("r", (suite,), created, {}, 0, tuple(cases))


def verdicts(change):
    return [standing and standing.verdict for standing in (change.before, change.after)]


BEFORE = run({"a": Verdict.CORRECT, "b": Verdict.CORRECT, "c": Verdict.WRONG, "d": Verdict.KINK})
AFTER = run(
    {"a": Verdict.CORRECT, "b": Verdict.INACCURATE, "c": Verdict.CORRECT, "e": Verdict.WRONG},
    created="2030-01-02",
)


def test_what_changed_is_told_gravest_first() -> None:
    found = add_changes(AFTER, BEFORE)
    assert [(it.id, it.kind, *verdicts(it)) for it in found.changes] == [
        ("e", Kind.NEW, None, Verdict.WRONG),
        ("b", Kind.WORSE, Verdict.CORRECT, Verdict.INACCURATE),
        ("d", Kind.GONE, Verdict.KINK, None),
        ("c", Kind.FIXED, Verdict.WRONG, Verdict.CORRECT),
    ]
    assert found.baseline == "2030-01-01"
    assert found.cases == AFTER.cases


def test_what_was_not_run_is_not_gone() -> None:
    assert "d" not in {it.id for it in add_changes(AFTER, BEFORE, whole=False).changes}
    other = run({"x": Verdict.CORRECT}, suite="other")
    assert [it.id for it in add_changes(other, BEFORE).changes] == ["x"]


def test_the_same_run_has_no_changes() -> None:
    assert add_changes(AFTER, AFTER).changes == ()


@pytest.mark.parametrize("form", ["html", "markdown", "text"])
def test_renderings_say_what_changed(form: str) -> None:
    text = render(add_changes(AFTER, BEFORE), form)
    assert "the run of 2030-01-01: 1 worse, 1 new (1 failing), 1 gone, 1 fixed" in text
    for words in ("new → WRONG", "CORRECT → INACCURATE", "KINK → gone", "WRONG → CORRECT"):
        assert words in text
    assert "2030-01-01" not in render(AFTER, form)


def test_it_survives_json() -> None:
    found = add_changes(AFTER, BEFORE)
    assert Report.from_dict(found.to_dict()) == found


@pytest.mark.long
def test_hostile_names_are_only_text(hostile: Report) -> None:
    empty = dataclasses.replace(hostile, cases=())
    text = render(add_changes(hostile, empty), "html")
    assert "<script>alert" not in text
