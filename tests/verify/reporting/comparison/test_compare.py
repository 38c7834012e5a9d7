"""Reports beside each other: kinds, names, differences, renames and the exit status."""

from __future__ import annotations

import dataclasses

import pytest

from benchmarks.synthetic import later, report
from verify.errors import UsageError
from verify.model.change import Kind
from verify.model.result import Result
from verify.model.source import Source
from verify.model.verdict import ExitStatus, Verdict
from verify.reporting import Report
from verify.reporting.comparison import Comparison, compare
from verify.reporting.comparison.compare import names_of


def run(created="2030-01-01", suites=("p",), versions=None, **verdicts: str) -> Report:
    """A report of cases of a package ``p``, by their names."""
    cases = tuple(
        Result(f"p.m:{name}", name, "p", "gradient", "mine", Verdict[verdict])
        for name, verdict in verdicts.items()
    )
    return Report("p", suites, created, versions or {}, 0, cases)


def kinds(found: Comparison) -> dict[str, str]:
    return {row.name: row.change.kind.value for row in found.rows}


OLD = run(a="CORRECT", b="WRONG", c="CORRECT", d="KINK", e="UNDECIDED")


def test_every_case_of_both_has_a_row_of_its_kind() -> None:
    found = compare([OLD, run(a="CORRECT", b="CORRECT", c="INACCURATE", e="CORRECT", f="WRONG")])
    assert kinds(found) == {
        "a": "unchanged",
        "b": "fixed",
        "c": "worse",
        "d": "gone",
        "e": "changed",
        "f": "new",
    }
    assert sum(found.counts.values()) == len(found.rows)
    assert [row.name for row in found.changed[:2]] == ["f", "c"]


@pytest.mark.parametrize(
    ("new", "status"),
    [
        ({"a": "CORRECT", "b": "WRONG", "c": "CORRECT", "d": "KINK", "e": "UNDECIDED"}, "CORRECT"),
        ({"a": "CORRECT", "b": "INACCURATE", "c": "CORRECT"}, "CORRECT"),
        ({"a": "CORRECT", "b": "CORRECT", "g": "CORRECT"}, "CORRECT"),
        ({"a": "WRONG"}, "WRONG"),
        ({"a": "CORRECT", "g": "INACCURATE"}, "WRONG"),
        ({"a": "UNDECIDED"}, "UNDECIDED"),
        ({"a": "CORRECT", "g": "UNDECIDED"}, "UNDECIDED"),
        ({"x": "WRONG"}, "UNDECIDED"),
        ({}, "UNDECIDED"),
    ],
)
def test_the_exit_status_says_whether_anything_is_worse(new, status) -> None:
    assert compare([OLD, run(**new)]).exit_status is ExitStatus[status]


def test_an_interrupted_run_makes_nothing_gone_and_is_undecided() -> None:
    cut = dataclasses.replace(run(a="CORRECT"), interrupted=True)
    found = compare([OLD, cut])
    assert set(kinds(found).values()) == {"unchanged", "not run"}
    assert found.exit_status is ExitStatus.UNDECIDED


def test_cases_of_what_was_not_run_are_not_gone() -> None:
    other = run(suites=("q",))
    assert set(kinds(compare([OLD, other])).values()) == {"not run"}
    part = [dataclasses.replace(case, suite="p.m") for case in OLD.cases]
    whole = compare([dataclasses.replace(OLD, cases=tuple(part)), run()])
    assert set(kinds(whole).values()) == {"gone"}


def test_of_several_runs_changes_are_from_the_first_to_the_last() -> None:
    runs = [
        run(versions={"p": version}, **verdicts)
        for version, verdicts in (
            ("1", {"a": "CORRECT", "b": "WRONG"}),
            ("2", {"a": "WRONG", "b": "CORRECT", "between": "WRONG"}),
            ("3", {"a": "WRONG", "b": "WRONG"}),
        )
    ]
    found = compare(runs)
    rows = {row.name: row for row in found.rows}
    assert [it.name for it in found.runs] == ["p 1", "p 2", "p 3"]
    assert (rows["a"].change.kind, rows["a"].since) == (Kind.WORSE, "p 2")
    assert (rows["b"].change.kind, rows["b"].since) == (Kind.FAILING, "p 3")
    assert found.failing_still == [rows["b"]]
    assert rows["between"].change.kind is Kind.NOT_RUN
    cells = [it and it.verdict.value for it in rows["between"].summaries]
    assert cells == [None, "WRONG", None]


