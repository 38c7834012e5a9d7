"""An audit rechecked: every value that its pages list."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
from mpmath import mp

from symtape.graph.freeze import record
from verify.auditing.libraries.entries import Audit, Entry, Witness, name_of
from verify.auditing.libraries.functions import FUNCTIONS
from verify.auditing.libraries.spelling import compiled
from verify.model.quantity import Quantity
from verify.oracles.recheck.opinion import Opinion, OpinionStatus, opinion_on_entry
from verify.oracles.recheck.second import Second

_DIGITS: Final = 16
"""Of the exact values that an audit keeps, one less than are printed."""


def of_audit(audit: Audit) -> Iterator[Second]:
    """Second opinions on the witnesses of all entries."""
    for entry in audit.entries:
        for witness in entry.witnesses:
            at = ", ".join(x.decimal for x in witness.x)
            about = f"{entry.function} {entry.derivative} {entry.format} at {at}"
            yield Second(about, entry.is_fault, _opinion(entry, witness))


def _opinion(entry: Entry, witness: Witness) -> Opinion:
    function = FUNCTIONS[entry.function]
    binary = function.is_binary
    every = [*function.derivatives(1), *function.derivatives(2)]
    wrt = next(it for it in every if name_of(it, binary) == entry.derivative)
    first = len(wrt) == 1
    quantity = Quantity("gradient", wrt) if first else Quantity("hessian", (wrt[:1], wrt[1:]))
    x = tuple(np.float64(float.fromhex(value.hex)) for value in witness.x)
    try:
        graph = record(compiled(function.formula, function.arguments), *x)
    except Exception as error:  # noqa: BLE001  # whatever the vocabulary lacks
        return Opinion(OpinionStatus.SILENT, f"it is not recorded: {type(error).__name__}: {error}")
    with mp.workdps(2 * _DIGITS):
        exact = mp.mpf(witness.exact)
        off = abs(exact) * mp.mpf(10) ** -_DIGITS
        bounds = mp.nstr(exact - off, 25), mp.nstr(exact + off, 25)
    claimed = float.fromhex(witness.claimed.hex)
    return opinion_on_entry(graph, quantity, x, 0, (), claimed, bounds, fails=True)
