"""What one element of an elementwise operation may be taken for at its kink."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from symtape.graph.graph import Graph, Node
from symtape.symbolic.program import ZERO, Program
from symtape.symbolic.shadow import Shadow
from verify.kinks.alternatives import (
    Alternative,
    Choice,
    Sides,
    Statement,
    cross,
    gap_of,
    line,
)

__all__ = ["BY_ELEMENT", "Element", "is_bent_power"]


class Element:
    """One element of an elementwise node."""

    def __init__(self, graph: Graph, form: Shadow, at: int, flat: int) -> None:
        self.node: Node = graph.nodes[at]
        self.at, self.flat, self.form = at, flat, form
        self.places: list[int] = []
        self.args: list[float] = []
        self._sources: list[tuple[int, int]] = []
        start = 0
        for i in self.node.inputs:
            shape = graph.nodes[i].shape
            index = np.broadcast_to(
                np.arange(math.prod(shape)).reshape(shape), self.node.shape
            ).ravel()[flat]
            self.places.append(start + int(index))
            self._sources.append((i, int(index)))
            self.args.append(float(np.ravel(form.values[i])[index]))
            start += math.prod(shape)

    def statement(self, which: int) -> int:
        """The statement of an input's element."""
        i, index = self._sources[which]
        ids = self.form.ids[i]
        if ids is None:
            return self.form.program.constant(np.ravel(self.form.values[i])[index])
        return int(np.ravel(ids)[index])

    def choice(self, *alternatives: Alternative, **kinds: bool) -> Choice:
        """The choice of this element."""
        return Choice(self.at, (self.flat,), list(alternatives), **kinds)

    def meaning(self, statement: Statement, sides: Sides = (), steep: int = 0) -> Alternative:
        """The element as another statement."""
        return Alternative(sides, {self.flat: statement}, steep=steep)

    def holding(self, value: Any, sides: Sides = ()) -> Alternative:
        """The element as another constant."""
        return Alternative(sides, values={self.flat: value})


def _absolute(element: Element) -> Choice:
    gap, sign = gap_of(element.form.program, element.statement(0), ZERO)
    (k,) = element.places
    return element.choice(
        element.meaning(lambda program, own, given: given[k], ((gap, sign),)),
        element.meaning(lambda program, own, given: program.negate(given[k]), ((gap, -sign),)),
    )


def _picking(larger: int) -> Callable[[Element], Choice]:
    """Of two equal numbers one; the first is the `larger` (1) or the smaller (-1) if it is it."""

    def choose(element: Element) -> Choice:
        a, b = element.statement(0), element.statement(1)
        i, j = element.places
        if a == b:
            return element.choice()
        gap, sign = gap_of(element.form.program, a, b)
        sign *= larger
        return element.choice(
            element.meaning(lambda program, own, given: given[i], ((gap, sign),)),
            element.meaning(lambda program, own, given: given[j], ((gap, -sign),)),
        )

    return choose


def _steep(
    element: Element, sign: int, value: float | None = None, edge: bool = True, by: int = 0
) -> Choice:
    """An infinite slope of `sign`: a line, and none."""
    k = element.places[by]
    return element.choice(
        element.meaning(line(k, 0.0, value)),
        element.meaning(line(k, float(sign), value), steep=1),
        edge=edge,
    )


def _power(element: Element) -> Choice | None:
    base, exponent = element.args
    if base != 0 or not exponent > 0:
        return None
    if exponent < 1:
        return _steep(element, 1, 0.0)
    return element.choice(element.meaning(line(element.places[0], 0.0, 0.0)), edge=True)


def is_bent_power(graph: Graph, form: Shadow, at: int, mask: Any) -> bool:
    """Whether a node is a power of 0 with a slope, and no second derivative: between 1 and 2."""
    node = graph.nodes[at]
    if node.name not in ("power", "float_power"):
        return False
    flats = np.flatnonzero(np.broadcast_to(mask, node.shape)).tolist()
    bases = (Element(graph, form, at, flat).args for flat in flats)
    return any(base == 0 and 1 < exponent < 2 for base, exponent in bases)


