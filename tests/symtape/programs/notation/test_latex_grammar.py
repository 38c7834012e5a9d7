"""LaTeX can be set: what opens closes, and nothing has two subscripts or superscripts."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symtape
from tests.symtape.programs.notation.test_forms import ARRAYS

_TOKEN = re.compile(
    r"\\(?:left|right)\s*(?:\\[a-zA-Z]+|.)|\\(?:begin|end)\{\w+\}|\\[a-zA-Z]+|\\.|\S"
)
_TAKING = {
    r"\frac": 2,
    **dict.fromkeys((r"\mathbf", r"\boldsymbol", r"\mathtt", r"\operatorname", r"\sqrt"), 1),
    **dict.fromkeys((r"\hat", r"\bar", r"\dot", r"\ddot", r"\vec", r"\phantom"), 1),
}
_OPENING = re.compile(r"\{|\\left.*|\\begin.*", re.DOTALL)
_CLOSING = re.compile(r"\}|\\right.*|\\end.*", re.DOTALL)


class Reader:
    """Reads the LaTeX of formulas; raises where TeX would stop."""

    def __init__(self, text):
        self.tokens, self.at = _TOKEN.findall(text), 0

    def next(self):
        assert self.at < len(self.tokens), "it ends too early"
        self.at += 1
        return self.tokens[self.at - 1]

    def formula(self, closing=None):
        """Atoms with their scripts, up to what closes them."""
        while closing is not None or self.at < len(self.tokens):
            token = self.next()
            if _CLOSING.fullmatch(token):
                assert closing is not None, f"{token} closes nothing"
                assert token.startswith(closing), f"{token} for {closing}"
                return
            self.atom(token)
            self.scripts()

    def atom(self, token):
        assert token not in ("^", "_", "'"), f"{token} stands after nothing"
        if _OPENING.fullmatch(token):
            kind = "}" if token == "{" else token.replace("begin", "end")
            self.formula(r"\right" if token.startswith(r"\left") else kind)
        for _ in range(_TAKING.get(token, 0)):
            self.braces()

    def braces(self):
        assert self.next() == "{", "an argument has no braces"
        self.formula("}")

    def scripts(self):
        met = ""
        while self.at < len(self.tokens) and self.tokens[self.at] in "^_'":
            mark = self.next()
            raised = "^" if mark == "'" else mark
            # A superscript right behind a prime belongs to it.
            assert raised not in met or (mark == "^" and met.endswith("'")), f"double {raised}"
            met += raised + mark
            if mark != "'":
                self.braces()


def read(text):
    Reader(text).formula()


def test_the_reader_sees_what_cannot_be_set():
    for wrong in ("x_{1}_{2}", "x^{2}^{3}", "{x}'_{0}^{2}", r"\left( x", "x}", "{x", "x_1", "^{2}",
                  r"\begin{aligned} x \end{bmatrix}", r"\frac{1} 2"):  # fmt: skip
        with pytest.raises(AssertionError):
            read(wrong)
    for right in (r"{x_{1}}_{2}^{3}", "x'^{2}", r"\left\lVert x \right\rVert^{2}"):
        read(right)


def read_all(f, *point):
    for notation in (None, "entries"):
        derivation = symtape.derive(f, *point, notation=notation)
        scalar = np.ndim(f(*point)) == 0
        for what in ("value", *(("gradient", "hessian") if scalar else ("jacobian",))):
            read(getattr(derivation, what).latex())


@pytest.mark.parametrize(
    "name", [n for n, (_, *args) in ARRAYS.items() if max(map(np.size, args)) < 12]
)
def test_latex_of_forms_can_be_set(name):
    f, *point = ARRAYS[name]
    read_all(f, *point)


NAMES = (
    *("x", "x_1", "x__2", "y_", "xprime", "x_prime", "xhat", "beta_hat_1", "W_1_2", "lamda", "x12"),
    *("Xdot", "absx", "normx", "x_star", "xbold", "pi", "E", "hat", "bar", "Sigma_xy", "sigma2_n"),
)
BODIES = (
    *("{a}**2", "{a}[0]**2*{a}[1]", "np.sum({b}*{a}**3) + {a}[0]", "{b}@np.outer({a}, {a})@{b}"),
    *("({a}[0]*{b}[1])**.5", "np.sum(np.sqrt({a}))/np.sum({b}**2)**2", "{a}/np.sum({a})"),
    *("1e-20*np.sum({a}**2) + 1e22", "np.sum({a}**-1.5)", "np.sum({a}[1:]*{b}[:-1])**2"),
    *("{a}[:, None]*{b}", "np.cumsum({a})**2", "np.max({a})**2", "np.linalg.norm({a})**2"),
)


@pytest.mark.long
@settings(max_examples=15, deadline=None)
@given(st.permutations(NAMES), st.sampled_from(BODIES))
def test_latex_of_any_names_can_be_set(names, body):
    a, b = names[:2]
    space = {"np": np}
    exec(f"def f({a}, {b}): return {body.format(a=a, b=b)}", space)
    read_all(space["f"], np.array([1.0, 2.0, 0.5]), np.array([0.5, 0.25, 0.75]))


def test_primes_hold_their_index():
    read_all(lambda xprime: np.cumsum(xprime) ** 2, np.array([1.0, 2.0]))