def test_rows_of_a_module_stand_together_and_the_gravest_module_first() -> None:
    before = report(240)
    found = compare([before, later(before)])
    modules = [row.module for row in found.rows]
    runs = [one for at, one in enumerate(modules) if at == 0 or modules[at - 1] != one]
    assert len(runs) == len(set(runs))
    assert found.rows[0].change.rank == min(row.change.rank for row in found.rows)


NAMES = [
    ([{"p": "1", "symtape": "0"}, {"p": "2", "symtape": "0"}], (), ["p 1", "p 2"]),
    ([{"p": "1", "symtape": "0"}, {"p": "1", "symtape": "1"}], (), ["symtape 0", "symtape 1"]),
    ([{"p": "1"}, {"p": "1"}], ("old", "new"), ["old", "new"]),
    ([{"p": "1"}, {"p": "1"}], ("report", "report"), ["2030", "2031"]),
    ([{"p": "1"}, {"p": "2"}, {"p": "2"}], ("a", "b", "c"), ["a", "b", "c"]),
    ([{"numpy": "1"}, {"numpy": "2"}], ("a", "b"), ["a", "b"]),
]


@pytest.mark.parametrize(("versions", "stems", "names"), NAMES)
def test_runs_are_called_by_what_tells_them_apart(versions, stems, names) -> None:
    runs = [run(f"203{at}", versions=it) for at, it in enumerate(versions)]
    assert [name.removesuffix(" ") for name in names_of(runs, stems)] == names


def test_runs_that_nothing_tells_apart_are_numbered() -> None:
    assert names_of([OLD, OLD], ["r", "r"]) == ["r (1)", "r (2)"]


def test_what_the_runs_differ_in_is_said_and_nothing_is_refused() -> None:
    first = run(versions={"symtape": "1", "numpy": "2"}, a="CORRECT")
    case = dataclasses.replace(first.cases[0], replay="symtape verify p --effort 0.5")
    other = dataclasses.replace(
        first, versions={"symtape": "2", "numpy": "2", "q": "1"}, seed=7, cases=(case,)
    )
    found = {it.name: it.values for it in compare([first, other]).differences}
    assert found == {
        "symtape": ("1", "2"),
        "q": ("–", "1"),
        "seed": ("0", "7"),
        "effort": ("as the cases say", "0.5"),
    }
    assert compare([first, first]).differences == ()


def coded(name: str, code: str, quantity: str = "gradient") -> Result:
    source = Source("p.py", 1, code) if code else None
    return Result(name, name, "p", quantity, "mine", Verdict.CORRECT, source=source)


RENAMED = [
    ("p.m:first", "p.n:second", "x * x", "x * x", "the same code"),
    ("p.m:Model.jac", "p.n:Model.jac", "", "", "the same name in another module"),
    ("p.m:gradient_of_wave", "p.m:gradient_of_waves", "", "", "similar names"),
]


@pytest.mark.parametrize(("old", "new", "code", "later_code", "reason"), RENAMED)
def test_what_may_be_renamed_is_suggested_and_counts_as_gone(
    old, new, code, later_code, reason
) -> None:
    before, after = (
        dataclasses.replace(OLD, cases=(coded(*it),)) for it in ((old, code), (new, later_code))
    )
    found = compare([before, after])
    assert [(it.before, it.after, it.reason) for it in found.renames] == [(old, new, reason)]
    assert {row.change.kind for row in found.rows} == {Kind.GONE, Kind.NEW}


def test_what_has_little_in_common_is_no_rename() -> None:
    before = dataclasses.replace(OLD, cases=(coded("p.m:wave", "x"), coded("p.m:two", "y")))
    after = dataclasses.replace(
        OLD, cases=(coded("p.n:other", "z"), coded("p.m:twos", "w", "hessian"))
    )
    assert compare([before, after]).renames == ()


def test_ids_that_repeat_are_matched_in_order() -> None:
    twice = dataclasses.replace(OLD, cases=(OLD.cases[0], OLD.cases[0]))
    wrong = dataclasses.replace(OLD.cases[0], verdict=Verdict.WRONG)
    found = compare([twice, dataclasses.replace(OLD, cases=(OLD.cases[0], wrong))])
    assert kinds(found) == {"a": "unchanged", "a (2)": "worse"}


def test_one_report_is_compared_with_nothing() -> None:
    with pytest.raises(UsageError, match="two reports or more; got 1"):
        compare([OLD])
