"""Functions of each element, and their derivatives in the same words.

A name is that of a row, which is that of NumPy or SciPy. A function that is missing here can be
printed in a value; a derivative that needs its own cannot.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Final, TypeAlias

from symtape.programs.notation.algebra import power, scale_sum, times, total
from symtape.programs.notation.indexed import Sum, number
from symtape.programs.notation.normal import apply_elementwise
from symtape.programs.notation.words import COMPARISONS

Slope: TypeAlias = Callable[..., Sum | None]
"""Of the arguments; None for one that is a truth value, or of which the value is in steps."""


def _one(like: Sum) -> Sum:
    return number(1, like.shape)


def _minus(a: Sum, b: Sum) -> Sum:
    return total([a, scale_sum(b, -1)])


def _quotient(a: Sum, b: Sum) -> Sum:
    return times(a, power(b, -1))


def _root(x: Sum) -> Sum:
    return power(x, Fraction(1, 2))


def _log_of(value: int, like: Sum) -> Sum:
    return apply_elementwise("log", [number(value, like.shape)])


def _sine_root(x: Sum) -> Sum:
    return _root(_minus(_one(x), power(x, 2)))


def _is(comparison: str, a: Sum, b: Sum) -> Sum:
    return apply_elementwise(comparison, [a, b])


def _no_slope(*arguments: Sum) -> None:
    """Of truth values, and of what is constant in steps."""


SLOPES: Final[dict[str, tuple[Slope, ...]]] = {
    "exp": (lambda x: apply_elementwise("exp", [x]),),
    "expm1": (lambda x: apply_elementwise("exp", [x]),),
    "exp2": (lambda x: times(_log_of(2, x), apply_elementwise("exp2", [x])),),
    "log": (lambda x: power(x, -1),),
    "log2": (lambda x: power(times(_log_of(2, x), x), -1),),
    "log10": (lambda x: power(times(_log_of(10, x), x), -1),),
    "log1p": (lambda x: power(total([_one(x), x]), -1),),
    "logaddexp": (
        lambda a, b: apply_elementwise("expit", [_minus(a, b)]),
        lambda a, b: apply_elementwise("expit", [_minus(b, a)]),
    ),
    "cbrt": (lambda x: scale_sum(power(apply_elementwise("cbrt", [x]), -2), Fraction(1, 3)),),
    "absolute": (lambda x: apply_elementwise("sign", [x]),),
    "fabs": (lambda x: apply_elementwise("sign", [x]),),
    "sign": (_no_slope,),
    "floor": (_no_slope,),
    "ceil": (_no_slope,),
    "maximum": (lambda a, b: _is("greater", a, b), lambda a, b: _is("greater", b, a)),
    "minimum": (lambda a, b: _is("less", a, b), lambda a, b: _is("less", b, a)),
    "where": (
        _no_slope,
        lambda c, a, b: apply_elementwise("where", [c, _one(a), number(0, a.shape)]),
        lambda c, a, b: apply_elementwise("where", [c, number(0, a.shape), _one(a)]),
    ),
    **dict.fromkeys((*COMPARISONS, "logical_and", "logical_or"), (_no_slope, _no_slope)),
    "logical_not": (_no_slope,),
    "power": (
        lambda a, b: times(b, apply_elementwise("power", [a, _minus(b, _one(b))])),
        lambda a, b: times(apply_elementwise("log", [a]), apply_elementwise("power", [a, b])),
    ),
    "hypot": (
        lambda a, b: _quotient(a, apply_elementwise("hypot", [a, b])),
        lambda a, b: _quotient(b, apply_elementwise("hypot", [a, b])),
    ),
    "arctan2": (
        lambda a, b: _quotient(b, total([power(a, 2), power(b, 2)])),
        lambda a, b: scale_sum(_quotient(a, total([power(a, 2), power(b, 2)])), -1),
    ),
    "sin": (lambda x: apply_elementwise("cos", [x]),),
    "cos": (lambda x: scale_sum(apply_elementwise("sin", [x]), -1),),
    "tan": (lambda x: total([_one(x), power(apply_elementwise("tan", [x]), 2)]),),
    "arcsin": (lambda x: power(_sine_root(x), -1),),
    "arccos": (lambda x: scale_sum(power(_sine_root(x), -1), -1),),
    "arctan": (lambda x: power(total([_one(x), power(x, 2)]), -1),),
    "sinh": (lambda x: apply_elementwise("cosh", [x]),),
    "cosh": (lambda x: apply_elementwise("sinh", [x]),),
    "tanh": (lambda x: _minus(_one(x), power(apply_elementwise("tanh", [x]), 2)),),
    "arcsinh": (lambda x: power(_root(total([_one(x), power(x, 2)])), -1),),
    "arccosh": (lambda x: power(_root(_minus(power(x, 2), _one(x))), -1),),
    "arctanh": (lambda x: power(_minus(_one(x), power(x, 2)), -1),),
    "expit": (
        lambda x: times(
            apply_elementwise("expit", [x]), _minus(_one(x), apply_elementwise("expit", [x]))
        ),
    ),
    "log_expit": (lambda x: apply_elementwise("expit", [scale_sum(x, -1)]),),
    "logit": (lambda x: power(times(x, _minus(_one(x), x)), -1),),
    "gamma": (lambda x: times(apply_elementwise("gamma", [x]), apply_elementwise("psi", [x])),),
    "gammaln": (lambda x: apply_elementwise("psi", [x]),),
    "xlogy": (lambda x, b: apply_elementwise("log", [b]), lambda x, b: _quotient(x, b)),
    "xlog1py": (
        lambda x, b: apply_elementwise("log1p", [b]),
        lambda x, b: _quotient(x, total([_one(b), b])),
    ),
    "entr": (lambda x: _minus(number(-1, x.shape), apply_elementwise("log", [x])),),
    "rel_entr": (
        lambda x, b: total([apply_elementwise("log", [_quotient(x, b)]), _one(x)]),
        lambda x, b: scale_sum(_quotient(x, b), -1),
    ),
}
