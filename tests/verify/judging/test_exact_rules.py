"""A rule that is off by a few units in the last place is refuted, whatever the conditioning."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special

import symtape
import verify
from symtape.primitives.primitive import PRIMITIVES, Primitive
from symtape.recording.tensor import apply
from verify import Verdict

TINY = PRIMITIVES["multiply"]


def off_by(relative, function):
    """The gradient of `function` with a relative fault below what floats hold."""
    gradient = symtape.grad(function)

    def claimed(x):
        exact = gradient(x)
        return exact + exact * relative

    return claimed


def iterated(x):
    for _ in range(60):
        # Exact in binary: the last digit of 3.2 would explain the smaller fault.
        x = 3.25 * x * (1 - x)
    return x


PROGRAMS = {
    "sine": (np.sin, 1.0),
    "sine of a large number": (lambda x: np.sin(x * x), 1e6),
    "difference of neighbours": (lambda x: x - np.sin(x), 1e-3),
    "near a root of the derivative": (np.cos, 3.141592653589793),
    "polynomial at a double root": (lambda x: np.polyval([1, -3, 3, -1], x), 1.0001),
    "tail of tanh": (np.tanh, 19.0),
    "far tail of the normal": (scipy.special.log_ndtr, -30.0),
    "gamma function": (scipy.special.gammaln, 2.5),
    "iterated map": (iterated, 0.3),
    "ill-conditioned quotient": (lambda x: (np.exp(x) - 1 - x) / (x * x), 1e-5),
}


@pytest.mark.parametrize(
    ("kind", "relative"),
    [
        # Of the longest program the smaller fault is the harder one to see.
        pytest.param(
            kind,
            relative,
            marks=[pytest.mark.campaign] * (kind == "iterated map" and relative > 1e-14),
        )
        for kind in PROGRAMS
        for relative in (1e-12, 1e-14)
    ],
)
def test_a_fault_in_the_rule_is_refuted(kind, relative):
    function, x = PROGRAMS[kind]
    result = verify.gradient(function, at=[x], claimed=off_by(relative, function))
    assert result.verdict is Verdict.WRONG, str(result)


@pytest.mark.parametrize("kind", PROGRAMS)
def test_the_rule_without_the_fault_is_not(kind):
    function, x = PROGRAMS[kind]
    result = verify.gradient(function, at=[x])
    assert result.verdict in (Verdict.CORRECT, Verdict.UNDECIDED), str(result)
    assert "exact to 2^-" in result.points[0].power + result.points[0].message or (
        result.verdict is Verdict.UNDECIDED and "right in exact" in result.points[0].message
    )


ROWS = ["sin", "exp", "tanh", "sqrt", "log1p", "arctan", "cbrt", "square", "reciprocal", "sinh"]


@pytest.mark.parametrize("name", ROWS)
def test_a_fault_in_a_row_is_refuted_in_an_ill_conditioned_program(name):
    row = PRIMITIVES[name]
    [rule] = row.rules

    def faulty(g, x, y):
        kept = {"x": x, "y": y}
        slope = rule.function(g, *[kept[need] for need in rule.needs])
        return slope + slope * 1e-14

    planted = Primitive(
        name=f"{name} off by 1e-14",
        inputs="x",
        evaluate=row.evaluate,
        vjp=[faulty],
        elementwise=True,
        symbolic=row.symbolic,
        ball=row.ball,
        domain=row.domain,
        rounding=row.rounding,
    )

    def function(x):
        y = apply(planted, (x,), {})
        return (y * 1e8 - np.floor(y * 1e8)) - y * 3

    result = verify.gradient(function, at=[0.7])
    assert result.verdict is Verdict.WRONG, str(result)
