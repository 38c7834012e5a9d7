"""The order of findings: total, the same each time, and in the steps that the page tells."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verify.auditing.libraries.entries import Audit, Entry, Witness, rank, rank_of_witness
from verify.auditing.libraries.formats import FORMATS
from verify.auditing.libraries.judging import KINDS
from verify.model.outcome import Float
from verify.model.verdict import Verdict


def witness(x=1.0, kind="inaccurate", absolute=1e-9):
    one = Float.of(x)
    return Witness((one,), one, "1.0", kind, 9.0, 1.0, absolute, absolute, 0.0, 0.0)


def entry(**changes):
    made = Entry("f", "f(x)", "d/dx", "float64", Verdict.INACCURATE, witnesses=(witness(),))
    return replace(made, **changes)


sizes = st.sampled_from([0.0, 1e-3, 0.5, -7.0, 1e3, 1e-300, 1e20, float("inf"), float("nan")])
witnesses = st.builds(
    witness, sizes, st.sampled_from(list(KINDS.values())), st.floats(0.0) | st.just(float("nan"))
)
entries = st.builds(
    entry,
    function=st.sampled_from("abc"),
    derivative=st.sampled_from(["d/dx", "d²/dx²", "∂²/∂x∂y"]),
    format=st.sampled_from(list(FORMATS)),
    verdict=st.sampled_from(list(Verdict)),
    severity=st.floats(0.0, 1.0) | st.just(float("nan")),
    witnesses=st.lists(witnesses, max_size=2).map(tuple),
)


def named(entries):
    """One of each name, as in an audit."""
    return list({(it.function, it.derivative, it.format): it for it in entries}.values())


@given(st.lists(entries, max_size=6), st.randoms(use_true_random=False))
def test_the_order_is_total_and_does_not_depend_on_how_entries_come(found, random):
    found = named(found)
    for one, other in itertools.combinations(found, 2):
        assert (rank(one) < rank(other)) != (rank(other) < rank(one))
    shuffled = random.sample(found, len(found))
    one, other = (Audit("jax", {}, "", 0, 0, 0.0, tuple(it)) for it in (found, shuffled))
    assert one.ranked == other.ranked
    assert list(one.functions) == list(other.functions)


STEPS = {
    "a fault before none": ({}, {"verdict": Verdict.CORRECT}),
    "first before second derivatives": ({}, {"derivative": "d²/dx²"}),
    "float64 before bfloat16": ({}, {"format": "bfloat16"}),
    "float32 before float16": ({"format": "float32"}, {"format": "float16"}),
    "inputs that are 0 before tiny ones": (
        {"witnesses": (witness(0.0),)},
        {"witnesses": (witness(1e-30),)},
    ),
    "moderate inputs before huge ones": (
        {"witnesses": (witness(-999.0),)},
        {"witnesses": (witness(1001.0),)},
    ),
    "no number before lost digits": ({"witnesses": (witness(kind="not finite"),)}, {}),
    "a wrong sign before lost digits": ({"witnesses": (witness(kind="wrong sign"),)}, {}),
    "a large error before lost digits": ({"witnesses": (witness(absolute=0.01),)}, {}),
    "a large effect before lost digits": (
        {"witnesses": (witness(900.0, absolute=1e-5),)},
        {"witnesses": (witness(0.5, absolute=1e-5),)},
    ),
    "the severer": ({"severity": 0.9}, {"severity": 0.1}),
    "the name that comes first": ({"function": "e"}, {"function": "f"}),
}


@pytest.mark.parametrize("step", STEPS)
def test_each_step_counts(step):
    better, worse = (entry(**changes) for changes in STEPS[step])
    assert rank(better) < rank(worse)


PAIRS = [
    (one, other)
    for one, other in itertools.combinations(STEPS, 2)
    if not {*STEPS[one][0], *STEPS[one][1]} & {*STEPS[other][0], *STEPS[other][1]}
]


@pytest.mark.parametrize(("step", "later"), PAIRS)
def test_each_step_counts_before_those_that_follow(step, later):
    """One entry is ahead by a step, and behind by a later one."""
    (better, worse), (ahead, behind) = STEPS[step], STEPS[later]
    assert rank(entry(**better, **behind)) < rank(entry(**worse, **ahead))


def test_the_input_counts_before_what_is_wrong_there():
    moderate, far = witness(5.0), witness(1e50, kind="not finite", absolute=float("nan"))
    assert rank_of_witness(moderate) < rank_of_witness(far)


@given(st.lists(witnesses, min_size=1, max_size=6))
def test_witnesses_are_ranked_by_input_and_then_by_kind(found):
    ranks = [rank_of_witness(it) for it in sorted(found, key=rank_of_witness)]
    assert ranks == sorted(ranks)
    for it in found:
        extreme, slight = rank_of_witness(it)
        size = abs(float.fromhex(it.x[0].hex))
        assert extreme != (size == 0 or 1e-3 <= size <= 1e3)
        assert not (slight and it.kind in ("not finite", "wrong sign"))
