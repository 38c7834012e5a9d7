"""Compiled programs are claimants in the suites, and judged like any other."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from click.testing import CliRunner

import symtape
from symtape.errors import SymtapeError
from symtape.primitives.arithmetic import ADD
from symtape.process.extras import is_installed
from symtape.programs.compiled import passes
from symtape.programs.compiled.passes import optimise_graph
from symtape.programs.compiled.scalars import Scalars
from verify import Verdict
from verify.campaign.deciding import decide, judge_case
from verify.campaign.load import Target
from verify.campaign.tasks import Task, plan
from verify.claimants import tape
from verify.claimants.tape import CompiledDerivative, claimed_by_programs, tape_derivative
from verify.cli import cli
from verify.errors import UsageError
from verify.model.case import Case
from verify.suites import SUITES

BACKENDS = ("numpy", "llvm") if is_installed("llvmlite") else ("numpy",)
SAMPLE = {"seeds": 15, "classics": 7, "primitives": 60}
RIGHT = (Verdict.CORRECT, Verdict.KINK, Verdict.OUTSIDE)
"""Of what machine code has no program for, it says so."""


def judged(case):
    return decide(case, 30.0, 0, judge_case, False)


def told(result):
    return str(result.witness.message if result.witness else "")


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("suite", SUITES)
def test_programs_of_a_sample_are_correct(suite, backend):
    check(suite, backend, SAMPLE[suite])


@pytest.mark.parametrize("suite", SUITES)
def test_every_derivative_is_lowered_or_refused(suite):
    """Nothing else is raised: NumPy takes what machine numbers cannot."""
    pytest.importorskip("llvmlite")
    lowered = 0
    for case in Target(suite, compiled="numpy").cases():
        if not isinstance(case.claimed, CompiledDerivative) or not case.at:
            continue
        with contextlib.suppress(SymtapeError), np.errstate(all="ignore"):
            one = case.claimed
            derivative = tape_derivative(one.function, one.quantity, one.count)
            Scalars(optimise_graph(symtape.record(derivative, *case.at[0])))
            lowered += 1
    assert lowered


@pytest.mark.campaign
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("suite", SUITES)
def test_programs_of_every_case_are_correct(suite, backend):
    check(suite, backend, 1)


def check(suite, backend, step):
    correct = 0
    for case in Target(suite, compiled=backend).cases()[::step]:
        if _of_tape(suite, case.id).claimed is None:
            assert case.claimed.backend == backend
        result = judged(case)
        correct += result.verdict in RIGHT
        if result.verdict not in RIGHT:
            by_tape = judged(_of_tape(suite, case.id))
            refused = backend == "llvm" and "cannot compile this" in told(result)
            assert refused or by_tape.verdict is result.verdict, (case.id, str(result))
    assert correct


def _of_tape(suite, name):
    return next(case for case in Target(suite).cases() if case.id == name)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_program_that_drops_a_term_is_wrong(backend, monkeypatch):
    def drop(build, node):
        return node.inputs[0] if node.row is ADD else None

    monkeypatch.setattr(passes, "PASSES", (*passes.PASSES, passes.Pass("drop", drop)))
    case = Case("f", "f", lambda x: np.sum(np.sin(x) * x), ((np.array([0.5, 1.5]),),))
    assert judged(case).verdict is Verdict.CORRECT
    result = judged(claimed_by_programs(case, backend))
    assert result.verdict is Verdict.WRONG
    assert f"program of symtape ({backend})" in result.claimant


def test_its_operations_are_those_of_a_program():
    """Also where the program is asked for before any value."""
    claim = tape.CompiledDerivative(
        lambda x: np.sum(x * 1.0 * x), Case("", "", abs, ()).claimed_quantity, 1, "numpy"
    )
    graph = symtape.record(claim, np.ones(2))
    assert claim.program.programs == 1
    assert [node.name for node in graph.nodes] == ["input", "add"]


def test_what_is_refused_is_undecided_and_says_why():
    case = Case("f", "f", lambda x: np.sum(x) * np.random.rand(), ((np.ones(2),),))  # noqa: NPY002
    with pytest.raises(tape.Refused, match="draws random numbers"):
        claimed_by_programs(case, "numpy").claimed(np.ones(2))


def test_the_command_and_its_line_for_again(tmp_path):
    tasks = plan([Target("primitives", compiled="numpy")], ["primitives/sin"])
    assert tasks[0].replay == "symtape verify primitives --case primitives/sin --compiled numpy"
    assert (
        tasks[0].add_address().key != Task(Target("primitives"), "primitives/sin").add_address().key
    )
    words = tasks[0].replay.split()[1:]
    found = CliRunner().invoke(cli, [*words, "--jobs", "0", "--no-memory", "--out", str(tmp_path)])
    assert found.exit_code == 0, found.output
    assert "program of symtape (numpy)" in (tmp_path / "primitives.json").read_text()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Target("seeds", compiled="gcc").cases(), "--compiled 'gcc': expected one of auto"),
        (
            lambda: Target("math:sin", ("0.5",), claimed="math:cos", compiled="numpy").cases(),
            "--compiled is a claim as well as --claimed",
        ),
    ],
)
def test_bad_options_are_refused_in_words(make, words):
    with pytest.raises(UsageError, match=words):
        make()
