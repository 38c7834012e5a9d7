"""The machine's rendering, and the way back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from verify.reporting.generated import BadReport
from verify.reporting.model import Report


def parts(report: Report) -> Iterator[str]:
    """The report as JSON text, a case a line: valid, whatever floats and characters are in it."""
    from verify.reporting.codec import encode

    return json_lines(replace(report, cases=()).to_dict(), "cases", map(encode, report.cases))


def json_lines(data: dict[str, Any], name: str, items: Iterable[Any]) -> Iterator[str]:
    """`data` as JSON text, a field a line, with `items` for the field `name`, each on its own."""
    between = "{\n"
    for field, value in data.items():
        yield f"{between} {_compact(field)}: "
        if field == name:
            yield "["
            mark = "\n"
            for item in items:
                yield f"{mark}  {_compact(item)}"
                mark = ",\n"
            yield "]" if mark == "\n" else "\n ]"
        else:
            yield _compact(value)
        between = ",\n"
    yield "\n}\n"


def _compact(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


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
        cut = len(text.rstrip()) <= error.pos + 1 or error.msg.startswith("Unterminated")
        what = "it ends in the middle, so it is incomplete" if cut else ""
        what = what if text.strip() else "it is empty"
        raise BadReport(
            f"not JSON, at line {error.lineno} column {error.colno}: {what or error.msg}; "
            "expected a report that 'symtape verify' wrote"
        ) from error
    except RecursionError as error:
        raise BadReport("not a report: its lists are nested too deeply") from error
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
    except UnicodeDecodeError as error:
        raise BadReport(f"{path}: not text, so 'symtape verify' did not write it") from error
    except BadReport as error:
        raise BadReport(f"{path}: {error}") from error
