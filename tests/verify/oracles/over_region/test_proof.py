"""Proofs over regions: how much of each is proved, and that points have the last word."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import symtape
import verify
from benchmarks.corpus import rows
from symtape.symbolic.algebra import to_expression
from verify.claimants.claim import claim_of
from verify.claimants.posing import pose_case
from verify.model.case import Case
from verify.model.verdict import Rung, Verdict
from verify.oracles.over_region.constants import number_meant
from verify.oracles.over_region.part import RegionProof
from verify.oracles.over_region.path import Found, Path
from verify.oracles.over_region.proof import MOST_WORK, prove_over
from verify.regions import box
from verify.selftest.proofs import CLAIMS, pose_claim


def proved(function, claimed, over, quantity="gradient", most=MOST_WORK):
    """The proof of a claim over a region."""
    case = Case("a", "a", function, (), quantity, claimed=claimed)
    case = pose_case(case, over, None, None, "conjugate")
    return prove_over(claim_of(case), case.over, most)


NOTHING = RegionProof(0, ())


def softplus(x):
    return np.log1p(np.exp(x))


def logistic(x):
    return 1 / (1 + np.exp(-x))


def distance(x):
    return np.sqrt(1 + np.sum(x**2))


WHOLE = {
    "softplus": (softplus, logistic, [-30, 30]),
    "entries": (distance, lambda x: x / distance(x), box(-3, 3, shape=(3,))),
    "a branch outside": (
        lambda x: np.where(x > 5, x, np.sin(x)),
        lambda x: np.where(x > 5, 1.0, np.cos(x)),
        [-2, 2],
    ),
    "several arguments": (
        lambda x, y: np.sum(x * y),
        lambda x, y: (np.full_like(x, y), np.sum(x)),
        (box(-2, 2, shape=(2,)), [0, 1]),
    ),
}


@pytest.mark.parametrize("name", WHOLE)
def test_right_claims_are_proved_on_the_whole_region(name):
    found = proved(*WHOLE[name])
    assert found is not None
    assert found.share == 1


def test_matrices_and_second_derivatives_are_proved():
    jacobian = proved(np.exp, lambda x: np.diag(np.exp(x)), box(-1, 1, (2,)), "jacobian")
    hessian = proved(
        lambda x: x[0] ** 3 * x[1],
        lambda x: np.array([[6 * x[0] * x[1], 3 * x[0] ** 2], [3 * x[0] ** 2, 0 * x[0]]]),
        box(-1, 1, (2,)),
        "hessian",
    )
    assert jacobian.share == hessian.share == 1


def test_a_region_is_cut_at_a_branch():
    found = proved(
        lambda x: x * np.maximum(x, 0.3), lambda x: 2 * x if x > 0.3 else 0.3 + 0 * x, [-1, 1]
    )
    assert found.share == 1
    assert found.paths == 2


PIECES = {
    "layers of choices": (
        lambda x: np.sum(np.maximum(0.5 * x + np.flip(x), 0) ** 2) + np.sum(np.abs(x - 0.3)),
        lambda x: (
            np.maximum(0.5 * x + np.flip(x), 0)
            + 2 * np.flip(np.maximum(0.5 * x + np.flip(x), 0))
            + np.sign(x - 0.3)
        ),
        box(-2, 2, (6,)),
    ),
    "a function of a choice": (
        lambda x: np.exp(np.maximum(x, 0)),
        lambda x: np.where(x > 0, np.exp(x), 0.0),
        [-2, 2],
    ),
    "clipped": (
        lambda x: np.sum(np.clip(x, -0.3, 0.6)),
        lambda x: 1.0 * ((x > -0.3) & ~(x >= 0.6)),
        box(-2, 2, (5,)),
    ),
    "the largest": (
        np.max,
        lambda x: (
            np.stack(
                [
                    (x[0] >= x[1]) & (x[0] >= x[2]),
                    (x[1] > x[0]) & (x[1] >= x[2]),
                    x[2] > x[:2].max(),
                ]
            )
            * 1.0
        ),
        box(-2, 2, (3,)),
    ),
    "an unbounded sum of exponentials": (
        lambda x: np.log(np.sum(np.exp(x))),
        lambda x: np.exp(x) / np.sum(np.exp(x)),
        box(-30, 30, (4,)),
    ),
    "floats of 32 bits": (np.tanh, lambda x: 1 - np.tanh(x) ** 2, box(-3, 3, dtype="float32")),
}


@pytest.mark.parametrize("name", PIECES)
def test_pieces_are_proved_together(name):
    found = proved(*PIECES[name])
    assert found.share == 1
    assert found.paths == 1


PRODUCTS = {
    "vjp": (np.sin, lambda x, v: v * np.cos(x)),
    "jvp": (lambda x: np.cumsum(x**2), lambda x, v: np.cumsum(2 * x * v)),
    "hvp": (lambda x: np.sum(x**3), lambda x, v: 6 * x * v),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_products_are_proved_along_all_directions_at_once(name):
    right = PRODUCTS[name]
    assert proved(*right, box(-1, 1, (3,)), name).share == 1
    wrong = (right[0], lambda x, v: right[1](x, v) + (v[0] > 2.0**19) * v)
    assert (proved(*wrong, box(-1, 1, (3,)), name) or NOTHING).share < 1


def test_at_the_edge_of_the_domain_a_part_is_left():
    posed = lambda x: x * np.sqrt(x), lambda x: 1.5 * np.sqrt(x), [0, 1]
    found = proved(*posed)
    assert (found.share, found.covered, found.conditions) == (0, 1, ("x > 0",))
    case = Case("a", "a", posed[0], (), "gradient", claimed=posed[1])
    case = pose_case(case, posed[2], None, None, "conjugate")
    found = prove_over(claim_of(case), case.over, where_defined=False)
    assert 0.99 < found.share < 1
    assert not found.conditions


@pytest.mark.parametrize(
    "over",
    [
        verify.integers(-3, 3),
        box(-1, 1, shape=[(2,), (3,)]),
        box([0.0, 1.0], [1.0, 1.0]),
        box(-1, 1, shape=(65,)),
    ],
)
def test_what_is_no_box_of_reals_is_not_proved(over):
    assert proved(lambda x: np.sum(x**2), lambda x: 2 * x, over) is None


def test_of_a_part_of_a_box_only_the_whole_is_told():
    def inside(x):
        return x > 0.2

    assert (
        proved(lambda x: x**3, lambda x: 3 * x**2, box(-1, 1).where(inside, "x > 0.2")).share == 1
    )
    kinked = (lambda x: x * np.floor(3 * x + 0.1), lambda x: np.floor(3 * x + 0.1))
    assert proved(*kinked, box(-1, 1)).share < 1
    assert proved(*kinked, box(-1, 1).where(inside, "x > 0.2")) is None


def test_work_is_bounded_by_counts():
    assert proved(*WHOLE["softplus"], most=10) is None


@pytest.mark.long
def test_evidence_says_what_is_proved():
    r = verify.gradient(softplus, logistic, over=[-30, 30], evidence="proved")
    assert r.verdict is Verdict.CORRECT
    assert r.evidence.rung is Rung.PROVED
    assert str(r.evidence).startswith("proved on the whole region; certified at ")
    assert r.to_dict()["evidence"] == str(r.evidence)
    by_default = verify.gradient(softplus, logistic, over=[-30, 30])
    assert str(by_default.evidence).startswith("proved on the whole region; certified at ")


@pytest.mark.long
def test_what_is_proved_is_searched_for_values_alone(monkeypatch):
    def naive(x):
        return x * x - 2 * x + 1

    terms = {"over": [-3, 3], "effort": 0.4}
    lost = verify.gradient(lambda x: (x - 1) ** 3 / 3, naive, **terms)
    right = verify.gradient(lambda x: x**3, lambda x: 3 * x**2, **terms)
    monkeypatch.setattr("verify.oracles.over_region.proof.prove_over", lambda *_: None)
    unproved = verify.gradient(lambda x: x**3, lambda x: 3 * x**2, **terms)
    assert lost.verdict is Verdict.INACCURATE
    assert right.evidence.rung is Rung.PROVED
    assert unproved.evidence.rung is Rung.CERTIFIED
    assert right.coverage.tried < unproved.coverage.tried
    assert right.coverage.judged < unproved.coverage.judged


@pytest.mark.parametrize(
    ("function", "claim", "terms"),
    [
        (
            lambda x: x * np.floor(3 * x + 0.1),
            lambda x: np.floor(3 * x + 0.1),
            {"over": [-0.5, 0.5]},
        ),
        (softplus, logistic, {"over": [-30, 30], "effort": "quick"}),
        (softplus, lambda x: 1 + logistic(x), {"over": [-30, 30]}),
    ],
    ids=["a part", "a quick search", "what points exclude"],
)
def test_what_nobody_asked_to_prove_is_proved_whole_or_not_at_all(function, claim, terms):
    assert "proved" not in str(verify.gradient(function, claim, **terms).evidence)


@pytest.mark.long
def test_a_part_reads_weaker_than_the_whole():
    r = verify.gradient(
        lambda x: x * np.floor(3 * x + 0.1),
        lambda x: np.floor(3 * x + 0.1),
        over=[-0.5, 0.5],
        evidence="proved",
    )
    assert r.evidence.rung is Rung.CERTIFIED
    assert str(r.evidence).endswith("; proved on 99.98 % of the region")


@pytest.mark.long
def test_a_formula_that_is_proved_may_lose_digits():
    r = verify.gradient(np.tanh, lambda x: 1 - np.tanh(x) ** 2, over=[-60, 60], evidence="proved")
    assert r.verdict is Verdict.INACCURATE
    assert r.evidence.share == 1


@pytest.mark.long
def test_a_proof_against_points_is_a_conflict(monkeypatch):
    monkeypatch.setattr(Path, "prove", lambda *_: Found.PROVED)
    doubled = (np.sin, lambda x: 2 * np.cos(x))
    assert verify.gradient(*doubled, over=[-1, 1]).verdict is Verdict.WRONG
    disputed = verify.gradient(*doubled, over=[-1, 1], evidence="proved")
    assert disputed.verdict is Verdict.UNDECIDED
    assert "oracle conflict: the formula is proved" in disputed.message
    assert "proved" not in str(disputed.evidence)


def test_of_a_claim_that_answers_otherwise_nothing_is_proved():
    calls = []

    def forgetful(x):
        calls.append(1)
        return np.cos(x) * (1 if len(calls) < 300 else 2)

    r = verify.gradient(np.sin, forgetful, over=[-1, 1], evidence="proved")
    assert r.verdict is not Verdict.CORRECT or "proved" not in str(r.evidence)


ROUNDED = {
    "a half by its decimals": (lambda x: x * 0.7, lambda x: 0.7 + 0 * x),
    "a logarithm": (lambda x: x / np.log(2), lambda x: 1.4426950408889634 + 0 * x),
    "a third": (lambda x: x**3 / 3, lambda x: 2.9999999999999996 * 0.3333333333333333 * x**2),
    "of degrees": (
        lambda x: np.sin(x * np.pi / 180),
        lambda x: np.cos(x * 0.017453292519943295) * 0.017453292519943295,
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("name", ["a logarithm", "of degrees"])
def test_constants_may_stand_for_what_they_were_rounded_from(name):
    found = proved(*ROUNDED[name], [-1, 1])
    assert found.share == 1
    assert found.rounded
    r = verify.gradient(*ROUNDED[name], over=[-1, 1], evidence="proved")
    assert str(r.evidence).startswith(
        "proved on the whole region, up to the rounding of its constants; certified at "
    )


def test_constants_count_as_they_are_where_that_is_enough():
    found = proved(*ROUNDED["a half by its decimals"], [-1, 1])
    assert found.share == 1
    assert not found.rounded


def test_a_constant_that_rounds_to_another_float_stands_for_nothing_else():
    found = proved(*ROUNDED["a third"], [-1, 1])
    assert found.share == 0
    assert found.enclosed == 1
    assert 50 <= found.enclosed_bits <= 54


@pytest.mark.long
def test_what_code_rounded_is_enclosed():
    def merged(x):
        return 0.2 * 0.7 * 0.7 * x

    r = verify.gradient(lambda x: 0.1 * (0.7 * x) ** 2, merged, over=[-3, 3], evidence="proved")
    assert r.verdict is Verdict.CORRECT
    assert r.evidence.rung is Rung.ENCLOSED
    assert str(r.evidence).startswith("enclosed on the whole region to 2⁻⁵")


@pytest.mark.long
def test_an_enclosure_does_not_dispute_what_points_say():
    r = verify.gradient(np.sin, lambda x: np.cos(x) * (1 + 1e-9), over=[-1, 1], evidence="proved")
    assert r.verdict is Verdict.WRONG
    assert r.coverage.conflicts == 0
    assert "enclosed" not in str(r.evidence)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_the_number_that_is_meant_rounds_to_the_constant(x):
    assert float(to_expression(number_meant(Fraction(x))).evalf(40)) == x


@pytest.mark.long
def test_of_the_corpus_two_thirds_are_proved_on_the_whole_region():
    found = []
    for row in list(rows().values())[::29]:
        if row.over is not None and not row.approximate:
            proof = proved(row.function, row.derivative, row.over, row.quantity)
            found.append((0, 0) if proof is None else (proof.share, proof.enclosed))
    assert np.mean([share == 1 for share, _ in found]) > 0.6
    assert np.mean([enclosed == 1 for _, enclosed in found]) > 0.7


@pytest.mark.slow
@pytest.mark.parametrize("name", CLAIMS)
def test_points_are_left_open_where_nothing_is_proved_and_nowhere_else(name):
    case = pose_claim(name)
    found = prove_over(claim_of(case), case.over)
    if found is None:
        return
    assert bool(found.open_points) == (found.covered < 1)
    for x in found.open_points:
        assert case.over.contains(x)
        assert found.program_at(x) is None


def test_what_a_proof_leaves_open_is_searched():
    def claimed(x):
        return np.cos(x) + (x > 0.37) * (x < 0.37 + 2**-16)

    over = box(-1, 1)
    found = proved(np.sin, claimed, over)
    assert 0.99 < found.covered < 1
    inside = [x for (x,) in found.open_points if claimed(x) != np.cos(x)]
    assert inside
    assert verify.gradient(np.sin, claimed, over=over, evidence="proved").verdict is Verdict.WRONG


@pytest.mark.long
def test_a_proof_that_is_asked_for_takes_nothing_from_the_search():
    def function(x, y):
        return (1 + (x / x) ** 2) ** (y / x) + (1 + np.sqrt(1 + y**2) ** 2) ** x

    over = (box(0, 1), box(0, 1))
    alone, both = (
        verify.gradient(function, symtape.grad(function, (0, 1)), over=over, evidence=evidence)
        for evidence in ("certified", "proved")
    )
    assert both.coverage.covered < 1
    assert both.coverage.tried > alone.coverage.tried / 2
