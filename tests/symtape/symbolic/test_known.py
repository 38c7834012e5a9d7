"""The table of common templates says what SymPy says, and of what is written alone."""

from fractions import Fraction

import pytest
import sympy as sp

from symtape.symbolic import algebra, known, tabulated
from symtape.symbolic.template import local, read
from symtape.symbolic.trees import format_tree, parse_tree


@pytest.fixture(scope="module")
def made():
    readings = tabulated.make_readings()
    return readings, tabulated.make_partials(readings.values())


def test_the_table_is_what_sympy_makes_of_the_rows(made):
    assert known.FILE.read_text() == known.format_table(*made)


def test_every_formula_is_the_tree_of_its_expression(made):
    readings, partials = made
    trees = [form[0] for form in readings.values()]
    trees += [form[0] for forms in partials.values() for form in forms]
    finite = [tree for tree in trees if tree not in ("nan", "oo", "-oo")]
    assert [it for it in finite if algebra.to_tree(algebra.to_expression(it)) != it] == []
    assert [it for it in finite if parse_tree(format_tree(it)) != it] == []
    assert len(finite) > 500


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
