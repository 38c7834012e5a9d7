"""The machine's rendering, and the way back."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

from verify.report.errors import BadReport
from verify.report.model import Report

__all__ = ["load", "parse", "render"]

_FLAT: Final = re.compile(r'\[\n(?:[^\[\]{}"]|"[^"\\\s]*")*\]')
"""An array of numbers and single words; a string holds no line break, so none is mistaken."""


def render(report: Report) -> str:
    """The report as JSON text: valid JSON, whatever floats and characters are in it."""
    text = json.dumps(report.to_dict(), indent=1, ensure_ascii=False, allow_nan=False)
    text = _FLAT.sub(lambda match: " ".join(match[0].split()), text)
    return text.encode("utf-8", "backslashreplace").decode("utf-8") + "\n"


def parse(text: str) -> Report:
    """A report from JSON text.

    Raises
    ------
    BadReport
        No JSON, or no report of a schema known here.
    """
    try:
        data: Any = json.loads(text)
    except json.JSONDecodeError as error:
        raise BadReport(
            f"not JSON, at line {error.lineno} column {error.colno}: {error.msg}; "
            "expected a report that 'symtape verify' wrote"
        ) from error
    return Report.from_dict(data)


def load(path: str | Path) -> Report:
    """A report from a JSON file.

    Raises
    ------
    BadReport
        The file holds no report; the message names it.
    OSError
        It cannot be read.
    """
    path = Path(path)
    try:
        return parse(path.read_text(encoding="utf-8"))
    except (BadReport, UnicodeDecodeError) as error:
        raise BadReport(f"{path}: {error}") from error
