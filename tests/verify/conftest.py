"""The command, as it is run in an empty folder; proofs of the rows as they are."""

from __future__ import annotations

import functools
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


class RenewedProofs(dict):
    """The proofs of the package; one of a row that changed since is made when it is asked for."""

    def __init__(self, entries, rows):
        super().__init__(entries)
        self._unseen = {row.name: row for row in rows}

    def __getitem__(self, name):
        self._renew(name)
        return super().__getitem__(name)

    def get(self, name, default=None):
        self._renew(name)
        return super().get(name, default)

    def _renew(self, name):
        from verify.oracles.proofs import known
        from verify.oracles.proofs.known import RowProof
        from verify.oracles.proofs.row import prove_row

        row, entry = self._unseen.pop(name, None), super().get(name)
        if row is None or (
            entry and entry["content"] == known._content_of(row, RowProof.from_data(entry["proof"]))
        ):
            return
        made = known.format_proofs({name: (row, prove_row(row))})
        self[name] = json.loads(made)["rows"][name]


@functools.cache
def renewed_proofs():
    from symtape.primitives.vocabulary import vocabulary
    from verify.oracles.proofs import known

    return RenewedProofs(known._entries(), vocabulary())


@pytest.fixture
def proofs(monkeypatch):
    """For tests that say what is proved: rows that changed since the release are proved here.

    Elsewhere they are certified.
    """
    from verify.oracles.proofs import known

    renewed = renewed_proofs()
    monkeypatch.setattr(known, "_entries", lambda: renewed)
    monkeypatch.setattr(known, "_FOUND", {})
