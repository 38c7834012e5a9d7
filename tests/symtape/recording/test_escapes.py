"""What leaves a tensor: numbers are escapes, steps are decisions, text is neither."""

from __future__ import annotations

import array
import io
import logging
import math
import pickle
import struct
import warnings

import numpy as np
import pytest

import symtape
from symtape.errors import Escaped, EscapeWarning

X = np.array([1.5, 2.25])


def printed(x):
    texts = f"{x[0]:.3f} {x}", format(x[1], "g"), "%.2f %d %s" % (x[0], x[1], x)  # noqa: UP031
    print(x, *texts, file=io.StringIO())
    return repr(x), str(x), np.array_str(x), np.array2string(x), np.array_repr(x)


def logged(x):
    logging.getLogger("test").debug("at %s: %.3g, %d", x, x[0], x[1])
    logging.getLogger("test").warning("at %s: %.3g, %d", x, x[0], x[1])


def asserted(x):
    assert x[0] > 0
    assert np.all(np.isfinite(x))
    assert math.isfinite(x[0])
    assert not math.isnan(x[1])
    np.testing.assert_allclose(x, x)
    np.testing.assert_array_less(0.0, x)
    assert isinstance(x[0], float)
    assert math.isclose(x[0], 1.5)


def counted(x):
    return len(x), x.size, x.shape, range(int(x[1])), [0] * round(x[0]), [1, 2, 3][np.argmax(x)]


HARMLESS = [printed, logged, asserted, counted]


@pytest.mark.parametrize("look", HARMLESS)
def test_looking_at_a_value_is_no_way_out(look):
    def f(x):
        look(x)
        return np.sum(x**2)

    np.testing.assert_array_equal(symtape.grad(f)(X), 2 * X)
    np.testing.assert_array_equal(symtape.hessian(f)(X), 2 * np.eye(2))
    graph = symtape.record(f, X)
    assert graph.escapes == ()
    assert graph.holds(X)


def test_being_close_is_a_decision():
    graph = symtape.record(lambda x: x * (1 + math.isclose(x, 1.0, rel_tol=0.1)), 1.05)
    assert graph.escapes == ()
    assert [graph.holds(x) for x in (0.95, 1.0, 1.2, -1.0)] == [True, False, False, False]


@pytest.mark.parametrize("text", ["%d", "%.1f", "%i", "%e", "%5.2f%%"])
def test_text_decides_nothing(text):
    assert symtape.record(lambda x: x * len(text % x), 2.0).path == ()


STEPS = {
    "int": (int, 2.5, [2.0, 2.99], [1.99, 3.0]),
    "int, of less than one": (int, -0.5, [-0.99, 0.0, 0.5], [-1.0, 1.0]),
    "int, below": (int, -2.5, [-2.0, -2.99], [-3.0, -1.99]),
    "floor": (math.floor, -2.5, [-3.0, -2.01], [-2.0, -3.01]),
    "ceil": (math.ceil, 2.5, [3.0, 2.01], [2.0, 3.01]),
    "trunc": (math.trunc, 2.5, [2.0, 2.99], [1.99, 3.0]),
    "round": (round, 2.25, [1.75, 2.25], [1.25, 2.75]),
    "is_integer": (lambda x: x.is_integer(), 2.5, [2.25, 7.5], [2.0]),
    "a mask": (lambda x: np.asarray(x > 1), 2.0, [1.5, 7.0], [1.0, -2.0]),
    "isfinite": (math.isfinite, 2.0, [1.0], [np.inf, np.nan]),
}


@pytest.mark.parametrize(("step", "at", "same", "other"), STEPS.values(), ids=STEPS)
def test_a_step_is_kept_as_a_decision(step, at, same, other):
    graph = symtape.record(lambda x: x**2 * step(x), at)
    assert graph.escapes == ()
    assert graph.evaluate(at) == (at**2 * step(np.float64(at)),)
    for x in (at, *same):
        assert graph.holds(x)
        assert step(np.float64(x)) == step(np.float64(at))
    assert not any(graph.holds(x) for x in other)
    assert symtape.grad(lambda x: x**2 * step(x))(at) == 2 * at * step(np.float64(at))


def test_whole_numbers_that_are_tensors_are_steps():
    graph = symtape.record(lambda x: x[int(np.argmax(x))] * [2.0, 3.0][np.argmin(x)], X)
    assert graph.escapes == ()
    assert graph.holds(2 * X)
    assert not graph.holds(X[::-1].copy())
    order = symtape.record(lambda x: x[int(np.argsort(x)[0])], X)
    assert not order.holds(X[::-1].copy())


