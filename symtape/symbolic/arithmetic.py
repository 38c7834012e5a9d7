"""Templates as Python functions of numbers of a kind: balls, fractions, extended floats."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from symtape.errors import Unsupported
from symtape.symbolic.template import ARITHMETIC, KEPT, Template, placeholder


@dataclass(frozen=True, eq=False)
class Arithmetic:
    """A kind of numbers, that have Python's operators.

    Attributes
    ----------
    refusal : str
        What is said of what they have not, with a place for it.
    exact : callable ``(fraction of SymPy) -> operand``
    number : callable ``(operand) -> number``
        At the precision in force.
    powers : mapping of str to callable
        ``square``, ``int_power``, ``power``, ``sqrt`` and ``rsqrt``, as far as there are such.
    functions : mapping
        By the classes of SymPy.
    constants : mapping
        By constants of SymPy what makes them, at the precision in force.
    mixes : bool
        Whether integers of Python are operands, and quotients are quicker than inverse powers.
    most : int, optional
        The largest exponent.
    """

    refusal: str
    exact: Callable[[Any], Any]
    number: Callable[[Any], Any]
    powers: Mapping[str, Callable[..., Any]]
    functions: Mapping[Any, Callable[..., Any]] = field(default_factory=dict)
    constants: Mapping[Any, Callable[[], Any]] = field(default_factory=dict)
    mixes: bool = True
    most: float = float("inf")

    def function(self, template: Template) -> Callable[..., Any]:
        """What a template computes.

        Raises
        ------
        Unsupported
            There is no such function of these numbers; names it.
        """
        return ARITHMETIC.get(template) or _compile_template(self, template)


@functools.lru_cache(maxsize=3 * KEPT)  # templates, by three kinds of numbers
def _compile_template(arithmetic: Arithmetic, template: Template) -> Callable[..., Any]:
    """The function, from its source in Python."""
    names: dict[str, Any] = {"number": arithmetic.number, **arithmetic.powers}
    body = _Source(arithmetic, names).of(template.expression)
    arguments = ", ".join(f"a{k}" for k in range(template.arity))
    return eval(f"lambda {arguments}: {body}", names)  # type: ignore[no-any-return]


class _Source:
    """Writes SymPy's expressions over placeholders as Python, and keeps what it names."""

    def __init__(self, arithmetic: Arithmetic, names: dict[str, Any]) -> None:
        self._arithmetic, self._names = arithmetic, names

    def of(self, e: Any) -> str:
        """An expression."""
        if e.is_Symbol:
            return next(f"a{k}" for k in range(99) if placeholder(k) is e)
        if e.is_Rational:
            return f"number({self._operand(e)})"
        if e in self._arithmetic.constants:
            return f"{self._name_value(self._arithmetic.constants[e])}()"
        if e.is_Add:
            return f"({' + '.join(map(self._operand, e.args))})"
        if e.is_Mul:
            return self._product(e)
        if isinstance(e, sp.Tuple):
            return f"[{', '.join(map(self.of, e.args))}]"
        return self._power(*e.args) if e.is_Pow else self._function(e)

    def _operand(self, e: Any) -> str:
        if not e.is_Rational:
            return self.of(e)
        if self._arithmetic.mixes and e.is_Integer:
            return f"({int(e.p)})"
        return self._name_value(self._arithmetic.exact(e))

    def _product(self, e: Any) -> str:
        factors, above, below = list(e.args), list[str](), list[str]()
        sign = "-" if factors[0] is sp.S.NegativeOne and not self._arithmetic.mixes else ""
        for factor in factors[len(sign) :]:
            is_below = factor.is_Pow and factor.exp.is_Rational and factor.exp < 0
            if is_below and self._arithmetic.mixes:
                below.append(self._power(factor.base, -factor.exp))
            else:
                above.append(self._operand(factor))
        numerator = " * ".join(above) or "number(1)"
        quotient = f"{numerator} / ({' * '.join(below)})" if below else numerator
        return f"({sign}({quotient}))" if sign else f"({quotient})"

    def _power(self, base: Any, exponent: Any) -> str:
        x = self.of(base)
        if exponent == 1:
            return x
        if exponent == 2:
            return self._call("square", x)
        if exponent.is_Integer and abs(int(exponent)) <= self._arithmetic.most:
            return self._call("int_power", x, str(int(exponent)))
        if abs(exponent) == sp.S.Half:
            return self._call("sqrt" if exponent > 0 else "rsqrt", x)
        return self._call("power", x, self.of(exponent))

    def _function(self, e: Any) -> str:
        known = self._arithmetic.functions
        found = next((known[c] for c in type(e).__mro__ if c in known), None)
        if found is None:
            raise self._refusal(f"the function {type(e).__name__}, in {e}")
        return self._call(self._name_value(found), *map(self.of, e.args))

    def _call(self, name: str, *arguments: str) -> str:
        if name not in self._names:
            raise self._refusal(f"{name}({', '.join(arguments)})")
        return f"{name}({', '.join(arguments)})"

    def _refusal(self, what: str) -> Unsupported:
        return Unsupported(self._arithmetic.refusal.format(what))

    def _name_value(self, value: Any) -> str:
        name = f"k{len(self._names)}"
        self._names[name] = value
        return name
