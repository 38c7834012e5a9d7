"""Lies about a derivative, and the verdict that each must get."""

from __future__ import annotations

import math

import numpy as np
import pytest

import symtape
import verify
from verify import Verdict

WEIGHTS = np.array([[1.0, 2.0], [3.0, 4.0], [-0.5, 0.25]])
POINT = [0.5, -0.25]


def layer(x):
    return np.tanh(WEIGHTS @ x)


def right(x):
    return (1 / np.cosh(WEIGHTS @ x) ** 2)[:, None] * WEIGHTS


def by_math(x):
    """Right, but in Python's own floats, which no tape can follow."""
    return [
        [float(w) / math.cosh(sum(float(a) * float(b) for a, b in zip(row, x, strict=True))) ** 2
         for w in row]
        for row in WEIGHTS
    ]  # fmt: skip


def changing(x):
    result = right(x)
    x[0] = 7.0
    return result


def honest_when_recorded(x):
    return right(x) if isinstance(x, symtape.Tensor) else -right(x)


def honest_on_arrays(x):
    return -right(x) if isinstance(x, symtape.Tensor) else right(x)


def one_entry(factor):
    mask = np.array([[1, 1], [1, factor], [1, 1]])
    return lambda x: right(x) * mask


HONEST = {
    "right": right,
    "a list": lambda x: right(x).tolist(),
    "a tuple of one": lambda x: (right(x),),
    "Fortran order": lambda x: np.asfortranarray(right(x)),
    "in Python's floats": by_math,
    "in float32": lambda x: right(np.asarray(x, np.float32)).astype(np.float32),
    "in longdouble": lambda x: np.asarray(right(x)).astype(np.longdouble),
    "another thing when recorded": honest_on_arrays,
}


@pytest.mark.parametrize("claim", HONEST)
def test_an_honest_claim_is_correct(claim):
    result = verify.jacobian(layer, claimed=HONEST[claim], at=[POINT])
    assert result.verdict is Verdict.CORRECT, str(result)
    assert bool(result)


LIES = {
    "sign": (lambda x: -right(x), "the sign is wrong"),
    "factor": (lambda x: 2 * right(x), "2 times too large"),
    "1 + 1e-12": (lambda x: right(x) * (1 + 1e-12), "; the exact value is "),
    "4e-16 more": (lambda x: right(x) + 4e-16 * x[0], "though its float value is within rounding"),
    "off by one index": (lambda x: np.roll(right(x), 1, 0), "off by one index, along axis 0"),
    "transposed": (lambda x: right(x).T, "is it transposed?"),
    "missing factor": (lambda x: WEIGHTS, "; the exact value is "),
    "missing term": (
        lambda x: right(x) * (WEIGHTS != 0.25),
        "1 of 6 entries is wrong: it is zero",
    ),
    "wrong at one entry": (one_entry(1.5), "1 of 6 entries is wrong: it is 1.5 times"),
    "slightly wrong at one entry": (one_entry(1 + 1e-13), "; the exact value is "),
    "wrong sign at one entry": (
        one_entry(-1),
        "1 of 6 entries is wrong: the sign is flipped",
    ),
    "zeros": (lambda x: np.zeros((3, 2)), "zero"),
    "integers": (lambda x: right(x).astype(int), "entries are wrong"),
    "nan": (lambda x: right(x) * np.nan, "6 of 6 entries are not finite"),
    "one nan": (
        lambda x: right(x) * np.array([[np.nan, 1], [1, 1], [1, 1]]),
        "1 of 6 entries is not",
    ),
    "inf": (lambda x: right(x) / 0.0, "not finite"),
    "in Python's floats, wrong": (lambda x: -np.array(by_math(x)), "the sign is wrong"),
    "another thing on arrays": (honest_when_recorded, "the sign is wrong"),
    "wrong shape": (lambda x: right(x)[0], "shape (2,), but the jacobian with respect to x"),
    "one row too many": (lambda x: np.vstack([right(x), right(x)[:1]]), "has shape (3, 2)"),
    "ragged": (lambda x: [[1.0], [1.0, 2.0]], "which is not an array"),
    "None": (lambda x: None, "returned None, expected the jacobian with respect to x"),
    "text": (lambda x: "2*x", "returned '2*x', which holds text"),
    "objects": (lambda x: np.array([[None, 1], [2, 3], [4, 5]]), "which holds objects"),
    "complex": (lambda x: right(x) + 0j, "which holds complex numbers"),
    "two arrays": (lambda x: (right(x), right(x)), "returned 2 arrays, expected 1 array"),
    "raises": (lambda x: right(x)[9], "raised IndexError: index 9 is out of bounds"),
    "raises, at its line": (
        lambda x: 1 / 0,
        "raised ZeroDivisionError: division by zero, at tests/",
    ),
    "exits": (lambda x: exit(3), "raised SystemExit"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_is_wrong_and_told(lie):
    claim, words = LIES[lie]
    result = verify.jacobian(layer, claimed=claim, at=[POINT])
    assert result.verdict is Verdict.WRONG, str(result)
    assert words in result.witness.message, str(result)
    assert not result


def test_a_claim_that_changes_its_argument_is_told_so_and_spoils_no_other_point():
    result = verify.jacobian(layer, claimed=changing, at=[POINT, POINT])
    assert [point.verdict for point in result.points] == [Verdict.WRONG] * 2
    assert "changing changed its argument x in place" in result.points[0].message
    assert result.points[1].x[0].tolist() == POINT


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        (lambda x, y: (x**2, 2 * x * y), "the derivatives by the two arguments are exchanged"),
        (lambda x, y: (2 * x * y, 3 * x**2), "the part by y is wrong: it is 3 times too large"),
        (
            lambda x, y: 2 * x * y,
            "returned 1 array, expected 2 arrays: one for each argument of x, y",
        ),
        (lambda x, y: (2 * x * y, None), "None, expected the gradient with respect to y"),
        (lambda x, y: (2 * x * y, (x**2)[:1]), "the gradient with respect to y has shape (2,)"),
    ],
)
def test_lies_about_several_arguments_name_the_argument(claim, words):
    def f(x, y):
        return np.sum(x**2 * y)

    result = verify.gradient(f, claimed=claim, at=[([1.0, 2.0], [3.0, 5.0])])
    assert result.verdict is Verdict.WRONG
    assert words in result.witness.message


