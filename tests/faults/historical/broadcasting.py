"""Broadcasting: gradients that are not summed over the axes that were stretched, or over others."""

from __future__ import annotations

import numpy as np

from tests.faults.historical.fault import Fault
from verify import box

__all__ = ["FAULTS"]

LABELS = np.arange(12.0).reshape(3, 4)
TABLE = np.array([[1.0, 2.0], [3.0, 4.0]])
ONE = np.ones(1)


def one_and_many(z):
    return np.exp(z) + np.sum(np.exp(z) - np.zeros(5))


def squared_misfit(x, row):
    return np.sum((LABELS - (x + row)) ** 2)


def misfit_slopes(x, row):
    return -2 * (LABELS - (x + row))


def log_density(x, mean):
    return -np.sum((x - mean) ** 2) / 2


FAULTS = [
    Fault(
        name="one exponential, used alone and stretched",
        source="https://github.com/pytorch/pytorch/issues/13669",
        what="The stretched use makes the other one count as often as itself.",
        function=one_and_many,
        wrong=lambda z: 10 * np.exp(z),
        right=lambda z: 6 * np.exp(z),
        over=[-3, 3],
        at=(1.0,),
    ),
    Fault(
        name="product with a stretched vector",
        source="https://github.com/pytorch/pytorch/issues/1787",
        what="The gradient has the shape of the product, and not that of the argument.",
        function=lambda a, b: np.sum(a * b),
        wrong=lambda a, b: (b, a * np.ones_like(b)),
        right=lambda a, b: (np.reshape(np.sum(b), (1,)), a * np.ones_like(b)),
        over=(box(-2, 2, shape=(1,)), box(-2, 2, shape=(3, 2))),
        at=(([1.0], [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]),),
    ),
    Fault(
        name="sum with a stretched row",
        source="https://github.com/deeplearning4j/nd4j/issues/2424",
        what="The gradient by the row is that by the whole table.",
        function=squared_misfit,
        wrong=lambda x, row: (misfit_slopes(x, row), misfit_slopes(x, row)),
        right=lambda x, row: (
            misfit_slopes(x, row),
            np.sum(misfit_slopes(x, row), axis=0, keepdims=True),
        ),
        over=(box(-20, 20, shape=(3, 4)), box(-5, 5, shape=(1, 4))),
        at=((np.ones((3, 4)), np.ones((1, 4))),),
        long=True,
    ),
    Fault(
        name="remainders of one number",
        source="https://github.com/Oneflow-Inc/oneflow/issues/8769",
        what="Two remainders of the same number give it a gradient each, and no sum.",
        function=lambda x, y: np.sum(np.fmod(x, y)),
        wrong=lambda x, y: (np.ones(2), -np.trunc(x / y)),
        right=lambda x, y: (np.full(1, 2.0), (np.fmod(x, y) - x) / y),
        over=(box(1, 9, shape=(1,)), box(0.5, 5, shape=(2, 1))),
        at=(([5.0], [[2.0], [2.0]]),),
        long=True,
    ),
    Fault(
        name="log-density of a table",
        source="https://github.com/probcomp/Gen.jl/issues/432",
        what="The gradient by the means is summed over all axes, those of the means as well.",
        function=log_density,
        wrong=lambda x, mean: (-(x - mean), np.sum(x - mean) * np.ones_like(mean)),
        right=lambda x, mean: (-(x - mean), np.sum(x - mean, axis=0)),
        over=(box(-3, 3, shape=(3, 2)), box(-3, 3, shape=(2,))),
        at=(([[1.0, 2.0], [0.0, 1.0], [2.0, 2.0]], [0.5, 0.25]),),
        long=True,
    ),
    Fault(
        name="einsum with an axis of length 1",
        source="https://github.com/HIPS/autograd/issues/376",
        what="The gradient takes the length of its axis from the other argument.",
        function=lambda x: np.einsum("i,i", x, ONE),
        wrong=lambda x: ONE + 0 * x[:1],
        right=lambda x: np.ones_like(x),
        over=box(-3, 3, shape=(2,)),
        at=([2.0, 2.0],),
    ),
    Fault(
        name="row vector times a matrix",
        source="https://github.com/JuliaDiff/ReverseDiff.jl/issues/235",
        what="The matrix is summed over its rows where it should be over its columns.",
        function=lambda y: np.sum(y @ TABLE),
        wrong=lambda y: np.sum(TABLE, axis=0) + 0 * y,
        right=lambda y: np.sum(TABLE, axis=1) + 0 * y,
        over=box(-5, 5, shape=(2,)),
        at=([5.0, 6.0],),
    ),
]
