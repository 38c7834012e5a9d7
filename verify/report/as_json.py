"""The machine's rendering, and the way back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from verify.report.errors import BadReport
from verify.report.model import Report


def render(report: Report) -> str:
    """The report as JSON text, a case a line: valid, whatever floats and characters are in it."""
    data = report.to_dict()
    cases = ",\n".join(f"  {_compact(case)}" for case in data["cases"])
    fields = [f" {_compact(name)}: {_compact(value)}" for name, value in data.items()]
    at = list(data).index("cases")
    fields[at] = f' "cases": [\n{cases}\n ]' if cases else ' "cases": []'
    text = "{\n" + ",\n".join(fields) + "\n}\n"
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


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
