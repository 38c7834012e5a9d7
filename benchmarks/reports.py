"""Cost of reports and of comparisons of many cases: ``python benchmarks/reports.py [COUNT]``.

The goals for 10,000 cases are each format in less than a minute, and memory that does not grow with
the count beyond the report itself.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.synthetic import later, report
from verify.reporting import load, write
from verify.reporting.comparison import compare
from verify.reporting.comparison import write as write_comparison


def main() -> None:
    """Write, read and compare a synthetic report, and say what each took."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    made = report(count)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for form in ("json", "junit", "markdown", "html"):
            _told(form, lambda form=form: write(made, folder, [form]))
        pages = len([*folder.rglob("*.html")])
        print(f"{pages} pages; the index has {(folder / 'report.html').stat().st_size:,} bytes")
        _told("read JSON", lambda: load(folder / "report.json"))
        found = compare([made, later(made), later(made, seed=2, release="7.2")])
        for form in ("json", "junit", "markdown", "html"):
            _told(f"compare: {form}", lambda form=form: write_comparison(found, folder, [form]))


def _told(name, work) -> None:
    start = time.process_time()
    work()
    spent = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{name:18} {spent:6.1f} s of CPU, {peak:6.0f} MB at most so far", flush=True)


if __name__ == "__main__":
    main()
