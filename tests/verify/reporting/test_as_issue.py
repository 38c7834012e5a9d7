"""The text to post: one for each cause, with a title and nothing of this machine."""

from __future__ import annotations

from dataclasses import replace

from verify.model.outcome import PointOutcome
from verify.model.result import Remedy, Result
from verify.model.source import Source
from verify.model.verdict import Verdict
from verify.reporting import Report, render
from verify.reporting.as_issue import group_by_cause

HERE = "/home/me/venv/lib/python3.11/site-packages/springs/base.py"


def finding(name: str, line: int, message: str = "it is off") -> Result:
    return Result(
        f"springs:{name}.slope",
        f"{name}.slope, as the gradient of {name}.height by x; agrees in 3 of 5 entries",
        "springs",
        "gradient",
        f"Base.slope ({HERE}:{line})",
        Verdict.WRONG,
        message=message,
        claim=Source(HERE, line, "def slope(self, x):\n    return x\n"),
        remedies=(Remedy("fix", "return 2 * x"), Remedy("reproduce", "print(slope(1.0))\n# 1.0")),
    )


def report(*cases: Result) -> Report:
    return Report("Audit of springs", ("springs",), "", {"springs": "1.2"}, 0, cases)


def test_what_has_one_cause_is_posted_once():
    text = render(report(finding("A", 4), finding("B", 4, "so is this"), finding("C", 70)), "issue")
    titles = [line for line in text.splitlines() if line.startswith("# ")]
    assert titles[0] == "# `A.slope, as the gradient of A.height by x` is wrong"
    assert len([it for it in titles if it.endswith("is wrong")]) == 2
    assert "- `springs:B.slope`: `so is this`" in text
    assert "/home/me" not in text
    assert "springs/base.py:4" in text
    assert text.index("print(slope(1.0))") < text.index("return 2 * x")
    assert "`springs 1.2`" in text


def test_the_line_at_fault_is_the_cause_of_what_different_claims_do():
    at_fault = PointOutcome(Verdict.WRONG, op="add", origin="springs/base.py:99")
    one, other = (
        replace(finding(name, line), points=(at_fault,)) for name, line in (("A", 4), ("B", 70))
    )
    assert [len(group) for group in group_by_cause([one, finding("C", 4), other])] == [2, 1]


def test_markdown_and_html_tell_it_once_and_refer_to_it():
    found = report(finding("A", 4), finding("B", 4, "so is this"))
    for form in ("markdown", "html"):
        text = render(found, form)
        assert "The same code is at fault as in" in text
    assert render(found, "markdown").count("def slope(self, x):") == 1


def test_a_case_is_told_from_another_of_its_name():
    first = finding("A", 4)
    again = replace(first, quantity="jacobian")
    assert render(report(first, again), "markdown").count("The same code is at fault as in") == 1


def test_nothing_to_report_is_said():
    right = replace(finding("A", 4), verdict=Verdict.CORRECT)
    assert render(report(right), "issue").startswith("There is nothing to report.")
