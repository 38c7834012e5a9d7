"""Check what changed since ``main``, in under a minute: ``python -m tests.changed``.

ruff, mypy, the doctests of what changed and the tests nearest to it. Tests mirror the sources:
those of ``verify/kinks/hull.py`` are in ``tests/verify/kinks/test_hull.py``. Where a module has no
tests of its own, those that import it count.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.documents import ROOT, blocks

LONGEST = 50
"""Seconds that the tests may take, so that all is said within a minute."""


def changed(root: Path = ROOT) -> list[Path]:
    """The files that differ from those of the commit at which this branch left ``main``."""

    def git(*words: str) -> list[str]:
        done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True)
        return done.stdout.splitlines()

    bases = git("merge-base", "HEAD", "main") or git("merge-base", "HEAD", "origin/main")
    names = git("diff", "--name-only", "--diff-filter=d", *(bases or ["HEAD"]))
    return [Path(name) for name in names + git("ls-files", "--others", "--exclude-standard")]


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


def main() -> int:
    """Run the checks; 0 if all hold."""
    python = [sys.executable, "-m"]
    tests = sorted({str(test) for path in changed() for test in nearest(path)})
    command = [*python, "pytest", "-q", "-x", "-n", "auto", "tests/test_architecture.py", *tests]
    types = subprocess.Popen([*python, "mypy"], cwd=ROOT)
    style = [[*python, "ruff", *words, "."] for words in (["check"], ["format", "--check"])]
    failures = [subprocess.call(words, cwd=ROOT) for words in style]
    try:
        failures.append(subprocess.call(command, cwd=ROOT, timeout=LONGEST))
    except subprocess.TimeoutExpired:
        print(f"{len(tests)} files take longer than {LONGEST} s: python -m pytest -n auto runs all")
        failures.append(1)
    return int(any([*failures, types.wait()]))


if __name__ == "__main__":
    sys.exit(main())
