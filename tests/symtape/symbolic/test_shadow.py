"""Shadows: the right formula of what was recorded, at the point where it was recorded."""

import flint
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symtape
from symtape.errors import BudgetSpent, Unsupported
from symtape.process.budget import Budget
from symtape.process.precision import precision
from symtape.symbolic.derivative import gradient
from symtape.symbolic.precise import enclose
from symtape.symbolic.walk import shadow


def exact(made, ids, point, bits=200):
    balls = enclose(made.program, ids, point, bits)
    return np.array([float(b) for b in balls.ravel()]).reshape(balls.shape)


def shadowed(function, *point):
    return shadow(symtape.record(function, *point), point)


DYADIC = st.integers(-64, 64).map(lambda n: n / 16)
POINTS = st.lists(DYADIC, min_size=6, max_size=6, unique=True).map(np.array)

PROGRAMS = [
    lambda x: np.sum(np.sort(x)[::2] * np.array([1.0, 2.0, 3.0])),
    lambda x: np.max(x) * np.min(x) + np.maximum(x[0], x[1]) ** 2,
    lambda x: np.sum(np.where(x > 0.03, x**3, -x)),
    lambda x: np.sum(np.clip(x, -1.03, 1.03) * x),
    lambda x: np.sum(np.abs(x) * np.arange(6)),
    lambda x: np.sum(x.reshape(2, 3) @ np.ones((3, 2)) * x[:4].reshape(2, 2)),
    lambda x: np.sum(x[np.argsort(x)[:2]] ** 2),
    lambda x: np.var(x) + np.sum(np.cumsum(x)[1:] * np.diff(x)),
    lambda x: np.sum(np.concatenate([x[:2], np.zeros(2), np.tanh(x[2:])]) * 0.1),
    lambda x: np.prod(x[x > 0]) + np.median(x) * x[1],
    lambda x: np.sum(np.floor(x) * x) + np.sum(np.sign(x) * x),
    lambda x: np.sum(np.exp(x - np.max(x)) / np.sum(np.exp(x - np.max(x))) * np.arange(6.0)),
]


@pytest.mark.parametrize("program", PROGRAMS)
@settings(max_examples=8, derandomize=True, deadline=None)
@given(x=POINTS)
def test_value_and_gradient_agree_with_floats_and_tape(program, x):
    made = shadowed(program, x)
    np.testing.assert_allclose(exact(made, made.outputs[0], [x]), program(x), rtol=1e-12)
    with symtape.GradientTape() as tape:
        tensor = symtape.constant(x)
        tape.watch(tensor)
        y = program(tensor)
    got = exact(made, gradient(made)[0], [x])
    taped = tape.gradient(y, tensor, unconnected_gradients="zero").numpy()
    scale = 1 + np.max(np.abs(got))
    np.testing.assert_allclose(taped, got, rtol=1e-11, atol=1e-13 * scale)


def test_float_constants_are_exact():
    made = shadowed(lambda x: x * 0.1, 3.0)
    (ball,) = enclose(made.program, made.outputs[0].ravel(), [3.0], 300)
    with precision(400):
        assert ball.contains(3 * flint.fmpq(*(0.1).as_integer_ratio()))
    assert ball.rel_accuracy_bits() > 250


def test_what_is_stopped_keeps_its_formula_and_has_no_derivative():
    made = shadowed(lambda x: x * symtape.stop_gradient(x**2 / 3), 2.0)
    assert exact(made, gradient(made)[0], [2.0]) == 4 / 3
    assert enclose(made.program, gradient(made)[0], [2.0], 300)[()].rel_accuracy_bits() > 250


def test_zero_to_a_varying_power_is_constant():
    made = shadowed(lambda x, y: x * 0 + np.power(0.0, y), 1.0, 2.0)
    assert gradient(made)[1] == 0


def test_integers_of_the_point_are_constants():
    made = shadowed(lambda x: x * np.floor(x).astype(int) + x[np.argmax(x)], np.array([2.5, 3.5]))
    assert exact(made, gradient(made)[0], [np.array([2.5, 3.5])]).tolist() == [2.0, 5.0]


def test_control_flow_is_unrolled_along_the_path():
    def halve(x):
        while x > 1:
            x = x / 2
        return x

    made = shadowed(halve, 40.0)
    assert exact(made, gradient(made)[0], [40.0]) == 1 / 64


def test_an_operation_without_reading_names_itself_and_the_line():
    def opaque(x):
        return np.sum(np.spacing(x))

    with pytest.raises(Unsupported, match=r"spacing.*test_shadow\.py:\d+"):
        shadowed(opaque, np.array([1.0, 2.0]))


def test_the_budget_of_each_step_is_its_own():
    graph = symtape.record(lambda x: np.sum(np.tanh(x) ** 2), np.ones(40))
    with pytest.raises(BudgetSpent, match="the shadow"):
        shadow(graph, [np.ones(40)], Budget(statements=50))
    made = shadow(graph, [np.ones(40)], Budget(statements=250))
    with pytest.raises(BudgetSpent, match="the gradient"):
        gradient(made)


def test_constants_that_are_not_finite_stay_where_they_are():
    x = np.array([1.0, -1.0])
    made = shadowed(lambda x: np.max(np.where(x > 0, x, -np.inf)), x)
    assert exact(made, gradient(made)[0], [x]).tolist() == [1.0, 0.0]
