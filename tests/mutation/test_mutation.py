"""The driver of mutations: what counts as a change, and which tests are nearest."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.documents import ROOT
from tests.mutation.__main__ import FOLDERS, Mutant, changes, meaning, nearest_tests, sample

SOURCE = "def f(x: int | None, y: float) -> int | None:\n    z: int | None = x\n    return z\n"


def test_annotations_are_no_part_of_what_a_program_means():
    assert meaning(SOURCE) == meaning(SOURCE.replace("int | None", "int + None"))
    assert meaning(SOURCE) != meaning(SOURCE.replace("return z", "return -z"))


@pytest.mark.long
@pytest.mark.parametrize("folder", FOLDERS)
def test_every_file_of_the_folders_has_tests_to_run(folder):
    for file in (ROOT / folder).rglob("*.py"):
        own, *tests = nearest_tests(file.relative_to(ROOT))
        assert (ROOT / own).exists()
        assert tests
        assert all((ROOT / test).exists() for test in tests)


def test_a_seed_draws_the_same_mutants_again():
    pytest.importorskip("cosmic_ray")
    path = Path("symtape/symbolic/boxes.py")
    first, again = sample(path, 5, 3), sample(path, 5, 3)
    assert len(first) == 5
    assert first == again
    assert first != sample(path, 5, 4)
    assert all(meaning(each.source) != meaning((ROOT / path).read_text()) for each in first)


def test_changes_are_shown_by_their_lines():
    path = Path("symtape/symbolic/boxes.py")
    source = (ROOT / path).read_text().replace("return tuple(_boxes(tree, over))", "return ()")
    shown = changes(Mutant(path, "gone", 0, source))
    assert "-    return tuple(_boxes(tree, over))" in shown
    assert "+    return ()" in shown
