"""A finding of a method, or of what an audit held, has a script that runs without symtape."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

from verify.auditing.answers import read_answer
from verify.auditing.packages.walking import find_pairs
from verify.auditing.packages.work import PairWork

MODULE = """
    import numpy as np

    class Bowl:
        '''A bowl.

        Parameters
        ----------
        depth : float
            Positive.
        '''

        def __init__(self, depth):
            self.depth = depth

        def value(self, x):
            return self.depth * np.sum(np.asarray(x) ** 2) + x[0] * x[1] * x[2]

        def gradient(self, x):
            a, b, c = x
            return 2 * self.depth * np.asarray(x) + np.array([b * c, a * c, a * a])

    class Valley:
        def product(self, x, p):
            x, p = np.asarray(x), np.asarray(p)
            return (12.0 * x**2 * p + x[::-1] * np.sum(x * p)).tolist()

        def hessian(self, x):
            x = np.asarray(x)
            return (np.diag(12.0 * x) + np.outer(x[::-1], x)).tolist()

    class Line:
        @staticmethod
        def rise(x, kind):
            return np.sin(x) if kind == "sine" else np.cos(x)

        @staticmethod
        def rise_prime(x, kind):
            return 2.0 * np.cos(x) if kind == "sine" else -2.0 * np.sin(x)

    def tide(t, order):
        return np.array([t**3 * order, np.exp(t)])

    def tide_and_prime(t, order):
        return np.array([t**3 * order, np.exp(t)]), np.array([2 * t**2 * order, np.exp(t)])

    def wave(a, x):
        return a**2 * np.sin(x)

    def dwave_dx(x, a):
        return 3.0 * a**2 * np.cos(x)
"""

SPELLED = {
    "Bowl.gradient": ("instance = Bowl(depth=1.3)", "instance.gradient(x)"),
    "Valley.hessian": ("instance = Valley()", "np.array(instance.product(x, p + h * unit))"),
    "Line.rise_prime": ("Line.rise_prime(x, 'sine')",),
    "tide_and_prime": ("tide_and_prime(t, 2)[1]",),
    "dwave_dx": ("dwave_dx(x, a)", "wave(a, x + h)"),
}


@pytest.fixture
def answers(tmp_path, monkeypatch):
    (tmp_path / "spelled_bowls.py").write_text(textwrap.dedent(MODULE))
    monkeypatch.syspath_prepend(tmp_path)
    found = find_pairs("spelled_bowls", ("behaviour",), jobs=0)
    yield {pair.claim: read_answer(PairWork(pair, effort=0.05).run(60.0)) for pair in found.pairs}
    sys.modules.pop("spelled_bowls", None)


def test_it_runs_without_symtape_and_prints_what_it_says(answers, tmp_path):
    assert SPELLED.keys() <= answers.keys()
    for claim, calls in SPELLED.items():
        (shown,) = [it.line for it in answers[claim].remedies if it.kind == "reproduce"]
        assert "symtape" not in shown
        assert "verify" not in shown
        for call in calls:
            assert call in shown, shown
        done = subprocess.run(
            [sys.executable, "-c", shown], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        printed = [f"# {line}" for line in done.stdout.splitlines()]
        assert shown.endswith("\n".join(printed))
