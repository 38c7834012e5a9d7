"""Random programs and their gradients stay what they are in balls, by every pass and back end."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import symtape
from symtape.primitives.arithmetic import ADD
from symtape.process.extras import is_installed
from symtape.programs.compiled import passes
from symtape.programs.compiled.passes import Pass
from symtape.programs.compiled.rewriting import rewritten
from tests.symtape.programs.compiled import in_balls
from verify.strategies import programs

BACKENDS = ("numpy", "fused", "llvm", "auto") if is_installed("llvmlite") else ("numpy",)
SETTINGS = {"derandomize": True, "deadline": None, "suppress_health_check": list(HealthCheck)}


def check(program):
    for graph in (program.graph, symtape.differentiate(program.graph)):
        assert in_balls.faults(graph, program.point, BACKENDS) == []


@pytest.mark.long
@given(programs())
@settings(max_examples=120, **SETTINGS)
def test_random_programs(program):
    check(program)


@pytest.mark.long
@given(programs(scalar=False))
@settings(max_examples=60, **SETTINGS)
def test_random_programs_of_arrays(program):
    assert in_balls.faults(program.graph, program.point, BACKENDS) == []


@pytest.mark.long
@given(programs())
@settings(max_examples=60, **SETTINGS)
def test_rules_have_no_answers_to_what_they_made(program):
    """So that a graph is rewritten once."""
    rules = [one.rule for one in passes.PASSES]
    for graph in (program.graph, symtape.differentiate(program.graph)):
        once = rewritten(graph, rules)
        assert str(rewritten(once, rules)) == str(once)


@pytest.mark.campaign
@given(programs())
@settings(max_examples=2000, **SETTINGS)
def test_many_random_programs(program):
    check(program)


def test_a_pass_that_drops_a_term_is_found(monkeypatch):
    def dropped(build, node):
        return node.inputs[0] if node.row is ADD else None

    graph = symtape.record(lambda x: np.sin(x) + x, np.array([0.5, 1.5]))
    assert in_balls.faults(graph, [np.array([0.5, 1.5])], BACKENDS) == []
    planted = (*passes.PASSES, Pass("drop a term", dropped))
    monkeypatch.setattr(in_balls, "PASSES", planted)
    monkeypatch.setattr(passes, "PASSES", planted)
    found = in_balls.faults(graph, [np.array([0.5, 1.5])], BACKENDS)
    assert len(found) == 2 + len(BACKENDS), found
