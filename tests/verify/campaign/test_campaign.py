"""A campaign survives what its cases do, and reports them in order."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

import pytest

import verify
from tests.verify.campaign.of_cases import run
from verify.campaign import deciding
from verify.campaign.load import Target
from verify.campaign.tasks import Task, plan
from verify.errors import UsageError
from verify.model.verdict import Verdict
from verify.reporting import Report

FILE = """
    import verify

    @verify.case(at=[1.0])
    def first(x):
        return x

    @verify.case(at=[2.0])
    def second(x):
        return x

    @verify.case(at=[3.0])
    def third(x):
        raise RuntimeError("the user's own")
"""

JUDGES = """
    import os, pathlib, signal, time
    from verify.model.result import Result
    from verify.model.verdict import Verdict

    def correct(case, budget, seed):
        return Result(case.id, case.title, case.suite, case.quantity, f"{budget:g} {seed}",
                          Verdict.CORRECT)

    def second_hangs(case, budget, seed):
        if case.title == "second":
            time.sleep(600)
        return correct(case, budget, seed)

    def second_dies(case, budget, seed):
        if case.title == "second":
            os.kill(os.getpid(), signal.SIGKILL)
        return correct(case, budget, seed)

    def first_waits_for_another(case, budget, seed):
        while case.title == "first" and not pathlib.Path("another-was-told").exists():
            time.sleep(0.01)
        return correct(case, budget, seed)

    def loud(case, budget, seed):
        print("printed by the case", flush=True)
        os.write(1, b"written by the case")
        return correct(case, budget, seed)

    def runs_the_function(case, budget, seed):
        case.function(*case.at[0])
        return correct(case, budget, seed)

    def is_broken(case, budget, seed):
        raise ArithmeticError("the verifier's own")
