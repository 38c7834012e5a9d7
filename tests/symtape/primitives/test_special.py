"""Special functions where the textbook rule loses its digits: tails, zeros, poles."""

import math

import flint
import mpmath as mp
import numpy as np
import pytest
from scipy import special

import symtape
from symtape.primitives import exponential, planar, trigonometric
from symtape.primitives.primitive import PRIMITIVES, UFUNCS
from symtape.primitives.special import (
    airy,
    bessel,
    box_cox,
    elliptic,
    entropy,
    error,
    exponential_integral,
    gamma,
    incomplete,
    integrals,
    logistic,
    moments,
    scaled_bessel,
)


def derivatives(row, args, place, count):
    """The first `count` derivatives by one input, by nested tapes."""
    values = [symtape.constant(x) for x in args]

    def descend(depth):
        if not depth:
            return row(*values)
        with symtape.GradientTape() as tape:
            tape.watch(values[place])
            y = descend(depth - 1)
        return tape.gradient(y, values[place])

    return [float(descend(order + 1).numpy()) for order in range(count)]


def dawson(x):
    return mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x)


def normal(x):
    return mp.erfc(-x / mp.sqrt(2)) / 2


def scaled_k(order, x):
    """exp(x) K_5/2(x), whose asymptotic series ends (DLMF 10.49.12)."""
    assert order == 2.5
    return mp.sqrt(mp.pi / (2 * x)) * (1 + 3 / x + 3 / x**2)


