"""Sweeps by arrays cost what sweeps statement by statement do."""

import numpy as np
import pytest

import symtape
from symtape.precision import precision
from symtape.symbolic import conditioning as module
from symtape.symbolic.conditioning import conditioning
from symtape.symbolic.derivative import gradient
from symtape.symbolic.precise import Plan
from symtape.symbolic.program import Program
from symtape.symbolic.shadow import shadow
from symtape.symbolic.sweep import WideSweep, wide_sweep

MATRIX = np.random.default_rng(0).normal(size=(20, 60))

FUNCTIONS = {
    "logistic": lambda x: np.sum(np.log1p(np.exp(-MATRIX @ x))) + 0.5 * np.sum(x * x),
    "a norm": lambda x: np.sqrt(np.sum(x**2)) / (1 + np.sum(np.tanh(x) * x)),
    "quotients": lambda x: np.sum((x[1:] - x[:-1]) / (2 - np.cos(x[1:] * x[:-1]))),
    "powers": lambda x: np.sum(np.abs(x) ** 1.5) - np.sum(MATRIX @ x) ** 2,
}


def made(name):
    x = np.random.default_rng(1).normal(size=60)
    form = shadow(symtape.record(FUNCTIONS[name], x), [x])
    return form.program, gradient(form)[0], x


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("known", [False, True])
def test_both_sweeps_agree(name, known, monkeypatch):
    program, ids, x = made(name)
    balls = None
    if known:
        plan = Plan(program, [ids])
        plan.enclose([x], 300)
        balls = plan.last
    assert wide_sweep(program) is not None
    monkeypatch.setattr(module, "_WIDE", 10**9)
    by_arrays = conditioning(program, ids[:4], [x], 1.0, balls)
    monkeypatch.setattr(module, "_by_arrays", lambda *args: None)
    one_by_one = conditioning(program, ids[:4], [x], 1.0, balls)
    assert np.allclose(by_arrays, one_by_one, rtol=1e-12, atol=0)


def test_what_is_inside_of_a_sum_has_no_cost_of_its_own():
    program, ids, _ = made("logistic")
    sweep = WideSweep(program)
    assert sweep.hidden
    assert sweep.hidden.isdisjoint(ids.tolist())


def test_a_long_loop_is_not_wide():
    program = Program()
    x = at = program.input()
    for _ in range(1000):
        at = program.add(program.multiply(at, x), program.multiply(at, at))
    assert wide_sweep(program) is None


def test_a_partial_that_is_not_finite_costs_infinitely_much():
    program = Program()
    inputs = [program.input() for _ in range(600)]
    total = inputs[0]
    for at in inputs[1:]:
        total = program.add(total, program.sqrt(at))
    with precision(64):
        found = conditioning(program, [total], [np.zeros(600)], 1.0)
    assert np.isinf(found[0])
