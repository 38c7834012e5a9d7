"""What elementwise operations mean in mpmath, by the names of the recorded operations.

Definitions only, from NumPy's and SciPy's documentation: nothing here knows a derivative, and
nothing is taken from the formulas or the balls of a row. So they stand apart from the rows, by
name: whoever misunderstands a function in all the readings of its row is caught here. What has
no definition here is not rechecked, and the opinion says so.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final

from mpmath import mp

Number = Any


def _divide(a: Number, b: Number) -> Number:
    return mp.convert(a) / b  # two of Python's integers would make a float


def _fmod(a: Number, b: Number) -> Number:
    quotient = a / b
    return a - b * (mp.floor(quotient) if quotient >= 0 else mp.ceil(quotient))


def _power(a: Number, b: Number) -> Number:
    whole = int(b) if b == mp.floor(b) and abs(b) < 2**53 else None
    return a**whole if whole is not None else mp.exp(b * mp.log(a)) if a else mp.mpf(a) ** b


def _ndtr(x: Number) -> Number:
    return mp.erfc(-x / mp.sqrt(2)) / 2


def _ndtri(p: Number) -> Number:
    with mp.extradps(20 + _count_lost_digits(p)):
        return mp.sqrt(2) * mp.erfinv(2 * p - 1)


def _erfcinv(x: Number) -> Number:
    with mp.extradps(20 + _count_lost_digits(x)):
        return mp.erfinv(1 - x)


_MOST_LOST: Final = 2000
"""Digits of a tail, beyond which mpmath would take minutes, and at ``exp(-1e12)`` for ever."""


def _count_lost_digits(x: Number) -> int:
    """Digits that ``1 - x`` loses."""
    lost = max(0, -int(mp.floor(mp.log10(abs(x))))) if x else 0
    if lost > _MOST_LOST:
        raise OverflowError(f"a tail of {lost} digits, and {_MOST_LOST} are the most")
    return lost


def _mills(x: Number) -> Number:
    return mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi) / _ndtr(x)


def _mills_slope(x: Number) -> Number:
    ratio = _mills(x)
    return -ratio * (x + ratio)


def _normal_tail_quotient(x: Number, order: Number) -> Number:
    before, now = mp.mpf(1), 1 / _mills(-x)
    for n in range(1, int(order) + 1):
        before, now = now, (before - x * now) / n
    return now / before


def _gammaln(x: Number) -> Number:
    return mp.re(mp.loggamma(x))


def _xlogy(x: Number, y: Number) -> Number:
    return x * mp.log(y) if x else mp.mpf(0)


def round_to_even(x: Number) -> Number:
    """The nearest whole number, of two the even one."""
    below = mp.floor(x)
    rest = x - below
    if rest != mp.mpf("0.5"):
        return below if rest < mp.mpf("0.5") else below + 1
    return below if below % 2 == 0 else below + 1


def _derivative(function: Callable[[Number], Number], x: Number, order: Number) -> Number:
    """By differences, in steps relative to `x`."""
    return mp.diff(function, x, int(order), relative=True) if order else function(x)


def _ellipkm1(p: Number) -> Number:
    # mpmath's hypergeometric function takes seconds where p is small or large.
    return mp.pi / 2 / mp.agm(1, mp.sqrt(p))


def _ellipem1(p: Number) -> Number:
    return mp.ellipe(1 - p)


def _student_density(df: Number, t: Number) -> Number:
    scale = mp.beta(df / 2, mp.mpf("0.5")) * mp.sqrt(df)
    return mp.power(1 + t * t / df, -(df + 1) / 2) / scale


def _stdtr(df: Number, t: Number) -> Number:
    tail = mp.betainc(df / 2, mp.mpf("0.5"), 0, df / (df + t * t), regularized=True) / 2
    return tail if t < 0 else 1 - tail


def _ncx2_pdf(x: Number, df: Number, nc: Number) -> Number:
    power = mp.power(x / nc, df / 4 - mp.mpf("0.5")) / 2
    return power * mp.exp(-(x + nc) / 2) * mp.besseli(df / 2 - 1, mp.sqrt(nc * x))


def _wofz(x: Number, above: Number, order: int) -> Number:
    return mp.diff(lambda z: mp.exp(-z * z) * mp.erfc(-1j * z), mp.mpc(x, above), int(order))


ELEMENTWISE: Final[dict[str, Callable[..., Any]]] = {
    "absolute": abs,
    "add": operator.add,
    "airy_ai": mp.airyai,
    "airy_ai_prime": lambda x: mp.airyai(x, derivative=1),
    "airy_bi": mp.airybi,
    "airy_bi_prime": lambda x: mp.airybi(x, derivative=1),
    "arccos": mp.acos,
    "arccosh": mp.acosh,
    "arcsin": mp.asin,
    "arcsinh": mp.asinh,
    "arctan": mp.atan,
    "arctan2": mp.atan2,
    "arctanh": mp.atanh,
    "beta": mp.beta,
    "beta_density": lambda a, b, x: mp.power(x, a - 1) * mp.power(1 - x, b - 1) / mp.beta(a, b),
    "betainc": lambda a, b, x: mp.betainc(a, b, 0, x, regularized=True),
    "betaincc": lambda a, b, x: mp.betainc(a, b, x, 1, regularized=True),
    "betaln": lambda a, b: _gammaln(a) + _gammaln(b) - _gammaln(a + b),
    "binom": mp.binomial,
    "boxcox": lambda x, power: mp.expm1(power * mp.log(x)) / power if power else mp.log(x),
    "boxcox1p": lambda x, power: mp.expm1(power * mp.log1p(x)) / power if power else mp.log1p(x),
    "cbrt": lambda x: mp.cbrt(x) if x >= 0 else -mp.cbrt(-x),
    "ceil": mp.ceil,
    "conjugate": mp.conj,
    "copysign": lambda x, sign: abs(x) if sign >= 0 else -abs(x),
    "cos": mp.cos,
    "cosh": mp.cosh,
    "cosine_integral": mp.ci,
    "cospi": mp.cospi,
    "dawsn": lambda x: mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x),
    "deg2rad": lambda x: x * mp.pi / 180,
    "digamma_difference": lambda a, b: mp.digamma(a + b) - mp.digamma(a),
    "divide": _divide,
    "ellipe": lambda m, order=0: (-1) ** int(order) * _derivative(_ellipem1, 1 - m, order),
    "ellipk": lambda m, order=0: (-1) ** int(order) * _derivative(_ellipkm1, 1 - m, order),
    "ellipkm1": lambda p, order=0: _derivative(_ellipkm1, p, order),
    "entr": lambda x: -x * mp.log(x) if x else mp.mpf(0),
    "equal": operator.eq,
    "erf": mp.erf,
    "erf_slope": lambda x: 2 / mp.sqrt(mp.pi) * mp.exp(-x * x),
    "erfc": mp.erfc,
    "erfcinv": _erfcinv,
    "erfcx": lambda x: mp.exp(x * x) * mp.erfc(x),
    "erfi": mp.erfi,
    "erfi_slope": lambda x: 2 / mp.sqrt(mp.pi) * mp.exp(x * x),
    "erfinv": mp.erfinv,
    "eval_chebyt": mp.chebyt,
    "eval_gegenbauer": mp.gegenbauer,
    "eval_genlaguerre": mp.laguerre,
    "eval_hermite": mp.hermite,
    "eval_hermitenorm": lambda n, x: mp.hermite(n, x / mp.sqrt(2)) / mp.power(2, n / 2),
    "eval_jacobi": mp.jacobi,
    "exp": mp.exp,
    "exp1": mp.e1,
    "exp10": lambda x: mp.power(10, x),
    "exp2": lambda x: mp.power(2, x),
    "expi": mp.ei,
    "expit": lambda x: 1 / (1 + mp.exp(-x)),
    "expm1": mp.expm1,
    "expn": mp.expint,
    "exprel": lambda x: mp.expm1(x) / x if x else mp.mpf(1),
    "fabs": abs,
    "float_power": _power,
    "floor": mp.floor,
    "floor_divide": lambda a, b: mp.floor(a / b),
    "fmax": max,
    "fmin": min,
    "fmod": _fmod,
    "fresnel_cosine": mp.fresnelc,
    "fresnel_sine": mp.fresnels,
    "gamma": mp.gamma,
    "gamma_density": lambda a, x: mp.power(x, a - 1) * mp.exp(-x) * mp.rgamma(a),
    "gammainc": lambda a, x: mp.gammainc(a, 0, x, regularized=True),
    "gammaincc": lambda a, x: mp.gammainc(a, x, mp.inf, regularized=True),
    "gammaln": _gammaln,
    "gammasgn": lambda x: mp.sign(mp.gamma(x)),
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "heaviside": lambda x, h: h if x == 0 else mp.mpf(x > 0),
    "hyp0f1": mp.hyp0f1,
    "hyp1f1": mp.hyp1f1,
    "hyp2f1": mp.hyp2f1,
    "hyperbolic_cosine_integral": mp.chi,
    "hyperbolic_sine_integral": mp.shi,
    "hyperu": mp.hyperu,
    "hurwitz_zeta": lambda x, q, order=0: mp.zeta(x, q, order),
    "hypot": mp.hypot,
    "hypot_cosine": lambda a, b: a / mp.hypot(a, b),
    "i0": lambda x: mp.besseli(0, x),
    "i0e": lambda x: mp.exp(-abs(x)) * mp.besseli(0, x),
    "i1": lambda x: mp.besseli(1, x),
    "i1e": lambda x: mp.exp(-abs(x)) * mp.besseli(1, x),
    "imag": mp.im,
    "isfinite": mp.isfinite,
    "isinf": mp.isinf,
    "isnan": mp.isnan,
    "iv": mp.besseli,
    "ive": lambda v, x: mp.exp(-abs(x)) * mp.besseli(v, x),
    "j0": lambda x: mp.besselj(0, x),
    "j1": lambda x: mp.besselj(1, x),
    "jv": mp.besselj,
    "k0": lambda x: mp.besselk(0, x),
    "k0e": lambda x: mp.exp(x) * mp.besselk(0, x),
    "k1": lambda x: mp.besselk(1, x),
    "k1e": lambda x: mp.exp(x) * mp.besselk(1, x),
    "kl_div": lambda x, y: _xlogy(x, x / y) - x + y,
    "kolmogorov": lambda x: 1 - mp.jtheta(4, 0, mp.exp(-2 * x * x)),
    "kv": mp.besselk,
    "kve": lambda v, x: mp.exp(x) * mp.besselk(v, x),
    "lambertw": lambda z, branch=0: mp.lambertw(z, branch),
    "ldexp": lambda x, exponent: x * mp.mpf(2) ** int(exponent),
    "less": operator.lt,
    "less_equal": operator.le,
    "log": mp.log,
    "log10": mp.log10,
    "log1p": mp.log1p,
    "log2": lambda x: mp.log(x, 2),
    "log_expit": lambda x: -mp.log1p(mp.exp(-x)),
    "log_ndtr": lambda x: mp.log(_ndtr(x)),
    "log_ratio": lambda x, y: mp.log(x / y),
    "logaddexp": lambda a, b: mp.log(mp.exp(a) + mp.exp(b)),
    "logaddexp2": lambda a, b: mp.log(mp.power(2, a) + mp.power(2, b), 2),
    "logaddexp_share": lambda a, b: 1 / (1 + mp.exp(b - a)),
    "logaddexp2_share": lambda a, b: 1 / (1 + mp.power(2, b - a)),
    "logical_and": lambda a, b: bool(a) and bool(b),
    "logical_not": operator.not_,
    "logical_or": lambda a, b: bool(a) or bool(b),
    "logical_xor": lambda a, b: bool(a) != bool(b),
    "loggamma": mp.loggamma,
    "logistic_density": lambda x: 1 / (2 + mp.exp(x) + mp.exp(-x)),
    "logit": lambda p: mp.log(p) - mp.log1p(-p),
    "maximum": max,
    "mills": _mills,
    "mills_slope": _mills_slope,
    "ncx2_pdf": _ncx2_pdf,
    "normal_tail_quotient": _normal_tail_quotient,
    "minimum": min,
    "multiply": operator.mul,
    "ndtr": _ndtr,
    "ndtri": _ndtri,
    "ndtri_exp": lambda y: _ndtri(mp.exp(y)),
    "negative": operator.neg,
    "normal_density": lambda x: mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi),
    "not_equal": operator.ne,
    "one_less_square": lambda x: 1 - x * x,
    "one": lambda x: mp.mpf(1),
    "poch": mp.rf,
    "polygamma": lambda order, x: mp.psi(int(order), x),
    "positive": operator.pos,
    "power": _power,
    "psi": mp.digamma,
    "rad2deg": lambda x: x * 180 / mp.pi,
    "real": mp.re,
    "reciprocal": lambda x: 1 / x,
    "rel_entr": lambda x, y: _xlogy(x, x / y),
    "remainder": lambda a, b: a - b * mp.floor(a / b),
    "rgamma": mp.rgamma,
    "rint": round_to_even,
    "sech2": lambda x: 1 / mp.cosh(x) ** 2,
    "sign": mp.sign,
    "signbit": lambda x: x < 0,
    "sin": mp.sin,
    "sinc": lambda x: mp.sinc(mp.pi * x),
    "sine_quotient": lambda x, order: mp.hyp0f1(int(order) + mp.mpf(3) / 2, -x * x / 4),
    "sine_integral": mp.si,
    "sinh": mp.sinh,
    "sinpi": mp.sinpi,
    "spence": lambda z: mp.polylog(2, 1 - z),
    "sqrt": mp.sqrt,
    "square": lambda x: x * x,
    "stdtr": _stdtr,
    "stop_gradient": operator.pos,
    "student_density": _student_density,
    "subtract": operator.sub,
    "tan": mp.tan,
    "tanh": mp.tanh,
    "times_half_sqrt_pi": lambda x: x * mp.sqrt(mp.pi) / 2,
    "times_log10": lambda x: x * mp.log(10),
    "times_log2": lambda x: x * mp.log(2),
    "times_pi": lambda x: x * mp.pi,
    "trunc": lambda x: mp.floor(x) if x >= 0 else mp.ceil(x),
    "where": lambda condition, a, b: a if condition else b,
    "wofz_imag": lambda x, above, order=0: _wofz(x, above, order).imag,
    "wofz_real": lambda x, above, order=0: _wofz(x, above, order).real,
    "xlog1py": lambda x, y: x * mp.log1p(y) if x else mp.mpf(0),
    "xlogy": _xlogy,
    "y0": lambda x: mp.bessely(0, x),
    "y1": lambda x: mp.bessely(1, x),
    "yv": mp.bessely,
}
"""By name; what is not here is not rechecked."""

SLOW: Final = frozenset(
    (
        *("betaincc", "hyp0f1", "hyp1f1", "hyp2f1", "hyperu", "kolmogorov", "lambertw", "ncx2_pdf"),
        *("spence", "stdtr", "wofz_imag", "wofz_real", "hurwitz_zeta"),
        *("betainc", "expn", "exp1", "gammainc", "gammaincc", "k0", "k0e", "k1", "k1e", "kv"),
        *("kve", "ndtri", "ndtri_exp", "erfinv", "erfcinv", "y0", "y1", "yv"),
    )
)
"""What may take mpmath seconds at hundreds of digits."""
