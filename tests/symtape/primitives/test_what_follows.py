"""What follows from other fields of a row is not written in it."""

import functools

import numpy as np
import pytest
from scipy import special

import symtape
from symtape.primitives.primitive import Primitive, name_of
from symtape.rigorous import ball
from symtape.rigorous.enclose import enclose


def row(**fields):
    return Primitive(**{"name": "op", "vjp": None, "evaluate": np.sin, **fields})


@pytest.mark.parametrize(
    ("fields", "inputs"),
    [
        ({}, ("x",)),
        ({"evaluate": lambda u, v: u * v}, ("u", "v")),
        ({"evaluate": lambda u, order=0: u, "vjp": [lambda g, u: g]}, ("u",)),
        ({"evaluate": np.hypot, "symbolic": lambda sp, a, b: sp.sqrt(a**2 + b**2)}, ("a", "b")),
        ({"evaluate": np.hypot, "ball": lambda ball, a, b: ball.hypot(a, b)}, ("a", "b")),
        ({"evaluate": np.hypot, "inputs": "p q"}, ("p", "q")),
    ],
)
def test_inputs_are_the_parameters_of_a_reading(fields, inputs):
    assert row(**fields).inputs == inputs


def test_a_row_that_names_no_inputs_is_refused():
    with pytest.raises(TypeError, match="primitive op: its readings do not name the inputs"):
        row(evaluate=np.hypot)


def test_a_template_acts_by_element():
    assert row(symbolic="sin").elementwise
    assert not row().elementwise


def test_the_ufunc_is_that_of_the_name():
    assert row(name="sin").ufunc is np.sin
    assert row().ufunc is None
    assert row(ufunc=np.sin).ufunc is np.sin


def test_a_reading_by_name_is_that_function():
    by_name = row(name="erf", evaluate=special.erf, symbolic="erf")
    assert by_name.ball is not None
    assert by_name.ball(ball, 0.5).overlaps(ball.erf(0.5))
    graph = symtape.record(lambda x: by_name(x), 0.5)
    assert enclose(graph, [0.5], 100)[0][()].overlaps(ball.erf(0.5))
    assert row(symbolic="sin", ball="cos").ball(ball, 0.0) == 1
    assert row(symbolic=lambda sp, x: sp.sin(x)).ball is None


def test_a_function_around_a_reading_by_name_is_none():
    by_name = row(symbolic="sin").ball
    assert name_of(by_name) == "op"

    @functools.wraps(by_name)
    def lie(module, x):
        return 2 * by_name(module, x)

    assert name_of(lie) is None


def test_a_static_parameter_of_a_rule_may_be_left_out():
    power = row(
        evaluate=lambda x, order=3: x**order,
        vjp=[lambda g, x, order=3: g * order * x ** (order - 1)],
    )
    assert symtape.grad(lambda x: power(x))(2.0) == 12
    assert symtape.grad(lambda x: power(x, order=2))(2.0) == 4
