"""Functions of scipy.special by all that they are differentiable by; a verdict each."""

import mpmath
import numpy as np
import pytest
from scipy import special
from scipy.special import _ufuncs

import symtape
import verify
from symtape.errors import NotOnTape
from symtape.primitives.special.hypergeometric import HYP1F1

NO_BALL = "Arb has no such function"
ONCE = "the slope of its density is not known"
SLOPE = f"{NO_BALL}, and {ONCE}"

CALLS = {
    "gammainc": (lambda z: special.gammainc(z[0], z[1]), (2.25, 0.75)),
    "gammainc of a large shape": (lambda z: special.gammainc(z[0], z[1]), (150.0, 170.0)),
    "gammaincc": (lambda z: special.gammaincc(z[0], z[1]), (2.25, 4.75)),
    "betainc": (lambda z: special.betainc(z[0], 1.5, z[1]), (2.25, 0.375)),
    "betainc by b": (lambda z: special.betainc(2.25, z[0], z[1]), (1.5, 0.75)),
    "betaincc": (lambda z: special.betaincc(z[0], 1.5, z[1]), (2.25, 0.375)),
    "chdtr": (lambda z: special.chdtr(z[0], z[1]), (3.5, 2.5)),
    "gdtr": (lambda z: special.gdtr(z[0], z[1], z[2]), (1.5, 2.5, 2.25)),
    "bdtr": (lambda z: special.bdtr(2.0, 5, z[0]), (0.25,)),
    "bdtrc": (lambda z: special.bdtrc(2.0, 5, z[0]), (0.25,)),
    "nbdtr": (lambda z: special.nbdtr(2, 3, z[0]), (0.25,)),
    "nbdtrc": (lambda z: special.nbdtrc(2, 3, z[0]), (0.25,)),
    "fdtr": (lambda z: special.fdtr(3.0, z[0], z[1]), (5.0, 1.25)),
    "stdtr": (lambda z: special.stdtr(z[0], z[1]), (3.5, -1.25)),
    "stdtr at the middle": (lambda z: special.stdtr(3.5, z[0]), (0.0,)),
    "chndtr": (lambda z: special.chndtr(z[0], 3.0, z[1]), (2.5, 0.75), NO_BALL),
    "nctdtr": (lambda z: special.nctdtr(3.0, 0.75, z[0]), (1.5,), NO_BALL),
    "ncfdtr": (lambda z: special.ncfdtr(3.0, 2.5, 0.75, z[0]), (1.5,), NO_BALL),
    "_ncx2_pdf": (lambda z: _ufuncs._ncx2_pdf(z[0], 3.0, z[1]), (2.5, 0.75)),
    "_ncf_pdf": (lambda z: _ufuncs._ncf_pdf(z[0], 3.0, 2.5, z[1]), (2.5, 0.75)),
    "_nct_pdf": (lambda z: _ufuncs._nct_pdf(z[0], 3.0, z[1]), (2.5, 0.75)),
    "_beta_pdf": (lambda z: _ufuncs._beta_pdf(z[0], z[1], z[2]), (0.375, 2.5, 1.25)),
    "_skewnorm_cdf": (lambda z: _ufuncs._skewnorm_cdf(z[0], 0.5, z[1], z[2]), (0.375, 2.5, 1.25)),
    "_cosine_cdf": (lambda z: _ufuncs._cosine_cdf(z[0]), (0.75,)),
    "_cauchy_ppf": (lambda z: _ufuncs._cauchy_ppf(z[0], z[1], z[2]), (0.375, 1.5, 2.25)),
    "_cauchy_isf": (lambda z: _ufuncs._cauchy_isf(z[0], z[1], z[2]), (0.375, 1.5, 2.25)),
    "_binom_pmf": (lambda z: _ufuncs._binom_pmf(2.0, 7.0, z[0]), (0.375,)),
    "_binom_cdf": (lambda z: _ufuncs._binom_cdf(2.0, 7.0, z[0]), (0.375,)),
    "_binom_sf": (lambda z: _ufuncs._binom_sf(2.0, 7.0, z[0]), (0.375,)),
    "_nbinom_pmf": (lambda z: _ufuncs._nbinom_pmf(2.0, z[0], z[1]), (7.5, 0.375)),
    "_nbinom_cdf": (lambda z: _ufuncs._nbinom_cdf(2.0, 7.5, z[0]), (0.375,)),
    "_nbinom_sf": (lambda z: _ufuncs._nbinom_sf(2.0, 7.5, z[0]), (0.375,)),
    "_log1mexp": (lambda z: _ufuncs._log1mexp(z[0]), (-0.75,)),
    "zeta": (lambda z: special.zeta(z[0]), (2.5,)),
    "zeta of Hurwitz": (lambda z: special.zeta(z[0], z[1]), (2.5, 0.75)),
    "zetac": (lambda z: special.zetac(z[0]), (2.5,)),
    "hyp0f1": (lambda z: special.hyp0f1(1.5, z[0]), (-2.25,)),
    "hyp1f1": (lambda z: special.hyp1f1(0.75, 1.5, z[0]), (-2.25,)),
    "hyp2f1": (lambda z: special.hyp2f1(0.75, 0.5, 1.5, z[0]), (-2.25,)),
    "hyperu": (lambda z: special.hyperu(0.75, 0.5, z[0]), (2.25,)),
    "spence": (lambda z: special.spence(z[0]), (2.25,)),
    "spence at 1": (lambda z: special.spence(z[0]), (1.0,)),
    "shichi": (lambda z: special.shichi(z[0])[0] + special.shichi(z[0])[1], (0.75,)),
    "owens_t": (lambda z: special.owens_t(z[0], z[1]), (0.75, 1.25)),
    "voigt_profile": (lambda z: special.voigt_profile(z[0], z[1], z[2]), (0.75, 1.25, 0.5)),
    "voigt_profile far out": (
        lambda z: special.voigt_profile(z[0], z[1], z[2]),
        (30.0, 1.25, 0.5),
    ),
    "inv_boxcox": (lambda z: special.inv_boxcox(z[0], z[1]), (0.75, 1.25)),
    "inv_boxcox of 0": (lambda z: special.inv_boxcox(z[0], z[1]), (0.75, 0.0)),
    "inv_boxcox1p": (lambda z: special.inv_boxcox1p(z[0], z[1]), (0.75, -0.25)),
    "softplus": (lambda z: special.softplus(z[0]), (-0.75,)),
    "lambertw": (lambda z: special.lambertw(z[0]).real, (0.75,)),
    "lambertw of branch -1": (lambda z: special.lambertw(z[0], -1).real, (-0.25,)),
    "eval_jacobi": (lambda z: special.eval_jacobi(3, 0.5, 1.25, z[0]), (0.375,)),
    "eval_gegenbauer": (lambda z: special.eval_gegenbauer(3, 1.25, z[0]), (0.375,)),
    "eval_genlaguerre": (lambda z: special.eval_genlaguerre(3, 1.25, z[0]), (0.375,)),
    "eval_laguerre": (lambda z: special.eval_laguerre(3, z[0]), (0.375,)),
    "eval_legendre": (lambda z: special.eval_legendre(3, z[0]), (0.375,)),
    "eval_legendre of 0": (lambda z: special.eval_legendre(0, z[0]), (0.375,)),
    "eval_sh_legendre": (lambda z: special.eval_sh_legendre(3, z[0]), (0.375,)),
    "eval_sh_jacobi": (lambda z: special.eval_sh_jacobi(3, 3.5, 1.25, z[0]), (0.375,)),
    "eval_chebyt": (lambda z: special.eval_chebyt(3, z[0]), (0.375,)),
    "eval_chebyu": (lambda z: special.eval_chebyu(3, z[0]), (0.375,)),
    "eval_chebyc": (lambda z: special.eval_chebyc(3, z[0]), (0.375,)),
    "eval_chebys": (lambda z: special.eval_chebys(3, z[0]), (0.375,)),
    "eval_sh_chebyt": (lambda z: special.eval_sh_chebyt(3, z[0]), (0.375,)),
    "eval_sh_chebyu": (lambda z: special.eval_sh_chebyu(3, z[0]), (0.375,)),
    "eval_hermite": (lambda z: special.eval_hermite(3, z[0]), (0.375,)),
    "eval_hermitenorm": (lambda z: special.eval_hermitenorm(3, z[0]), (0.375,)),
    "tklmbda": (lambda z: special.tklmbda(z[0], z[1]), (0.375, 0.75), NO_BALL),
    "kolmogorov": (lambda z: special.kolmogorov(z[0]), (0.75,), ONCE),
    "smirnov": (lambda z: special.smirnov(5, z[0]), (0.375,), SLOPE),
    "_kolmogc": (lambda z: _ufuncs._kolmogc(z[0]), (0.75,), ONCE),
    "_smirnovc": (lambda z: _ufuncs._smirnovc(5, z[0]), (0.375,), SLOPE),
    "_landau_cdf": (lambda z: _ufuncs._landau_cdf(z[0], z[1], z[2]), (0.75, 0.5, 1.5), SLOPE),
    "_landau_sf": (lambda z: _ufuncs._landau_sf(z[0], z[1], z[2]), (0.75, 0.5, 1.5), SLOPE),
    "factorial": (lambda z: special.factorial(z[0]), (2.75,)),
    "comb": (lambda z: special.comb(z[0], z[1]), (5.75, 2.25)),
    "logsumexp": (special.logsumexp, (0.75, 1.25)),
    "softmax": (lambda z: special.softmax(z)[0], (0.75, 1.25)),
    "log_softmax": (lambda z: special.log_softmax(z)[0], (0.75, 1.25)),
    "multigammaln": (lambda z: special.multigammaln(z[0], 2), (2.75,)),
    "polygamma": (lambda z: special.polygamma(1, z[0]), (2.75,)),
    "jvp": (lambda z: special.jvp(1, z[0], 1), (2.75,)),
    "kn": (lambda z: special.kn(2, z[0]), (2.75,)),
}


