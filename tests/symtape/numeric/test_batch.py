"""Batched: every operation on it is the operation on each of its arrays."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import symtape
from symtape.numeric.batch import Batch, call_per_entry

G = np.arange(24.0).reshape(4, 2, 3) / 8 - 1.25
M = np.array([[1.0, 2.0, 3.0], [0.5, -1.0, 4.0]])

OPERATIONS = {
    "add": lambda g: g + M,
    "radd": lambda g: M[0] + g,
    "multiply by a column": lambda g: g * np.array([[2.0], [3.0]]),
    "multiply by a deeper array": lambda g: g * np.ones((5, 2, 3)),
    "divide": lambda g: g / M,
    "power": lambda g: g**2,
    "itself": lambda g: g * g,
    "negative": operator.neg,
    "ufunc": np.sin,
    "where": lambda g: np.where(M > 1, g, 0.0),
    "sum": np.sum,
    "sum, axis": lambda g: np.sum(g, axis=0),
    "sum, last axis kept": lambda g: np.sum(g, axis=-1, keepdims=True),
    "mean": lambda g: np.mean(g, axis=1),
    "reshape": lambda g: np.reshape(g, (3, 2)),
    "flat": lambda g: g.reshape(-1),
    "transpose": np.transpose,
    "T": lambda g: g.T,
    "swapaxes": lambda g: np.swapaxes(g, 0, 1),
    "moveaxis": lambda g: np.moveaxis(g, 0, -1),
    "expand_dims": lambda g: np.expand_dims(g, (0, 2)),
    "broadcast_to": lambda g: np.broadcast_to(g, (4, 2, 3)),
    "matmul": lambda g: g @ M.T,
    "rmatmul": lambda g: M.T @ g,
    "matmul with a vector": lambda g: g @ M[0],
    "vector with matmul": lambda g: M[:, 0] @ g,
    "dot": lambda g: np.dot(g, M.T),
    "outer": lambda g: np.outer(g, M),
    "einsum": lambda g: np.einsum("ij,kj->ik", g, M),
    "tensordot": lambda g: np.tensordot(g, M, axes=([1], [1])),
    "concatenate": lambda g: np.concatenate([g, M], axis=1),
    "stack": lambda g: np.stack([M, g], axis=1),
    "pad": lambda g: np.pad(g, ((1, 0), (0, 2))),
    "flip": lambda g: np.flip(g, 1),
    "cumsum": lambda g: np.cumsum(g, axis=1),
    "repeat": lambda g: np.repeat(g, 2, axis=0),
    "index": lambda g: g[1],
    "slice": lambda g: g[:, ::-1],
    "ellipsis": lambda g: g[..., 0],
    "advanced index": lambda g: g[[1, 0, 1]],
    "two advanced indices": lambda g: g[[1, 0], [2, 2]],
    "indices apart": lambda g: g[:, None, [0, 2]],
    "mask": lambda g: g[M > 1],
    "newaxis": lambda g: g[None, :, None],
    "take_along_axis": lambda g: np.take_along_axis(g, np.array([[0], [2]]), axis=1),
    "tril": np.tril,
    "diagonal": np.diagonal,
    "trace": np.trace,
    "roll": lambda g: np.roll(g, 1, axis=1),
    "astype": lambda g: g.astype(np.float32),
    "solve": lambda g: np.linalg.solve(M @ M.T, g),
    "real": np.real,
    "sign": np.sign,
    "zeros": lambda g: g * 0.0,
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_is_that_on_each(name):
    operation = OPERATIONS[name]
    expected = np.stack([np.asarray(operation(g)) for g in G])
    found = operation(Batch(G))
    assert isinstance(found, Batch)
    assert found.shape == expected.shape[1:]
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found.value, expected, rtol=1e-14, atol=1e-15)
    recorded = operation(Batch(symtape.constant(G)))
    assert isinstance(recorded.value, symtape.Tensor)
    np.testing.assert_allclose(recorded.value.numpy(), expected, rtol=1e-14, atol=1e-15)


def test_attributes_leave_the_hidden_axis_out():
    batched = Batch(G)
    assert (batched.shape, batched.ndim, batched.size) == ((2, 3), 2, 6)
    assert np.shape(batched) == (2, 3)
    with pytest.raises(TypeError, match="no plain value"):
        np.asarray(batched)
    assert repr(batched).startswith("Batched(")


def test_a_function_of_the_users_is_called_for_each_entry():
    seen = []

    def function(g):
        seen.append(g)
        return {0: g * 2, 1: None}

    answers = call_per_entry(function, Batch(G))
    assert len(seen) == 4
    np.testing.assert_array_equal(answers[0].value, G * 2)
    assert answers[1] is None
    pair = call_per_entry(lambda g: {0: g[0] + g[1]}, (Batch(G), M))
    np.testing.assert_array_equal(pair[0].value, G + M)
    assert call_per_entry(function, M)[0].shape == (2, 3)
