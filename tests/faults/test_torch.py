"""What torch's derivatives are like over [-60, 60], found from the region alone."""

from __future__ import annotations

import functools
import runpy
import warnings
from pathlib import Path

import numpy as np
import pytest

from verify.model.verdict import Verdict

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    torch = pytest.importorskip("torch")

EXAMPLE = Path(__file__).parents[2] / "examples/torch_accuracy.py"


@pytest.fixture(autouse=True)
def alone(monkeypatch, tmp_path):
    """One thread, and no memory of earlier searches."""
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path))
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@functools.cache
def example():
    return runpy.run_path(str(EXAMPLE), run_name="torch_accuracy")


@functools.cache
def measured(name):
    """The result, its largest error in ulps, and where wrong zeros are."""
    result = example()["accuracy"](name)
    survey = result.survey
    lost = (survey.claimed == 0) & (np.abs(survey.exact) >= np.finfo(float).tiny)
    return result, float(np.max(survey.ulps)), survey.coordinates[lost, 0]


@pytest.mark.parametrize(
    ("name", "share", "first"),
    [("tanh", 2730 / 4001, 19.07), ("sigmoid", 776 / 4001, 36.74), ("expm1", 776 / 4001, 36.74)],
)
def test_slopes_that_vanish_too_early(name, share, first):
    result, _, where = measured(name)
    assert result.verdict.fails, str(result)
    assert result.witness.worst.claimed == 0
    assert example()["wrong_zeros"](result.survey) == pytest.approx(share, abs=0.01)
    # None before the first float at which it is zero; ten points of the survey fall on one unit.
    assert first - 0.01 < np.min(np.abs(where)) < first + 0.7


def test_a_slope_that_jumps_at_a_threshold():
    result, ulps, where = measured("softplus")
    assert result.verdict.fails, str(result)
    assert 1e7 < ulps < 1.9e7
    assert where.size == 0


def test_a_slope_that_loses_what_rounding_its_square_costs():
    result, ulps, where = measured("erf")
    assert result.verdict is Verdict.CORRECT, str(result)
    assert 250 < ulps < 700
    assert where.size == 0


@pytest.mark.parametrize("name", ["logsigmoid", "sin"])
def test_slopes_that_are_good(name):
    result, ulps, where = measured(name)
    assert result.verdict is Verdict.CORRECT, str(result)
    assert ulps < 4
    assert where.size == 0


def test_the_example_prints_the_table(capsys, monkeypatch):
    main = example()["main"]
    monkeypatch.setitem(main.__globals__, "accuracy", lambda name: measured(name)[0])
    main()
    header, *lines = capsys.readouterr().out.splitlines()
    assert header.split() == ["torch", "verdict", "ulps", "at", "wrong", "zeros"]
    assert [line.split()[0] for line in lines] == list(example()["FUNCTIONS"])
