"""Matrix functions: lost transpositions, singular matrices, repeated eigenvalues, lost terms."""

from __future__ import annotations

import numpy as np

from tests.faults.historical.fault import Fault
from verify import box, symmetric

__all__ = ["FAULTS"]

WEIGHTS = np.array([[1.0, -2.0], [0.5, 3.0]])
LOADS = np.array([[0.5, 1.0], [-2.0, 4.0], [1.0, -0.25]])


def weighted_inverse(a):
    return np.sum(WEIGHTS * np.linalg.inv(a))


def inverse_slopes_without_transposing(a):
    inverse = np.linalg.inv(a)
    return -(inverse @ (WEIGHTS @ inverse))


def inverse_slopes(a):
    inverse = np.linalg.inv(a)
    return -(inverse.T @ WEIGHTS @ inverse.T)


def cofactors(a):
    return np.stack([np.stack([a[1, 1], -a[1, 0]]), np.stack([-a[0, 1], a[0, 0]])])


def determinant_times_inverse(a):
    """0 where the determinant is."""
    determinant = a[0, 0] * a[1, 1] - a[0, 1] * a[1, 0]
    regular = determinant != 0
    inverse = cofactors(a) / np.where(regular, determinant, 1.0)
    return np.where(regular, determinant * inverse, 0.0)


def determinant_twice_with_a_constant_inverse(a):
    inverse = np.linalg.inv(a).T
    return np.linalg.det(a) * np.einsum("ij,kl->ijkl", inverse, inverse)


def determinant_twice(a):
    """The second derivative of ad - bc."""
    result = np.zeros((2, 2, 2, 2))
    result[0, 0, 1, 1] = result[1, 1, 0, 0] = 1.0
    result[0, 1, 1, 0] = result[1, 0, 0, 1] = -1.0
    return result + 0 * a[0, 0]


def weighted_square(a):
    return np.sum(WEIGHTS * (a @ a))


def square_slopes_by_eigenvectors(a):
    """Of a symmetric matrix: divided differences of the squared eigenvalues."""
    values, vectors = np.linalg.eigh(a)
    same = np.eye(2, dtype=bool)
    gaps = values[:, None] - values + same
    ratios = np.where(same, 2 * values, (values[:, None] ** 2 - values**2) / gaps)
    return vectors @ (ratios * (vectors.T @ WEIGHTS @ vectors)) @ vectors.T


def trace_of_scaled(x):
    scaled = np.diag(1 / x) @ LOADS
    return np.trace(scaled.T @ scaled)


FAULTS = [
    Fault(
        name="inverse, not transposed",
        source="https://github.com/pytorch/pytorch.github.io/issues/2135",
        what="The call that was to transpose the inverse leaves a NumPy array as it is.",
        function=weighted_inverse,
        wrong=inverse_slopes_without_transposing,
        right=inverse_slopes,
        over=box(-3, 3, shape=(2, 2)),
        at=([[2.0, -1.0], [1.0, 0.5]],),
        long=True,
    ),
    Fault(
        name="determinant of a singular matrix",
        source="https://github.com/pytorch/pytorch/issues/104675",
        what="The cofactors are computed as determinant times inverse, and are 0 with it.",
        function=np.linalg.det,
        wrong=determinant_times_inverse,
        right=cofactors,
        over=box(-3, 3, shape=(2, 2)),
        at=([[0.0, 1.0], [0.0, 1.0]],),
        long=True,
    ),
    Fault(
        name="second derivative of the determinant",
        source="https://github.com/pytorch/pytorch/issues/192540",
        what="The inverse in the first derivative is kept constant in the second.",
        function=np.linalg.det,
        wrong=determinant_twice_with_a_constant_inverse,
        right=determinant_twice,
        over=box(-3, 3, shape=(2, 2)),
        at=([[2.0, 1.0], [0.5, 3.0]],),
        quantity="hessian",
        long=True,
    ),
    Fault(
        name="repeated eigenvalues",
        source="https://github.com/jax-ml/jax/issues/669",
        what="The derivative divides by gaps of eigenvalues, also where they do not matter.",
        function=weighted_square,
        wrong=square_slopes_by_eigenvectors,
        right=lambda a: WEIGHTS @ a.T + a.T @ WEIGHTS,
        over=symmetric(2),
        at=([[2.0, 0.0], [0.0, 2.0]],),
        long=True,
    ),
    Fault(
        name="trace of a matrix times itself",
        source="https://github.com/EnzymeAD/Enzyme.jl/issues/2999",
        what="Of the two equal factors one is lost: the gradient is half of what it should be.",
        function=trace_of_scaled,
        wrong=lambda x: -np.sum(LOADS**2, axis=1) / x**3,
        right=lambda x: -2 * np.sum(LOADS**2, axis=1) / x**3,
        over=box(0.5, 5, shape=(3,)),
        at=([2.0, 2.0, 2.0],),
    ),
]
