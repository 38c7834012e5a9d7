"""A claim has to be a function of its point before its numbers are compared."""

from __future__ import annotations

import itertools
import random
import re

import numpy as np
import pytest

import verify
from verify.claimants.claim import claim_of
from verify.claimants.contract import check_repeatable
from verify.claimants.determinism import unsteady
from verify.errors import NotADerivative, NotAFunction
from verify.model.case import Case
from verify.model.verdict import Verdict

POINT = (np.array([1.0, 2.0]),)
SHAPES = [(2,)]
COUNT = itertools.count()


def claim(claimed, quantity="gradient"):
    return claim_of(Case("f", "f", lambda x: np.sum(x**2), (POINT,), quantity, claimed))


UNSTEADY = [
    (lambda x: 2 * x + next(COUNT), "is not deterministic: "),
    (lambda x: 2 * x + np.random.rand(), "the global random state of numpy.random: "),  # noqa: NPY002
    (lambda x: 2 * x + random.random(), "the global random state of random: "),
]


@pytest.mark.parametrize(("claimed", "words"), UNSTEADY)
def test_what_answers_differently_when_asked_again_is_refused(claimed, words):
    with pytest.raises(NotAFunction, match=words):
        check_repeatable(claim(claimed), POINT, SHAPES)


@pytest.mark.parametrize(("function", "words"), UNSTEADY)
def test_a_function_without_a_single_value_is_refused(function, words):
    assert words in unsteady(function, POINT)


@pytest.mark.parametrize(
    "steady",
    [
        lambda x: 2 * x,
        lambda x: x * np.nan,
        lambda x: 2 * x + 0 * np.random.rand(),  # noqa: NPY002
        lambda x: 2 * x + np.random.default_rng(0).normal(),
    ],
)
def test_what_answers_the_same_is_heard(steady):
    check_repeatable(claim(steady), POINT, SHAPES)
    assert unsteady(steady, POINT) == ""


def in_place(x):
    x *= 2
    return x


SHAPED = [
    ("gradient", lambda x: np.ones((3, 2)), "missing along which the argument was broadcast"),
    ("jacobian", lambda x: np.ones(2), "the gradient of the sum of the outputs"),
    ("gradient", in_place, "changed its argument x in place"),
]


@pytest.mark.parametrize(("quantity", "claimed", "words"), SHAPED)
def test_what_has_the_wrong_form_says_what_it_looks_like(quantity, claimed, words):
    shapes = [(3, 2)] if quantity == "jacobian" else SHAPES
    with pytest.raises(NotADerivative, match=words):
        claim(claimed, quantity).answer(POINT, shapes)


def product(claimed, quantity="vjp", point=None):
    return {
        "function": np.sin,
        "claimed": claimed,
        "at": [point or ([1.0, 2.0], [3.0, 4.0])],
        "quantity": quantity,
    }


def scales_its_cotangent(x, g):
    g *= np.cos(x)
    return g


CONTRACTS = [
    (lambda x, g: g * np.cos(x) + next(COUNT), "is not deterministic"),
    (scales_its_cotangent, "changed its argument g in place"),
    (lambda x, g: np.sum(g * np.cos(x)), "an array of shape .., but the vjp with respect to x"),
    (lambda x, g: None, "is a 'return' missing?"),
    (lambda x, g: (x, g), "returned 2 arrays, expected 1 array: one for each argument of x"),
]


@pytest.mark.parametrize(("claimed", "words"), CONTRACTS)
def test_products_are_held_to_the_same_contract(claimed, words):
    found = verify.derivative(**product(claimed))
    assert found.verdict is Verdict.WRONG
    assert re.search(words, found.witness.message), found.witness.message


@pytest.mark.parametrize("value", [1.0, np.nan])
@pytest.mark.parametrize("quantity", ["vjp", "jvp"])
def test_along_zeros_a_product_is_zero(quantity, value):
    claimed = product(lambda x, d: d * np.cos(x) + value, quantity, ([1.0, 2.0], [0.0, 0.0]))
    found = verify.derivative(**claimed)
    assert found.verdict is Verdict.WRONG
    expected = "not finite" if np.isnan(value) else "zero here, and the product is not"
    assert expected in found.witness.message


DTYPES = [
    ("gradient", lambda x: 2 * x.astype(np.float32), "the gradient by x is float32, where x is"),
    ("hessian", lambda x: 2 * np.eye(2, dtype=np.float16), "the hessian by x is float16"),
    ("gradient", lambda x: 2 * x, ""),
]


@pytest.mark.parametrize(("quantity", "claimed", "words"), DTYPES)
def test_another_dtype_is_told_and_no_fault(quantity, claimed, words):
    found = verify.derivative(
        quantity, lambda x: np.sum(x**2), claimed=claimed, at=[np.array([1.0, 2.0])]
    )
    assert found.verdict is Verdict.CORRECT
    assert found.witness.message.startswith(words)
    assert bool(found.witness.message) == bool(words)
