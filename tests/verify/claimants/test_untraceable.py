"""Functions that run on arrays and cannot be recorded: the error says what still can be done."""

from __future__ import annotations

import array
import struct

import numpy as np
import pytest

import verify
from symtape.errors import NotOnTape, NotTraceable
from verify.errors import UsageError
from verify.model.verdict import Verdict


@pytest.fixture(autouse=True)
def no_memory(tmp_path, monkeypatch):
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path))


def compiled(x):
    """Stands for code of another language, which takes arrays alone."""
    if hasattr(x, "numpy"):
        raise RuntimeError("expected an array")
    return np.float64(np.sin(x))


@pytest.mark.long
def test_what_fails_on_the_tape_alone_is_told_with_a_way_out():
    for points in ({"at": [0.5]}, {"over": [-1, 1]}):
        with pytest.raises(NotTraceable, match="cannot be recorded") as caught:
            verify.gradient(compiled, **points)
        assert "RuntimeError: expected an array" in str(caught.value)
        assert "evidence='sampled'" in str(caught.value)


def by_struct(x):
    return struct.unpack("d", struct.pack("d", x[1]))[0] ** 2 + 1.0


def by_array(x):
    return array.array("d", x)[1] ** 2 + 1.0


UNRECORDABLE = {
    "struct": (by_struct, lambda x: np.array([0.0, 2 * x[1]])),
    "array": (by_array, lambda x: np.array([0.0, 2 * x[1]])),
}


AT = np.array([1.5, 3.0])


@pytest.mark.parametrize("name", ["struct", pytest.param("array", marks=pytest.mark.campaign)])
@pytest.mark.parametrize(
    "points",
    [
        {"at": [AT]},
        pytest.param({"over": verify.box(AT - 0.25, AT + 0.25)}, marks=pytest.mark.long),
    ],
    ids=["at", "over"],
)
def test_what_no_tape_can_follow_is_undecided_with_sampled_evidence(name, points):
    function, slope = UNRECORDABLE[name]
    result = verify.gradient(function, claimed=slope, **points)
    assert result.verdict is Verdict.UNDECIDED
    assert "evidence='sampled'" in result.message
    assert result.sampled.verdict is Verdict.CORRECT
    wrong = verify.gradient(function, claimed=lambda x: 2 * slope(x), **points)
    assert wrong.verdict is Verdict.WRONG
    assert AT.tolist() == [1.5, 3.0]


def test_what_no_tape_can_follow_and_no_array_either_is_raised():
    with pytest.raises(NotOnTape, match="cannot take part"):
        verify.gradient(lambda x: np.sum(x * np.array(["1", "2"])), np.ones_like, at=[np.ones(2)])


@pytest.mark.long
def test_of_a_claim_that_is_given_it_is_undecided_with_sampled_evidence():
    for points in ({"at": [0.5]}, {"over": [-1, 1]}):
        result = verify.gradient(compiled, claimed=np.cos, **points)
        assert result.verdict is Verdict.UNDECIDED
        assert "compiled runs on arrays, and cannot be recorded: it raised" in result.message
        assert "evidence='sampled'" in result.message
        assert result.sampled.verdict is Verdict.CORRECT
        wrong = verify.gradient(compiled, claimed=np.sin, **points)
        assert wrong.verdict is Verdict.WRONG


def test_the_way_out_works():
    right = verify.gradient(compiled, claimed=np.cos, at=[0.5], evidence="sampled")
    assert right.verdict is Verdict.CORRECT
    assert str(right.evidence).startswith("sampled")
    wrong = verify.gradient(compiled, claimed=np.sin, at=[0.5], evidence="sampled")
    assert wrong.verdict is Verdict.WRONG


def test_what_fails_on_arrays_too_is_the_functions_own():
    def broken(x):
        raise RuntimeError("of its own")

    with pytest.raises(RuntimeError, match="of its own"):
        verify.gradient(broken, at=[0.5])


def test_an_answer_that_is_no_array_has_no_such_way_out():
    with pytest.raises(NotTraceable) as caught:
        verify.gradient(lambda x: "text", at=[0.5])
    assert "sampled" not in str(caught.value)


def test_a_value_that_left_the_tape_is_undecided_with_the_same_way_out():
    found = verify.gradient(lambda x: x * struct.unpack("d", struct.pack("d", x))[0], at=[0.5])
    assert found.verdict is Verdict.UNDECIDED
    assert "evidence='sampled'" in found.witness.message


def test_evidence_is_one_of_two_words():
    with pytest.raises(UsageError, match="evidence='some'; expected one of 'certified', 'sampled'"):
        verify.gradient(np.sin, at=[0.5], evidence="some")


@pytest.mark.long
def test_what_does_not_fit_the_function_is_told_with_its_shape():
    weights = np.ones((2, 3))
    for points in ({"at": [np.ones(4)]}, {"over": verify.box(-1, 1, shape=(4,))}):
        with pytest.raises(UsageError, match="not aligned") as caught:
            verify.gradient(lambda x: np.sum(weights @ x), **points)
        assert "given x of shape (4,); give points, or a region" in str(caught.value)


@pytest.mark.long
def test_what_a_line_of_the_users_raises_is_left_as_it_is():
    def broken(x):
        raise KeyError("not there")

    with pytest.raises(KeyError):
        verify.gradient(broken, over=[-1, 1])


def test_of_values_that_a_library_took_it_is_said_where():
    hierarchy = pytest.importorskip("scipy.cluster.hierarchy")
    result = verify.gradient(lambda x: np.sum(hierarchy.linkage(x)), at=[np.eye(3)])
    assert result.verdict is Verdict.UNDECIDED
    assert "a library computed there" in result.witness.message


def test_of_a_product_the_direction_needs_no_region():
    with pytest.raises(UsageError, match="the cotangent has its own, directions="):
        verify.vjp(lambda x: np.sin(x), claimed=lambda x, g: g, over=([0, 1], [0, 1]))
