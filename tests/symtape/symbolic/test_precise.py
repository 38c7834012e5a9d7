"""Enclosures: sound, at the precision asked for, and leaving the global precision alone."""

import threading

import flint
import mpmath
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from symtape.errors import Unsupported
from symtape.symbolic import arb_functions
from symtape.symbolic.algebra import placeholder
from symtape.symbolic.precise import enclose
from symtape.symbolic.program import Program
from symtape.symbolic.template import local

A, B = placeholder(0), placeholder(1)

UNARY = {
    sp.sin: mpmath.sin, sp.cos: mpmath.cos, sp.tan: mpmath.tan, sp.cot: mpmath.cot,
    sp.sec: mpmath.sec, sp.csc: mpmath.csc, sp.asin: mpmath.asin, sp.acos: mpmath.acos,
    sp.atan: mpmath.atan, sp.sinh: mpmath.sinh, sp.cosh: mpmath.cosh, sp.tanh: mpmath.tanh,
    sp.coth: mpmath.coth, sp.sech: mpmath.sech, sp.csch: mpmath.csch, sp.asinh: mpmath.asinh,
    sp.atanh: mpmath.atanh, sp.exp: mpmath.exp, sp.log: mpmath.log, sp.sqrt: mpmath.sqrt,
    sp.erf: mpmath.erf, sp.erfc: mpmath.erfc, sp.erfi: mpmath.erfi, sp.erfinv: mpmath.erfinv,
    sp.gamma: mpmath.gamma, sp.loggamma: mpmath.loggamma, sp.factorial: mpmath.factorial,
    sp.LambertW: lambda x: mpmath.lambertw(x).real, sp.sinc: mpmath.sinc, sp.Ei: mpmath.ei,
    sp.Si: mpmath.si, sp.Ci: mpmath.ci, sp.Shi: mpmath.shi, sp.Chi: mpmath.chi,
    sp.airyai: mpmath.airyai, sp.airybi: mpmath.airybi,
    sp.airyaiprime: lambda x: mpmath.airyai(x, derivative=1),
    sp.airybiprime: lambda x: mpmath.airybi(x, derivative=1),
    sp.fresnels: mpmath.fresnels, sp.fresnelc: mpmath.fresnelc,
    sp.elliptic_k: mpmath.ellipk, sp.elliptic_e: mpmath.ellipe,
    sp.Abs: abs, sp.floor: mpmath.floor, sp.ceiling: mpmath.ceil, sp.sign: mpmath.sign,
}  # fmt: skip
BINARY = {
    sp.atan2: mpmath.atan2, sp.besselj: mpmath.besselj, sp.bessely: mpmath.bessely,
    sp.besseli: mpmath.besseli, sp.besselk: mpmath.besselk, sp.beta: mpmath.beta,
    sp.lowergamma: lambda s, x: mpmath.gammainc(s, 0, x),
    sp.uppergamma: mpmath.gammainc, sp.expint: mpmath.expint, sp.zeta: mpmath.zeta,
    sp.Max: max, sp.Min: min, sp.polylog: lambda s, x: mpmath.polylog(s, x).real,
}  # fmt: skip
POSITIVE_ORDER = {sp.zeta: 2.5, sp.polygamma: 2.0}


def enclosed(expression, *inputs, bits=300):
    program = Program()
    at = program.place(local(expression), [program.input() for _ in inputs])
    return enclose(program, [at], inputs, bits)[0]


@pytest.mark.parametrize("function", UNARY, ids=lambda function: function.__name__)
def test_functions_of_one_argument_agree_with_mpmath(function):
    for x in (0.375, 0.75):
        with mpmath.workdps(60):
            expected = UNARY[function](mpmath.mpf(x))
        ball = enclosed(function(A), x)
        assert ball.rel_accuracy_bits() > 200
        assert float(ball) == pytest.approx(float(expected), rel=1e-14)


@pytest.mark.parametrize("function", BINARY, ids=str)
def test_functions_of_two_arguments_agree_with_mpmath(function):
    a, b = POSITIVE_ORDER.get(function, 1.5), 0.375
    with mpmath.workdps(60):
        expected = BINARY[function](mpmath.mpf(a), mpmath.mpf(b))
    assert float(enclosed(function(A, B), a, b)) == pytest.approx(float(expected), rel=1e-14)