TAILS = [
    (logistic.EXPIT, (-700.0,), 0, 3, lambda x: 1 / (1 + mp.exp(-x))),
    (logistic.EXPIT, (40.0,), 0, 3, lambda x: 1 / (1 + mp.exp(-x))),
    (logistic.LOG_EXPIT, (300.0,), 0, 3, lambda x: -mp.log(1 + mp.exp(-x))),
    (logistic.LOGIT, (1e-300,), 0, 1, lambda x: mp.log(x) - mp.log(1 - x)),
    (trigonometric.TANH, (20.0,), 0, 3, mp.tanh),
    (trigonometric.TANH, (-300.0,), 0, 3, mp.tanh),
    (trigonometric.ARCTAN, (1e100,), 0, 2, mp.atan),
    (trigonometric.ARCSINH, (1e100,), 0, 2, mp.asinh),
    (trigonometric.ARCCOSH, (1e100,), 0, 2, mp.acosh),
    (trigonometric.ARCTANH, (1 - 2.0**-40,), 0, 2, mp.atanh),
    (planar.HYPOT, (1.0, 1e-10), 0, 2, lambda a, b: mp.sqrt(a * a + b * b)),
    (planar.HYPOT, (1e-10, 1e5), 0, 2, lambda a, b: mp.sqrt(a * a + b * b)),
    (planar.ARCTAN2, (1e-200, 1.0), 0, 1, mp.atan2),
    (exponential.LOGADDEXP, (1000.0, 999.0), 0, 2, lambda a, b: mp.log(mp.exp(a) + mp.exp(b))),
    (exponential.LOGADDEXP, (-300.0, 300.0), 0, 2, lambda a, b: mp.log(mp.exp(a) + mp.exp(b))),
    (exponential.EXPM1, (-50.0,), 0, 3, mp.expm1),
    (exponential.LOG1P, (-1 + 2.0**-50,), 0, 2, mp.log1p),
    (error.ERF, (26.0,), 0, 3, mp.erf),
    (error.ERFC, (26.3,), 0, 2, mp.erfc),
    (error.ERFCX, (1e4,), 0, 2, lambda x: mp.exp(x * x) * mp.erfc(x)),
    (error.ERFCX, (-20.0,), 0, 3, lambda x: mp.exp(x * x) * mp.erfc(x)),
    (error.NDTR, (-37.0,), 0, 2, normal),
    (error.LOG_NDTR, (-1000.0,), 0, 2, lambda x: mp.log(normal(x))),
    (error.LOG_NDTR, (36.0,), 0, 2, lambda x: mp.log(normal(x))),
    (gamma.GAMMALN, (1e-200,), 0, 1, mp.loggamma),
    (gamma.GAMMALN, (1e10,), 0, 2, mp.loggamma),
    (gamma.DIGAMMA, (-20.25,), 0, 3, mp.digamma),
    (gamma.RGAMMA, (-3.0,), 0, 3, mp.rgamma),
    (gamma.RGAMMA, (0.0,), 0, 3, mp.rgamma),
    (gamma.BETALN, (1e6, 1.0), 0, 1, lambda a, b: mp.loggamma(a) - mp.loggamma(a + b)),
    (entropy.XLOGY, (0.0, 2.0), 0, 1, lambda x, y: x * mp.log(y)),
    (entropy.XLOGY, (2.0, 3.0), 1, 3, lambda x, y: x * mp.log(y)),
    (entropy.KL_DIV, (1.0, 1 + 2.0**-40), 1, 1, lambda x, y: x * mp.log(x / y) - x + y),
    (box_cox.EXPREL, (0.0,), 0, 3, lambda x: mp.hyp1f1(1, 2, x)),
    (box_cox.BOXCOX, (2.0, 0.0), 1, 3, lambda x, p: mp.log(x) * mp.hyp1f1(1, 2, p * mp.log(x))),
    (bessel.I1, (0.0,), 0, 3, lambda x: mp.besseli(1, x)),
    (bessel.J1, (0.0,), 0, 3, lambda x: mp.besselj(1, x)),
    (scaled_bessel.I0E, (-3.0,), 0, 2, lambda x: mp.exp(x) * mp.besseli(0, x)),
    (scaled_bessel.I1E, (700.0,), 0, 1, lambda x: mp.exp(-x) * mp.besseli(1, x)),
    (scaled_bessel.IVE, (0.3, 2.0), 1, 2, lambda v, x: mp.exp(-x) * mp.besseli(v, x)),
    *((scaled_bessel.KVE, (2.5, x), 1, 3, scaled_k) for x in (1e-5, 0.4, 3.0, 600.0, 1e8)),
    (bessel.JV, (0.3, 0.7), 1, 3, mp.besselj),
    (incomplete.GAMMAINC, (2.5, 40.0), 1, 3, lambda a, x: mp.gammainc(a, 0, x, True)),
    (incomplete.GAMMAINCC, (1e4, 1e4 + 150), 1, 1, lambda a, x: mp.gammainc(a, x, mp.inf, True)),
    (incomplete.BETAINC, (2.5, 0.5, 1e-9), 2, 2, lambda a, b, x: mp.betainc(a, b, 0, x, True)),
    (exponential_integral.EXPN, (1, 2.5), 1, 3, mp.expint),
    (integrals.DAWSN, (0.0,), 0, 3, dawson),
    (integrals.DAWSN, (1e3,), 0, 3, dawson),
    (integrals.DAWSN, (-9.0,), 0, 3, dawson),
    (integrals.SI, (0.0,), 0, 3, mp.si),
    (integrals.SI, (-30.0,), 0, 3, mp.si),
    (integrals.CI, (0.5,), 0, 3, mp.ci),
    (integrals.FRESNEL_SINE, (3.5,), 0, 1, mp.fresnels),
    (integrals.FRESNEL_COSINE, (0.0,), 0, 1, mp.fresnelc),
    (elliptic.ELLIPK, (0.0,), 0, 3, mp.ellipk),
    (elliptic.ELLIPK, (-1e6,), 0, 3, mp.ellipk),
    (elliptic.ELLIPKM1, (1e-40,), 0, 3, lambda p: mp.ellipk(1 - p)),
    (elliptic.ELLIPE, (0.0,), 0, 3, mp.ellipe),
    (elliptic.ELLIPE, (-1e6,), 0, 3, mp.ellipe),
    (elliptic.ELLIPE, (1 - 2.0**-40,), 0, 3, mp.ellipe),
    (airy.AIRY_AI, (20.0,), 0, 3, mp.airyai),
    (airy.AIRY_BI, (-5.0,), 0, 3, mp.airybi),
    (gamma.POCH, (2.5, 1e-9), 0, 1, mp.rf),
    (gamma.BINOM, (7.0, 2.0), 0, 2, mp.binomial),
]
# At 600 digits mpmath needs ten seconds for these.
SLOW_TAILS = [
    (scaled_bessel.K1E, (2.0,), 0, 1, lambda x: mp.exp(x) * mp.besselk(1, x)),
    (exponential_integral.EXPN, (3, 1e-9), 1, 2, mp.expint),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("row", "args", "place", "count", "function"),
    [
        pytest.param(*tail, id=f"{tail[0].name}{tail[1]}", marks=marks)
        for tails, marks in ((TAILS, ()), (SLOW_TAILS, pytest.mark.campaign))
        for tail in tails
    ],
)
def test_tails_and_zeros_keep_their_digits(row, args, place, count, function):
    def along(t):
        return function(*(t if k == place else mp.mpf(x) for k, x in enumerate(args)))

    found = derivatives(row, args, place, count)
    with mp.workdps(1200 if abs(args[0]) == 1000 else 600):
        x = mp.mpf(args[place])
        step = (abs(x) or 1) * mp.mpf(10) ** -60
        for order in range(1, count + 1):
            nodes = [along(x + (mp.mpf(order) / 2 - k) * step) for k in range(order + 1)]
            signs = [(-1) ** k * mp.binomial(order, k) for k in range(order + 1)]
            exact = mp.fdot(zip(nodes, signs, strict=True)) / step**order
            expected = float(mp.chop(mp.re(exact), tol=mp.mpf(10) ** -330))
            assert found[order - 1] == pytest.approx(expected, rel=2e-12, abs=1e-17 / 1e290)


