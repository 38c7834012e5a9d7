"""The rounding constants hold here, and one that does not is found."""

from __future__ import annotations

import numpy as np
import pytest
from click.testing import CliRunner

import symtape.primitives.special  # noqa: F401  # declares its rows
from symtape.primitives.primitive import PRIMITIVES, Primitive
from symtape.rigorous.measuring import measure
from verify.cli import cli
from verify.judging.rounding import tolerances
from verify.judging.rounding.calibration import DTYPES, calibrate, format_measurement
from verify.selftest.tolerances import MEASURED, Need


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["exp", "log", "tanh", "hypot", "power", "gammaln", "j0"])
def test_the_constants_of_a_row_hold_here(name, dtype):
    found = measure(PRIMITIVES[name], dtype, points=60)
    assert found is not None
    assert not found.exceeds, format_measurement(found)


def sloppy(error):
    return Primitive(
        name="sloppy sine",
        inputs="x",
        evaluate=lambda x: np.sin(x) * x.dtype.type(1 + error * np.finfo(x.dtype).eps),
        vjp=[lambda g, x: g * np.cos(x)],
        elementwise=True,
        ball=PRIMITIVES["sin"].ball,
        rounding=(1, 2),
        example=(0.75,),
    )


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_function_that_is_worse_than_its_constants_is_found(dtype):
    found = measure(sloppy(40), dtype)
    assert found.exceeds
    assert "too small here" in format_measurement(found)
    assert not measure(sloppy(0), dtype).exceeds


def test_measuring_is_the_same_every_time():
    assert list(calibrate(["sinh"], seed=3)) == list(calibrate(["sinh"], seed=3))


def test_the_command_says_what_it_measured():
    done = CliRunner().invoke(cli, ["calibrate", "exp", "--points", "20"])
    assert done.exit_code == 0
    assert done.output.count("holds") == 3
    assert "all constants hold here" in done.output
    unknown = CliRunner().invoke(cli, ["calibrate", "nothing"])
    assert unknown.exit_code == 2
    assert "no elementwise row 'nothing'" in unknown.output


@pytest.mark.campaign
def test_what_right_code_takes_of_the_tolerances_is_measured():
    done = CliRunner().invoke(cli, ["calibrate", "--tolerances", "--points", "2"])
    assert done.exit_code == 0, done.output
    assert [line.split()[0] for line in done.output.splitlines()] == list(MEASURED)
    assert done.output.count("holds") == len(MEASURED)
    named = CliRunner().invoke(cli, ["calibrate", "exp", "--tolerances"])
    assert named.exit_code == 2
    assert "is not about rows" in named.output


def test_a_tolerance_that_is_too_small_is_found(monkeypatch):
    monkeypatch.setattr(tolerances, "ORDERS", 1e-9)
    need = Need("ORDERS", 1e-3, "gradient of f, float64")
    assert need.exceeds
    assert "too small; right code takes 0.001 of it, by gradient of f, float64" in str(need)


FAR_OFF = {"hyp2f1", "hyperu", "vonmises_cdf"}
"""Rows that SciPy computes far off the function at some points, as no constant would say: `hyp2f1`
is 2e26 for 0.98, `hyperu` has lost half of its digits, and `vonmises_cdf` goes over to a normal
distribution where its concentration is 50."""


@pytest.mark.campaign
def test_every_constant_holds_here():
    beyond = [one for one in calibrate() if one.exceeds and one.name not in FAR_OFF]
    assert list(map(format_measurement, beyond)) == []
