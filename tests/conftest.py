"""Snapshots: messages as plain text files, to be read, and compared."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SNAPSHOTS = Path(__file__).parent / "snapshots"


@pytest.fixture
def snapshot():
    """``snapshot(name, text)`` compares with a file; SYMTAPE_UPDATE_SNAPSHOTS=1 writes it."""

    def compare(name, text):
        file = SNAPSHOTS / f"{name}.txt"
        if os.environ.get("SYMTAPE_UPDATE_SNAPSHOTS"):
            file.write_text(text, encoding="utf-8")
        known = file.read_text(encoding="utf-8") if file.exists() else ""
        assert text == known, (
            f"{file} differs; read the change, and accept it with SYMTAPE_UPDATE_SNAPSHOTS=1"
        )

    return compare
