"""NaN where there is a derivative: 0 by 0, 0 times infinity, in branches nobody takes."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from tests.faults.historical.fault import Fault
from tests.faults.historical.tails import sinc_slope
from verify import box

__all__ = ["FAULTS"]

BASES = np.array([0.0, 2.0, 3.0])
SHOWN = np.array([1.0, 0.0, 1.0])
ACROSS, ALONG = np.array([1.0, 0.0]), np.array([4.0, 0.0])


def long_rows(x):
    """Lengths of the rows, 1 for those that are short."""
    lengths = np.sqrt(np.sum(x**2, axis=1))
    return np.sum(np.where(lengths > 0.5, lengths, 1.0))


def long_rows_masked_late(x):
    lengths = np.sqrt(np.sum(x**2, axis=1, keepdims=True))
    return (lengths > 0.5) * (x / lengths)


def long_rows_masked_early(x):
    squares = np.sum(x**2, axis=1, keepdims=True)
    long = squares > 0.25
    return np.where(long, x / np.sqrt(np.where(long, squares, 1.0)), 0.0)


def squared_norm_through_the_norm(x):
    norm = np.linalg.norm(x)
    return 2 * norm * (x / norm)


def products_of_the_others(x):
    return np.stack([x[1] * x[2], x[0] * x[2], x[0] * x[1]])


def mixed_products(x):
    zero = 0 * x[0]
    return np.stack([
        np.stack([zero, x[2], x[1]]),
        np.stack([x[2], zero, x[0]]),
        np.stack([x[1], x[0], zero]),
    ])  # fmt: skip


def no_products_of_two_zeros(x):
    return np.where(np.sum(x == 0) > 1, 0.0, mixed_products(x))


def squares_of_products(x):
    return np.sum(np.cumprod(x) ** 2)


def cumprod_by_division(x):
    products = np.cumprod(x)
    return np.flip(np.cumsum(np.flip(2 * products * products))) / x


def cumprod_by_recurrence(x):
    g0, g1, g2 = 2 * x[0], 2 * x[0] * x[1], 2 * x[0] * x[1] * x[2]
    return np.stack([
        g0 + x[1] * (g1 + x[2] * g2),
        x[0] * (g1 + x[2] * g2),
        x[0] * x[1] * g2,
    ])  # fmt: skip


def sinc_slope_by_quotient(x):
    z = np.pi * x
    return np.pi * (z * np.cos(z) - np.sin(z)) / (z * z)


def sinc_curvature_by_quotient(x):
    z = np.pi * x
    return np.pi**2 * ((2 - z * z) * np.sin(z) - 2 * z * np.cos(z)) / z**3


def sinc_curvature(x):
    """In Python's own floats: the series where the closed form cancels."""
    z = math.pi * float(x)
    if abs(z) > 1:
        s, c = math.sin(z), math.cos(z)
        return math.pi**2 * (-s / z - 2 * c / z**2 + 2 * s / z**3)
    terms = [
        (-1) ** k * 2 * k * (2 * k - 1) * z ** (2 * k - 2) / math.factorial(2 * k + 1)
        for k in range(1, 14)
    ]
    return math.pi**2 * math.fsum(terms)


def sum_of_powers(y):
    return np.sum(BASES**y)


def sum_of_powers_slope(y):
    moving = BASES[1:]
    return np.sum(moving**y * np.log(moving))


def incomplete_gamma_slope(x):
    order = 1.0
    return np.exp(-x + (order - 1) * np.log(x) - special.gammaln(order))


def masked_logsumexp(x):
    return np.logaddexp(x[0], x[2])


def masked_softmax(x):
    share = special.expit(x[0] - x[2])
    return np.stack([share, 0 * x[1], special.expit(x[2] - x[0])])


def corner_of_roots(a):
    return np.sqrt(ACROSS + a * ALONG)[0]


def corner_slope_through_all(a):
    return np.sum(np.array([1.0, 0.0]) * (ALONG / (2 * np.sqrt(ACROSS + a * ALONG))))


