"""An operation with a kink needs one file: all that is known of it at the kink is in its row."""

from __future__ import annotations

import numpy as np
import pytest

import symtape
import verify
from symtape.primitives.primitive import PRIMITIVES, Primitive
from symtape.primitives.vocabulary import examples, vocabulary
from verify import Verdict
from verify.judging.kinks.at_kink import is_smooth

vocabulary()

HINGE = Primitive(
    name="hinge",
    inputs="x",
    evaluate=lambda x: np.maximum(x, 0) * 2.0,
    vjp=[lambda g, x: g * (2.0 * (x > 0))],
    elementwise=True,
    symbolic=lambda sp, x: x + abs(x),
    ball=lambda ball, x: 2 * ball.maximum(x, type(x)(0)),
    kinks=lambda x: x == 0,
    pieces=lambda kink, x: kink.ordered(x, 0, above=2 * x, below=0 * x),
    ties="zero",
    rounding=(0, 1),
)
"""Twice the positive part."""

TILTED = Primitive(
    name="tilted",
    inputs="x slope",
    evaluate=lambda x, slope: slope * np.abs(x),
    vjp=[lambda g, x, slope: g * (slope * np.sign(x)), None],
    elementwise=True,
    symbolic=lambda sp, x, slope: slope * abs(x),
    kinks=lambda x, slope: x == 0,
    pieces=lambda kink, x, slope: kink.ordered(x, 0, above=slope * x, below=-(slope * x)),
    ties="zero",
    rounding=(0, 1),
)

ROOT = Primitive(
    name="fourth_root",
    inputs="x",
    evaluate=lambda x: np.sqrt(np.sqrt(x)),
    vjp=[lambda g, x, y: g * y / (4 * x)],
    elementwise=True,
    symbolic=lambda sp, x: x ** sp.Rational(1, 4),
    domain=lambda x: x >= 0,
    kinks=lambda x: x == 0,
    pieces=lambda kink, x: kink.vertical(x, 1, 0.0),
    rounding=(0, 2),
)

UNKNOWN = Primitive(
    name="unknown",
    inputs="x",
    evaluate=np.abs,
    vjp=[lambda g, x: g * np.sign(x)],
    elementwise=True,
    symbolic=lambda sp, x: abs(x),
    kinks=lambda x: x == 0,
)


@pytest.mark.parametrize(
    ("function", "x", "claimed", "verdict"),
    [
        (HINGE, 0.0, 0.0, Verdict.KINK),
        (HINGE, 0.0, 1.3, Verdict.KINK),
        (HINGE, 0.0, 2.0, Verdict.KINK),
        (HINGE, 0.0, 2.1, Verdict.WRONG),
        (HINGE, 0.0, -0.1, Verdict.WRONG),
        (HINGE, 1.5, 2.0, Verdict.CORRECT),
        (lambda x: np.exp(HINGE(3 * x)), 0.0, 6.0, Verdict.KINK),
        (lambda x: np.exp(HINGE(3 * x)), 0.0, 6.5, Verdict.WRONG),
        (lambda x: HINGE(x) - np.maximum(x, 0) * 2, 0.0, 0.0, Verdict.CORRECT),
        (lambda x: TILTED(x, 3.0), 0.0, -3.0, Verdict.KINK),
        (lambda x: TILTED(x, 3.0), 0.0, -3.1, Verdict.WRONG),
        (ROOT, 0.0, np.inf, Verdict.KINK),
        (ROOT, 0.0, 1.0, Verdict.WRONG),
    ],
)
def test_a_row_says_what_meets_at_its_kink(function, x, claimed, verdict):
    found = verify.gradient(lambda x: function(x), claimed=lambda x: claimed, at=[x])
    assert found.verdict is verdict, str(found)


def test_without_pieces_it_is_said_that_they_are_not_known():
    found = verify.gradient(lambda x: UNKNOWN(x), claimed=lambda x: 0.5, at=[0.0])
    assert found.verdict is Verdict.KINK
    assert "what unknown may be taken for here is not known" in str(found)


@pytest.mark.parametrize("name", [name for name, row in PRIMITIVES.items() if row.moves])
def test_what_moves_elements_moves_a_mask_as_well(name):
    row = PRIMITIVES[name]
    for (x,), params in examples(row):
        numbers = 1.0 + np.arange(np.size(x)).reshape(np.shape(x))
        mask = numbers % 2 == 0
        moved = np.asarray(row.evaluate(numbers, **params))
        known = np.isin(moved, numbers[mask])
        assert np.all(np.isin(moved, [0.0, *numbers.ravel()]))
        np.testing.assert_array_equal(np.asarray(row.evaluate(mask, **params), bool), known)


def test_whatever_compares_or_chooses_by_an_order_has_kinks():
    # A function in which no row has any is not looked at for the boundaries of branches.
    kinked = {name for name, row in PRIMITIVES.items() if row.kinks is not None}
    choosing = {
        name
        for name, row in PRIMITIVES.items()
        if row.ties or row.compares or row.decision == "order"
    }
    assert choosing <= kinked
    assert not is_smooth(symtape.record(lambda x: 2 * x if x else x, 1.0))
