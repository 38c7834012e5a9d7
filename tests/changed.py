"""Check what changed since ``main``, in under a minute: ``python -m tests.changed``.

On two idle cores, that is: ruff, mypy, the doctests of what changed and the tests nearest to it.
Tests mirror the sources: those of ``verify/judging/kinks/hull.py`` are in
``tests/verify/judging/kinks/test_hull.py``. Where a module has no tests of its own, those that
import it count. Of a row of the vocabulary that changed, each test that loops over rows is run for
it.
"""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

from symtape.primitives.primitive import Primitive
from tests.documents import ROOT, blocks

FEW: Final = 4
"""Files of tests that are run in one process."""

LONGEST: Final = 180
"""Seconds after which a change is taken for one that needs all tests, also on a busy machine."""


ROWS: Final = Path("symtape/primitives")
"""Where the rows of the vocabulary are declared."""

DOCUMENTED: Final = (ast.Module, ast.ClassDef, ast.FunctionDef)


def git(root: Path, *words: str) -> str:
    """What git prints, nothing if it fails."""
    return subprocess.run(["git", *words], cwd=root, capture_output=True, text=True).stdout


def base(root: Path = ROOT) -> str:
    """The commit at which this branch left ``main``."""
    found = git(root, "merge-base", "HEAD", "main") or git(
        root, "merge-base", "HEAD", "origin/main"
    )
    return found.strip() or "HEAD"


def changed(root: Path = ROOT) -> list[Path]:
    """The files that differ from those of the commit at which this branch left ``main``."""
    names = git(root, "diff", "--name-only", "--diff-filter=d", base(root))
    return [
        *map(
            Path, (names + git(root, "ls-files", "--others", "--exclude-standard")).split("\n")[:-1]
        )
    ]


def nearest(path: Path, root: Path = ROOT) -> list[Path | str]:
    """What pytest is to run for a file: doctests and tests, or the blocks and links of a page."""
    top = path.parts[0]
    if path.suffix == ".md" and (top == "docs" or path.parent == Path()):
        page = f"tests/test_documentation.py::test_{{}}[{path}]"
        runs = [page.format("every_block_runs")] if blocks((root / path).read_text()) else []
        return [*runs, page.format("links_lead_somewhere")]
    if path.suffix != ".py":
        return []
    if top == "tests":
        return [path] if path.name.startswith("test_") else []
    own = Path("tests", path.parent, f"test_{path.stem}.py")
    tests = [own] if (root / own).exists() else importing(path, root)
    return [path, *tests] if top in ("symtape", "verify") else tests


def importing(path: Path, root: Path = ROOT) -> list[Path]:
    """The tests that name a module."""
    module = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
    files = sorted((root / "tests").rglob("test_*.py"))
    return [file.relative_to(root) for file in files if f" {module} " in file.read_text()]


def statements(source: str) -> dict[str, ast.stmt]:
    """What a module says, by statement, without comments, layout and docstrings."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return {ast.unparse(statement): statement for statement in tree.body}


def changed_rows(path: Path, root: Path = ROOT) -> list[str]:
    """The rows that a file declares otherwise than it did; all, if what they use is different."""
    if not path.is_relative_to(ROWS):
        return []
    before = statements(git(root, "show", f"{base(root)}:{path.as_posix()}"))
    now = statements((root / path).read_text())
    names = {key: assigned(statement) for key, statement in now.items()}
    module = vars(importlib.import_module(".".join(path.with_suffix("").parts)))
    rows = {
        name: module[name].name
        for name in names.values()
        if isinstance(module.get(name), Primitive)
    }
    different = {name for key, name in names.items() if key not in before}
    return sorted(rows[name] for name in (different if different <= rows.keys() else rows))


def assigned(statement: ast.stmt) -> str:
    """The name to which a statement assigns; nothing, if it does something else."""
    if isinstance(statement, ast.AnnAssign):
        return ast.unparse(statement.target)
    return ast.unparse(statement.targets[0]) if isinstance(statement, ast.Assign) else ""


def of_rows(rows: list[str], root: Path = ROOT) -> list[str]:
    """What pytest is to run for rows: all that loops over the vocabulary, for them alone."""
    files = sorted((root / "tests").rglob("test_*.py"))
    tables = [str(file) for file in files if "vocabulary()" in file.read_text()]
    ids = [words.format(row) for row in rows for words in ("[{}]", "[{}-", "[{}.", "-{}]")]
    return ["-m", "not release", "-k", " or ".join(ids), *tables]


def main() -> int:
    """Run the checks; 0 if all hold."""
    python = [sys.executable, "-m"]
    pytest = [*python, "pytest", "-q", "-x"]
    paths = changed()
    tests = sorted({str(test) for path in paths for test in nearest(path)})
    rows = sorted({row for path in paths for row in changed_rows(path)})
    # Workers cost seconds before they do anything.
    workers = ["-n", "auto"] if len(tests) > FEW else []
    runs = [[*pytest, *workers, "tests/test_architecture.py", *tests]]
    runs += [[*pytest, *of_rows(rows)]] if rows else []
    checks = [[*python, "ruff", "check", "."], [*python, "ruff", "format", "--check", "."]]
    started = [
        subprocess.Popen(command, cwd=ROOT) for command in [*runs, *checks, [*python, "mypy"]]
    ]
    end = time.monotonic() + LONGEST
    try:
        failures = [process.wait(max(end - time.monotonic(), 0)) for process in started]
    except subprocess.TimeoutExpired:
        for process in started:
            process.kill()
        print(f"this takes longer than {LONGEST} s: python -m pytest -n auto runs all tests")
        return 1
    return int(any(failures))


if __name__ == "__main__":
    sys.exit(main())