FAULTS = [
    Fault(
        name="where after the root",
        source="https://github.com/jax-ml/jax/issues/347",
        what="The root of 0 in the branch that is not taken has an infinite slope, times 0.",
        function=long_rows,
        wrong=long_rows_masked_late,
        right=long_rows_masked_early,
        over=box(-2, 2, shape=(2, 2)),
        at=([[0.0, 0.0], [1.0, 2.0]],),
        long=True,
    ),
    Fault(
        name="square of the norm at 0",
        source="https://github.com/HIPS/autograd/issues/570",
        what="The chain rule goes through the norm, which has no derivative at 0; its square has.",
        function=lambda x: np.sum(x * x),
        wrong=squared_norm_through_the_norm,
        right=lambda x: 2 * x,
        over=box(-2, 2, shape=(3,)),
        at=([0.0, 0.0, 0.0],),
    ),
    Fault(
        name="product with a zero",
        source="https://github.com/tinygrad/tinygrad/pull/17404",
        what="The product of the others is computed as product / entry.",
        function=np.prod,
        wrong=lambda x: np.prod(x) / x,
        right=products_of_the_others,
        over=box(-3, 3, shape=(3,)),
        at=([0.0, 2.0, 3.0],),
    ),
    Fault(
        name="second derivative of a product with two zeros",
        source="https://github.com/pytorch/pytorch/issues/106789",
        what="With two zeros the gradient is given as a constant, so that its derivative is 0.",
        function=np.prod,
        wrong=no_products_of_two_zeros,
        right=mixed_products,
        over=box(-3, 3, shape=(3,)),
        at=([2.0, 0.0, 0.0],),
        quantity="hessian",
        long=True,
    ),
    Fault(
        name="running product with a zero",
        source="https://github.com/Theano/Theano/issues/5197",
        what="The rule divides by the entries.",
        function=squares_of_products,
        wrong=cumprod_by_division,
        right=cumprod_by_recurrence,
        over=box(-3, 3, shape=(3,)),
        at=([1.0, 0.0, 2.0],),
        long=True,
    ),
    Fault(
        name="sinc at 0",
        source="https://github.com/pytorch/pytorch/issues/53989",
        what="The quotient rule is 0 by 0 where the function has its maximum.",
        function=np.sinc,
        wrong=sinc_slope_by_quotient,
        right=sinc_slope,
        over=[-3, 3],
        at=(0.0,),
    ),
    Fault(
        name="second derivative of sinc at 0",
        source="https://github.com/pytorch/pytorch/issues/89459",
        what="Only the first derivative was fixed at 0; the second is NaN, and not -pi²/3.",
        function=np.sinc,
        wrong=sinc_curvature_by_quotient,
        right=sinc_curvature,
        over=[-3, 3],
        at=(0.0,),
        quantity="hessian",
        long=True,
    ),
    Fault(
        name="power of zero by its exponent",
        source="https://github.com/tensorflow/tfjs/issues/346",
        what="0 to the y is constant, but its slope is computed with the logarithm of 0.",
        function=sum_of_powers,
        wrong=lambda y: np.sum(BASES**y * np.log(BASES)),
        right=sum_of_powers_slope,
        over=[0.5, 4],
        at=(2.0,),
    ),
    Fault(
        name="square at 0",
        source="https://github.com/ekmett/ad/issues/4",
        what="The slope of a power is computed as exponent times power by base.",
        function=lambda x: x**2,
        wrong=lambda x: 2 * x**2 / x,
        right=lambda x: 2 * x,
        over=[-5, 5],
        at=(0.0,),
    ),
    Fault(
        name="power at 0",
        source="https://github.com/coin-or/CppAD/issues/92",
        what="The power is computed as the exponential of a logarithm, and so is its slope.",
        function=lambda x: x**1.875,
        wrong=lambda x: np.exp(1.875 * np.log(x)) * (1.875 / x),
        right=lambda x: 1.875 * x**0.875,
        over=[0, 5],
        at=(0.0,),
    ),
    Fault(
        name="incomplete gamma function at 0",
        source="https://github.com/tensorflow/tensorflow/issues/123578",
        what="For order 1 the density at 0 is exp(0 · log 0), and not 1.",
        function=lambda x: special.gammainc(1.0, x),
        wrong=incomplete_gamma_slope,
        right=lambda x: np.exp(-x),
        over=[0, 5],
        at=(0.0,),
    ),
    Fault(
        name="log-sum-exp of some entries",
        source="https://github.com/jax-ml/jax/issues/23842",
        what="An entry that is masked out may overflow, and infinity times the mask is NaN.",
        function=masked_logsumexp,
        wrong=lambda x: SHOWN * np.exp(x - masked_logsumexp(x)),
        right=masked_softmax,
        over=box(-1000, 1000, shape=(3,)),
        at=([0.0, 900.0, 1.0],),
        long=True,
    ),
    Fault(
        name="one of many roots",
        source="https://github.com/Theano/Theano/issues/1996",
        what="Roots that are not used at all, of 0, spoil the gradient of the one that is.",
        function=corner_of_roots,
        wrong=corner_slope_through_all,
        right=lambda a: 2 / np.sqrt(1 + 4 * a),
        over=[0.5, 3],
        at=(1.0,),
    ),
]
