"""What upstream knows of a finding: issues and pull requests, read by a person and written down."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from importlib.resources import files
from typing import Any

from verify.model.result import Remedy, Result


def known_upstream(case: Result) -> Iterator[Remedy]:
    """The issues and pull requests of a claim that fails, as its package and its name say."""
    top = case.suite.partition(".")[0]
    claim = re.split(r"[\[( ]", case.id.rpartition(":")[2], maxsplit=1)[0]
    for row in _rows() if case.fails else ():
        if row["package"] == top and any(fnmatchcase(claim, each) for each in row["names"]):
            yield Remedy("upstream", f"{row['link']} ({row['says']})")


@functools.cache
def _rows() -> list[dict[str, Any]]:
    text = files("verify.auditing").joinpath("upstream.json").read_text(encoding="utf-8")
    rows: list[dict[str, Any]] = json.loads(text)
    return rows
