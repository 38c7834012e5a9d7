"""Pairs of the packages that are there: NumPy's and SciPy's, which always are."""

from __future__ import annotations

import pytest

from benchmarks.packages import compiled, numpy_polynomials, run, scipy_functions
from benchmarks.packages.pair import Pair, pairs
from benchmarks.packages.run import judged, main, table

SAMPLE = [*numpy_polynomials.pairs()][::6]


@pytest.mark.parametrize("pair", SAMPLE, ids=lambda pair: pair.name)
def test_derivatives_of_series_are_decided_by_recording(pair):
    record = judged(pair)
    assert (record.verdict, record.recorded) == ("CORRECT", True), record.message


def test_every_pair_has_values_where_it_is_judged():
    for pair in [*numpy_polynomials.pairs(), *scipy_functions.pairs()]:
        pair.function(*pair.at)
        pair.claim(*pair.at)


def test_a_wrong_derivative_and_one_that_raises_are_counted(capsys, monkeypatch, tmp_path):
    wrong = Pair("theirs: square", lambda x: x**2, lambda x: x, (1.5,))
    lost = Pair("theirs: lost", lambda x: x.no_such_method(), lambda x: x, (1.5,))
    monkeypatch.setattr(run, "pairs", lambda only: [wrong, lost])
    main(["--out", str(tmp_path / "records.jsonl")])
    said = capsys.readouterr().out
    assert "WRONG      theirs: square | the gradient is 1.5" in said
    assert "raised     theirs: lost | " in said
    assert len((tmp_path / "records.jsonl").read_text().splitlines()) == 2


def test_packages_that_are_not_there_are_told(capsys, monkeypatch):
    monkeypatch.setattr("benchmarks.packages.pair.MODULES", ("no_such_models",))
    assert not [*pairs()]
    assert "no_such_models: No module named" in capsys.readouterr().out


def test_of_no_pairs_there_is_a_table():
    assert table([]).splitlines()[-1].split()[:2] == ["all", "0"]


def test_programs_of_packages_are_what_is_eager_or_refused():
    for pair in [*numpy_polynomials.pairs(), *scipy_functions.pairs()][::7]:
        found = compiled.outcome_of(pair, "numpy")
        assert found.outcome in ("equal", "recorded again", "refused"), found


def test_each_outcome_of_a_program_is_told(capsys, monkeypatch):
    def branch(x):
        return x * x if x > 0 else 3.0 * x

    table = {
        "equal": lambda x: x * x,
        "recorded again": branch,
        "refused": lambda x: x * float(repr(float(x))),
    }
    given = [Pair(f"theirs: {name}", f, f, (1.5,)) for name, f in table.items()]
    assert [compiled.outcome_of(pair, "numpy").outcome for pair in given] == [*table]
    monkeypatch.setattr(compiled, "BACKENDS", ("numpy",))
    monkeypatch.setattr(compiled, "pairs", lambda only: given)
    compiled.main([])
    said = capsys.readouterr().out.splitlines()
    assert said[1].split() == ["numpy", "3", "1", "1", "1", "0"]
    assert "a value leaves (escape:" in said[2]


def test_a_wrong_program_is_told(monkeypatch):
    monkeypatch.setattr("symtape.jit", lambda f, backend: _Off(f))
    found = compiled.outcome_of(Pair("theirs: square", lambda x: x * x, abs, (1.5,)), "numpy")
    assert found.outcome == "wrong"
    assert "eager" in found.words


class _Off:
    programs = 1

    def __init__(self, function):
        self.function = function

    def record_at(self, *point):
        pass

    def __call__(self, *point):
        return [y * (1 + 1e-9) for y in self.function(*point)]
