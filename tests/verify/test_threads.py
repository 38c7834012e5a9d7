"""First verdicts and gradients of a process, in several threads at once."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

PROGRAM = """
import sys, threading, time
from concurrent.futures import ThreadPoolExecutor

class Slow:
    '''Modules take their time to load, so that other threads meet them half made.'''

    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] in ("scipy", "sympy", "verify", "symtape"):
            time.sleep(0.0005)
        return None

import numpy as np
import symtape, verify

sys.meta_path.insert(0, Slow())
sys.setswitchinterval(1e-5)

def special(x):
    from scipy.special import logsumexp
    return logsumexp(x)

def sparse(x):
    import scipy.sparse.linalg
    return np.sum(scipy.sparse.csr_array(np.eye(2)) @ x**2)

FUNCTIONS = [
    lambda x: np.sum(np.exp(x) * x),
    special,
    sparse,
    lambda x: np.linalg.norm(x) + np.sum(np.sin(x)),
    lambda x: np.sum(x[x > 0] ** 3),
]
START = threading.Barrier(len(FUNCTIONS))

def work(function):
    START.wait()
    found = verify.gradient(function, at=[np.array([1.5, 2.0])])
    return found.verdict.value, found.points[0].claimed, str(found)

with ThreadPoolExecutor(len(FUNCTIONS)) as pool:
    first = list(pool.map(work, FUNCTIONS))
for (verdict, claimed, words), function in zip(first, FUNCTIONS):
    assert verdict == "CORRECT", words
    alone = verify.gradient(function, at=[np.array([1.5, 2.0])])
    assert str(alone) == words, (str(alone), words)
    assert alone.points[0].claimed == claimed
from scipy import special
assert special.logsumexp.__module__.startswith("scipy."), special.logsumexp
"""


@pytest.mark.long
def test_five_first_verdicts_at_once_are_those_of_a_process_of_their_own(tmp_path):
    file = tmp_path / "program.py"
    file.write_text(textwrap.dedent(PROGRAM), encoding="utf-8")
    done = subprocess.run([sys.executable, file], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
