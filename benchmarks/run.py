"""Every benchmark, in one command: ``python benchmarks/run.py``.

Each runs in a process of its own; ratios are within one process.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent


def main() -> None:
    """Run the benchmarks one after another."""
    for name in (
        "imports",
        "speed",
        "shadow",
        "certify",
        "balls",
        "rounding",
        "assertions",
        "audit",
        "reports",
        "campaign",
    ):
        print(f"\n== {name}", flush=True)
        target = ["-m", "benchmarks.speed"] if name == "speed" else [str(FOLDER / f"{name}.py")]
        subprocess.run([sys.executable, *target], check=True, cwd=FOLDER.parent)


if __name__ == "__main__":
    main()
