"""What a claim did or returned instead of a derivative is a finding apart from wrong numbers."""

from __future__ import annotations

import json
import sys
import types

import numpy as np
import pytest

import verify
from verify import Verdict
from verify.errors import Misbehaviour
from verify.reporting import Report, as_junit


def function(x):
    return np.sum(x**2)


def raising(x):
    return 2 * x / (1 // 0)


def changing(x):
    x *= 2
    return x


CLAIMS = {
    Misbehaviour.RAISED: (raising, "raising raised ZeroDivisionError", "raises an error"),
    Misbehaviour.RETURNED_NOTHING: (lambda x: None, "returned None", "returns None"),
    Misbehaviour.NO_ARRAY: (lambda x: "2x", "which holds text", "does not return an array"),
    Misbehaviour.WRONG_COUNT: (
        lambda x: (function(x), 2 * x), "returned 2 arrays, expected 1 array", "wrong number",
    ),
    Misbehaviour.WRONG_SHAPE: (lambda x: 2 * x[:1], "of shape (1,)", "the wrong shape"),
    Misbehaviour.CHANGED_ITS_ARGUMENT: (changing, "changed its argument x", "changes its argument"),
}  # fmt: skip


@pytest.mark.parametrize("kind", CLAIMS, ids=lambda kind: kind.name)
@pytest.mark.parametrize("evidence", ["certified", "sampled"])
def test_it_is_wrong_in_words_of_its_own(kind, evidence):
    claim, words, headline = CLAIMS[kind]
    result = verify.gradient(function, claim, at=[[1.0, 2.0]], evidence=evidence)
    assert result.verdict is Verdict.WRONG
    assert result.witness.misbehaviour is kind
    assert words in result.message
    with pytest.raises(verify.DerivativeError) as caught:
        verify.assert_gradient(function, claim, at=[[1.0, 2.0]], evidence=evidence)
    assert headline in str(caught.value).splitlines()[0]


@pytest.mark.parametrize("kind", CLAIMS, ids=lambda kind: kind.name)
def test_reports_tell_it_apart(kind):
    result = verify.gradient(function, CLAIMS[kind][0], at=[[1.0, 2.0]])
    assert json.loads(result.to_json())["points"][0]["misbehaviour"] == kind.value
    case = result
    assert case.misbehaviour is kind
    assert case.basis == "what the claim did or returned"
    told = "".join(as_junit.parts(Report("r", (), "", {}, 0, (case,))))
    assert f'type="WRONG: {kind.value}"' in told


def test_wrong_numbers_are_none_of_these():
    result = verify.gradient(function, lambda x: 3 * x, at=[[1.0, 2.0]])
    assert result.witness.misbehaviour is None
    told = "".join(as_junit.parts(Report("r", (), "", {}, 0, (result,))))
    assert 'type="WRONG"' in told


def test_the_value_beside_the_derivative_is_told_as_that():
    result = verify.gradient(function, lambda x: (function(x), 2 * x), at=[[1.0, 2.0]])
    assert "is the pair the value and its derivative? return the second alone" in result.message


def test_a_pair_that_is_a_vector_is_one():
    result = verify.gradient(function, lambda x: (2 * x[0], 2 * x[1]), at=[[1.0, 2.0]])
    assert result.verdict is Verdict.CORRECT


def test_one_that_answers_differently_is_too():
    random = np.random.default_rng(0)
    result = verify.gradient(function, lambda x: 2 * x * random.random(), at=[[1.0, 2.0]])
    assert result.witness.misbehaviour is Misbehaviour.NOT_REPEATABLE


@pytest.fixture
def numba(monkeypatch):
    """A compiler that refuses what is no array as numba's does, from a module of that name."""
    module = types.ModuleType("numba")
    code = (
        "import functools\n"
        "class TypingError(Exception): pass\n"
        "class Dispatcher:\n"
        "    def __init__(self, function):\n"
        "        functools.update_wrapper(self, function)\n"
        "        self.py_func = function\n"
        "    def __call__(self, x):\n"
        "        if type(x).__module__ != 'numpy':\n"
        "            raise TypingError('Failed in nopython mode pipeline\\nnon-precise type')\n"
        "        return self.py_func(x)\n"
    )
    exec(compile(code, "/env/site-packages/numba/dispatcher.py", "exec"), vars(module))
    monkeypatch.setitem(sys.modules, "numba", module)
    return module.Dispatcher


def test_of_a_function_that_numba_compiled_the_one_in_python_is_recorded(numba):
    fast = numba(function)

    def calling(x):
        return 2 * fast(x)

    assert verify.gradient(fast, at=[[1.0, 2.0]]).verdict is Verdict.CORRECT
    result = verify.gradient(calling, lambda x: 4 * x, at=[[1.0, 2.0]])
    assert result.verdict is Verdict.CORRECT
    wrong = verify.gradient(calling, lambda x: 2 * x, at=[[1.0, 2.0]])
    assert wrong.verdict is Verdict.WRONG


def test_one_whose_function_cannot_be_recorded_either_is_told_as_that(numba):
    fast = numba(lambda x: np.sum(np.frombuffer(x.tobytes()) ** 2))
    result = verify.gradient(fast, lambda x: 2 * x, at=[[1.0, 2.0]])
    assert result.verdict is Verdict.UNDECIDED
    assert "left the tape by .tobytes()" in result.witness.message
    assert result.sampled.verdict is Verdict.CORRECT
