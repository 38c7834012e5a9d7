"""The score of a selftest: what was planted, what was refuted, and what was called wrong wrongly.

One score is part of the package: what the last release was tested at. The last full run of whoever
uses it is kept beside the counterexamples, see :mod:`verify.files.cache`.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self

SCHEMA: Final = "symtape.selftest/1"

COMMITTED: Final = Path(__file__).with_name("score.json")
"""The score that is part of the package."""

_SECTION: Final = "selftest"
_NAME: Final = "score"


@dataclass(frozen=True, slots=True)
class Tally:
    """Numbers of one kind of fault, or of one kind of claim.

    Attributes
    ----------
    tried : int
        Faults planted, or right claims at a point.
    caught : int
        Faults refuted; of claims, false alarms.
    equivalent : int
        Faults that change no value.
    undecided : int
        Right claims that could be neither confirmed nor refuted.
    left_out : int
        Changes that no shape comes to; claims that are not right to the last digits.
    """

    tried: int = 0
    caught: int = 0
    equivalent: int = 0
    undecided: int = 0
    left_out: int = 0

    def __add__(self, other: Tally) -> Tally:
        pairs = zip(dataclasses.astuple(self), dataclasses.astuple(other), strict=True)
        return Tally(*(a + b for a, b in pairs))


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault or claim to look at: its id, and what there is to say."""

    id: str
    words: str


@dataclass(frozen=True, slots=True)
class Score:
    """What a selftest found.

    Attributes
    ----------
    version : str
        Of symtape.
    sources : str
        Hash of its sources, see :func:`verify.files.digest.digest`.
    created : str
        ISO 8601, in UTC.
    seed : int
    seconds : float
        Of wall-clock time.
    versions : dict
        Of what runs beneath.
    faults : dict of str to Tally
        By operator.
    claims : dict of str to Tally
        Right claims, by kind.
    equivalents, survivors, alarms : tuple of Finding
        Faults that change nothing, with the reason; faults that were not refuted; right claims
        that were called wrong or inaccurate.
    not_judged : tuple of Finding
        Where the verifier or the selftest itself raised an error, or took too long.
    skipped : tuple of str
        What was not done, in words.
    part : float
        The share of the faults and claims that was drawn; 1 for all.
    interrupted : bool
        Whether it ended early.

    Examples
    --------
    >>> score = Score("0.1.0", "2030-01-01", faults={"sign": Tally(10, 9, equivalent=1)})
    >>> score.planted_count, score.refuted_count, score.survivor_count, score.clean
    (10, 9, 0, True)
    >>> print(score)
    10 planted faults: 9 refuted, 1 equivalent, none survived; no right claims; 2030-01-01, seed 0
    """

    version: str
    created: str
    seed: int = 0
    seconds: float = 0.0
    versions: dict[str, str] = field(default_factory=dict)
    faults: dict[str, Tally] = field(default_factory=dict)
    claims: dict[str, Tally] = field(default_factory=dict)
    equivalents: tuple[Finding, ...] = ()
    survivors: tuple[Finding, ...] = ()
    alarms: tuple[Finding, ...] = ()
    not_judged: tuple[Finding, ...] = ()
    skipped: tuple[str, ...] = ()
    part: float = 1.0
    interrupted: bool = False
    sources: str = ""

    @property
    def planted_count(self) -> int:
        """Faults that were planted."""
        return _sum(self.faults.values()).tried

    @property
    def refuted_count(self) -> int:
        """Faults that were called WRONG or INACCURATE."""
        return _sum(self.faults.values()).caught

    @property
    def equivalent(self) -> int:
        """Planted changes that change no value, and hence are no faults."""
        return _sum(self.faults.values()).equivalent

    @property
    def survivor_count(self) -> int:
        """Faults that were not refuted."""
        return self.planted_count - self.refuted_count - self.equivalent

    @property
    def pairs(self) -> int:
        """Right claims at a point."""
        return _sum(self.claims.values()).tried

    @property
    def false_alarms(self) -> int:
        """Right claims that were called WRONG or INACCURATE."""
        return _sum(self.claims.values()).caught

    @property
    def undecided(self) -> int:
        """Right claims that are UNDECIDED."""
        return _sum(self.claims.values()).undecided

    @property
    def clean(self) -> bool:
        """No survivor and no false alarm."""
        return self.survivor_count == 0 and self.false_alarms == 0

    @property
    def doubtful(self) -> bool:
        """Whether something was not tried, or not judged."""
        return bool(self.interrupted or self.skipped or self.not_judged)

    @property
    def complete(self) -> bool:
        """Whether all of it was done."""
        return self.part == 1.0 and not self.interrupted and not self.not_judged

    def __str__(self) -> str:
        plural = "s" * (self.planted_count != 1)
        faults = (
            f"{self.planted_count:,} planted fault{plural}: {self.refuted_count:,} refuted, "
            f"{self.equivalent:,} equivalent, {_format_nonzero(self.survivor_count)} survived"
        )
        alarms = (
            f"{_format_nonzero(self.false_alarms, 'no')} false alarm{'s' * (self.false_alarms > 1)}"
        )
        claims = (
            f"{self.pairs:,} right claim{'s' * (self.pairs != 1)}: {alarms}"
            if self.pairs
            else "no right claims"
        )
        stopped = f"; {len(self.not_judged):,} not judged" if self.not_judged else ""
        return f"{faults}; {claims}{stopped}; {self.created[:10]}, seed {self.seed}"

    def to_json(self) -> str:
        """As text, one finding a line."""
        return json.dumps({"schema": SCHEMA, **dataclasses.asdict(self)}, indent=1) + "\n"

    @classmethod
    def from_data(cls, data: Any) -> Self:
        """Back from what :meth:`to_json` wrote, read as JSON.

        Raises
        ------
        ValueError
            It is something else.
        """
        from verify.reporting.codec import decode  # slow to import

        if not isinstance(data, dict) or data.get("schema") != SCHEMA:
            raise ValueError(f"this is no score of a selftest, {SCHEMA!r}: {str(data)[:60]}")
        fields = {key: value for key, value in data.items() if key != "schema"}
        return decode(cls, fields, "score")


