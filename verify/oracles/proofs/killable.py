"""Proofs in a process that can be killed, since flint's gcd answers to no signal."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any, Final

from symtape.primitives.primitive import PRIMITIVES, Primitive
from verify.limits.processes import call_in_processes
from verify.oracles.proofs.content import is_built_in
from verify.oracles.proofs.known import RowProof, find_proof, remember

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
    found = [None if again else find_proof(row) for row in rows]
    unknown = [row for row, proof in zip(rows, found, strict=True) if proof is None]
    fresh: dict[str, RowProof] = {}
    for row, (proof, ended) in zip(unknown, _run_proofs(unknown, seconds), strict=True):
        # What was stopped says nothing of the row, and may come to its end another time.
        remember(row, proof, lasting=ended)
        fresh[row.name] = proof
    return [proof or fresh[row.name] for row, proof in zip(rows, found, strict=True)]


def prove_new_rows() -> None:
    """Prove the rows that did not come with the package, so that programs inherit of them."""
    rows = [row for row in PRIMITIVES.values() if any(row.rules) and not is_built_in(row)]
    prove_rows(rows)


def _run_proofs(rows: Sequence[Primitive], seconds: float) -> list[tuple[RowProof, bool]]:
    """What became of each proof, and whether it came to its end."""
    if not rows:
        return []
    # Rows hold functions, which no process border lets through: a fork has them already.
    _HELD.update({row.name: row for row in rows})
    method = "fork" if sys.platform == "linux" else "spawn"
    given = [(row.name,) for row in rows]
    with warnings.catch_warnings(action="ignore"):
        # Libraries with threads warn of every fork; nothing of theirs runs in this one.
        done = dict(call_in_processes(_prove, given, 1, seconds, method=method))
    return [_proof_result(done[number], seconds) for number in range(len(rows))]


def _proof_result(proof: Future[Any], seconds: float) -> tuple[RowProof, bool]:
    try:
        found: RowProof = proof.result()
    except TimeoutError:
        return RowProof(False, reason=f"not within {seconds:g} s"), False
    except Exception as error:  # noqa: BLE001
        # What the worker raised, or why it died: the row is not proved.
        return RowProof(False, reason=f"{type(error).__name__}: {error}"), False
    return found, True


_HELD: Final[dict[str, Primitive]] = {}
"""Rows that are to be proved; where processes are not forked, workers have those of the package."""


def _prove(name: str) -> RowProof:
    from symtape.primitives.vocabulary import vocabulary
    from verify.oracles.proofs.row import prove_row

    if name not in _HELD:
        vocabulary()
    return prove_row(_HELD.get(name) or PRIMITIVES[name])
