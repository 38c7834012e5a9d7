"""The tolerances are in one module, each says where it is from, and the documentation has all."""

from __future__ import annotations

import ast
import itertools
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import verify
from verify import Verdict
from verify.judging.rounding import tolerances
from verify.selftest.tolerances import MEASURED

ROOT = Path(__file__).parents[4]
SUPERSCRIPTS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def documented():
    rows = re.findall(
        r"^\| `([A-Z_]+)` \| ([^|]+) \| [^|]+ \| ([^|]+) \|$",
        (ROOT / "docs/evidence.md").read_text("utf-8"),
        re.MULTILINE,
    )
    return {name: (value, source) for name, value, source in rows}


def number(text):
    total = Fraction(0)
    for term in text.split("+"):
        base, power = re.fullmatch(r"([\d./]+)([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]*)", term.strip()).groups()
        total += Fraction(base) ** int(power.translate(SUPERSCRIPTS) or 1)
    return float(total)


def docstrings():
    body = ast.parse(Path(tolerances.__file__).read_text("utf-8")).body
    return {
        one.target.id: other.value.value
        for one, other in itertools.pairwise(body)
        if isinstance(one, ast.AnnAssign) and isinstance(other, ast.Expr)
    }


def test_the_documentation_lists_all_of_them_with_their_values():
    shown = documented()
    assert shown.keys() == set(tolerances.__all__)
    for name, (value, _) in shown.items():
        assert number(value) == getattr(tolerances, name), name


@pytest.mark.parametrize("name", tolerances.__all__)
def test_each_says_where_it_is_from(name):
    words = docstrings()[name]
    _, source = documented()[name]
    kind = source.partition(":")[0].strip()
    assert f"{kind.capitalize()}: " in words, words
    assert (kind == "measured") == (name in MEASURED)
    if kind == "measured":
        taken = source.partition(": ")[2].strip()
        assert re.search(rf"\b{re.escape(taken)}\b", words), words
        assert float(taken) <= getattr(tolerances, name)


@pytest.mark.parametrize("off", [1e-9, 1e-12, 1e-14])
def test_a_slope_at_a_kink_is_held_to_rounding(off):
    for function, slope in ((np.abs, 1.0), (lambda x: np.maximum(x, 0) * 3 + x, 4.0)):
        outside = verify.gradient(function, lambda x, s=slope: s * (1 + off) + 0 * x, at=[0.0])
        assert outside.verdict is Verdict.WRONG, str(outside)
        inside = verify.gradient(function, lambda x, s=slope: s * (1 - 2**-52) + 0 * x, at=[0.0])
        assert inside.verdict is Verdict.KINK, str(inside)
