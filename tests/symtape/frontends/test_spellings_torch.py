"""NumPy's and torch's spellings of each row are read as the same function."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import symtape
from symtape.errors import Unsupported
from symtape.rigorous.enclose import enclose
from tests.symtape.frontends.spellings import SPELLINGS, Absent, called
from tests.symtape.frontends.spellings_torch import TORCH

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    torch = pytest.importorskip("torch", reason="torch is missing; pip install 'symtape[torch]'")

BITS, ENOUGH = 300, 200


def balls(graph, xs):
    """Enclosures of all outputs; exact values where an operation has no reading in balls."""
    try:
        found = enclose(graph, xs, BITS)
    except Unsupported:
        found = graph.evaluate(*xs)
    return [np.asarray(part, dtype=object).ravel().tolist() for part in found]


def agree(a, b):
    """Whether two enclosures are tight and of one number, or two plain values equal."""
    if not hasattr(a, "overlaps") or not hasattr(b, "overlaps"):
        return bool(a == b)
    tight = all(float(x.rad()) <= 2.0**-ENOUGH * max(abs(float(x.mid())), 1) for x in (a, b))
    return bool(a.overlaps(b)) and tight


def assert_one_function(first, second, xs):
    for one, other in zip(balls(first, xs), balls(second, xs), strict=True):
        assert len(one) == len(other)
        for a, b in zip(one, other, strict=True):
            assert agree(a, b), f"{a} is not {b}"


def first_of(row):
    spelling = SPELLINGS[row]
    return spelling[0] if isinstance(spelling, tuple) else spelling


def both(row):
    """The point, and the function recorded in both spellings."""
    spelling = first_of(row)
    xs = [np.asarray(x, dtype=float) for x in spelling.at]
    ours = symtape.record(called("numpy", spelling.numpy), *xs)
    theirs = symtape.record(symtape.from_torch(called("torch", TORCH[row])), *xs)
    return xs, ours, theirs


def test_every_row_has_a_spelling_or_a_reason():
    assert sorted(TORCH) == sorted(SPELLINGS)
    for given in TORCH.values():
        assert not isinstance(given, Absent) or len(given.reason.split()) > 3


@pytest.mark.parametrize("row", [row for row, given in TORCH.items() if isinstance(given, str)])
def test_numpy_and_torch_spell_one_function(row):
    xs, ours, theirs = both(row)
    assert_one_function(ours, theirs, xs)


def test_another_function_is_told_apart():
    xs = [np.array([0.75, -2.5])]
    ours = symtape.record(np.tanh, *xs)
    theirs = symtape.record(symtape.from_torch(lambda x: torch.tanh(x) * (1 + 1e-15)), *xs)
    with pytest.raises(AssertionError):
        assert_one_function(ours, theirs, xs)