# Those that SciPy does not have in each version that is allowed.
for _name in [name for name in CALLS if name == "softplus" or name.startswith("_")]:
    if not hasattr(_ufuncs if _name.startswith("_") else special, _name):
        del CALLS[_name]


def _quotients(function, at, step):
    found = []
    for unit in np.eye(len(at)):
        ends = [np.asarray(function(at + k * step * unit)) for k in (-2, -1, 1, 2)]
        found.append((ends[0] - 8 * ends[1] + 8 * ends[2] - ends[3]) / (12 * step))
    return np.stack(found, axis=-1)


@pytest.mark.parametrize("name", CALLS)
def test_first_and_forward(name):
    function, at, *_ = CALLS[name]
    at = np.array(at)
    # Each call has code of its own: what is known of one function is of no other.
    gradient = symtape.grad(function)(at)
    np.testing.assert_allclose(gradient, _quotients(function, at, 1e-3), rtol=1e-6, atol=1e-9)
    direction = np.linspace(1.0, 2.0, len(at))
    _, forward = symtape.jvp(function, (at,), (direction,))
    assert forward == pytest.approx(gradient @ direction, rel=1e-12)


@pytest.mark.parametrize("name", CALLS)
def test_second(name):
    function, at, *reason = CALLS[name]
    at = np.array(at)
    if reason and ONCE in reason[0]:
        with pytest.raises(LookupError, match="gradient registry has no entry for"):
            symtape.hessian(function)(at)
        return
    quotients = _quotients(symtape.grad(function), at, 1e-3)
    np.testing.assert_allclose(symtape.hessian(function)(at), quotients, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("name", CALLS)
def test_verdict(name):
    function, at, *reason = CALLS[name]
    result = verify.gradient(function, at=[np.array(at)])
    assert result.verdict.value == (
        "UNDECIDED" if reason and NO_BALL in reason[0] else "CORRECT"
    ), str(result)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: special.gammainc(2.5, x),
        lambda x: special.stdtr(2.5, x),
        lambda x: special.hyp1f1(1.5, 2.5, x),
        lambda x: special.eval_legendre(2, x),
        special.spence,
        special.zetac,
        special.kolmogorov,
    ],
)
def test_single_precision_stays(call):
    x = np.float32(1.5)
    assert symtape.grad(call)(x).dtype == np.float32


