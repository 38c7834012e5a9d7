"""What the verifier says of the pairs: ``python -m benchmarks.packages [--only NAME]``.

A pair is *decided by recording* where the function was recorded and the verdict stands on
enclosures of its exact derivative; by samples otherwise. Every WRONG is to be looked at by hand.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import numpy as np

import verify
from benchmarks.packages.pair import Pair, pairs

_DECIDED: Final = ("CORRECT", "WRONG", "INACCURATE", "KINK", "OUTSIDE")


@dataclass(frozen=True, slots=True)
class Record:
    """What became of one pair.

    Attributes
    ----------
    name, verdict : str
    recorded : bool
        Whether it was decided by recording.
    sampled : str
        What samples say where it was not.
    message : str
    seconds : float
    """

    name: str
    verdict: str
    recorded: bool
    sampled: str
    message: str
    seconds: float


def judged(pair: Pair) -> Record:
    """Judge one pair, as a test asserts it."""
    start = time.perf_counter()
    check = getattr(verify, pair.quantity)
    at = [pair.at if len(pair.at) > 1 else pair.at[0]]
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = check(pair.function, pair.claim, at=at)
    except Exception as error:  # noqa: BLE001  # what a package or the verifier raises is counted
        words = f"{type(error).__name__}: {error}"
        return Record(pair.name, "raised", False, "", words, _since(start))
    verdict, sampled = result.verdict.value, str(result.sampled or "")
    rung = result.evidence.rung.value if result.evidence else ""
    recorded = verdict in _DECIDED and "sampl" not in rung
    message = result.witness.message if result.witness else ""
    return Record(pair.name, verdict, recorded, sampled, message, _since(start))


def _since(start: float) -> float:
    return round(time.perf_counter() - start, 2)


def table(records: Sequence[Record]) -> str:
    """Counts for each package and for all."""
    groups: dict[str, list[Record]] = {}
    for record in records:
        groups.setdefault(record.name.partition(":")[0], []).append(record)
    lines = [f"{'package':14} {'pairs':>5} {'by recording':>12}  verdicts"]
    for name, each in [*groups.items(), ("all", [*records])]:
        counts = Counter(record.verdict for record in each)
        told = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
        share = sum(record.recorded for record in each)
        lines.append(f"{name:14} {len(each):5} {share:6} {share / max(1, len(each)):5.0%}  {told}")
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> None:
    """Judge the pairs one after the other, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="pairs whose name holds this")
    parser.add_argument("--out", type=Path, default=Path("build/packages.jsonl"))
    options = parser.parse_args(arguments)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    records = []
    with options.out.open("w") as out:
        for pair in pairs(options.only):
            record = judged(pair)
            records.append(record)
            out.write(json.dumps(asdict(record)) + "\n")
            out.flush()
            if record.verdict != "CORRECT":
                print(f"{record.verdict:10} {record.name} | {record.message[:200]}", flush=True)
    print(table(records))
