"""The program: hash-consing, folding, budgets; checked against exact rationals."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symtape.errors import BudgetSpent
from symtape.process.budget import Budget
from symtape.process.precision import precision
from symtape.symbolic.element import Element, to_elements, to_statements
from symtape.symbolic.precise import enclose
from symtape.symbolic.program import MINUS_ONE, ONE, ZERO, Program

SMALL = st.fractions(-4, 4, max_denominator=8)
OPERATIONS = [
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b,
    lambda a, b: a / b if not isinstance(b, Fraction) or b else a,
    lambda a, b: -a,
    lambda a, b: a**2,
]
PROGRAMS = st.lists(
    st.tuples(st.integers(0, len(OPERATIONS) - 1), st.integers(0, 9), st.integers(0, 9)),
    min_size=1,
    max_size=12,
)


@pytest.mark.long
@settings(max_examples=80, derandomize=True, deadline=None)
@given(steps=PROGRAMS, x=st.integers(-8, 8), constants=st.lists(SMALL, min_size=2, max_size=2))
def test_a_program_computes_what_its_operations_say(steps, x, constants):
    program = Program()
    elements = [Element(program, program.input())]
    elements += [Element(program, program.constant(c)) for c in constants]
    exact = [Fraction(x), *constants]
    for operation, i, j in steps:
        i, j = i % len(exact), j % len(exact)
        if operation == 3 and exact[j] == 0:
            continue
        if abs(exact[i]) > 10**6 or abs(exact[j]) > 10**6:
            continue
        elements.append(OPERATIONS[operation](elements[i], elements[j]))
        exact.append(OPERATIONS[operation](exact[i], exact[j]))
    balls = enclose(program, [e.at for e in elements], [float(x)], 400)
    with precision(400):
        for ball, value in zip(balls, exact, strict=True):
            scaled = ball * value.denominator - value.numerator
            assert scaled.contains(0)
            assert scaled.abs_upper() < 1e-60


def test_one_statement_for_one_value():
    program = Program()
    x, y = program.input(), program.input()
    assert program.add(x, y) == program.add(y, x)
    assert program.multiply(x, y) == program.multiply(y, x)
    assert program.subtract(x, y) != program.subtract(y, x)
    assert program.constant(0.5) == program.constant(np.float32(0.5))
    assert program.constant(np.int64(3)) == program.constant(3.0) == program.constant(Fraction(3))


IDENTITIES = [
    lambda p, x: (p.add(x, ZERO), x),
    lambda p, x: (p.add(ZERO, x), x),
    lambda p, x: (p.subtract(x, x), ZERO),
    lambda p, x: (p.subtract(x, ZERO), x),
    lambda p, x: (p.multiply(ONE, x), x),
    lambda p, x: (p.multiply(x, ZERO), ZERO),
    lambda p, x: (p.multiply(x, MINUS_ONE), p.negate(x)),
    lambda p, x: (p.negate(p.negate(x)), x),
    lambda p, x: (p.divide(x, ONE), x),
    lambda p, x: (p.divide(ZERO, x), ZERO),
    lambda p, x: (p.power(x, ONE), x),
    lambda p, x: (p.power(x, ZERO), ONE),
    lambda p, x: (p.reciprocal(p.constant(4)), p.constant(0.25)),
]


@pytest.mark.parametrize("identity", IDENTITIES)
def test_identities_make_no_statement(identity):
    program = Program()
    left, right = identity(program, program.input())
    assert left == right


def test_floats_are_exact_constants():
    program = Program()
    assert program.constants[program.constant(0.1)] == Fraction(0.1)
    assert math.isinf(program.constants[program.constant(np.inf)])
    assert math.isnan(program.constants[program.constant(np.nan)])


def test_long_constants_do_not_grow():
    program = Program()
    x = program.constant(0.1)
    for _ in range(200):
        x = program.multiply(x, program.constant(0.3))
    assert max(c.denominator.bit_length() for c in program.constants.values()) < 64
    assert float(enclose(program, [x], [], 100)[0]) == pytest.approx(0.1 * 0.3**200, rel=1e-12)


def test_a_held_value_has_no_derivative():
    program = Program()
    held = program.stop(program.multiply(program.input(), program.constant(3)))
    assert program.highest[held] == -1
    assert float(enclose(program, [held], [2.0], 60)[0]) == 6.0


BUDGETS = [(Budget(statements=1000), "1000 statements"), (Budget(seconds=0.0), "0 seconds")]


@pytest.mark.parametrize(("budget", "words"), BUDGETS)
def test_budgets_are_named(budget, words):
    def grow():
        program = Program(budget)
        x = program.input()
        for _ in range(2000):
            x = program.sqrt(x)

    with pytest.raises(BudgetSpent, match=words):
        grow()


def test_elements_run_numpy_code():
    program = Program()
    ids = np.array([[program.input() for _ in range(2)] for _ in range(2)])
    array = to_elements(program, ids)
    made = to_statements(program, np.sqrt(np.sum(array @ array * 0.5, axis=0)) + np.float64(1.0))
    x = np.array([[1.0, 2.0], [3.0, 4.0]])
    got = [float(b) for b in enclose(program, made, [x], 120)]
    assert got == pytest.approx(np.sqrt(np.sum(x @ x * 0.5, axis=0)) + 1.0, rel=1e-15)


def test_elements_have_no_truth():
    program = Program()
    with pytest.raises(TypeError, match="truth value"):
        bool(Element(program, program.input()))


def test_sums_of_nothing_are_constants():
    program = Program()
    assert to_statements(program, np.sum(np.empty((0, 2), dtype=object), axis=0)).tolist() == [0, 0]
