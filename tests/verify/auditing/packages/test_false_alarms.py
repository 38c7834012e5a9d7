"""What is no mistake of a package is not called one: ranges, cut-offs, options that are words."""

from __future__ import annotations

import sys
import textwrap

import pytest

from verify.auditing.answers import read_answer
from verify.auditing.packages.walking import find_pairs
from verify.auditing.packages.work import PairWork

CLAMPED = """
    import numpy as np

    LOWEST, HIGHEST = 273.16, 647.096

    def pressure(T):
        '''The pressure of a vapour.

        Parameters
        ----------
        T : float
            Temperature, [K]
        '''
        if T < LOWEST:
            T = LOWEST
        elif T > HIGHEST:
            T = HIGHEST
        return np.exp(-1000.0 / T)

    def dpressure_dT(T):
        return {factor} * 1000.0 / T**2 * np.exp(-1000.0 / T)
"""

CUT_OFF = """
    import numpy as np

    def share(r):
        return np.arctan(r) - r / (1.0 + r**2)

    def share_prime(r):
        return np.where(np.isclose(r, 0.0), 0.0, 2.0 * r**2 / (1.0 + r**2) ** 2)
"""

WORDS = """
    import numpy as np

    def price(side, S, sigma):
        '''The price.

        :param side: 'call' or 'put'
        :type side: str
        :param S: price of the stock
        :type S: float
        :param sigma: annual volatility
        :type sigma: float
        '''
        d = np.exp(-((np.float64(S) / sigma) ** 2))
        return d if side == "call" else 1.0 - d

    def dprice_dS(side, S, sigma):
        d = np.exp(-((np.float64(S) / sigma) ** 2))
        slope = -{factor} * 2.0 * np.float64(S) / sigma**2 * d
        return slope if side == "call" else -slope
"""

COMPARED = """
    import numpy as np

    def _mean(kind, z):
        if kind in ("log", "sqrt"):
            return np.exp(z) if kind == "log" else z**2
        raise ValueError(kind)

    def _grad_mean(kind, z):
        return np.exp(z) if kind == "log" else {factor} * 2 * z

    def _grad_loss(kind, z, weight):
        return [kind, z, weight]

    def _loss(kind, table):
        return table[kind]
"""

BOTH = """
    import numpy as np

    def tide(t):
        return np.array([t**3, np.exp(t)])

    def tide_and_prime(t):
        return np.array([t**3, np.exp(t)]), np.array([{factor} * 3 * t**2, np.exp(t)])
"""

NEARLY_ONE = """
    import numpy as np

    def projection(tilt, azimuth, zenith, sun):
        a, b, c = np.radians(tilt), np.radians(zenith), np.radians(sun - azimuth)
        return np.cos(a) * np.cos(b) + np.sin(a) * np.sin(b) * np.cos(c)

    def diffuse(tilt, azimuth, light, whole, zenith, sun):
        '''The light of the sky.

        Parameters
        ----------
        tilt : array
        azimuth : float
        light : float
        whole : float
        zenith : float
        sun : float
        '''
        clear = 1 - (light / whole) ** 2
        a, b = np.radians(tilt), np.radians(zenith)
        parts = 1 + clear * np.sin(a / 2) ** 3, 0.5 * (1 + np.cos(a))
        facing = np.maximum(projection(tilt, azimuth, zenith, sun), 0)
        return light * parts[0] * parts[1] * (1 + clear * facing**2 * np.sin(b) ** 3)
"""


LOSS = """
    import numpy as np

    class Squares:
        def forward(self, y_true, y_pred):
            return np.mean((y_true - y_pred) ** 2)

        def backward(self, y_true, y_pred):
            return {factor} * 2 * (y_pred - y_true) / len(y_true)
"""


CUT = """
    import numpy as np

    class Entropy:
        def loss(self, target, share):
            share = np.clip(share, 1e-15, 1 - 1e-15)
            return np.mean(-target * np.log(share) - (1 - target) * np.log(1 - share))

        def slope(self, target, share):
            share = np.clip(share, 1e-15, 1 - 1e-15)
            made = {factor} * (share - target) / (share * (1 - share))
            return np.clip(made, -3, 3) / np.size(made)
"""


