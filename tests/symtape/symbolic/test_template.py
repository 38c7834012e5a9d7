"""Templates: interning, and partials that are right where SymPy's own are not."""

import gc
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from symtape.errors import Unsupported
from symtape.graph.graph import Node
from symtape.primitives.primitive import PRIMITIVES
from symtape.symbolic import element, template
from symtape.symbolic.algebra import placeholder
from symtape.symbolic.precise import enclose
from symtape.symbolic.program import Program
from symtape.symbolic.template import local

A, B = placeholder(0), placeholder(1)

FUNCTIONS = [
    (sp.sin(A), mpmath.sin),
    (sp.exp(A) / (1 + sp.exp(A)), lambda x: 1 / (1 + mpmath.exp(-x))),
    (sp.tanh(A) ** 3, lambda x: mpmath.tanh(x) ** 3),
    (sp.atan(A) * A, lambda x: mpmath.atan(x) * x),
    (sp.erf(A), mpmath.erf),
    (sp.sinc(sp.pi * A), lambda x: mpmath.sincpi(x)),
    (sp.log(1 + A**2), lambda x: mpmath.log(1 + x * x)),
    (sp.besselj(0, A), lambda x: mpmath.besselj(0, x)),
    (sp.LambertW(1 + A**2), lambda x: mpmath.lambertw(1 + x * x).real),
    (sp.loggamma(2 + A**2), lambda x: mpmath.loggamma(2 + x * x)),
]


def derivatives(expression, order, x):
    """The derivative of that order, by templates, as a ball."""
    reading = local(expression)
    for _ in range(order):
        reading = reading.template.partial(0)
    program = Program()
    at = program.place(reading, [program.input()])
    return enclose(program, [at], [x], 200)[0]


@pytest.mark.parametrize(("expression", "reference"), FUNCTIONS, ids=lambda f: str(f)[:20])
@settings(max_examples=6, derandomize=True, deadline=None)
@given(x=st.integers(-40, 40).map(lambda n: n / 16))
def test_partials_agree_with_mpmath(expression, reference, x):
    for order in (1, 2):
        ball = derivatives(expression, order, x)
        with mpmath.workdps(60):
            expected = mpmath.diff(reference, mpmath.mpf(x), order)
        assert abs(float(ball) - float(expected)) <= 1e-12 * max(1.0, abs(float(expected)))


def test_derivatives_of_sinc_exist_at_zero():
    assert [float(derivatives(sp.sinc(A), n, 0.0)) for n in (1, 2, 3, 4)] == [0, -1 / 3, 0, 1 / 5]


def test_derivative_of_lambert_w_exists_at_zero():
    assert float(derivatives(sp.LambertW(A), 1, 0.0)) == 1.0


def test_one_template_for_one_meaning():
    assert local(A + B).template is local(B + A).template
    assert local(sp.cos(B)).template is local(sp.cos(A)).template
    assert local(sp.sin(A)).template.partial(0).template is local(sp.cos(A)).template
    assert local(sp.exp(A)).template.partial(0).template is local(sp.exp(A)).template


def test_a_partial_is_differentiated_once(monkeypatch):
    template = local(sp.sin(A) + A**7 / 3).template
    calls = []
    original = sp.diff
    monkeypatch.setattr(sp, "diff", lambda *args: calls.append(args) or original(*args))
    assert template.partial(0) is template.partial(0)
    assert len(calls) == 1


def test_arithmetic_is_that_of_sympy():
    assert [local(it).template for it in (A + B, A - B, A * B, A / B, -A, 1 / A)] == [
        template.ADD, template.SUBTRACT, template.MULTIPLY,
        template.DIVIDE, template.NEGATE, template.RECIPROCAL,
    ]  # fmt: skip


STEPS = [sp.floor(A), sp.sign(A), sp.Heaviside(A), sp.ceiling(A) + 3]


@pytest.mark.parametrize("expression", STEPS, ids=str)
def test_steps_are_constant_between_their_jumps(expression):
    assert local(expression).template.partial(0).constant == 0


def test_second_derivative_of_absolute_value_is_zero():
    assert local(sp.Abs(A)).template.partial(0).template.partial(0).constant == 0


def test_constants_are_exact():
    assert local(sp.Float(0.1) + 0).constant.as_integer_ratio() == (0.1).as_integer_ratio()


def test_foreign_symbols_are_refused():
    with pytest.raises(ValueError, match="none of its arguments"):
        local(A + sp.Symbol("q"))


def test_no_closed_form_is_unsupported():
    with pytest.raises(Unsupported, match="besselj"):
        local(sp.besselj(A, B)).template.partial(0)


def test_what_is_remembered_of_templates_is_bounded(monkeypatch):
    monkeypatch.setattr(element, "KEPT", 8)
    exponents = [Fraction(k, 64) for k in range(5, 200, 2)]
    row = PRIMITIVES["power"]
    node = Node(row, (0, 1), {}, (), np.dtype(float))
    kept = [element.reading(row, node, (None, exponent)).template for exponent in exponents]
    again = [element.reading(row, node, (None, exponent)).template for exponent in exponents]
    assert len(element._READINGS) <= 8
    assert all(one is other for one, other in zip(kept, again, strict=True))


@pytest.mark.long
def test_a_template_that_nothing_uses_is_forgotten(monkeypatch):
    expression = sp.Rational(7919, 104729) * placeholder(0)
    made = local(expression)
    tree = made.template.tree
    assert tree in template._TEMPLATES
    assert local(expression).template is made.template
    del made
    gc.collect()
    assert tree not in template._TEMPLATES
