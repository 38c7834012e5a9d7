"""Shares of right claims that are proved on their regions, and why the others are not.

    python -m benchmarks.regions corpus|packages|suites [--only NAME] [--out FILE]

Of `corpus` the right claims with a region; of `packages` all pairs, on a box around their point
that is an eighth of each number wide on both sides; of `suites` the built-in cases with a region,
whose claimant is the tape. *Where defined* counts what is proved or enclosed wherever the
operations of the function are defined and smooth, and not in all of the region. A claim that is
not proved is counted by the last reason told of it.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

import verify
from verify.claimants.claim import claim_of
from verify.claimants.posing import pose_case
from verify.model.case import Case
from verify.oracles.over_region.proof import prove_over

_AROUND: Final = 0.125
_SHORT: Final = 60
_FAILED: Final = ("on a part", "not proved")


@dataclass(frozen=True, slots=True)
class Record:
    """What is proved of a claim.

    Attributes
    ----------
    name, reason : str
    share, enclosed, covered : float
    bits : int
    rounded : bool
    seconds : float
    """

    name: str
    share: float
    enclosed: float
    bits: int
    rounded: bool
    reason: str
    seconds: float
    covered: float = 0.0

    @property
    def fate(self) -> str:
        """In the words of the table."""
        if self.enclosed == 1:
            return "proved" if self.share == 1 else "enclosed"
        if self.covered == 1:
            return "where defined"
        return "on a part" if self.covered else "not proved"


def _find_corpus(only: str) -> Iterator[tuple[str, Case, Any]]:
    from benchmarks.corpus import rows

    for name, row in rows().items():
        if only in name and row.over is not None:
            claim = row.claim("right")
            if row.approximate:
                claim = verify.approximately(claim, rtol=row.rtol, atol=row.atol)
            yield name, Case(name, name, row.function, (), row.quantity, claimed=claim), row.over


def _find_packages(only: str) -> Iterator[tuple[str, Case, Any]]:
    from benchmarks.packages.pair import pairs

    for pair in pairs(only):
        over = tuple(map(_surround, pair.at))
        case = Case(pair.name, pair.name, pair.function, (), pair.quantity, claimed=pair.claim)
        yield pair.name, case, over if len(over) > 1 else over[0]


def _surround(x: Any) -> Any:
    x = np.asarray(x, dtype=np.float64)
    width = _AROUND * np.where(x == 0, 1.0, np.abs(x))
    return verify.box(x - width, x + width)


def _find_suites(only: str) -> Iterator[tuple[str, Case, Any]]:
    from verify.suites import SUITES

    for make in SUITES.values():
        for case in make():
            if only in case.id and case.over is not None:
                yield case.id, case, None


_SOURCES: Final[dict[str, Callable[[str], Iterator[tuple[str, Case, Any]]]]] = {
    "corpus": _find_corpus,
    "packages": _find_packages,
    "suites": _find_suites,
}


def attempt(name: str, case: Case, over: Any) -> Record:
    """Prove one claim over its region."""
    reasons: list[str] = []
    start, proof = time.process_time(), None
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if over is not None:
                case = pose_case(case, over, None, None, "conjugate")
            assert case.over is not None
            proof = prove_over(claim_of(case), case.over, note=reasons.append)
        except Exception as error:  # noqa: BLE001  # what packages raise is counted
            reasons.append(f"{type(error).__name__}: {error}")
    seconds = round(time.process_time() - start, 3)
    if proof is None:
        return Record(name, 0.0, 0.0, 0, False, (reasons or ["none is told"])[-1], seconds)
    reason = reasons[-1] if reasons and proof.covered < 1 else ""
    return Record(
        name,
        proof.share,
        proof.enclosed,
        proof.bits,
        proof.rounded,
        reason,
        seconds,
        proof.covered,
    )


def table(records: list[Record]) -> str:
    """Shares, times, and reasons, counted."""
    count = max(1, len(records))
    fates = Counter(record.fate for record in records)
    lines = [f"{len(records)} claims"]
    for fate in ("proved", "where defined", "enclosed", "on a part", "not proved"):
        times = [record.seconds for record in records if record.fate == fate] or [0.0]
        share = f"{fates[fate]:5} {fates[fate] / count:6.1%}"
        lines.append(f"{fate:13} {share}  median {statistics.median(times):.2f} s")
    reasons = Counter(_kind_of(record.reason) for record in records if record.fate in _FAILED)
    return "\n".join([*lines, *(f"{times:5}  {words}" for words, times in reasons.most_common())])


def _kind_of(reason: str) -> str:
    """A reason without numbers and names of places."""
    line = (reason.strip().splitlines() or [""])[0]
    return re.sub(r"-?\d[\d.e+-]*", "#", line)[:_SHORT]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", choices=_SOURCES)
    parser.add_argument("--only", default="", help="claims whose name holds this")
    parser.add_argument("--out", type=Path, help="records are written here, a line each")
    options = parser.parse_args()
    records = []
    for found in _SOURCES[options.source](options.only):
        records.append(attempt(*found))
        if options.out:
            with options.out.open("a") as out:
                out.write(json.dumps(asdict(records[-1])) + "\n")
    print(table(records))


if __name__ == "__main__":
    main()
