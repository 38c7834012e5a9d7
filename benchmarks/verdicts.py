"""Seconds a verdict over a region takes: classics, historical faults, examples, programs.

    python benchmarks/verdicts.py [--effort 1.0] [--only classics,faults,examples,programs] [--each]

Every case runs once, in one process, without the counterexamples of earlier runs, so that the
first of them pays for the imports. For each group: median, 90th percentile and maximum of the
seconds, and the medians of the points tried and judged. ``--each`` prints a line for every case.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))


def cases(group: str) -> Iterator[Any]:
    """The cases of a group which name a region."""
    if group in _TABLES:
        yield from _TABLES[group]()
        return
    from verify.campaign.load import Target
    from verify.campaign.tasks import plan

    names = ["classics"] if group == "classics" else sorted(map(str, _examples()))
    for task in plan([Target(name) for name in names]):
        case = task.find()
        if case.over is not None:
            yield case


def _examples() -> list[Path]:
    return [p for p in (ROOT / "examples").glob("*.py") if "torch" not in p.name]


def _faults() -> Iterator[Any]:
    from tests.faults.test_historical import FAULTS
    from verify.model.case import Case, region_of

    for fault in FAULTS:
        for kind in ("wrong", "right"):
            yield Case(
                id=f"{fault.name}, {kind}",
                title=fault.name,
                function=fault.function,
                at=(),
                quantity=fault.quantity,
                claimed=getattr(fault, kind),
                over=region_of(fault.function, fault.over),
            )


def _programs() -> Iterator[Any]:
    from programs import PROGRAMS

    from verify.model.case import Case, region_of

    for name, (function, right, wrong, region) in PROGRAMS.items():
        for kind, claimed in (("right", right), ("wrong", wrong)):
            yield Case(
                id=f"{name}, {kind}",
                title=name,
                function=function,
                at=(),
                claimed=claimed,
                over=region_of(function, region),
            )


_TABLES = {"faults": _faults, "programs": _programs}


def measured(case: Any, effort: float) -> tuple[float, Any]:
    """The seconds of one verdict, and the verdict."""
    from verify.judging.judge import verify_case

    start = time.perf_counter()
    result = verify_case(case, effort=effort)
    return time.perf_counter() - start, result


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--effort", type=float, default=1.0)
    parser.add_argument("--only", default="classics,faults,examples,programs")
    parser.add_argument("--each", action="store_true")
    options = parser.parse_args()
    print(f"{'group':10} {'cases':>5} {'median s':>9} {'p90 s':>7} {'max s':>7} "
          f"{'tried':>7} {'judged':>7}")  # fmt: skip
    with tempfile.TemporaryDirectory() as home:
        os.environ["SYMTAPE_HOME"] = home
        for group in options.only.split(","):
            report(group, options.effort, options.each)


def report(group: str, effort: float, each: bool) -> None:
    """One line of the table, and one for each case if asked."""
    rows = []
    for case in cases(group):
        seconds, result = measured(case, effort)
        rows.append((seconds, result.coverage.tried, result.coverage.judged))
        if each:
            print(
                f"  {seconds:6.2f} s {result.verdict.value:10} {rows[-1][1:]} {case.id}", flush=True
            )
    seconds, tried, judged = (np.array(column) for column in zip(*rows, strict=True))
    median, late = np.percentile(seconds, [50, 90])
    print(
        f"{group:10} {len(rows):5} {median:9.2f} {late:7.2f} {seconds.max():7.2f} "
        f"{np.median(tried):7.0f} {np.median(judged):7.0f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