"""


@pytest.fixture
def judges(tmp_path, monkeypatch):
    (tmp_path / "campaign_file.py").write_text(textwrap.dedent(FILE))
    (tmp_path / "campaign_judges.py").write_text(textwrap.dedent(JUDGES))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    import campaign_judges

    yield campaign_judges
    del sys.modules["campaign_judges"]


def tasks():
    return plan([Target("campaign_file.py")])


def verdicts(report):
    return [case.verdict.value for case in report.cases]


@pytest.mark.long
@pytest.mark.parametrize("jobs", [0, 2])
def test_every_case_is_judged_once_with_the_budget_and_the_seed(judges, jobs):
    told = []
    report = run(
        tasks(),
        title="T",
        jobs=jobs,
        seed=7,
        budget=30,
        judge=judges.correct,
        on_result=told.append,
    )
    assert (report.title, report.seed, report.interrupted) == ("T", 7, False)
    assert [case.title for case in report.cases] == ["first", "second", "third"]
    assert {case.claimant for case in report.cases} == {"30 7"}
    assert sorted(case.id for case in told) == sorted(case.id for case in report.cases)
    assert report.suites == ("campaign_file.py",)
    assert {"symtape", "Python", "numpy", "sympy", "python-flint"} <= set(report.versions)
    assert Report.from_dict(report.to_dict()) == report


@pytest.mark.long
def test_the_order_is_that_of_the_cases_and_not_of_the_finish(judges):
    told = []

    def tell(case):
        told.append(case.title)
        Path("another-was-told").touch()

    report = run(tasks(), jobs=2, judge=judges.first_waits_for_another, on_result=tell)
    assert [case.title for case in report.cases] == ["first", "second", "third"]
    assert told[0] == "second"


@pytest.mark.long
def test_a_case_that_hangs_is_undecided_and_says_so(judges):
    # The others need milliseconds of it, and on a busy machine their process some seconds to start.
    report = run(tasks(), jobs=2, budget=8.0, judge=judges.second_hangs)
    assert verdicts(report) == ["CORRECT", "UNDECIDED", "CORRECT"]
    assert "still running after 10 s (its budget of 8 s" in report.cases[1].message


@pytest.mark.long
def test_a_case_that_kills_its_process_is_undecided_and_says_so(judges):
    report = run(tasks(), jobs=1, judge=judges.second_dies)
    assert verdicts(report) == ["CORRECT", "UNDECIDED", "CORRECT"]
    assert "SIGKILL" in report.cases[1].message
    assert report.cases[1].source.code.startswith("@verify.case")


@pytest.mark.long
@pytest.mark.parametrize("jobs", [0, 1])
def test_an_error_of_the_function_is_told_from_one_of_the_verifier(judges, jobs):
    theirs = run(tasks()[2:], jobs=jobs, judge=judges.runs_the_function).cases[0]
    assert theirs.verdict is Verdict.UNDECIDED
    assert "the function raised RuntimeError: the user's own at " in theirs.message
    assert theirs.message.endswith("campaign_file.py:14")
    ours = run(tasks()[:1], jobs=jobs, judge=judges.is_broken).cases[0]
    assert ours.verdict is Verdict.UNDECIDED
    assert "the verifier itself stopped with ArithmeticError" in ours.message


@pytest.mark.long
@pytest.mark.parametrize("jobs", [0, 1])
def test_an_interrupt_keeps_what_was_done(judges, jobs):
    def interrupt(case):
        raise KeyboardInterrupt

    report = run(tasks(), jobs=jobs, judge=judges.correct, on_result=interrupt)
    assert report.interrupted
    assert [case.title for case in report.cases] == ["first"]


@pytest.mark.long
def test_what_a_case_prints_stays_out_of_the_output(judges, capfd):
    assert verdicts(run(tasks(), jobs=1, judge=judges.loud)) == ["CORRECT"] * 3
    assert capfd.readouterr().out == ""


def test_a_print_in_this_process_goes_to_the_standard_error(judges, capsys):
    def chatty(case, budget, seed):
        print("said")
        return judges.correct(case, budget, seed)

    run(tasks()[:1], jobs=0, judge=chatty)
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "said\n")


@pytest.mark.parametrize("jobs", [0, 1])
def test_a_point_that_does_not_fit_is_a_mistake_of_usage(judges, jobs, tmp_path):
    (tmp_path / "shapes.py").write_text("def f(x, y):\n    return (x + y).sum()\n")
    unfit = plan([Target("shapes.py:f", ("[1, 2], [1, 2, 3]",))])
    with pytest.raises(UsageError, match=r"shapes\.py:f.*shape \(2,\), \(3,\).*broadcast"):
        run(unfit, jobs=jobs, judge=judges.correct)


def test_only_the_cases_asked_for(judges):
    (task,) = plan([Target("campaign_file.py")], only=["campaign_file.py:second"])
    assert task.find().title == "second"
    with pytest.raises(UsageError, match=r"no such case.*campaign_file\.py:second"):
        plan([Target("campaign_file.py")], only=["campaign_file.py:secnd"])


def test_a_case_named_twice_runs_once(judges):
    assert len(plan([Target("campaign_file.py"), Target("campaign_file.py:first")])) == 3


@pytest.mark.parametrize(
    ("task", "line"),
    [
        (Task(Target("seeds"), "seeds/square"), "symtape verify seeds --case seeds/square"),
        (Task(Target("a.py"), "a.py:f"), "symtape verify a.py:f"),
        (Task(Target("a.py"), "a.py:f#2"), "symtape verify a.py:f --case 'a.py:f#2'"),
        (
            Task(Target("a b.py:f", ("1, [2]",), "hessian", "g"), "a b.py:f"),
            "symtape verify 'a b.py:f' --at '1, [2]' --quantity hessian --claimed g",
        ),
        (Task(Target("a.py"), "a.py:f", 0.05), "symtape verify a.py:f --effort 0.05"),
    ],
)
def test_a_case_has_a_line_that_replays_it(task, line):
    assert task.replay == line


@pytest.mark.parametrize(
    ("marked", "asked", "searched"), [(None, None, 4.0), (0.5, None, 0.5), (0.5, 2.0, 2.0)]
)
def test_the_effort_is_that_of_the_command_or_else_of_the_mark(
    tmp_path, monkeypatch, marked, asked, searched
):
    file = tmp_path / "marked.py"
    file.write_text(
        "import verify\n"
        f"@verify.case(over=[0, 1], effort={marked})\n"
        "def square(x):\n    return x * x\n"
    )
    efforts = []
    result = verify.gradient(lambda x: x * x, at=[0.5])

    def noted(case, budget, effort):
        efforts.append(effort)
        return result

    monkeypatch.setattr("verify.judging.judge.verify_case", noted)
    [task] = plan([Target(str(file))], effort=asked)
    deciding.judge_case(task.find(), 60.0, 0)
    assert efforts == [searched]
