"""What is right in two classes of a base is meant in a third, whatever it returns there."""

import sys
import textwrap

import pytest

from verify.auditing.answers import read_answer
from verify.auditing.packages.pair import Unpaired
from verify.auditing.packages.walking import find_pairs
from verify.auditing.packages.work import PairWork

SOURCE = """
import numpy as np

class Bend:
    pass

class Cubic(Bend):
    def level(self, x):
        return x**3 + x

    def rise(self, x):
        return 3 * x**2 + 1

class Round(Bend):
    def level(self, x):
        return np.tanh(x)

    def rise(self, x):
        return 1 - np.tanh(x) ** 2

class Soft(Bend):
    def level(self, x):
        return 1 / (1 + np.exp(-x))

    def rise(self, x):
        value = self.level(x)
        return value {operator} (1 - value)

class Handed(Bend):
    def level(self, x):
        return np.exp(2 * x)

    def rise(self, x):
        return x

class Ones(Bend):
    def level(self, x):
        return np.exp(3 * x)

    def rise(self, x):
        return np.ones_like(x)

class OfValue(Bend):
    def level(self, x):
        return 1 / (1 + np.exp(-2 * x))

    def rise(self, y):
        return 2 * y * (1 - y)

class Alien:
    def level(self, x):
        return np.exp(x) * x

    def rise(self, x):
        return np.sin(40 * x)
"""


@pytest.fixture
def answers(tmp_path, monkeypatch):
    """What is said of each pair of the module."""

    def judge(operator):
        name = f"siblings_{abs(hash((operator, str(tmp_path)))) % 10**8}"
        source = textwrap.dedent(SOURCE).replace("{operator}", operator)
        (tmp_path / f"{name}.py").write_text(source)
        monkeypatch.syspath_prepend(tmp_path)
        found = find_pairs(name, jobs=0)
        given = {
            pair.id.partition(":")[2]: read_answer(PairWork(pair, effort=0.05).run(60.0))
            for pair in found.pairs
        }
        sys.modules.pop(name, None)
        return {
            claim: "not judged" if isinstance(it, Unpaired) else it.verdict.value
            for claim, it in given.items()
        }

    return judge


@pytest.mark.long
@pytest.mark.parametrize(("operator", "verdict"), [("*", "CORRECT"), ("-", "WRONG")])
def test_a_method_is_judged_that_is_right_in_siblings(answers, operator, verdict):
    given = answers(operator)
    assert given.pop("OfValue.rise", "not judged") == "not judged"
    assert given == {"Cubic.rise": "CORRECT", "Round.rise": "CORRECT", "Soft.rise": verdict}
