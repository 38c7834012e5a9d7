"""Record: a campaign in a store: what it is, its tasks in order, and what came of them."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple, Self

from symtape.one_line import OneLineRepr
from verify.campaign.held_folder import is_held
from verify.campaign.schema import checksum
from verify.campaign.store import BadStore, Store
from verify.campaign.work import Outcome, Work


@dataclass(frozen=True, slots=True, repr=False)
class CampaignIdentity(OneLineRepr):
    """What a campaign is; the same again is the same campaign, which goes on.

    Attributes
    ----------
    kind : str
        Of its answers, as ``cases``; says what renders its reports.
    title : str
    seed : int
    suites : tuple of str
        What was asked for, in order.
    options : mapping of JSON
        What else it was asked for that is said in reports, or tells it from another.
    """

    kind: str
    title: str
    seed: int = 0
    suites: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> str:
        """As it is kept, the same for the same."""
        found = {name: getattr(self, name) for name in self.__slots__}
        return json.dumps(found | {"options": dict(self.options)}, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Back from :meth:`to_json`."""
        found = json.loads(text)
        return cls(**{**found, "suites": tuple(found["suites"])})


class Answer(NamedTuple):
    """A task whose answer is kept, as reports read it."""

    id: str
    text: str
    ended: str
    seconds: float


