"""How a stand-in takes part in NumPy: lists with tensors in them, methods, SciPy's ufuncs."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import symtape

IN_LISTS: list[tuple[str, Any]] = [
    ("dot", lambda x, y: np.dot([x, y], symtape.constant([2.0, 3.0]))),
    ("matmul", lambda x, y: symtape.constant([2.0, 3.0]) @ [x, y]),
    ("reflected matmul", lambda x, y: [x, y] @ symtape.constant([2.0, 3.0])),
    ("add", lambda x, y: np.sum(symtape.constant([1.0, 1.0]) * [2 * x, 3 * y])),
    ("append", lambda x, y: np.sum(np.append([2 * x], 3 * y))),
    ("nested", lambda x, y: np.sum(np.append([[2 * x, y]], np.stack([y, y])))),
    ("einsum", lambda x, y: np.einsum("i,i", [x, y], symtape.constant([2.0, 3.0]))),
    ("tensordot", lambda x, y: np.tensordot(symtape.constant([2.0, 3.0]), [x, y], 1)),
    ("where", lambda x, y: np.sum(np.where([True, False], [2 * x, 0.0], 3 * y))),
    ("interp", lambda x, y: np.interp(x * 0 + 0.5, [0.0, 1.0], [4 * x, 6 * y])),
]


@pytest.mark.parametrize(("name", "function"), IN_LISTS, ids=[c[0] for c in IN_LISTS])
def test_tensors_in_lists_keep_their_gradient(name: str, function: Any) -> None:
    x, y = symtape.Variable(1.5), symtape.Variable(-0.5)
    with symtape.GradientTape() as tape:
        z = function(x, y)
    assert [g.numpy() for g in tape.gradient(z, [x, y])] == [2.0, 3.0]


def test_ufuncs_of_scipy_are_known_in_a_fresh_process() -> None:
    program = (
        "import symtape; from scipy import special; "
        "print(symtape.grad(special.expit)(0.0), symtape.grad(special.gammaln)(1.0) < 0)"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.stdout.split() == ["0.25", "True"], run.stderr


METHODS: list[tuple[str, Any]] = [
    ("conj", lambda x: x.conj() * 2),
    ("conjugate", lambda x: x.conjugate() * 2),
    ("compress", lambda x: x.compress([True, False], axis=0)),
    ("flat", lambda x: x.flat[2] * 2),
    ("loop over flat", lambda x: np.stack([3 * e for e in x.flat])),
]


@pytest.mark.parametrize(("name", "function"), METHODS, ids=[c[0] for c in METHODS])
def test_methods(name: str, function: Any, values: Any, assert_affine: Any) -> None:
    assert_affine(function, values((2, 3)))


def test_nonzero() -> None:
    rows, columns = symtape.constant([[0.0, 2.0], [3.0, 0.0]]).nonzero()
    assert (rows.numpy().tolist(), columns.numpy().tolist()) == ([0, 1], [1, 0])


@pytest.mark.parametrize("shape", [(3,), (2, 3), (1, 2, 2)])
def test_a_function_without_a_row_may_return_a_tuple_of_one(shape: tuple[int, ...]) -> None:
    def double_the_largest(x: Any) -> Any:
        y = x.copy()
        at = np.unravel_index(np.argmax(y), y.shape)
        y[at] = 2 * y[at]
        return y

    x = np.arange(float(np.prod(shape))).reshape(shape)
    graph = symtape.record(double_the_largest, x)
    assert np.array_equal(graph.evaluate(x)[0], double_the_largest(x))


@pytest.mark.parametrize(
    ("name", "args"),
    [("sort", ()), ("partition", (1,)), ("fill", (0.0,)), ("put", (0, 1.0)), ("resize", (2,))],
)
def test_methods_that_work_in_place_are_refused(name: str, args: Any) -> None:
    with pytest.raises(TypeError, match=f"ndarray.{name} would write into an array"):
        getattr(symtape.constant([2.0, 1.0]), name)(*args)


NUMBERS: list[tuple[str, Any, Any]] = [
    ("sum", np.sum, ()),
    ("prod", np.prod, ()),
    ("max", np.max, ()),
    ("min", np.min, ()),
    ("nansum", np.nansum, ()),
    ("cumsum", np.cumsum, (1,)),
    ("cumprod", np.cumprod, (1,)),
    ("squeeze", np.squeeze, ()),
    ("repeat", lambda x, axis: np.repeat(x, 1, axis), (1,)),
    ("take", lambda x, axis: np.take(x, 0, axis), ()),
]


@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize(("name", "function", "shape"), NUMBERS, ids=[c[0] for c in NUMBERS])
def test_a_number_has_axis_0(name: str, function: Any, shape: Any, axis: int) -> None:
    x = symtape.Variable(0.5)
    with symtape.GradientTape() as tape:
        y = function(x, axis=axis)
    assert y.shape == shape == np.shape(function(np.array(0.5), axis=axis))
    np.testing.assert_array_equal(tape.jacobian(y, x).numpy(), np.ones(shape))
    assert np.argmax(x, axis=axis) == 0
    assert bool(np.all(x, axis=axis))


def test_a_number_has_no_other_axis() -> None:
    for function in (np.sum, np.cumsum, np.squeeze, np.argmax, np.any):
        with pytest.raises(np.exceptions.AxisError):
            function(symtape.constant(0.5), axis=1)
