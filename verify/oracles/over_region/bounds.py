"""Bounds of a program's statements all over a box, in intervals with ends of their own.

A ball of numbers between e^-30 and e^30 holds 0, and so their reciprocals are unbounded by it; an
interval of them doesn't.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

import numpy as np
from flint import arb

from symtape.errors import Unsupported
from symtape.graph.graph import Node
from symtape.process.work import charge
from symtape.prover.values import bound_exp, bound_increasing, bound_log, bound_polygamma
from symtape.rigorous.scalar import enclose_interval
from symtape.symbolic.arb_functions import BALLS
from symtape.symbolic.interval import EVERYTHING, Interval, monotone, point
from symtape.symbolic.program import Program
from symtape.symbolic.template import MULTIPLY, Local, Template
from symtape.symbolic.trees import Tree, contains_function, is_rational, leaves, replace_leaves
from verify.oracles.over_region.choices import is_inside, lies_over

_INF: Final = arb("inf")
_OF_STATEMENT: Final = 15
"""Operations for an interval."""


class Bounds:
    """Intervals that hold the statements of a program at every point of a box.

    Parameters
    ----------
    program : Program
    box : sequence of tuples (float, float), or of Interval
        Bounds of each input.
    meaning : callable, optional
        The formula of the number that a constant may be as well.
    """

    def __init__(
        self,
        program: Program,
        box: Sequence[tuple[float, float] | Interval],
        meaning: Callable[[Fraction], Tree] | None = None,
    ) -> None:
        self.program, self.meaning = program, meaning
        self._deviations: dict[int, Any] = {}
        self._known: dict[int, Interval] = {
            at: ends if isinstance(ends, Interval) else Interval(arb(ends[0]), arb(ends[1]))
            for at, ends in zip(program.inputs, box, strict=True)
        }

    def enclose(self, wanted: int) -> Interval:
        """What a statement may be."""
        if wanted not in self._known:
            for at in self.program.list_needed([wanted]):
                if at not in self._known:
                    self._known[at] = self._evaluate(at)
        return self._known[wanted]

    def is_bounded(self, at: int) -> bool:
        """Whether a statement is a finite number at every point."""
        found = self.enclose(at)
        return bool(found.low.is_finite() and found.high.is_finite())

    def are_regular(self, node: Node, ids: Any, inputs: Sequence[Any]) -> bool:
        """Whether a node with these statements is defined, and has no kink but where it chooses.

        Parameters
        ----------
        node : Node
        ids : int array
            Its statements.
        inputs : sequence of int arrays
            Those of its inputs.
        """
        row = node.row
        flat = ids.ravel().tolist()
        if not all(map(self.is_bounded, flat)):
            return False
        if row.elements is None and not row.elementwise and row.select is None:
            return False
        spread = np.broadcast_arrays(*inputs) if row.elementwise else []
        entries = list(zip(*[array.ravel().tolist() for array in spread], strict=True))
        arguments = [[self.enclose(at) for at in entry] for entry in entries]
        if row.decision:
            return True
        if row.kinks is None:
            # A zero that is divided is no statement that could be undefined.
            return all(lies_over(row, numbers) for numbers in arguments)
        if row.smooth == "value":
            return all(self.enclose(at).sign() == 1 for at in flat)
        return bool(arguments) and all(is_inside(row, numbers) for numbers in arguments)

    def _evaluate(self, at: int) -> Interval:
        charge(_OF_STATEMENT)
        template = self.program.templates[at]
        if template is None:
            constant = self.program.constants[at]
            return self._constant(constant) if is_rational(constant) else EVERYTHING
        args = [self._known[a] for a in self.program.arguments[at]]
        if not all(x.low.is_finite() and x.high.is_finite() for x in args):
            # Something of it may be undefined, and then it is.
            return EVERYTHING
        if template is MULTIPLY and len(set(self.program.arguments[at])) == 1:
            return args[0] ** 2
        return self._local(template, args)

    def _local(self, template: Any, args: Sequence[Interval]) -> Interval:
        given = {f"a{k}": x for k, x in enumerate(args)}
        found = _value(template.tree, given, self._constant)
        if self.meaning is not None and _numbers(template):
            return found
        return _meet(found, _ball_value(template, args))

    def _constant(self, number: Any) -> Interval:
        """A number, and what it may be as well."""
        if self.meaning is None:
            return point(_to_arb(number))
        return point(_to_arb(number).union(_to_ball(self.meaning(Fraction(number)))))

    def deviation(self, wanted: int) -> Any:
        """At most so much does a statement differ if constants are what they may be as well.

        Infinite where nothing bounds it: a step may turn at another place.
        """
        for at in self.program.list_needed([wanted]):
            if at not in self._deviations:
                self._deviations[at] = self._deviate(at)
        return self._deviations[wanted]

    def _deviate(self, at: int) -> Any:
        charge(_OF_STATEMENT)
        template = self.program.templates[at]
        if template is None:
            constant = self.program.constants.get(at)
            return arb(0) if constant is None else self._change(constant)
        arguments = self.program.arguments[at]
        moved = [self._deviations[a] for a in arguments]
        args = [self.enclose(a) for a in arguments]
        total = arb(0)
        for k, change in enumerate(moved):
            if not change.is_zero():
                if contains_function(template.tree, "Heaviside"):
                    return _INF
                total += self._slope(template.partial(k), args) * change
        for number in _numbers(template):
            change = self._change(number)
            if not change.is_zero():
                slope = _slope_by(template, number)
                total += self._slope(slope, [*args, self._constant(number)]) * change
        return total.upper() if total.is_finite() else _INF

    def _change(self, number: Any) -> Any:
        if self.meaning is None or not is_rational(number):
            return arb(0)
        meant = self.meaning(Fraction(number))
        return arb(0) if meant == number else abs(_to_ball(meant) - _to_arb(number)).upper()

    def _slope(self, partial: Local, args: Sequence[Interval]) -> Any:
        """A bound of the absolute value of a partial derivative."""
        if partial.template is not None:
            given = [args[k] for k in partial.positions]
            found = self._local(partial.template, given)
        elif partial.constant is not None:
            found = self._constant(partial.constant)
        else:
            found = args[partial.positions[0]]
        return found.size().high.upper()


def _numbers(template: Template) -> list[Tree]:
    """The rational numbers in a template, each once."""
    return list(dict.fromkeys(filter(is_rational, leaves(template.tree))))


@functools.lru_cache(maxsize=1024)  # templates with constants in programs
def _slope_by(template: Template, number: Tree) -> Local:
    """The derivative by a number in a template, which is the argument after those that it has."""
    moving = f"a{template.arity}"
    tree = replace_leaves(template.tree, lambda leaf: moving if leaf == number else leaf)
    return Template(tree, template.arity + 1).partial(template.arity)


def _to_ball(number: Tree) -> Any:
    """A ball around the number that a formula without arguments gives."""
    value = _value(number, {}, lambda rational: point(_to_arb(rational)))
    return value.low.union(value.high)


def _to_arb(number: Tree) -> Any:
    return arb(number.numerator) / number.denominator


def _meet(a: Interval, b: Interval) -> Interval:
    low, low_open = max([(a.low, a.low_open), (b.low, b.low_open)], key=_Ordered)
    high, high_open = min([(a.high, a.high_open), (b.high, b.high_open)], key=_Ordered)
    return Interval(low, high, low_open, high_open)


@functools.total_ordering
class _Ordered:
    def __init__(self, end: tuple[Any, bool]) -> None:
        self.end = end[0]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Ordered) and bool(self.end == other.end)

    def __lt__(self, other: _Ordered) -> bool:
        return bool(self.end < other.end)


def _ball_value(template: Any, args: Sequence[Interval]) -> Interval:
    try:
        ball = BALLS.function(template)(*[enclose_interval(x.low, x.high) for x in args])
    except Unsupported:
        return EVERYTHING
    return point(ball) if ball.is_finite() else EVERYTHING


def _value(
    tree: Tree, given: Mapping[Tree, Interval], constant: Callable[[Any], Interval]
) -> Interval:
    """What a formula may be; everything where nothing is known."""
    if is_rational(tree):
        return constant(tree)
    if not isinstance(tree, tuple):
        number = _NUMBERS.get(tree)
        return point(number()) if number else given.get(tree, EVERYTHING)
    name, *parts = tree
    args = [_value(part, given, constant) for part in parts]
    if not all(x.low.is_finite() and x.high.is_finite() for x in args):
        return EVERYTHING
    if name == "Pow":
        return _power(args[0], args[1], *parts)
    if name in _FOLDED:
        return functools.reduce(_FOLDED[name], args)
    if name == "polygamma" and parts[0] == 0:
        return bound_polygamma("0")(args[1])
    function = _FUNCTIONS.get(name)
    return EVERYTHING if function is None else function(args[0])


def _power(base: Interval, exponent: Interval, base_tree: Tree, tree: Tree) -> Interval:
    rational = is_rational(tree)
    if rational and tree == int(tree):
        return base ** int(tree)
    if base_tree == "E":
        return bound_exp(exponent)
    if base.sign() != 1 and not (rational and tree > 0 and base.low >= 0):
        return EVERYTHING
    if not rational or exponent.low != exponent.high:
        return bound_exp(exponent * bound_log(base))
    power = _to_arb(abs(tree))
    raised = monotone(lambda end: end if end.is_zero() else end**power, base, (arb(0), _INF))
    return raised.reciprocal() if tree < 0 else raised


def _log_gamma(x: Interval) -> Interval:
    """Convex, and above -1/8 on the positive numbers."""
    if x.sign() != 1:
        return EVERYTHING
    ends = [end.lgamma() for end in (x.low, x.high)]
    return Interval(arb(-0.125), max(end.upper() for end in ends))


_NUMBERS: Final[dict[Tree, Callable[[], Any]]] = {"pi": arb.pi, "E": lambda: arb(1).exp()}
_FOLDED: Final = {"Add": operator.add, "Mul": operator.mul}
_UNIT: Final = Interval(arb(-1), arb(1))
_FUNCTIONS: Final[dict[str, Callable[[Interval], Interval]]] = {
    "exp": bound_exp,
    "log": bound_log,
    "Abs": Interval.size,
    "sin": lambda x: _UNIT,
    "cos": lambda x: _UNIT,
    "sinh": bound_increasing(arb.sinh),
    "cosh": lambda x: monotone(arb.cosh, x.size(), (arb(1), _INF)),
    "tanh": bound_increasing(arb.tanh),
    "atan": bound_increasing(arb.atan),
    "asinh": bound_increasing(arb.asinh),
    "erf": bound_increasing(arb.erf),
    "Heaviside": lambda x: Interval(arb(0), arb(1)),
    "loggamma": _log_gamma,
}
