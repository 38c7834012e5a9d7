"""Right claims as people write them pass, and mistakes in them are found: a sample of the corpus.

The whole of it is a campaign; `python -m benchmarks.corpus` tells every row.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import pytest

from benchmarks.corpus import rows
from benchmarks.corpus.reference import doubt, limit
from benchmarks.corpus.registry import edited
from benchmarks.corpus.run import campaign, judged, main
from benchmarks.corpus.table import failures, found, table

ROWS: Final = rows()
PROGRAMS: Final = [name for name, row in ROWS.items() if row.gross]
RIGHT: Final = [name for name, row in ROWS.items() if not row.gross]
QUICK: Final = 0.05

SAMPLE: Final = [*RIGHT[::33], *PROGRAMS[::20]]
OTHERS: Final = PROGRAMS[10::20]
"""Programs of which the gross mistakes are looked for, while those of the sample are right."""


def test_the_corpus_is_as_large_as_it_is_said_to_be():
    assert len(RIGHT) >= 500
    assert len(PROGRAMS) >= 200


@pytest.mark.parametrize("name", PROGRAMS)
def test_mistakes_change_the_source_of_the_derivative(name):
    row = ROWS[name]
    digests = {row.digest(kind) for kind in row.kinds}
    assert len(digests) == 3
    assert row.claim("gross").__code__ != row.derivative.__code__
    assert row.claim("needle").__code__ != row.derivative.__code__


def test_a_mistake_in_what_does_not_stand_there_once_is_refused():
    def slope(x):
        return 2 * x + 2

    with pytest.raises(ValueError, match="stands there 2 times"):
        edited(slope, ("2", "3"))


@pytest.mark.parametrize("name", [*SAMPLE, *OTHERS])
def test_differences_agree_with_right_claims_and_not_with_gross_mistakes(name):
    row = ROWS[name]
    assert doubt(row) < limit(row)
    if row.gross:
        assert doubt(row, "gross") > 10 * limit(row)


@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLE)
def test_right_claims_of_the_sample_pass(name):
    record = judged(ROWS[name], "right", QUICK)
    assert record.passed is not False, f"{record.verdict}: {record.message}"
    assert not record.warnings


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("name", OTHERS)
def test_gross_mistakes_of_the_sample_are_found(name):
    record = judged(ROWS[name], "gross", QUICK)
    assert record.passed is None or found(record), f"{record.verdict}: {record.message}"
    assert not record.warnings


def test_what_is_recorded_is_not_judged_again(tmp_path, capsys):
    store = tmp_path / "store.jsonl"
    words = [
        "--only",
        "cosine similarity",
        "--jobs",
        "1",
        "--effort",
        "quick",
        "--store",
        str(store),
    ]
    for _ in range(2):
        with pytest.raises(SystemExit) as ended:
            main(words)
        assert ended.value.code == 0
    assert len(store.read_text().splitlines()) == 1
    assert "1 CORRECT" in capsys.readouterr().out


@pytest.mark.campaign
def test_the_whole_corpus():
    tasks = [(name, kind) for name, row in ROWS.items() for kind in row.kinds]
    records = [record for _, _, record, _ in campaign(tasks, 1.0, 2) if record is not None]
    assert len(records) == len(tasks)
    words = f"{table(records)}\n{failures(records)}"
    right = [r.passed for r in records if r.kind == "right" and r.passed is not None]
    assert np.mean(right) >= 0.95, words
    assert all(found(r) for r in records if r.kind == "gross" and r.passed is not None), words
    assert not any(record.warnings for record in records), words
