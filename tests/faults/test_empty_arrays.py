"""Arrays without entries: a wrong claim beside them is refuted, with no error inside."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

import symtape
import verify

X = np.array([1.0, 2.0, 3.0])


def assign_by_mask(x):
    y = np.zeros(3) * x
    y[x > 5] = x[x > 5]
    y[x <= 5] += x[x <= 5] ** 3
    return np.sum(y)


EMPTY = {
    "a mask": lambda x: np.sum(x[x > 5] ** 2),
    "a product": lambda x: np.prod(x[x > 5]),
    "a slice": lambda x: np.sum(np.sin(x[3:])),
    "a part": lambda x: np.sum(np.concatenate([x[:0], np.exp(x)])),
    "a dot product": lambda x: x[3:] @ x[:0],
    "a matrix product": lambda x: np.sum(x[:0][None, :] @ x[:0][:, None]),
    "an outer product": lambda x: np.sum(np.outer(x[:0], x)),
    "a maximum": lambda x: np.max(x[x > 5], initial=0.0),
    "a choice": lambda x: np.sum(np.where(x[x > 5] > 1, x[x > 5], 2.0)),
    "a running sum": lambda x: np.sum(np.cumsum(x[:0])),
    "a sorted array": lambda x: np.sum(np.sort(x[:0])),
    "differences": lambda x: np.sum(np.diff(x[:1]) ** 2),
    "an assignment": assign_by_mask,
    "a special function": lambda x: np.sum(special.gammaln(x[:0])),
    "a sum of products": lambda x: np.einsum("i,i->", x[:0], x[:0]),
    "a norm": lambda x: np.linalg.norm(x[:0]),
    "bounds": lambda x: np.sum(np.clip(x[x > 5], 0, 1)),
    "a stack": lambda x: np.sum(np.stack([x[:0], x[:0]])),
    "an interpolation": lambda x: np.sum(np.interp(x[:0], [0.0, 1.0], [1.0, 2.0])),
    "a list of indices": lambda x: np.sum(np.take(x, np.array([], int))),
    "positions": lambda x: np.sum(x[np.nonzero(x > 5)]),
    "a truth value": lambda x: 2.0 if np.any(x[x > 5]) else 1.0,
}


@pytest.mark.parametrize("name", EMPTY)
def test_a_wrong_claim_beside_an_empty_array_is_refuted_without_an_error_inside(name):
    empty = EMPTY[name]

    def f(x):
        return np.sum(x**3) + empty(x)

    gradient = symtape.grad(f)
    result = verify.gradient(f, lambda x: gradient(x) + 1, at=[X])
    assert result.verdict is verify.Verdict.WRONG
    assert "error inside" not in result.explain()
    assert verify.gradient(f, gradient, at=[X]).verdict is verify.Verdict.CORRECT