def _sum(tallies: Iterable[Tally]) -> Tally:
    return sum(tallies, Tally())


def _format_nonzero(count: int, word: str = "none") -> str:
    return f"{count:,}" if count else word


def last_score() -> Score:
    """The latest full score: that of the release, or that of the user's last run if it is later.

    Examples
    --------
    >>> last_score().complete
    True
    """
    from verify.files import cache

    known = [committed_score(), _read(cache.load(_SECTION, _NAME))]
    return max(filter(None, known), key=lambda score: score.created)


def describe_last_score() -> str:
    """The latest full score in words, and whether the sources have changed since.

    Examples
    --------
    >>> "planted faults" in describe_last_score()
    True
    """
    from verify.files.digest import digest

    score = last_score()
    changed = "" if score.sources == digest() else "; the sources have changed since"
    return f"of {score.version}: {score}{changed}"


def keep_score(score: Score) -> bool:
    """Keep a full score as the user's last; whether that was done."""
    from verify.files import cache

    return score.complete and cache.store(_SECTION, _NAME, json.loads(score.to_json()))


def committed_score() -> Score:
    """The score that is part of the package.

    Raises
    ------
    IncompleteInstallation
        It is missing.

    Examples
    --------
    >>> committed_score().clean
    True
    """
    from verify.files import package_data

    try:
        return Score.from_data(package_data.data(COMMITTED))
    except ValueError as error:
        raise package_data.damage_error(COMMITTED, str(error)) from error


def _read(data: Any) -> Score | None:
    try:
        return Score.from_data(data)
    except ValueError:
        return None
