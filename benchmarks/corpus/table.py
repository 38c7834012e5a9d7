"""The corpus in a table: what became of the right claims, and which mistakes were found."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final

__all__ = ["failures", "found", "table"]

_VERDICTS: Final = (
    *("CORRECT", "KINK admissible", "KINK", "WRONG", "INACCURATE", "UNDECIDED", "OUTSIDE"),
    *("raised", "needs approximately"),
)


def found(record: Any) -> bool:
    """Whether a mistake was told as one."""
    return record.passed is False and record.verdict in ("WRONG", "INACCURATE", "KINK")


def table(records: Sequence[Any]) -> str:
    """Counts for each group and for all."""
    groups: dict[str, list[Any]] = {}
    for record in records:
        groups.setdefault(record.name.split(":")[0], []).append(record)
    words = "group", "right", "pass", "gross", "needle", "median s", "max"
    head = "{:22} {:>5} {:>5}  {:>9} {:>9} {:>9} {:>6}".format(*words)
    lines = [head, *(_line(name, each) for name, each in groups.items()), _line("all", records)]
    verdicts = Counter(r.verdict for r in records if r.kind == "right")
    counts = ", ".join(f"{verdicts[word]} {word}" for word in _VERDICTS if verdicts[word])
    return "\n".join([*lines, "", f"right claims: {counts}"])


def _line(name: str, records: Sequence[Any]) -> str:
    asked = [r for r in records if r.kind == "right" and r.passed is not None]
    seconds = [r.seconds for r in records if r.passed is not None] or [0.0]
    shares = [_share(r for r in records if r.kind == kind) for kind in ("gross", "needle")]
    return (
        f"{name:22} {len(asked):5} {sum(r.passed for r in asked):5}  {shares[0]:>9} {shares[1]:>9} "
        f"{statistics.median(seconds):9.2f} {max(seconds):6.1f}"
    )


def _share(records: Iterable[Any]) -> str:
    asked = [r for r in records if r.passed is not None]
    return f"{sum(map(found, asked))}/{len(asked)}" if asked else ""


def failures(records: Sequence[Any]) -> str:
    """False alarms, mistakes that were missed, and warnings that reached the user."""
    alarms = [r for r in records if r.kind == "right" and r.passed is False]
    missed = [r for r in records if r.kind != "right" and r.passed is not None and not found(r)]
    lines = [f"\n{len(alarms)} right claims that did not pass:"]
    lines += [f"  {r.verdict:10} {r.name} | {r.message}" for r in alarms]
    lines += [f"\n{len(missed)} mistakes that were not found:"]
    lines += [f"  {r.kind:6} {r.verdict:10} {r.name} | {r.message}" for r in missed]
    warned = [r for r in records if r.warnings]
    lines += [f"\n{len(warned)} claims of which a warning reached the user:"]
    lines += [f"  {r.kind:6} {r.name} | {r.warnings[0]}" for r in warned]
    return "\n".join(lines)
