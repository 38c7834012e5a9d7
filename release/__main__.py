"""Make what a release carries, and test it: ``python -m release``.

Proofs, the score of the self-test, reports, pages of audits and tables of benchmarks are those of
the last release, and no commit between two releases has to keep them up. ``python -m release
proofs reports`` makes these two alone; nothing is kept of a step that fails.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from benchmarks.speed.table import between_markers
from release.overview import load_reports, overview
from release.picture import take_pictures
from release.rules import END, START, tabulate_rules
from release.templates import write_table
from verify.selftest.score import COMMITTED

ROOT: Final = Path(__file__).parents[1]
AUDITS: Final = ROOT / "reports" / "audits"
RULES: Final = ROOT / "reports" / "rules"


def run(*words: str, allowed: tuple[int, ...] = (0,)) -> None:
    """Run a module of Python in the checkout; a status that is not allowed ends the release."""
    print(f"\n== python -m {' '.join(words)}", flush=True)
    status = subprocess.call([sys.executable, "-m", *words], cwd=ROOT)
    if status not in allowed:
        sys.exit(status)


def prove() -> None:
    """Prove every row."""
    run("verify.oracles.proofs", "--all")


def score() -> None:
    """Test the verifier on planted faults and right claims; what is not installed is skipped."""
    with tempfile.TemporaryDirectory() as folder:
        run("verify", "selftest", "--out", folder, allowed=(0, 3))
        shutil.copy(Path(folder) / "selftest.json", COMMITTED)


def report() -> None:
    """Verify the suites."""
    run("verify", "verify", "--suites", "--out", "reports")


def audit() -> None:
    """Render the audits of frameworks from what was measured, and their tables in the docs."""
    for file in sorted([*AUDITS.glob("*/*.json"), *RULES.glob("*.json")]):
        run("verify", "report", str(file), "--format", "markdown", "--out", str(file.parent))
    page = ROOT / "docs" / "audits.md"
    audits = load_reports(AUDITS, "*/*.json")
    text = between_markers(page.read_text(), overview(audits))
    made = tabulate_rules(load_reports(RULES, "*.json"), audits)
    page.write_text(between_markers(text, made, START, END))


def picture() -> None:
    """Verify an example and photograph its report."""
    with tempfile.TemporaryDirectory() as folder:
        words = ("examples/by_hand.py", "--budget", "600", "--out", folder)
        run("verify", "verify", *words, allowed=(1,))
        take_pictures(Path(folder) / "by_hand.html")


def time() -> None:
    """Time the engines beside their peers, into docs/benchmarks.md."""
    run("benchmarks.speed", "--markdown")


def test() -> None:
    """Run the tests of a release."""
    run("pytest", "-m", "release", "tests")


STEPS: Final[dict[str, Callable[[], None]]] = {
    "templates": write_table,
    "proofs": prove,
    "score": score,
    "reports": report,
    "audits": audit,
    "picture": picture,
    "benchmarks": time,
    "tests": test,
}


def main() -> None:
    """Take the steps that are named, or all of them."""
    parser = argparse.ArgumentParser(prog="python -m release", description=__doc__)
    parser.add_argument("steps", nargs="*", metavar="STEP", help=f"of {', '.join(STEPS)}")
    chosen = parser.parse_args().steps or [*STEPS]
    if unknown := {*chosen} - STEPS.keys():
        parser.error(f"no step {', '.join(sorted(unknown))}; there are {', '.join(STEPS)}")
    for name, step in STEPS.items():
        if name in chosen:
            step()


if __name__ == "__main__":
    main()