@pytest.mark.parametrize("x", [1e-300, 1e-20, 0.25, 1.75])
def test_inverse_error_functions_keep_their_digits_in_the_tail(x):
    """The slope of an inverse is one over the slope, at the exact inverse."""
    with mp.workdps(60):
        exact = mp.findroot(lambda y: mp.log(mp.erfc(y) / x), special.erfcinv(x))
        erfcinv = -mp.sqrt(mp.pi) / 2 * mp.exp(exact**2)
        ndtri = mp.sqrt(2 * mp.pi) * mp.exp(exact**2)
    assert derivatives(error.ERFCINV, (x,), 0, 1)[0] == pytest.approx(float(erfcinv), rel=1e-13)
    if x < 1:
        found = derivatives(error.NDTRI, (x / 2,), 0, 1)[0]
        assert found == pytest.approx(float(ndtri), rel=1e-13)


def test_polygamma_of_negative_arguments():
    x = np.array([-0.75, -3.5, -100.25, 2.5])
    for order in (1, 2, 3):
        expected = [float(mp.polygamma(order, v)) for v in x]
        found = gamma.polygamma(order, x)
        np.testing.assert_allclose(found, expected, rtol=1e-13)
        assert gamma.polygamma(order, x[3:])[0] == found[3]  # those of positive ones alone


@pytest.mark.parametrize("name", ["jv", "yv", "iv", "kv"])
def test_by_the_order_of_a_bessel_function_is_a_lookup_error(name):
    v = symtape.Variable(0.5)
    with symtape.GradientTape() as tape:
        y = PRIMITIVES[name](v, 2.0)
    with pytest.raises(LookupError, match=f"no entry for: {name} by this argument"):
        tape.gradient(y, v)


@pytest.mark.parametrize(
    "function",
    [special.expit, special.erf, special.gammaln, special.digamma, special.expm1, special.xlog1py],
    ids=lambda function: function.__name__,
)
def test_ufuncs_of_scipy_are_recorded_when_called_on_tensors(function):
    args = [0.75] * function.nin
    x = symtape.Variable(args[0])
    with symtape.GradientTape() as tape:
        y = function(x, *args[1:])
    assert y.numpy() == pytest.approx(function(*args), rel=1e-15)
    assert np.isfinite(tape.gradient(y, x).numpy())


