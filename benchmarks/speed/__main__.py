"""Derivatives by the tape, by compiled programs and by their peers, in one run.

    python -m benchmarks.speed [--only Helmholtz HMM] [--engines eager auto jax.jit]
                               [--rounds 9] [--json FILE] [--markdown [PAGE]] [--read FILE]

Single-threaded, float64, CPU time. Each engine has a process of its own; they take turns, in a new
random order in each round. An engine is timed if its result agrees with the tape's. Peers that are
not installed are named: ``autograd``, ``torch``, ``jax`` and ``casadi`` from the package index, and
gcc. ``--markdown`` writes the tables into docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import sys
from pathlib import Path

from benchmarks.speed.engines import ENGINES
from benchmarks.speed.figures import Run
from benchmarks.speed.rounds import Rounds
from benchmarks.speed.table import as_markdown, as_text, between_markers, number
from benchmarks.speed.workloads import WORKLOADS

PAGE = Path(__file__).parents[2] / "docs" / "benchmarks.md"
PACKAGES = ("symtape", "numpy", "scipy", "llvmlite", "autograd", "torch", "jax", "casadi")


def versions() -> dict[str, str]:
    """Of Python and of the packages that are there."""
    found = {"Python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def machine() -> dict[str, str]:
    """The processor by its name, its cores, and what else they do."""
    name = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = cpuinfo.read_text().splitlines()
        named = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
        name = named[0] if named else name
    load = f"{os.getloadavg()[0]:.1f} at the start"
    return {"processor": f"{name} ({os.cpu_count()} cores)", "load": load}


def chosen(words: list[str]) -> list[str]:
    """The workloads whose names hold one of some words."""
    low = [word.lower() for word in words]
    found = [name for name in WORKLOADS if not low or any(word in name.lower() for word in low)]
    if not found:
        raise SystemExit(f"--only {' '.join(words)}: no such workload; there are {[*WORKLOADS]}")
    return found


def measured(names: list[str], options: argparse.Namespace) -> Run:
    """A run, told as it goes."""
    rounds = Rounds(options.engines, options.rounds, options.limit, options.seed)
    run = Run(machine() | versions(), {})
    try:
        for name in names:
            run.figures[name] = rounds.measure(name)
            cells = (
                f"{engine} {figure.note or number(figure.least, 1e-6)}"
                for engine, figure in run.figures[name].items()
            )
            print(f"{name}: {', '.join(cells)}", file=sys.stderr, flush=True)
    finally:
        rounds.close()
    return run


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.speed", description=__doc__.split("\n\n")[0]
    )
    parser.add_argument("--only", nargs="+", default=[], help="words in the names of workloads")
    parser.add_argument("--engines", nargs="+", default=[*ENGINES], choices=[*ENGINES])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--limit", type=float, default=60.0, help="seconds to be ready in")
    parser.add_argument("--seed", type=int, default=0, help="of the order in each round")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    parser.add_argument("--read", type=Path, help="figures of an earlier run, in place of one")
    parser.add_argument("--markdown", type=Path, nargs="?", const=PAGE, help="write into this page")
    return parser.parse_args()


def main() -> None:
    """Measure, or read, and write."""
    options = parsed()
    if options.read:
        run = Run.from_dict(json.loads(options.read.read_text()))
    else:
        run = measured(chosen(options.only), options)
    if options.json:
        options.json.write_text(json.dumps(run.to_dict(), indent=1))
    if options.markdown:
        page = between_markers(options.markdown.read_text(), as_markdown(run))
        options.markdown.write_text(page)
    print(as_text(run))


if __name__ == "__main__":
    main()
