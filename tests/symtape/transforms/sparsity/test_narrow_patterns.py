"""Patterns of whole programs: the entries that there are at some of many points, and no others.

What is asked of them follows the lists of peers: which operations SparseConnectivityTracer.jl and
asdex have tests of.
"""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
import scipy.ndimage
import scipy.signal
import scipy.special
from scipy.linalg import solve_triangular

import symtape
from tests.symtape.transforms.sparsity.dense import pattern_mask

K = np.arange(1.0, 10).reshape(3, 3)
NINE = 9 * np.eye(3)
LOWER = np.array([[2.0, 0, 0], [1, 3, 0], [0, 1, 4]])
BLOCK = np.array([[2.0, 1, 0], [1, 3, 0], [0, 0, 4]])
MASK = np.array([1.0, 0, 0, 2] * 3)
SQUARE = np.ones((2, 2))
TAKEN = np.array([[0, 1], [3, 3], [2, 0]])
FIRST = np.arange(12) < 5


def table(x):
    return x.reshape(3, 4)


def stack(x):
    return x.reshape(2, 3, 3)


def definite(x):
    a = stack(x)
    return a @ np.swapaxes(a, 1, 2) + np.eye(3)


def scanned(x):
    state, out = x[0], []
    for k in range(1, 12):
        state = 0.5 * state + x[k]
        out.append(state)
    return np.stack(out)


def gated(x):
    state = x[:3]
    for k in range(3, 12, 3):
        state = np.tanh(state) * x[k : k + 3]
    return state


def reported(x):
    a, b = x[:6], x[6:]
    return np.concatenate([a**2 * b, np.floor(a + 2) * b, np.round(b)])


NUMERIC = {
    "running product": (np.cumprod, 12),
    "running product of columns": (lambda x: np.cumprod(table(x), axis=0), 12),
    "accumulated product": (np.multiply.accumulate, 12),
    "running sum backwards": (lambda x: np.flip(np.cumsum(np.flip(x))), 12),
    "sums of parts": (lambda x: np.add.reduceat(x, [0, 3, 7]), 12),
    "products of parts": (lambda x: np.multiply.reduceat(x, [0, 3, 7]), 12),
    "outer": (lambda x: np.multiply.outer(x[:3], x[3:6]), 12),
    "counted": (lambda x: np.bincount([0, 1, 1, 2, 0, 3, 3, 3, 1, 2, 0, 1], weights=x), 12),
    "system": (lambda x: np.linalg.solve(K + NINE, table(x)), 12),
    "systems": (lambda x: np.linalg.solve(stack(x[:18]) + NINE, x[18:].reshape(2, 3, 1)), 24),
    "diagonal system": (lambda x: np.linalg.solve(np.diag([1.0, 2, 3]), table(x)), 12),
    "system of blocks": (lambda x: np.linalg.solve(BLOCK, x), 3),
    "triangular system": (lambda x: solve_triangular(LOWER, x, lower=True), 3),
    "triangular systems": (lambda x: solve_triangular(LOWER, table(x), lower=True), 12),
    "upper system": (lambda x: solve_triangular(LOWER.T, x), 3),
    "transposed": (lambda x: solve_triangular(LOWER, x, lower=True, trans=1), 3),
    "inverses": (lambda x: np.linalg.inv(stack(x) + NINE), 18),
    "determinants": (lambda x: np.linalg.det(stack(x)), 18),
    "log determinants": (lambda x: np.linalg.slogdet(stack(x))[1], 18),
    "eigenvalues": (lambda x: np.linalg.eigvalsh(definite(x)), 18),
    "singular values": (lambda x: np.linalg.svd(stack(x), compute_uv=False), 18),
    "exponentials": (lambda x: scipy.linalg.expm(stack(x)), 18),
    "powers": (lambda x: np.linalg.matrix_power(stack(x), 3), 18),
    "norms": (lambda x: np.linalg.norm(stack(x), axis=(1, 2)), 18),
    "products": (lambda x: stack(x[:18]) @ stack(x[18:]), 36),
    "product with a matrix": (lambda x: stack(x) @ K, 18),
    "einsum": (lambda x: np.einsum("bij,bjk->bik", stack(x[:18]), stack(x[18:])), 36),
    "traces": (lambda x: np.trace(stack(x), axis1=1, axis2=2), 18),
    "dot": (lambda x: np.dot(x[:2], x[3:5]), 5),
    "blocks": (lambda x: scipy.linalg.block_diag(table(x)[:, :2], table(x)[:, 2:]), 12),
    "kronecker": (lambda x: np.kron(x[:3], x[3:6]), 6),
    "kronecker with zeros": (lambda x: np.kron(np.eye(2), table(x)), 12),
    "masked": (lambda x: x * MASK, 12),
    "mask first": (lambda x: MASK[:4] * table(x), 12),
    "chosen by a constant": (lambda x: np.where(FIRST, x, x[::-1]), 12),
    "a constant or x": (lambda x: np.where(FIRST, 1.0, x**2), 12),
    "choose": (lambda x: np.choose([0, 1, 1, 0], table(x)[:2]), 12),
    "convolution": (lambda x: np.convolve(x, [1.0, -2, 1], "same"), 12),
    "convolution of both": (lambda x: np.convolve(x[:4], x[4:]), 12),
    "planar convolution": (lambda x: scipy.signal.convolve2d(table(x), SQUARE, "valid"), 12),
    "image filter": (lambda x: scipy.ndimage.convolve1d(x, [1.0, 2, 1]), 12),
    "recursive filter": (lambda x: scipy.signal.lfilter([1.0], [1.0, -0.5], x), 12),
    "windows": (lambda x: np.lib.stride_tricks.sliding_window_view(x, 3).sum(-1), 12),
    "differences": (lambda x: np.diff(x, 2), 12),
    "padded": (lambda x: np.pad(table(x), 1), 12),
    "reflected": (lambda x: np.pad(table(x), 1, mode="reflect"), 12),
    "tiled": (lambda x: np.tile(table(x), (2, 1)), 12),
    "repeated": (lambda x: np.repeat(table(x), [1, 2, 0], axis=0), 12),
    "one part": (lambda x: np.split(x, 3)[1], 12),
    "inserted": (lambda x: np.insert(x, 2, x[5]), 12),
    "taken along": (lambda x: np.take_along_axis(table(x), TAKEN, 1), 12),
    "no more than read": (lambda x: x[np.array([2, 2, 0])] * x[1], 12),
    "piecewise constant": (reported, 12),
    "loop": (scanned, 12),
    "loop of vectors": (gated, 12),
    "variances": (lambda x: np.var(table(x), axis=1), 12),
    "softmax": (lambda x: scipy.special.softmax(table(x), axis=1), 12),
    "magnitudes": (lambda x: abs(x[:6] + 1j * x[6:]), 12),
    "parts of complex": (lambda x: np.imag((x[:6] + 1j * x[6:]) ** 2), 12),
}  # fmt: skip

