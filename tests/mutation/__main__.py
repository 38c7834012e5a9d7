"""Mutate single places of the sources, and see which changes the nearest tests notice.

    python -m tests.mutation symtape/rigorous --count 20 --seed 1

The changes are those of cosmic-ray. They are made in a copy of the checkout, so that one may go on
working. Where only annotations would change, nothing is. A mutant that survives is a test to write,
or an equivalent program: read it before either.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.changed import nearest
from tests.documents import ROOT

COPIED = ("symtape", "verify", "tests", "docs", "examples", "benchmarks", "pyproject.toml")
FOLDERS = (
    *("symtape/rigorous", "symtape/symbolic", "symtape/programs/compiled"),
    *("verify/judging/rounding", "verify/judging"),
)
NO_TESTS = 5
"""How pytest ends where it finds none."""


class Mutant(NamedTuple):
    """One change of one file."""

    path: Path
    operator: str
    occurrence: int
    source: str


def main() -> int:
    """Print the fate of each mutant, and the score of each folder; 1 if one survived."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("folders", nargs="*", default=FOLDERS, metavar="FOLDER")
    parser.add_argument("--count", type=int, default=20, help="mutants of each folder")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--seconds", type=float, default=120, help="for the tests of one mutant")
    parser.add_argument("--wider", action="store_true", help="survivors: all tests of the folder")
    given = parser.parse_args()
    survived = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = copied(Path(folder))
        for name in given.folders:
            fates = Counter[str]()
            for mutant in sample(Path(name), given.count, given.seed):
                fate = tried(mutant, copy, given.seconds, nearest_tests(mutant.path))
                if fate == "survived" and given.wider:
                    wide = str(Path("tests", mutant.path.parent))
                    fate = tried(mutant, copy, 5 * given.seconds, [wide])
                fates[fate] += 1
                print(f"{fate:9} {mutant.path} {mutant.operator} {mutant.occurrence}", flush=True)
                if fate == "survived":
                    print(changes(mutant), flush=True)
            noticed = fates["killed"] + fates["timed out"]
            print(f"{name}: {noticed} of {fates.total()} noticed ({dict(fates)})", flush=True)
            survived += fates.total() - noticed
    return int(bool(survived))


def copied(folder: Path) -> Path:
    """The parts of the checkout that tests read, in a folder of their own."""
    ignored = shutil.ignore_patterns("__pycache__")
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=ignored)
        else:
            shutil.copy(ROOT / name, folder / name)
    return folder


def sample(path: Path, count: int, seed: int) -> list[Mutant]:
    """So many mutants of a file, or of the files below a folder, the same for the same seed."""
    files = [path] if path.suffix else sorted((ROOT / path).rglob("*.py"))
    found = [site for file in files for site in sites((ROOT / file).relative_to(ROOT))]
    random.Random(f"{seed} {path}").shuffle(found)
    chosen: list[Mutant] = []
    for site in found:
        if len(chosen) == count:
            break
        chosen += mutated(*site)
    return chosen


def sites(path: Path) -> Iterator[tuple[Path, str, int]]:
    """Every place of a file where an operator of cosmic-ray has something to change."""
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.plugins import get_operator, operator_names

    nodes = list(ast_nodes(get_ast((ROOT / path).read_text())))
    for name in operator_names():
        operator = get_operator(name)
        if operator.arguments():
            continue
        count = sum(len(list(operator().mutation_positions(node))) for node in nodes)
        yield from ((path, name, occurrence) for occurrence in range(count))


def mutated(path: Path, name: str, occurrence: int) -> list[Mutant]:
    """The mutant, in a list; an empty one if the program is the same but for its annotations."""
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator

    before = (ROOT / path).read_text()
    after = mutate_code(before, get_operator(name)(), occurrence)
    if after is None or meaning(after) == meaning(before):
        return []
    return [Mutant(path, name, occurrence, after)]


def meaning(source: str) -> str:
    """The program without its annotations, which are never evaluated."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        elif isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.AnnAssign):
            node.annotation = ast.Constant(None)
    return ast.dump(tree)


def nearest_tests(path: Path) -> list[str]:
    """The file itself, for its doctests, and its nearest tests, or else those of its folder."""
    found = [str(test) for test in nearest(path)]
    folder = Path("tests", path.parent)
    return found if len(found) > 1 or not (ROOT / folder).is_dir() else [*found, str(folder)]


def tried(mutant: Mutant, copy: Path, seconds: float, tests: list[str]) -> str:
    """What becomes of a mutant: killed, timed out, survived, or untested."""
    place = copy / mutant.path
    before = place.read_text()
    place.write_text(mutant.source)
    plain = ["-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist"]
    paths = {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, *plain, *tests]
    try:
        done = subprocess.run(
            command, cwd=copy, env={**os.environ, **paths}, capture_output=True, timeout=seconds
        )
    except subprocess.TimeoutExpired:
        return "timed out"
    finally:
        place.write_text(before)
    return {0: "survived", NO_TESTS: "untested"}.get(done.returncode, "killed")


def changes(mutant: Mutant) -> str:
    """The lines that differ."""
    before = (ROOT / mutant.path).read_text().splitlines()
    lines = difflib.unified_diff(before, mutant.source.splitlines(), lineterm="", n=1)
    return "\n".join(f"    {line}" for line in list(lines)[2:])


if __name__ == "__main__":
    sys.exit(main())
