"""What SymPy's functions are on Arb balls.

Every reading encloses the function over the whole ball it is given, or answers a ball that is
not finite.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

from flint import acb, arb, fmpq

from symtape.symbolic.template import Arithmetic


def square(x: Any) -> Any:
    """``x**2``; never negative.

    Examples
    --------
    >>> from flint import arb
    >>> square(arb(0, 2)) >= 0, square(arb(0, 2)).contains(4)
    (True, True)
    """
    return _nonnegative(x * x)


def _nonnegative(x: Any) -> Any:
    """What is left of a ball of squares; of a wide one around 0 half is no square."""
    return x if x >= 0 or x.is_nan() else x.nonnegative_part()


def integer_power(x: Any, n: int) -> Any:
    """``x**n``; ``arb(0, 1)**2`` itself is nan.

    Examples
    --------
    >>> from flint import arb
    >>> integer_power(arb(0, 1), 2).contains(1), integer_power(arb(-2), -3)
    (True, -0.125000000000000)
    """
    if n < 0:
        return 1 / integer_power(x, -n)
    if n and n % 2 == 0:
        return _nonnegative(integer_power(x * x, n // 2))
    base, result = x, arb(1)
    while n:
        if n & 1:
            result = result * base
        n >>= 1
        if n:
            base = square(base)
    return result


def power(x: Any, y: Any) -> Any:
    """``x**y`` of reals: of a negative base at integer exponents only."""
    y = arb(y)
    whole = y.unique_fmpz() if y.is_exact() else None
    if whole is not None and abs(int(whole)) <= 1024:
        return integer_power(x, int(whole))
    if x > 0:
        return (y * x.log()).exp()
    if x.is_zero() and y > 0:
        return arb(0)
    if x >= 0 and y > 0:
        return arb(0).union((y * x.upper().log()).exp())
    return arb("nan")


def _log_gamma(x: Any) -> Any:
    return x.lgamma() if x > 0 else abs(x.gamma()).log()


def _polygamma(order: Any, x: Any) -> Any:
    if order.is_zero():
        return x.digamma()
    return acb(x).polygamma(acb(order)).real


def _betainc(a: Any, b: Any, start: Any, stop: Any) -> Any:
    whole = stop.beta_lower(a, b, 1)
    return whole if start.is_zero() else whole - start.beta_lower(a, b, 1)


def _heaviside(x: Any, at_zero: Any = None) -> Any:
    if x > 0:
        return arb(1)
    if x < 0:
        return arb(0)
    if x.is_zero() and at_zero is not None:
        return at_zero
    return arb(0).union(arb(1))


def _sinc_derivative(order: Any, u: Any) -> Any:
    """By sin(u)/u, the integral over t in [0, 1] of cos(u t) (DLMF 10.54.2)."""
    n = int(order.unique_fmpz())
    moment = acb(0, u).hypgeom_1f1(acb(n + 1), acb(n + 2)) / (n + 1)
    return (acb(0, 1) ** n * moment).real


def _hermite_prob(degree: Any, x: Any) -> Any:
    return acb(x / arb(2).sqrt()).hermite_h(degree).real / arb(2) ** (degree / 2)


def _real(method: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: method(acb(x)).real


CONSTANTS: Final[dict[str, Callable[[], Any]]] = {
    "pi": arb.pi,
    "E": arb.const_e,
    "EulerGamma": arb.const_euler,
    "Catalan": arb.const_catalan,
}
"""Numbers that depend on the precision."""

_SAME: Final = (
    "exp sin cos tan cot sec csc asin acos atan sinh cosh tanh coth sech csch asinh acosh atanh "
    "floor erf erfc erfi erfinv erfcinv gamma digamma sinc"
)
FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    **{name: getattr(arb, name) for name in _SAME.split()},
    "log": lambda x, base=None: x.log() if base is None else x.log() / base.log(),
    "atan2": lambda y, x: arb.atan2(y, x),
    "Abs": abs,
    "sign": arb.sgn,
    "ceiling": arb.ceil,
    "Heaviside": _heaviside,
    "Max": lambda *xs: functools.reduce(arb.max, xs),
    "Min": lambda *xs: functools.reduce(arb.min, xs),
    "Mod": lambda x, y: x - (x / y).floor() * y,
    "loggamma": _log_gamma,
    "factorial": lambda x: (x + 1).gamma(),
    "beta": lambda a, b: a.gamma() * b.gamma() * (a + b).rgamma(),
    "polygamma": _polygamma,
    "lowergamma": lambda s, x: x.gamma_lower(s),
    "uppergamma": lambda s, x: x.gamma_upper(s),
    "betainc_regularized": _betainc,
    "zeta": lambda s, a=None: s.zeta() if a is None else s.zeta(a),
    "polylog": lambda s, x: x.polylog(s),
    "LambertW": lambda x, branch=None: x.lambertw() if branch is None else x.lambertw(-1),
    "WithLambert": lambda x: x.lambertw(),
    "SincDerivative": _sinc_derivative,
    "besselj": lambda order, x: x.bessel_j(order),
    "bessely": lambda order, x: x.bessel_y(order),
    "besseli": lambda order, x: x.bessel_i(order),
    "besselk": lambda order, x: x.bessel_k(order),
    "airyai": arb.airy_ai,
    "airybi": arb.airy_bi,
    "airyaiprime": lambda x: x.airy()[1],
    "airybiprime": lambda x: x.airy()[3],
    "expint": lambda order, x: x.expint(order),
    "Ei": arb.ei,
    "Si": arb.si,
    "Ci": arb.ci,
    "Shi": arb.shi,
    "Chi": arb.chi,
    "fresnels": lambda x: x.fresnel_s(),
    "fresnelc": lambda x: x.fresnel_c(),
    "chebyshevt": lambda n, x: acb(x).chebyshev_t(n).real,
    "chebyshevu": lambda n, x: acb(x).chebyshev_u(n).real,
    "gegenbauer": lambda n, a, x: acb(x).gegenbauer_c(n, a).real,
    "jacobi": lambda n, a, b, x: acb(x).jacobi_p(n, a, b).real,
    "assoc_laguerre": lambda n, a, x: acb(x).laguerre_l(n, a).real,
    "hermite": lambda n, x: acb(x).hermite_h(n).real,
    "hermite_prob": _hermite_prob,
    "elliptic_k": _real(lambda m: m.elliptic_k()),
    "elliptic_e": _real(lambda m: m.elliptic_e()),
    "hyper": lambda upper, lower, x: x.hypgeom(upper, lower),
}
"""A reading on balls for each function of SymPy."""


BALLS: Final = Arithmetic(
    refusal="no reading on balls of {}",
    exact=lambda x: fmpq(x.numerator, x.denominator),
    number=arb,
    powers={
        "square": square,
        "int_power": integer_power,
        "sqrt": arb.sqrt,
        "rsqrt": arb.rsqrt,
        "power": power,
    },
    functions=FUNCTIONS,
    constants=CONSTANTS,
)
