"""Proofs in a process that can be killed, since flint's gcd answers to no signal."""

from __future__ import annotations

import multiprocessing
import sys
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import TimeoutError as TimedOut
from typing import Any, Final

from symtape.primitives.primitive import PRIMITIVES, Primitive
from verify.limits.orphans import end_with_parent
from verify.oracles.proofs.content import is_built_in
from verify.oracles.proofs.known import known, remember
from verify.oracles.proofs.row_proof import RowProof

SECONDS: Final = 60.0
"""For one row, which takes milliseconds, or one divisor of polynomials that takes minutes."""


def prove_rows(
    rows: Sequence[Primitive], seconds: float = SECONDS, again: bool = False
) -> list[RowProof]:
    """What is known of `rows`: from the package, from an earlier run, or proved now.

    Parameters
    ----------
    rows : sequence of Primitive
    seconds : float
        After which the proof of a row is given up.
    again : bool
        Whether all are proved now.
    """
    found = [None if again else known(row) for row in rows]
    unknown = [row for row, proof in zip(rows, found, strict=True) if proof is None]
    fresh: dict[str, RowProof] = {}
    for row, (proof, ended) in zip(unknown, _proved(unknown, seconds), strict=True):
        # What was stopped says nothing of the row, and may come to its end another time.
        remember(row, proof, lasting=ended)
        fresh[row.name] = proof
    return [proof or fresh[row.name] for row, proof in zip(rows, found, strict=True)]


def prove_new_rows() -> None:
    """Prove the rows that did not come with the package, so that programs inherit of them."""
    rows = [row for row in PRIMITIVES.values() if any(row.rules) and not is_built_in(row)]
    prove_rows(rows)


def _proved(rows: Sequence[Primitive], seconds: float) -> list[tuple[RowProof, bool]]:
    """What became of each proof, and whether it came to its end."""
    if not rows:
        return []
    from pebble import ProcessPool

    # Rows hold functions, which no process border lets through: a fork has them already.
    method = "fork" if sys.platform == "linux" else "spawn"
    held = {row.name: row for row in rows}
    with (
        # Libraries with threads warn of every fork; nothing of theirs runs in this one.
        warnings.catch_warnings(action="ignore"),
        ProcessPool(
            max_workers=1,
            context=multiprocessing.get_context(method),
            initializer=_hold,
            initargs=(held if method == "fork" else {},),
        ) as pool,
    ):
        futures = [pool.schedule(_prove, args=(name,), timeout=seconds) for name in held]
        return [_settled(future.result, seconds) for future in futures]


def _settled(result: Callable[[], Any], seconds: float) -> tuple[RowProof, bool]:
    try:
        found: RowProof = result()
    except TimedOut:
        return RowProof(False, reason=f"not within {seconds:g} s"), False
    except Exception as error:  # noqa: BLE001
        # What the worker raised, or why it died: the row is not proved.
        return RowProof(False, reason=f"{type(error).__name__}: {error}"), False
    return found, True


_HELD: Final[dict[str, Primitive]] = {}


def _hold(rows: dict[str, Primitive]) -> None:
    end_with_parent()
    _HELD.update(rows)


def _prove(name: str) -> RowProof:
    from symtape.primitives.vocabulary import vocabulary
    from verify.oracles.proofs.row import prove_row

    if name not in _HELD:
        vocabulary()
    return prove_row(_HELD.get(name) or PRIMITIVES[name])