class Record:
    """A campaign in a store.

    Parameters
    ----------
    store : Store
    number : int
        Of the campaign in the store.
    """

    def __init__(self, store: Store, number: int) -> None:
        self.store, self.number = store, number
        self._waited = time.monotonic()
        self._attempts: dict[str, int | None] = {}

    @classmethod
    def from_store(
        cls,
        store: Store,
        about: CampaignIdentity,
        versions: Mapping[str, str],
        selftest: str = "",
        not_judged: Sequence[Any] = (),
    ) -> Self:
        """The record of a campaign, made if it is not there yet.

        Parameters
        ----------
        store : Store
        about : About
        versions : mapping
            Under which it runs now.
        selftest : str
            What is known of how good the verifier is, for reports to say.
        not_judged : sequence of JSON
            What is not among the tasks, for reports to say.
        """
        text = about.to_json()
        identity = hashlib.sha256(text.encode()).hexdigest()
        with store.write_together() as connection:
            connection.execute(
                "INSERT INTO campaign"
                " (identity, about, versions, selftest, not_judged, plan, created, elapsed)"
                " VALUES (?, ?, ?, ?, ?, '', '', 0) ON CONFLICT (identity) DO UPDATE SET versions"
                " = excluded.versions, selftest = excluded.selftest, not_judged ="
                " excluded.not_judged",
                (
                    *(identity, text, json.dumps(dict(versions)), selftest),
                    json.dumps(list(not_judged)),
                ),
            )
            (number,) = connection.execute(
                "SELECT number FROM campaign WHERE identity = ?", (identity,)
            ).fetchone()
        return cls(store, number)

    def begin(self, works: Sequence[Work], retry: bool = False) -> list[int]:
        """Keep what is to be done, in this order; of other tasks than before the time begins anew.

        Both in one step, for another process may begin other tasks of this campaign meanwhile.

        Parameters
        ----------
        works : sequence of Work
        retry : bool
            Whether what ended without an answer, or used up its budget, counts as missing.

        Returns
        -------
        list of int
            The places of the tasks that have no answer, in order; each address once.
        """
        self._waited = time.monotonic()
        with self.store.write_together() as connection:
            self._plan(connection, works)
            again = f" OR NOT {_SOUND}"
            again += " OR task.ended != '' OR task.seconds >= task.budget" if retry else ""
            found = connection.execute(
                "SELECT min(place), plan.key, attempts FROM plan LEFT JOIN task USING (key)"
                f" WHERE campaign = ? AND (task.key IS NULL{again}) GROUP BY plan.key ORDER BY 1",
                (self.number,),
            ).fetchall()
        self._attempts = {key: attempts for _, key, attempts in found}
        return [place for place, _, _ in found]

    def draw(
        self, works: Iterable[Work], driver: str, seconds: float, others: list[Work]
    ) -> Iterator[Work]:
        """What is still to be done of works that were begun, each claimed as it is drawn.

        Those that other drivers do now are appended to `others`.
        """
        for work in works:
            found = self._claim(work.key, driver, seconds)
            if found == driver:
                yield work
            elif found:
                others.append(work)

    def _claim(self, key: str, driver: str, seconds: float) -> str:
        """The driver that does a task from now on; none where one has tried it since it was due."""
        now = time.time()
        with self.store.write_together() as connection:
            (attempts,) = connection.execute(
                "SELECT max(attempts) FROM task WHERE key = ?", (key,)
            ).fetchone()
            if attempts != self._attempts[key]:
                return ""
            claim = "SELECT driver FROM claim WHERE key = ? AND until > ?"
            for (other,) in connection.execute(claim, (key, now)):
                if is_held(other):
                    return str(other)
            until = now + _LEASE + 4 * seconds
            connection.execute("REPLACE INTO claim VALUES (?, ?, ?)", (key, driver, until))
        return driver

    def release(self, key: str) -> None:
        """Let other drivers do a task that cannot be done here."""
        with self.store.write_together() as connection:
            connection.execute("DELETE FROM claim WHERE key = ?", (key,))

    def _plan(self, connection: sqlite3.Connection, works: Sequence[Work]) -> None:
        plan = hashlib.sha256("".join(f"{work.key}\n" for work in works).encode()).hexdigest()
        if self._field("plan") == plan:
            return
        rows = ((self.number, place, work.key, work.id) for place, work in enumerate(works))
        now = datetime.now(UTC).isoformat(timespec="seconds")
        connection.execute("DELETE FROM plan WHERE campaign = ?", (self.number,))
        connection.executemany("INSERT INTO plan VALUES (?, ?, ?, ?)", rows)
        connection.execute(
            "UPDATE campaign SET plan = ?, created = ?, elapsed = 0 WHERE number = ?",
            (plan, now, self.number),
        )

    def end(self, works: Sequence[Work]) -> None:
        """Have these tasks be those that are reported, should another process have begun others."""
        with self.store.write_together() as connection:
            self._plan(connection, works)

    def keep(self, work: Work, outcome: Outcome, budget: float) -> None:
        """Keep what came of a task; an attempt that ended without an answer replaces none."""
        now = time.monotonic()
        waited, self._waited = now - self._waited, now
        answer = (
            *(work.key, work.id, outcome.text, outcome.ended, outcome.seconds, budget),
            checksum(outcome.text),
        )
        with self.store.write_together() as connection:
            connection.execute("DELETE FROM claim WHERE key = ?", (work.key,))
            connection.execute("UPDATE task SET attempts = attempts + 1 WHERE key = ?", (work.key,))
            connection.execute(_KEEP, answer)
            connection.execute(
                "UPDATE campaign SET elapsed = elapsed + ? WHERE number = ?", (waited, self.number)
            )

    @property
    def identity(self) -> CampaignIdentity:
        """What it is."""
        return CampaignIdentity.from_json(self._field("about"))

    @property
    def versions(self) -> dict[str, str]:
        """Under which it ran at last."""
        found: dict[str, str] = json.loads(self._field("versions"))
        return found

    @property
    def selftest(self) -> str:
        """What is known of how good the verifier is."""
        return str(self._field("selftest"))

    @property
    def not_judged(self) -> list[Any]:
        """What is not among its tasks, as JSON."""
        found: list[Any] = json.loads(self._field("not_judged"))
        return found

    @property
    def created(self) -> str:
        """When its tasks were begun, in ISO 8601."""
        return str(self._field("created"))

    @property
    def elapsed(self) -> float:
        """Seconds that its tasks have taken, in all runs."""
        return float(self._field("elapsed"))

    def _field(self, name: str) -> Any:
        (found,) = self.store.one(f"SELECT {name} FROM campaign WHERE number = ?", self.number)
        return found

    @property
    def planned_count(self) -> int:
        """How many tasks it has."""
        (count,) = self.store.one("SELECT count(*) FROM plan WHERE campaign = ?", self.number)
        return int(count)

    @property
    def done(self) -> int:
        """Of how many of them it is known what came of them."""
        return sum(count for count, _ in self._counts())

    @property
    def ended(self) -> int:
        """How many of them ended without an answer."""
        return sum(count for count, ended in self._counts() if ended)

    def _counts(self) -> Iterator[tuple[int, bool]]:
        return self.store.rows(
            "SELECT count(*), ended != '' FROM plan JOIN task USING (key)"
            f" WHERE campaign = ? AND {_SOUND} GROUP BY 2",
            self.number,
        )

    def places(self) -> list[int]:
        """The places of the tasks that are done, in order; what was damaged is to be done again."""
        found = self.store.rows(
            "SELECT place FROM plan WHERE campaign = ?"
            f" AND EXISTS (SELECT 1 FROM task WHERE task.key = plan.key AND {_SOUND})"
            " ORDER BY place",
            self.number,
        )
        return [place for (place,) in found]

    def answer(self, place: int) -> Answer:
        """What came of the task at a place of the order.

        Raises
        ------
        BadStore
            It was damaged in the store.
        """
        *found, known = self.store.one(
            "SELECT plan.id, text, ended, seconds, checksum FROM plan JOIN task USING (key)"
            " WHERE campaign = ? AND place = ?",
            *(self.number, place),
        )
        answer = Answer(*found)
        if checksum(answer.text) != known:
            raise BadStore(
                f"the answer to {answer.id} in the store {str(self.store.path)!r} was damaged; "
                "run the campaign again"
            )
        return answer


_LEASE: Final = 300.0
"""Seconds for which a claim holds, beside a few times the budget: the driver may be suspended."""

_KEEP: Final = """
INSERT INTO task (key, id, text, ended, seconds, budget, checksum, attempts)
VALUES (?, ?, ?, ?, ?, ?, ?, 1)
ON CONFLICT (key) DO UPDATE SET
    text = excluded.text, ended = excluded.ended, seconds = excluded.seconds,
    budget = excluded.budget, checksum = excluded.checksum
WHERE ended != '' OR excluded.ended = '' OR checksum_of(task.text) != task.checksum
"""

_SOUND: Final = "checksum_of(task.text) = task.checksum"
"""An answer that was not damaged in the store."""


def records(store: Store) -> list[Record]:
    """The campaigns in a store, in the order in which they were first begun."""
    found = store.rows("SELECT number FROM campaign ORDER BY number")
    return [Record(store, number) for (number,) in found]
