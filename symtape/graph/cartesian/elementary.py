"""Exponential, trigonometric and hyperbolic functions, logarithms, roots and powers."""

from __future__ import annotations

from typing import Any

import numpy as np

from symtape.errors import Unsupported
from symtape.graph.cartesian import parts as arithmetic
from symtape.graph.cartesian.exact import ONE, pi_times, record_constant
from symtape.graph.cartesian.parts import (
    Parts,
    Real,
    absolute,
    divide,
    dtype_of,
    map_parts,
    multiply,
    pair,
    parts,
    times,
)
from symtape.graph.cartesian.readings import reads, reads_parts
from symtape.graph.cartesian.slack import slack
from symtape.primitives.exponential import TIMES_LOG_2, TIMES_LOG_10
from symtape.primitives.trigonometric import TIMES_PI

for _name in ("add", "subtract", "multiply", "divide", "negative", "conjugate", "square"):
    reads_parts(_name)(getattr(arithmetic, _name))
reads_parts("absolute")(absolute)

_FEW = 2
"""Half of the roundings that C's complex functions make beyond those of their real ones (the GNU
C Library Reference Manual, Known Maximum Errors: at most 4 units in the last place)."""

_MOST_MULTIPLIED = 100
"""Integer exponents below this one are multiplied out, as NumPy does."""


def slacken(z: Parts) -> Parts:
    """`z`, computed by a complex function of C's."""
    return map_parts(z, lambda x: slack(x, _FEW))


@reads_parts("real")
def real(z: Parts) -> Real:
    """The real part."""
    return z.real


@reads_parts("imag")
def imag(z: Parts) -> Real:
    """The imaginary part."""
    return z.imag


@reads_parts("reciprocal")
def reciprocal(z: Parts) -> Parts:
    """``1 / z``."""
    return divide(Parts(1.0, None), z)


@reads_parts("sign")
def sign(z: Parts) -> Parts:
    """``z / abs(z)``."""
    return divide(z, Parts(absolute(z), None))


@reads_parts("angle")
def angle(z: Parts, deg: bool = False) -> Real:
    """The argument, from -pi to pi."""
    if z.im is None:
        found = _choose_part(z.re < 0, z.side * pi_times(1, dtype_of(z)), 0.0)
    elif z.re is None:
        found = _choose_part(z.im < 0, pi_times(-0.5, dtype_of(z)), pi_times(0.5, dtype_of(z)))
    else:
        found = np.arctan2(z.im, z.re)
    return np.rad2deg(found) if deg else found


def _choose_part(condition: Any, one: Any, other: Any) -> Any:
    """``np.where``, without a choice where there is none."""
    if isinstance(condition, bool | np.bool_):
        return one if condition else other
    return np.where(condition, one, other)


@reads_parts("exp")
def exp(z: Parts) -> Parts:
    """``exp(x) (cos y + i sin y)``."""
    if z.im is None:
        return Parts(np.exp(z.re), None)
    if z.re is None:
        return Parts(np.cos(z.im), np.sin(z.im))
    size = np.exp(z.re)
    return slacken(Parts(size * np.cos(z.im), size * np.sin(z.im)))


@reads_parts("exp2")
def exp2(z: Parts) -> Parts:
    """``2**z``."""
    return exp(map_parts(z, TIMES_LOG_2))


@reads_parts("expm1")
def expm1(z: Parts) -> Parts:
    """``exp(z) - 1``, as NumPy computes it."""
    if z.im is None:
        return Parts(np.expm1(z.re), None)
    x = z.real
    re = np.expm1(x) * np.cos(z.im) - 2 * np.square(np.sin(z.im / 2))
    return slacken(Parts(re, np.exp(x) * np.sin(z.im)))


@reads_parts("log")
def log(z: Parts) -> Parts:
    """``log(abs(z)) + i angle(z)``, cut along the negative numbers."""
    return slacken(Parts(np.log(absolute(z)), angle(z)))


@reads_parts("log1p")
def log1p(z: Parts) -> Parts:
    """``log(1 + z)``, which NumPy computes as that."""
    return log(Parts(arithmetic.plus(1.0, z.re), z.im, z.side))


@reads_parts("log2")
def log2(z: Parts) -> Parts:
    """The logarithm to the base 2."""
    return divide(log(z), Parts(TIMES_LOG_2(_one(z)), None))


@reads_parts("log10")
def log10(z: Parts) -> Parts:
    """The logarithm to the base 10."""
    return divide(log(z), Parts(TIMES_LOG_10(_one(z)), None))


def _one(z: Parts) -> Any:
    return ONE.get().astype(dtype_of(z))


@reads_parts("sqrt")
def sqrt(z: Parts) -> Parts:
    """The root with a real part of at least 0, cut along the negative numbers."""
    if z.im is None:
        root = np.sqrt(np.abs(z.re))
        return Parts(_choose_part(z.re < 0, 0.0, root), z.side * _choose_part(z.re < 0, root, 0.0))
    if z.re is None:
        root = np.sqrt(np.abs(z.im) / 2)
        return Parts(root, _choose_part(z.im < 0, -root, root))
    root, half = np.sqrt(absolute(z)), angle(z) / 2
    return slacken(Parts(root * np.cos(half), root * np.sin(half)))


@reads_parts("sin")
def sin(z: Parts) -> Parts:
    """``sin x cosh y + i cos x sinh y``."""
    if z.im is None:
        return Parts(np.sin(z.re), None)
    if z.re is None:
        return Parts(None, np.sinh(z.im))
    return slacken(Parts(np.sin(z.re) * np.cosh(z.im), np.cos(z.re) * np.sinh(z.im)))