@pytest.mark.parametrize("v", [0, 0.3, 2, -7.25, 50])
@pytest.mark.parametrize("order", [1, 2, 5])
def test_moments_are_differences_of_bessel_functions_that_cancel(v, order):
    x = np.array([1e-3, 0.49, 0.51, 3.0, 40.0, 600.0, 2e4])
    found = moments.K_MOMENT(v, x, order)
    for value, at in zip(found, x, strict=True):
        with flint.ctx.workprec(400):
            exact = sum(
                (-1) ** (order + k)
                * math.comb(2 * order, order + k)
                * flint.arb(at).bessel_k(flint.arb(v) + k)
                for k in range(-order, order + 1)
            ) * (flint.arb(at).exp() / 2**order)
        # SciPy's own functions are off by this much at order 50.
        assert value == pytest.approx(float(exact), rel=8e-15 if abs(v) < 10 else 6e-14)


@pytest.mark.parametrize("x", [-1e10, -1e3, -40.0, -1.5, -1.0, -0.5, 0.5, 5.0])
def test_the_third_derivative_of_the_logarithm_of_the_normal_distribution(x):
    with mp.workdps(120):
        t = mp.mpf(x)
        m = mp.exp(-t * t / 2) / mp.sqrt(2 * mp.pi) / (mp.erfc(-t / mp.sqrt(2)) / 2)
        exact = m * (t + m) * (t + 2 * m) - m
    assert derivatives(error.LOG_NDTR, (x,), 0, 3)[2] == pytest.approx(float(exact), rel=2e-14)


@pytest.mark.parametrize("x", [-1e4, -40.0, -1.0, -1e-3])
def test_the_inverse_of_the_logarithm_of_the_normal_distribution(x):
    with mp.workdps(60):
        y = mp.findroot(lambda t: mp.log(normal(t)) - x, special.ndtri_exp(x))
        mills = mp.exp(-y * y / 2) / mp.sqrt(2 * mp.pi) / normal(y)
        exact = [1 / mills, (y + mills) / mills**2]
    np.testing.assert_allclose(
        derivatives(error.NDTRI_EXP, (x,), 0, 2), [float(v) for v in exact], rtol=1e-11
    )


@pytest.mark.parametrize(
    ("function", "rows"),
    [
        (special.sici, (integrals.SI, integrals.CI)),
        (special.fresnel, (integrals.FRESNEL_SINE, integrals.FRESNEL_COSINE)),
        (
            special.airy,
            (airy.AIRY_AI, airy.AIRY_AI_PRIME, airy.AIRY_BI, airy.AIRY_BI_PRIME),
        ),
    ],
)
def test_ufuncs_with_several_results(function, rows):
    x = symtape.Variable(0.75)
    with symtape.GradientTape(persistent=True) as tape:
        found = function(x)
    for y, value, row in zip(found, function(0.75), rows, strict=True):
        assert y.numpy() == value
        assert tape.gradient(y, x).numpy() == derivatives(row, (0.75,), 0, 1)[0]


@pytest.mark.parametrize(
    ("ufunc", "same"),
    [(special.jve, special.jv), (special.yve, special.yv), (special.yn, special.yv)],
)
def test_names_for_the_same_function_of_real_numbers(ufunc, same):
    assert UFUNCS[ufunc] is UFUNCS[same]
    np.testing.assert_allclose(ufunc(2, 0.75), same(2, 0.75), rtol=1e-15)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: special.gammainc(1.75, x),
        lambda x: special.gammaincc(1.75, x),
        lambda x: special.betainc(1.75, 0.5, x),
        special.dawsn,
    ],
)
def test_single_precision_is_kept(call):
    x = symtape.constant(np.array([0.25, 0.5], np.float32))
    with symtape.GradientTape() as tape:
        tape.watch(x)
        y = call(x)
    assert y.dtype == tape.gradient(y, x).dtype == np.float32


def test_the_sign_of_gamma_is_constant():
    x = symtape.Variable([-0.5, 2.5])
    with symtape.GradientTape() as tape:
        y = special.gammasgn(x)
    np.testing.assert_array_equal(y.numpy(), [-1.0, 1.0])
    assert tape.gradient(y, x) is None
