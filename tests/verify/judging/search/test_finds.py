"""Wrong gradients as people have written them, found from their regions; and right twins."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import verify
from verify.judging.judge import verify_case
from verify.model.case import Case, region_of
from verify.model.verdict import Verdict

STANDS = {Verdict.CORRECT, Verdict.KINK}


@dataclass(frozen=True)
class Plant:
    """A function, a wrong gradient of it and a right one, and where they are to be told apart."""

    name: str
    function: Any
    wrong: Any
    right: Any
    over: Any
    quantity: str = "gradient"


def sigmoid(x):
    return np.where(
        x >= 0, 1 / (1 + np.exp(-np.abs(x))), np.exp(-np.abs(x)) / (1 + np.exp(-np.abs(x)))
    )


def logistic(x):
    return 1 / (1 + np.exp(-x))


def softplus(x):
    return np.logaddexp(0.0, x)


def stretch(x):
    return np.sum(np.maximum(x, 0.0) ** 2)


def norm(x):
    return np.hypot(np.hypot(x[0], x[1]), x[2])


def norm_gradient(x):
    size = norm(x)
    return x / (size if size else 1.0)


def prod_gradient(x):
    return np.array([np.prod(np.delete(x, k)) for k in range(x.size)])


def huber(x):
    return np.where(np.abs(x) <= 1.5, 0.5 * x * x, 1.5 * (np.abs(x) - 0.75))


def staircase(x):
    if x > 17.25:
        return x * x
    return np.sin(x)


def staircase_gradient(x, edge=17.25):
    return 2 * x if x > edge else np.cos(x)


def diagonal_only(x):
    return np.diag(2 * x)


def cyclic(x):
    return x * np.roll(x, -1)


def cyclic_jacobian(x):
    found = np.diag([x[1], x[2], x[0]])
    found[0, 1], found[1, 2], found[2, 0] = x
    return found


def masked_log(x):
    return np.sum(np.where(x > 0, np.log(np.where(x > 0, x, 1.0)), 0.0))


def masked_log_wrong(x):
    return (x > 0) * (1 / x)


def masked_log_right(x):
    return np.where(x > 0, 1 / np.where(x > 0, x, 1.0), 0.0)


def added(x, y):
    return np.sum((x + y) ** 2)


def added_wrong(x, y):
    s = 2 * (x + y)
    return s.sum(axis=0, keepdims=True) * np.ones(x.shape), s * np.ones(y.shape)


def added_right(x, y):
    s = 2 * (x + y)
    return s.sum(axis=0, keepdims=True), s.sum(axis=1, keepdims=True)


def added_size_one(x, y):
    """Sums over the first axis, right as long as the second is not of size 1."""
    s = 2 * (x + y)
    return s.sum(axis=0, keepdims=True), s.sum(axis=0, keepdims=True).T * np.ones(y.shape)


def sum_over(x):
    return np.sum(np.exp(x) * np.arange(1.0, 4.0))


SIGNED = verify.box(-3, 3, shape=(3,))

PLANTS = [
    Plant(
        "tanh, zero tail",
        np.tanh,
        lambda x: 1 - np.tanh(x) ** 2,
        lambda x: 1 / np.cosh(x) ** 2,
        [-60, 60],
    ),
    Plant("expm1, zero tail", np.expm1, lambda x: np.expm1(x) + 1, np.exp, [-60, 60]),
    Plant(
        "sigmoid, zero tail",
        sigmoid,
        lambda x: sigmoid(x) * (1 - sigmoid(x)),
        lambda x: sigmoid(x) * sigmoid(-x),
        [-60, 60],
    ),
    Plant(
        "sigmoid, overflow",
        sigmoid,
        lambda x: np.exp(-x) / (1 + np.exp(-x)) ** 2,
        lambda x: sigmoid(x) * sigmoid(-x),
        [-1000, 1000],
    ),
    Plant(
        "softplus, threshold",
        softplus,
        lambda x: np.where(x > 20, 1.0, sigmoid(x)),
        sigmoid,
        [-60, 60],
    ),
    Plant(
        "softplus, overflow", softplus, lambda x: np.exp(x) / (1 + np.exp(x)), sigmoid, [-800, 800]
    ),
    Plant("cancellation", lambda x: x * x / 2, lambda x: (1 + x) - 1, lambda x: x, [-10, 10]),
    Plant(
        "power, negative base",
        lambda x: x**3,
        lambda x: 3 * np.exp(2 * np.log(x)),
        lambda x: 3 * x**2,
        [-5, 5],
    ),
    Plant("power, at zero", lambda x: x**2, lambda x: 2 * x**2 / x, lambda x: 2 * x, [-5, 5]),
    Plant(
        "x log x by quotient",
        lambda x: x**1.5,
        lambda x: 1.5 * x**1.5 / x,
        lambda x: 1.5 * np.sqrt(x),
        [0, 9],
    ),
    Plant(
        "wrong at whole numbers",
        np.sin,
        lambda x: np.cos(x) * (1 - (x == np.floor(x))),
        np.cos,
        [-30, 30],
    ),
    Plant(
        "wrong at one number",
        np.sin,
        lambda x: np.where(x == 3.7, 0.0, np.cos(x)),
        np.cos,
        [-30, 30],
    ),
    Plant(
        "wrong branch point",
        staircase,
        lambda x: staircase_gradient(x, 17.2501),
        staircase_gradient,
        [-60, 60],
    ),
    Plant(
        "sign on one side", np.abs, lambda x: np.where(x < -50, 1.0, np.sign(x)), np.sign, [-60, 60]
    ),
    Plant(
        "period", np.sin, lambda x: np.cos(np.where(np.abs(x) > 50, x + 1e-9, x)), np.cos, [-60, 60]
    ),
    Plant("degrees", np.sin, lambda x: np.cos(np.radians(x)), np.cos, [-60, 60]),
    Plant(
        "tiny arguments",
        np.arctan,
        lambda x: np.where(np.abs(x) < 1e-200, 0.0, 1 / (1 + x * x)),
        lambda x: 1 / (1 + x * x),
        [-1, 1],
    ),
    Plant(
        "large arguments",
        np.arctan,
        lambda x: 1 / (1 + x**4) ** 0.5,
        lambda x: 1 / (1 + x * x),
        [-1e8, 1e8],
    ),
    Plant(
        "hypot, overflow",
        lambda x: np.hypot(x, 1.0),
        lambda x: x / np.sqrt(x * x + 1),
        lambda x: x / np.hypot(x, 1.0),
        [-1e200, 1e200],
    ),
    Plant(
        "window",
        np.exp,
        lambda x: np.where(np.abs(x - 2.345) < 1e-3, 0.0, np.exp(x)),
        np.exp,
        [-5, 5],
    ),
    Plant(
        "norm at zero", norm, lambda x: x / np.sqrt(np.sum(x * x) + 1e-12), norm_gradient, SIGNED
    ),
    Plant("prod at zero", np.prod, lambda x: np.prod(x) / x, prod_gradient, SIGNED),
    Plant("relu squared", stretch, lambda x: 2 * x, lambda x: 2 * np.maximum(x, 0.0), SIGNED),
    Plant(
        "huber",
        lambda x: np.sum(huber(x)),
        lambda x: np.where(np.abs(x) <= 1, x, 1.5 * np.sign(x)),
        lambda x: np.where(np.abs(x) <= 1.5, x, 1.5 * np.sign(x)),
        SIGNED,
    ),
    Plant(
        "one entry, one sign",
        sum_over,
        lambda x: np.exp(x) * np.where(x < -2.9, 1.0, np.arange(1.0, 4.0)),
        lambda x: np.exp(x) * np.arange(1.0, 4.0),
        SIGNED,
    ),
    Plant("NaN trap of where", masked_log, masked_log_wrong, masked_log_right, SIGNED),
    Plant(
        "ties of max",
        np.max,
        lambda x: (x == np.max(x)).astype(float),
        lambda x: (x == np.max(x)) / np.sum(x == np.max(x)),
        SIGNED,
    ),
    Plant(
        "diagonal only",
        lambda x: np.outer(x, x)[0] * 1.0,
        diagonal_only,
        lambda x: np.eye(3) * x[0] + np.outer(x, [1.0, 0, 0]),
        SIGNED,
        "jacobian",
    ),
    Plant(
        "transposed", cyclic, lambda x: cyclic_jacobian(x).T, cyclic_jacobian, SIGNED, "jacobian"
    ),
    Plant(
        "Hessian, missing cross terms",
        np.prod,
        lambda x: np.zeros((3, 3)),
        lambda x: np.array([[0, x[2], x[1]], [x[2], 0, x[0]], [x[1], x[0], 0]]),
        SIGNED,
        "hessian",
    ),
    Plant(
        "log det, sign",
        lambda a: np.linalg.slogdet(a)[1],
        lambda a: np.linalg.inv(a),
        lambda a: np.linalg.inv(a).T,
        verify.box(-2, 2, shape=(2, 2)),
    ),
    Plant(
        "quadratic form, half",
        lambda a: np.sum(a @ a),
        lambda a: 2 * np.ones((2, 2)) @ a.T,
        lambda a: np.ones((2, 2)) @ a.T + a.T @ np.ones((2, 2)),
        verify.box(-2, 2, shape=(2, 2)),
    ),
    Plant(
        "dropped broadcast sum",
        added,
        added_wrong,
        added_right,
        (verify.box(-2, 2, shape=(1, 3)), verify.box(-2, 2, shape=(4, 1))),
    ),
    Plant(
        "axes of size 1",
        added,
        added_size_one,
        added_right,
        (verify.box(-2, 2, shape=[(1, 1), (1, 3)]), verify.box(-2, 2, shape=[(1, 1), (3, 1)])),
    ),
]


LITTLE = 0.06
"""Of the effort that a call makes by default: the harder for a search."""


def searched(plant, claim, effort=LITTLE):
    region = region_of(plant.function, plant.over)
    case = Case(plant.name, plant.name, plant.function, (), plant.quantity, claim, over=region)
    return verify_case(case, effort=effort)


@pytest.mark.slow
@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: plant.name)
def test_a_wrong_gradient_is_found_from_its_region_alone(plant):
    result = searched(plant, plant.wrong)
    assert result.verdict.fails
    assert result.witness.verdict is result.verdict


@pytest.mark.slow
@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: plant.name)
def test_its_right_twin_is_not_accused(plant):
    result = searched(plant, plant.right)
    assert result.verdict in STANDS
    assert not result.coverage.stopped
    paths = result.coverage.paths
    assert paths[0] == paths[1]


def tree(p):
    """A payoff on a binomial tree of two steps."""
    s, v = p
    up = np.exp(v * 0.5)
    chance = (1.01 - 1 / up) / (up - 1 / up)
    high, middle, low = (np.maximum(s * up**k - 1, 0) for k in (2, 0, -2))
    first = chance * high + (1 - chance) * middle
    second = chance * middle + (1 - chance) * low
    return (chance * first + (1 - chance) * second) / 1.01**2


def tree_slopes(strike):
    """The slopes of the tree, with what the middle leaf is compared with."""

    def slopes(p):
        s, v = p
        up = np.exp(v * 0.5)
        width = up - 1 / up
        chance = (1.01 - 1 / up) / width
        by_volatility = (1 / up**2 - chance * (1 + 1 / up**2)) / width * (0.5 * up)
        on = [float(s * up**2 > 1), float(s > strike), float(s > up**2)]
        pay = [on[0] * (s * up**2 - 1), on[1] * (s - 1), on[2] * (s / up**2 - 1)]
        chances = [chance**2, 2 * chance * (1 - chance), (1 - chance) ** 2]
        moved = [2 * chance, 2 - 4 * chance, -2 * (1 - chance)]
        by_s = sum(c * o * up**k for c, o, k in zip(chances, on, (2, 0, -2), strict=True))
        by_v = sum(d * y for d, y in zip(moved, pay, strict=True)) * by_volatility
        by_v += chances[0] * on[0] * s * up**2 - chances[2] * on[2] * s / up**2
        return np.array([by_s, by_v]) / 1.01**2

    return slopes


@pytest.mark.long
def test_a_claim_that_changes_its_way_a_little_late_is_not_taken_for_a_kink():
    region = verify.box([0.6, 0.1], [1.4, 0.6])
    assert verify.gradient(tree, tree_slopes(1.0), over=region).verdict is Verdict.KINK
    late = verify.gradient(tree, tree_slopes(1.001), over=region)
    assert late.verdict is Verdict.WRONG
    assert 1 < late.witness.x[0][0] <= 1.001


@pytest.mark.campaign
@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: plant.name)
def test_a_search_at_length_agrees(plant):
    assert searched(plant, plant.wrong, 4.0).verdict.fails
    assert searched(plant, plant.right, 4.0).verdict in STANDS
