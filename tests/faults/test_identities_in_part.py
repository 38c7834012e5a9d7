"""Identities that hold in a part of a region alone are proved there alone, and certified there."""

import contextlib

import numpy as np
import pytest
from scipy import special

import verify
from verify.certificates.checker import Rejected, check
from verify.certificates.writer import NotWritten, certify
from verify.claimants.claim import claim_of
from verify.claimants.posing import pose_case
from verify.model.case import Case
from verify.oracles.over_region.proof import prove_over


def half_square(x):
    return x**2 / 2


IN_PART = {
    "an odd power": (lambda x: x**3.0, lambda x: 3 * np.abs(x) * x, -2, 2),
    "a root of a square": (lambda x: np.sqrt(x**2), lambda x: 1 + 0 * x, -2, 2),
    "a root of a fourth power": (lambda x: (x**4) ** 0.25, lambda x: 1 + 0 * x, -2, 2),
    "a cube of an absolute value": (lambda x: np.abs(x) ** 3, lambda x: 3 * x**2, -2, 2),
    "a cube root": (half_square, lambda x: np.cbrt(x**2) ** 1.5, -2, 2),
    "a logarithm of a square": (lambda x: np.log(x**2), lambda x: 2 / np.abs(x), -2, 2),
    "an exponential of a logarithm": (half_square, lambda x: np.exp(0.5 * np.log(x**2)), -2, 2),
    "a logarithm of a product": (
        half_square,
        lambda x: x + np.log((x - 3) * (x - 4)) - np.log(x - 3) - np.log(x - 4),
        2.5,
        5,
    ),
    "a sine undone": (lambda x: np.arcsin(np.sin(x)), lambda x: 1 + 0 * x, -3, 3),
    "a cosine undone": (lambda x: np.arccos(np.cos(x)), lambda x: 1 + 0 * x, 1, 6),
    "a tangent undone": (half_square, lambda x: np.arctan(np.tan(x)), 1, 4),
    "a hyperbolic cosine undone": (half_square, lambda x: np.arccosh(np.cosh(x)), -2, 2),
    "a cosine as a root": (np.sin, lambda x: np.sqrt(1 - np.sin(x) ** 2), -3, 3),
    "a cosine of a half": (
        lambda x: 2 * np.sin(x / 2),
        lambda x: np.sqrt((1 + np.cos(x)) / 2),
        2,
        4.5,
    ),
    "a sum of arcs": (
        half_square,
        lambda x: x + np.arctan(x) + np.arctan(1 / x) - np.pi / 2,
        -2,
        2,
    ),
    "twice an arc": (
        half_square,
        lambda x: x + 2 * np.arctan(x) - np.arctan(2 * x / (1 - x * x)),
        -3,
        3,
    ),
    "a branch cut": (half_square, lambda x: x + np.arctan2(x, -1.0) + np.arctan(x) - np.pi, -2, 2),
    "a gamma function by its logarithm": (
        half_square,
        lambda x: x + special.gamma(x) - np.exp(special.gammaln(x)),
        -0.9,
        -0.1,
    ),
    "an exponential integral": (special.expi, lambda x: np.exp(x) / np.abs(x), -2, -0.5),
    "a Bessel function": (special.i0, lambda x: special.i1(np.abs(x)), -2, 2),
    "the inverse of an error function": (
        half_square,
        lambda x: special.erfinv(special.erf(np.abs(x))),
        -2,
        2,
    ),
    "an even remainder": (lambda x: np.mod(x, 1.0) ** 2 / 2, lambda x: np.fmod(x, 1.0), -2, 2),
    "a rounding": (lambda x: x * np.round(x), lambda x: np.trunc(x), -2, 2),
    "one side of a clip": (lambda x: np.clip(x, -1, 1), lambda x: 1.0 * (x < 1), -2, 2),
    "one side of a saturation": (
        lambda x: x / (1 + np.abs(x)),
        lambda x: 1 / (1 + x) ** 2,
        -0.9,
        2,
    ),
    "a square beyond its tangent": (lambda x: np.maximum(x, 0) ** 2, lambda x: 2 * x, -2, 2),
}


def is_wrong(function, claimed, x):
    """Whether a claim is no one-sided difference quotient of a function."""
    step = 1e-5
    with np.errstate(all="ignore"):
        sides = [(function(x + s) - function(x)) / s for s in (step, -step)]
        return not any(abs(side - claimed(x)) < 1e-3 for side in sides)


@pytest.mark.long
@pytest.mark.parametrize("name", IN_PART)
def test_an_identity_is_proved_where_it_holds(name):
    function, claimed, low, high = IN_PART[name]
    case = Case("a", "a", function, (), "gradient", claimed=claimed)
    case = pose_case(case, verify.box(low, high), None, None, "conjugate")
    claim = claim_of(case)
    wrong = [x for x in np.linspace(low, high, 83)[1:-1] if is_wrong(function, claimed, x)]
    assert wrong
    found = prove_over(claim, case.over)
    if found is None:
        return
    assert found.enclosed < 1
    for part in found.parts:
        assert not any(part.lower[0] <= x <= part.upper[0] for x in wrong)
    with contextlib.suppress(NotWritten, Rejected):
        made = check(certify("a", claim, case.over, found))
        assert made.share == pytest.approx(found.share)
