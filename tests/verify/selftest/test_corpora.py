"""Right claims of a module outside of the package count like those of the package."""

from __future__ import annotations

import struct
import sys
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from benchmarks.corpus.registry import Row
from verify.cli import cli
from verify.errors import UsageError
from verify.selftest.corpora import names, try_corpus
from verify.selftest.run import perform, plan

CORPUS = "benchmarks.corpus"


def everything(label):
    return True


def test_only_exact_claims_are_asked_of_quantities_that_have_a_reference():
    found = names(CORPUS)
    assert len(found) >= 500
    assert f"{CORPUS}: special: erf" in found
    assert not [name for name in found if "approximations: " in name or ": hvp, " in name]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["special: erf", "second order and products: Hessian, Himmelblau", "greeks: Bachelier"]
)
def test_claims_are_taken_at_points_of_their_regions(name):
    pairs = try_corpus(f"{CORPUS}: {name}", everything, 0)
    assert len(pairs) == 8
    assert sum(bool(pair.verdict) for pair in pairs) >= 4
    assert {pair.group for pair in pairs} == {"by hand, corpus"}
    (again,) = try_corpus(f"{CORPUS}: {name}", lambda label: label.endswith("#3"), 0)
    assert again == next(pair for pair in pairs if pair.id == again.id)


def test_the_plan_has_them_where_they_are_asked_for():
    tasks = [task for task in plan(corpus=CORPUS) if task.kind == "corpus"]
    assert len(tasks) == len(names(CORPUS))
    assert not [task for task in plan() if task.kind == "corpus"]


def test_a_claim_is_found_again_by_its_id():
    label = f"{CORPUS}: special: erf #3"
    (task,) = plan(only=label, corpus=CORPUS)
    (pair,) = perform(task).pairs
    assert pair.id == label


def packed(x):
    return x * struct.unpack("d", struct.pack("d", x))[0]


def test_a_function_that_cannot_be_recorded_is_not_taken(monkeypatch):
    row = Row("bytes: packed", packed, lambda x: 2 * x, at=[(0.5,)])
    module = SimpleNamespace(rows=lambda: {row.name: row})
    monkeypatch.setitem(sys.modules, "corpus_of_bytes", module)
    (pair,) = try_corpus(f"corpus_of_bytes: {row.name}", everything, 0)
    assert pair.verdict == ""
    assert pair.words.startswith("its reference stopped")


def test_a_module_that_is_none_is_told():
    with pytest.raises(UsageError, match="No module named 'no_such_corpus'"):
        names("no_such_corpus")
    done = CliRunner().invoke(cli, ["selftest", "--corpus", "no_such_corpus"])
    assert done.exit_code == 2
    assert "no_such_corpus" in done.output
