"""What the verifier says of the corpus: ``python -m benchmarks.corpus [--jobs 2] [--only NAME]``.

Every claim is asserted as a test asserts it, in worker processes. Records are appended to
``--store`` as they come, and a claim that is recorded there at the same effort, with the same
source, is not judged again: start with another store once the verifier has changed. Exit status 1
says that a right claim did not pass, that a gross mistake was not found or that a warning reached
the user.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import verify
from benchmarks.corpus import rows
from benchmarks.corpus.registry import Row
from verify.assertions import assert_derivative
from verify.options.command_lines import effort_from

__all__ = ["Record", "judged", "main"]

NEEDS_APPROXIMATELY: Final = "needs approximately"

_PATIENCE: Final = 300.0
"""Seconds after which a claim is given up; a verdict's own budget is far below."""


@dataclass(frozen=True, slots=True)
class Record:
    """What became of one claim.

    Attributes
    ----------
    name, kind, digest : str
        Which claim.
    effort : float
    passed : bool or None
        Whether the assertion passed; None where it was not made.
    verdict : str
        In the words of the table.
    message : str
        The first line of it.
    seconds : float
    warnings : tuple of str
        Those that the user would see.
    """

    name: str
    kind: str
    digest: str
    effort: float
    passed: bool | None
    verdict: str
    message: str
    seconds: float
    warnings: tuple[str, ...] = ()


def judged(row: Row, kind: str, effort: float) -> Record:
    """Assert one claim."""
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        passed, verdict, message = _asserted(row, kind, effort)
    seconds = round(time.perf_counter() - start, 3)
    said = tuple(f"{each.filename}:{each.lineno}: {each.message}" for each in caught)
    digest = row.digest(kind)
    return Record(row.name, kind, digest, effort, passed, verdict, message, seconds, said)


def _asserted(row: Row, kind: str, effort: float) -> tuple[bool | None, str, str]:
    claim = row.claim(kind)
    if row.approximate:
        approximately = getattr(verify, "approximately", None)
        if approximately is None:
            return None, NEEDS_APPROXIMATELY, ""
        claim = approximately(claim, rtol=row.rtol, atol=row.atol)
    terms = {"at": row.at} if row.over is None else {"over": row.over}
    try:
        result = assert_derivative(
            row.quantity, row.function, claim, effort=effort, seed=0, **terms
        )
        str(result)  # printing may warn as well
    except verify.DerivativeError as error:
        found = error.result
        words = str(error) if found is None else found.message or str(error)
        return False, "raised" if found is None else _verdict(found), _first(words)
    except Exception as error:  # noqa: BLE001
        # What an assertion raises on a right claim is a false alarm.
        return False, "raised", _first(f"{type(error).__name__}: {error}")
    return True, _verdict(result), ""


def _verdict(result: Any) -> str:
    return "KINK admissible" if result.verdict.value == "KINK" and result else result.verdict.value


def _first(words: str) -> str:
    return next(iter(words.strip().splitlines()), "")


def _work(name: str, kind: str, effort: float) -> Record:
    return judged(rows()[name], kind, effort)


def campaign(
    tasks: Iterable[tuple[str, str]], effort: float, jobs: int
) -> Iterator[tuple[str, str, Record | None, str]]:
    """Judge the claims in worker processes; of one that was given up there is no record but why."""
    from pebble import ProcessExpired, ProcessPool

    with ProcessPool(max_workers=jobs, max_tasks=200) as pool:
        futures = [
            (name, kind, pool.schedule(_work, args=(name, kind, effort), timeout=_PATIENCE))
            for name, kind in tasks
        ]
        for name, kind, future in futures:
            try:
                yield name, kind, future.result(), ""
            except (TimeoutError, ProcessExpired) as error:
                yield name, kind, None, f"{type(error).__name__}: {error}"


def stored(path: Path) -> dict[tuple[str, str, str, float], Record]:
    """The records of earlier runs, by their claims."""
    if not path.exists():
        return {}
    found = (Record(**json.loads(line)) for line in path.read_text().splitlines())
    return {(r.name, r.kind, r.digest, r.effort): r for r in found}


def main(arguments: list[str] | None = None) -> None:
    """Judge what is not recorded yet, and print the table of all."""
    from benchmarks.corpus.table import failures, table

    options = _options(arguments)
    corpus = {name: row for name, row in rows().items() if options.only in name}
    known = stored(options.store)
    claims = [
        (name, kind, row.digest(kind))
        for name, row in corpus.items()
        for kind in options.kinds.split(",")
        if kind in row.kinds
    ]
    due = [(n, k) for n, k, digest in claims if (n, k, digest, options.effort) not in known]
    with tempfile.TemporaryDirectory() as home, options.store.open("a") as store:
        os.environ["SYMTAPE_HOME"] = home
        for name, kind, judgement, why in campaign(due, options.effort, options.jobs):
            digest = corpus[name].digest(kind)
            record = judgement or Record(
                name, kind, digest, options.effort, False, "raised", why, _PATIENCE
            )
            known[name, kind, digest, options.effort] = record
            store.write(json.dumps(asdict(record)) + "\n")
            store.flush()
    records = [known[n, k, digest, options.effort] for n, k, digest in claims]
    print(table(records))
    print(failures(records))
    warned = any(r.warnings for r in records)
    alarms = any(r.passed is False for r in records if r.kind == "right")
    misses = any(r.verdict in ("CORRECT", "KINK admissible") for r in records if r.kind == "gross")
    sys.exit(int(alarms or misses or warned))


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="rows whose name holds this")
    parser.add_argument("--kinds", default="right,gross,needle")
    parser.add_argument("--effort", type=effort_from, default=1.0)
    parser.add_argument("--store", type=Path, default=Path("build/corpus.jsonl"))
    options = parser.parse_args(arguments)
    options.store.parent.mkdir(parents=True, exist_ok=True)
    return options
