"""Each notebook of the site runs, and prints what its text says."""

import ast
import warnings
from pathlib import Path

import pytest

from tests.documents import Block, blocks

NOTEBOOKS = Path(__file__).parents[1] / "docs" / "notebooks"
SHOWN = {
    "formulas": "d misfit/dx = 2*A.T @ (A @ x - b)",
    "jax": "the rule of softplus is wrong",
    "scipy": "<Result WRONG: jacobian of residuals",
    "statistics": "only the part by r is wrong",
    "torch": "the rule of Tanh is wrong",
}


def run_cell(block: Block, names: dict[str, object]) -> None:
    """Run a cell as IPython does: it prints the values of expressions."""
    cell = ast.Interactive(ast.parse(block.text).body)
    exec(compile(cell, f"cell at line {block.line}", "single"), names)


def test_every_notebook_is_in_the_table():
    pages = {page.stem for page in NOTEBOOKS.glob("*.md")}
    assert pages - {"index"} == set(SHOWN)


@pytest.mark.parametrize("name", SHOWN)
def test_a_notebook_shows_what_it_is_about(name, monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path))
    cells = blocks((NOTEBOOKS / f"{name}.md").read_text())
    for package in {package for cell in cells for package in cell.needs}:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of frameworks while they are imported
            pytest.importorskip(package)
    names: dict[str, object] = {"__name__": "__main__"}
    for cell in cells:
        if cell.language == "{code-cell}":
            run_cell(cell, names)
    assert SHOWN[name] in capsys.readouterr().out
