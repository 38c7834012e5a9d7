"""``symtape audit LIBRARY --rules``: its report, what it refuses, and what confirms findings."""

from __future__ import annotations

import warnings

import pytest
from click.testing import CliRunner

from verify.auditing.answers import read_answer
from verify.auditing.packages.pair import Unpaired
from verify.auditing.rules.work import Proving, plan_rules
from verify.cli import cli
from verify.model.verdict import Verdict
from verify.reporting import load

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pytest.importorskip("autograd", reason="needs autograd: pip install 'symtape[autograd]'")


def run(*words):
    return CliRunner().invoke(cli, list(words))


def test_the_command_proves_and_refutes_and_the_recheck_confirms(tmp_path):
    words = ["--rules", "--only", "sinc", "--only", "det", "--jobs", "0", "--out", str(tmp_path)]
    done = run("audit", "autograd", *words)
    assert done.exit_code == 1, done.output
    report = load(tmp_path / "autograd-rules.json")
    assert report.replay == "symtape audit autograd --only sinc --only det --rules"
    found = {case.id: case for case in report.cases}
    assert found["autograd:det-2 rule"].verdict is Verdict.CORRECT
    assert found["autograd:det-3 rule"].message.startswith("proved where a[")
    sinc = found["autograd:sinc rule"]
    assert sinc.verdict is Verdict.WRONG
    assert sinc.points[0].inputs[0].values == (0.0,)
    assert sinc.replay == "symtape audit autograd --rules --only sinc"
    assert sinc.remedies[0].line.endswith("# prints nan")
    again = run("recheck", str(tmp_path / "autograd-rules.json"))
    assert "findings: 1 (1 confirmed, 0 contradicted" in again.output


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["symtape", "--rules"], "--rules is for jax, torch, autograd"),
        (["autograd", "--rules", "--dtype", "float32"], "--dtype has no meaning here"),
        (["autograd", "--rules", "--only", "nothing"], "no function of autograd has 'nothing'"),
        (["scipy.stats", "--rules"], "--rules has no meaning here"),
    ],
)
def test_what_the_command_refuses(words, told):
    done = run("audit", *words)
    assert done.exit_code == 2
    assert told in done.output


def test_what_a_library_cannot_differentiate_is_not_judged():
    answer = read_answer(Proving("autograd", "matrix_power", 2).run(60.0))
    assert isinstance(answer, Unpaired)
    assert answer.reason.startswith("not available: NotImplementedError")


def test_a_proof_that_comes_to_no_end_is_undecided():
    answer = read_answer(Proving("autograd", "sin").describe_end("it took too long"))
    assert answer.verdict is Verdict.UNDECIDED
    assert answer.message == "it took too long"


def test_a_plan_has_each_size_of_a_matrix_once():
    ids = [work.id for work in plan_rules("autograd").works]
    assert len(ids) == len(set(ids))
    assert {"autograd:inv-2 rule", "autograd:inv-3 rule", "autograd:sin rule"} <= {*ids}
    assert "autograd:qr-2 rule" not in ids