LABELS = """
    import numpy as np

    class Margins:
        def loss(self, {name}, score):
            return np.mean(abs({name}) * np.exp(-score) + abs(1 - {name}) * np.exp(score))

        def slope(self, {name}, score):
            made = (1 - {name}) * np.exp(score) - {name} * np.exp(-score)
            return {factor} * made / np.size(score)
"""


@pytest.fixture
def judged(tmp_path, monkeypatch):
    """The verdict of each pair of a module by its claim, and why others were not judged."""

    def judge(text, factor="1.0"):
        name = f"alarms_{abs(hash((text, factor, str(tmp_path)))) % 10**8}"
        source = textwrap.dedent(text).replace("{factor}", factor)
        (tmp_path / f"{name}.py").write_text(source)
        monkeypatch.syspath_prepend(tmp_path)
        found = find_pairs(name, ("behaviour",), jobs=0)
        verdicts = {}
        for pair in found.pairs:
            answer = read_answer(PairWork(pair, effort=0.05).run(60.0))
            name_of_claim = pair.id.partition(":")[2]
            verdicts[name_of_claim] = getattr(answer, "verdict", None)
            assert verdicts[name_of_claim] is not None or "cut off" in answer.reason
        sys.modules.pop(name, None)
        words = {each.id.partition(":")[2]: each.reason for each in found.unpaired}
        return {claim: it and it.value for claim, it in verdicts.items()}, words

    return judge


@pytest.mark.parametrize(
    ("text", "claim"), [(CLAMPED, "dpressure_dT"), (CUT_OFF, "share_prime"), (WORDS, "dprice_dS")]
)
def test_a_right_claim_is_correct_where_its_function_is_meant(judged, text, claim):
    verdicts = judged(text)[0]
    assert verdicts[claim] == "CORRECT"
    assert set(verdicts.values()) == {"CORRECT"}


@pytest.mark.parametrize(("text", "claim"), [(CLAMPED, "dpressure_dT"), (WORDS, "dprice_dS")])
def test_a_wrong_one_is_still_wrong(judged, text, claim):
    assert judged(text, "2.0")[0][claim] == "WRONG"


def test_the_value_beside_a_derivative_is_no_claim(judged):
    assert "WRONG" not in judged(BOTH)[0].values()
    assert judged(BOTH, "2.0")[0]["tide_and_prime[1]"] == "WRONG"


def test_what_hardly_varies_agrees_by_accident(judged):
    assert judged(NEARLY_ONE)[0] == {}


def test_options_are_read_from_what_they_are_compared_with(judged):
    verdicts, words = judged(COMPARED)
    assert verdicts == {"_grad_mean": "CORRECT", "_grad_mean[kind=sqrt]": "CORRECT"}
    assert judged(COMPARED, "2.0")[0]["_grad_mean[kind=sqrt]"] == "WRONG"
    assert "it and _loss could not be called with the same numbers" in words["_grad_loss"]


def test_a_loss_is_not_differentiated_by_what_it_compares_with(judged):
    assert judged(LOSS)[0] == {"Squares.backward": "CORRECT"}
    assert judged(LOSS, "2.0")[0] == {"Squares.backward": "WRONG"}


def test_a_derivative_that_is_cut_off_on_purpose_is_not_accused(judged):
    right = judged(CUT, "1.0")[0]
    assert right == {"Entropy.slope": None}
    assert judged(CUT, "-1.0")[0] == {"Entropy.slope": "WRONG"}


@pytest.mark.long
@pytest.mark.parametrize("name", ["y_true", "labels"])
def test_labels_lie_between_0_and_1(judged, name):
    """The derivative of this loss is right for those alone."""
    text = LABELS.replace("{name}", name)
    assert judged(text)[0] == {"Margins.slope": "CORRECT"}
    assert judged(text, "2.0")[0] == {"Margins.slope": "WRONG"}


@pytest.mark.long
def test_what_is_called_by_another_name_may_be_any_number(judged):
    assert judged(LABELS.replace("{name}", "weight"))[0] == {"Margins.slope": "WRONG"}
