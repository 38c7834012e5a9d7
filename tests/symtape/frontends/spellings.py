"""One call in three spellings: each row of symtape, as NumPy, jax.numpy and torch write it.

A table for tests. ``SPELLINGS[row]`` is one :class:`Spelling` for each row of
``symtape.primitives``, or a tuple of several where one call cannot show all that it does.

``at``
    The shared inputs, as nested lists of floats: regular points, no ties, no kinks.
``numpy``, ``jax``, ``torch``
    An expression in ``x``, ``y`` and ``z``, the inputs in their order; it must record the row. Or
    :class:`Absent`, with the reason why that framework has no spelling that the row reads; or
    None, where nobody has looked yet. The names in it are those of :func:`called`: ``np``,
    ``sp`` (scipy.special), ``sl`` (scipy.linalg), ``ours`` (symtape.scipy.special), ``ol``
    (symtape.scipy.linalg), ``of`` (symtape.scipy.fft), ``os`` (symtape.scipy.signal), ``ss``
    (scipy.stats), ``sparse``, ``spl`` (scipy.sparse.linalg), ``symtape``; ``jnp``, ``jax``,
    ``lax``, ``jsp`` (jax.scipy.special), ``jsl`` (jax.scipy.linalg); ``torch``, ``F``
    (torch.nn.functional).

The tests record both spellings at ``at`` and compare the values of the two graphs in balls.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["SPELLINGS", "Absent", "Spelling", "called"]


@dataclass(frozen=True)
class Absent:
    """Why a framework has no spelling of a row."""

    reason: str


@dataclass(frozen=True)
class Spelling:
    """The same call in three frameworks, on shared inputs."""

    at: tuple[Any, ...]
    numpy: str | Absent
    jax: str | Absent | None
    torch: str | Absent | None = None


_NAMES = {
    "numpy": {
        "np": "numpy",
        "sp": "scipy.special",
        "sl": "scipy.linalg",
        "ours": "symtape.scipy.special",
        "ol": "symtape.scipy.linalg",
        "of": "symtape.scipy.fft",
        "os": "symtape.scipy.signal",
        "ss": "scipy.stats",
        "sparse": "scipy.sparse",
        "spl": "scipy.sparse.linalg",
        "symtape": "symtape",
    },
    "jax": {
        "np": "numpy",
        "jax": "jax",
        "jnp": "jax.numpy",
        "lax": "jax.lax",
        "jsp": "jax.scipy.special",
        "jsl": "jax.scipy.linalg",
    },
    "torch": {"np": "numpy", "torch": "torch", "F": "torch.nn.functional"},
}


def called(framework: str, expression: str) -> Callable[..., Any]:
    """The function of ``x, y, z`` that an expression of a spelling is."""
    names = {short: importlib.import_module(name) for short, name in _NAMES[framework].items()}

    def function(*xs: Any) -> Any:
        return eval(expression, {**names, **dict(zip("xyz", xs, strict=False))})

    return function


VECTOR = [0.75, -2.5, 1.25]
OTHER = [1.5, -0.625, 2.25]
POSITIVE = [0.75, 2.5, 1.25]
INSIDE = [0.75, -0.25, 0.125]
ABOVE = [1.75, 2.5, 4.25]
MATRIX = [[2.0, 0.5], [-0.25, 1.5]]
PAIR = [[2.0, 0.5], [0.5, 1.25]]
DEFINITE = [[4.0, 1.0], [1.0, 2.5]]

ROUNDED = Absent(
    "JAX spells it with a constant such as log(2), sqrt(2) or 1/3, which is rounded, so that it is "
    "another function in exact arithmetic"
)


def _of(numpy: str, jax: str | Absent, *at: Any) -> Spelling:
    return Spelling(at, numpy, jax)


def _same(call: str, *at: Any) -> Spelling:
    """A function that NumPy and JAX call by the same name."""
    return Spelling(at, f"np.{call}", f"jnp.{call}")


def _special(call: str, *at: Any) -> Spelling:
    """The same of ``scipy.special``."""
    return Spelling(at, f"sp.{call}", f"jsp.{call}")


def _inner(of: str) -> Spelling:
    """A row that only gradients record."""
    reason = Absent(f"it is recorded by the gradient of {of}, and by no call of its own")
    return Spelling((), reason, reason, reason)


def _none(name: str) -> Absent:
    return Absent(f"jax.scipy.special has no {name}")


COMPLEX = Absent("what computes with complex numbers is not read from other frameworks")


def _loops(name: str) -> Absent:
    return Absent(f"jax.scipy.special.{name} is a loop that stops by element, which is not read")


def _series(name: str) -> Absent:
    return Absent(
        f"JAX computes {name} by series and rational approximations, which are another function "
        "in exact arithmetic"
    )


SPELLINGS: dict[str, Spelling | tuple[Spelling, ...]] = {
    "absolute": _same("abs(x)", VECTOR),
    "add": _same("add(x, y)", VECTOR, OTHER),
    "airy_ai": Spelling((VECTOR,), "sp.airy(x)[0]", _none("airy")),
    "airy_ai_prime": Spelling((VECTOR,), "sp.airy(x)[1]", _none("airy")),
    "airy_bi": Spelling((VECTOR,), "sp.airy(x)[2]", _none("airy")),
    "airy_bi_prime": Spelling((VECTOR,), "sp.airy(x)[3]", _none("airy")),
    "all": _of("np.all(x > -9)", "jnp.all(x > -9)", VECTOR),
    "any": _of("np.any(x > 1)", "jnp.any(x > 1)", VECTOR),
    "arccos": _same("arccos(x)", INSIDE),
    "arccosh": _same("arccosh(x)", ABOVE),
    "arcsin": _same("arcsin(x)", INSIDE),
    "arcsinh": _same("arcsinh(x)", VECTOR),
    "arctan": _same("arctan(x)", VECTOR),
    "arctan2": _same("arctan2(x, y)", VECTOR, OTHER),
    "arctan_slope": _inner("arctan"),
    "arctanh": _same("arctanh(x)", INSIDE),
    "argmax": _same("argmax(x)", VECTOR),
    "argmin": _same("argmin(x)", VECTOR),
    "argpartition": Spelling(
        (VECTOR,),
        "x[np.argpartition(x, 1)[:1]]",
        "x[jnp.argpartition(x, 1)[:1]]",
    ),
    "argsort": _same("argsort(x)", VECTOR),
    "argwhere": Spelling(
        (VECTOR,),
        "np.argwhere(x > 0)",
        Absent("an array whose size depends on values has no shape that JAX could trace"),
    ),
    "astype": _of("x.astype(np.float32)", "x.astype(jnp.float32)", [0.75, -2.5]),
    "astype_discrete": _of("(x * 2).astype(int)", "(x * 2).astype(int)", VECTOR),
    "beta": _special("beta(x, y)", POSITIVE, POSITIVE[::-1]),
    "beta_density": _inner("betainc"),
    "betainc": _special("betainc(x, y, z)", [2.25], [1.5], [0.75]),
    "betaincc": _of("sp.betaincc(1.5, 2.0, x)", _none("betaincc"), [0.75, 0.25, 0.125]),
    "betaln": _special("betaln(x, y)", POSITIVE, POSITIVE[::-1]),
    "binom": Spelling((ABOVE, [0.5, 1.25, 0.75]), "sp.binom(x, y)", _none("binom")),
    "bitwise_and": _of("(x > 0) & (y > 0)", "(x > 0) & (y > 0)", VECTOR, OTHER),
    "bitwise_or": _of("(x > 0) | (y > 0)", "(x > 0) | (y > 0)", VECTOR, OTHER),
    "bitwise_xor": _of("(x > 0) ^ (y > 0)", "(x > 0) ^ (y > 0)", VECTOR, OTHER),
    "boxcox": Spelling((POSITIVE, VECTOR), "sp.boxcox(x, y)", "(x**y - 1) / y"),
    "boxcox1p": Spelling(
        (POSITIVE, VECTOR), "sp.boxcox1p(x, y)", "jnp.expm1(y * jnp.log1p(x)) / y"
    ),
    "broadcast_to": _same("broadcast_to(x, (2, 3))", VECTOR),
    "cbrt": _same("cbrt(x)", POSITIVE),
    "ceil": _same("ceil(x)", VECTOR),
    "cholesky": _same("linalg.cholesky(x)", DEFINITE),
    "cofactor": _inner("det"),
    "concatenate": _same("concatenate([x, y])", VECTOR, OTHER),
    "conjugate": _same("conj(x)", VECTOR),
    "convolve": _same("convolve(x, y)", VECTOR, [0.5, -1.5]),
    "copysign": _same("copysign(x, y)", VECTOR, OTHER),
    "correlate": _inner("convolve"),
    "cos": _same("cos(x)", VECTOR),
    "cosh": _same("cosh(x)", VECTOR),
    "cosine_integral": Spelling((POSITIVE,), "sp.sici(x)[1]", _none("sici")),
    "cospi": _inner("gamma"),
    "count_nonzero": _same("count_nonzero(x)", VECTOR),
    "cross": _same("cross(x, y)", VECTOR, OTHER),
    "cumprod": _same("cumprod(x)", VECTOR),
    "cumsum": _same("cumsum(x)", VECTOR),
    "dawsn": Spelling((VECTOR,), "sp.dawsn(x)", _none("dawsn")),
    "dawson_derivative": _inner("dawsn"),
    "dct": _of("of.dct(x)", COMPLEX, VECTOR),
    "deg2rad": Spelling((VECTOR,), "np.deg2rad(x)", ROUNDED),
    "det": _same("linalg.det(x)", MATRIX),
    "diagonal": _same("diagonal(x)", MATRIX),
    "diagonal_matrix": _same("diag(x)", VECTOR),
    "digamma_difference": _inner("beta"),
    "divide": _same("divide(x, y)", VECTOR, OTHER),
    "dst": _of("of.dst(x)", Absent("jax.scipy.fft has no dst"), VECTOR),
    "eig": _of("np.linalg.eig(x)[0].real", COMPLEX, DEFINITE),
    "eigh": _of("np.linalg.eigh(x)[0]", "jnp.linalg.eigh(x)[0]", PAIR),
    "eigvals": _of("np.linalg.eigvals(x).real", COMPLEX, DEFINITE),
    "eigvalsh": _same("linalg.eigvalsh(x)", PAIR),
    "einsum": _same("einsum('ij,jk->ki', x, y)", MATRIX, DEFINITE),
    "ellipe": Spelling((INSIDE,), "sp.ellipe(x)", _none("ellipe")),
    "ellipk": Spelling((INSIDE,), "sp.ellipk(x)", _none("ellipk")),
    "ellipkm1": Spelling((POSITIVE,), "sp.ellipkm1(x)", _none("ellipkm1")),
    "entr": _special("entr(x)", POSITIVE),
    "equal": _of("np.equal(x, y)", "jnp.equal(x, y)", VECTOR, OTHER),
    "erf": _special("erf(x)", VECTOR),
    "erf_slope": _inner("erf"),
    "erfc": _special("erfc(x)", VECTOR),
    "erfcinv": Spelling((POSITIVE,), "sp.erfcinv(x / 4)", "jsp.erfinv(1 - x / 4)"),
    "erfcx": Spelling((VECTOR,), "sp.erfcx(x)", "jnp.exp(x**2) * jsp.erfc(x)"),
    "erfcx_kernel": _inner("erfcx"),
    "erfi": Spelling((VECTOR,), "sp.erfi(x)", _none("erfi")),
    "erfi_slope": _inner("erfi"),
    "erfinv": _special("erfinv(x)", INSIDE),
    "euclidean_norm": _same("linalg.norm(x)", VECTOR),
    "eval_chebyt": _of("sp.eval_chebyt(2.5, x)", _none("eval_chebyt"), INSIDE),
    "eval_gegenbauer": _of("sp.eval_gegenbauer(2.5, 1.5, x)", _none("eval_gegenbauer"), INSIDE),
    "eval_genlaguerre": _of(
        "sp.eval_genlaguerre(2.5, 1.5, x)", _none("eval_genlaguerre"), POSITIVE
    ),
    "eval_hermite": _of("sp.eval_hermite(3, x)", _none("eval_hermite"), VECTOR),
    "eval_hermitenorm": _of("sp.eval_hermitenorm(3, x)", _none("eval_hermitenorm"), VECTOR),
    "eval_jacobi": _of("sp.eval_jacobi(2.5, 1.5, 0.5, x)", _none("eval_jacobi"), INSIDE),
    "exp": _same("exp(x)", VECTOR),
    "exp1": Spelling((POSITIVE,), "sp.exp1(x)", _series("exp1")),
    "exp10": Spelling((VECTOR,), "sp.exp10(x)", ROUNDED),
    "exp2": _same("exp2(x)", VECTOR),
    "expi": Spelling((POSITIVE,), "sp.expi(x)", _series("expi")),
    "expit": _special("expit(x)", VECTOR),
    "expm": Spelling((PAIR,), "ol.expm(x)", _series("expm")),
    "expm1": _same("expm1(x)", VECTOR),
    "expn": Spelling((POSITIVE,), "sp.expn(3, x)", _series("expn")),
    "exprel": Spelling((VECTOR,), "sp.exprel(x)", "jnp.expm1(x) / x"),
    "exprel_kernel": _inner("exprel"),
    "fabs": _of("np.fabs(x)", "jnp.abs(x)", VECTOR),
    "fft": _of("np.fft.fft(x).real", COMPLEX, VECTOR),
    "flip": _same("flip(x)", VECTOR),
    "float_power": _same("float_power(x, y)", POSITIVE, OTHER),
    "floor": _same("floor(x)", VECTOR),
    "floor_divide": _same("floor_divide(x, y)", VECTOR, OTHER),
    "fmax": _same("fmax(x, y)", VECTOR, OTHER),
    "fmin": _same("fmin(x, y)", VECTOR, OTHER),
    "fmod": _same("fmod(x, y)", VECTOR, OTHER),
    "fresnel_cosine": Spelling((VECTOR,), "sp.fresnel(x)[1]", _none("fresnel")),
    "fresnel_sine": Spelling((VECTOR,), "sp.fresnel(x)[0]", _none("fresnel")),
    "frexp_exponent": Spelling(
        (VECTOR,), "np.frexp(x)[1]", Absent("jnp.frexp takes the bits of its argument apart")
    ),
    "gamma": _special("gamma(x)", POSITIVE),
    "gamma_by_shape": _inner("gammainc"),
    "gamma_density": _inner("gammainc"),
    "gammainc": _special("gammainc(x, y)", POSITIVE, POSITIVE[::-1]),
    "gammaincc": _special("gammaincc(x, y)", POSITIVE, POSITIVE[::-1]),
    "gammaln": _special("gammaln(x)", POSITIVE),
    "gammasgn": Spelling((VECTOR,), "sp.gammasgn(x)", "jsp.gammasgn(x)"),
    "getitem": _of("x[1:] * x[[2, 0]]", "x[1:] * x[jnp.array([2, 0])]", VECTOR),
    "getitem_by": _of("x[np.argsort(y)]", "x[jnp.argsort(y)]", VECTOR, OTHER),
    "greater": _same("greater(x, y)", VECTOR, OTHER),
    "greater_equal": _same("greater_equal(x, y)", VECTOR, OTHER),
    "heaviside": _same("heaviside(x, y)", VECTOR, OTHER),
    "hurwitz_zeta": _of(
        "sp.zeta(x + 1.5, y)",
        Absent("jax.scipy.special.zeta is read for one integer that no input changes"),
        POSITIVE,
        ABOVE,
    ),
    "hyp0f1": _of("sp.hyp0f1(1.5, x)", _none("hyp0f1"), VECTOR),
    "hyp1f1": _of("sp.hyp1f1(0.5, 1.5, x)", _loops("hyp1f1"), VECTOR),
    "hyp2f1": _of("sp.hyp2f1(0.5, 1.0, 1.5, x)", _loops("hyp2f1"), INSIDE),
    "hyperbolic_cosine_integral": _of("sp.shichi(x)[1]", _none("shichi"), POSITIVE),
    "hyperbolic_sine_integral": _of("sp.shichi(x)[0]", _none("shichi"), VECTOR),
    "hyperu": _of("sp.hyperu(0.5, 1.5, x)", _none("hyperu"), POSITIVE),
    "hypot": _same("hypot(x, y)", VECTOR, OTHER),
    "hypot_cosine": _inner("hypot"),
    "i0": _special("i0(x)", VECTOR),
    "i0e": _special("i0e(x)", VECTOR),
    "i1": _special("i1(x)", VECTOR),
    "i1e": _special("i1e(x)", VECTOR),
    "i_moment": _inner("i0e"),
    "imag": Spelling((VECTOR,), "np.imag(x)", "jnp.imag(x)"),
    "inv": _same("linalg.inv(x)", MATRIX),
    "invert": _of("~(x > 0)", "~(x > 0)", VECTOR),
    "irfft": _of("np.fft.irfft(x)", COMPLEX, VECTOR),
    "isfinite": _same("isfinite(x)", VECTOR),
    "isinf": _same("isinf(x)", VECTOR),
    "isnan": _same("isnan(x)", VECTOR),
    "iv": Spelling((VECTOR,), "sp.iv(2, x)", _none("iv")),
    "ive": Spelling((VECTOR,), "sp.ive(2, x)", _none("ive")),
    "j0": Spelling((VECTOR,), "sp.j0(x)", _none("j0")),
    "j1": Spelling((VECTOR,), "sp.j1(x)", _none("j1")),
    "jv": Spelling((VECTOR,), "sp.jv(2, x)", _none("jv")),
    "k0": Spelling((POSITIVE,), "sp.k0(x)", _none("k0")),
    "k0e": Spelling((POSITIVE,), "sp.k0e(x)", _none("k0e")),
    "k1": Spelling((POSITIVE,), "sp.k1(x)", _none("k1")),
    "k1e": Spelling((POSITIVE,), "sp.k1e(x)", _none("k1e")),
    "k_moment": _inner("k0e"),
    "kl_div": _special("kl_div(x, y)", POSITIVE, POSITIVE[::-1]),
    "kolmogorov": _of("sp.kolmogorov(x)", _none("kolmogorov"), POSITIVE),
    "kv": Spelling((POSITIVE,), "sp.kv(2, x)", _none("kv")),
    "kve": Spelling((POSITIVE,), "sp.kve(2, x)", _none("kve")),
    "lambertw": _of("sp.lambertw(x).real", _none("lambertw"), POSITIVE),
    "ldexp": Spelling(
        (VECTOR,), "np.ldexp(x, 3)", Absent("jnp.ldexp takes the bits of its argument apart")
    ),
    "less": _same("less(x, y)", VECTOR, OTHER),
    "less_equal": _same("less_equal(x, y)", VECTOR, OTHER),
    "linear_recurrence": _inner("cumprod"),
    "log": _same("log(x)", POSITIVE),
    "log10": Spelling((POSITIVE,), "np.log10(x)", ROUNDED),
    "log1p": _same("log1p(x)", POSITIVE),
    "log2": Spelling((POSITIVE,), "np.log2(x)", ROUNDED),
    "log_expit": Spelling((VECTOR,), "sp.log_expit(x)", "jax.nn.log_sigmoid(x)"),
    "log_ndtr": Spelling((VECTOR,), "sp.log_ndtr(x)", ROUNDED),
    "log_ratio": _inner("rel_entr"),
    "logistic_density": _inner("expit"),
    "log_softmax": Spelling((VECTOR,), "ours.log_softmax(x)", "jax.nn.log_softmax(x)"),
    "log_softmax_pull_back": _inner("log_softmax"),
    "logaddexp": _same("logaddexp(x, y)", VECTOR, OTHER),
    "logaddexp2": Spelling((VECTOR, OTHER), "np.logaddexp2(x, y)", ROUNDED),
    "logaddexp2_share": _inner("logaddexp2"),
    "logaddexp_share": _inner("logaddexp"),
    "loggamma": Spelling((POSITIVE,), "sp.loggamma(x)", "jsp.gammaln(x)"),
    "logical_and": _of(
        "np.logical_and(x > 0, y > 0)", "jnp.logical_and(x > 0, y > 0)", VECTOR, OTHER
    ),
    "logical_not": _of("np.logical_not(x > 0)", "jnp.logical_not(x > 0)", VECTOR),
    "logical_or": _of("np.logical_or(x > 0, y > 0)", "jnp.logical_or(x > 0, y > 0)", VECTOR, OTHER),
    "logical_xor": _of(
        "np.logical_xor(x > 0, y > 0)", "jnp.logical_xor(x > 0, y > 0)", VECTOR, OTHER
    ),
    "logit": _special("logit(x)", [0.25, 0.75, 0.125]),
    "logsumexp": Spelling((VECTOR,), "ours.logsumexp(x)", "jax.nn.logsumexp(x)"),
    "matmul": _same("matmul(x, y)", MATRIX, DEFINITE),
    "max": _same("max(x)", VECTOR),
    "maximum": _same("maximum(x, y)", VECTOR, OTHER),
    "mean": _same("mean(x)", [0.75, -2.5, 1.5, 0.25]),
    "mills": _inner("log_ndtr"),
    "mills_slope": _inner("log_ndtr"),
    "ncx2_pdf": _inner("chndtr"),
    "normal_tail_quotient": _inner("log_ndtr"),
    "min": _same("min(x)", VECTOR),
    "minimum": _same("minimum(x, y)", VECTOR, OTHER),
    "multiply": _same("multiply(x, y)", VECTOR, OTHER),
    "ndtr": Spelling((VECTOR,), "sp.ndtr(x)", ROUNDED),
    "ndtri": Spelling(
        ([0.25, 0.75],),
        "sp.ndtri(x)",
        Absent(
            "JAX computes it by rational approximations, which are another function in exact "
            "arithmetic"
        ),
    ),
    "ndtri_exp": Spelling((INSIDE[1:2],), "sp.ndtri_exp(x)", _none("ndtri_exp")),
    "negative": _same("negative(x)", VECTOR),
    "normal_density": _inner("ndtr"),
    "not_equal": _same("not_equal(x, y)", VECTOR, OTHER),
    "one_less_square": _inner("arcsin"),
    "one": _inner("all rows, where a sweep begins"),
    "ones_like": _of("x * np.ones_like(x)", "x * jnp.ones_like(x)", VECTOR),
    "outer": _same("outer(x, y)", VECTOR, OTHER),
    "owens_t": _of("sp.owens_t(x, y)", _none("owens_t"), VECTOR, OTHER),
    "pinv": _same("linalg.pinv(x)", MATRIX),
    "poch": Spelling((ABOVE, POSITIVE), "sp.poch(x, y)", "jsp.poch(x, y)"),
    "polygamma": Spelling((POSITIVE,), "ours.polygamma(2, x)", "jsp.polygamma(2, x)"),
    "positive": _same("positive(x)", VECTOR),
    "power": _same("power(x, y)", POSITIVE, OTHER),
    "power_norm": Spelling((VECTOR,), "np.linalg.norm(x, 3)", ROUNDED),
    "prod": _same("prod(x)", VECTOR),
    "psi": _of("sp.psi(x)", "jsp.digamma(x)", POSITIVE),
    "qr": _of("np.linalg.qr(x)[1]", "jnp.linalg.qr(x)[1]", MATRIX),
    "rad2deg": Spelling((VECTOR,), "np.rad2deg(x)", ROUNDED),
    "real": _same("real(x)", VECTOR),
    "reciprocal": _same("reciprocal(x)", VECTOR),
    "recursive_filter": _of(
        "os.lfilter([1.0, 0.5], [1.0, -0.25], x)", Absent("jax.scipy.signal has no lfilter"), VECTOR
    ),
    "rel_entr": _special("rel_entr(x, y)", POSITIVE, POSITIVE[::-1]),
    "remainder": _same("remainder(x, y)", VECTOR, OTHER),
    "reshape": _same("reshape(x, (3, 1))", VECTOR),
    "rfft": _of("np.fft.rfft(x).real", COMPLEX, VECTOR),
    "rgamma": Spelling((POSITIVE,), "sp.rgamma(x)", "1 / jsp.gamma(x)"),
    "rint": _same("rint(x)", VECTOR),
    "roll": _same("roll(x, 1)", VECTOR),
    "round": _of("np.round(x, 1)", "jnp.round(x, 1)", VECTOR),
    "scatter": Spelling((VECTOR,), "np.pad(x, 1)", "jnp.zeros(5).at[1:4].add(x)"),
    "scatter_by": _inner("getitem_by"),
    "searchsorted": Spelling(
        ([-2.5, 0.75, 1.5], OTHER), "np.searchsorted(x, y)", "jnp.searchsorted(x, y)"
    ),
    "sech2": _inner("tanh"),
    "share_of_extreme": _inner("max"),
    "sign": _same("sign(x)", VECTOR),
    "signbit": _same("signbit(x)", VECTOR),
    "sin": _same("sin(x)", VECTOR),
    "sinc": Spelling((VECTOR,), "np.sinc(x)", ROUNDED),
    "sinc_kernel": _inner("sinc"),
    "sinc_slope": _inner("sinc"),
    "sine_integral": Spelling((POSITIVE,), "sp.sici(x)[0]", _none("sici")),
    "sine_quotient": _inner("sici"),
    "singular_values": _same("linalg.svdvals(x)", MATRIX),
    "sinh": _same("sinh(x)", VECTOR),
    "sinpi": _inner("gamma"),
    "slogdet": _of("np.linalg.slogdet(x)[1]", "jnp.linalg.slogdet(x)[1]", MATRIX),
    "softmax": Spelling((VECTOR,), "ours.softmax(x)", "jax.nn.softmax(x)"),
    "softmax_pull_back": _inner("softmax"),
    "solve": _same("linalg.solve(x, y)", MATRIX, [0.75, -2.5]),
    "solve_banded": _of(
        "ol.solve_banded((1, 1), np.stack([0.5 * x, 3.0 + x**2, x]), x)",
        Absent("JAX solves systems with three diagonals, and none with other bands"),
        VECTOR,
    ),
    "solve_triangular": Spelling(
        (MATRIX, [0.75, -2.5]),
        "ol.solve_triangular(x, y, lower=True)",
        "jsl.solve_triangular(x, y, lower=True)",
    ),
    "sort": _same("sort(x)", VECTOR),
    "sparse_solve": _of(
        "spl.spsolve(sparse.csc_array(2.0 * np.eye(3)), x)",
        Absent("JAX solves sparse systems by calls of the host, which are not read"),
        VECTOR,
    ),
    "spence": _of("sp.spence(x)", _series("spence"), POSITIVE),
    "sqrt": _same("sqrt(x)", POSITIVE),
    "sqrtm": _of("ol.sqrtm(x)", COMPLEX, DEFINITE),
    "square": _same("square(x)", VECTOR),
    "stack": _same("stack([x, y])", VECTOR, OTHER),
    "std": _same("std(x)", [0.75, -2.5, 1.5, 0.25]),
    "stdtr": _of("sp.stdtr(2.5, x)", _none("stdtr"), VECTOR),
    "stop_gradient": Spelling((VECTOR,), "symtape.stop_gradient(x)", "lax.stop_gradient(x)"),
    "student_density": _inner("stdtr"),
    "subtract": _same("subtract(x, y)", VECTOR, OTHER),
    "sum": _same("sum(x)", VECTOR),
    "svd": _of("np.linalg.svd(x)[1]", "jnp.linalg.svd(x)[1]", MATRIX),
    "tan": _same("tan(x)", VECTOR),
    "tanh": _same("tanh(x)", VECTOR),
    "times_half_sqrt_pi": _inner("erfinv"),
    "times_log10": _inner("log10"),
    "times_log2": _inner("log2"),
    "times_pi": _inner("sinc"),
    "transpose": _same("transpose(x)", MATRIX),
    "tril": _same("tril(x)", MATRIX),
    "triu": _same("triu(x)", MATRIX),
    "trunc": _same("trunc(x)", VECTOR),
    "var": _same("var(x)", [0.75, -2.5, 1.5, 0.25]),
    "vonmises_cdf": _of(
        "ss.vonmises.cdf(x, 2.0)", Absent("jax.scipy.stats.vonmises has no cdf"), VECTOR
    ),
    "where": _of("np.where(x > 0, x, y)", "jnp.where(x > 0, x, y)", VECTOR, OTHER),
    "wofz_imag": _inner("voigt_profile"),
    "wofz_real": _of("sp.voigt_profile(x, 1.25, 0.5)", _none("voigt_profile"), VECTOR),
    "xlog1py": _special("xlog1py(x, y)", VECTOR, POSITIVE),
    "xlogy": _special("xlogy(x, y)", VECTOR, POSITIVE),
    "y0": Spelling((POSITIVE,), "sp.y0(x)", _none("y0")),
    "y1": Spelling((POSITIVE,), "sp.y1(x)", _none("y1")),
    "yv": Spelling((POSITIVE,), "sp.yv(2, x)", _none("yv")),
    "zeros_like": _of("x + np.zeros_like(x)", "x + jnp.zeros_like(x)", VECTOR),
}
