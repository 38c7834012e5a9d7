"""Where rounding picks the branch each side's derivative passes, and nothing else does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

import verify
from verify.model.verdict import Verdict

WEIGHTS: Final = np.array([[0.1, 0.3], [0.6, -0.2]])
SHIFTS: Final = np.array([0.7, 0.4])
AT_REST: Final = np.array([0.2265805430843072, -0.23806839285192496, 1.1541164143276543])
ROWS: Final = np.array([[0.1, 0.3, 0.6], [-0.3, 0.6, 0.1]])


def hinge(w: Any) -> Any:
    return np.maximum(0.3 * w[0] + 0.6 * w[1] - 0.3, 0)


def ramp(w: Any) -> Any:
    return np.maximum(0.1 * w - 1, 0)


def layer(x: Any) -> Any:
    return np.sum(np.maximum(WEIGHTS @ x - SHIFTS, 0))


def neurons(x: Any) -> Any:
    return np.sum(np.maximum(ROWS @ x, 0))


def spring(x: Any) -> Any:
    return 1.25 * (np.sqrt(np.sum(x**2)) - 1.2) ** 2


def loss(w: Any) -> Any:
    return np.maximum(0, 1 - 0.1 * w[0] - 0.3 * w[1])


def wrapped(d: Any) -> Any:
    return np.arctan2(np.sin(d), np.cos(d)) ** 2


def branched(x: Any) -> Any:
    return 0.1 * x - 0.3 if 0.1 * x > 0.3 else 0 * x


def stepped(x: Any) -> Any:
    return np.where(0.1 * x > 0.3, x, 2 * x)


def largest(x: Any) -> Any:
    return np.max(np.array([0.1, 0.2, 0.3]) * x)


PASS: Final[dict[str, tuple[Callable[..., Any], Callable[..., Any] | None, Any]]] = {
    "a hinge by the tape": (hinge, None, [-2.0, 1.5]),
    "a hinge, one side": (hinge, lambda w: np.array([0.3, 0.6]), [-2.0, 1.5]),
    "a hinge, the other": (hinge, lambda w: np.zeros(2), [-2.0, 1.5]),
    "a ramp by the tape": (ramp, None, 10.0),
    "a ramp, below": (ramp, lambda w: 0.1 * (w > 10), 10.0),
    "a ramp, above": (ramp, lambda w: 0.1 * (w >= 10), 10.0),
    "a squared ramp": (lambda w: ramp(w) ** 2, lambda w: 0.2 * np.maximum(0.1 * w - 1, 0), 10.0),
    "a loss": (loss, lambda w: np.array([-0.1, -0.3]) * (0.1 * w[0] + 0.3 * w[1] < 1), [10.0, 0.0]),
    "a layer": (layer, None, [1.0, 2.0]),
    "another layer": (layer, None, [4.0, 1.0]),
    "a layer whose floats are above": (
        neurons,
        lambda x: ROWS.T @ (ROWS @ x > 0),
        [-8.36364952009681, -8.363070065885806, 5.575476619625705],
    ),
    "a layer whose floats are at 0, which no sum shows": (
        neurons,
        lambda x: ROWS.T @ (ROWS @ x > 0),
        [-8.626648793221094, 7.312443457443799, -2.218446929851717],
    ),
    "the same, as the smallest": (
        lambda x: np.sum(np.minimum(-(ROWS @ x), 0.0)),
        lambda x: -ROWS.T @ (ROWS @ x > 0),
        [-8.626648793221094, 7.312443457443799, -2.218446929851717],
    ),
    "an absolute value": (lambda x: np.abs(0.1 * x - 0.3), lambda x: 0.1 * np.sign(x - 3), 3.0),
    "a branch": (branched, lambda x: 0.1 if x > 3 else 0.0 * x, 3.0),
    "a step, one side": (stepped, lambda x: np.where(x > 3, 1.0, 2.0), 3.0),
    "a step, the other": (stepped, lambda x: np.where(x < 3, 2.0, 1.0), 3.0),
    "a clip": (
        lambda x: np.clip(0.1 * x, 0.3, 0.7) ** 2,
        lambda x: np.where((x > 3) & (x < 7), 0.02 * x, 0),
        3.0,
    ),
    "an angle": (wrapped, lambda d: 2 * (d - 2 * np.pi), np.pi),
    "the same angle": (wrapped, None, np.pi),
    "the last of the largest": (largest, lambda x: np.array([0, 0, 0.3]), [6.0, 3.0, 2.0]),
    "a whole number by rounding": (
        lambda x: x - np.round(x / 0.1) * 0.1,
        lambda x: 1 + 0 * x,
        0.25,
    ),
}

FAIL: Final[dict[str, tuple[Callable[..., Any], Callable[..., Any], Any]]] = {
    "another sign": (hinge, lambda w: -np.array([0.3, 0.6]), [-2.0, 1.5]),
    "another entry": (hinge, lambda w: np.array([0.3, 0.61]), [-2.0, 1.5]),
    "a little more": (hinge, lambda w: np.array([0.3, 0.6]) * (1 + 1e-10), [-2.0, 1.5]),
    "twice": (ramp, lambda w: 0.2 * (w >= 10), 10.0),
    "below the sides": (ramp, lambda w: -0.1 + 0 * w, 10.0),
    "not a number": (ramp, lambda w: np.nan * w, 10.0),
    "between the sides of a step": (stepped, lambda x: 1.5 + 0 * x, 3.0),
    "of another branch": (branched, lambda x: 0.2 if x > 3 else -0.1 + 0 * x, 3.0),
    "of no angle": (wrapped, lambda d: 7.0 + 0 * d, np.pi),
    "far from the boundary": (ramp, lambda w: 0.1 * (w > 10.1), 10.05),
    "a few units more": (ramp, lambda w: 0.0 * w, 10 * (1 + 2.0**-44)),
}


@pytest.mark.parametrize("name", PASS)
def test_either_side_passes(name: str) -> None:
    function, claim, x = PASS[name]
    result = verify.gradient(function, claim, at=[x])
    assert result, str(result)


@pytest.mark.parametrize("name", FAIL)
def test_what_is_on_no_side_is_wrong(name: str) -> None:
    function, claim, x = FAIL[name]
    result = verify.gradient(function, claim, at=[x])
    assert result.verdict is Verdict.WRONG, str(result)


def test_the_point_says_that_rounding_picks() -> None:
    (point,) = verify.gradient(ramp, at=[10.0]).points
    assert point.message == (
        "rounding picks the branch here, whose boundary is within a few units in the last place: "
        "the gradient goes from 0 to 0.1, and the derivative of either side is admissible; so is "
        "the claim"
    )
    assert point.kink is not None
    assert point.kink.admissible


def test_an_exact_kink_is_none_that_rounding_picks() -> None:
    (point,) = verify.gradient(lambda x: np.maximum(x - 3, 0), at=[3.0]).points
    assert point.verdict is Verdict.KINK
    assert "rounding" not in point.message


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("function", [hinge, layer, loss])
def test_searches_do_not_accuse_the_tape(function: Callable[..., Any]) -> None:
    result = verify.gradient(function, over=verify.box(-12, 12, shape=(2,)), effort=0.3)
    assert result, str(result)


def test_readings_on_two_sides_of_a_branch_are_no_conflict() -> None:
    weights = np.array([[0.1, 0.3, -0.6], [0.2, -0.7, 0.1], [0.3, 0.6, 0.9]])
    result = verify.gradient(
        lambda x: np.sum(x + 0.1 * np.maximum(weights @ x, 0)),
        lambda x: np.ones(3) + 0.1 * weights.T @ (weights @ x > 0),
        at=[[-1.5, 1.0, 0.24999999999999997]],
    )
    assert result, result
    assert not any(point.conflict for point in result.points)


def test_a_derivative_that_passes_through_0_smoothly_is_at_no_branch() -> None:
    def pull(x: Any) -> Any:
        r = np.sqrt(np.sum(x**2))
        return 2.5 * (r - 1.2) * x / r

    (point,) = verify.gradient(spring, pull, at=[AT_REST]).points
    assert point.verdict is not Verdict.KINK
    assert "branch" not in point.message


def triplet(a, p, n):
    return np.maximum(np.sum((a - p) ** 2) - np.sum((a - n) ** 2) + 0.3, 0)


def triplet_slope(a, p, n):
    on = float(np.sum((a - p) ** 2) - np.sum((a - n) ** 2) + 0.3 > 0)
    return 2 * on * (n - p), -2 * on * (a - p), 2 * on * (a - n)


def test_the_side_that_floats_alone_are_on_is_admissible():
    # In exact arithmetic the loss is 4.4e-16 here, and in floats it is 0.
    point = (
        np.array([-1.904194160540666, -1.493450372172193]),
        np.array([-0.20028439999806613, 1.4763340724666225]),
        np.array([0.29461068545217595, 1.187628770436136]),
    )
    found = verify.gradient(triplet, claimed=triplet_slope, at=[point])
    assert found.verdict is Verdict.KINK
    assert found.points[0].kink.admissible
    doubled = verify.gradient(triplet, lambda *x: [1 - g for g in triplet_slope(*x)], at=[point])
    assert doubled.verdict is Verdict.WRONG


def network_on_a_kink(seed: int) -> tuple[Callable[..., Any], Callable[..., Any], Any]:
    """Two layers in float32, a point on the kink of a unit, and the gradient by sums backwards."""
    random = np.random.default_rng(seed)
    inner, outer = (random.normal(size=shape).astype(np.float32) for shape in ((8, 30), (8, 8)))
    x = random.normal(size=30).astype(np.float32)
    for _ in range(6):
        on = inner @ x > 0
        unit = (outer[0] * on).astype(float) @ inner
        x = (x - (unit @ x) / max(unit @ unit, 1.0) * unit).astype(np.float32)

    def function(x: Any) -> Any:
        return np.sum(np.maximum(outer @ np.maximum(inner @ x, 0), 0))

    def claim(x: Any) -> Any:
        first = np.cumsum((inner * x)[:, ::-1], axis=1)[:, -1]
        second = np.cumsum((outer * np.maximum(first, 0))[:, ::-1], axis=1)[:, -1]
        return ((second > 0).astype(np.float32) @ outer * (first > 0)) @ inner

    return function, claim, x


@pytest.mark.parametrize("seed", range(8))
def test_sums_in_another_order_may_be_on_the_other_side(seed: int) -> None:
    function, claim, x = network_on_a_kink(seed)
    result = verify.gradient(function, claim, at=[x])
    assert result, str(result)
    off = verify.gradient(function, lambda x: claim(x) + np.float32(1e-3), at=[x])
    assert not off, str(off)
