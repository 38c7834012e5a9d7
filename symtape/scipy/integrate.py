"""``scipy.integrate``'s functions on tensors: integrals by the Leibniz rule.

An integral is a function of its limits and of the tensors that the integrand holds, by ``args`` or
from around it. Derivatives of all orders are those of the integral, to as many digits as floats
have, whatever the tolerance was; the value is as exact. ``symtape.scipy.quadrature`` says how.
A verdict is one on the sum that this makes of an integral; that the sum has converged is checked in
floats and not enclosed.

``trapezoid``, ``simpson``, ``cumulative_trapezoid``, ``cumulative_simpson`` and ``romb`` of SciPy
are recorded as they are: their derivatives are those of the sums, as that of ``fixed_quad`` is, and
those of ``dblquad``, ``tplquad`` and ``nquad`` come of ``quad``.

>>> import numpy as np, symtape
>>> from scipy import integrate
>>> def bell(b):
...     return integrate.quad(lambda s: np.exp(-s * s), 0, b)[0]
>>> round(float(symtape.grad(bell)(1.0) - np.exp(-1)), 12)
0.0

Of initial value problems the derivatives are those of steps, at times that are held, so that they
are off from those of the solution by what the tolerance leaves open (:func:`solve_ivp`): a verdict
is one on the steps.

>>> def decayed(k):
...     return integrate.solve_ivp(lambda t, y: -k * y, (0, 1), [1.0], rtol=1e-8).y[0, -1]
>>> bool(abs(symtape.grad(decayed)(0.5) + np.exp(-0.5)) < 1e-6)
True
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import integrate, special

from symtape.errors import Unsupported
from symtape.recording.nested import holds_tensor, join_nested
from symtape.scipy.captured import Function, Plain, call_outside, plain_value
from symtape.scipy.initial_values import odeint, solve_ivp
from symtape.scipy.quadrature import integral
from symtape.scipy.twins import append_arguments, twin

__all__ = ["fixed_quad", "odeint", "quad", "quad_vec", "solve_ivp"]


def _points(what: str, points: Any) -> list[float]:
    if points is None:
        return []
    if holds_tensor(points):
        raise Unsupported(
            f"{what}(points=...): a break point is a constant; where it moves, break the integral "
            "up there, as in quad(f, a, c) + quad(f, c, b)"
        )
    return [float(x) for x in points]


def _integrate(original: Function, name: str, given: dict[str, Any], is_scalar: bool) -> Any:
    """What `original` returns of the integrand of a `name`, with the integral as a tensor."""
    what = original.__name__
    function = append_arguments(given.pop(name), given.pop("args", ()))
    limits = given.pop("a"), given.pop("b")
    ends = [float(plain_value(end)) for end in limits]
    found = call_outside(original, Plain(function), *ends, **given)

    def integrand(x: Any) -> Any:
        value = function(x)
        return np.reshape(join_nested(value), np.shape(x)) if is_scalar else value

    value = integral(integrand, limits, _points(what, given["points"]), found[0], what)
    return found if value is None else (value, *found[1:])


def _quad(given: dict[str, Any]) -> Any:
    if given["weight"] is not None or given["complex_func"]:
        name = "weight" if given["weight"] is not None else "complex_func"
        raise Unsupported(
            f"quad({name}={given[name]!r}) of tensors is not known here; write the weight into the "
            "integrand, or take real and imaginary part one by one"
        )
    return _integrate(integrate.quad, "func", given, is_scalar=True)


quad = twin(
    integrate.quad,
    _quad,
    "an integral and an estimate of its error, which is that of SciPy's own value.",
)
quad_vec = twin(
    integrate.quad_vec,
    lambda given: _integrate(integrate.quad_vec, "f", given, is_scalar=False),
    "the integral of a function that returns an array.",
)


def _fixed_quad(given: dict[str, Any]) -> Any:
    function = append_arguments(given["func"], given["args"])
    a, b = given["a"], given["b"]
    if not np.all(np.isfinite([plain_value(a), plain_value(b)])):
        raise ValueError("Gaussian quadrature is only available for finite limits.")
    nodes, weights = special.roots_legendre(given["n"])
    half = (b - a) / 2
    return half * np.sum(weights * function(half * (nodes + 1) + a), axis=-1), None


fixed_quad = twin(
    integrate.fixed_quad, _fixed_quad, "an integral by Gauss-Legendre quadrature, and None."
)
