"""Ids of planted faults and of right claims: which of them a text means."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import symtape
from verify import suites
from verify.errors import UsageError

_WORD: Final = re.compile(r"[^\W\d]+|\d{25,}")
_HEXADECIMAL: Final = "xABCDEF"


def fits(only: str, label: str) -> bool:
    """Whether an id holds a text; or is of the ROW:OPERATOR that the text names.

    Examples
    --------
    >>> fits("tanh:sign", "rule tanh by x: sign of a term: 1 - y * y → 1 + y * y")
    True
    """
    if only in label:
        return True
    where, colon, operator = only.partition(":")
    place, _, kind = label.partition(": ")
    return bool(colon) and f" {where} " in f" {place} " and kind.startswith(operator.strip())


def refuse_unknown(only: str, names: Iterable[str]) -> None:
    """Refuse a text with a word that no id can have, before thousands of them are made.

    Ids are made of the names of rows, functions, programs and libraries, and of the sources of what
    is changed.

    Raises
    ------
    UsageError

    Examples
    --------
    >>> refuse_unknown("tahn:sign", ["tanh"])
    Traceback (most recent call last):
    ...
    verify.errors.UsageError: only='tahn:sign': no fault and no claim has 'tahn' in its id; give a \
row and an operator, as tanh:sign, or what a finding shows as its id; see docs/selftest.md
    """
    changed = Path(symtape.__file__), Path(__file__), Path(suites.__file__)
    files = (path for one in changed for path in one.parent.rglob("*.py"))
    texts = [path.read_text("utf-8") for path in files if path != Path(__file__)]
    known = "\n".join([*names, *texts])
    for word in _WORD.findall(only):
        # Programs call operations of rows as row_NAME, and write floats as hexadecimal numbers.
        if word.removeprefix("row_") not in known and word.strip(_HEXADECIMAL):
            raise UsageError(
                f"only={reprlib.repr(only)}: no fault and no claim has {reprlib.repr(word)} in its "
                "id; give a row and an operator, as tanh:sign, or what a finding shows as its id; "
                "see docs/selftest.md"
            )
