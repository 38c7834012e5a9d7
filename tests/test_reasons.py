"""Every reason for not recording has a code, and every code is in the table of the docs."""

from __future__ import annotations

import ast
import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

import symtape
import verify
from symtape import errors
from symtape.errors import REASONS, SymtapeError
from tests.packing import left
from verify.model.verdict import Verdict

ROOT = Path(__file__).parents[1]
X = np.array([0.5, 2.0])


def is_known(code):
    patterns = [re.escape(known).replace(re.escape("<call>"), r"[\w.]+") for known in REASONS]
    patterns = [one.replace(re.escape("<function>"), r"\w+") for one in patterns]
    return any(re.fullmatch(pattern, code) for pattern in patterns)


def test_the_table_of_the_docs_is_that_of_the_code():
    _, _, table = (ROOT / "docs/verdicts.md").read_text().partition("<!-- reasons -->")
    table, _, _ = table.partition("\n\n")
    rows = re.findall(r"^\| `(.+?)` \| (.+) \|$", table, flags=re.MULTILINE)
    assert dict(rows) == REASONS
    assert len(rows) == len(REASONS)


def test_each_class_of_errors_has_a_code():
    classes = [getattr(errors, name) for name in errors.__all__]
    classes = [x for x in classes if isinstance(x, type) and issubclass(x, SymtapeError)]
    assert all(is_known(kind.code) for kind in classes if kind is not errors.Escaped)
    assert is_known(errors.Escaped("words").code)


def codes_in(file):
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.keyword) and node.arg == "code":
            for part in ast.walk(node.value):
                if isinstance(part, ast.Constant) and re.match(r"[a-z]+(:|$)", str(part.value)):
                    yield part.value


@pytest.mark.long
@pytest.mark.parametrize("folder", ["symtape", "verify"])
def test_each_code_that_is_given_is_in_the_table(folder):
    given = {code for file in (ROOT / folder).rglob("*.py") for code in codes_in(file)}
    families = {"escape:", "inplace:"}
    assert {code for code in given if not is_known(code)} <= families
    assert given


def other(x):
    return np.sum(x**2) if not hasattr(x, "numpy") else np.sum(x**3)


CODES = {
    "escape:float": lambda x: left(x[0]) * x[1],
    "escape:tobytes": lambda x: np.sum(np.frombuffer(x.tobytes()) * x),
    "escape:text": lambda x: float(f"{x[0]:.17g}") * x[1],
    "dtype:matrix": lambda x: np.sum(np.matrix(x) * np.matrix(x).T),
    "dtype:longdouble": lambda x: np.sum(x.astype(np.longdouble)),
    "dtype:masked": lambda x: np.ma.masked_less(x, 1).cumsum(),
    "dtype:view": lambda x: np.sum(x.view(np.int64)),
    "return": lambda x: None,
}


@pytest.mark.parametrize("code", CODES)
@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")  # of np.matrix itself
def test_what_is_not_recorded_says_why_by_a_code(code):
    with pytest.raises(SymtapeError) as caught:
        symtape.grad(CODES[code])(X)
    assert caught.value.code == code
    assert is_known(code)


def test_a_result_and_its_reports_have_the_code():
    found = verify.gradient(lambda x: x * left(x), claimed=lambda x: math.inf, at=[2.0])
    assert found.verdict is not Verdict.CORRECT
    assert json.loads(found.to_json())["points"][0]["code"] == "escape:float"
    assert "escape:float" in found.explain()
