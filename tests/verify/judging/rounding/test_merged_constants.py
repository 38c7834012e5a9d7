"""Constants worked out by hand: right claims pass wherever they meet, and near misses do not."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import pytest

import verify
from verify.model.verdict import Verdict

RIGHT_ANGLE: Final = np.array(
    [[np.cos(np.pi / 2), -np.sin(np.pi / 2)], [np.sin(np.pi / 2), np.cos(np.pi / 2)]]
)
FORM: Final = np.array([[0.1, 0.2], [0.4, 0.7]])
COEFFICIENTS: Final = [0.1, -0.7, 0.3, 1.1]
FAULTS: Final[dict[str, Callable[[Any], Any]]] = {
    "1 + 1e-10": lambda y: y * (1 + 1e-10),
    "1e-10 more": lambda y: y + 1e-10,
    "twice": lambda y: 2 * y,
}


def ackley(x: Any) -> Any:
    return -20 * np.exp(-0.2 * np.sqrt(0.5 * (x[0] ** 2 + x[1] ** 2)))


def by_ackley(x: Any) -> Any:
    root = np.sqrt(0.5 * (x[0] ** 2 + x[1] ** 2))
    return 4 * np.exp(-0.2 * root) * 0.5 * x / root


def lennard_jones(r: Any) -> Any:
    return 4 * 0.238 * ((3.4 / r) ** 12 - (3.4 / r) ** 6)


def by_lennard_jones(r: Any) -> Any:
    return 24 * 0.238 / r * ((3.4 / r) ** 6 - 2 * (3.4 / r) ** 12)


def antoine(t: Any) -> Any:
    return 10 ** (8.07131 - 1730.63 / (233.426 + t))


def by_antoine(t: Any) -> Any:
    return math.log(10) * 1730.63 / (233.426 + t) ** 2 * antoine(t)


def banana(x: Any) -> Any:
    return 0.1 * (x[1] - x[0] ** 2) ** 2 + 0.3 * (1 - x[0]) ** 2


def by_banana(x: Any) -> Any:
    bend = x[1] - x[0] ** 2
    return np.array([-0.4 * x[0] * bend - 0.6 * (1 - x[0]), 0.2 * bend])


def himmelblau(x: Any) -> Any:
    return (0.1 * x[0] ** 2 + x[1] - 1.1) ** 2 + (x[0] + 0.1 * x[1] ** 2 - 0.7) ** 2


def by_himmelblau(x: Any) -> Any:
    one, other = 0.1 * x[0] ** 2 + x[1] - 1.1, x[0] + 0.1 * x[1] ** 2 - 0.7
    return np.array([0.4 * x[0] * one + 2 * other, 2 * one + 0.4 * x[1] * other])


def real_root(p: Any) -> Any:
    """The root r of ``r - 2.5 / sqrt(r) = p``, by complex numbers, of which many digits cancel."""
    turn = 1.0 - 1.0j * 1.7320508075688772
    inside = 1.7320508075688772 * (168.75 - 4.0 * p * p * p) ** 0.5 - 22.5 + 0j
    third = inside ** (1.0 / 3.0)
    root = 11.537996562459266 * p / (turn * third) + 1.2599210498948732 * turn * third
    return (3.3019272488946263 * root * root / 144.0).real


def by_real_root(p: Any) -> Any:
    return 1 / (1 + 1.25 * real_root(p) ** -1.5)


MERGED: Final[dict[str, tuple[Callable[..., Any], Callable[..., Any], Sequence[Any]]]] = {
    "cubic": (
        lambda x: 0.1 * x**3 - 0.3 * x,
        lambda x: 0.3 * x**2 - 0.3,
        [1.0, -1.0, 0.5, 0.0, 1 + 1e-10],
    ),
    "cubic in factors": (
        lambda x: 0.1 * x**3 - 0.3 * x,
        lambda x: 0.3 * (x - 1) * (x + 1),
        [1.0, -1.0, 0.5, 1 + 1e-10],
    ),
    "another cubic": (lambda x: 1.1 * x**3 - 3.3 * x, lambda x: 3.3 * x**2 - 3.3, [1.0, -1.0, 0.3]),
    "nothing is left": (lambda x: 0.1 * x + 0.2 * x - 0.3 * x + x**2, lambda x: 2 * x, [0.0, 1.0]),
    "an eighth of a turn": (
        lambda x: np.sin(x + np.pi / 4) ** 2,
        lambda x: np.cos(2 * x),
        [0.0, np.pi / 4, 1.0, 3.0],
    ),
    "a half of a turn": (lambda x: np.cos(x + np.pi), np.sin, [0.0, 1e-20, 1.0, np.pi]),
    "a shift in turns": (
        lambda t: np.cos(2 * np.pi * t + np.pi / 3),
        lambda t: -2 * np.pi * np.sin(2 * np.pi * (t + 1 / 6)),
        [0.0, 1 / 3, 5 / 6, 1 / 12],
    ),
    "a matrix that turns": (
        lambda x: (RIGHT_ANGLE @ x)[0],
        lambda x: np.array([0, -1.0]),
        [[1.0, 2.0]],
    ),
    "ackley": (ackley, by_ackley, [[1.0, 2.0], [0.1, 0.0], [30.0, 30.0]]),
    "a root": (lambda x: x ** (1 / 1.5), lambda x: 2 / 3 * x ** (-1 / 3), [0.3, 1.0, 1e10, 1e-100]),
    "another root": (lambda x: x ** (1 / 3), lambda x: x ** (-2 / 3) / 3, [0.3, 1.0, 2.0]),
    "a power": (lambda x: x**1.5, lambda x: 1.5 * x**0.5, [0.3, 1.0, 2.0]),
    "degrees": (
        lambda x: np.sin(np.deg2rad(x)),
        lambda x: np.pi / 180 * np.cos(x * np.pi / 180),
        [0.0, 30.0, 90.0, 180.0, 270.0],
    ),
    "normal density": (
        lambda x: 0.3989422804014327 * np.exp(-x * x / 2),
        lambda x: -x * np.exp(-x * x / 2) / np.sqrt(2 * np.pi),
        [0.0, 1.0, 5.0],
    ),
    "lennard-jones": (lennard_jones, by_lennard_jones, [3.0, 3.4 * 2 ** (1 / 6), 10.0]),
    "antoine": (antoine, by_antoine, [20.0, 100.0]),
    "softplus": (
        lambda x: np.log1p(np.exp(0.7 * x)) / 0.7,
        lambda x: 1 / (1 + np.exp(-0.7 * x)),
        [-3.0, 0.0, 2.0],
    ),
    "banana": (banana, by_banana, [[1.0, 1.0], [-1.2, 1.0], [0.1, 0.01]]),
    "himmelblau": (himmelblau, by_himmelblau, [[3.0, 2.0], [0.0, 0.0]]),
    "log10": (np.log10, lambda x: 0.4342944819032518 / x, [0.5, 3.0]),
    "half-life": (
        lambda t: np.exp(-np.log(2) * t / 5730),
        lambda t: -0.00012096809433855938 * np.exp(-0.00012096809433855938 * t),
        [0.5, 3000.0],
    ),
    "polynomial": (
        lambda x: np.polyval(COEFFICIENTS, x),
        lambda x: np.polyval(np.polyder(COEFFICIENTS), x),
        [0.0, 1.0, 0.2257081148],
    ),
    "polynomial by hand": (
        lambda x: np.polyval(COEFFICIENTS, x),
        lambda x: np.polyval([0.3, -1.4, 0.3], x),
        [0.0, 1.0, 4.44],
    ),
    "quadratic form": (
        lambda x: x @ FORM @ x,
        lambda x: np.array([[0.2, 0.6], [0.6, 1.4]]) @ x,
        [[1.0, 2.0], [3.0, -1.0], [0.0, 0.0]],
    ),
    "logarithmic halo": (
        lambda r: 0.5 * 1.3 * np.log(r**2 + (0.1 / 0.7) ** 2 + 0.05**2),
        lambda r: 1.3 * r / (r**2 + 0.01 / 0.49 + 0.0025),
        [1.0, 0.1],
    ),
    "a root by complex numbers": (real_root, by_real_root, [0.3, 0.05]),
}


@pytest.mark.parametrize("name", MERGED)
def test_a_right_claim_is_correct_wherever_its_constants_meet(name: str) -> None:
    function, claim, points = MERGED[name]
    result = verify.gradient(function, claim, at=list(points))
    assert result.verdict is Verdict.CORRECT, str(result)


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", MERGED)
def test_a_near_miss_is_wrong(name: str, fault: str) -> None:
    function, claim, points = MERGED[name]
    result = verify.gradient(function, lambda x: FAULTS[fault](claim(x)), at=list(points))
    assert result.verdict is Verdict.WRONG, str(result)


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("name", ["cubic", "another cubic", "an eighth of a turn", "degrees"])
def test_a_search_does_not_find_a_point_that_accuses(name: str) -> None:
    function, claim, _ = MERGED[name]
    result = verify.gradient(function, claim, over=[-4, 4], effort=0.3)
    assert result.verdict is Verdict.CORRECT, str(result)


@pytest.mark.parametrize(
    "claim",
    [
        lambda x: np.where(x == 3.7, 0.0, np.cos(x)),
        lambda x: np.cos(x) * np.sign(x - 3.7) ** 2,
        lambda x: np.cos(x) * (x != 3.7),
        lambda x: np.where(x < 3.7, np.cos(x), np.where(x > 3.7, np.cos(x), 2 * np.cos(x))),
    ],
)
def test_constants_are_no_excuse_of_what_is_wrong_at_one_number(claim: Any) -> None:
    result = verify.gradient(np.sin, claim, at=[3.7])
    assert result.verdict is Verdict.WRONG, str(result)


def test_code_that_is_not_followed_may_have_merged_constants_as_well() -> None:
    def claim(x: Any) -> Any:
        return 0.3 * float(x) ** 2 - 0.3

    result = verify.gradient(lambda x: 0.1 * x**3 - 0.3 * x, claim, at=[0.5, 1 + 1e-10])
    assert result.verdict is Verdict.CORRECT, str(result)


def test_what_hangs_on_the_last_digits_alone_is_undecided() -> None:
    result = verify.gradient(
        lambda x: np.sin(1e17 * (0.1 * x)), lambda x: 1e16 * np.cos(1e16 * x), at=[1.0]
    )
    assert result.verdict is Verdict.UNDECIDED, str(result)


@pytest.mark.parametrize("quantity", ["jacobian", "hessian", "hvp", "vjp", "jvp"])
def test_merged_constants_are_excused_of_every_quantity(quantity: str) -> None:
    def function(x: Any) -> Any:
        powers = 0.1 * x**3 - 0.3 * x
        return np.sum(powers) if quantity in ("hessian", "hvp") else powers

    slope = {
        "jacobian": lambda x: np.diag(0.3 * x**2 - 0.3),
        "hessian": lambda x: np.diag(0.6 * x),
        "hvp": lambda x, v: 0.6 * x * v,
        "vjp": lambda x, g: (0.3 * x**2 - 0.3) * g,
        "jvp": lambda x, t: (0.3 * x**2 - 0.3) * t,
    }[quantity]
    result = verify.derivative(quantity, function, slope, at=[[1.0, 0.7]])
    assert result.verdict is Verdict.CORRECT, str(result)