def _relative_entropy(element: Element) -> Choice | None:
    if not element.args[1] > 0:
        return None
    i, j = element.places
    shifted = element.node.name == "kl_div"

    def meaning(slope: float) -> Statement:
        falling = line(i, slope, 0.0)
        if not shifted:
            return falling
        return lambda program, own, given: program.add(falling(program, own, given), given[j])

    return element.choice(
        element.meaning(meaning(0.0)), element.meaning(meaning(-1.0), steep=1), edge=True
    )


def _signs(element: Element) -> Choice:
    gap, sign = gap_of(element.form.program, element.statement(0), ZERO)
    return element.choice(*[element.holding(float(s), ((gap, sign * s),)) for s in (0, 1, -1)])


def _heaviside(element: Element) -> Choice | None:
    at_zero = element.args[1]
    gap, sign = gap_of(element.form.program, element.statement(0), ZERO)

    def step(value: float, side: int) -> Alternative:
        # The step is a formula to the shadow, by the sign, and not a value alone.
        constant = {element.flat: lambda program, own, given: program.constant(value)}
        return Alternative(((gap, sign * side),), constant, {element.flat: value})

    return element.choice(step(0.0, -1), step(at_zero, 0), step(1.0, 1))


def _stepping(*values: Callable[[float], float]) -> Callable[[Element], Choice]:
    """A step at which it has one value or another."""

    def choose(element: Element) -> Choice:
        (x,) = element.args
        return element.choice(*[element.holding(value(x)) for value in values])

    return choose


def _hypot(element: Element) -> Choice:
    lines = cross(element.places, 1.0)
    return element.choice(*[element.meaning(line) for line in lines], loose=True)


def _scaled_bessel(element: Element) -> Choice:
    """``exp(-abs(x)) * i0(x)``, which is ``1 - abs(x) + 3 / 4 * x**2`` to second order."""
    gap, sign = gap_of(element.form.program, element.statement(0), ZERO)
    (k,) = element.places

    def side(way: int) -> Alternative:
        def meaning(program: Program, own: int, given: Sequence[int]) -> int:
            x = given[k]
            bent = program.multiply(program.constant(0.75), program.multiply(x, x))
            straight = program.subtract(program.constant(1.0), x)
            if way < 0:
                straight = program.add(program.constant(1.0), x)
            return program.add(straight, bent)

        return element.meaning(meaning, ((gap, sign * way),))

    return element.choice(side(1), side(-1))


BY_ELEMENT: Final[dict[str, Callable[[Element], Choice | None]]] = {
    "absolute": _absolute,
    "fabs": _absolute,
    **dict.fromkeys(("maximum", "fmax"), _picking(1)),
    **dict.fromkeys(("minimum", "fmin"), _picking(-1)),
    "sqrt": lambda element: _steep(element, 1, 0.0),
    "cbrt": lambda element: _steep(element, 1, 0.0, edge=False),
    "entr": lambda element: _steep(element, 1, 0.0),
    "arcsin": lambda element: _steep(element, 1),
    "arccos": lambda element: _steep(element, -1),
    "arccosh": lambda element: _steep(element, 1, 0.0),
    **dict.fromkeys(("power", "float_power"), _power),
    **dict.fromkeys(("rel_entr", "kl_div"), _relative_entropy),
    "hypot": _hypot,
    "i0e": _scaled_bessel,
    "sign": _signs,
    "heaviside": _heaviside,
    "floor": _stepping(lambda x: x, lambda x: x - 1),
    "ceil": _stepping(lambda x: x, lambda x: x + 1),
    "trunc": _stepping(lambda x: x, lambda x: x - math.copysign(1, x)),
    "rint": _stepping(math.floor, math.ceil),
}
