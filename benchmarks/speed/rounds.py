"""Engines measured in turns: prepared, held against the reference, then timed in random order."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from benchmarks.speed.engines import ENGINES, REFERENCE, NotHad
from benchmarks.speed.figures import Figure
from benchmarks.speed.worker import Worker

__all__ = ["Rounds", "disagreement"]

TOLERANCE = 1e-10
"""Of the largest entry; what rounding explains of a thousand steps, and far below any mistake."""


def disagreement(found: list[Any], exact: list[Any]) -> str:
    """What is wrong with some arrays beside those of the reference; nothing, if they agree."""
    shapes = [[part.shape for part in parts] for parts in (found, exact)]
    if shapes[0] != shapes[1]:
        return f"wrong: shapes {shapes[0]} in place of {shapes[1]}"
    for mine, theirs in zip(found, exact, strict=True):
        error = np.max(np.abs(mine - theirs)) / np.max(np.abs(theirs))
        if not error <= TOLERANCE:
            return f"wrong by {error:.0e}"
    return ""


class Rounds:
    """Workers of some engines, which last from workload to workload."""

    def __init__(
        self, engines: Iterable[str], rounds: int, limit: float, seed: int, worker: Any = Worker
    ) -> None:
        self.workers = {name: worker(name, limit) for name in dict.fromkeys((REFERENCE, *engines))}
        self.rounds, self.seed = rounds, seed

    def measure(self, workload: str) -> dict[str, Figure]:
        """A figure for each engine; of those that are wrong or not had, a note alone."""
        figures = {name: Figure() for name in self.workers}
        exact = self.prepared(REFERENCE, workload, figures)
        for name in self.workers:
            if name != REFERENCE and (found := self.prepared(name, workload, figures)) is not None:
                figures[name].note = "no reference" if exact is None else disagreement(found, exact)
        timed = [name for name, figure in figures.items() if not figure.note]
        for number in range(self.rounds):
            order = random.Random(f"{self.seed} {workload} {number}").sample(timed, len(timed))
            for name in order:
                self.noted(figures[name], lambda name=name: self.time(name, workload, figures))
        for name in timed:
            if ENGINES[name].is_ours and not figures[name].note:
                with contextlib.suppress(NotHad):  # tracing memory takes many times as long
                    figures[name].peak = self.workers[name].ask("peak", workload)
        return figures

    def prepared(self, name: str, workload: str, figures: dict[str, Figure]) -> Any:
        """The first results of an engine, or None and a note."""

        def ask() -> Any:
            figures[name].ready, arrays = self.workers[name].ask("prepare", workload)
            return arrays

        return self.noted(figures[name], ask)

    def time(self, name: str, workload: str, figures: dict[str, Figure]) -> None:
        """One round of an engine, unless it failed in an earlier one."""
        if not figures[name].note:
            figures[name].seconds.append(self.workers[name].ask("time", workload))

    @staticmethod
    def noted(figure: Figure, ask: Callable[[], Any]) -> Any:
        """An answer; what is not had becomes the note of its figure."""
        try:
            return ask()
        except NotHad as reason:
            figure.note = str(reason)
            return None

    def close(self) -> None:
        """End all processes."""
        for worker in self.workers.values():
            worker.stop()
