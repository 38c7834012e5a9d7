"""Sweeps: against polynomials whose derivatives are known exactly, and against each other."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symtape
from symtape.symbolic.derivative import gradient, hessian, jacobian, pull_back, push_forward
from symtape.symbolic.precise import enclose
from symtape.symbolic.program import ONE
from symtape.symbolic.walk import shadow

TERMS = st.lists(
    st.tuples(st.integers(-3, 3), st.tuples(*[st.integers(0, 3)] * 3)), min_size=1, max_size=5
)


def polynomial(terms):
    return lambda x: sum((c * np.prod(x ** np.array(e)) for c, e in terms), 0 * x[0])


def partial(terms, k):
    return [(c * e[k], (*e[:k], e[k] - 1, *e[k + 1 :])) for c, e in terms if e[k]]


def value(terms, x):
    return sum((c * x[0] ** e[0] * x[1] ** e[1] * x[2] ** e[2] for c, e in terms), Fraction(0))


def integers(made, ids, x):
    return [int(ball.unique_fmpz()) for ball in enclose(made.program, ids, [x], 200).ravel()]


@settings(max_examples=40, derandomize=True, deadline=None)
@given(terms=TERMS, x=st.tuples(*[st.integers(1, 4)] * 3))
def test_derivatives_of_polynomials_are_exact(terms, x):
    point = np.array(x, dtype=float)
    made = shadow(symtape.record(polynomial(terms), point), [point])
    first = [value(partial(terms, k), x) for k in range(3)]
    second = [value(partial(partial(terms, j), k), x) for j in range(3) for k in range(3)]
    assert integers(made, gradient(made)[0], point) == first
    assert integers(made, jacobian(made)[0], point) == first
    assert integers(made, hessian(made)[0][0], point) == second


def network(x, w):
    return np.tanh(w @ np.sin(x)) * x[:2]


POINT = [np.array([0.5, -0.25, 1.0]), np.array([[0.1, 0.2, 0.3], [-0.5, 0.25, 2.0]])]


def balls_of(made, parts):
    return [enclose(made.program, ids, POINT, 150) for ids in parts]


def test_reverse_and_forward_sweeps_agree():
    made = shadow(symtape.record(network, *POINT), POINT)
    targets = made.outputs[0].tolist()
    rows = [pull_back(made.program, {y: ONE}) for y in targets]
    columns = [push_forward(made.program, {x: ONE}, targets) for x in made.program.inputs]
    by_rows = np.array([[row.get(x, 0) for x in made.program.inputs] for row in rows])
    difference = enclose(made.program, by_rows, POINT, 150) - enclose(
        made.program, np.array(columns).T, POINT, 150
    )
    assert all(d.contains(0) and d.abs_upper() < 1e-12 for d in difference.ravel())


def test_jacobian_has_the_shapes_of_output_and_inputs_joined():
    made = shadow(symtape.record(network, *POINT), POINT)
    assert [j.shape for j in jacobian(made)] == [(2, 3), (2, 2, 3)]
    wide = shadow(symtape.record(lambda x: np.outer(x, x), np.ones(2)), [np.ones(2)])
    assert jacobian(wide)[0].shape == (2, 2, 2)


def test_the_gradient_of_an_array_is_that_of_its_sum():
    made = shadow(symtape.record(network, *POINT), POINT)
    summed = shadow(symtape.record(lambda x, w: np.sum(network(x, w)), *POINT), POINT)
    left, right = balls_of(made, gradient(made)), balls_of(summed, gradient(summed))
    for a, b in zip(left, right, strict=True):
        assert all(d.contains(0) for d in (a - b).ravel())


def test_hessian_is_symmetric_by_the_same_statements():
    def energy(x, w):
        return np.sum(network(x, w) ** 2)

    made = shadow(symtape.record(energy, *POINT), POINT)
    blocks = hessian(made)
    assert [[b.shape for b in row] for row in blocks] == [
        [(3, 3), (3, 2, 3)],
        [(2, 3, 3), (2, 3, 2, 3)],
    ]
    assert (blocks[0][1].reshape(3, 6) == blocks[1][0].reshape(6, 3).T).all()
    assert (blocks[0][0] == blocks[0][0].T).all()


def test_hessian_of_an_array_is_refused():
    made = shadow(symtape.record(network, *POINT), POINT)
    with pytest.raises(ValueError, match=r"shape \(2,\)"):
        hessian(made)


def test_an_output_repeated_counts_each_time():
    made = shadow(symtape.record(lambda x: np.stack([x, x, 2 * x]), 1.0), [1.0])
    assert integers(made, gradient(made)[0], 1.0) == [4]


def test_programs_stay_linear_in_their_length():
    def chain(x, steps):
        for _ in range(steps):
            x = np.sin(x) * x
        return x

    sizes = []
    for steps in (50, 100, 200):
        made = shadow(symtape.record(lambda x, n=steps: chain(x, n), 0.5), [0.5])
        gradient(made)
        sizes.append(len(made.program))
    assert sizes[2] - sizes[1] == 2 * (sizes[1] - sizes[0])
