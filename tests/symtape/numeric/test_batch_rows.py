"""Every row on Batched arguments, whichever of them are, is the row on each of their arrays."""

import itertools

import numpy as np
import pytest

import symtape
import symtape.primitives.special  # its rows
from symtape.numeric.batch import Batch
from symtape.primitives.primitive import PRIMITIVES

SIZE = 3


def examples(row):
    for given in row.example if isinstance(row.example, list) else [row.example]:
        args, params = given if len(given) == 2 and isinstance(given[1], dict) else (given, {})
        if args:
            yield [np.asarray(x) for x in args], params


def batches(args):
    """The arguments with slices in front: different numbers, the same shapes."""
    for flags in itertools.product((False, True), repeat=len(args)):
        if any(flags):
            pairs = zip(args, flags, strict=True)
            yield flags, [_stack(x) if flag else x[()] for x, flag in pairs]


def _stack(x):
    if x.dtype.kind in "iu":
        return np.stack([x, x, x[::-1] if x.ndim else x])
    return np.stack([x, x * 0.98, x * 0.95] if x.dtype.kind in "fc" else [x] * SIZE)


@pytest.mark.parametrize("name", PRIMITIVES)
def test_a_row_of_batched_arguments_is_that_of_each(name):
    row = PRIMITIVES[name]
    for args, params in examples(row):
        for flags, stacks in batches(args):
            pairs = list(zip(stacks, flags, strict=True))
            with np.errstate(all="ignore"):
                expected = [
                    row(*[x[k] if flag else x for x, flag in pairs], **params) for k in range(SIZE)
                ]
                found = row(*[Batch(x) if flag else x for x, flag in pairs], **params)
            parts = found if type(found) is tuple else (found,)
            wanted = zip(*[y if type(y) is tuple else (y,) for y in expected], strict=True)
            for part, slices in zip(parts, wanted, strict=True):
                assert part.value.shape == np.stack(slices).shape, flags
                np.testing.assert_allclose(part.value, slices, rtol=1e-11, atol=1e-12)


RNG = np.random.default_rng(0)
X = RNG.normal(size=(6, 3, 4, 5))
I_, J = RNG.integers(0, 3, (6, 2)), RNG.integers(0, 3, 6)
K, MASK = np.array([0, 2]), np.array([True, False, True])
INDICES = {
    "first": lambda x, i, j: x[i],
    "behind a slice": lambda x, i, j: x[:, i],
    "behind an ellipsis": lambda x, i, j: x[..., i],
    "two": lambda x, i, j: x[None, :, i, j],
    "apart": lambda x, i, j: x[i, :, j],
    "a number": lambda x, i, j: x[j],
    "with a whole number": lambda x, i, j: x[:, None, i, 0],
    "behind a whole number": lambda x, i, j: x[0, i],
    "apart from a whole number": lambda x, i, j: x[0, :, i],
    "with one that is alike": lambda x, i, j: x[:, K, i],
    "with a deeper one": lambda x, i, j: x[:, [[0], [1]], i],
    "with a mask": lambda x, i, j: x[MASK, i],
    "with None between": lambda x, i, j: x[..., i, None, j],
    "before an ellipsis": lambda x, i, j: x[:, :, i, ...],
}


@pytest.mark.parametrize("alike", [(), (0,), (2,)], ids=["", "array", "number"])
@pytest.mark.parametrize("name", INDICES)
def test_an_index_may_differ_by_slice(name, alike):
    function = INDICES[name]
    given = [x[0] if k in alike else x for k, x in enumerate((X, I_, J))]
    axes = tuple(None if k in alike else 0 for k in range(3))

    def each(x):
        pairs = list(zip((x, *given[1:]), axes, strict=True))
        return np.stack(
            [function(*[y if axis is None else y[k] for y, axis in pairs]) for k in range(6)]
        )

    mapped = symtape.vmap(function, axes)
    expected = each(given[0])
    np.testing.assert_array_equal(mapped(*given), expected)
    weights = RNG.normal(size=expected.shape)
    gradient = symtape.grad(lambda x: np.sum(weights * each(x)))(given[0])
    found = symtape.grad(lambda x: np.sum(weights * mapped(x, *given[1:])))(given[0])
    np.testing.assert_allclose(found, gradient, rtol=1e-12, atol=1e-13)
    if 0 not in alike:
        by_slice = symtape.grad(lambda x, i, j, w: np.sum(w * function(x, i, j)))
        found = symtape.vmap(by_slice, (*axes, 0))(*given, weights)
        np.testing.assert_allclose(found, gradient, rtol=1e-12, atol=1e-13)
