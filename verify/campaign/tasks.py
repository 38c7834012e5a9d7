"""Tasks: cases by their places, which can cross to a worker process."""

from __future__ import annotations

import functools
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from verify.campaign.load import Target
from verify.errors import UsageError
from verify.model.case import Case


@dataclass(frozen=True, slots=True)
class Task:
    """A case by its place; all that crosses to a worker process.

    Attributes
    ----------
    target : Target
        Where the case is from.
    case : str
        Its id.
    effort : float, optional
        Of its search, whatever it says itself.
    strict : bool
        Whether what is noted fails, whatever it says itself.
    """

    target: Target
    case: str
    effort: float | None = None
    strict: bool = False

    def find(self) -> Case:
        """The case itself."""
        found = _cases(self.target)[self.case]
        effort = found.effort if self.effort is None else self.effort
        return replace(found, effort=effort, strict=found.strict or self.strict)

    @property
    def replay(self) -> str:
        """The shell line that runs this case again."""
        target = self.target
        words = ["symtape", "verify", target.name if target.is_suite else self._function]
        if target.is_suite or "#" in self.case:
            words += ["--case", self.case]
        for text in target.at:
            words += ["--at", text]
        if target.over:
            words += ["--over", target.over]
        if target.quantity:
            words += ["--quantity", target.quantity]
        if target.claimed:
            words += ["--claimed", target.claimed]
        if self.effort is not None:
            words += ["--effort", f"{self.effort:g}"]
        if self.strict:
            words.append("--strict")
        return shlex.join(words)

    def replayed_with(self, seed: int) -> str:
        """The same line for a run with another seed than 0."""
        return f"{self.replay} --seed {seed}" if seed else self.replay

    @property
    def _function(self) -> str:
        return self.case.partition("#")[0]


@functools.lru_cache(maxsize=1024)  # what a command names
def _cases(target: Target) -> dict[str, Case]:
    return {case.id: case for case in target.cases()}


def plan(
    targets: Iterable[Target],
    only: Sequence[str] = (),
    effort: float | None = None,
    strict: bool = False,
) -> list[Task]:
    """One task for each case of `targets`, or for those whose ids are in `only`.

    Raises
    ------
    UsageError
        A target that cannot be loaded, or an id that none has.
    """
    tasks = {
        name: Task(target, name, effort, strict) for target in targets for name in _cases(target)
    }
    for wanted in only:
        if wanted not in tasks:
            raise UsageError(_no_such_case(wanted, list(tasks)))
    return [tasks[name] for name in only] if only else list(tasks.values())


def _no_such_case(wanted: str, known: list[str]) -> str:
    import difflib

    close = difflib.get_close_matches(wanted, known, n=3, cutoff=0.4)
    shown = ", ".join(close or known[:8])
    return (
        f"--case {wanted!r}: there is no such case; {'close ones' if close else 'some'}: {shown}."
    )
