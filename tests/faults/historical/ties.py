"""Ties and kinks: gradients at max, median, norms and roots that no choice there makes right."""

from __future__ import annotations

import numpy as np

from tests.faults.historical.fault import Fault
from verify import box

__all__ = ["FAULTS"]


def shared(hits):
    return hits / np.sum(hits)


def deviation(x):
    return np.std(x, ddof=1)


def deviation_slopes(x):
    return (x - np.mean(x)) / ((x.size - 1) * np.std(x, ddof=1))


def deviation_slopes_with_a_floor(x):
    s = np.std(x, ddof=1)
    flat = s == 0
    return np.where(flat, 0.0, (x - np.mean(x)) / ((x.size - 1) * np.where(flat, 1.0, s)))


def unit(x):
    """By entries of size 1: the squares of small ones would underflow."""
    largest = np.max(np.abs(x))
    scaled = x / np.where(largest == 0, 1.0, largest)
    return scaled / np.where(largest == 0, 1.0, np.linalg.norm(scaled))


def distance_slopes(x, y):
    direction = (x - y) / np.linalg.norm(x - y)
    return direction, -direction


FAULTS = [
    Fault(
        name="maximum of equal entries",
        source="https://github.com/apache/mxnet/issues/18563",
        what="Each of the equal entries gets all of the gradient, and not a share of it.",
        function=np.max,
        wrong=lambda x: (x == np.max(x)) * 1.0,
        right=lambda x: shared(x == np.max(x)),
        over=box(-3, 3, shape=(4,)),
        at=([1.0, 1.0, 1.0, 1.0],),
    ),
    Fault(
        name="maximum of one number twice",
        source="https://github.com/HIPS/autograd/pull/141",
        what="Both places of the same number count, so the identity has slope 2.",
        function=lambda x: np.max(np.stack([x, x])),
        wrong=lambda x: 2.0 + 0 * x,
        right=lambda x: 1.0 + 0 * x,
        over=[-5, 5],
        at=(1.0,),
    ),
    Fault(
        name="median of equal entries",
        source="https://github.com/PaddlePaddle/Paddle/pull/42385",
        what="Every entry that equals the median gets the gradient, not the one that is chosen.",
        function=np.median,
        wrong=lambda x: (x == np.median(x)) * 1.0,
        right=lambda x: shared(x == np.median(x)),
        over=box(-3, 3, shape=(3,)),
        at=([1.0, 1.0, 2.0],),
        long=True,
    ),
    Fault(
        name="clip by the number itself",
        source="https://github.com/Theano/Theano/issues/633",
        what="Only the clipped argument gets a gradient, the bound, which is the same, none.",
        function=lambda x: np.clip(x, 0.0, x),
        wrong=lambda x: ((x > 0) & (x < x)) * 1.0,
        right=lambda x: 1.0 + 0 * x,
        over=[0.5, 10],
        at=(5.0,),
    ),
    Fault(
        name="deviation of equal entries",
        source="https://github.com/stan-dev/stan/pull/411",
        what="The chain rule divides by the deviation, 0 by 0 where all entries are equal.",
        function=deviation,
        wrong=deviation_slopes,
        right=deviation_slopes_with_a_floor,
        over=box(-3, 3, shape=(3,)),
        at=([1.0, 1.0, 1.0],),
        long=True,
    ),
    Fault(
        name="norm at 0",
        source="https://github.com/HIPS/autograd/issues/151",
        what="x divided by its norm is NaN at 0, where any vector of the unit ball would do.",
        function=np.linalg.norm,
        wrong=lambda x: x / np.linalg.norm(x),
        right=unit,
        over=box(-3, 3, shape=(3,)),
        at=([0.0, 0.0, 0.0],),
    ),
    Fault(
        name="distance of equal points",
        source="https://github.com/PaddlePaddle/Paddle/pull/32448",
        what="Where the two points are the same the gradient is NaN.",
        function=lambda x, y: np.linalg.norm(x - y),
        wrong=distance_slopes,
        right=lambda x, y: (unit(x - y), -unit(x - y)),
        over=(box(-3, 3, shape=(2,)), box(-3, 3, shape=(2,))),
        at=(([1.0, 2.0], [1.0, 2.0]),),
        long=True,
    ),
    Fault(
        name="root of a square at 0",
        source="https://github.com/JuliaDiff/ForwardDiff.jl/issues/171",
        what="The infinite slope of the root meets the slope 0 of the square: NaN.",
        function=lambda x: np.sqrt(x * x),
        wrong=lambda x: 0.5 / np.sqrt(x * x) * (2 * x),
        right=np.sign,
        over=[-5, 5],
        at=(0.0,),
    ),
]
