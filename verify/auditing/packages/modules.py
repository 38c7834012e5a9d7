"""Modules of a package by their names and files: those to look at, and tests among them."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

KINDS: Final = {
    "tests": re.compile(r"(tests?|testing|test_\w+|\w+_tests?)"),
    "examples": re.compile(r"examples?"),
    "benchmarks": re.compile(r"(benchmarks?|bench_\w+)"),
}
"""Modules that are left out unless they are asked for, by what they are."""

_NEVER: Final = frozenset(("conftest", "setup", "__main__"))
"""Modules that are programs, or that a test runner loads."""

_FOLDERS_OF_TESTS: Final = frozenset(("test", "tests", "testing"))
_TEST: Final = re.compile(
    r"^\s*(def test|class Test\w*[(:]|(import|from) (pytest|unittest|nose)\b)", re.MULTILINE
)


def name_modules(
    package: str, folders: Sequence[Path], include: Sequence[str] = ()
) -> tuple[list[str], list[str]]:
    """The names of the modules of a package, and of those that are left out; none is imported.

    Parameters
    ----------
    package : str
    folders : sequence of Path
        Where it lies.
    include : sequence of str
        Which of `KINDS` are not left out.
    """
    names, left_out = [package], []
    pending = [(package, list(folders))]
    while pending:
        name, places = pending.pop()
        for each in pkgutil.iter_modules(map(str, places)):
            full = f"{name}.{each.name}"
            files = [one / (each.name if each.ispkg else f"{each.name}.py") for one in places]
            found = [file for file in files if file.exists()]
            if _is_left_out(each.name, found, include):
                left_out.append(full)
                continue
            names.append(full)
            if each.ispkg:
                pending.append((full, found))
    return sorted(names), sorted(left_out)


def _is_left_out(name: str, files: Sequence[Path], include: Sequence[str]) -> bool:
    """Whether a module is not looked at, as its name says, or its sources if it says "test".

    ``test_functions`` may hold functions to try a solver on, which are no tests.
    """
    kinds = [kind for kind, words in KINDS.items() if words.fullmatch(name)]
    if kinds == ["tests"] and name not in _FOLDERS_OF_TESTS and files:
        kinds = kinds if any(map(_holds_tests, files)) else []
    return name in _NEVER or any(kind not in include for kind in kinds)


def _holds_tests(path: Path) -> bool:
    """Whether a file, or one in a folder, has tests."""
    for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
        try:
            if _TEST.search(file.read_text(encoding="utf-8", errors="replace")):
                return True
        except OSError:
            continue
    return False
