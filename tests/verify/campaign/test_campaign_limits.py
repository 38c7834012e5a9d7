"""Hanging steps and unfit functions in a campaign: no case keeps another from a verdict."""

from __future__ import annotations

import sys
import textwrap

import pytest

from symtape.primitives.primitive import PRIMITIVES
from tests.verify.campaign.of_cases import run
from verify.campaign.load import Target
from verify.campaign.tasks import plan

FILE = """
    import time

    import numpy as np

    import verify
    from symtape.primitives.primitive import declare
    from symtape.recording.tensor import apply


    def hang(sp, x):
        time.sleep(600)


    ROW = declare(name="hanging", inputs="x", evaluate=np.sin, elementwise=True,
                  vjp=[lambda g, x: g * np.cos(x)], symbolic=hang)


    @verify.case(at=[1.0])
    def sympy_hangs(x):
        return apply(ROW, (x,), {})


    @verify.case(at=[1.0])
    def never_ends(x):
        while True:
            pass


    @verify.case(at=[1.0])
    def returns_nothing(x):
        x**2


    @verify.case(at=[1.0], quantity="gradient")
    def returns_two(x):
        return x, x


    @verify.case(at=[1.0])
    def fine(x):
        return x**2
"""

JUDGE = """
    from verify.campaign.deciding import judge_case
    from verify.model.case import Case

    WARM = Case("warm", "warm", lambda x: x * x, ((1.0,),))

    def judge(case, budget, seed):
        judge_case(WARM, budget, seed)  # what is imported now is not charged to a short budget
        hangs = case.title in ("sympy_hangs", "never_ends")
        return judge_case(case, 2.0 if hangs else budget, seed)
"""


@pytest.fixture
def vocabulary():
    """The row of the file is for this test alone: the suites go over all that there are."""
    yield
    PRIMITIVES.pop("hanging", None)


@pytest.mark.campaign
@pytest.mark.usefixtures("vocabulary")
def test_each_case_has_a_verdict_whatever_the_others_do(tmp_path, monkeypatch):
    (tmp_path / "hanging.py").write_text(textwrap.dedent(FILE))
    (tmp_path / "judging_the_hanging.py").write_text(textwrap.dedent(JUDGE))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    import judging_the_hanging

    report = run(plan([Target("hanging.py")]), jobs=2, budget=600, judge=judging_the_hanging.judge)
    del sys.modules["judging_the_hanging"]
    said = {case.title: (case.verdict.value, case.message) for case in report.cases}
    assert said["fine"] == ("CORRECT", "")
    assert {verdict for name, (verdict, _) in said.items() if name != "fine"} == {"UNDECIDED"}
    assert "the time budget of 2 s ran out, at hanging.py:12" in said["sympy_hangs"][1]
    assert "the function did not return within 1 s at x = " in said["never_ends"][1]
    assert "returned None; expected a number or an array" in said["returns_nothing"][1]
    assert "returned 2 outputs; verify one at a time" in said["returns_two"][1]
