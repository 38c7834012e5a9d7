"""Products of constant matrices in a program: found, and worth what their statements are."""

import numpy as np
import pytest
from flint import arb

import symtape
from symtape.symbolic import precise
from symtape.symbolic.derivative import gradient, jacobian
from symtape.symbolic.precise import Plan
from symtape.symbolic.walk import shadow

WIDE = np.random.default_rng(0).normal(size=(8, 40))
HOLES = np.random.default_rng(1).normal(size=(12, 30)) * (np.arange(30) % 3 > 0)
HOLES[:2] = 0

FUNCTIONS = {
    "wide": (40, lambda x: np.sum(np.sin(WIDE @ x))),
    "beside other terms": (40, lambda x: np.sum(np.exp(WIDE @ x + x[:8] * x[8:16])) + x @ x / 2),
    "tall": (8, lambda x: np.sum((WIDE.T @ x) ** 2)),
    "with zeros": (30, lambda x: np.sum(np.tanh(HOLES @ x)) + np.sum(HOLES @ (x * x))),
    "twice": (40, lambda x: np.sum(np.sin(WIDE.T @ np.cos(WIDE @ x)))),
}


def parts(name, quantity):
    size, function = FUNCTIONS[name]
    x = np.random.default_rng(2).normal(size=size)
    form = shadow(symtape.record(function, x), [x])
    return form.program, list(quantity(form)), x


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("bits", [60, 300])
def test_the_balls_are_those_of_the_statements(name, bits, monkeypatch):
    program, ids, x = parts(name, gradient)
    plan = Plan(program, ids)
    assert any(product is not None for _, product in plan._stages)
    found = plan.enclose([x], bits)[0]
    monkeypatch.setattr(precise, "_MANY_CONSTANTS", 10**9)
    plain = Plan(program, ids).enclose([x], 2 * bits)[0]
    for one, other in zip(found, plain, strict=True):
        assert one.overlaps(other)
        assert one.rel_accuracy_bits() > bits - 30


def test_what_is_asked_for_is_there():
    program, ids, x = parts("wide", jacobian)
    form = program.list_needed(ids[0].ravel().tolist())
    everything = Plan(program, [form]).enclose([x], 100)[0]
    assert all(type(ball) is arb and ball.is_finite() for ball in everything)


def test_what_cancels_exactly_is_exactly_zero():
    matrix = np.repeat(np.random.default_rng(3).normal(size=(8, 32)), 2, axis=1)
    matrix[:, ::2] *= -1
    x = np.repeat(np.random.default_rng(4).normal(size=32), 2)
    form = shadow(symtape.record(lambda x: matrix @ x, x), [x])
    plan = Plan(form.program, form.outputs)
    assert any(product is not None for _, product in plan._stages)
    assert all(ball.is_zero() for ball in plan.enclose([x], 300)[0])