REFUSED = {
    "hyp1f1 by a": lambda x: special.hyp1f1(x, 1.5, 0.5),
    "hyp2f1 by c": lambda x: special.hyp2f1(0.5, 0.25, x, 0.5),
    "chndtr by df": lambda x: special.chndtr(1.5, x, 0.5),
    "nctdtr by nc": lambda x: special.nctdtr(3.5, x, 0.5),
    "eval_jacobi by alpha": lambda x: special.eval_jacobi(2, x, 0.5, 0.25),
}


@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED)
def test_what_is_not_known_is_said(call):
    with pytest.raises(LookupError, match="by this argument"):
        symtape.grad(call)(2.5)


@pytest.mark.parametrize(("z", "k"), [(-1.0, 0), (0.5, -1), (0.5, 2)])
def test_complex_branches_of_lambert_are_refused(z, k):
    with pytest.raises(NotOnTape, match="complex"):
        symtape.grad(lambda x: special.lambertw(x, k).real)(z)


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("z", [0.5 + 0.25j, 6.5 + 0.5j, 4.0 - 6.0j, 30.0 + 1e-9j, 8j])
def test_derivatives_of_faddeeva(z, order):
    from mpmath import mp

    from symtape.primitives.special.gaussian_integrals import faddeeva

    with mp.workdps(40):
        exact = mp.diff(lambda w: mp.exp(-w * w) * mp.erfc(-1j * w), mp.mpc(z), order)
    found = complex(faddeeva(z.real, z.imag, order))
    assert abs(found - complex(exact)) < 1e-9 * abs(complex(exact))


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize(("a", "x"), [(0.01, 2.0), (2.25, 0.75), (30.5, 38.0), (1000.0, 900.0)])
def test_derivatives_by_a_shape(a, x, order):
    from mpmath import mp

    from symtape.primitives.special.shapes import gamma_by_shape

    with mp.workdps(40):
        exact = mp.diff(lambda t: mp.gammainc(t, 0, x, regularized=True), a, order)
    assert float(gamma_by_shape(a, x, order)) == pytest.approx(float(exact), rel=1e-9)


@pytest.mark.parametrize(
    ("a", "b"), [(0.5, 1.5), (1.25, -2.5), (-2.5, 5.0), (2.5, 0.5), (3.0, 9.0)]
)
def test_far_out_1f1_is_its_expansion(a, b):
    """SciPy's own sums there as many terms as the argument is large."""
    far = np.array([-3e6, -1e9, -1e30])
    exact = [float(mpmath.hyp1f1(mpmath.mpf(a), mpmath.mpf(b), z)) for z in far]
    assert np.allclose(HYP1F1.evaluate(a, b, far), exact, rtol=1e-14, atol=0)
