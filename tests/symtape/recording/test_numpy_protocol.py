"""NumPy's protocols: keywords of ufuncs, their methods, functions with and without a row."""

from __future__ import annotations

import numpy as np
import pytest

import symtape
from symtape import GradientTape, Tensor, Variable
from symtape.errors import NoGradient

A = np.array([[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]])

UFUNC_CALLS = {
    "dtype": lambda x: np.add(x, x, dtype=np.float32),
    "dtype of a product": lambda x: np.multiply(x, 2, dtype=np.float32),
    "add.reduce": np.add.reduce,
    "add.reduce, axis": lambda x: np.add.reduce(x, axis=1),
    "add.reduce, all axes": lambda x: np.add.reduce(x, axis=None),
    "add.reduce, keepdims": lambda x: np.add.reduce(x, axis=1, keepdims=True),
    "multiply.reduce": np.multiply.reduce,
    "maximum.reduce": lambda x: np.maximum.reduce(x, axis=1),
    "minimum.reduce": np.minimum.reduce,
    "add.accumulate": lambda x: np.add.accumulate(x, axis=1),
    "multiply.accumulate": np.multiply.accumulate,
    "multiply.outer": lambda x: np.multiply.outer(x, np.array([1.0, 2.0])),
    "subtract.outer": lambda x: np.subtract.outer(np.array([1.0, 2.0]), x),
    "power.outer": lambda x: np.power.outer(np.abs(x), x),
    "modf": lambda x: np.modf(x)[0],
    "divmod": lambda x: np.divmod(x, 2.0)[1],
}


@pytest.mark.parametrize("name", UFUNC_CALLS)
def test_ufunc_keywords_and_methods(name):
    call = UFUNC_CALLS[name]
    for make in (symtape.constant, Variable):
        x = make(A)
        with GradientTape() as tape:
            tape.watch(x)
            y = call(x)
        expected = call(A)
        assert isinstance(y, Tensor)
        assert y.dtype == expected.dtype
        np.testing.assert_allclose(y.numpy(), expected, rtol=1e-15)
        g = tape.gradient(y, x)
        assert g.dtype == np.float64
        assert g.shape == A.shape


def test_gradients_of_ufunc_methods():
    x = Variable(A)
    with GradientTape(persistent=True) as tape:
        outer = np.multiply.outer(x, np.array([1.0, 2.0]))
        product = np.multiply.reduce(x, axis=1)
    np.testing.assert_array_equal(tape.gradient(outer, x).numpy(), np.full((2, 3), 3.0))
    np.testing.assert_array_equal(tape.gradient(product, x).numpy(), np.prod(A, 1)[:, None] / A)


WRITERS = {
    "out": lambda a, x: np.add(x, x, out=a),
    "out of one argument": lambda a, x: np.sin(x, out=a),
    "out of a reduction": lambda a, x: np.add.reduce(x, out=a[0]),
    "add.at": lambda a, x: np.add.at(a, (0, 1), x[0, 0]),
    "copyto": np.copyto,
    "put": lambda a, x: np.put(a, [0], x[0]),
    "place": lambda a, x: np.place(a, A > 0, x[0]),
    "putmask": lambda a, x: np.putmask(a, A > 0, x),
    "fill_diagonal": lambda a, x: np.fill_diagonal(x, 0.0),
    "put_along_axis": lambda a, x: np.put_along_axis(a, np.array([[0], [1]]), x[:, :1], 1),
}


@pytest.mark.parametrize("name", WRITERS)
def test_writing_into_an_array_is_an_error_and_writes_nothing(name):
    array = np.zeros((2, 3))
    with pytest.raises(TypeError, match=r"write into an array|out="):
        WRITERS[name](array, Variable(A))
    assert not array.any()


WITHOUT_RULE = {
    "eigvals": lambda x: np.linalg.eigvals(x @ x.T),
    "eig": lambda x: np.linalg.eig(x @ x.T).eigenvalues,
    "spacing": np.spacing,
}


@pytest.mark.parametrize("name", WITHOUT_RULE)
def test_what_has_no_rule_works_forward_and_raises_when_asked(name):
    call = WITHOUT_RULE[name]
    x = Variable(A)
    with GradientTape() as tape:
        y = call(x)
    np.testing.assert_allclose(y.numpy(), call(A), rtol=1e-15)
    with pytest.raises(
        NoGradient, match=f"^gradient registry has no entry for: {name}, applied at .*:"
    ):
        tape.gradient(y, x)


def test_whole_numbers_need_no_rule():
    x = Variable(A)
    with GradientTape(persistent=True) as tape:
        counts = np.count_nonzero(x > 0, axis=0)
        y = np.digitize(x, [0.0, 2.0]) * x + counts
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), np.digitize(A, [0.0, 2.0]))


def test_results_without_a_rule_keep_numpys_kind_of_sequence():
    x = Variable(A)
    found = np.linalg.eig(x @ x.T)
    assert type(found) is type(np.linalg.eig(A @ A.T))
    assert all(isinstance(part, Tensor) for part in found)


TEXT_AND_FACTS = {
    "array_str": np.array_str,
    "array2string": np.array2string,
    "shape": np.shape,
    "ndim": np.ndim,
    "size": np.size,
    "result_type": np.result_type,
    "iscomplexobj": np.iscomplexobj,
    "shares_memory": lambda x: np.shares_memory(x, A.copy()),
    "can_cast": lambda x: np.can_cast(x.dtype, np.float32),
    "array_equal": lambda x: bool(np.array_equal(x, A)),
    "allclose": lambda x: bool(np.allclose(x, A)),
    "zeros_like": lambda x: np.zeros_like(x).tolist(),
    "full_like": lambda x: np.full_like(x, 2.0).tolist(),
}


@pytest.mark.parametrize("name", TEXT_AND_FACTS)
def test_facts_about_a_tensor_are_those_of_its_array(name):
    call = TEXT_AND_FACTS[name]
    for make in (symtape.constant, Variable):
        assert call(make(A)) == call(A)


def test_a_gradient_registered_by_name_serves_a_numpy_function():
    x = Variable(A)
    with GradientTape() as tape:
        y = np.spacing(x)

    @symtape.RegisterGradient("test.spacing")
    def _unused(op, dy):
        raise AssertionError

    with pytest.raises(LookupError, match="spacing"):
        tape.gradient(y, x)
