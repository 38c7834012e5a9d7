"""Operators with tensors and variables on either side of everything NumPy takes."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import symtape
from symtape import GradientTape, Tensor, Variable

BINARY = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "divmod": lambda a, b: np.stack(divmod(a, b)),
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": np.divide,
    "power": np.power,
    "maximum": np.maximum,
    "arctan2": np.arctan2,
    "less": np.less,
}

OTHERS = {
    "int": 2,
    "float": 2.5,
    "bool": True,
    "float64": np.float64(2.5),
    "float32": np.float32(2.5),
    "int64": np.int64(2),
    "0-d array": np.array(2.5),
    "vector": np.array([2.5, 1.5]),
    "column": np.array([[2.5], [1.5], [0.5]]),
    "list": [2.5, 1.5],
    "tuple": (2.5, 1.5),
    "integers": np.array([2, 3]),
}

UNARY = {
    "-": operator.neg,
    "+": operator.pos,
    "abs": abs,
    "round": lambda x: x.round(1),
    "sin": np.sin,
    "T": lambda x: x.T,
    "sum": lambda x: x.sum(),
    "mean": lambda x: x.mean(axis=0),
    "reshape": lambda x: x.reshape(1, -1),
    "index": lambda x: x[0],
    "slice": lambda x: x[::-1],
    "mask": lambda x: x[x > 1],
    "astype": lambda x: x.astype(np.float32),
    "iterate": lambda x: sum(x),
    "clip": lambda x: x.clip(1.0, 1.2),
    "ravel": lambda x: x.ravel(),
    "np.sum": np.sum,
    "np.reshape": lambda x: np.reshape(x, (-1, 1)),
}

KINDS = {"tensor": symtape.constant, "variable": Variable}


def _same(found, expected):
    assert isinstance(found, Tensor)
    assert not isinstance(found, Variable)
    value = np.asarray(found.numpy())
    assert value.dtype == np.asarray(expected).dtype
    np.testing.assert_array_equal(value, expected)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("name", BINARY)
def test_binary_operations_agree_with_numpy_on_either_side(name, other, kind):
    operation, operand, make = BINARY[name], OTHERS[other], KINDS[kind]
    for plain in (np.array([1.25, 0.75]), np.array([1.25, 0.75], np.float32), np.float64(1.25)):
        array_like = np.asarray(operand) if isinstance(operand, list | tuple) else operand
        _same(operation(make(plain), operand), operation(plain, array_like))
        if name not in ("==", "!=") or not isinstance(operand, np.ndarray | np.generic):
            _same(operation(operand, make(plain)), operation(array_like, plain))
        _same(operation(make(plain), make(plain)), operation(plain, plain))


@pytest.mark.parametrize("name", UNARY)
def test_unary_operations_agree_with_numpy(name):
    plain = np.array([1.25, 0.75])
    for make in KINDS.values():
        found = UNARY[name](make(plain))
        expected = UNARY[name](plain)
        _same(found, expected)


@pytest.mark.parametrize("other", ["vector", "column", "list", "0-d array", "float64", "float"])
def test_gradients_flow_from_both_sides(other):
    operand = OTHERS[other]
    b = np.asarray(operand)
    shape = np.broadcast_shapes(b.shape, (2,))
    for make in KINDS.values():
        x = make(np.array([1.25, 0.75]))
        with GradientTape(persistent=True) as tape:
            tape.watch(x)
            left, right = x / operand, operand / x
        expected_left = np.broadcast_to(1 / b, shape)
        expected_right = np.broadcast_to(-b / x.numpy() ** 2, shape)
        for y, expected in ((left, expected_left), (right, expected_right)):
            reduced = expected.sum(axis=0) if expected.ndim > 1 else expected
            np.testing.assert_allclose(tape.gradient(y, x).numpy(), reduced, rtol=1e-15)


@pytest.mark.parametrize("kind", KINDS)
def test_matmul_on_either_side(kind):
    make = KINDS[kind]
    a, b = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[0.5, -1.0], [2.0, 0.0]])
    for left, right in ((make(a), b), (a, make(b)), (make(a), make(b)), (make(a), b.tolist())):
        _same(left @ right, a @ b)
    _same(a.tolist() @ make(b), a @ b)
    _same(make(a) @ np.array([1.0, 2.0]), a @ [1.0, 2.0])
    _same(np.array([1.0, 2.0]) @ make(a), np.array([1.0, 2.0]) @ a)


IN_PLACE = {
    "+=": operator.iadd,
    "-=": operator.isub,
    "*=": operator.imul,
    "/=": operator.itruediv,
    "**=": operator.ipow,
    "@=": operator.imatmul,
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", IN_PLACE)
def test_augmented_assignment_makes_a_new_tensor(name, kind):
    x = KINDS[kind](np.array([[1.0, 2.0], [3.0, 4.0]]))
    with GradientTape() as tape:
        tape.watch(x)
        y = IN_PLACE[name](x, np.array([[2.0, 1.0], [1.0, 2.0]]))
    assert type(y) is Tensor
    np.testing.assert_array_equal(x.numpy(), [[1.0, 2.0], [3.0, 4.0]])
    assert tape.gradient(y, x).shape == (2, 2)


def test_augmented_assignment_into_an_array_is_an_error():
    array = np.zeros(2)
    with pytest.raises(TypeError, match="write into an array"):
        array += symtape.constant([1.0, 2.0])


def test_lists_of_tensors_are_operands_and_keep_their_gradients():
    a, b = Variable(2.0), Variable(3.0)
    x = Variable([5.0, 7.0])
    with GradientTape() as tape:
        y = x * [a, b] + (b, a * a)
    ga, gb, gx = tape.gradient(y, [a, b, x])
    assert ga.numpy() == 5.0 + 4.0
    assert gb.numpy() == 7.0 + 1.0
    np.testing.assert_array_equal(gx.numpy(), [2.0, 3.0])


@pytest.mark.parametrize(
    "operation",
    [
        lambda xs: np.concatenate(xs),
        lambda xs: np.stack(xs),
        lambda xs: np.vstack(xs),
        lambda xs: np.hstack(xs),
        lambda xs: np.column_stack(xs),
        lambda xs: np.dstack(xs),
        lambda xs: np.block([xs[:1], xs[1:]]),
        lambda xs: np.einsum("i,i->", *xs),
        lambda xs: np.linalg.multi_dot([xs[0], np.ones((2, 2)), xs[1]]),
        lambda xs: np.select([np.array([True, False])], [xs[0]], xs[1]),
        lambda xs: np.choose(np.array([0, 1]), xs),
        lambda xs: np.append(*xs),
    ],
)
def test_functions_that_take_lists_of_tensors(operation):
    plain = [np.array([1.0, 2.0]), np.array([3.0, 5.0])]
    a, b = (Variable(x) for x in plain)
    with GradientTape() as tape:
        y = operation([a, b])
    np.testing.assert_array_equal(y.numpy(), operation(plain))
    for g, x in zip(tape.gradient(y, [a, b]), plain, strict=True):
        assert g.shape == x.shape


@pytest.mark.parametrize("bad", ["text", None, {}, object(), np.array(["a"]), np.array([None])])
def test_operands_that_are_no_numbers_are_type_errors(bad):
    x = Variable([1.0, 2.0])
    for operation in (operator.add, operator.mul, operator.matmul, operator.pow):
        with pytest.raises(TypeError):
            operation(x, bad)
        with pytest.raises(TypeError):
            operation(bad, x)


def test_mismatched_shapes_are_named():
    x = Variable(np.ones((2, 3)))
    for operation in (operator.add, operator.mul, np.maximum):
        with pytest.raises(ValueError, match=r"\(2,3\).*\(2,\)"):
            operation(x, np.ones(2))
    with pytest.raises(ValueError, match="mismatch"):
        x @ np.ones(2)
