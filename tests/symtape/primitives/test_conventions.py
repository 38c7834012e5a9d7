"""What each row says that it answers at its kinks, beside what its rules really answer."""

from __future__ import annotations

import re
from math import inf
from pathlib import Path

import numpy as np
import pytest

import symtape
import symtape.primitives.special  # declares its rows
from symtape.errors import Unsupported
from symtape.primitives.primitive import PRIMITIVES
from symtape.rigorous.enclose import enclose

ROOT = Path(__file__).parents[3]
KINKED = {row.name: row for row in PRIMITIVES.values() if row.kinks is not None}

TIE, ORIGIN = (1.0, 1.0), (0.0, 0.0)
AXES = {"axis": (0,), "keepdims": False}

# Arguments on a kink; static parameters; by each argument the gradient of the sum, None where
# the row has no rule and "missing" where the rule is not known.
ANSWERS = {
    "absolute": ((0.0,), {}, (0.0,)),
    "fabs": ((-0.0,), {}, (0.0,)),
    "maximum": (TIE, {}, (0.5, 0.5)),
    "minimum": (TIE, {}, (0.5, 0.5)),
    "fmax": (TIE, {}, (0.5, 0.5)),
    "fmin": (TIE, {}, (0.5, 0.5)),
    "max": (([2.0, 2.0, 1.0, 2.0],), AXES, ([1 / 3, 1 / 3, 0.0, 1 / 3],)),
    "min": (([1.0, 2.0, 1.0],), AXES, ([0.5, 0.0, 0.5],)),
    "heaviside": ((0.0, 0.5), {}, (None, 1.0)),
    "copysign": ((0.0, -2.0), {}, (0.0, None)),
    "remainder": ((3.0, 1.0), {}, (1.0, -3.0)),
    "fmod": ((3.0, 1.0), {}, (1.0, -3.0)),
    "sqrt": ((0.0,), {}, (inf,)),
    "cbrt": ((0.0,), {}, (inf,)),
    "arcsin": ((-1.0,), {}, (inf,)),
    "arccos": ((1.0,), {}, (-inf,)),
    "arccosh": ((1.0,), {}, (inf,)),
    "std": (([2.0, 2.0],), {"axis": None, "ddof": 0, "keepdims": False}, ([0.0, 0.0],)),
    "power": ((0.0, 0.5), {}, (inf, 0.0)),
    "float_power": ((0.0, 0.5), {}, (inf, 0.0)),
    "euclidean_norm": (([0.0, 0.0],), {"axis": None, "keepdims": False}, ([0.0, 0.0],)),
    "power_norm": (([0.0, 0.0],), {"p": 3.0, "axis": None, "keepdims": False}, ([0.0, 0.0],)),
    "hypot": (ORIGIN, {}, (0.0, 0.0)),
    "hypot_cosine": (ORIGIN, {}, (0.0, 0.0)),
    "arctan2": (ORIGIN, {}, (0.0, 0.0)),
    "jv": ((0.5, 0.0), {}, ("missing", inf)),
    "iv": ((0.5, 0.0), {}, ("missing", inf)),
    "xlogy": (ORIGIN, {}, (-inf, 0.0)),
    "xlog1py": ((0.0, -1.0), {}, (-inf, 0.0)),
    "entr": ((0.0,), {}, (inf,)),
    "rel_entr": ((0.0, 2.0), {}, (-inf, 0.0)),
    "kl_div": ((0.0, 2.0), {}, (-inf, 1.0)),
    "ive": ((0.0, 0.0), {}, ("missing", 0.0)),
    "i0e": ((0.0,), {}, (0.0,)),
    "i_moment": ((0.0, 1), {}, (0.0, None)),
}

BY_WORDS_ALONE = {"sort", "eig", "eigvals", "eigh", "eigvalsh", "svd", "singular_values"}
"""Rows whose answer depends on what else there is; each has a test below."""

SPOKEN = {"0": 0.0, "1/2": 0.5, "1": 1.0, "inf": inf, "-inf": -inf}


def answered(name):
    """The gradients that the row's own rules give at its point, one for each argument."""
    args, params, _ = ANSWERS[name]
    args = [np.asarray(x, dtype=float)[()] for x in args]
    found = []
    with np.errstate(all="ignore"):
        for k, x in enumerate(args):

            def along(v, k=k, name=name):
                given = [v if i == k else y for i, y in enumerate(args)]
                return np.sum(KINKED[name](*given, **params))

            try:
                found.append(symtape.grad(along)(x))
            except LookupError:
                found.append("missing")
    return found


