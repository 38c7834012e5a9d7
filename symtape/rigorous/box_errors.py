"""How far floats can be from the exact result at any point of one box.

Each operation makes an error of its own: ``fl f = f (1 + d) + e``. By the mean-value theorem the
error of a result is the sum over all operations of their own errors, each times the slope of the
result by that operation, at *some* roundings between none and those that were made. So slopes are
enclosed over every number that floats may have come to, and there is no second order left.

Of wide boxes the values are enclosed in two ways, by their operations and by the mean-value form
around the middle, which holds for whatever roundings are made: what they share counts.

Source
------
Linnainmaa, BIT 16 (1976), for the adjoint method; Moore, Kearfott and Cloud, *Introduction to
Interval Analysis* (2009), section 6.4, for the mean-value form; Solovyev, Baranowski, Briggs,
Jacobsen, Rakamarić and Gopalakrishnan, ACM TOPLAS 41 (2018), for first-order bounds over boxes,
with a bound of the second order apart.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from flint import arb

from symtape.errors import Unsupported
from symtape.graph.graph import Graph, Node
from symtape.primitives.arithmetic import DIVIDE, MULTIPLY
from symtape.primitives.primitive import Primitive
from symtape.process.work import charge
from symtape.rigorous.ball import truth
from symtape.rigorous.box_slopes import Slope, box_slopes
from symtape.rigorous.enclose import Reading
from symtape.rigorous.rounding import LIBRARY, FloatReading, Rounding, rounding_of
from symtape.rigorous.scalar import UNKNOWN, Ball, list_entries, nonnegative, to_ball

Gradient: TypeAlias = dict[tuple[int, int], Ball]
"""Slopes by elements of inputs."""

_SCALES: Final = (MULTIPLY, DIVIDE)
_OF_TERMS: Final = frozenset(["multilinear", "linear"])


class Step(NamedTuple):
    """What is known of an operation over a box: its slopes and the roundings that it makes."""

    slopes: list[Slope]
    k_in: float
    k_out: float


class BoxBound(NamedTuple):
    """What is known of an element of a result all over a box.

    Attributes
    ----------
    value : Ball
        What floats may make of it.
    error : Ball
        The most that they are off; not finite where nothing bounds it.
    spreads : dict
        For each element of an input, how much it spreads the values of all nodes, relatively.
    """

    value: Ball
    error: Ball
    spreads: dict[tuple[int, int], float]


class ResultElement:
    """One element of a result, and the part of a graph that it depends on.

    Parameters
    ----------
    graph : Graph
    output : int
        The node.
    element : int
        Its number in the node.
    rounded_inputs : bool
        Whether inputs are rounded from real numbers.
    """

    def __init__(self, graph: Graph, output: int, element: int, rounded_inputs: bool) -> None:
        self.graph, self.output, self.element = graph, output, element
        self.rounded_inputs = rounded_inputs
        self.narrowed = _narrowed_constants(graph)
        self.moves: list[bool] = []
        self.exact: list[bool] = []
        for at, node in enumerate(graph.nodes):
            given = at in graph.inputs or at in self.narrowed
            self.moves.append(given or any(self.moves[k] for k in node.inputs))
            rounds = rounded_inputs if node.primitive is None else node.row.rounding != (0, 0)
            rounds = rounds or at in self.narrowed
            self.exact.append(not rounds and all(self.exact[k] for k in node.inputs))
        needed = {output, *(step.node for step in graph.path)}
        for at in range(len(graph.nodes) - 1, -1, -1):
            if at in needed:
                needed.update(graph.nodes[at].inputs)
        self.needed = sorted(needed)

    def is_moving(self, at: int) -> bool:
        """Whether a node is a float that is not exact."""
        return self.moves[at] and self.graph.nodes[at].dtype.kind == "f"

    def bound(self, balls: Sequence[Any], middles: Sequence[Any] = ()) -> BoxBound:
        """Bound the error all over a box.

        Parameters
        ----------
        balls : sequence of object arrays
            The box: what each input may be.
        middles : sequence of object arrays, optional
            One point of it.

        Raises
        ------
        Unsupported
        """
        charge(100 * len(self.needed) * (1 + bool(middles)))
        centre = _Evaluation(self, _AnyRounding(self.graph, middles)) if middles else None
        over = _Evaluation(self, FloatReading(self.graph, balls), centre)
        return BoxBound(over.values[self.output][self.element], over.error(), over.spreads())


def _narrowed_constants(graph: Graph) -> dict[int, float]:
    """Python's numbers that are rounded to a narrower dtype beside them, by how much."""
    found: dict[int, float] = {}
    for node in graph.nodes:
        given = [graph.nodes[at] for at in node.inputs]
        beside = [
            it.dtype for it in given if it.dtype.kind == "f" and type(it.constant) is not float
        ]
        narrow = min(beside, key=lambda dtype: dtype.itemsize, default=np.dtype(np.float64))
        for at, one in zip(node.inputs, given, strict=True):
            if narrow.itemsize < 8 and type(one.constant) in (int, float):
                off = abs(float(one.constant) - float(narrow.type(one.constant)))
                found[at] = max(off, found.get(at, 0.0))
    return {at: off for at, off in found.items() if off}


