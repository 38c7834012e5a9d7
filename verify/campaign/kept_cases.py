"""Cases of a report as they are kept in a store: each is read when it is asked for."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Sequence
from typing import Final, overload

from verify.campaign.record import Record
from verify.model.result import Result
from verify.reporting.codec import decode

_HELD: Final = 1000
"""So many stay in memory once they were read."""


class KeptCases(Sequence[Result]):
    """What came of the tasks of a campaign that are done, in their order.

    Parameters
    ----------
    record : Record
        Of a campaign whose answers are cases; its store stays open for as long as they are read.
    """

    def __init__(self, record: Record) -> None:
        self._record = record
        self._places = record.places()
        self._read = functools.lru_cache(maxsize=_HELD)(self._result)  # of cases

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, at: int) -> Result: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Result]: ...
    def __getitem__(self, at: int | slice) -> Result | Sequence[Result]:
        found = self._places[at]
        return self._read(found) if isinstance(found, int) else tuple(map(self._read, found))

    def __iter__(self) -> Iterator[Result]:
        return map(self._read, self._places)

    def _result(self, place: int) -> Result:
        answer = self._record.answer(place)
        return result_of(answer.text, answer.id)


def result_of(text: str, name: str) -> Result:
    """A case from the JSON of a task's answer; `name` is what messages call it."""
    return decode(Result, json.loads(text), name)
