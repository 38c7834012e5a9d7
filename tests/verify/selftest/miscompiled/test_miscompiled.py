"""Planted miscompiles are refuted, right programs are not, and planting changes what it says."""

from __future__ import annotations

import numpy as np
import pytest

import symtape
from symtape.programs.compiled.passes import PASSES, optimise_graph, rewritten
from symtape.recording.structure import flatten
from verify.judging import judge
from verify.model.result import PointOutcome, Result
from verify.model.verdict import Verdict
from verify.selftest.miscompiled import planting, programs
from verify.selftest.miscompiled.computations import COMPUTATIONS
from verify.selftest.miscompiled.of_assembly import changes_of_assembly
from verify.selftest.miscompiled.of_source import changes_of_source
from verify.selftest.miscompiled.planting import compile_derivative, eager
from verify.selftest.run import Task, run

BACKENDS = planting.backends()


def fates(outcomes, fate):
    return [(each.id, each.words) for each in outcomes if each.fate == fate]


def drawn(name, part):
    return Task("program", name, seed=3, part=part).keeps


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("name", COMPUTATIONS)
def test_no_miscompile_of_a_sample_survives(name):
    part = 0.04 if name == "recurrence" else 0.08
    outcomes = programs.try_program(name, drawn(name, part if "llvm" in BACKENDS else 0.5), 0)
    assert fates(outcomes, "survived") == []
    assert fates(outcomes, "refuted")


@pytest.mark.slow
@pytest.mark.parametrize("name", programs.NAMES)
def test_wrong_answers_of_a_pass_are_refuted(name):
    outcomes = programs.try_pass(name, lambda label: "answer" in label, 0)
    assert fates(outcomes, "survived") == []
    assert fates(outcomes, "refuted")


@pytest.mark.campaign
@pytest.mark.parametrize("name", [*COMPUTATIONS, *programs.NAMES])
def test_no_miscompile_survives(name):
    attempt = programs.try_program if name in COMPUTATIONS else programs.try_pass
    assert fates(attempt(name, lambda label: True, 0), "survived") == []


@pytest.mark.parametrize("name", ["slices", "branches", "outputs"])
def test_right_programs_are_correct(name):
    found = programs.claims_about(name, lambda label: True)
    assert {each.verdict for each in found} == {"CORRECT"}
    assert len(found) == len(BACKENDS)


@pytest.mark.long
def test_a_verifier_that_says_correct_to_all_leaves_survivors(monkeypatch):
    def verify_case(case, *args, **options):
        return Result.from_points(
            case, [PointOutcome.from_judgement(x, Verdict.CORRECT) for x in case.at]
        )

    monkeypatch.setattr(judge, "verify_case", verify_case)
    tasks = [Task("program", "slices", part=0.4), Task("pass", "negate")]
    score = run(tasks, jobs=0)
    assert score.survivor_count > 5
    assert not score.clean


def test_every_pass_has_work_in_the_computations():
    graphs = [symtape.record(eager(one), *one.points[0]) for one in COMPUTATIONS.values()]
    for one in PASSES:
        before = [each for each in PASSES if each is not one]
        assert any(
            programs._shape(rewritten(graph, [one.rule])) != programs._shape(rewritten(graph, ()))
            or len(optimise_graph(graph, before)) > len(optimise_graph(graph))
            for graph in graphs
        ), one.name


@pytest.fixture
def small_buffers():
    with planting.small_buffers():
        yield


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.usefixtures("small_buffers")
def test_what_is_planted_is_compiled_and_gone_afterwards(backend):
    computation = COMPUTATIONS["nests" if backend == "fused" else "slices"]
    seen = []

    def see(text):
        seen.append(text)
        return text

    with planting.sources_changed(backend, see):
        compile_derivative(computation, backend)
    compile_derivative(computation, backend)
    assert len(seen) == 1
    point = computation.points[0]
    old, new = ("np.multiply", "np.add") if backend == "numpy" else ("fadd", "fsub")
    assert old in seen[0]
    with planting.sources_changed(backend, lambda text: text.replace(old, new)):
        wrong = compile_derivative(computation, backend)

    def differences(made):
        pairs = zip(flatten(made(*point)), flatten(eager(computation)(*point)), strict=True)
        return max(np.max(np.abs(one - other)) for one, other in pairs)

    assert differences(wrong) > 1e-3
    assert differences(compile_derivative(computation, backend)) < 1e-12


@pytest.mark.long
def test_buffers_are_planned_while_programs_are_tried():
    with planting.small_buffers():
        (source,) = compile_derivative(COMPUTATIONS["transposes"], "numpy").sources
    assert "out=b0" in source
    operators = {operator for operator, _, _ in changes_of_source(source)}
    assert {"wrong buffer", "wrong value read", "slice moved", "wrong axis"} <= operators


def test_a_loop_is_one_short():
    source = "def program(x0):\n    for k in range(1, 8):\n        x0 = x0 * 2\n    return (x0,)\n"
    wrong = {operator: text for operator, _, text in changes_of_source(source)}
    names: dict = {}
    exec(wrong["a loop one short"], names)
    assert names["program"](1) == (64,)


LOOP = """\
define void @f(ptr %x, i64 %n) {
begin:
  %any = icmp ult i64 0, %n
  br i1 %any, label %again, label %end
again:
  %i = phi i64 [ 0, %begin ], [ %next, %latch ]
  br i1 %on, label %kept, label %off
kept:
  br label %latch
latch:
  %next = add i64 %i, 1
  br i1 %more, label %again, label %end
end:
  ret void
off:
  ret void
}
"""


def turned(text):
    return [words for operator, words, _ in changes_of_assembly(text) if operator == "guard turned"]


def test_a_loop_is_no_guard():
    """Turned the other way it would write behind what is there, and end the process."""
    assert turned(LOOP) == ["br i1 %on, label %off, label %kept"]


def test_neither_recursion_nor_a_choice_of_memory_is_a_guard():
    assert not turned(
        LOOP.replace("  ret void\noff", "  call void @f(ptr %x, i64 1)\n  ret void\noff")
    )
    assert not turned(LOOP.replace("off:", "off:\n  %p = phi ptr [ %x, %begin ], [ %y, %off ]"))