class _AlwaysRounding(Rounding):
    """As if no result were a float."""

    def represents(self, x: Ball) -> bool:
        """Never: at another point of the box it is rounded."""
        return False


class _AnyRounding(FloatReading):
    """What may come of a point with the roundings of any other point of a box."""

    @staticmethod
    def unit(dtype: np.dtype[Any]) -> Rounding:
        """How floats of a dtype round."""
        return _always_rounding(dtype)


@functools.cache  # of dtypes
def _always_rounding(dtype: np.dtype[Any]) -> Rounding:
    return _AlwaysRounding(dtype)


class _Evaluation:
    """The operations over a box, from the first to the last; their errors the other way."""

    def __init__(
        self, result: ResultElement, floats: FloatReading, centre: _Evaluation | None = None
    ) -> None:
        self._result, self._graph, self._centre = result, result.graph, centre
        self._floats, self._exact = floats, Reading(self._graph, floats.inputs)
        self._given = dict(zip(self._graph.inputs, floats.inputs, strict=True))
        self._meanings: dict[int, Any] = {}
        self.values: dict[int, list[Any]] = {}
        self._steps: dict[int, Step | Unsupported] = {}
        self._gradients: dict[int, list[Gradient | None]] = {}
        for at in result.needed:
            self._evaluate(at)
        for step in self._graph.path:
            decided = truth(self.values[step.node][0]) is step.outcome
            if not (decided or result.exact[step.node]):
                raise Unsupported(f"the branch at {step.origin} is not decided all over the box")

    def _evaluate(self, at: int) -> None:
        node = self._graph.nodes[at]
        if node.primitive is None:
            given = at in self._given
            meaning = (
                self._floats.read_input(self._given[at]) if given else self._floats.constant(node)
            )
        else:
            args = [self._meanings[k] for k in node.inputs]
            meaning = self._floats.apply(node, args)
            meaning = meaning if node.part is None else meaning[node.part]
            if self._result.is_moving(at):
                self._steps[at] = self._step(node, args)
        self._meanings[at], self.values[at] = meaning, list_entries(meaning)
        if self._centre is not None and self._result.is_moving(at):
            self._centre_on(at, self._centre)

    def _step(self, node: Node, args: list[Any]) -> Step | Unsupported:
        moving = [self._result.is_moving(k) for k in node.inputs]
        if node.part is not None or node.row.backward is not None:
            return Unsupported(f"{node.name} at {node.origin} has no bound over a box")
        taken, k_in, k_out = self._floats.take(node, args)
        if k_in and node.row.structure == "linear":
            moving = [self._graph.nodes[k].dtype.kind == "f" for k in node.inputs]
        try:
            slopes = box_slopes(node, taken, moving, self._exact.apply)
        except Unsupported as error:
            return error
        # The result is rounded after the slope.
        around = rounding_of(node.dtype).factor(max(k_in, k_out))
        return Step([slope._replace(value=slope.value * around) for slope in slopes], k_in, k_out)

    def _centre_on(self, at: int, centre: _Evaluation) -> None:
        """Narrow the values of a node by their mean-value form."""
        node, values = self._graph.nodes[at], self.values[at]
        gradients = self._gradients[at] = self._find_gradients(at, centre)
        narrowed = []
        for value, middle, gradient in zip(values, centre.values[at], gradients, strict=True):
            if gradient is not None and value.is_finite() and middle.is_finite():
                form = sum(
                    (
                        slope * (self.values[k][column] - centre.values[k][column])
                        for (k, column), slope in gradient.items()
                    ),
                    middle,
                )
                # Rounding the radius may take what touches 0 out of the domain of the square root.
                keep = nonnegative if value >= 0 else arb
                value = keep(value.intersection(form)) if form.overlaps(value) else UNKNOWN
            narrowed.append(value)
        self.values[at] = narrowed
        array = np.empty(len(narrowed), dtype=object)
        array[:] = narrowed
        self._meanings[at] = array.reshape(node.shape) if node.shape else narrowed[0]

    def _find_gradients(self, at: int, centre: _Evaluation) -> list[Gradient | None]:
        """The slopes of a node's elements by those of the inputs, at whatever roundings."""
        count = len(self.values[at])
        if at in self._given:
            return [
                {} if middle.contains(value) else {(at, element): arb(1)}
                for element, (value, middle) in enumerate(
                    zip(self.values[at], centre.values[at], strict=True)
                )
            ]
        step = self._steps.get(at)
        if not isinstance(step, Step) or self._find_undecided(at):
            return [None] * count
        found: list[Gradient | None] = [{} for _ in range(count)]
        for row, place, column, slope in step.slopes:
            known = self._gradients.get(self._graph.nodes[at].inputs[place])
            before, total = known[column] if known is not None else {}, found[row]
            if total is None:
                continue
            if before is None or not slope.is_finite():
                found[row] = None
                continue
            for key, inner in before.items():
                total[key] = total[key] + slope * inner if key in total else slope * inner
        return found

    def spreads(self) -> dict[tuple[int, int], float]:
        """How much each input spreads the values of all nodes, relatively."""
        found: dict[tuple[int, int], float] = {}
        for at, gradients in self._gradients.items():
            for value, gradient in zip(self.values[at], gradients, strict=True):
                size = float(abs(value).upper()) if value.is_finite() else 0.0
                for (k, column), slope in (gradient or {}).items() if size else ():
                    spread = float(abs(slope).upper() * self.values[k][column].rad()) / size
                    found[k, column] = found.get((k, column), 0.0) + min(spread, 1.0)
        return found

    def error(self) -> Ball:
        """The largest rounding error; not finite where nothing bounds it."""
        result = self._result
        adjoints: dict[int, dict[int, Ball]] = {result.output: {result.element: arb(1)}}
        total = arb(0) if self.values[result.output][result.element].is_finite() else UNKNOWN
        for at in reversed(result.needed):
            own = adjoints.get(at)
            if not own or not result.is_moving(at):
                continue
            for element, error in self._own_errors(at, own).items():
                if not error.is_zero():  # whatever the slope, as of the square root at 0
                    total += abs(own[element]).upper() * error
            step = self._steps.get(at)
            for row, place, column, slope in step.slopes if isinstance(step, Step) else ():
                if row in own:
                    below = adjoints.setdefault(self._graph.nodes[at].inputs[place], {})
                    change = own[row] * slope
                    below[column] = below[column] + change if column in below else change
        return total.upper() if total.is_finite() else UNKNOWN

    def _own_errors(self, at: int, elements: Iterable[int]) -> dict[int, Ball]:
        """The error that a node makes by itself in each of some elements."""
        node = self._graph.nodes[at]
        if node.primitive is None:
            return self._errors_of_given(at, elements)
        step = self._steps[at]
        if isinstance(step, Unsupported):
            raise step
        # What depends on numbers that are not rounded is the same for floats, whatever it is.
        if not all(self._result.exact[k] for k in self._find_undecided(at)):
            raise Unsupported(f"what {node.name} at {node.origin} chooses is not decided")
        errors = self._errors_of_results(at, node, elements, step)
        if step.k_in and node.row.structure != "multilinear":
            # Arguments are perturbed before the slope.
            unit = rounding_of(node.dtype)
            for row, place, column, slope in step.slopes:
                if row in errors:
                    size = abs(to_ball(self.values[node.inputs[place]][column])).upper()
                    errors[row] += abs(slope).upper() * size * unit.u * step.k_in
        return errors

    def _errors_of_given(self, at: int, elements: Iterable[int]) -> dict[int, Ball]:
        if self._result.rounded_inputs and at in self._given:
            unit, values = rounding_of(self._graph.nodes[at].dtype), self.values[at]
            return {k: _half_ulp(values[k], unit) for k in elements}
        return dict.fromkeys(elements, arb(self._result.narrowed.get(at, 0.0)))

    def _find_undecided(self, at: int) -> list[int]:
        """The steps and truths that a node depends on which are not the same all over the box."""
        node = self._graph.nodes[at]
        steps = [k for k in node.inputs if self._graph.nodes[k].dtype.kind != "f"]
        if node.row.cuts and not node.row.stops:
            steps.append(at)
        return [
            k
            for k in steps
            if self._result.moves[k]
            and any(x is None or (type(x) is arb and not x.is_exact()) for x in self.values[k])
        ]

    def _errors_of_results(
        self, at: int, node: Node, elements: Iterable[int], step: Step
    ) -> dict[int, Ball]:
        """What the roundings of the results lose, and those of the terms of sums."""
        row, unit, values = node.row, rounding_of(node.dtype), self.values[at]
        least = arb(unit.least.rad())
        args = [self._meanings[k] for k in node.inputs]
        if step.k_in and row.structure in _OF_TERMS:
            if row.structure == "linear":
                return dict.fromkeys(elements, least * step.k_in)
            whole = list_entries(self._exact.apply(node, list(map(_sizes, args))))
            return {k: (abs(whole[k]).upper() * unit.u + least) * step.k_in for k in elements}
        if not step.k_out or row in _SCALES:
            scale = _scale(row, args) if step.k_out else arb(1)
            if scale is not None:
                return dict.fromkeys(elements, arb(0) if scale >= 1 else least)
        if step.k_out == 1:
            return {k: _half_ulp_of_result(values[k], unit) for k in elements}
        least = unit.least_normal if step.k_out >= LIBRARY else least * step.k_out
        return {k: abs(values[k]).upper() * unit.u * step.k_out + least for k in elements}