def test_an_array_that_is_computed_indexes_what_it_indexes_elsewhere():
    least = symtape.record(lambda x: x[np.asarray(np.argsort(x))[0]], X)
    for x in (X, X[::-1].copy()):
        assert least.evaluate(x) == (np.min(x),)


def test_the_whole_part_of_a_huge_number_is_one_point():
    graph = symtape.record(lambda x: x * int(x), 1e30)
    assert graph.holds(1e30)
    assert not graph.holds(2e30)


OUT = {
    "array": lambda x: array.array("d", [x])[0],
    "numpy": lambda x: x.numpy(),
    "tobytes": lambda x: np.frombuffer(x.tobytes())[0],
    "dumps": lambda x: float(pickle.loads(x.dumps())),
    "data": lambda x: np.asarray(x.data)[()],
    "struct": lambda x: struct.unpack("d", struct.pack("d", x))[0],
}


@pytest.mark.parametrize("out", OUT.values(), ids=OUT)
def test_numbers_that_leave_are_known(out):
    graph = symtape.record(lambda x: x * out(x), 1.5, escapes="constant")
    assert graph.escapes
    assert {escape.origin.file for escape in graph.escapes} == {__file__}
    with pytest.raises(Escaped):
        symtape.grad(lambda x: x * out(x))(1.5)


@pytest.mark.parametrize("out", [memoryview, lambda x: {x: 1}, lambda x: x.__array_wrap__])
def test_what_a_tensor_has_not_is_an_error(out):
    with pytest.raises((TypeError, AttributeError)):
        symtape.grad(lambda x: np.sum(x) * len([out(x)]))(X)


def test_after_stop_gradient_a_value_may_leave():
    def f(x):
        fixed = symtape.stop_gradient(x)
        return x * float(fixed) * math.cos(fixed) * fixed.item()

    assert symtape.grad(f)(1.5) == pytest.approx(1.5**2 * math.cos(1.5))


def test_objects_are_tensors_themselves():
    def f(x):
        objects = x.astype(object) ** 2
        assert objects.dtype == object
        return np.sum(objects) * objects[0] + np.sum(x * objects)

    np.testing.assert_allclose(
        symtape.grad(f)(X),
        [
            2 * X[0] * np.sum(X**2) + 2 * X[0] ** 3 + 3 * X[0] ** 2,
            2 * X[1] * X[0] ** 2 + 3 * X[1] ** 2,
        ],
        rtol=1e-14,
    )
    assert symtape.constant(2.0).astype(object).dtype == np.float64


def test_python_functions_of_elements_are_followed():
    cube = np.frompyfunc(lambda t: t**3, 1, 1)
    both = np.frompyfunc(lambda a, b: (a * b, a - b), 2, 2)
    np.testing.assert_array_equal(symtape.grad(lambda x: np.sum(cube(x)))(X), 3 * X**2)
    np.testing.assert_array_equal(symtape.grad(lambda x: cube(x[0]))(X), [3 * X[0] ** 2, 0])
    np.testing.assert_array_equal(
        symtape.grad(lambda x: np.sum(both(x, x[::-1])[0].astype(float)))(X), 2 * X[::-1]
    )
    outer = symtape.jacobian(lambda x: both(x[:, None], x)[0])(X)
    np.testing.assert_array_equal(outer, symtape.jacobian(lambda x: x[:, None] * x)(X))
    np.testing.assert_allclose(
        symtape.grad(lambda x: np.sum(np.frompyfunc(math.sin, 1, 1)(x)))(X), np.cos(X)
    )
    names = np.frompyfunc(lambda t: "small" if t < 2 else "large", 1, 1)
    assert symtape.grad(lambda x: x[0] * len(names(x)[0]))(X)[0] == 5.0


def test_a_tape_warns_where_a_gradient_is_missing_and_a_value_left():
    x = symtape.Variable(2.0)
    with symtape.GradientTape(persistent=True) as tape:
        y = symtape.constant(x.numpy()) ** 2
        z = x * x.numpy()
    line = (
        test_a_tape_warns_where_a_gradient_is_missing_and_a_value_left.__code__.co_firstlineno + 3
    )
    for ask in (tape.gradient, tape.jacobian):
        with pytest.warns(EscapeWarning, match=r"left the tape by \.numpy\(\)") as caught:
            assert ask(y, x) is None
        assert (caught[0].filename, caught[0].lineno) == (__file__, line)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert tape.gradient(z, x).numpy() == 2.0


@pytest.mark.parametrize("x", [1.5, 1.5 + 1e-12, 2.0, np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("y", [1.5, np.inf])
def test_numbers_are_close_as_in_the_standard_library(x, y):
    slope = symtape.grad(lambda a: a * 2.0 if math.isclose(a, y) else a * 3.0)(x)
    assert slope == (2.0 if math.isclose(x, y) else 3.0)
