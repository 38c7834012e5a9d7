"""A row whose readings are of two functions: never a verdict on the claim, and the row is named."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import special

import verify
from symtape.primitives.primitive import Primitive
from symtape.rigorous.jets import functions
from verify import Verdict


def cube(**readings):
    row = {
        "name": "crooked_cube",
        "inputs": "x",
        "evaluate": lambda x: x * x * x,
        "vjp": [lambda g, x: g * (3 * x**2)],
        "elementwise": True,
        "symbolic": lambda sp, x: x**3,
        "ball": lambda ball, x: x * x * x,
        "rounding": (1, 2),
    }
    return Primitive(**{**row, **readings})


def lambert(x):
    return special.lambertw(x).real


def _jet_of_its_own(ball, x):
    """Balls that are right, and jets that are not."""
    return ball.exp(x) if ball is functions else x * x * x


CROOKED = {
    "values of another function": {"evaluate": lambert, "ball": lambda ball, x: x.lambertw()},
    "floats of another, and no balls": {"evaluate": lambert, "ball": None},
    "floats": {"evaluate": lambert},
    "floats, by a part in a million": {"evaluate": lambda x: x * x * x * (1 + 1e-6)},
    "floats, by forty roundings": {"evaluate": lambda x: x * x * x * (1 + 40 * 2.0**-53)},
    "floats in single precision": {"evaluate": lambda x: np.float64(np.float32(x) ** 3)},
    "balls": {"ball": lambda ball, x: x.lambertw()},
    "balls, by 1e-40": {"ball": lambda ball, x: x * x * x * (1 + x**200 / 10**40)},
    "balls, by a constant": {"ball": lambda ball, x: x * x * x + 1},
    "template": {"symbolic": lambda sp, x: sp.LambertW(x)},
    "template, by a constant": {"symbolic": lambda sp, x: x**3 + 1},
    "template, by 1e-40": {"symbolic": lambda sp, x: x**3 * (1 + sp.Rational(1, 10**40))},
    "jets": {"ball": _jet_of_its_own},
}

FUNCTIONS = {
    "alone": lambda row: lambda x: row(x[1]),
    "in an array": lambda row: lambda x: np.sum(row(x) * x),
    "times zero": lambda row: lambda x: (x[0] - 0.75) * row(x[1]),
    "beside a choice": lambda row: lambda x: np.sum(np.maximum(row(x), x / 8)),
    "in a loop": lambda row: lambda x: sum(np.sum(row(x / k)) for k in range(1, 6)),
}

POINT = [0.75, 1.3, 2.1]


UNASKED = {("jets", "times zero")}
"""What moves there is a factor of 0, and the factor of what is not is read by balls."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "shape"), [pair for pair in product(CROOKED, FUNCTIONS) if pair not in UNASKED]
)
def test_readings_that_disagree_are_no_verdict_on_the_claim(fault, shape):
    function = FUNCTIONS[shape](cube(**CROOKED[fault]))
    result = verify.gradient(function, at=[POINT])
    assert result.verdict is Verdict.UNDECIDED, str(result)
    assert result.points[0].conflict
    assert not result
    words = result.message
    assert words.startswith("oracle conflict: ")
    assert "crooked_cube at " in words
    assert "test_readings.py" in words
    if fault != "jets":
        assert "readings of crooked_cube at " in words


@pytest.mark.parametrize("shape", FUNCTIONS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_readings_that_agree_are_accepted(shape, dtype):
    result = verify.gradient(FUNCTIONS[shape](cube()), at=[np.array(POINT, dtype)])
    assert result.verdict is Verdict.CORRECT, str(result)
    assert not result.points[0].unconfirmed


@pytest.mark.parametrize("quantity", ["gradient", "jacobian", "hessian"])
def test_no_kind_of_derivative_is_judged_of_values_that_disagree(quantity):
    row = cube(evaluate=lambert, ball=lambda ball, x: x.lambertw())
    result = getattr(verify, quantity)(lambda x: np.sum(row(x)), at=[POINT])
    assert result.verdict is Verdict.UNDECIDED
    assert "readings of crooked_cube at " in result.message


def test_at_a_kink_the_values_are_asked_first():
    row = cube(evaluate=lambda x: x * x * x + 1)
    result = verify.gradient(lambda x: np.sum(np.abs(x) + row(x)), at=[[0.0, 1.5]])
    assert result.verdict is Verdict.UNDECIDED
    assert "readings of crooked_cube at " in result.message


def _jets_of_a_constant(ball, x):
    return ball.sign(x) * (3 if ball is functions else 1)


def test_jets_with_another_value_are_a_conflict_though_their_slope_is_right():
    row = Primitive(
        name="crooked_sign",
        inputs="x",
        evaluate=np.sign,
        vjp=[lambda g, x: g * (x * 0)],
        elementwise=True,
        symbolic=lambda sp, x: sp.sign(x),
        ball=_jets_of_a_constant,
        rounding=(0, 0),
    )
    result = verify.gradient(lambda x: np.sum(row(x) * x), at=[[0.75, -1.5]])
    assert result.verdict is Verdict.UNDECIDED
    assert result.points[0].conflict
    assert "Taylor series begin with" in result.message
    assert "they part at crooked_sign at " in result.message


DENIED = {
    "a jump": (lambda sp, x: sp.floor(x), lambda ball, x: ball.floor(x), "values"),
    "a corner": (lambda sp, x: sp.Abs(x - 1), lambda ball, x: abs(x - 1), "slopes"),
}


@pytest.mark.parametrize("kind", DENIED)
def test_a_kink_that_its_row_denies_is_no_verdict_on_the_claim(kind):
    template, ball, words = DENIED[kind]
    row = Primitive(
        name="crooked_step",
        inputs="x",
        evaluate=np.floor if kind == "a jump" else lambda x: np.abs(x - 1),
        vjp=[lambda g, x: g * (x * 0)],
        elementwise=True,
        symbolic=template,
        ball=ball,
        rounding=(0, 2),
    )
    result = verify.gradient(lambda x: row(x) + x, at=[1.0])
    assert result.verdict is Verdict.UNDECIDED, str(result)
    if "conflict" in result.message:
        assert f"two {words}" in result.message


def test_a_second_derivative_with_two_sides_is_not_said_to_be_right():
    result = verify.hessian(special.i1e, at=[0.0])
    assert result.verdict is Verdict.UNDECIDED
    assert "two second derivatives" in result.message
