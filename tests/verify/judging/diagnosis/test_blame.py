"""The operation to blame is found among many, and none is made up."""

from __future__ import annotations

import numpy as np
import pytest

import verify
from symtape.primitives.primitive import PRIMITIVES
from verify import Verdict


def plant(monkeypatch, name, vjp):
    row = PRIMITIVES[name]
    monkeypatch.setattr(row, "rules", row._rules(vjp))


def network(weights, x):
    hidden = np.tanh(x @ weights)
    shifted = np.exp(hidden - np.max(hidden))
    return np.log(np.sum(shifted)) + np.sum(np.sqrt(hidden**2 + 1))


POINT = ([[0.5, -0.25], [0.125, 1.0]], [[1.0, 2.0], [0.5, 0.25], [0.75, -1.0]])

FAULTS = {
    "tanh": [lambda g, x: g / np.cosh(x)],
    "exp": [lambda g, y: g * y * (1 + 1e-11)],
    "log": [lambda g, x: g],
    "sqrt": [lambda g, y: g / y],
    "subtract": [lambda g: g, lambda g: g],
    "sum": [lambda g, x: g + 0 * x * 2 + x * 1e-13],
    "matmul": [lambda g, b: g @ np.swapaxes(b, -1, -2), lambda g, a: -(np.swapaxes(a, -1, -2) @ g)],
}


@pytest.mark.parametrize("name", FAULTS)
def test_the_faulty_operation_of_a_network_is_named_with_its_line(name, monkeypatch):
    plant(monkeypatch, name, FAULTS[name])
    result = verify.gradient(network, at=[POINT])
    assert result.verdict is Verdict.WRONG
    assert result.witness.op == name
    assert result.witness.origin.startswith(f"{__file__}:")
    assert f"of {name} (tests/verify/judging/diagnosis/test_blame.py:" in result.witness.message


def test_a_fault_in_large_arrays_is_found(monkeypatch):
    plant(monkeypatch, "cumsum", [lambda g: g])
    result = verify.gradient(lambda x: np.sum(np.cumsum(x) ** 2), at=[np.linspace(-1, 1, 60)])
    assert result.witness.op == "cumsum"


def test_the_search_ends_when_its_work_is_done(monkeypatch):
    plant(monkeypatch, "sqrt", FAULTS["sqrt"])
    for most, each, op in ((1000, 1000, "sqrt"), (20, 1000, None), (1000, 4, None)):
        monkeypatch.setattr("verify.judging.diagnosis.blame._MOST_WORK", most)
        monkeypatch.setattr("verify.judging.diagnosis.blame._EACH", each)
        result = verify.gradient(network, at=[POINT])
        assert result.verdict is Verdict.WRONG
        assert result.witness.op == op


def test_a_fault_at_some_values_only_is_found_beside_good_applications(monkeypatch):
    plant(monkeypatch, "sinh", [lambda g, x: g * np.where(x > 2, np.sinh(x), np.cosh(x))])
    result = verify.gradient(lambda x: np.sinh(x) + np.sinh(3 * x), at=[0.75])
    assert result.witness.op == "sinh"


def test_of_a_claim_by_others_its_own_line_is_named():
    result = verify.gradient(np.sin, claimed=lambda x: -np.cos(x), at=[0.5])
    assert result.witness.op == "cos"
    assert result.witness.origin.startswith(f"{__file__}:")


def test_nobody_is_blamed_when_nothing_is_wrong():
    assert verify.gradient(network, at=[POINT]).witness.op is None
