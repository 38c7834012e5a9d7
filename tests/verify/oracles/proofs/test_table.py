"""The suite ``primitives`` tells how strong the evidence for each operation is."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from symtape.primitives.vocabulary import vocabulary
from tests.verify.oracles.proofs.test_rows import CERTIFIED
from verify.model.result import Result
from verify.model.verdict import Verdict
from verify.oracles.proofs.known import RowProof, find_proof
from verify.reporting import Report, RowRung, proofs
from verify.reporting.as_text import show_rungs
from verify.suites.primitives import cases

ROOT = Path(__file__).parents[4]


def judged(verdict_of):
    return [
        Result(case.id, case.id, "primitives", "jacobian", "tape", verdict_of(case.id))
        for case in cases()
    ]


def rungs_of(monkeypatch, proof_of, results):
    """The rungs where `proof_of` says what is known of a row, and nothing is proved anew."""
    monkeypatch.setattr(proofs, "prove_rows", lambda rows: [*map(proof_of, rows)])
    return proofs.rungs(results)


def test_nothing_is_weaker_than_certified_when_all_cases_are_correct(monkeypatch):
    changed = RowProof(False, reason="it changed since it was proved")
    right = judged(lambda name: Verdict.CORRECT)
    found = rungs_of(monkeypatch, lambda row: find_proof(row) or changed, right)
    assert [row.op for row in found] == sorted(row.name for row in vocabulary())
    assert all(row.rung.startswith(("proved", "certified")) for row in found)
    certified = {row.op: row.reason for row in found if row.rung == "certified"}
    assert set(CERTIFIED) <= set(certified)
    assert all(certified.values())


def test_a_row_whose_cases_fail_is_not_proved(monkeypatch):
    wrong = judged(lambda name: Verdict.WRONG if name == "primitives/sin" else Verdict.CORRECT)
    every = RowProof(True, "everywhere")
    found = {row.op: row.rung for row in rungs_of(monkeypatch, lambda row: every, wrong)}
    assert found["sin"] == "WRONG"
    assert found["cos"] == "proved"
    none = {row.op: row.rung for row in rungs_of(monkeypatch, lambda row: every, [])}
    assert set(none.values()) == {"UNDECIDED"}


def test_the_table_is_printed_whole_at_any_width(monkeypatch):
    lines = (
        RowRung("sin", "proved", "everywhere"),
        RowRung("svd", "certified", "shapes (2,2)", "its polynomials grow too long"),
        RowRung("cos", "WRONG", "everywhere"),
    )
    report = Report("t", ("primitives",), "now", {}, 0, (), rungs=lines)
    for width in ("40", "80", "200"):
        monkeypatch.setenv("COLUMNS", width)
        out = io.StringIO()
        show_rungs(report, out)
        text = out.getvalue()
        for words in ("operation", "sin", "svd", "proved", "certified", "WRONG"):
            assert words in text
        assert "3 operations: 1 proved, 1 certified, 1 WRONG" in " ".join(text.split())
    assert Report.from_dict(report.to_dict()) == report


MINE = """
    import verify
    from symtape.primitives.primitive import declare

    CUBE = declare(
        name="cube_of_mine", inputs="x", evaluate=lambda x: x * x * x,
        vjp=[lambda g, x: 3 * g * x * x], elementwise=True,
        symbolic=lambda sp, x: x**3, ball=lambda ball, x: x * x * x, example=(0.75,),
    )

    @verify.case(at=[0.5])
    def volume(x):
        return CUBE(x)
"""


@pytest.mark.long
def test_rows_of_a_users_file_are_proved_when_it_is_verified(tmp_path):
    (tmp_path / "mine.py").write_text(textwrap.dedent(MINE))
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", "COLUMNS": "120"}
    environment["SYMTAPE_HOME"] = str(tmp_path / "home")
    done = subprocess.run(
        [sys.executable, "-m", "verify", "verify", "mine.py"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "proved; " in done.stdout, done.stdout
