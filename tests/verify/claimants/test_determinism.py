"""A claim has to be a function of its point before its numbers are compared."""

from __future__ import annotations

import itertools
import os
import random
import re
import time
import uuid

import numpy as np
import pytest

import verify
from verify.claimants.claim import claim_of
from verify.claimants.determinism import check_repeatable, unsteady
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


def memoised(key):
    known = {}

    def claimed(x):
        if key(x) not in known:
            known[key(x)] = (x, 2 * x)
        return known[key(x)][1]

    return claimed


def test_what_knows_an_array_by_its_place_answers_for_what_it_held_before():
    with pytest.raises(NotAFunction, match="what its argument held before"):
        check_repeatable(claim(memoised(id)), POINT, SHAPES)
    check_repeatable(claim(memoised(lambda x: x.tobytes())), POINT, SHAPES)
    over = verify.box(-3, 3, shape=(2,))
    found = verify.gradient(lambda x: np.sum(x**2), memoised(id), over=over, effort=0.1)
    assert found.verdict is Verdict.WRONG


@pytest.mark.long
def test_a_claim_that_changes_while_a_search_runs_is_asked_again_at_its_end():
    calls, last = itertools.count(), []

    def counted(x, most):
        last.append(next(calls))
        return 2 * x if last[-1] < most else 3 * x

    over = verify.box(-3, 3, shape=(2,))

    def judged(most):
        found = verify.gradient(
            lambda x: np.sum(x**2), lambda x: counted(x, most), over=over, effort=0.1
        )
        return found.verdict

    assert judged(10**9) is Verdict.CORRECT
    most, calls = len(last), itertools.count()
    assert judged(most - 1) is Verdict.WRONG
    calls = itertools.count()
    assert judged(most // 2) is Verdict.WRONG


@pytest.mark.parametrize(("function", "words"), UNSTEADY)
def test_a_function_without_a_single_value_is_refused(function, words):
    assert words in unsteady(function, POINT)


def of_a_file(path):
    """Counts its calls in a file."""

    def f(x):
        with path.open("a+") as file:
            file.seek(0)
            number = len(file.read())
            file.write("a")
        return x * number

    return f


DRAWN = np.random.default_rng(0)
ALTERNATING = itertools.cycle([1.0, 2.0])
CHANGING = {
    "numpy.random": (lambda x: x * np.random.rand(), "the global random state of numpy.random: "),  # noqa: NPY002
    "random": (lambda x: x * random.random(), "the global random state of random: "),
    "a generator": (lambda x: x * DRAWN.normal(), "is not deterministic: "),
    "a clock": (lambda x: x * time.perf_counter(), "is not deterministic: "),
    "a uuid": (lambda x: x * (uuid.uuid4().int % 1000), "is not deterministic: "),
    "the system": (lambda x: x * os.urandom(1)[0], "is not deterministic: "),
    "a counter": (lambda x: x * next(COUNT), "is not deterministic: "),
    "two values by turns": (lambda x: x * next(ALTERNATING), "is not deterministic: "),
    "one of two": (lambda x: x * DRAWN.choice([1.0, 2.0]), ""),  # two calls agree half of the time
}


@pytest.mark.parametrize("name", [*CHANGING, "a file"])
@pytest.mark.parametrize("options", [{"at": [2.0]}, {"over": verify.box(1, 2)}])
def test_what_changes_between_calls_is_not_said_to_go_by_types(name, options, tmp_path):
    function, words = CHANGING.get(name, (of_a_file(tmp_path / "kept"), "is not deterministic: "))
    result = verify.gradient(function, **options)
    assert result.verdict is Verdict.UNDECIDED
    assert words in result.message
    assert "Python's floats" not in str(result)


def by_type(x):
    return 2 * x if type(x) is float else 3 * x


def test_what_goes_by_types_is_said_to():
    assert "gives another value for Python's floats" in unsteady(by_type, (np.float64(2.0),))


@pytest.mark.parametrize(
    "steady",
    [
        lambda x: 2 * x,
        lambda x: x * np.nan,
        lambda x: 2 * x + 0 * np.random.rand(),  # noqa: NPY002
        lambda x: 2 * x + np.random.default_rng(0).normal(),
    ],
)
def test_what_answers_the_same_is_judged(steady):
    check_repeatable(claim(steady), POINT, SHAPES)
    assert unsteady(steady, POINT) == ""


def in_place(x):
    x *= 2
    return x


SHAPED = [
    ("gradient", lambda x: np.ones((3, 2)), "but the gradient with respect to x has shape"),
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
