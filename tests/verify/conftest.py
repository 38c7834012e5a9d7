"""The command, as it is run in an empty folder."""

from __future__ import annotations

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
