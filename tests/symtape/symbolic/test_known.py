"""The table of common templates says what SymPy says, and of what is written alone."""

from fractions import Fraction

import pytest
import sympy as sp

from release import templates
from symtape.symbolic import algebra, known
from symtape.symbolic.template import local, read
from symtape.symbolic.trees import format_tree, parse_tree

OPERATORS = {"+", "-", "*", "/", "**"}


def as_python(written):
    """What a reading writes, as Python for SymPy."""
    if isinstance(written, Fraction):
        return f"Rational({written.numerator}, {written.denominator})"
    if not isinstance(written, tuple):
        return str(written)
    head, *parts = written
    if head == ".":
        return f"{as_python(parts[0])}.{parts[1]}"
    if head == "=":
        return f"{parts[0]}={as_python(parts[1])}"
    arguments = list(map(as_python, parts))
    if head == "neg":
        return f"(-{arguments[0]})"
    if head == "float":
        return f"Float({arguments[0]})"
    if head == "list":
        return f"[{', '.join(arguments)}]"
    if head in OPERATORS:
        return f"({arguments[0]} {head} {arguments[1]})"
    return f"{as_python(head)}({', '.join(arguments)})"


def made_again(written):
    """The formula that SymPy makes of what is written."""
    names = {**vars(sp), **{f"a{k}": algebra.placeholder(k) for k in range(8)}}
    return algebra.canonical(eval(as_python(written), names))


def entries(part):
    return {parse_tree(key): value for key, value in known._table()[part].items()}


def test_every_reading_is_what_sympy_makes_of_what_is_written():
    readings = entries("readings")
    assert [it for it in readings if known.find_reading(it) != made_again(it)] == []
    assert len(readings) > 150


@pytest.mark.long
def test_every_derivative_is_that_of_sympy():
    formulas = entries("partials")
    wrong = [
        tree
        for tree, forms in formulas.items()
        for k, form in enumerate(known.find_partials(tree))
        if form != algebra.derivative(tree, k) or len(forms) <= k
    ]
    assert wrong == []
    assert len(formulas) > 350


def test_every_formula_is_the_tree_of_its_expression():
    trees = {known.find_reading(it)[0] for it in entries("readings")} | {*entries("partials")}
    finite = [it for it in trees if it not in ("nan", "oo", "-oo")]
    assert [it for it in finite if algebra.to_tree(algebra.to_expression(it)) != it] == []
    assert [it for it in finite if parse_tree(format_tree(it)) != it] == []


def test_a_wrong_entry_is_found(monkeypatch):
    table = {"readings": {"(sin a0)": ["(cos a0)", 0]}, "partials": {}}
    monkeypatch.setattr(known, "_table", lambda: table)
    with pytest.raises(AssertionError):
        test_every_reading_is_what_sympy_makes_of_what_is_written()


def test_without_the_table_sympy_says_the_same(monkeypatch, tmp_path):
    known._table.cache_clear()
    monkeypatch.setattr(known, "FILE", tmp_path / "known.json")
    assert known._table() == {"readings": {}, "partials": {}}
    assert read(lambda sp, x: sp.sin(x), [None]) == local(sp.sin(A))
    monkeypatch.undo()
    known._table.cache_clear()


def test_the_table_is_that_of_the_rows():
    readings = templates.make_readings()
    missing = [it for it in readings if known.find_reading(it) is None]
    assert len(missing) < 0.1 * len(readings)  # of rows that changed since the release


A = algebra.placeholder(0)


class sin(sp.Function):  # its name is that of another
    def fdiff(self, argindex=1):
        return 7 * self


def test_a_function_with_the_name_of_another_has_its_own_derivative():
    assert local(sin(A)).template is not local(sp.sin(A)).template
    assert local(sin(A)).template.partial(0) == local(7 * sin(A))


READINGS = {
    "as written": (lambda sp, x: sp.sin(x), [None], sp.sin(A)),
    "another function": (lambda sp, x: sp.cos(x), [None], sp.cos(A)),
    "another exponent": (lambda sp, x, n: x**n, [None, Fraction(7, 3)], A ** sp.Rational(7, 3)),
    "a float is no integer": (lambda sp, x: sp.besselj(0.5, x), [None], sp.besselj(0.5, A)),
    "unevaluated": (
        lambda sp, x: sp.erfc(-x, evaluate=False), [None], sp.erfc(-A, evaluate=False),
    ),
    "evaluated": (lambda sp, x: sp.erfc(-x), [None], sp.erfc(-A)),
    "asks SymPy": (lambda sp, x: x if x.is_real else sp.sin(x), [None], A),
    "compares": (lambda sp, x, n: sp.log(x) if n == 0 else x**n, [None, 0], sp.log(A)),
    "a part of SymPy": (lambda sp, x: x - sp.S.Half, [None], A - sp.S.Half),
    "a derivative": (lambda sp, x: sp.diff(sp.sin(x) ** 2, x), [None], sp.diff(sp.sin(A) ** 2, A)),
}  # fmt: skip


@pytest.mark.parametrize("name", READINGS)
def test_a_reading_means_what_sympy_says_of_it(name):
    symbolic, arguments, expected = READINGS[name]
    assert read(symbolic, arguments).template is local(expected).template
