"""custom_gradient and stop_gradient: gradients of the user's own."""

from __future__ import annotations

import numpy as np
import pytest

import symtape
from symtape import GradientTape, Variable, custom_gradient


@custom_gradient
def log1pexp(x):
    e = np.exp(x)

    def grad(upstream):
        return upstream * (1 - 1 / (1 + e))

    return np.log(1 + e), grad


@custom_gradient
def product(x, y):
    def grad(dz):
        return dz * y, dz * x

    return x * y, grad


@custom_gradient
def sum_and_difference(x, y):
    def grad(ds, dd):
        return ds + dd, ds - dd

    return [x + y, x - y], grad


def test_the_users_gradient_is_used():
    @custom_gradient
    def wrong(x):
        return x**2, lambda dy: 100 * dy

    x = Variable(3.0)
    with GradientTape() as tape:
        y = wrong(x)
    assert y.numpy() == 9.0
    assert tape.gradient(y, x).numpy() == 100.0


def test_several_arguments_are_asked_for_once():
    calls = []

    @custom_gradient
    def counted(x, y, z):
        def grad(dw):
            calls.append(dw)
            return dw * y * z, dw * x * z, dw * x * y

        return x * y * z, grad

    x, y, z = Variable(2.0), Variable(3.0), Variable(5.0)
    with GradientTape(persistent=True) as tape:
        w = counted(x, y, z)
    assert tape.gradient(w, [x, y, z]) == [15.0, 10.0, 6.0]
    assert len(calls) == 1
    assert tape.gradient(w, y) == 10.0
    assert len(calls) == 2


def test_the_gradient_is_not_run_when_it_is_not_asked_for():
    @custom_gradient
    def touchy(x):
        def grad(dy):
            raise AssertionError("asked")

        return x * 1, grad

    x, z = Variable(2.0), Variable(3.0)
    with GradientTape() as tape:
        touchy(x)
        y = z * x
    assert tape.gradient(y, z).numpy() == 2.0


def test_several_outputs():
    x, y = Variable(2.0), Variable(3.0)
    with GradientTape(persistent=True) as tape:
        s, d = sum_and_difference(x, y)
        z = s * d
    assert tape.gradient(z, [x, y]) == [4.0, -6.0]
    assert tape.gradient(s, [x, y]) == [1.0, 1.0]
    assert tape.gradient(d, [x, y]) == [1.0, -1.0]
    assert tape.gradient([s, d], [s, x]) == [1.0, 2.0]


@pytest.mark.parametrize("answer", [(1.0,), (1.0, 2.0, 3.0), [], 1.0], ids=repr)
def test_a_wrong_number_of_gradients_names_both_counts(answer):
    @custom_gradient
    def function(x, y):
        return x * y, lambda dz: answer

    x, y = Variable(2.0), Variable(3.0)
    with GradientTape() as tape:
        z = function(x, y)
    count = len(answer) if isinstance(answer, list | tuple) else 1
    with pytest.raises(ValueError, match=f"function returned {count} values.*has 2 arguments"):
        tape.gradient(z, x)


def test_a_gradient_of_a_wrong_shape_is_an_error():
    @custom_gradient
    def total(x):
        return np.sum(x), lambda dy: dy

    x = Variable([1.0, 2.0])
    with GradientTape() as tape:
        y = total(x)
    with pytest.raises(ValueError, match=r"shape \(\) for argument 0.*shape \(2,\)"):
        tape.gradient(y, x)


@pytest.mark.parametrize("returned", [3.0, (3.0, 4.0), (3.0,), None], ids=repr)
def test_a_function_that_returns_no_pair_is_an_error(returned):
    @custom_gradient
    def function(x):
        return returned

    with pytest.raises(TypeError, match=r"function.*pair.*value, grad"):
        function(Variable(1.0))


def test_none_for_an_argument_is_no_gradient():
    @custom_gradient
    def first_only(x, y):
        return x * y, lambda dz: (dz * y, None)

    x, y = Variable(2.0), Variable(3.0)
    with GradientTape(persistent=True) as tape:
        z = first_only(x, y)
    assert tape.gradient(z, [x, y]) == [3.0, None]
    assert tape.gradient(z, y, unconnected_gradients="zero").numpy() == 0.0


def test_second_order_through_the_closure():
    x = Variable(0.5)
    with GradientTape() as outer:
        with GradientTape() as inner:
            y = log1pexp(x)
        first = inner.gradient(y, x)
    s = 1 / (1 + np.exp(-0.5))
    np.testing.assert_allclose(first.numpy(), s, rtol=1e-15)
    np.testing.assert_allclose(outer.gradient(first, x).numpy(), s * (1 - s), rtol=1e-14)


def test_the_gradient_of_a_custom_gradient_may_be_custom_again():
    @custom_gradient
    def slope(dy):
        return 3 * dy, lambda ddy: 1000 * ddy

    @custom_gradient
    def function(x):
        return x * 1, lambda dy: slope(dy)

    x, weight = Variable(1.0), Variable(7.0)
    with GradientTape() as outer:
        with GradientTape() as inner:
            y = weight * function(x)
        first = inner.gradient(y, x)
    assert first.numpy() == 21.0
    assert outer.gradient(first, weight).numpy() == 1000.0


