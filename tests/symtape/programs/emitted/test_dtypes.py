"""The dtypes that source computes in are those of NumPy, in every library."""

import numpy as np
import pytest

from symtape.programs.emitted.source import source_at
from tests.symtape.programs.emitted.test_emitted_suites import TRANSFORMS, leaves

SLOPE = 0.7
WHOLE = np.array([1, 2, 3, 4])


def leaky(x):
    return np.sum(np.where(x > 0, x, 0.1 * x) ** 2)


def clipped(x):
    return np.sum(0.3 * np.clip(x, -0.5, 0.7) ** 2)


def least(x):
    return np.sum(np.minimum(0.3 * x, x**2))


def masked(x):
    return np.sum((x > 0.3) * 0.1 + x - (x < 0) * x**2)


def equal(x):
    return np.sum(np.where(x == 0, 0.05, 0.1 * (x > 0)) * x)


def quotient_of_masks(x):
    return np.sum(0.1 * (x > 0) / (1 + (x < 0))) * x[0]


def complement(x):
    return np.sum(x * (1 - (x > 0)))


def counted(x):
    return np.sum(x**2) / np.count_nonzero(x > -9) + np.mean(x > 0) * np.sum(x * 0.3)


def product_with_mask(x):
    return (x > 0) @ x * 0.1 + 0.1 * np.argmax(x) * x[0]


def whole_numbers(x):
    return np.sum(WHOLE * x * 0.1) + np.arange(4) @ x


def sorted_part(x):
    return np.max(x) * 0.1 + np.sum(x[np.argsort(x)][:2] * 0.3)


def repeated(x):
    return np.sum(np.bincount(np.array([0, 1, 1, 2]), x, 3) ** 2 * 0.1)


def step(x):
    return np.sum(np.heaviside(x, 0.5) * x * 0.1) + np.sum(np.cumsum(x > 0) * x * 0.1)


def hinge(w, X, y):
    return np.mean(np.maximum(0, 1 - y * (X @ w))) + 0.05 * w @ w


def network(W, b, v, X):
    return np.mean((np.maximum(X @ W + b, 0) @ v - 0.3) ** 2)


def pinball(q, y):
    r = y - q
    return np.mean(np.maximum(SLOPE * r, (SLOPE - 1) * r))


SHAPES = {
    "x": (4,), "w": (3,), "X": (4, 3), "y": (4,), "W": (3, 2), "b": (2,), "v": (2,), "q": (),
}  # fmt: skip
FUNCTIONS = (
    leaky, clipped, least, masked, equal, quotient_of_masks, complement, counted, sorted_part,
    product_with_mask, whole_numbers, repeated, step, hinge, network, pinball,
)  # fmt: skip


@pytest.mark.parametrize("language", ["numpy", "jax", "torch"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("f", FUNCTIONS)
def test_numbers_and_truth_values_lose_no_digits(f, dtype, language, in_double):
    in_double(language)
    rng = np.random.default_rng(0)
    names = f.__code__.co_varnames[: f.__code__.co_argcount]
    args = [np.asarray(rng.normal(size=SHAPES[name])).astype(dtype)[()] for name in names]
    double = [np.asarray(arg, dtype=float)[()] for arg in args]
    digits = {"rtol": 2e-5, "atol": 1e-6} if dtype == np.float32 else {"rtol": 1e-13, "atol": 1e-14}
    for what in ("gradient", "hessian"):
        space = {}
        exec(source_at(f, args, language, what), space)
        got = space[f"{'grad' if what == 'gradient' else what}_{f.__name__}"](*args)
        wanted = leaves(TRANSFORMS[what](f, tuple(range(len(args))))(*double))
        for one, exact in zip(leaves(got), wanted, strict=True):
            assert np.asarray(one).dtype == dtype
            np.testing.assert_allclose(np.asarray(one), exact, **digits)
