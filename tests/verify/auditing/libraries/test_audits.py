"""Audits of libraries, from the plan to the report: what they say, and that it comes again."""

from __future__ import annotations

import contextlib
import io
import json
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

from verify.auditing.answers import read_answer
from verify.auditing.libraries import work
from verify.auditing.libraries.claimants import CLAIMANTS
from verify.auditing.libraries.work import Measuring, plan_measurements
from verify.auditing.packages.pair import Unpaired
from verify.auditing.run import judge
from verify.campaign.executors import executor_of
from verify.campaign.store import Store
from verify.cli import cli
from verify.errors import UsageError
from verify.model.verdict import Verdict
from verify.reporting import Report, load, render
from verify.reporting.as_text import show


def audited(plan, jobs=0, seconds=60.0):
    with Store() as store:
        running = {"executor": executor_of(jobs=jobs), "seconds": seconds}
        return judge(plan, store=store, seed=0, replay="", **running)


@pytest.fixture
def made(liar, monkeypatch):
    """A report on a library that loses a tail, and has another function right."""
    lost = liar(lambda slope, x: np.where(np.abs(x) > 30, 0 * slope, slope))
    monkeypatch.setattr(work, "claimant", lambda name: lost)
    works = [Measuring("symtape", name, (0,), "float64", 300) for name in ("arctan", "arcsin")]
    return audited(replace(plan_measurements("symtape"), works=tuple(works)))


def test_a_fault_is_told_with_its_numbers_and_its_program(made, snapshot):
    out = io.StringIO()
    fixed = {"created": "2026-01-01", "versions": {"symtape": "0"}, "elapsed": 0.0}
    cases = tuple(replace(it, seconds=0.0) for it in made.cases)
    show(replace(made, cases=cases, **fixed), out, verbose=True)
    snapshot("audit", "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n")
    arctan, arcsin = made.cases
    assert (arctan.verdict, arcsin.verdict) == (Verdict.WRONG, Verdict.CORRECT)
    assert arctan.remedies[0].line.startswith("print(0.0)\n# prints 0.0")


@pytest.mark.slow
@pytest.mark.parametrize("form", ["html", "markdown", "junit", "sarif", "json"])
def test_a_fault_is_in_every_rendering(made, form):
    text = render(made, form)
    assert "arctan d/dx float64" in text
    assert "print(0.0)" in text


def test_json_keeps_everything(made):
    assert render(Report.from_dict(json.loads(render(made, "json"))), "json") == render(
        made, "json"
    )


def test_the_gravest_of_a_function_alone_keeps_its_plot(liar, monkeypatch):
    lost = liar(lambda slope, x: np.where(np.abs(x) > 30, 0 * slope, slope))
    monkeypatch.setattr(work, "claimant", lambda name: lost)
    works = [Measuring("symtape", "arctan", (0,), form, 300) for form in lost.formats]
    found = audited(replace(plan_measurements("symtape"), works=tuple(works)))
    assert all(it.fails for it in found.cases)
    assert sum(it.accuracy is not None for it in found.cases) == 1


def test_what_a_library_lacks_is_not_judged(made, liar, monkeypatch):
    def lacking(slope, x):
        raise NotImplementedError("no rule")

    monkeypatch.setattr(work, "claimant", lambda name: liar(lacking))
    answer = read_answer(Measuring("symtape", "sin", (0,), "float64", 64).run(60.0))
    assert answer == Unpaired(
        "symtape:sin d/dx float64", "symtape", "not available: NotImplementedError: no rule"
    )


@pytest.mark.parametrize(
    ("name", "plain", "other", "line"),
    [
        ("torch", "torch.tanh(x)", "F.elu(x)", "import functional as F"),
        ("jax", "jnp.tanh(x)", "nn.elu(x)", "from jax import nn"),
        ("autograd", "anp.tanh(x)", "asp.erf(x)", "import autograd.scipy.special as asp"),
        ("symtape", "np.tanh(x)", "special.erf(x)", "from scipy import special"),
    ],
)
def test_a_reproducer_imports_what_it_uses(name, plain, other, line):
    library = CLAIMANTS[name]()
    assert line not in library.reproducer(plain, ["1.0"], (0,), "float64", 1)
    assert line in library.reproducer(other, ["1.0"], (0,), "float64", 1)


def test_a_reproducer_runs_and_shows_the_fault():
    program = CLAIMANTS["symtape"]().reproducer("np.tanh(x)", ["20.0"], (0, 0), "float64", 1)
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(program, {})
    assert float(output.getvalue()) == pytest.approx(-3.3986834e-17)
    assert program.count("\n") <= 5


def test_an_audit_is_the_same_each_time():
    plan = plan_measurements("symtape", ["float64"], [1], ["sin"], 64, 3)
    one, two = ([replace(case, seconds=0.0) for case in audited(plan).cases] for _ in range(2))
    assert one == two
    assert {it.id.split(":")[1].split(" ")[0] for it in one} >= {"sin", "sinh", "arcsin"}


@pytest.mark.long
def test_a_measurement_that_does_not_end_is_given_up():
    plan = replace(
        plan_measurements("symtape"),
        works=(Measuring("symtape", "sin", (0,), "float64", 10**6),),
    )
    [case] = audited(plan, jobs=1, seconds=0.1).cases
    assert case.verdict is Verdict.UNDECIDED
    assert "was still running after" in case.message


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"only": ["nothing"]}, "no function of symtape has 'nothing' in its name"),
        ({"formats": ["float16"]}, "symtape has no float16 to audit"),
    ],
)
def test_what_is_not_there_cannot_be_measured(asked, words):
    with pytest.raises(UsageError, match=words):
        plan_measurements("symtape", **asked)


def test_the_command_writes_reports_and_tells_by_its_status(tmp_path):
    common = ["--points", "64", "--jobs", "0", "--order", "1", "--dtype", "float64"]
    line = ["audit", "symtape", "--only", "tan", *common, "--out", str(tmp_path)]
    done = CliRunner().invoke(cli, line)
    assert done.exit_code == 0, done.output
    assert "cases are correct" in done.output
    report = load(tmp_path / "symtape.json")
    assert report.replay == (
        "symtape audit symtape --only tan --dtype float64 --order 1 --points 64"
    )
    assert report.cases[0].replay.endswith(
        "--only tan --dtype float64 --order 1 --points 64 --seed 0"
    )
    refused = CliRunner().invoke(cli, ["audit", "symtape", "--list"])
    assert refused.exit_code == 2
    assert "--list has no meaning here, since symtape differentiates by itself" in refused.output
