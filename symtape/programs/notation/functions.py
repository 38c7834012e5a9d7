"""Functions of each element, and their derivatives in the same words.

A name is that of a row, which is that of NumPy or SciPy. A function that is missing here can be
printed in a value; a derivative that needs its own cannot.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Final, TypeAlias

from symtape.programs.notation.algebra import power, scaled, times, total
from symtape.programs.notation.indexed import Sum, number
from symtape.programs.notation.normal import each
from symtape.programs.notation.words import COMPARISONS

Slope: TypeAlias = Callable[..., Sum | None]
"""Of the arguments; None for one that is a truth value, or of which the value is in steps."""


def _one(like: Sum) -> Sum:
    return number(1, like.shape)


def _minus(a: Sum, b: Sum) -> Sum:
    return total([a, scaled(b, -1)])


def _over(a: Sum, b: Sum) -> Sum:
    return times(a, power(b, -1))


def _root(x: Sum) -> Sum:
    return power(x, Fraction(1, 2))


def _log_of(value: int, like: Sum) -> Sum:
    return each("log", [number(value, like.shape)])


def _sine_root(x: Sum) -> Sum:
    return _root(_minus(_one(x), power(x, 2)))


def _is(comparison: str, a: Sum, b: Sum) -> Sum:
    return each(comparison, [a, b])


def _none(*arguments: Sum) -> None:
    """Of truth values, and of what is constant in steps."""


SLOPES: Final[dict[str, tuple[Slope, ...]]] = {
    "exp": (lambda x: each("exp", [x]),),
    "expm1": (lambda x: each("exp", [x]),),
    "exp2": (lambda x: times(_log_of(2, x), each("exp2", [x])),),
    "log": (lambda x: power(x, -1),),
    "log2": (lambda x: power(times(_log_of(2, x), x), -1),),
    "log10": (lambda x: power(times(_log_of(10, x), x), -1),),
    "log1p": (lambda x: power(total([_one(x), x]), -1),),
    "logaddexp": (
        lambda a, b: each("expit", [_minus(a, b)]),
        lambda a, b: each("expit", [_minus(b, a)]),
    ),
    "cbrt": (lambda x: scaled(power(each("cbrt", [x]), -2), Fraction(1, 3)),),
    "absolute": (lambda x: each("sign", [x]),),
    "fabs": (lambda x: each("sign", [x]),),
    "sign": (_none,),
    "floor": (_none,),
    "ceil": (_none,),
    "maximum": (lambda a, b: _is("greater", a, b), lambda a, b: _is("greater", b, a)),
    "minimum": (lambda a, b: _is("less", a, b), lambda a, b: _is("less", b, a)),
    "where": (
        _none,
        lambda c, a, b: each("where", [c, _one(a), number(0, a.shape)]),
        lambda c, a, b: each("where", [c, number(0, a.shape), _one(a)]),
    ),
    **dict.fromkeys((*COMPARISONS, "logical_and", "logical_or"), (_none, _none)),
    "logical_not": (_none,),
    "power": (
        lambda a, b: times(b, each("power", [a, _minus(b, _one(b))])),
        lambda a, b: times(each("log", [a]), each("power", [a, b])),
    ),
    "hypot": (
        lambda a, b: _over(a, each("hypot", [a, b])),
        lambda a, b: _over(b, each("hypot", [a, b])),
    ),
    "arctan2": (
        lambda a, b: _over(b, total([power(a, 2), power(b, 2)])),
        lambda a, b: scaled(_over(a, total([power(a, 2), power(b, 2)])), -1),
    ),
    "sin": (lambda x: each("cos", [x]),),
    "cos": (lambda x: scaled(each("sin", [x]), -1),),
    "tan": (lambda x: total([_one(x), power(each("tan", [x]), 2)]),),
    "arcsin": (lambda x: power(_sine_root(x), -1),),
    "arccos": (lambda x: scaled(power(_sine_root(x), -1), -1),),
    "arctan": (lambda x: power(total([_one(x), power(x, 2)]), -1),),
    "sinh": (lambda x: each("cosh", [x]),),
    "cosh": (lambda x: each("sinh", [x]),),
    "tanh": (lambda x: _minus(_one(x), power(each("tanh", [x]), 2)),),
    "arcsinh": (lambda x: power(_root(total([_one(x), power(x, 2)])), -1),),
    "arccosh": (lambda x: power(_root(_minus(power(x, 2), _one(x))), -1),),
    "arctanh": (lambda x: power(_minus(_one(x), power(x, 2)), -1),),
    "expit": (lambda x: times(each("expit", [x]), _minus(_one(x), each("expit", [x]))),),
    "log_expit": (lambda x: each("expit", [scaled(x, -1)]),),
    "logit": (lambda x: power(times(x, _minus(_one(x), x)), -1),),
    "gamma": (lambda x: times(each("gamma", [x]), each("psi", [x])),),
    "gammaln": (lambda x: each("psi", [x]),),
    "xlogy": (lambda x, b: each("log", [b]), lambda x, b: _over(x, b)),
    "xlog1py": (
        lambda x, b: each("log1p", [b]),
        lambda x, b: _over(x, total([_one(b), b])),
    ),
    "entr": (lambda x: _minus(number(-1, x.shape), each("log", [x])),),
    "rel_entr": (
        lambda x, b: total([each("log", [_over(x, b)]), _one(x)]),
        lambda x, b: scaled(_over(x, b), -1),
    ),
}