def _half_ulp(x: Ball, unit: Rounding) -> Ball:
    """The most that rounding to the nearest float changes a number in `x`.

    Half the distance of the floats below the least power of two that none of them exceeds.
    """
    if not x.is_finite():
        return UNKNOWN
    mantissa, exponent = abs(x).upper().man_exp()
    power = int(mantissa).bit_length() + int(exponent) - (2 if mantissa == 1 else 1)
    return arb(2) ** power * unit.u + unit.least.rad()


def _half_ulp_of_result(x: Ball, unit: Rounding) -> Ball:
    """As :func:`_half_ulp`, of what is rounded already: one number, if that is known, is exact."""
    return arb(0) if x.is_exact() and unit.represents(x) else _half_ulp(x, unit)


def _scale(row: Primitive, args: list[Any]) -> Ball | None:
    """The least power of two that it multiplies with, all of them exactly; None of others."""
    for factors in args if row is MULTIPLY else args[1:]:
        balls = [to_ball(x) for x in list_entries(factors)]
        if all(map(_is_power_of_two, balls)):
            sizes = [abs(x) if row is MULTIPLY else 1 / abs(x) for x in balls]
            return functools.reduce(arb.min, sizes)
    return None


def _is_power_of_two(x: Ball) -> bool:
    return bool(x.is_exact() and x.is_finite() and abs(x.man_exp()[0]) == 1)


def _sizes(value: Any) -> Any:
    """The largest absolute values."""
    if type(value) is arb:
        return abs(value).upper()
    whole = isinstance(value, np.ndarray) and value.dtype == object
    return np.frompyfunc(lambda x: abs(to_ball(x)).upper(), 1, 1)(value) if whole else value
