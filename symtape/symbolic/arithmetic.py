"""Templates as Python functions of numbers of a kind: balls, fractions, extended floats."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from symtape.errors import Unsupported
from symtape.symbolic.template import ARITHMETIC, KEPT, Template
from symtape.symbolic.trees import Tree, is_rational


@dataclass(frozen=True, eq=False)
class Arithmetic:
    """A kind of numbers, that have Python's operators.

    Attributes
    ----------
    refusal : str
        What is said of what they have not, with a place for it.
    exact : callable ``(int or Fraction) -> operand``
    number : callable ``(operand) -> number``
        At the precision in force.
    powers : mapping of str to callable
        ``square``, ``int_power``, ``power``, ``sqrt`` and ``rsqrt``, as far as there are such.
    functions : mapping
        By what SymPy calls them.
    constants : mapping
        By what SymPy calls them what makes them, at the precision in force.
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
    body = _Source(arithmetic, names).write(template.tree)
    arguments = ", ".join(f"a{k}" for k in range(template.arity))
    return eval(f"lambda {arguments}: {body}", names)  # type: ignore[no-any-return]


class _Source:
    """Writes formulas over placeholders as Python, and keeps what it names."""

    def __init__(self, arithmetic: Arithmetic, names: dict[str, Any]) -> None:
        self._arithmetic, self._names = arithmetic, names

    def write(self, tree: Tree) -> str:
        """A formula."""
        if is_rational(tree):
            return f"number({self._operand(tree)})"
        if tree in self._arithmetic.constants:
            return f"{self._name_value(self._arithmetic.constants[tree])}()"
        if not isinstance(tree, tuple):
            return self._argument(tree)
        kind, *parts = tree
        match kind:
            case "Add":
                return f"({' + '.join(map(self._operand, parts))})"
            case "Mul":
                return self._product(parts)
            case "Pow":
                return self._power(*parts)
            case "Tuple":
                return f"[{', '.join(map(self.write, parts))}]"
        return self._function(kind, parts)

    def _argument(self, tree: Tree) -> str:
        if isinstance(tree, str) and tree[1:].isdigit():
            return tree
        raise self._refusal(f"the number {tree}")

    def _operand(self, tree: Tree) -> str:
        if not is_rational(tree):
            return self.write(tree)
        if self._arithmetic.mixes and tree.denominator == 1:
            return f"({int(tree)})"
        return self._name_value(self._arithmetic.exact(tree))

    def _product(self, factors: list[Tree]) -> str:
        above, below = list[str](), list[str]()
        sign = "-" if factors[0] == -1 and not self._arithmetic.mixes else ""
        for factor in factors[len(sign) :]:
            if self._arithmetic.mixes and _is_below(factor):
                below.append(self._power(factor[1], -factor[2]))
            else:
                above.append(self._operand(factor))
        numerator = " * ".join(above) or "number(1)"
        quotient = f"{numerator} / ({' * '.join(below)})" if below else numerator
        return f"({sign}({quotient}))" if sign else f"({quotient})"

    def _power(self, base: Tree, exponent: Tree) -> str:
        x = self.write(base)
        if not is_rational(exponent):
            return self._call("power", x, self.write(exponent))
        if exponent == 1:
            return x
        if exponent == 2:
            return self._call("square", x)
        if exponent.denominator == 1 and abs(exponent) <= self._arithmetic.most:
            return self._call("int_power", x, str(int(exponent)))
        if abs(exponent) == Fraction(1, 2):
            return self._call("sqrt" if exponent > 0 else "rsqrt", x)
        return self._call("power", x, self.write(exponent))

    def _function(self, kind: Any, arguments: list[Tree]) -> str:
        found = self._arithmetic.functions.get(kind)
        if found is None:
            raise self._refusal(f"the function {kind}")
        return self._call(self._name_value(found), *map(self.write, arguments))

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


def _is_below(factor: Tree) -> bool:
    """Whether a factor is better divided by."""
    return (
        isinstance(factor, tuple)
        and factor[0] == "Pow"
        and is_rational(factor[2])
        and factor[2] < 0
    )
