"""A claim is asked for arrays, and what it does or returns is checked before it is judged."""

from __future__ import annotations

import numpy as np
import pytest

import symtape
from symtape.errors import Unsupported
from verify.claimants.claim import claim_of
from verify.errors import NotADerivative
from verify.model.case import Case


def f(x, y):
    return np.sum(x**2) * y


def claim(claimed, quantity="gradient"):
    at = ((np.array([1.0, 2.0]), np.float64(3.0)),)
    return claim_of(Case("f", "f", f, at, quantity, claimed))


POINT = (np.array([1.0, 2.0]), np.float64(3.0))
SHAPES = [(2,), ()]


def test_without_a_claimant_it_is_the_tape():
    ours = claim(None)
    assert (ours.claimant, ours.ours) == ("symtape's tape", True)
    assert [part.tolist() for part in ours.answer(POINT, SHAPES).parts] == [[6.0, 12.0], 5.0]


@pytest.mark.parametrize(
    "claimed",
    [
        lambda x, y: (2 * x * y, np.sum(x**2)),
        lambda x, y: [2 * x * y, np.sum(x**2)],
        lambda x, y: (np.array([6, 12]), 5),
        lambda x, y: (np.array([6, 12], np.float32), np.float32(5)),
    ],
)
def test_arrays_of_any_kind_are_taken_as_floats(claimed):
    answer = claim(claimed).answer(POINT, SHAPES)
    assert [part.tolist() for part in answer.parts] == [[6.0, 12.0], 5.0]
    assert {part.dtype.kind for part in answer.parts} == {"f"}


@pytest.mark.parametrize(
    ("claimed", "words"),
    [
        (lambda x, y: 2 * x * y, "returned 1 array, expected 2 arrays: one for each argument"),
        (lambda x, y: (x, y, y), "returned 3 arrays, expected 2 arrays"),
        (lambda x, y: (None, y), "returned None, expected the gradient with respect to x"),
        (lambda x, y: (x[:1], y), r"\(1,\), but the gradient with respect to x has shape \(2,\)"),
        (lambda x, y: (x, "y"), "which holds text; expected the gradient with respect to y"),
        (lambda x, y: (x, 1j), "returned 1j, which holds complex numbers"),
        (lambda x, y: {}["a"], "raised KeyError: 'a', at tests/verify/claimants/test_claim.py:"),
        (lambda x, y: symtape.constant("a"), "raised NotOnTape"),
    ],
)  # fmt: skip
def test_what_is_no_derivative_is_refused_and_the_claimant_named(claimed, words):
    with pytest.raises(NotADerivative, match=words) as caught:
        claim(claimed).answer(POINT, SHAPES)
    assert "the lambda at tests/verify/claimants/test_claim.py:" in str(caught.value)


def test_a_hessian_has_a_part_for_each_pair():
    blocks = claim(None, "hessian").answer(POINT, [(2, 2), (2,), (2,), ()])
    assert [part.shape for part in blocks.parts] == [(2, 2), (2,), (2,), ()]
    with pytest.raises(NotADerivative, match="expected 4 arrays: one for each pair of x, y"):
        claim(lambda x, y: 0, "hessian").answer(POINT, [(2, 2), (2,), (2,), ()])


def test_what_the_tape_does_not_know_is_not_held_against_the_claim():
    special = pytest.importorskip("scipy.special")
    case = Case("g", "g", lambda x: np.sum(special.mathieu_a(2, x)), (([1.0, 2.0],),))
    with pytest.raises((LookupError, Unsupported)):
        claim_of(case).answer((np.array([1.0, 2.0]),), [(2,)])


def test_a_claim_gets_arrays_of_its_own():
    def writes(x, y):
        result = 2 * x * y, np.sum(x**2)
        x[:] = 0
        return result

    point = (np.array([1.0, 2.0]), np.float64(3.0))
    with pytest.raises(NotADerivative, match="writes changed its argument x in place"):
        claim(writes).answer(point, SHAPES)
    assert point[0].tolist() == [1.0, 2.0]
