"""Refusals that cross from a worker: what the user has to fix ends a campaign, and is not kept."""

from __future__ import annotations

import json
from typing import Final, TypeAlias, get_args

from verify.campaign.addresses import ChangedOrigin
from verify.errors import IncompleteInstallation, UsageError

_START: Final = '{"refused":'
Refusal: TypeAlias = UsageError | IncompleteInstallation | ChangedOrigin

_KINDS: Final = {kind.__name__: kind for kind in get_args(Refusal)}


def encode_refusal(error: Refusal) -> str:
    """The answer of work that cannot be done as it was asked for."""
    kind = next(name for name, kind in _KINDS.items() if isinstance(error, kind))
    return json.dumps({"refused": str(error), "kind": kind}, separators=(",", ":"))


def raise_refused(answer: str) -> None:
    """Raise what an answer refuses, if it does.

    Examples
    --------
    >>> raise_refused('{"verdict": "CORRECT"}')
    >>> raise_refused(encode_refusal(UsageError("no such point")))
    Traceback (most recent call last):
    ...
    verify.errors.UsageError: no such point
    """
    if answer.startswith(_START):
        found = json.loads(answer)
        raise _KINDS[found["kind"]](found["refused"])