@reads_parts("cos")
def cos(z: Parts) -> Parts:
    """``cos x cosh y - i sin x sinh y``."""
    if z.im is None:
        return Parts(np.cos(z.re), None)
    if z.re is None:
        return Parts(np.cosh(z.im), None)
    return slacken(Parts(np.cos(z.re) * np.cosh(z.im), -(np.sin(z.re) * np.sinh(z.im))))


@reads_parts("sinh")
def sinh(z: Parts) -> Parts:
    """``-i sin(i z)``."""
    turned = sin(arithmetic.times_i(z))
    return pair(turned.im, arithmetic.minus(None, turned.re))


@reads_parts("cosh")
def cosh(z: Parts) -> Parts:
    """``cos(i z)``."""
    return cos(arithmetic.times_i(z))


@reads_parts("tan")
def tan(z: Parts) -> Parts:
    """``(sin 2x + i sinh 2y) / (cos 2x + cosh 2y)``."""
    if z.im is None:
        return slacken(Parts(np.tan(z.re), None))
    if z.re is None:
        return slacken(Parts(None, np.tanh(z.im)))
    x, y = 2 * z.re, 2 * z.im
    below = np.cos(x) + np.cosh(y)
    return slacken(Parts(np.sin(x) / below, np.sinh(y) / below))


@reads_parts("tanh")
def tanh(z: Parts) -> Parts:
    """``-i tan(i z)``."""
    turned = tan(arithmetic.times_i(z))
    return pair(turned.im, arithmetic.minus(None, turned.re))


@reads_parts("sech2")
def sech2(z: Parts) -> Parts:
    """``1 / cosh(z)**2``."""
    return reciprocal(arithmetic.square(cosh(z)))


@reads_parts("one_less_square")
def one_less_square(z: Parts) -> Parts:
    """``(1 - z) (1 + z)``."""
    one = Parts(1.0, None)
    return multiply(arithmetic.subtract(one, z), arithmetic.add(one, z))


@reads_parts("sinc")
def sinc(z: Parts) -> Parts:
    """``sin(pi z) / (pi z)``."""
    turned = map_parts(z, TIMES_PI)
    return divide(sin(turned), turned)


@reads("sinc_kernel")
def sinc_kernel(x: Any, order: Any) -> Parts:
    """The spherical Bessel function of an order over the power of its argument, 1 at 0."""
    turned = map_parts(parts(x), TIMES_PI)
    before, now, factor = divide(cos(turned), turned), divide(sin(turned), turned), 1
    for k in range(int(plain(order))):
        step = divide(Parts(2.0 * k + 1, None), turned)
        before, now = now, arithmetic.subtract(multiply(step, now), before)
        now, before = divide(now, turned), divide(before, turned)
        factor *= 2 * k + 3
    return arithmetic.scale_parts(now, float(factor))


@reads("sinc_slope")
def sinc_slope(x: Any, order: Any) -> Parts:
    """``x`` times the kernel."""
    return multiply(parts(x), sinc_kernel(x, order))


@reads("power", "float_power")
def power(base: Any, exponent: Any) -> Parts:
    """``base ** exponent``: multiplied out as NumPy does, or ``exp(exponent log(base))``."""
    z, w = parts(base), parts(exponent)
    whole = _integer_exponent(w)
    if whole is not None:
        return _multiply_repeatedly(z, whole)
    if not any(hasattr(type(x), "_apply_primitive") for x in (z.re, z.im)):
        z = map_parts(z, lambda x: record_constant(x, dtype_of(w)))
    if w.im is None:
        return _real_power(z, w.re)
    return map_parts(exp(multiply(w, log(z))), lambda x: slack(x, 4 * _FEW))


def _integer_exponent(w: Parts) -> int | None:
    if w.im is not None or hasattr(type(w.re), "_apply_primitive"):
        return None
    numbers = np.unique(np.asarray(w.re))
    if numbers.size != 1 or not float(numbers[0]).is_integer():
        return None
    return int(numbers[0]) if abs(numbers[0]) < _MOST_MULTIPLIED else None


def _multiply_repeatedly(z: Parts, exponent: int) -> Parts:
    if exponent < 0:
        return reciprocal(_multiply_repeatedly(z, -exponent))
    if exponent == 0:
        return Parts(np.ones(np.shape(z.re if z.re is not None else z.im), dtype_of(z))[()], None)
    found, factor, left = None, z, exponent
    while left:
        if left & 1:
            found = factor if found is None else multiply(found, factor)
        left >>= 1
        factor = arithmetic.square(factor) if left else factor
    assert found is not None
    return found


def _real_power(z: Parts, exponent: Real) -> Parts:
    size, turned = absolute(z), times(exponent, angle(z))
    # C's function computes exp(exponent log(z)), which multiplies the rounding of the logarithm.
    logs = np.abs(np.asarray(plain(exponent)) * np.log(np.asarray(plain(size))))
    lost = _FEW + int(np.max(logs, initial=0.0, where=np.isfinite(logs)))
    size = slack(size**exponent, lost)
    return slacken(Parts(size * np.cos(turned), size * np.sin(turned)))


def plain(x: Any) -> Any:
    """The value of a tensor; anything else as it is."""
    return getattr(x, "_value", x)


def refuse(name: str) -> Unsupported:
    """What a row of which complex numbers have no reading is answered with."""
    return Unsupported(f"{name} of complex numbers has no reading by real and imaginary parts")