STRUCTURAL = {
    # Which one it is depends on the values: any of them in another call.
    "running maximum": (np.maximum.accumulate, 12, 78),
    "running minimum": (lambda x: np.minimum.accumulate(table(x), axis=1), 12, 30),
    "sorted lines": (lambda x: np.sort(table(x), axis=1), 12, 48),
    "medians": (lambda x: np.median(table(x), axis=0), 12, 12),
    "maxima": (lambda x: np.max(table(x), axis=1), 12, 12),
    "chosen by values": (lambda x: np.where(x > 1, x, x[::-1]), 12, 24),
    "between bounds": (lambda x: np.clip(x[:4], x[4:8], x[8:]), 12, 12),
    "times 0": (lambda x: x * 0.0, 12, 12),
    "transforms of lines": (lambda x: np.fft.fft(table(x), axis=1).real, 12, 48),
    "Cholesky factors": (lambda x: np.linalg.cholesky(definite(x)), 18, 162),
    "general system": (lambda x: np.linalg.solve(x[:9].reshape(3, 3), x[9:]), 12, 36),
}


def points(size):
    rng = np.random.default_rng(0)
    return [rng.uniform(0.2, 2.2, size) for _ in range(2)]


def nonzeros(function, size):
    return np.any(
        [np.reshape(symtape.jacobian(function)(x), (-1, size)) != 0 for x in points(size)], 0
    )


@pytest.mark.parametrize("name", NUMERIC)
def test_the_pattern_is_what_is_not_0(name):
    function, size = NUMERIC[name]
    assert np.array_equal(pattern_mask(function, points(size)[0]), nonzeros(function, size))


@pytest.mark.parametrize("name", STRUCTURAL)
def test_the_pattern_is_what_another_call_may_need(name):
    function, size, entries = STRUCTURAL[name]
    mask = pattern_mask(function, points(size)[0])
    assert mask.sum() == entries
    assert not np.any(nonzeros(function, size) & ~mask)


SECOND = {
    "product of four": (lambda x: x[0] * x[1] * (x[2] * x[3]), 4),
    "quotient": (lambda x: x[0] / x[1] + x[2] / 1 + 1 / x[3], 4),
    "sums multiplied": (lambda x: (x[0] + x[1]) * (x[2] + x[3]), 4),
    "linear": (lambda x: (x[0] - x[1]) + (x[2] - 1) + (1 - x[3]), 4),
    "differences": (lambda x: np.sum(np.diff(x) ** 3), 4),
    "bounds": (lambda x: x[0] * np.clip(x[1], 0.0, 9.0), 4),
    "norm of parts": (lambda x: np.linalg.norm(x[:2]) + x[2] ** x[3], 4),
    "running product": (lambda x: np.sum(np.cumprod(table(x), axis=0)), 12),
    "product": (lambda x: np.prod(x), 4),
    "determinants": (lambda x: np.sum(np.linalg.slogdet(stack(x))[1]), 18),
    "magnitudes": (lambda x: np.sum(abs(x[:6] + 1j * x[6:]) ** 3), 12),
}


@pytest.mark.parametrize("name", SECOND)
def test_the_pattern_of_a_hessian_is_what_is_not_0(name):
    function, size = SECOND[name]
    found = [abs(symtape.hessian(function)(x)) > 1e-11 for x in points(size)]
    mask = pattern_mask(symtape.grad(function), points(size)[0])
    assert np.array_equal(mask, np.any(found, axis=0))


def test_a_constant_that_changes_is_another_pattern():
    mask = np.array([1.0, 0.0, 1.0, 0.0])
    first = np.array([True, True, False, False])
    scaled = symtape.sparse_jacobian(lambda x: x * mask)
    chosen = symtape.sparse_jacobian(lambda x: np.where(first, x, x[::-1]))
    system = np.eye(4)
    solved = symtape.sparse_jacobian(lambda x: np.linalg.solve(system, x))
    x = np.arange(1.0, 5)
    for derivative in (scaled, chosen, solved):
        assert derivative(x).nnz == (2 if derivative is scaled else 4)
    mask[1], first[3], system[0, 2] = 5.0, True, 0.5
    assert np.array_equal(scaled(x).toarray(), np.diag(mask))
    assert np.array_equal(np.flatnonzero(chosen(x).toarray()), [0, 5, 9, 15])
    assert np.array_equal(solved(x).toarray(), np.linalg.inv(system))
