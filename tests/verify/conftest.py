"""The command, as it is run in an empty folder; proofs of the rows as they are."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run_command(folder, *words, packages=ROOT):
    """Run ``symtape`` in an empty folder, with the packages that are in `packages`."""
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        [sys.executable, "-m", "verify", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(packages), "SYMTAPE_HOME": str(folder / "home")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def command():
    """:func:`run_command`."""
    return run_command


@pytest.fixture(scope="session")
def proofs():
    """For tests that say what is proved: rows that changed since the release are proved here.

    Elsewhere they are certified.
    """
    from symtape.primitives.vocabulary import vocabulary
    from verify.oracles.proofs import known
    from verify.oracles.proofs.row import prove_row

    changed = [row for row in vocabulary() if known.find_shipped_proof(row) is None]
    made = known.format_proofs({row.name: (row, prove_row(row)) for row in changed})
    known._entries().update(json.loads(made)["rows"])
    known._FOUND.clear()
