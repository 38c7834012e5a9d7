"""A script that reproduces a finding runs without symtape, and shows what the finding says."""

from __future__ import annotations

import subprocess
import sys
import warnings

import numpy as np
import pytest

import verify
from verify.reporting.remedies.scripts import script

MODULE = """
import warnings
import numpy as np

TIMES = np.array([0.5, 1.0, 2.0])

def decay(p):
    return p[0] * np.exp(-p[1] * TIMES) + p[2]

def wrong_column(p):
    wave = np.exp(-p[1] * TIMES)
    return np.stack([wave, -p[0] * wave, np.ones(3)], axis=1)

def energy(a, b):
    return np.sum(a * b**2)

def wrong_parts(a, b):
    return b**2, a * b

def wrong_second(a, b):
    return b**2, -2 * a * b

def height(x):
    return np.tanh(x)

def loses_digits(x):
    return 1 - np.tanh(x) ** 2

def wrong_slope(x):
    return 1 / np.cosh(x)

def warns(x):
    warnings.warn("it is a test", stacklevel=1)
    return 1 / np.cosh(x)

def hangs_beside(x):
    while x != 0.75:
        pass
    return np.tanh(x)
"""

FAULTS = {
    "a column": ("jacobian", "decay", "wrong_column", np.array([1.5, 0.75, 0.25])),
    "one of two": ("gradient", "energy", "wrong_parts", (np.array([1.0, 2.0]), np.array([3.0, 4]))),
    "a sign": ("gradient", "energy", "wrong_second", (np.array([1.0, 2.0]), np.array([3.0, 4.0]))),
    "a number": ("gradient", "height", "wrong_slope", 0.75),
}


@pytest.fixture
def module(tmp_path, monkeypatch):
    (tmp_path / "decays.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "decays", raising=False)
    import decays

    return decays


def find(module, fault):
    quantity, function, claim, x = fault
    check = getattr(verify, quantity)
    result = check(getattr(module, function), getattr(module, claim), at=[x])
    return script(result, result.worst)


@pytest.mark.parametrize("name", FAULTS)
def test_it_runs_where_symtape_is_not_and_prints_what_it_says(name, module, tmp_path):
    found = find(module, FAULTS[name])
    assert "symtape" not in found.line
    lines = found.line.splitlines()
    said = [line.removeprefix("# ") for line in lines if line.startswith("#")]
    ran = subprocess.run(
        [sys.executable, "-c", found.line], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert ran.stdout.splitlines() == said
    claimed, *quotients = (float(line.rpartition(" ")[2]) for line in said)
    assert abs(claimed - quotients[-1]) > 1e-3


@pytest.mark.parametrize(
    "fault",
    [
        ("gradient", "height", "loses_digits", 20.0),
        ("hessian", "height", "wrong_slope", 0.75),
    ],
)
def test_there_is_none_where_quotients_show_nothing(fault, module):
    assert find(module, fault) is None


@pytest.mark.filterwarnings("ignore:it is a test")
def test_warnings_of_the_claim_reach_nobody(module):
    result = verify.gradient(module.height, module.warns, at=[0.75])
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        assert script(result, result.worst) is not None
    assert seen == []


def test_a_function_that_hangs_beside_the_point_has_none(module, monkeypatch):
    monkeypatch.setattr("verify.reporting.remedies.scripts._SECONDS", 0.2)
    result = verify.gradient(module.height, module.wrong_slope, at=[0.75])
    monkeypatch.setattr(module, "height", module.hangs_beside)
    assert script(result, result.worst) is None


def test_there_is_none_for_what_has_no_name():
    result = verify.gradient(lambda x: x * x, lambda x: x, at=[1.0])
    assert script(result, result.worst) is None


def test_there_is_none_where_the_name_means_something_else(module, monkeypatch):
    judged = module.height
    monkeypatch.setattr(module, "height", lambda x: x)
    result = verify.gradient(judged, module.wrong_slope, at=[0.75])
    assert script(result, result.worst) is None


@pytest.mark.long
def test_of_a_file_it_imports_the_file(tmp_path):
    path = tmp_path / "springs.py"
    path.write_text(
        "import numpy as np\ndef energy(x):\n    return np.sum(x**3)\n"
        "def force(x):\n    return x**2\n"
    )
    command = [sys.executable, "-m", "verify", "verify", "springs.py:energy"]
    options = ["--claimed", "springs.py:force", "--at", "[1.0, 2.0]", "-v"]
    ran = subprocess.run([*command, *options], cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 1
    assert "from springs import energy, force" in ran.stdout
