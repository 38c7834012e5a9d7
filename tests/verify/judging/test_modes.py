"""Further ways to the same derivative: one that is off is found, and said to be the one."""

from __future__ import annotations

import numpy as np
import pytest

from verify.claimants.posing import pose_case
from verify.judging.judge import verify_case
from verify.model.case import Case
from verify.model.verdict import Verdict
from verify.regions import as_region

EFFORT = 0.05


@pytest.fixture(autouse=True)
def no_memory(tmp_path, monkeypatch):
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path))


def function(x):
    return np.sin(x) * x


def right(x):
    return np.sin(x) + x * np.cos(x)


def sign_error(x):
    return np.sin(x) - x * np.cos(x)


def cut_off(x):
    """Right, but for a stretch that few points are in."""
    return np.where(np.abs(x) > 2.5, 0.0, right(x))


def raises(x):
    raise TypeError("no forward mode here")


def case(modes, claimed=None, **more):
    return Case("f", "f", function, (), claimed=claimed, modes=modes, **more)


def judged(one):
    return verify_case(pose_case(one, [-3, 3]), effort=EFFORT)


@pytest.mark.parametrize("claimed", [None, right])
def test_modes_that_agree_change_nothing(claimed):
    found = judged(
        case({"forward": right, "batched": lambda x: right(np.array([x, x]))[0]}, claimed)
    )
    assert found.verdict is Verdict.CORRECT, str(found)
    assert found.witness.message == ""


@pytest.mark.parametrize("claimed", [None, right])
def test_a_mode_that_is_off_makes_the_verdict_and_is_named(claimed):
    found = judged(case({"forward": sign_error, "batched": right}, claimed))
    assert found.verdict is Verdict.WRONG
    message = found.witness.message
    assert message.startswith("forward mode (sign_error) returns ")
    assert message.endswith("reverse mode and batched mode agree with the exact derivative")


def test_a_mode_that_is_inaccurate_is_told_so():
    def tails(x):
        return 1 - np.tanh(x) ** 2

    points = ((np.float64(20.0),),)
    found = verify_case(Case("f", "f", np.tanh, points, modes={"forward": tails}))
    assert found.verdict is Verdict.INACCURATE
    assert "forward mode (tails) returns 0; " in found.witness.message
    assert "reverse mode agrees with the exact derivative" in found.witness.message


def test_where_the_claim_is_wrong_the_modes_that_are_right_are_named():
    found = judged(case({"forward": right, "batched": sign_error}, sign_error))
    assert found.verdict is Verdict.WRONG
    assert "forward mode agrees with the exact derivative" in found.witness.message
    assert "batched mode is off as well" in found.witness.message


def test_the_point_that_is_shown_is_a_simple_one():
    found = judged(case({"forward": sign_error}))
    assert abs(found.witness.x[0]) in (0.5, 1.0, 2.0, 3.0)


def test_a_mode_that_does_not_exist_is_passed_over():
    found = judged(case({"forward": raises}, right))
    assert found.verdict is Verdict.CORRECT, str(found)


def test_a_mode_of_another_shape_is_no_derivative():
    found = judged(case({"forward": lambda x: np.stack([right(x)] * 2)}, right))
    assert found.verdict is Verdict.WRONG
    assert "returned an array of shape (2,)" in found.witness.message
    assert "reverse mode agrees" in found.witness.message


def test_every_given_point_is_put_before_every_mode():
    points = tuple((np.float64(x),) for x in np.linspace(-2, 2.75, 40))
    one = Case("f", "f", function, points, claimed=right, modes={"forward": cut_off})
    found = verify_case(one)
    assert found.verdict is Verdict.WRONG
    assert found.witness.x[0] > 2.5


def test_modes_of_products():
    one = Case(
        "f",
        "f",
        np.sin,
        ((0.5, 2.0),),
        "jvp",
        claimed=lambda x, t: t * np.cos(x),
        directions=1,
        modes={"linearized": lambda x, t: 2 * t * np.cos(x)},
        mode="forward",
    )
    found = verify_case(one)
    assert found.verdict is Verdict.WRONG
    assert "linearized mode" in found.witness.message
    assert "2 times too large" in found.witness.message
    assert found.witness.message.endswith("forward mode agrees with the exact derivative")


def test_a_region_is_read_as_people_write_it():
    assert pose_case(case({}), [-3, 3]).over.describe() == as_region([-3, 3], ["x"]).describe()
