"""What rounding costs a program: as one statement after the other would have it."""

from collections import defaultdict

import numpy as np
import pytest

import symtape
from symtape.process.precision import precision
from symtape.symbolic.arb_functions import BALLS
from symtape.symbolic.conditioning import bound_rounding_errors
from symtape.symbolic.derivative import gradient
from symtape.symbolic.precise import Plan
from symtape.symbolic.program import Program
from symtape.symbolic.template import ADD, DIVIDE, MULTIPLY, NEGATE, STOP, SUBTRACT
from symtape.symbolic.walk import shadow

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


CORE = {ADD: 1, SUBTRACT: 1, MULTIPLY: 1, DIVIDE: 1, NEGATE: 0, STOP: 0}


def one_by_one(program, wanted, balls):
    """The cost of a statement by a reverse sweep, eight roundings a node of a function."""
    bars = defaultdict(float, {wanted: 1.0})
    total = 0.0
    for at in range(wanted, -1, -1):
        template, args = program.templates[at], program.arguments[at]
        if template is None:
            total += abs(balls[at] * bars[at]) if at in program.inputs else 0
            continue
        granted = CORE.get(template, 8 * template.size)
        total += granted * abs(balls[at] * bars[at])
        for position, arg in enumerate(args if template is not STOP else ()):
            partial = template.partial(position)
            if partial.template is not None:
                slope = BALLS.function(partial.template)(
                    *(balls[args[k]] for k in partial.positions)
                )
            elif partial.constant is not None:
                slope = float(partial.constant)
            else:
                slope = balls[args[partial.positions[0]]]
            bars[arg] += slope * bars[at]
            if template not in CORE:
                total += 8 * abs(slope * balls[arg] * bars[at])
    return float(total)


@pytest.mark.slow
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("known", [False, True])
def test_costs_are_those_of_a_sweep_statement_by_statement(name, known):
    program, ids, x = made(name)
    plan = Plan(program, [np.arange(ids.max() + 1)])
    plan.enclose([x], 300)
    among = Plan(program, [ids])
    among.enclose([x], 300)
    found = bound_rounding_errors(program, ids[:4], [x], 1.0, among.last if known else None)
    expected = [one_by_one(program, at, plan.last) for at in ids[:4].tolist()]
    assert np.allclose(found, expected, rtol=1e-12, atol=0)
    assert np.allclose(
        bound_rounding_errors(program, ids[[2, 0, 2]], [x], 1.0), found[[2, 0, 2]], 1e-12
    )


def test_nothing_is_asked_of_no_statements():
    program, _, x = made("a norm")
    assert bound_rounding_errors(program, np.zeros((0, 3), int), [x], 1.0).shape == (0, 3)


def test_a_partial_that_is_not_finite_costs_infinitely_much():
    program = Program()
    inputs = [program.input() for _ in range(600)]
    total = inputs[0]
    for at in inputs[1:]:
        total = program.add(total, program.sqrt(at))
    with precision(64):
        found = bound_rounding_errors(program, [total], [np.zeros(600)], 1.0)
    assert np.isinf(found[0])


def test_where_the_partial_is_not_on_the_way_the_cost_is_finite():
    program = Program()
    x, y = program.input(), program.input()
    roots = [program.sqrt(x), program.sqrt(y)]
    ids = [*roots, program.multiply(*roots)]
    found = bound_rounding_errors(program, ids, [0.0, 4.0], 1.0)
    assert np.isinf(found).tolist() == [True, False, True]
