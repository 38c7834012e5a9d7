"""Elementary functions of balls.

Each holds every value that the function takes on the ball. A narrow ball goes to Arb, which
uses the slope at the midpoint; of a wide one, a monotone function is taken at the ends, because
slopes blow up (Arb's tanh of 0 ± 10 has a radius of 6e8).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from flint import arb

from symtape.rigorous.scalar import (
    UNKNOWN,
    Ball,
    apply_increasing,
    binary,
    enclose_interval,
    hull,
    is_narrow,
    nonnegative,
    unary,
)

DIRECT: Final[dict[Any, tuple[Callable[[Ball], Ball], Callable[[Ball], int] | None]]] = {}
"""What Arb itself computes for a function here: where a measure of the ball, in bits, is above
:data:`ENOUGH`, or everywhere."""

ENOUGH: Final = 9

_LARGEST_PRODUCT: Final = 1 << 20
"""Integer powers beyond are taken by exp and log."""


def _quick(
    function: Callable[[Ball], Ball],
    of_any: Callable[[Ball], Ball],
    meaning: str,
    measure: Callable[[Ball], int],
) -> Callable[[Any], Any]:
    """A function of which a ball that is narrow, by a measure in bits, goes to Arb at once."""
    lifted = unary(of_any)

    def call(x: Any) -> Any:
        # The commonest case by itself: a call less, beside one that takes no longer.
        if type(x) is arb and measure(x) > ENOUGH:
            return function(x)
        return lifted(x)

    call.__name__ = call.__qualname__ = function.__name__.lstrip("_")
    call.__doc__ = meaning
    DIRECT[call] = function, measure
    return call


def lift_monotone(
    function: Callable[[Ball], Ball],
    meaning: str,
    from_ends: Callable[[Callable[[Ball], Ball], Ball], Ball] = apply_increasing,
) -> Callable[[Any], Any]:
    """A function that increases everywhere, or decreases."""

    def direct(x: Ball) -> Ball:
        return function(x) if is_narrow(x) else from_ends(function, x)

    return _quick(function, direct, meaning, arb.rel_one_accuracy_bits)


def _own_log(x: Ball) -> Ball:
    return (
        x.log() if x.rel_accuracy_bits() > 9 else apply_increasing(arb.log, x) if x > 0 else UNKNOWN
    )


def _own_sqrt(x: Ball) -> Ball:
    if x.rel_accuracy_bits() > 9:
        return x.sqrt()
    return apply_increasing(arb.sqrt, nonnegative(x)) if x >= 0 else UNKNOWN


exp = lift_monotone(arb.exp, "The exponential.")
expm1 = lift_monotone(arb.expm1, "``exp(x) - 1``.")
sinh = lift_monotone(arb.sinh, "The hyperbolic sine.")
tanh = lift_monotone(arb.tanh, "The hyperbolic tangent.")
arcsinh = lift_monotone(arb.asinh, "The inverse of sinh.")
arctan = lift_monotone(arb.atan, "The inverse of tan.")


def lift_direct(function: Callable[[Ball], Ball], meaning: str) -> Callable[[Any], Any]:
    """A function that Arb encloses well on any ball."""
    lifted = unary(function)

    def call(x: Any) -> Any:
        return function(x) if type(x) is arb else lifted(x)

    call.__name__ = call.__qualname__ = function.__name__.lstrip("_")
    call.__doc__ = meaning
    DIRECT[call] = function, None
    return call


log = _quick(
    arb.log, _own_log, "The natural logarithm, unknown unless ``x > 0``.", arb.rel_accuracy_bits
)
sqrt = _quick(
    arb.sqrt,
    _own_sqrt,
    "The square root, unknown where `x` may be negative.",
    arb.rel_accuracy_bits,
)


def _own_sin(x: Ball) -> Ball:
    return x.sin() if is_narrow(x) or not x.rad() < 1 else _turn(x.mid().sin(), x.mid().cos(), x)


def _own_cos(x: Ball) -> Ball:
    return x.cos() if is_narrow(x) or not x.rad() < 1 else _turn(x.mid().cos(), -x.mid().sin(), x)


def _turn(value: Ball, slope: Ball, x: Ball) -> Ball:
    """A sine of a wide ball by its addition theorem, from value and slope at the midpoint.

    Arb's own has the radius of its argument.
    """
    radius = arb(x.rad())
    return value * radius.cos().union(arb(1)) + slope * arb(0, radius.sin().upper())


sin = _quick(arb.sin, _own_sin, "The sine.", arb.rel_one_accuracy_bits)
cos = _quick(arb.cos, _own_cos, "The cosine.", arb.rel_one_accuracy_bits)
tan = lift_direct(arb.tan, "The tangent, unknown if a pole may be inside.")


@unary
def exp2(x: Ball) -> Ball:
    """``2**x``."""
    if x.is_integer() and abs(x) < _LARGEST_PRODUCT:
        return _power_of(arb(2), int(x.unique_fmpz()))
    return exp(x * arb.const_log2())


@unary
def log1p(x: Ball) -> Ball:
    """``log(1 + x)``, unknown unless ``x > -1``."""
    if is_narrow(x) and (1 + x).rel_accuracy_bits() > 9:
        return x.log1p()
    return apply_increasing(arb.log1p, x) if x > -1 else UNKNOWN


@unary
def log2(x: Ball) -> Ball:
    """The logarithm by base 2, exact at powers of 2."""
    if x.is_exact() and x.is_finite() and x > 0:
        mantissa, exponent = x.man_exp()
        if mantissa == 1:
            return arb(exponent)
    return _own_log(x) / arb.const_log2()


@unary
def log10(x: Ball) -> Ball:
    """The logarithm by base 10."""
    return _own_log(x) / arb.const_log10()


@unary
def cbrt(x: Ball) -> Ball:
    """The real cube root, of either sign."""
    return _cube_root(x) if x.rel_accuracy_bits() > 9 else apply_increasing(_cube_root, x)


def _cube_root(x: Ball) -> Ball:
    if x > 0:
        return x.root(3)
    if x < 0:
        return -((-x).root(3))
    return x if x.is_zero() else UNKNOWN


@unary
def absolute(x: Ball) -> Ball:
    """``|x|``, never crossing zero."""
    if x >= 0:
        return x
    if x <= 0:
        return -x
    return arb(0).union(x.abs_upper()).nonnegative_part() if x.is_finite() else UNKNOWN


@unary
def square(x: Ball) -> Ball:
    """``x * x``, never negative."""
    return x * x if x.rel_accuracy_bits() > 9 else integer_power(x, 2)


@unary
def reciprocal(x: Ball) -> Ball:
    """``1 / x``, unknown if `x` may be zero."""
    return 1 / x


def integer_power(x: Any, n: int) -> Any:
    """``x**n`` for an integer `n`; ``x**0`` is 1 everywhere.

    Arb's own operator answers nan for ``arb(0, 1)**2`` (python-flint issue 8), so powers are
    products here, and of a wide ball are taken at its ends.
    """
    return _integer_power(x, int(n))


def _integer_power(x: Any, n: int) -> Any:
    return unary(lambda ball: _power_of(ball, n))(x)


def _power_of(x: Ball, n: int) -> Ball:
    if n < 0:
        return 1 / _power_of(x, -n)
    if n == 0:
        return arb(1)
    if n > _LARGEST_PRODUCT:
        return _huge_power(x, n)
    if x.rel_accuracy_bits() > 9 + n.bit_length():
        return multiply_repeatedly(x, n)
    if n % 2:
        return apply_increasing(lambda end: multiply_repeatedly(end, n), x)
    return apply_increasing(lambda end: multiply_repeatedly(end, n), absolute(x))


def multiply_repeatedly(x: Any, n: int) -> Any:
    """``x**n`` of a positive integer, by as few products as halving it takes."""
    result = None
    while True:
        if n & 1:
            result = x if result is None else result * x
        n >>= 1
        if not n:
            return result
        x = x * x


def _huge_power(x: Ball, n: int) -> Ball:
    if not x.is_finite():
        return UNKNOWN
    size = absolute(x)
    if size > 0:
        result = exp(n * _own_log(size))
        return -result if n % 2 and x < 0 else result
    top = size.upper()
    bound = exp(n * _own_log(top)) if top > 0 else arb(0)
    return hull(-bound, bound) if n % 2 else enclose_interval(arb(0), bound)


@binary
def power(x: Ball, y: Ball) -> Ball:
    """``x**y`` over the reals.

    An exact integer `y` takes any `x`; any other needs ``x >= 0``, and ``y > 0`` where `x` may
    be zero. As in NumPy, ``x**0`` and ``1**y`` are 1.
    """
    if y.is_integer():
        return _power_of(x, int(y.unique_fmpz()))
    if x == 1:
        return arb(1)
    if (2 * y).is_integer() and abs(y) < 8 and x >= 0:
        return _power_of(_own_sqrt(x), int((2 * y).unique_fmpz()))
    if x > 0:
        return exp(y * _own_log(x)) if is_narrow(y) else _power_at_corners(x, y)
    if not (x >= 0 and y > 0):
        return UNKNOWN
    top = x.upper()
    if not top > 0:
        return arb(0)
    return enclose_interval(
        arb(0), hull(*(exp(end * _own_log(top)) for end in (y.lower(), y.upper())))
    )


def _power_at_corners(x: Ball, y: Ball) -> Ball:
    logs = (x.lower().log(), x.upper().log())
    if not all(part.is_finite() for part in logs):
        return UNKNOWN
    products = [part * end for part in logs for end in (y.lower(), y.upper())]
    return nonnegative(hull(*(exp(product) for product in products)))


@unary
def cosh(x: Ball) -> Ball:
    """The hyperbolic cosine."""
    return x.cosh() if is_narrow(x) else apply_increasing(arb.cosh, absolute(x))


@unary
def sech2(x: Ball) -> Ball:
    """``1 / cosh(x)**2``, the derivative of tanh."""
    if not is_narrow(x):
        size = absolute(x)
        return enclose_interval(_sech2(size.upper()), _sech2(size.lower()))
    return _sech2(x)


def _sech2(x: Ball) -> Ball:
    decay = (-2 * abs(x)).exp() if not x.contains(0) else (-2 * x).exp()
    return 4 * decay / ((1 + decay) * (1 + decay))


@unary
def arcsin(x: Ball) -> Ball:
    """The inverse of sin, unknown outside of [-1, 1]."""
    return x.asin() if _is_inside_domain(x) else apply_increasing(arb.asin, x)


@unary
def arccos(x: Ball) -> Ball:
    """The inverse of cos, unknown outside of [-1, 1]."""
    return (
        x.acos() if _is_inside_domain(x) else enclose_interval(x.upper().acos(), x.lower().acos())
    )


def _is_inside_domain(x: Ball) -> bool:
    """Whether `x` is far from the ends of [-1, 1] compared with its radius."""
    return bool((1 - x * x).rel_accuracy_bits() > 9)


@unary
def arccosh(x: Ball) -> Ball:
    """The inverse of cosh, unknown below 1."""
    return x.acosh() if (x - 1).rel_accuracy_bits() > 9 else apply_increasing(arb.acosh, x)


@unary
def arctanh(x: Ball) -> Ball:
    """The inverse of tanh, unknown outside of (-1, 1)."""
    return x.atanh() if _is_inside_domain(x) else apply_increasing(arb.atanh, x)


@binary
def arctan2(y: Ball, x: Ball) -> Ball:
    """The angle of the point (x, y).

    On the negative x axis both π and -π, because floats distinguish 0.0 and -0.0 there and
    balls do not; at the origin all of them.
    """
    if x > 0 or y > 0 or y < 0:
        return arb.atan2(y, x)
    if x < 0 and not y.is_zero():
        return arb.atan2(y, x) if y.is_finite() else UNKNOWN
    return hull(-arb.pi(), arb.pi()) if x.is_finite() and y.is_finite() else UNKNOWN


@binary
def hypot(x: Ball, y: Ball) -> Ball:
    """``sqrt(x² + y²)``; one exact zero leaves the absolute value of the other."""
    if x.rel_accuracy_bits() > 9 and y.rel_accuracy_bits() > 9:
        return (x * x + y * y).sqrt()
    if x.is_zero():
        return absolute(y)
    if y.is_zero():
        return absolute(x)
    return _own_sqrt(nonnegative(square(x) + square(y)))


@binary
def hypot_cosine(x: Ball, y: Ball) -> Ball:
    """``x / hypot(x, y)``; 0 at the origin, and never beyond 1 around it."""
    length = hypot(x, y)
    if length.is_zero():
        return arb(0)
    return arb(0, 1) if length.is_finite() and length.contains(0) else x / length


@binary
def logaddexp(x: Ball, y: Ball) -> Ball:
    """``log(exp(x) + exp(y))``, without the detour by large numbers."""
    if is_narrow(x) and is_narrow(y):
        return _logaddexp(x, y)
    return enclose_interval(_logaddexp(x.lower(), y.lower()), _logaddexp(x.upper(), y.upper()))


def _logaddexp(x: Ball, y: Ball) -> Ball:
    return x.max(y) + (-abs(x - y)).exp().log1p()


@binary
def logaddexp2(x: Ball, y: Ball) -> Ball:
    """``log2(2**x + 2**y)``."""
    unit = arb.const_log2()
    return logaddexp(x * unit, y * unit) / unit


@unary
def softplus(x: Ball) -> Ball:
    """``log(1 + exp(x))``."""
    return _softplus(x) if is_narrow(x) else apply_increasing(_softplus, x)


def _softplus(x: Ball) -> Ball:
    if x > 0:
        return x + (-x).exp().log1p()
    return x.exp().log1p()
