"""Workers: measurements in other processes, which a library that does not end cannot hold up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from verify.auditing.libraries.claimants import claimant
from verify.auditing.libraries.entries import Entry, name_of
from verify.auditing.libraries.functions import FUNCTIONS
from verify.auditing.libraries.measuring import measure
from verify.campaign.processes import in_processes
from verify.model.foreign import shortened
from verify.model.verdict import Verdict

PATIENCE: Final = 120.0
"""Seconds that one measurement may take before its process is ended."""


@dataclass(frozen=True, slots=True)
class Task:
    """One measurement to make."""

    claimant: str
    function: str
    wrt: tuple[int, ...]
    format: str
    points: int
    seed: int

    @property
    def name(self) -> str:
        """What a progress line says."""
        return f"{self.function} {self.format}"

    def run(self) -> Entry:
        """Measure, in this process."""
        function = FUNCTIONS[self.function]
        library = claimant(self.claimant)
        return measure(library, function, self.wrt, self.format, self.points, self.seed)

    def given_up(self, words: str) -> Entry:
        """The entry where there was no answer."""
        function = FUNCTIONS[self.function]
        return Entry(
            function=self.function,
            expression=function.spelled(self.claimant),
            derivative=name_of(self.wrt, function.is_binary),
            format=self.format,
            verdict=Verdict.UNDECIDED,
            note=words,
        )


def entries(
    tasks: Sequence[Task], jobs: int | None, patience: float = PATIENCE
) -> Iterator[tuple[Task, Entry]]:
    """The entry of each task, in the order in which they are done.

    Parameters
    ----------
    tasks : sequence of Task
    jobs : int or None
        Processes, by default one a core; 0 measures in this one, without a limit of time.
    patience : float
        Seconds for one task.
    """
    if jobs == 0:
        yield from ((task, task.run()) for task in tasks)
        return
    for place, future in in_processes(Task.run, [(task,) for task in tasks], jobs, patience):
        task = tasks[place]
        try:
            entry = future.result()
        except TimeoutError:
            entry = task.given_up(f"not available: no answer within {patience:g} seconds")
        except Exception as error:  # noqa: BLE001  # whatever ended the process
            words = f"the process that asked it crashed: {shortened(error)}"
            entry = task.given_up(f"not available: {words}")
        yield task, entry
