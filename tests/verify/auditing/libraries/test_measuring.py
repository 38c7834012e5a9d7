"""An audit finds planted faults, calls each by its name, and accuses no right derivative."""

from __future__ import annotations

import numpy as np
import pytest

from verify.auditing.libraries.functions import FUNCTIONS
from verify.auditing.libraries.measuring import measure
from verify.model.verdict import Verdict
from verify.oracles.recheck.opinion import Opinion, OpinionStatus

PLANTED = {
    "wrong zero": lambda slope, x: np.where(np.abs(x) > 30, 0 * slope, slope),
    "wrong sign": lambda slope, x: np.where((x > 3) & (x < 9), -slope, slope),
    "not finite": lambda slope, x: np.where(np.abs(x) > 1e100, np.nan, slope),
    "inaccurate": lambda slope, x: slope * np.where(x > 2, 1 + 1e-11, 1.0),
}


@pytest.mark.parametrize("kind", PLANTED)
def test_a_planted_fault_is_found_and_named(liar, kind):
    found = measure(liar(PLANTED[kind]), FUNCTIONS["arctan"], (0,), "float64", 300, 0)
    assert found.fails
    assert found.message.partition(" ×")[0] == kind
    assert "," not in found.message.partition(";")[0]
    assert found.points[0].message.startswith(f"{kind}; ")
    assert found.accuracy is not None


def test_an_input_that_matters_is_shown_before_extreme_ones(liar):
    lost = liar(lambda slope, x: np.where((x == 700) | (x > 1e100), 0 * slope, slope))
    found = measure(lost, FUNCTIONS["arctan"], (0,), "float64", 300, 0)
    sizes = [abs(point.inputs[0].values[0]) for point in found.points]
    assert 1e-3 <= sizes[0] <= 1e3 < max(sizes)


def test_what_only_rounds_is_right(liar):
    honest = liar(lambda slope, x: slope * (1 + 2.0**-50))
    found = measure(honest, FUNCTIONS["arctan"], (0,), "float64", 300, 0)
    assert found.verdict is Verdict.CORRECT, found.message


def test_flushing_below_the_normal_floats_is_told_apart(liar):
    tiny = np.finfo(float).tiny
    flushing = liar(lambda slope, x: np.where(np.abs(slope) < tiny, 0 * slope, slope))
    found = measure(flushing, FUNCTIONS["exp"], (0,), "float64", 3000, 0)
    assert found.verdict is Verdict.CORRECT, found.message


def test_a_fault_of_one_ulp_in_four_is_seen_in_bfloat16(liar):
    coarse = liar(lambda slope, x: slope * np.where(x > 1, 1.125, 1.0))
    found = measure(coarse, FUNCTIONS["arctan"], (0,), "bfloat16", 300, 0)
    assert found.fails
    assert 8 < found.ulps < 64


def test_values_at_kinks_are_conventions(liar):
    chosen = liar(lambda slope, x: np.where(x == 0, 17.0, slope))
    for name in ("abs", "elu"):
        found = measure(chosen, FUNCTIONS[name], (0,), "float64", 300, 0)
        assert found.verdict is Verdict.CORRECT, name


def test_a_disagreement_of_oracles_is_no_finding(liar, monkeypatch):
    from verify.auditing.libraries import measuring

    other = Opinion(OpinionStatus.CONTRADICTED, "2.0")
    monkeypatch.setattr(measuring, "opinion_on_entry", lambda *given, **more: other)
    found = measure(liar(PLANTED["wrong sign"]), FUNCTIONS["arctan"], (0,), "float64", 300, 0)
    assert found.verdict is Verdict.UNDECIDED
    assert found.message.startswith("oracle conflict")


@pytest.mark.parametrize("name", ["tanh", "expit", "expm1", "softplus", "logaddexp"])
def test_our_own_tails_are_right(name):
    from verify.auditing.libraries.claimants import claimant

    for form in ("float64", "float32"):
        found = measure(claimant("symtape"), FUNCTIONS[name], (0,), form, 300, 0)
        assert found.verdict is Verdict.CORRECT, (form, found.message)
