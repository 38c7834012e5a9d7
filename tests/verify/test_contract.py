"""A claim has to be a function of its point before its numbers are compared."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from verify.cases import Case
from verify.claim import claim_of
from verify.contract import check_repeatable, unsteady
from verify.errors import NotADerivative

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
    with pytest.raises(NotADerivative, match=words):
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