def test_a_lie_about_a_hessian_names_the_pair():
    result = verify.hessian(
        lambda x, y: x**2 * y, claimed=lambda x, y: ((2 * y, 2 * x), (2 * x, 1.0)), at=[(1.0, 3.0)]
    )
    assert result.verdict is Verdict.WRONG
    assert "only the part by y and y is wrong" in result.witness.message
    assert "hessian with respect to y and y" in str(result)


def exponential(gradient):
    @symtape.custom_gradient
    def custom(x):
        y = np.exp(x)

        def grad(upstream):
            return gradient(upstream, x, y)

        return y, grad

    return custom


CUSTOM = {
    "sign": (lambda g, x, y: -g * y, Verdict.WRONG, "the custom gradient of custom is wrong"),
    "1 + 1e-12": (lambda g, x, y: g * y * (1 + 1e-12), Verdict.WRONG, "custom is wrong"),
    "1e-15": (lambda g, x, y: g * y + 1e-15 * g, Verdict.WRONG, "custom is wrong"),
    "1e-40": (lambda g, x, y: g * y + 1e-40 * g, Verdict.CORRECT, "less than half a unit"),
    "drops the upstream": (lambda g, x, y: y, Verdict.WRONG, "custom is wrong"),
    "None": (lambda g, x, y: None, Verdict.WRONG, "custom is wrong"),
    "nan": (lambda g, x, y: g * np.nan, Verdict.WRONG, "custom is wrong"),
    "two values": (lambda g, x, y: (g * y, g), Verdict.WRONG, "raises ValueError"),
    "wrong shape": (lambda g, x, y: np.sum(g * y), Verdict.WRONG, "raises ValueError"),
    "raises": (lambda g, x, y: g * y.nothing, Verdict.WRONG, "raises AttributeError"),
    "loses digits": (
        lambda g, x, y: g * ((y + 1e10) - 1e10),
        Verdict.INACCURATE,
        "custom is inaccurate",
    ),
    "right": (lambda g, x, y: g * y, Verdict.CORRECT, ""),
}


@pytest.mark.parametrize("lie", CUSTOM)
def test_a_wrong_custom_gradient_is_named_with_the_line_that_applies_it(lie):
    gradient, verdict, words = CUSTOM[lie]
    custom = exponential(gradient)

    def f(x):
        scaled = 2 * x
        y = custom(scaled)
        return np.sum(y * y)

    result = verify.gradient(f, at=[[0.5, -0.25]])
    assert result.verdict is verdict, str(result)
    assert words in result.witness.message, str(result)
    if verdict is not Verdict.CORRECT:
        assert result.witness.op == "custom (custom gradient)"
        line = f.__code__.co_firstlineno + 2
        assert result.witness.origin == f"{__file__}:{line}"


def test_of_several_custom_gradients_the_wrong_one_is_named():
    good, bad = exponential(lambda g, x, y: g * y), exponential(lambda g, x, y: 3 * g * y)

    def f(x):
        y = good(x)
        return bad(y)

    result = verify.gradient(f, at=[0.5])
    assert result.witness.origin == f"{__file__}:{f.__code__.co_firstlineno + 2}"
