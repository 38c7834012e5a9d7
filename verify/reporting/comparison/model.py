"""The comparison: one model, from which every rendering is made. Plain data, as a report is."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, Final

from symtape.one_line import OneLineRepr
from verify.model.change import QUIET, CaseSummary, Change, Kind
from verify.model.verdict import ExitStatus

SCHEMA: Final = "symtape.comparison/1"
"""The schema this version writes and reads."""


@dataclass(frozen=True, slots=True, repr=False)
class Run(OneLineRepr):
    """A report that takes part.

    Attributes
    ----------
    name : str
        The version of what was verified, or what else tells it from the others.
    title, created : str
    cases : int
        How many it has.
    interrupted : bool
    """

    name: str
    title: str
    created: str
    cases: int
    interrupted: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class Difference(OneLineRepr):
    """What the runs differ in, which may explain a change: a version, the seed, the effort."""

    name: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rename:
    """A case that is gone and one that is new, which may be the same.

    Attributes
    ----------
    before, after : str
        Their ids.
    reason : str
        What they have in common.
    """

    before: str
    after: str
    reason: str


@dataclass(frozen=True, slots=True, repr=False)
class Row(OneLineRepr):
    """A case over all runs.

    Attributes
    ----------
    module, name : str
        Of the case: its id in two.
    change : Change
        From the first run to the last.
    summaries : tuple of CaseSummary or None
        One a run; None where the case is not in it.
    since : str
        The run from which on its verdict is what it is.
    """

    module: str
    name: str
    change: Change
    summaries: tuple[CaseSummary | None, ...]
    since: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(OneLineRepr):
    """Runs beside each other, the oldest first; changes are from the first to the last.

    Attributes
    ----------
    runs : tuple of Run
    differences : tuple of Difference
    rows : tuple of Row
        Modules with the gravest changes first, and so the rows of each.
    renames : tuple of Rename
        Suggestions; such cases count as gone and as new.
    """

    runs: tuple[Run, ...]
    differences: tuple[Difference, ...]
    rows: tuple[Row, ...]
    renames: tuple[Rename, ...] = ()

    @property
    def counts(self) -> dict[Kind, int]:
        """How many cases there are of each kind of change, the gravest first; zeros included."""
        found = Counter(row.change.kind for row in self.rows)
        return {kind: found[kind] for kind in Kind}

    @property
    def rows_by_gravity(self) -> list[Row]:
        """The rows, the gravest change first."""
        return sorted(self.rows, key=lambda row: row.change.rank)

    @property
    def changed(self) -> list[Row]:
        """The rows in which something changed, the gravest first."""
        return [row for row in self.rows_by_gravity if row.change.kind not in QUIET]

    @property
    def failing_still(self) -> list[Row]:
        """The rows that fail in the last run as in the first."""
        return [row for row in self.rows_by_gravity if row.change.kind is Kind.FAILING]

    @property
    def is_comparable(self) -> bool:
        """Whether the first run and the last have a case in common."""
        return any(row.change.before and row.change.after for row in self.rows)

    @property
    def exit_status(self) -> ExitStatus:
        """What the command exits with.

        Examples
        --------
        >>> Comparison((), (), ()).exit_status
        <ExitStatus.UNDECIDED: 3>
        """
        changes = [row.change for row in self.rows]
        if not self.is_comparable:
            return ExitStatus.UNDECIDED
        if any(change.is_worse for change in changes):
            return ExitStatus.WRONG
        undecided = any(change.is_newly_undecided for change in changes)
        cut_short = any(run.interrupted for run in self.runs[-1:])
        if undecided or cut_short:
            return ExitStatus.UNDECIDED
        return ExitStatus.CORRECT

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON data, with its schema."""
        from verify.reporting.codec import encode  # slow to import, and words need it not

        return {"schema": SCHEMA, **encode(self)}

    @classmethod
    def from_dict(cls, data: Any) -> Comparison:
        """Back from :meth:`to_dict`.

        Raises
        ------
        BadReport
            An unknown schema, a missing or unknown field, a value of another kind.
        """
        from verify.reporting.codec import decode, open_envelope

        return decode(cls, open_envelope(data, SCHEMA), "comparison")
