"""What came of a unit of work of an audit, as JSON: a result, or why there is none."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

from verify.auditing.packages.pair import Unpaired
from verify.model.result import Result
from verify.reporting.codec import decode, encode


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
    kind = next(name for name, each in _KINDS.items() if isinstance(answer, each))
    return json.dumps({"kind": kind, "of": encode(answer)})


def read_answer(text: str) -> Result | Unpaired | PosedPair:
    """The answer that :func:`write_answer` wrote."""
    data = json.loads(text)
    found: Result | Unpaired | PosedPair = decode(_KINDS[data["kind"]], data["of"], data["kind"])
    return found


_KINDS: Final[dict[str, Any]] = {"result": Result, "unpaired": Unpaired, "posed": PosedPair}
