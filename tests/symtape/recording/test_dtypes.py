"""float32 in, float32 out, in value and gradient, through every class of operation."""

from __future__ import annotations

import numpy as np
import pytest

import symtape
from symtape import GradientTape, Variable

X = np.array([[0.5, 1.25, 2.0], [0.75, 1.5, 3.0]])

PROGRAMS = {
    "python scalars": lambda x: 2 * x + 1.5 - x / 3 + (1 - x) ** 2 + 2.0**x,
    "transcendental": lambda x: np.sin(x) + np.exp(x) + np.log(x) + np.tanh(x) + np.sqrt(x),
    "more functions": lambda x: np.arctan2(x, 2) + np.hypot(x, 1) + np.logaddexp(x, 0) + np.cbrt(x),
    "kinks": lambda x: np.abs(x) + np.maximum(x, 1) + np.minimum(x, 1.0) + np.clip(x, 0.6, 2),
    "where": lambda x: np.where(x > 1, x, 0),
    "sum": lambda x: np.sum(x, axis=0),
    "mean": lambda x: np.mean(x, axis=1, keepdims=True),
    "var": lambda x: np.var(x, axis=0, ddof=1),
    "std": np.std,
    "prod": lambda x: np.prod(x, axis=0),
    "max": lambda x: np.max(x, axis=1),
    "cumsum": lambda x: np.cumsum(x, axis=1),
    "cumprod": lambda x: np.cumprod(x, axis=1),
    "norm": np.linalg.norm,
    "matmul": lambda x: x @ x.T,
    "einsum": lambda x: np.einsum("ij,kj->ik", x, x),
    "tensordot": lambda x: np.tensordot(x, x, axes=([0, 1], [0, 1])),
    "outer": lambda x: np.outer(x[0], x[1]),
    "kron": lambda x: np.kron(x, x),
    "cross": lambda x: np.cross(x[0], x[1]),
    "shape": lambda x: np.moveaxis(np.expand_dims(x.T.reshape(6), 0), 0, 1) * 1,
    "joining": lambda x: np.concatenate([x, np.stack([x[0], x[1]])]),
    "split": lambda x: np.split(x, 3, axis=1)[1],
    "pad": lambda x: np.pad(x, ((1, 0), (0, 2))),
    "repeat": lambda x: np.tile(np.repeat(x, 2, axis=0), (1, 2)),
    "flip": lambda x: np.roll(np.flip(x, 1), 1),
    "indexing": lambda x: x[[1, 0], [2, 1]] * x[0, 0] + x[x > 2.5],
    "sort": lambda x: np.sort(x, axis=0),
    "take": lambda x: np.take_along_axis(x, np.array([[0], [2]]), axis=1),
    "diag": lambda x: np.diag(np.tril(x @ x.T)),
    "trace": lambda x: np.trace(x @ x.T),
    "solve": lambda x: np.linalg.solve(x @ x.T, x),
    "inv": lambda x: np.linalg.inv(x @ x.T),
    "det": lambda x: np.linalg.det(x @ x.T),
    "slogdet": lambda x: np.linalg.slogdet(x @ x.T)[1],
    "cholesky": lambda x: np.linalg.cholesky(x @ x.T),
    "eigh": lambda x: np.linalg.eigh(x @ x.T)[0],
    "matrix_power": lambda x: np.linalg.matrix_power(x @ x.T, 3),
    "relu": symtape.nn.relu,
    "elu": symtape.nn.elu,
    "sigmoid": symtape.nn.sigmoid,
    "softplus": symtape.nn.softplus,
    "softmax": symtape.nn.softmax,
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_dtype_goes_through(name, dtype):
    program = PROGRAMS[name]
    x = Variable(X.astype(dtype))
    with GradientTape(persistent=True) as outer:
        with GradientTape(persistent=True) as inner:
            y = program(x)
        g = inner.gradient(y, x)
    assert y.dtype == dtype
    assert y.dtype == program(X.astype(dtype)).dtype
    assert g.dtype == dtype
    assert inner.jacobian(y, x).dtype == dtype
    assert outer.gradient(g, x, unconnected_gradients="zero").dtype == dtype
    exact = GradientTape()
    wide = Variable(X)
    with exact:
        z = program(wide)
    reference = exact.gradient(z, wide).numpy()
    eps = np.finfo(dtype).eps
    np.testing.assert_allclose(g.numpy(), reference, rtol=1e3 * eps, atol=1e3 * eps)


@pytest.mark.parametrize("name", ["grad", "jacobian", "hessian", "hvp"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_transforms_answer_in_the_dtype_of_the_argument(name, dtype):
    x = np.array([0.5, 1.5], dtype)
    arguments = (x, x) if name == "hvp" else (x,)
    found = getattr(symtape, name)(lambda x: np.sum(x**3 * 2.0))(*arguments)
    assert found.dtype == dtype


def test_mixed_dtypes_promote_and_each_gradient_keeps_its_own():
    a, b, c = Variable(np.float32([1.0, 2.0])), Variable([3.0, 4.0]), np.array([2, 3])
    with GradientTape() as tape:
        y = a * b * c
    assert y.dtype == np.float64
    ga, gb = tape.gradient(y, [a, b])
    assert (ga.dtype, gb.dtype) == (np.float32, np.float64)
    np.testing.assert_array_equal(ga.numpy(), [6.0, 12.0])
    np.testing.assert_array_equal(gb.numpy(), [2.0, 6.0])


def test_a_cast_to_another_float_is_differentiable():
    x = Variable(np.float32([1.0, 2.0]))
    with GradientTape() as tape:
        y = x.astype(np.float64) ** 2
    assert y.dtype == np.float64
    g = tape.gradient(y, x)
    assert g.dtype == np.float32
    np.testing.assert_array_equal(g.numpy(), [2.0, 4.0])
