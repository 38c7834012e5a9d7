"""Every planted wrong rule is refuted, by the name of the operation and the place of the rule."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from symtape.primitives.primitive import PRIMITIVES
from symtape.primitives.vocabulary import vocabulary
from verify.campaign.load import Target
from verify.campaign.tasks import plan
from verify.cli import cli

ROOT = Path(__file__).parents[2]

vocabulary()


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


WRONG = {
    "sign": ("cos", [lambda g, x: g * np.sin(x)]),
    "sign of one input": ("subtract", [lambda g: g, lambda g: g]),
    "factor 2": ("sqrt", [lambda g, y: g / y]),
    "factor 1 + 1e-12": ("exp", [lambda g, y: g * y * (1 + 1e-12)]),
    "term of 1e-15": ("sin", [lambda g, x: g * np.cos(x) + g * 1e-15 * x]),
    "term of 1e-15 in a product": (
        "multiply",
        [lambda g, b: g * b, lambda g, a, b: g * (a + 1e-15 * b)],
    ),
    "dropped term": ("power", [lambda g, a, b: g * b * a ** (b - 1), lambda g, a: g * 0 * a]),
    "dropped term of a square": ("hypot", [lambda g, a, y: g * a / y, lambda g, b, y: g * b]),
    "wrong argument": ("divide", [lambda g, b: g / b, lambda g, a, b: -g * b / a**2]),
    "transposed operand": (
        "matmul",
        [lambda g, a, b: g @ np.swapaxes(b, -1, -2), lambda g, a: a @ g],
    ),
    "dropped broadcast sum": ("broadcast_to", [lambda g: g]),
    "mean instead of sum": ("broadcast_to", [lambda g, x: np.zeros_like(x) + np.mean(g)]),
    "other branch": (
        "maximum",
        [lambda g, a, b: g * np.less(a, b), lambda g, a, b: g * np.greater(a, b)],
    ),
    "both branches": ("where", [None, lambda g: g, lambda g: g]),
    "stale value": ("tanh", [lambda g: g * (1 - np.tanh(0.75 + 1e-9) ** 2)]),
    "no rule where there is a derivative": ("arctan", [lambda g: g * 0]),
    "nan": ("log", [lambda g, x: g / x + np.nan]),
    "raises": ("expm1", [lambda g, y: g * y.no_such_method()]),
}


def plant(monkeypatch, name, vjp):
    row = PRIMITIVES[name]
    monkeypatch.setattr(row, "rules", row._rules(vjp))
    monkeypatch.setattr(row, "cuts", False)


def cases_of(name):
    ids = [task.case for task in plan([Target("primitives")])]
    return [i for i in ids if i.split("/")[1].split(".")[0].split("[")[0] == name]


def verify_cases(name, tmp_path):
    only = [word for case in cases_of(name) for word in ("--case", case)]
    arguments = ["verify", "primitives", "--jobs", "0", "--out", str(tmp_path), "--format", "json"]
    result = CliRunner().invoke(cli, [*arguments, *only])
    return result, json.loads(next(tmp_path.glob("*.json")).read_text())


@pytest.mark.slow
@pytest.mark.parametrize("fault", WRONG)
def test_a_wrong_rule_is_refuted_and_named(fault, monkeypatch, tmp_path):
    name, vjp = WRONG[fault]
    plant(monkeypatch, name, vjp)
    result, report = verify_cases(name, tmp_path)
    assert result.exit_code == 1, result.output
    worst = [case for case in report["cases"] if case["verdict"] == "WRONG"]
    assert worst, result.output
    for case in worst:
        point = next(each for each in case["points"] if each["verdict"] == "WRONG")
        assert point["op"] == name, result.output
        assert f"of {name} (tests/faults/test_rules.py:" in point["message"]
    assert f"WRONG  jacobian of primitives/{name}" in result.output
    assert f", in {name}\n" in result.output
    assert "tests/faults/test_rules.py:" in result.output
    assert f"replay     symtape verify primitives --case primitives/{name}" in result.output


INACCURATE = {
    "one minus the square": ("tanh", [lambda g, y: g * (1 - y * y)], 12.0),
    "sigmoid times its complement": ("expit", [lambda g, y: g * y * (1 - y)], 30.0),
    "difference of large numbers": ("cos", [lambda g, x: -g * ((np.sin(x) + 1e8) - 1e8)], 0.75),
}


@pytest.mark.parametrize("fault", INACCURATE)
def test_a_rule_that_loses_digits_is_inaccurate_and_named(fault, monkeypatch):
    import verify

    name, vjp, x = INACCURATE[fault]
    row = PRIMITIVES[name]
    plant(monkeypatch, name, vjp)
    result = verify.gradient(lambda x: 3 * row(x), at=[x])
    assert result.verdict is verify.Verdict.INACCURATE, str(result)
    assert result.witness.op == name
    assert result.witness.origin == f"{__file__}:{verify_line()}"
    assert "test_rules.py:" in result.witness.message


def verify_line():
    lines = Path(__file__).read_text().splitlines()
    return next(k for k, line in enumerate(lines, 1) if "lambda x: 3 * row(x)" in line)


def test_a_rule_that_is_wrong_only_when_differentiated_again_is_named(monkeypatch):
    import verify

    plant(monkeypatch, "log1p", [lambda g, x: g / (1 + np.floor(x * 4) / 4)])
    assert verify.gradient(np.log1p, at=[0.75])
    result = verify.hessian(np.log1p, at=[0.75])
    assert result.verdict is verify.Verdict.WRONG
    assert result.witness.op == "log1p"
    assert "is wrong when it is differentiated again" in result.witness.message


PLUG_IN = """
    import numpy as np
    import verify
    from symtape.primitives.primitive import PRIMITIVES

    row = PRIMITIVES["exp"]
    row.rules = row._rules([lambda g, y: g * y * (1 + 1e-12)])

    @verify.case(at=[[0.5, 1.0]])
    def energy(x):
        scaled = 2 * x
        return np.sum(np.exp(scaled))
"""


@pytest.mark.long
def test_the_command_refutes_a_fault_that_a_users_file_plants(tmp_path):
    file = tmp_path / "planted.py"
    file.write_text(textwrap.dedent(PLUG_IN))
    result = subprocess.run(
        [sys.executable, "-m", "verify", "verify", "planted.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1", "COLUMNS": "120"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert result.returncode == 1, result.stdout + result.stderr
    for words in (
        "WRONG  gradient of planted.py:energy",
        "the VJP rule by x of exp (planted.py:7) is wrong",
        "line       planted.py:12, in exp",
        "replay     symtape verify planted.py:energy",
    ):
        assert words in result.stdout, result.stdout
    assert "Traceback" not in result.stdout + result.stderr