def test_every_row_with_kinks_says_what_it_does_there_and_no_other_does():
    for row in PRIMITIVES.values():
        assert bool(row.convention) is (row.kinks is not None), row.name
        assert len(row.convention) <= 45


def test_every_row_that_has_a_rule_is_checked_here():
    ruled = {name for name, row in KINKED.items() if not row.cuts}
    assert ruled == set(ANSWERS) | BY_WORDS_ALONE


@pytest.mark.parametrize("name", ANSWERS)
def test_the_point_is_on_a_kink_and_the_rules_answer_as_said(name):
    args, params, expected = ANSWERS[name]
    row = KINKED[name]
    assert np.any(row.kinks(*[np.asarray(x) for x in args], **params))
    for rule, found, value in zip(row.rules, answered(name), expected, strict=True):
        if value is None:
            assert rule is None
        elif isinstance(value, str):
            assert found == value
        else:
            np.testing.assert_allclose(np.asarray(found, dtype=float), value, atol=0)


@pytest.mark.parametrize("name", ANSWERS)
def test_the_rules_answer_in_balls_what_they_answer_on_floats(name):
    args, params, expected = ANSWERS[name]
    args = [np.asarray(x, dtype=float)[()] for x in args]
    for k, value in enumerate(expected):
        if value is None or isinstance(value, str) or not np.all(np.isfinite(value)):
            continue

        def along(v, k=k):
            given = [v if i == k else y for i, y in enumerate(args)]
            return np.sum(KINKED[name](*given, **params))

        graph = symtape.differentiate(symtape.record(along, args[k]))
        try:
            [found] = enclose(graph, [args[k]], 100)
        except Unsupported:
            continue
        for ball, number in zip(found.flat, np.ravel(value), strict=True):
            assert not ball.is_finite() or abs(ball - number) < 1e-12


@pytest.mark.parametrize("name", ANSWERS)
def test_the_words_begin_with_the_number_that_is_answered(name):
    first, *_ = KINKED[name].convention.split()
    value = next(v for v in ANSWERS[name][2] if v is not None and not isinstance(v, str))
    if first in SPOKEN:
        assert np.all(np.asarray(value) == SPOKEN[first])
    elif first == "equal":
        shares = np.asarray(value)[np.asarray(value) > 0]
        assert np.ptp(shares) == 0
        assert np.sum(shares) == pytest.approx(1)
    else:
        assert first == "constant"
        assert KINKED[name].rules[0] is None


def test_rows_without_a_rule_say_that_they_are_constant():
    for name, row in KINKED.items():
        if row.cuts:
            assert row.convention.startswith("constant across a "), name


def test_a_power_above_1_has_slope_0_at_0():
    assert symtape.grad(lambda x: x**1.5)(0.0) == 0


def test_sorting_keeps_the_order_of_ties():
    weights = np.array([1.0, 2.0, 3.0])
    slopes = symtape.grad(lambda x: np.sum(np.sort(x) * weights))(np.array([1.0, 1.0, 0.0]))
    np.testing.assert_array_equal(slopes, [2.0, 3.0, 1.0])


def test_the_angle_on_its_cut_is_that_of_its_neighbours():
    assert symtape.grad(lambda a: np.arctan2(a, -1.0))(0.0) == -1


def test_equal_eigenvalues_and_singular_values_are_taken_with_the_vectors_found():
    for function in (
        lambda a: np.linalg.eigvalsh(a)[0],
        lambda a: np.linalg.svd(a, compute_uv=False)[0],
    ):
        slopes = symtape.grad(function)(np.eye(2))
        assert np.linalg.matrix_rank(slopes) == 1
        assert np.trace(slopes) == pytest.approx(1)


def test_between_vectors_of_equal_values_nothing_is_passed():
    for function in (lambda a: np.linalg.eigh(a)[1][0, 1], lambda a: np.linalg.svd(a)[0][0, 1]):
        assert not np.any(symtape.grad(function)(np.eye(2)))


def test_where_eigenvalues_of_general_matrices_meet_their_derivatives_are_refused():
    for matrix in (np.eye(2), np.array([[1.0, 1.0], [0.0, 1.0]])):
        for function in (
            lambda a: np.real(np.linalg.eigvals(a))[0],
            lambda a: np.real(np.linalg.eig(a)[0])[0],
            lambda a: np.real(np.linalg.eig(a)[1])[0, 1],
        ):
            with pytest.raises(Unsupported, match="eigenvalues that are equal"):
                symtape.grad(function)(matrix)


def test_the_table_in_the_documents_is_that_of_the_rows():
    text = (ROOT / "docs" / "kinks.md").read_text()
    told = dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", text, flags=re.MULTILINE))
    assert told == {name: row.convention for name, row in KINKED.items()}