@pytest.mark.parametrize("order", [0, 1, 3])
def test_polygamma(order):
    with mpmath.workdps(60):
        expected = mpmath.polygamma(order, mpmath.mpf(0.375))
    assert float(enclosed(sp.polygamma(order, A), 0.375)) == pytest.approx(float(expected), 1e-14)


@settings(max_examples=60, derandomize=True, deadline=None)
@given(
    middle=st.integers(-12, 12), radius=st.integers(0, 12), at=st.integers(-8, 8),
    n=st.integers(-4, 7),
)  # fmt: skip
def test_powers_of_balls_enclose_powers_of_their_points(middle, radius, at, n):
    x = (8 * middle + radius * at) / 64
    ball = flint.arb(middle / 8, radius / 8)
    for result in (arb_functions.integer_power(ball, n), arb_functions.power(ball, n)):
        if x or n >= 0:
            assert not result.is_finite() or result.contains(flint.fmpq(*x.as_integer_ratio()) ** n)
    square = arb_functions.square(ball)
    assert square.contains(flint.fmpq(*x.as_integer_ratio()) ** 2)
    if x >= 0:
        root = arb_functions.power(ball, flint.arb(2.5))
        assert not root.is_finite() or root.overlaps(flint.arb(x) ** 2 * flint.arb(x).sqrt())


STEPS = [
    (sp.Max(A, B), (-2.0, 0.5), 0.5),
    (sp.sign(A) + 0 * B, (0.0, 1.0), 0.0),
    (sp.Heaviside(A, sp.Rational(1, 4)), (0.0,), 0.25),
    (sp.Abs(A), (-3.0,), 3.0),
    (sp.Mod(A, B), (-7.0, 4.0), 1.0),
    (A**B, (-2.0, 3.0), -8.0),
    (A**B, (0.0, 2.5), 0.0),
    (sp.loggamma(A), (-0.5,), float(mpmath.log(2 * mpmath.sqrt(mpmath.pi)))),
    (sp.hyper([1], [2], A), (1.0,), float(mpmath.e - 1)),
    (sp.pi + sp.E * A - sp.EulerGamma, (1.0,), float(mpmath.pi + mpmath.e - mpmath.euler)),
]


@pytest.mark.parametrize(("expression", "inputs", "expected"), STEPS, ids=str)
def test_special_points(expression, inputs, expected):
    assert float(enclosed(expression, *inputs)) == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize("expression", [1 / A, sp.log(A), A ** sp.Rational(-1, 2)], ids=str)
def test_where_it_is_undefined_the_ball_is_not_finite(expression):
    assert not enclosed(expression, 0.0).is_finite()


@pytest.mark.parametrize("bits", [53, 300, 1000])
def test_precision_is_that_asked_for_and_local(bits):
    before = flint.ctx.prec
    assert bits - 8 < enclosed(sp.sin(A) / 3, 0.7, bits=bits).rel_accuracy_bits() < bits + 8
    assert flint.ctx.prec == before


def test_an_error_leaves_the_precision_alone():
    before = flint.ctx.prec
    with pytest.raises(Unsupported, match="primepi"):
        enclosed(sp.primepi(A), 3.0, bits=777)
    assert flint.ctx.prec == before


def test_threads_keep_their_precision():
    found = {}

    def run(bits):
        for _ in range(20):
            found.setdefault(bits, []).append(enclosed(sp.exp(A) / 7, 0.3, bits=bits))

    threads = [threading.Thread(target=run, args=(bits,)) for bits in (64, 256, 1024)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for bits, balls in found.items():
        assert all(abs(ball.rel_accuracy_bits() - bits) < 8 for ball in balls)


def test_the_wrong_number_of_inputs_is_refused():
    program = Program()
    program.input()
    with pytest.raises(ValueError, match="2 numbers, and the program has 1 inputs"):
        enclose(program, [0], [1.0, 2.0])


def test_only_what_is_wanted_is_run():
    program = Program()
    x = program.input()
    program.function("primepi", x)  # for which there is no reading
    assert float(enclose(program, [program.add(x, x)], [-1.0], 60)[0]) == -2.0


def test_more_bits_narrow_the_same_value():
    coarse, fine = enclosed(sp.tanh(A) ** 3, 0.3, bits=60), enclosed(sp.tanh(A) ** 3, 0.3, bits=900)
    assert coarse.overlaps(fine)
    assert coarse.rad() > fine.rad()
