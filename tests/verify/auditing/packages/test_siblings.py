"""What is right in two classes of a base is meant in a third, whatever it returns there."""

import pytest

from verify.auditing.packages.pair import Unpaired

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

class Square(Bend):
    def level(self, x):
        return x**2 / 2

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


@pytest.mark.long
@pytest.mark.parametrize(("operator", "verdict"), [("*", "CORRECT"), ("-", "WRONG")])
def test_a_method_is_judged_that_is_right_in_siblings(judge_pairs, operator, verdict):
    answers = judge_pairs(SOURCE, operator=operator)
    given = {
        claim: "not judged" if isinstance(it, Unpaired) else it.verdict.value
        for claim, it in answers.items()
    }
    assert given.pop("OfValue.rise", "not judged") == "not judged"
    right = dict.fromkeys(("Cubic.rise", "Round.rise", "Square.rise"), "CORRECT")
    assert given == {**right, "Soft.rise": verdict}
