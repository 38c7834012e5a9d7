"""What filters, sorts and turns pages of rows is one script, and stands once in each page."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.synthetic import later, report
from verify.reporting import as_html as of_reports
from verify.reporting import as_pages
from verify.reporting.comparison import compare, render

FOLDER = Path(of_reports.__file__).parent / "templates"
PAGES = ("table", "index", "details", "compare")


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    made = report(12)
    (_, index), (_, details), *_ = as_pages.files(made, "report", "report-cases")
    return {
        "table": "".join(of_reports.parts(made)),
        "index": "".join(index),
        "details": "".join(details),
        "compare": render(compare([made, later(made)]), "html"),
    }


def repeated(text: str, length: int = 4) -> Iterator[tuple[str, ...]]:
    """Runs of so many lines of code that stand at two places."""
    seen: set[tuple[str, ...]] = set()
    lines = [line.strip() for line in text.split("\n") if re.search(r"\w", line)]
    for at in range(len(lines) - length + 1):
        run = tuple(lines[at : at + length])
        if run in seen:
            yield run
        seen.add(run)


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_each_page_has_the_one_style_and_the_one_script_that_its_policy_allows(pages, name) -> None:
    [script] = re.findall(r"<script>(.*?)</script>", pages[name], re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in pages[name]
    assert script == (FOLDER / "script.js").read_text(encoding="utf-8").strip()
    assert (FOLDER / "style.css").read_text(encoding="utf-8").strip() in pages[name]
    assert {file.suffix for file in FOLDER.iterdir()} == {".css", ".js", ".j2"}
    assert len([*FOLDER.glob("*.js"), *FOLDER.glob("*.css")]) == 2


def test_no_code_of_the_script_stands_twice() -> None:
    script = (FOLDER / "script.js").read_text(encoding="utf-8")
    assert [*repeated(script)] == []
    start = script.index("const apply")
    assert [*repeated(script + script[start : start + 400])]


def test_no_name_is_given_twice_in_the_script() -> None:
    script = (FOLDER / "script.js").read_text(encoding="utf-8")
    names = re.findall(r"^  (?:const|let) (\w+)", script, re.MULTILINE)
    assert len(names) == len(set(names)) > 0
