"""Taylor coefficients of functions that Arb has for complex numbers but not for power series.

By Cauchy's integral over a small circle, taken as a sum over the N points ``r w`` with
``w**N = -1``. With ``|g| <= M`` on the disc of radius R, the coefficient of order k so found is off
by at most ``M / R**k (r/R)**N / (1 - (r/R)**N)`` (Trefethen and Weideman 2014, The exponentially
convergent trapezoidal rule, section 2). The bound M is a ball of the function over the whole disc,
so that it holds; what the arguments' own radii add is bounded by M as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import flint
from flint import acb, arb, arb_series

from symtape.process.precision import precision
from symtape.process.work import charge
from symtape.rigorous.jets.jet import Element, Germ, Jet, Lost, coefficients, is_fixed

Analytic = Callable[..., bool]
"""Whether a function is analytic on a product of boxes; given one ``acb`` an argument."""

_BOUND_BITS: Final = 64
_RADII: Final = 24
_GUARD: Final = 64
_FAR: Final = 1100
_CLOSE: Final = 12
_OF_BIT: Final = 0.5
"""Operations for a bit of a function's value at a point."""


def compose(
    function: Callable[..., Any],
    arguments: Sequence[Element],
    analytic: Analytic,
    value: Any,
) -> Any:
    """The jet of ``function(*arguments)``, of which at least one moves.

    Parameters
    ----------
    function : callable
        Of ``acb`` numbers, as many as there are arguments.
    arguments : sequence of elements
        Fixed ones that are exact (orders, say) are passed as they are.
    analytic : callable
        A finite ball of a function does not say that it has no branch cut in it; this does.
    value : arb
        The value at ``t = 0``.

    Returns
    -------
    Jet or Lost
        Lost where no disc is found on which the function is analytic and bounded.
    """
    if any(type(x) is Lost for x in arguments) or not value.is_finite():
        return Lost(value)
    order = flint.ctx.cap - 1
    paths = [coefficients(x, order) for x in arguments]
    still = [is_fixed(x) and path[0].is_exact() for x, path in zip(arguments, paths, strict=True)]
    disc = _disc(function, paths, still, analytic)
    if disc is None:
        return Lost(value)
    radius, bound, spread = disc
    found = _coefficients(function, paths, radius, bound, spread)
    kind = Germ if any(type(x) is Germ for x in arguments) else Jet
    return kind(arb_series([value, *found]))


def _disc(
    function: Callable[..., Any], paths: list[list[Any]], still: list[bool], analytic: Analytic
) -> tuple[Any, Any, Any] | None:
    """Radius, bound of the function on it, and how far the arguments are off relative to it."""
    sizes = [_exponent(path[0]) for path, fixed in zip(paths, still, strict=True) if not fixed]
    nearest = min(sizes, default=0)
    steps = list(range(1, 2 * _RADII, 2))
    if nearest < _CLOSE - 2 * _RADII:
        # A disc that keeps off 0 is smaller than the argument.
        steps += range(2 - nearest, 2 - nearest + _CLOSE, 2)
    largest = max([0, *sizes])
    # Far out, exponentials take as many bits more as the argument has before its point, and
    # series that alternate as many as it is large.
    for more in (min(largest, _FAR), min(4 << min(largest, _CLOSE), _FAR)):
        found = _disc_with(_BOUND_BITS + more, steps, function, paths, still, analytic)
        if found is not None:
            return found
    return None


def _disc_with(
    bits: int,
    steps: list[int],
    function: Callable[..., Any],
    paths: list[list[Any]],
    still: list[bool],
    analytic: Analytic,
) -> tuple[Any, Any, Any] | None:
    with precision(bits):
        for step in steps:
            radius = arb(2) ** -step
            around = acb(arb(0, radius), arb(0, radius))
            spread = arb(0)
            boxes = []
            for path, fixed in zip(paths, still, strict=True):
                box = _horner([acb(part) for part in path], around)
                boxes.append(box if fixed else box + around)
                spread += sum((part.rad() * radius**k for k, part in enumerate(path)), arb(0))
            if not 4 * spread < radius:
                return None
            if not analytic(*boxes):
                continue
            held = function(*boxes)
            if held.is_finite():
                return radius, held.abs_upper(), spread / radius
    return None


def _exponent(x: Any) -> int:
    """The exponent of the middle of a ball, -1 of zero."""
    if not x.is_finite() or x.mid().is_zero():
        return -1
    mantissa, exponent = (int(part) for part in x.mid().man_exp())
    return mantissa.bit_length() + exponent


def _coefficients(
    function: Callable[..., Any], paths: list[list[Any]], radius: Any, bound: Any, spread: Any
) -> list[Any]:
    """The coefficients from order 1 on."""
    bits, order = flint.ctx.prec, flint.ctx.cap - 1
    count = order + 1
    ratio_bits = (bits + _GUARD) // count + 1
    middles = [[acb(part.mid()) for part in path] for path in paths]
    points = range((count + 1) // 2)
    with precision(bits + order * ratio_bits + 2 * _GUARD):
        charge(_OF_BIT * flint.ctx.prec * len(points))
        small = radius / arb(2) ** ratio_bits
        sums = [arb(0)] * order
        for j in points:
            turn = acb(arb(2 * j + 1) / count).exp_pi_i()
            at = small * turn
            image = function(*(_horner(path, at) for path in middles))
            weight = 1 if 2 * j + 1 == count else 2
            for k in range(1, count):
                image = image / at
                sums[k - 1] += weight * image.real
        aliased = arb(2) ** (-ratio_bits * count)
        off = bound * (aliased / (1 - aliased) + spread)
        return [
            part / count + arb(0, (off / radius ** (k + 1)).upper()) for k, part in enumerate(sums)
        ]


def _horner(path: list[Any], at: Any) -> Any:
    total = path[-1]
    for part in reversed(path[:-1]):
        total = total * at + part
    return total
