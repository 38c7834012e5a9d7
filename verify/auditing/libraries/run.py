"""Running an audit: every function of the table, every derivative, every format."""

from __future__ import annotations

import importlib.metadata
import platform
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Final

from symtape.version import __version__
from verify.auditing.libraries.claimants import Claimant, claimant
from verify.auditing.libraries.entries import Audit, Entry
from verify.auditing.libraries.formats import HALVES
from verify.auditing.libraries.functions import FUNCTIONS
from verify.auditing.libraries.workers import Task, entries
from verify.errors import UsageError

POINTS: Final = 3000

_ORACLES: Final = ("python-flint", "mpmath", "sympy")


def planned(
    library: Claimant,
    formats: Sequence[str],
    orders: Sequence[int],
    only: str,
    points: int,
    seed: int,
) -> list[Task]:
    """The measurements of an audit: the most asked for first, for an interrupted run keeps them.

    Raises
    ------
    UsageError
        The claimant has not one of the formats, or no function of that name.
    """
    for form in formats:
        if form not in library.formats:
            raise UsageError(
                f"{library.name} has no {form} to audit; its formats are "
                f"{', '.join(library.formats)}"
            )
    rows = [row for row in FUNCTIONS.values() if row.is_own(library.name) and only in row.name]
    if not rows:
        known = ", ".join(row.name for row in FUNCTIONS.values() if row.is_own(library.name))
        raise UsageError(f"no function of {library.name} has {only!r} in its name; it has {known}")
    return [
        Task(library.name, row.name, wrt, form, points, seed)
        for order in orders
        for form in formats or library.formats
        # Of halves second derivatives are measured only if they are asked for.
        if formats or order == 1 or form not in HALVES
        for row in rows
        for wrt in row.derivatives(order)
    ]


def audit(
    name: str,
    formats: Sequence[str] = (),
    orders: Sequence[int] = (1, 2),
    only: str = "",
    points: int = POINTS,
    seed: int = 0,
    jobs: int | None = None,
    tell: Callable[[str], None] = lambda words: None,
    start: Callable[[int], None] = lambda count: None,
) -> Audit:
    """Audit a library's own derivatives.

    Parameters
    ----------
    name : str
        One of :data:`verify.auditing.libraries.claimants.CLAIMANTS`.
    formats : sequence of str
        All that it has by default; of those in half precision first derivatives only.
    orders : sequence of int
        1, 2 or both.
    only : str
        Functions with this in their name.
    points, seed : int
    jobs : int, optional
        Processes; one a core by default, 0 for none but this.
    tell, start : callable
        Called with the name of each measurement that is done, and with how many there are.

    Raises
    ------
    UsageError
        The library is not installed, or has no such function or format.
    """
    library = claimant(name)
    tasks = planned(library, formats, orders, only, points, seed)
    start(len(tasks))
    began, found, interrupted = time.monotonic(), dict[Task, Entry](), False
    try:
        for task, entry in entries(tasks, jobs):
            found[task] = entry
            tell(task.name)
    except KeyboardInterrupt:
        interrupted = True
    return Audit(
        claimant=name,
        versions=_versions(library),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        seed=seed,
        points=points,
        seconds=round(time.monotonic() - began, 1),
        entries=tuple(found[task] for task in tasks if task in found),
        interrupted=interrupted,
        command=_command(name, formats, orders, only, points, seed),
    )


def _versions(library: Claimant) -> dict[str, str]:
    """Of the claimant, of the oracles, and of the machine."""
    found = {"python": platform.python_version(), "symtape": __version__}
    for package in (*library.packages, *_ORACLES):
        if package != "symtape":
            found[package] = importlib.metadata.version(package)
    return {**found, "machine": f"{platform.system()} {platform.machine()}"}


def _command(
    name: str, formats: Sequence[str], orders: Sequence[int], only: str, points: int, seed: int
) -> str:
    words = ["symtape audit", name, *(f"--dtype {form}" for form in formats)]
    words += [f"--order {order}" for order in orders] if tuple(orders) != (1, 2) else []
    words += [f"--only '{only}'"] if only else []
    words += [f"--points {points}"] if points != POINTS else []
    return " ".join([*words, f"--seed {seed}"])
