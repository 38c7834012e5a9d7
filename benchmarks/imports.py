"""What ``import symtape`` adds to ``import numpy``, and what it brings with it.

python benchmarks/imports.py
"""

from __future__ import annotations

import statistics
import subprocess
import sys

CODE = """
import time
start = time.perf_counter()
import numpy
middle = time.perf_counter()
import symtape
end = time.perf_counter()
import sys
print(middle - start, end - middle, *({"sympy", "flint", "scipy", "matplotlib"} & set(sys.modules)))
"""


def main() -> None:
    """Print the medians of 15 fresh processes."""
    runs = []
    brought: set[str] = set()
    for _ in range(15):
        command = [sys.executable, "-c", CODE]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        numpy_time, ours, *heavy = done.stdout.split()
        runs.append((float(numpy_time), float(ours)))
        brought |= set(heavy)
    numpy_median = statistics.median(first for first, _ in runs)
    ours_median = statistics.median(second for _, second in runs)
    print(
        f"import numpy {numpy_median * 1e3:.0f} ms, import symtape {ours_median * 1e3:.0f} ms more"
    )
    print("brings", ", ".join(sorted(brought)) or "none of SymPy, python-flint, SciPy, Matplotlib")


if __name__ == "__main__":
    main()
