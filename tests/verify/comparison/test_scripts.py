"""What filters, sorts and turns pages of rows is one script, and stands once in each page."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.synthetic import later, report
from verify.comparison import as_html as of_comparisons
from verify.comparison import compare, render
from verify.reporting import as_html as of_reports
from verify.reporting import as_pages

ROWS = of_reports.TEMPLATES / "rows.js"
FOLDERS = [Path(module.__file__).parent / "templates" for module in (of_comparisons, of_reports)]
FILES = {path.name: path.read_text(encoding="utf-8") for it in FOLDERS for path in it.glob("*.js")}
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


def repeated(texts: dict[str, str], length: int = 3) -> Iterator[tuple[str, ...]]:
    """Runs of so many lines of code that stand at two places."""
    seen: set[tuple[str, ...]] = set()
    for text in texts.values():
        lines = [line.strip() for line in text.split("\n") if re.search(r"\w", line)]
        for at in range(len(lines) - length + 1):
            run = tuple(lines[at : at + length])
            if run in seen:
                yield run
            seen.add(run)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_one_script_that_its_policy_allows(pages, name: str) -> None:
    [script] = re.findall(r"<script>(.*?)</script>", pages[name], re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in pages[name]
    for file, times in {"shared.js": 1, ROWS.name: name != "details"}.items():
        lines = FILES[file].rstrip().split("\n")
        assert script.count("\n".join(f"  {it}" if it else it for it in lines)) == times, file


def test_no_code_stands_in_two_scripts() -> None:
    assert set(FILES) == {"shared.js", ROWS.name, *(f"{name}.js" for name in PAGES)}
    assert [*repeated(FILES)] == []


@pytest.mark.parametrize("name", ["table.js", "index.js", "compare.js"])
def test_code_that_is_copied_is_found(name: str) -> None:
    lines = FILES[ROWS.name].split("\n")
    start = next(at for at, line in enumerate(lines) if "const apply" in line)
    copied = "\n".join(lines[start : start + 8])
    assert [*repeated({**FILES, name: FILES[name] + copied})]


@pytest.mark.parametrize("name", PAGES)
def test_no_name_is_given_twice_in_a_script(pages, name: str) -> None:
    [script] = re.findall(r"<script>(.*?)</script>", pages[name], re.DOTALL)
    names = re.findall(r"^  (?:const|let) (\w+)", script, re.MULTILINE)
    assert len(names) == len(set(names)) > 0
