"""Functions of each element, and their derivatives in the same words.

A name is that of a row, which is that of NumPy or SciPy. A function that is missing here can be
printed in a value; a derivative that needs its own cannot.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Sequence
from typing import Final

from symtape.programs.notation.algebra import power, scale_sum, times, total
from symtape.programs.notation.indexed import Sum, number
from symtape.programs.notation.normal import apply_elementwise
from symtape.programs.notation.words import COMPARISONS

SLOPES: Final[dict[str, tuple[str, ...]]] = {
    "exp": ("exp(x)",),
    "expm1": ("exp(x)",),
    "exp2": ("log(2)*exp2(x)",),
    "log": ("1/x",),
    "log2": ("1/(log(2)*x)",),
    "log10": ("1/(log(10)*x)",),
    "log1p": ("1/(1 + x)",),
    "logaddexp": ("expit(x - y)", "expit(y - x)"),
    "cbrt": ("cbrt(x)**-2/3",),
    "absolute": ("sign(x)",),
    "fabs": ("sign(x)",),
    **dict.fromkeys(("sign", "floor", "ceil", "logical_not"), ("0",)),
    "maximum": ("greater(x, y)", "greater(y, x)"),
    "minimum": ("less(x, y)", "less(y, x)"),
    "where": ("0", "where(x, 1, 0)", "where(x, 0, 1)"),
    **dict.fromkeys((*COMPARISONS, "logical_and", "logical_or"), ("0", "0")),
    "power": ("y*power(x, y - 1)", "log(x)*power(x, y)"),
    "hypot": ("x/hypot(x, y)", "y/hypot(x, y)"),
    "arctan2": ("y/(x**2 + y**2)", "-x/(x**2 + y**2)"),
    "sin": ("cos(x)",),
    "cos": ("-sin(x)",),
    "tan": ("1 + tan(x)**2",),
    "arcsin": ("1/(1 - x**2)**(1/2)",),
    "arccos": ("-1/(1 - x**2)**(1/2)",),
    "arctan": ("1/(1 + x**2)",),
    "sinh": ("cosh(x)",),
    "cosh": ("sinh(x)",),
    "tanh": ("1 - tanh(x)**2",),
    "arcsinh": ("1/(1 + x**2)**(1/2)",),
    "arccosh": ("1/(x**2 - 1)**(1/2)",),
    "arctanh": ("1/(1 - x**2)",),
    "expit": ("expit(x)*(1 - expit(x))",),
    "log_expit": ("expit(-x)",),
    "logit": ("1/(x*(1 - x))",),
    "gamma": ("gamma(x)*psi(x)",),
    "gammaln": ("psi(x)",),
    "xlogy": ("log(y)", "x/y"),
    "xlog1py": ("log1p(y)", "x/(1 + y)"),
    "entr": ("-1 - log(x)",),
    "rel_entr": ("log(x/y) + 1", "-x/y"),
}
"""By each argument, of arguments that are called x, y and z."""


def differentiate(name: str, at: int, arguments: Sequence[Sum]) -> Sum:
    """The derivative of a function by one of its arguments."""
    named = dict(zip("xyz", arguments, strict=False))

    def read(node: ast.expr) -> Sum:
        match node:
            case ast.Constant(value=int(value)):
                return number(value, arguments[0].shape)
            case ast.Name(id=argument):
                return named[argument]
            case ast.Call(func=ast.Name(id=function), args=given):
                return apply_elementwise(function, [read(one) for one in given])
            case ast.UnaryOp(operand=inner):
                return scale_sum(read(inner), -1)
            case ast.BinOp(left=left, op=operator, right=right):
                return _combine(operator, read(left), read(right))
        raise TypeError(f"{ast.unparse(node)} is no part of a derivative")

    return read(_parse(SLOPES[name][at]))


@functools.cache  # the texts of SLOPES
def _parse(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _combine(operator: ast.operator, a: Sum, b: Sum) -> Sum:
    match operator:
        case ast.Add():
            return total([a, b])
        case ast.Sub():
            return total([a, scale_sum(b, -1)])
        case ast.Mult():
            return times(a, b)
        case ast.Div():
            return times(a, power(b, -1))
    assert b.constant is not None
    return power(a, b.constant)
