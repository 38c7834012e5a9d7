"""The tables of formulas in the documents: each is what is printed of the code beside it."""

import re

import numpy as np
import pytest
from scipy.special import log_softmax, logsumexp, softmax

import symtape
from tests.documents import ROOT

FUNCTIONS = {"np": np, "softmax": softmax, "log_softmax": log_softmax, "logsumexp": logsumexp}


def variables():
    rng = np.random.default_rng(0)
    x, y, v, w, b = rng.normal(size=(5, 3))
    A, B, C, U, V, Q, K = rng.normal(size=(7, 3, 3))
    S = A.T @ A + np.eye(3)
    X = S + B / 4
    Y = np.array([[0, 1.0, 0], [1, 0, 0], [0, 0.5, 0.5]])
    a, c = 2.0, 3.0
    return {name: value for name, value in locals().items() if name != "rng"} | FUNCTIONS


def rows(page, code, by):
    text = (ROOT / "docs" / page).read_text()
    lines = [line for line in text.split("\n") if line.startswith("|") and "`" in line]
    cells = [[cell.strip(" `") for cell in re.split(r" \| ", line.strip("| "))] for line in lines]
    return [(row[code], row[by], row[3]) for row in cells if len(row) == 4]


TABLES = [*rows("array-notation.md", 2, 1), *rows("index.md", 1, 2)]


def test_the_tables_are_found():
    assert len(rows("array-notation.md", 2, 1)) >= 15
    assert len(rows("index.md", 1, 2)) == 10


@pytest.mark.parametrize(("code", "by", "printed"), TABLES, ids=lambda text: text[:40])
def test_a_row_is_what_is_printed(code, by, printed):
    scope = variables()
    function = eval(f"lambda {by}: {code}", scope)
    point = [scope[name] for name in by.split(", ")]
    derivation = symtape.derive(function, *point)
    form = derivation.gradient if np.ndim(function(*point)) == 0 else derivation.jacobian
    assert str(form).replace("\n", "; ") == printed
