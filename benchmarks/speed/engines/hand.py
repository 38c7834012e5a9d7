"""NumPy written by hand."""

from __future__ import annotations

import functools

from benchmarks.speed.engines.prepared import NotHad, Prepared
from benchmarks.speed.workload import Workload

__all__ = ["prepare"]


def prepare(work: Workload, option: str) -> Prepared:
    """The derivative that stands beside the workload."""
    if work.by_hand is None:
        raise NotHad("not written")
    return Prepared(functools.partial(work.by_hand, *work.args))
