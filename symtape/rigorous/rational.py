"""Rational programs evaluated exactly: over Q nothing rounds, and equal is equal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from flint import fmpq

from symtape.errors import BudgetSpent, Unsupported
from symtape.graph.graph import Graph, Node
from symtape.primitives.arguments import takes_values
from symtape.primitives.primitive import Primitive
from symtape.process.work import Work
from symtape.rigorous.matrices import fill_array

_MOST_BITS: Final = 10_000
"""Numerators and denominators are not worked with if they are longer."""

_OVERHEAD: Final = 64
"""An operation on short numbers costs as much as one on longer ones."""


def may_be_rational(graph: Graph) -> bool:
    """Whether no elementwise operation of floats leaves the rationals; costs next to nothing."""
    return all(
        node.primitive.rational
        for node in graph.nodes
        if node.primitive is not None and node.primitive.elementwise and node.dtype.kind == "f"
    )


def exactly(graph: Graph, inputs: Sequence[Any], work: Work | None = None) -> list[Any]:
    """The outputs of `graph` at exactly the floats `inputs`, as rational numbers.

    Parameters
    ----------
    graph : Graph
        Of sums, products, quotients, integer powers, and what is made of these.
    inputs : sequence of array_like
        One for each input, of its shape; finite.
    work : Work, optional
        Bits of the numbers that may be worked with, over all operations; any by default.

    Returns
    -------
    list of object arrays
        Of ``flint.fmpq``, one for each output.

    Raises
    ------
    Unsupported
        An operation leaves the rationals, or divides by 0.
    BudgetSpent
        There is more work than that, or the numbers grow too long.

    Examples
    --------
    >>> import symtape
    >>> graph = symtape.record(lambda x: x**3 / 3, 0.5)
    >>> exactly(graph, [0.5])[0][()]
    1/24
    """
    reading = _Reading(work or Work(math.inf, "exact arithmetic"))
    given = [*map(_rationals, graph.cast(inputs))]
    try:
        meanings = graph.interpret(given, reading.constant, reading.apply)
    except ZeroDivisionError as error:
        raise Unsupported("a division by 0, over the rationals") from error
    return [_object_array(meanings[at]) for at in graph.outputs]


class _Reading:
    """One evaluation; what is not a float is a plain array, floats are arrays of rationals."""

    def __init__(self, work: Work) -> None:
        self._work = work

    def constant(self, node: Node) -> Any:
        """A constant, exactly."""
        return _rationals(np.asarray(node.constant))

    def apply(self, node: Node, args: list[Any]) -> Any:
        """An operation on the meanings of its inputs."""
        row = node.row
        if all(np.asarray(arg).dtype != object for arg in args):
            return np.asarray(row.evaluate(*args, **node.params))
        self._work.spend(_bits(node, row, args))
        result = self._result(node, row, args)
        parts = result if isinstance(result, tuple | list) else (result,)
        for part in parts:
            _check_size(part)
        return result if node.part is not None else parts[0]

    def _result(self, node: Node, row: Primitive, args: list[Any]) -> Any:
        if not row.rational:
            return _evaluate_elements(node, row, args)
        if row.power:
            return _power(node, *args)
        reading = row.rational if callable(row.rational) else row.evaluate
        found = reading(*[_numbers(arg) for arg in args], **node.params)
        return np.asarray(found, bool) if node.dtype.kind == "b" else _object_array(found)


def _bits(node: Node, row: Primitive, args: list[Any]) -> int:
    """About how many bits an operation on arrays works with."""
    result, sizes = math.prod(node.shape), [np.size(arg) for arg in args]
    longest = _longest(args)
    if row.elementwise or row.rounding == (0, 0):
        count = result
    elif row.elements is not None and takes_values(row.elements):
        # It eliminates: n by n numbers take n cubed operations, on numbers that grow n-fold.
        n = math.isqrt(max(sizes))
        count, longest = result + n**3, n * longest
    else:
        # A product of n by k and k by m numbers takes n k m, a sum as many as there are.
        count = max(*sizes, result, math.isqrt(math.prod(sizes) * result))
    return count * (_OVERHEAD + longest)


def _longest(args: list[Any]) -> int:
    """The bits of the longest of the numbers."""
    exact = (arg.ravel().tolist() for arg in map(np.asarray, args) if arg.dtype == object)
    return max((value.height_bits() for part in exact for value in part), default=0)


def _evaluate_elements(node: Node, row: Primitive, args: list[Any]) -> Any:
    reading = row.elements
    if reading is None or row.missing:
        raise Unsupported(f"{node.name} is no rational operation")
    params = dict(node.params)
    if takes_values(reading):
        params["values"] = [_floats(arg) for arg in args]
    try:
        result = reading(*args, **params)
    except Exception as error:  # whatever a reading does with numbers that are not its own
        raise Unsupported(f"{node.name} of rational numbers: {error}") from error
    if isinstance(result, tuple | list):
        return tuple(_object_array(part) for part in result)
    return _object_array(result)


def _power(node: Node, base: Any, exponent: Any) -> Any:
    powers = np.asarray(_floats(exponent))
    if not np.all(np.floor(powers) == powers) or np.any(np.abs(powers) > 64):
        raise Unsupported(f"{node.name} with an exponent that is no small integer")
    return _object_array(np.frompyfunc(lambda x, n: x ** int(n), 2, 1)(_numbers(base), powers))


def _rational(x: float) -> Any:
    if not math.isfinite(x):
        raise Unsupported(f"{x} is no rational number")
    return fmpq(*x.as_integer_ratio())


def _rationals(array: Any) -> Any:
    """Floats exactly; integers and booleans as they are, fit to index with."""
    if array.dtype.kind != "f":
        return array
    return fill_array([_rational(x) for x in array.ravel().tolist()], array.shape)


def _numbers(x: Any) -> Any:
    """Integers and booleans as rationals, too."""
    array = np.asarray(x)
    if array.dtype == object:
        return array
    return _object_array(np.frompyfunc(lambda n: fmpq(int(n)), 1, 1)(array))


def _floats(x: Any) -> Any:
    array = np.asarray(x)
    if array.dtype != object:
        return array
    flat = [int(v.p) / int(v.q) if isinstance(v, fmpq) else float(v) for v in array.ravel()]
    return np.array(flat, dtype=float).reshape(array.shape)


def _object_array(x: Any) -> Any:
    """An object array of rationals, of shape () for one."""
    if isinstance(x, np.ndarray) and x.dtype != object:
        return _rationals(x) if x.dtype.kind == "f" else x
    array = np.asarray(x, dtype=object)
    flat = array.ravel()
    if set(map(type, flat.tolist())) == {fmpq}:
        return array
    for k, value in enumerate(flat.tolist()):
        if isinstance(value, np.ndarray) and not value.shape:
            value = flat[k] = value.item()
        if not isinstance(value, fmpq):
            if not isinstance(value, int | np.integer):
                raise Unsupported(f"{type(value).__name__} among rational numbers")
            flat[k] = fmpq(int(value))
    return flat.reshape(array.shape)


def _check_size(x: Any) -> None:
    array = np.asarray(x)
    if array.dtype == object:
        for value in array.ravel().tolist():
            if value.height_bits() > _MOST_BITS:
                raise BudgetSpent("the numbers of exact arithmetic grow too long")
