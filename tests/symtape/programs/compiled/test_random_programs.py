"""Random programs and their gradients stay what they are in balls, by every pass and back end."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import symtape
from symtape.primitives.arithmetic import ADD, NEGATIVE
from symtape.primitives.indexing import SCATTER
from symtape.primitives.shape import BROADCAST_TO
from symtape.process.extras import is_installed
from symtape.programs.compiled import passes
from symtape.programs.compiled.constants import fill, fold
from symtape.programs.compiled.passes import Pass
from symtape.programs.compiled.rewriting import applies_where, rewritten
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


GIVERS = (None, NEGATIVE, BROADCAST_TO, SCATTER)
"""Of one of which an operation is where a rule is asked."""


def ask_of_all(rule):
    """A rule that is asked of its rows whatever they are of."""

    @functools.wraps(rule)
    def same(build, node):
        return rule(build, node)

    return applies_where(lambda row, given: rule.is_asked(row, (*given, *GIVERS)))(same)


@pytest.mark.long
@pytest.mark.parametrize("scalar", [True, False])
def test_rules_have_no_answers_where_they_are_not_asked(scalar):
    rules = [one.rule for one in passes.PASSES]
    wider = [ask_of_all(rule) if rule is not fold and rule is not fill else rule for rule in rules]

    @given(programs(scalar=scalar))
    @settings(max_examples=60, **SETTINGS)
    def check_rules(program):
        graph = program.graph
        for given_graph in (graph, symtape.differentiate(graph)) if scalar else (graph,):
            assert str(rewritten(given_graph, wider)) == str(rewritten(given_graph, rules))

    check_rules()


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
