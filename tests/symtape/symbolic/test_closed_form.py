"""Closed forms: sizes without expanding, expansion that means the same, lets that lose nothing."""

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from symtape.symbolic import closed_form
from symtape.symbolic.closed_form import expand, lightly_simplified, split_into_lets, tree_size
from symtape.symbolic.decimals import decimal_rational, decimal_text, replace_long_rationals
from symtape.symbolic.element import Element
from symtape.symbolic.naming import fresh_prefix
from symtape.symbolic.notation import TEXT
from symtape.symbolic.precise import enclose
from symtape.symbolic.program import Program
from symtape.symbolic.writing import write

STEPS = [
    lambda a, b: a + b, lambda a, b: a * b, lambda a, b: a - b * 0.1, lambda a, b: -a,
    lambda a, b: (a * a + 2).sqrt(), lambda a, b: a / (b * b + 3), lambda a, b: a.exp() * 1e-3,
]  # fmt: skip
PROGRAMS = st.lists(
    st.tuples(st.integers(0, len(STEPS) - 1), st.integers(0, 9), st.integers(0, 9)),
    min_size=1,
    max_size=7,
)
X = sp.Symbol("x", real=True)


def built(steps):
    program = Program()
    made = [Element(program, program.input())]
    for step, i, j in steps:
        made.append(STEPS[step](made[i % len(made)], made[j % len(made)]))
    return program, made[-1].at


@settings(max_examples=60, derandomize=True, deadline=None)
@given(steps=PROGRAMS)
def test_expanded_and_written_forms_compute_the_same(steps):
    program, at = built(steps)
    exact = float(enclose(program, [at], [0.375], 200)[0])
    (expression,) = expand(program, [at], lambda _: X)
    assert float(expression.subs(X, sp.Rational(3, 8))) == pytest.approx(exact, rel=1e-12)
    simple = lightly_simplified(expression)
    assert float(simple.subs(X, sp.Rational(3, 8))) == pytest.approx(exact, rel=1e-12)
    for longest in (closed_form._RAW, 0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(closed_form, "_RAW", longest)
            written = write(program, [at], TEXT, lambda _: X, "v")
        names = {"x": 0.375, "sqrt": lambda v: float(v) ** 0.5, "exp": sp.exp}
        for name, text in written.lets:
            names[name] = float(eval(text, {}, names))
        assert float(eval(written.results[0], {}, names)) == pytest.approx(exact, rel=1e-12)


def test_the_size_is_that_of_the_tree():
    program = Program()
    x = program.input()
    y = program.add(program.multiply(x, x), program.constant(2))
    assert tree_size(program, [x]) == 1
    assert tree_size(program, [y]) == 5
    assert tree_size(program, [y, y]) == 10


def test_huge_trees_are_measured_at_once():
    program = Program()
    x = program.input()
    for _ in range(1000):
        x = program.multiply(x, program.sqrt(x))
    assert tree_size(program, [x]) == 10**18


def test_lets_name_what_is_used_twice_and_nothing_else(monkeypatch):
    program = Program()
    x = program.input()
    twice = program.sqrt(program.add(x, program.constant(1)))
    once = program.multiply(twice, program.sqrt(twice))
    assert split_into_lets(program, [once]).named == [twice]
    monkeypatch.setattr(closed_form, "_RAW", 0)
    assert len(split_into_lets(program, [once]).named) == 4


def test_long_sums_are_cut_into_lets():
    program = Program()
    total = program.input()
    for _ in range(200):
        total = program.add(total, program.sqrt(program.input()))
    assert 5 < len(split_into_lets(program, [total]).named) < 60


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=1e-300, max_value=1e300))
@settings(max_examples=200, derandomize=True, deadline=None)
def test_decimals_read_back_as_the_float(value):
    shown = decimal_rational(sp.Rational(value))
    text = decimal_text(shown)
    assert (float(text) if text is not None else int(shown.p) / int(shown.q)) == value


TEXTS = [
    (sp.Rational(0.1) * X, "0.1*x"),
    (X / 3 + sp.Rational(1, 2), "x/3 + 1/2"),
    (X - sp.Rational(0.3), "x - 0.3"),
    (sp.Rational(1e-20) * X**2, "1e-20*x**2"),
    (X ** sp.Rational(3, 2), "x**(3/2)"),
    (X ** sp.Rational(0.1), "x**0.1"),
    (sp.Integer(10) ** 20 * X, "1e+20*x"),
]


@pytest.mark.parametrize(("expression", "text"), TEXTS, ids=lambda t: str(t)[:12])
def test_constants_read_as_they_were_written(expression, text):
    constants = {q: decimal_rational(q) for q in expression.atoms(sp.Rational)}
    assert str(replace_long_rationals(expression.xreplace(constants))) == text


def test_prefixes_are_not_taken():
    assert fresh_prefix(["x", "v", "t3"]) == "w"
    assert fresh_prefix(["v1", "t", "w2", "u", "s"]) == "tmp_"
