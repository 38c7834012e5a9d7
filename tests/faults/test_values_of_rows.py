"""Faults of rows that no rule shows at an example: balls without slopes, and means far from 0."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from symtape.primitives import extrema, reductions
from symtape.primitives.primitive import PRIMITIVES
from verify.judging.judge import verify_case
from verify.model.verdict import Verdict
from verify.suites import primitives

BESIDE = {case.id.partition("/")[2]: case for case in primitives.cases() if case.over is None}


def shares_of_one_more(ball, row, largest):
    """As `extrema._row_shares`, with one tie too many."""
    best = max(row) if largest else min(row)
    ties = sum(x == best for x in row)
    return [type(x)(1) / (1 + ties) if x == best else type(x)(0) for x in row]


def centred_once(x, axis):
    return x - reductions.MEAN(x, axis=axis, keepdims=True)


FAULTS = {
    "share at ties of max": (
        extrema,
        "_row_shares",
        shares_of_one_more,
        ["share_of_extreme", "max.far", "min.far"],
    ),
    "one centring of var and std": (
        reductions,
        "_deviations",
        centred_once,
        ["var.far", "std.far"],
    ),
}
BALLS = {
    "floor": PRIMITIVES["ceil"].ball,
    "trunc": PRIMITIVES["floor"].ball,
    "less": PRIMITIVES["greater"].ball,
    "argmax": PRIMITIVES["argmin"].ball,
    "sign": lambda ball, x: type(x)(1),
}
"""Readings of other rows, by the row that is given them."""


@pytest.mark.parametrize("fault", FAULTS)
def test_it_is_found_by_the_suite_of_rows(fault, monkeypatch):
    module, name, wrong, found_by = FAULTS[fault]
    for case in found_by:
        assert verify_case(BESIDE[case]).verdict is Verdict.CORRECT, case
    monkeypatch.setattr(module, name, wrong)
    for case in found_by:
        assert verify_case(BESIDE[case]).verdict is not Verdict.CORRECT, case


@pytest.mark.parametrize("name", BALLS)
def test_a_ball_of_another_row_is_found(name):
    assert verify_case(BESIDE[name]).verdict is Verdict.CORRECT
    row = copy.copy(PRIMITIVES[name])
    row.ball = BALLS[name]
    [case] = primitives.cases_of_values(row)
    assert verify_case(case).verdict is not Verdict.CORRECT


def test_every_row_that_has_a_ball_and_takes_floats_is_judged():
    judged = {name.partition(".")[0].partition("[")[0] for name in BESIDE}
    judged |= {case.function.__name__ for case in primitives.cases()}
    for row in PRIMITIVES.values():
        inputs = [x for given, _ in primitives.examples(row) for x in given]
        if row.ball and all(np.asarray(x).dtype.kind == "f" for x in inputs):
            assert row.name in judged or not inputs, row.name
