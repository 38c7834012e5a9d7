"""Pairs by name that are wrong everywhere: none vanishes, and nothing else is among them."""

from __future__ import annotations

import json
import sys
import textwrap

import pytest
from click.testing import CliRunner

from verify.cli import cli
from verify.reporting import load

GRADIENT = """
    def energy(x):
        return np.sum(x**3) + x[0] * np.sin(x[1])

    def energy_grad(x):
        right = 3 * x**2 + np.array([np.sin(x[1]), x[0] * np.cos(x[1]), 0.0])
        return {}
"""
JACOBIAN = """
    def field(x):
        return np.array([x[0] * x[1], x[1] ** 2 * x[2], np.sin(x[0]) + x[2] ** 2])

    def field_jac(x):
        right = np.array(
            [[x[1], x[0], 0.0], [0.0, 2 * x[1] * x[2], x[1] ** 2], [np.cos(x[0]), 0.0, 2 * x[2]]]
        )
        return {}
"""
HESSIAN = """
    def well(x):
        return x[0] ** 2 * x[1] + np.sin(x[1] * x[2])

    def well_hess(x):
        s, c = np.sin(x[1] * x[2]), np.cos(x[1] * x[2])
        m = c - x[1] * x[2] * s
        right = np.array(
            [[2 * x[1], 2 * x[0], 0.0], [2 * x[0], -x[2]**2 * s, m], [0.0, m, -x[1]**2 * s]]
        )
        return {}
"""
SLOPE = """
    def swing(x):
        return x * np.sin(x)

    def swing_prime(x):
        right = np.sin(x) + x * np.cos(x)
        return {}
"""
CLAIMS = [
    (GRADIENT, "-right", "the derivative times -1"),
    (GRADIENT, "1.01 * right", "the derivative times 1.01"),
    (GRADIENT, "right * [1, 2, 1]", "right in 2 of 3 entries"),
    (GRADIENT, "3 * x**2", "right in 1 of 3 entries"),
    (GRADIENT, "0 * x", "is zero"),
    (GRADIENT, "np.exp(x) + 40", None),
    (JACOBIAN, "2 * right", "the derivative times 2"),
    (JACOBIAN, "right.T", "the derivative with its axes exchanged"),
    (JACOBIAN, "right * [[1, 1, 1], [1, 1, 0], [1, 1, 1]]", "right in 5 of 9 entries"),
    (JACOBIAN, "np.outer(np.exp(x), x) + 7", None),
    (HESSIAN, "-right", "the derivative times -1"),
    (HESSIAN, "0.5 * right", "the derivative times 0.5"),
    (HESSIAN, "np.diag(np.diag(right))", "right in 3 of 9 entries"),
    (HESSIAN, "np.outer(x, x) + 50 * np.eye(3)", None),
    (SLOPE, "-right", "the derivative times -1"),
    (SLOPE, "1.01 * right", "the derivative times 1.01"),
    (SLOPE, "np.sin(x)", "the term through sin is missing"),
    (SLOPE, "np.sin(x) - x * np.cos(x)", "the term through sin has the wrong sign"),
    (SLOPE, "np.exp(x) + 40", None),
]


@pytest.fixture
def audited(tmp_path, monkeypatch):
    """What an audit says of a package with these texts as its modules: status, words, report."""
    name = f"suspects_{abs(hash(str(tmp_path))) % 10**8}"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def audit(texts):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("")
        for file, text in texts.items():
            written = f"import numpy as np\n\n{textwrap.dedent(text)}"
            (tmp_path / name / f"{file}.py").write_text(written)
        words = ("audit", name, "--jobs", "0", "--effort", "quick", "--out", "out")
        done = CliRunner(env={"COLUMNS": "100", "NO_COLOR": "1"}).invoke(cli, words)
        return done.exit_code, done.output, load(tmp_path / "out" / f"{name}.json")

    yield audit
    for each in [each for each in sys.modules if each.partition(".")[0] == name]:
        del sys.modules[each]


@pytest.mark.long
@pytest.mark.parametrize(
    "part",
    [slice(1, None, 2), pytest.param(slice(None), marks=pytest.mark.campaign)],
    ids=["half", "all"],
)
def test_what_is_wrong_everywhere_is_a_suspect_and_what_is_something_else_is_not(
    audited, tmp_path, part
):
    claims = CLAIMS[part]
    texts = {f"m{k}": text.format(claim) for k, (text, claim, _) in enumerate(claims)}
    status, said, report = audited(texts)
    found = {case.id.partition(":")[0].partition(".")[2]: case for case in report.cases}
    left = {it.id.partition(":")[0].partition(".")[2]: it.reason for it in report.not_judged}
    assert status == 1
    for k, (_, claim, words) in enumerate(claims):
        if words is None:
            assert "paired by name or behaviour, but not a derivative" in left[f"m{k}"], claim
        else:
            assert found[f"m{k}"].verdict.value == "WRONG", claim
            assert words in found[f"m{k}"].suspect, claim
    suspects = sum(words is not None for _, _, words in claims)
    assert f"Suspects: {suspects}, paired by name or behaviour" in said
    for ending in ("md", "html"):
        text = next((tmp_path / "out").glob(f"*.{ending}")).read_text()
        assert "Suspects" in text
        assert "the derivative with its axes exchanged" in text
    data = json.loads(next((tmp_path / "out").glob("*.json")).read_text())
    assert sum(bool(case.get("suspect")) for case in data["cases"]) == suspects


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("text", [GRADIENT, JACOBIAN, HESSIAN, SLOPE])
def test_right_claims_are_no_suspects(audited, text):
    status, said, report = audited({"right": text.format("right")})
    assert status == 0
    assert "Suspects" not in said
    assert [(case.verdict.value, case.suspect) for case in report.cases] == [("CORRECT", "")]


@pytest.mark.long
def test_a_claim_that_fails_at_some_points_is_wrong_and_no_suspect(audited):
    text = SLOPE.format("np.where(x > 0.5, right, -right)")
    status, said, report = audited({"partly": text})
    assert (status, report.cases[0].verdict.value, report.cases[0].suspect) == (1, "WRONG", "")
    assert "Suspects" not in said
