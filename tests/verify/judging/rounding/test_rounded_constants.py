"""Constants that are rounded before anybody can record them do not make a right rule wrong."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special

import verify
from verify.model.verdict import Verdict

TENTHS = np.array([0.1, 0.7, -0.3])

RIGHT = {
    "2 by root pi": (special.erf, lambda x: 2 / np.sqrt(np.pi) * np.exp(-x * x)),
    "in digits": (special.erf, lambda x: 1.1283791670955126 * np.exp(-x * x)),
    "pi": (np.sinc, lambda x: (np.cos(np.pi * x) - np.sinc(x)) / x),
    "log 2": (np.exp2, lambda x: np.exp2(x) * math.log(2)),
    "log 10 and back": (lambda x: x * np.log(x), lambda x: np.log10(x) * np.log(10) + 1),
    "a third": (np.cbrt, lambda x: 1 / 3 * np.cbrt(x) / x),
    "radians": (np.deg2rad, lambda x: np.pi / 180 + 0 * x),
    "root of tau": (special.ndtr, lambda x: np.exp(-x * x / 2) / np.sqrt(2 * np.pi)),
}


@pytest.mark.parametrize("name", RIGHT)
@pytest.mark.parametrize("x", [0.3, 1.7])
def test_a_right_rule_with_a_rounded_constant_is_correct(name, x):
    function, claim = RIGHT[name]
    result = verify.gradient(function, claimed=claim, at=[x])
    assert result.verdict is Verdict.CORRECT, str(result)
    assert "exact to" not in result.points[0].power


@pytest.mark.parametrize("name", RIGHT)
@pytest.mark.parametrize(
    "fault",
    [lambda y: -y, lambda y: 2 * y, lambda y: y * (1 + 1e-12), lambda y: y + 1e-10],
    ids=["sign", "factor", "1 + 1e-12", "1e-10 more"],
)
def test_a_fault_beside_a_rounded_constant_is_found(name, fault):
    function, claim = RIGHT[name]
    result = verify.gradient(function, claimed=lambda x: fault(claim(x)), at=[0.3])
    assert result.verdict is Verdict.WRONG, str(result)


@pytest.mark.parametrize("fault", [1e-14, -3e-14, 1e-12, 1e-9])
def test_constants_of_the_function_excuse_no_more_than_their_last_digits(fault):
    result = verify.gradient(
        lambda x: np.sum(TENTHS * x**2),
        claimed=lambda x: 2 * TENTHS * x * (1 + fault),
        at=[[1.0, 2.0, 3.0]],
    )
    assert result.verdict is Verdict.WRONG, str(result)


def test_short_constants_are_exact():
    result = verify.gradient(
        lambda x: x**3 / 3, claimed=lambda x: 0.5 * (2 * x * x) + 1e-15 * x, at=[1.5]
    )
    assert result.verdict is Verdict.WRONG, str(result)


def normal(x):
    return 0.5 * special.erfc(-x / np.sqrt(2))


def density(x):
    return np.exp(-x * x / 2) / np.sqrt(2 * np.pi)


@pytest.mark.parametrize("x", [0.5, 4.0, -6.0, 12.0])
def test_a_constant_that_the_claim_has_worked_out_does_not_make_it_wrong(x):
    result = verify.gradient(normal, claimed=density, at=[x])
    assert result.verdict is Verdict.CORRECT, str(result)


@pytest.mark.parametrize("x", [0.5, 4.0, -6.0])
@pytest.mark.parametrize("fault", [1e-12, 1e-9, 1.0, -2.0])
def test_a_fault_beside_such_a_constant_is_found(x, fault):
    result = verify.gradient(normal, claimed=lambda x: density(x) * (1 + fault), at=[x])
    assert result.verdict is Verdict.WRONG, str(result)


def swing(t):
    return np.exp(-0.3 * t) * np.sin(40.0 * t)


@pytest.mark.parametrize("rate", [0.3, 0.3000000000003, 0.3 * (1 + 1e-9)])
def test_a_claim_that_knows_the_constant_is_held_to_its_last_digits(rate):
    def slope(t):
        return np.exp(-0.3 * t) * (40.0 * np.cos(40.0 * t) - rate * np.sin(40.0 * t))

    for t in (7.162901062863019, 4.136355921567485):
        result = verify.gradient(swing, claimed=slope, at=[t])
        assert result.verdict is (Verdict.CORRECT if rate == 0.3 else Verdict.WRONG), str(result)


def pressure(v):
    return -8 / 3 * np.log(v - 1 / 3) - 3 / v


def pressure_slope(v):
    return -8 / (3 * v - 1) + 3 / v**2


@pytest.mark.parametrize("v", [0.65, 0.7, 0.72])
def test_constants_of_the_same_digits_move_alike_whatever_their_signs(v):
    right = verify.gradient(pressure, claimed=pressure_slope, at=[v])
    assert right.verdict is Verdict.CORRECT, str(right)
    wrong = verify.gradient(pressure, claimed=lambda v: pressure_slope(v) * (1 + 1e-13), at=[v])
    assert wrong.verdict is Verdict.WRONG


SHARES = np.array([0.1, 0.3, 0.6, 0.4])


def damage(s):
    return np.sum(SHARES / np.where(s > 0.8, 10 * s**-5.0, 10 * 0.8**-2.0 * s**-3.0))


def damage_slope(s):
    return SHARES * np.where(s > 0.8, 0.5 * s**4, 0.192 * s**2)


def test_a_constant_that_decides_elsewhere_still_has_last_digits_here():
    # A last digit of 0.8 would turn what the float beside it decides.
    s = np.array([0.34, 0.34, 0.5, np.nextafter(0.8, 1)])
    right = verify.gradient(damage, claimed=damage_slope, at=[s])
    assert right.verdict is Verdict.CORRECT, str(right)
    wrong = verify.gradient(damage, claimed=lambda s: damage_slope(s) * (1 + 1e-10), at=[s])
    assert wrong.verdict is Verdict.WRONG
