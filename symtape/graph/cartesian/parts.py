"""A complex array as its real and imaginary parts, and the arithmetic of such pairs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from symtape.graph.cartesian.exact import record_constant
from symtape.graph.cartesian.slack import slack

_SMALL: Final = 1024
"""Whole numbers up to this one are multiplied and added as they are."""

Real: TypeAlias = Any
"""A tensor, a NumPy array or a number; None, of parts that may be zero."""


@dataclass(frozen=True, slots=True)
class Parts:
    """A complex array.

    Attributes
    ----------
    re, im : tensor, array or None
        None for a part that is zero whatever the arguments are; never both.
    side : array or float
        The sign of the zero where a part is None: on which side of a cut along an axis.
    """

    re: Real
    im: Real
    side: Any = 1.0

    @property
    def real(self) -> Real:
        """The real part, zeros included."""
        return self.re if self.re is not None else _zeros(self.im)

    @property
    def imag(self) -> Real:
        """The imaginary part, zeros included."""
        return self.im if self.im is not None else _zeros(self.re)


def parts(x: Any) -> Parts:
    """A number, an array or a tensor as its parts."""
    if isinstance(x, Parts):
        return x
    kind = x.dtype.kind if hasattr(x, "dtype") else np.asarray(x).dtype.kind
    if kind != "c":
        return Parts(x, None)
    # Numbers of Python's take the precision of what is beside them.
    re, im = x.real, x.imag
    if not np.any(im):
        return Parts(re, None, np.copysign(1.0, im))
    return Parts(re, im) if np.any(re) else Parts(None, im, np.copysign(1.0, re))


def pair(re: Real, im: Real) -> Parts:
    """The parts, of which one may be zero; zeros of the shape of nothing where both are."""
    return Parts(0.0, None) if re is None and im is None else Parts(re, im)


def map_parts(z: Parts, function: Callable[[Real], Real]) -> Parts:
    """`z` with `function` of each part that is not zero anyway."""
    return pair(*(None if x is None else function(x) for x in (z.re, z.im)))


def take(z: Parts, index: Any) -> Parts:
    """``z[index]``."""
    return map_parts(z, lambda x: x[index])


def stack_parts(rows: Sequence[Parts], axis: int = 0) -> Parts:
    """``np.stack(rows, axis)``."""
    re = None if all(z.re is None for z in rows) else np.stack([z.real for z in rows], axis)
    im = None if all(z.im is None for z in rows) else np.stack([z.imag for z in rows], axis)
    return pair(re, im)


def dtype_of(z: Parts) -> Any:
    """The dtype of the parts."""
    return _float_dtype(z.im if z.re is None else z.re)


def _float_dtype(x: Real) -> Any:
    return x.dtype if hasattr(x, "dtype") and x.dtype.kind == "f" else np.dtype(np.float64)


def _zeros(like: Real) -> Any:
    return np.zeros(np.shape(like), _float_dtype(like))[()]


def plus(a: Real, b: Real) -> Real:
    """The sum of two parts."""
    if a is None or b is None:
        return b if a is None else a
    return record_if_inexact(a, b) + b


def minus(a: Real, b: Real) -> Real:
    """The difference of two parts."""
    if b is None:
        return a
    return -b if a is None else record_if_inexact(a, b) - b


def times(a: Real, b: Real) -> Real:
    """The product of two parts."""
    if a is None or b is None:
        return None
    if _is_one(a):
        return b
    return a if _is_one(b) else record_if_inexact(a, b) * b


def _is_one(x: Real) -> bool:
    return not hasattr(type(x), "_apply_primitive") and np.ndim(x) == 0 and bool(x == 1)


def record_if_inexact(a: Real, b: Real) -> Real:
    """`a`, recorded if both are constants, of which floats would give a rounded one."""
    if any(hasattr(type(x), "_apply_primitive") for x in (a, b)):
        return a
    if all(map(_is_small, (a, b))):
        return a
    return record_constant(a, a.dtype if hasattr(a, "dtype") else np.float64)


def _is_small(x: Real) -> bool:
    """Whether floats lose nothing of sums and products of such numbers."""
    array = np.asarray(x)
    return bool(np.all((array == np.rint(array)) & (np.abs(array) <= _SMALL)))


def negative(z: Parts) -> Parts:
    """``-z``."""
    return Parts(minus(None, z.re), minus(None, z.im), -z.side)


def conjugate(z: Parts) -> Parts:
    """The complex conjugate."""
    return Parts(z.re, None, -z.side) if z.im is None else Parts(z.re, -z.im, z.side)


def times_i(z: Parts) -> Parts:
    """``1j * z``."""
    return Parts(minus(None, z.im), z.re, -z.side if z.im is None else z.side)


def add(a: Parts, b: Parts) -> Parts:
    """``a + b``."""
    return pair(plus(a.re, b.re), plus(a.im, b.im))


def subtract(a: Parts, b: Parts) -> Parts:
    """``a - b``."""
    return pair(minus(a.re, b.re), minus(a.im, b.im))


def multiply(a: Parts, b: Parts) -> Parts:
    """``a * b``: each part within u times the sum of its products' sizes, as NumPy's is.

    Brent, Percival, Zimmermann 2007, Error bounds on complex floating-point multiplication; with
    fused operations less.
    """
    return pair(
        minus(times(a.re, b.re), times(a.im, b.im)), plus(times(a.re, b.im), times(a.im, b.re))
    )


def square(z: Parts) -> Parts:
    """``z * z``."""
    if z.re is None or z.im is None:
        return multiply(z, z)
    return Parts(np.square(z.re) - np.square(z.im), 2 * (z.re * z.im))


_DIVIDING = 3
"""Twice as many roundings each product may lose in a quotient by Smith's algorithm (1962), which
NumPy uses: two in the numerator, three in the denominator, and those of two more quotients."""


def divide(a: Parts, b: Parts) -> Parts:
    """``a / b``."""
    if b.im is None:
        return map_parts(a, lambda x: slack(x / b.re, 1))
    if b.re is None:
        return divide(pair(a.im, minus(None, a.re)), Parts(b.im, None))
    size = squared_size(b)

    def slacken(c: Real) -> Real:
        return None if c is None else slack(c, _DIVIDING)

    re = plus(slacken(times(a.re, b.re)), slacken(times(a.im, b.im)))
    im = minus(slacken(times(a.im, b.re)), slacken(times(a.re, b.im)))
    return map_parts(pair(re, im), lambda x: x / size)


def squared_size(z: Parts) -> Real:
    """``abs(z)**2``."""
    squares = [np.square(x) for x in (z.re, z.im) if x is not None]
    return squares[0] if len(squares) == 1 else squares[0] + squares[1]


def absolute(z: Parts) -> Real:
    """``abs(z)``."""
    if z.im is None:
        return np.abs(z.re)
    return np.abs(z.im) if z.re is None else np.hypot(z.re, z.im)


def scale_parts(z: Parts, factor: Real) -> Parts:
    """``factor * z`` of a real factor."""
    return pair(times(factor, z.re), times(factor, z.im))
