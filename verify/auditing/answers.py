"""What came of a unit of work of an audit, as JSON: a result, or why there is none."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any, Final

from verify.auditing.packages.pair import Unpaired
from verify.model.result import Result
from verify.reporting.codec import decode, encode

RESULT: Final = "result"
UNPAIRED: Final = "unpaired"
POSED: Final = "posed"


@dataclass(frozen=True, slots=True)
class PosedPair:
    """A pair that could be judged, as the listing tells it."""

    title: str
    over: str


def write_answer(answer: Result | Unpaired | PosedPair) -> str:
    """An answer as JSON; :func:`read_answer` reads it.

    Examples
    --------
    >>> read_answer(write_answer(PosedPair("f_der, as the gradient of f", "x in [0, 1]"))).over
    'x in [0, 1]'
    """
    if isinstance(answer, Result):
        return _write(RESULT, encode(answer))
    return _write(POSED if isinstance(answer, PosedPair) else UNPAIRED, asdict(answer))


def _write(kind: str, of: Any) -> str:
    return json.dumps({"kind": kind, "of": of})


def read_answer(text: str) -> Result | Unpaired | PosedPair:
    """The answer that :func:`write_answer` wrote."""
    data = json.loads(text)
    if data["kind"] == RESULT:
        return decode(Result, data["of"], "result")
    return Unpaired(**data["of"]) if data["kind"] == UNPAIRED else PosedPair(**data["of"])
