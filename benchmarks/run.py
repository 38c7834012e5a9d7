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
        "gradients",
        "jacobians",
        "shadow",
        "certify",
        "balls",
        "assertions",
        "audit",
    ):
        print(f"\n== {name}", flush=True)
        subprocess.run([sys.executable, str(FOLDER / f"{name}.py")], check=True)


if __name__ == "__main__":
    main()