def test_custom_gradients_nest_to_third_order():
    @custom_gradient
    def sine(x):
        return symtape.stop_gradient(np.sin(x)), lambda dy: dy * cosine(x)

    @custom_gradient
    def cosine(x):
        return symtape.stop_gradient(np.cos(x)), lambda dy: -dy * sine(x)

    derivative = sine
    for expected in (np.cos, lambda x: -np.sin(x), lambda x: -np.cos(x), np.sin):
        derivative = symtape.grad(derivative)
        np.testing.assert_allclose(derivative(0.7), expected(0.7), rtol=1e-15)


@pytest.mark.parametrize("pfor", [True, False])
def test_under_a_jacobian(pfor):
    x, y = Variable([1.0, 2.0]), Variable([3.0, 4.0])
    with GradientTape(persistent=True) as tape:
        z = product(x, y)
        s, d = sum_and_difference(x, y)
        w = s * d
        empty = z[:0]
    jx, jy = tape.jacobian(z, [x, y], experimental_use_pfor=pfor)
    np.testing.assert_array_equal(jx.numpy(), np.diag([3.0, 4.0]))
    np.testing.assert_array_equal(jy.numpy(), np.diag([1.0, 2.0]))
    found = tape.jacobian(w, x, experimental_use_pfor=pfor)
    np.testing.assert_array_equal(found.numpy(), np.diag([2.0, 4.0]))
    assert tape.jacobian(empty, x, experimental_use_pfor=pfor).shape == (0, 2)


def test_hessian_through_a_custom_gradient():
    h = symtape.hessian(lambda x: np.sum(product(x, x) * x))(np.array([1.0, 2.0]))
    np.testing.assert_allclose(h, np.diag([6.0, 12.0]))


def test_keyword_arguments_are_handed_on():
    @custom_gradient
    def scaled(x, factor=1.0, *, offset=0.0):
        return factor * x + offset, lambda dy: factor * dy

    x = Variable(2.0)
    with GradientTape() as tape:
        y = scaled(x, factor=5.0, offset=1.0)
    assert y.numpy() == 11.0
    assert tape.gradient(y, x).numpy() == 5.0


def test_nested_arguments_are_taken_apart():
    @custom_gradient
    def function(pair, z):
        a, b = pair["a"], pair["b"][0]

        def grad(dy):
            return {"a": dy * b, "b": [dy * a]}, dy

        return a * b + z, grad

    a, b, z = Variable(2.0), Variable(3.0), Variable(4.0)
    with GradientTape() as tape:
        y = function({"a": a, "b": [b]}, z)
    assert tape.gradient(y, [a, b, z]) == [3.0, 2.0, 1.0]


def test_captured_variables_are_asked_for_by_keyword():
    v = Variable(3.0, name="v")
    frozen = Variable(10.0, trainable=False)

    @custom_gradient
    def function(x):
        def grad(dy, variables):
            assert [variable.name for variable in variables] == ["v:0"]
            return dy * v, [dy * 100]

        return x * v + frozen, grad

    x = Variable(2.0)
    with GradientTape() as tape:
        y = function(x)
    assert tape.gradient(y, [x, v, frozen]) == [3.0, 100.0, None]


def test_a_variable_that_is_an_argument_is_not_captured():
    @custom_gradient
    def square(x, offset=None):
        return x * x + offset, lambda dy: 2 * dy * x

    v, offset = Variable(3.0), Variable(1.0)
    with GradientTape() as tape:
        y = square(v, offset=offset)
    assert tape.gradient(y, [v, offset]) == [6.0, None]


def test_captured_variables_without_the_keyword_are_an_error():
    v = Variable(3.0, name="kernel")

    @custom_gradient
    def function(x):
        return x * v, lambda dy: dy

    with pytest.raises(TypeError, match=r"function reads.*kernel:0.*'variables'"):
        function(Variable(2.0))


@pytest.mark.parametrize("answer", [[], [1.0, 2.0]], ids=repr)
def test_a_wrong_number_of_variable_gradients_names_both_counts(answer):
    v = Variable(3.0)

    @custom_gradient
    def function(x):
        return x * v, lambda dy, variables: (dy, answer)

    x = Variable(2.0)
    with GradientTape() as tape:
        y = function(x)
    with pytest.raises(ValueError, match=f"{len(answer)} variable gradients.*1 variables"):
        tape.gradient(y, x)


def test_a_result_that_is_an_argument_still_has_the_users_gradient():
    @custom_gradient
    def clip(y):
        return y, lambda dy: np.clip(dy, -0.5, 0.5)

    v = Variable(2.0)
    with GradientTape() as tape:
        z = clip(v * v)
    assert tape.gradient(z, v).numpy() == 2.0


def test_plain_arguments_and_results_work():
    @custom_gradient
    def outside(x, y):
        value = np.asarray(x) * 2 + y.numpy()
        return value, lambda dz: (2 * dz, dz)

    assert outside(1.0, np.array([1.0, 2.0])).numpy().tolist() == [3.0, 4.0]
    x = Variable([1.0, 2.0])
    with GradientTape() as tape:
        z = outside(x, 1.0)
    np.testing.assert_array_equal(tape.gradient(z, x).numpy(), [2.0, 2.0])


def test_stop_gradient_keeps_the_value_and_cuts_every_order():
    x = Variable(3.0)
    with GradientTape() as outer:
        with GradientTape() as inner:
            y = x**2 * symtape.stop_gradient(x)
        first = inner.gradient(y, x)
    assert y.numpy() == 27.0
    assert first.numpy() == 18.0
    assert outer.gradient(first, x).numpy() == 6.0
