"""A graph evaluated in jets: what depends on ``t`` is expanded, all else are balls.

A derivative by several directions is a sum of expansions along single ones (polarisation):
``D^k f[v1, ..., vk]`` is the mean over all signs of ``s1...sk c_k(s1 v1 + ... + sk vk)`` times 1,
where ``c_k(w)`` is the coefficient of ``t**k`` of ``f(x + t w)``; Griewank, Utke and Walther 2000,
Evaluating higher derivative tensors by forward propagation of univariate Taylor series.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np
from flint import arb, arb_series

from symtape.errors import Unsupported
from symtape.graph.graph import Graph, Node
from symtape.primitives.primitive import Primitive
from symtape.process.precision import precision
from symtape.process.work import charge
from symtape.recording.structure import separate_entries
from symtape.rigorous.deciding import COMPARING
from symtape.rigorous.enclose import Reading, bind_reading, is_operator
from symtape.rigorous.jets import functions
from symtape.rigorous.jets.jet import Element, Germ, Jet, Lost, coefficients, ordering, value_of
from symtape.rigorous.matrices import kept_size, objects
from symtape.rigorous.scalar import to_ball

_OF_TRUTHS: Final = {"and": functions.logical_and, "or": functions.logical_or}

_BY_SIGN: Final = COMPARING - {"order"}
"""Decisions for which 0 counts."""

_EXTRA_TERMS: Final = 4
"""How many terms beyond the order asked for are tried where germs cancel at the point."""

Arrays = Sequence[Any]


def taylor(
    graph: Graph,
    inputs: Arrays,
    direction: Arrays,
    bits: int,
    order: int = 1,
    *,
    germ: bool = False,
) -> list[Any]:
    """Expand the outputs of `graph` along a line, ``f(x + t v)`` in powers of ``t``.

    Parameters
    ----------
    graph : Graph
    inputs : sequence of array_like
        The point, one array for each input of the graph.
    direction : sequence of array_like
        Of the shapes of the inputs; what belongs to an integer input is not looked at.
    bits : int
        Working precision.
    order : int
        Of the last coefficient.
    germ : bool
        Expand for ``t`` from 0 up: what is equal at the point is told apart by what follows.
        What agrees in all coefficients that are computed counts as equal.

    Returns
    -------
    list of object arrays
        One for each output, of its shape and one axis more for the coefficients, which are
        ``flint.arb``. One that is not finite says that nothing is known of it.

    Raises
    ------
    Unsupported
        An operation has no reading in jets; names it and the user's line.
    ValueError
        `order` is negative, or the inputs do not fit the graph.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> graph = symtape.record(lambda x: 1 / (1 - x), 0.0)
    >>> [found] = taylor(graph, [0.0], [1.0], 53, order=3)
    >>> print(*found)
    1.00000000000000 1.00000000000000 1.00000000000000 1.00000000000000
    """
    if order < 0:
        raise ValueError(f"taylor: expected an order from 0 up, got {order}")
    terms = max(order, 1) + 1
    while True:
        with precision(bits, terms):
            reading = Expansion(graph, inputs, Germ if germ else Jet)
            found = [expand_part(part, order) for part in reading.expand_along(direction)]
        if not germ or terms >= order + 1 + _EXTRA_TERMS or _all_known(found):
            return found
        terms += 2


def expand_part(part: Any, order: int) -> Any:
    """The coefficients of each element, up to that of an order."""
    result = np.empty((*part.shape, order + 1), dtype=object)
    for index in np.ndindex(part.shape):
        result[index] = coefficients(part[index], order)
    return result


def _all_known(parts: Sequence[Any]) -> bool:
    return all(ball.is_finite() for part in parts for ball in part.ravel())


def polarise(directions: Sequence[Arrays]) -> Iterator[tuple[float, list[Any]]]:
    """Lines whose coefficients of order k, so weighted, add up to the derivative by k directions.

    Under the precision around it.
    """
    order = len(directions)
    for signs in itertools.product((1, -1), repeat=order - 1):
        line = [_sum((1, *signs), parts) for parts in zip(*directions, strict=True)]
        yield math.prod(signs) / 2 ** (order - 1), line


def _sum(signs: Sequence[int], parts: Sequence[Any]) -> Any:
    """A sum of directions, in balls, as that of two floats may be no float; 0.0 where it is."""
    total = sum(
        sign * np.asarray(objects(np.asarray(part)), dtype=object)
        for sign, part in zip(signs, parts, strict=True)
    )
    return np.frompyfunc(lambda x: 0.0 if x.is_zero() else x, 1, 1)(total)


class Expansion(Reading):
    """Evaluations of a graph along lines through one point, under the precision around them.

    Parameters
    ----------
    graph : Graph
    inputs : sequence of array_like
        The point.
    kind : type
        :class:`Jet`, or :class:`Germ` for one-sided expansions.
    """

    functions = functions
    numbers = "jets"

    def __init__(self, graph: Graph, inputs: Sequence[Any], kind: type[Jet] = Jet) -> None:
        super().__init__(graph, inputs)
        self._still = Reading(graph, inputs)
        self._kind = kind
        self._constants: dict[int, Any] = {}  # by the ids of nodes of the graph

    def expand_along(self, direction: Sequence[Any]) -> list[Any]:
        """The outputs on the line through the point in `direction`: object arrays of elements."""
        charge(6 * self.graph.elements)
        given = [_line(x, v, self._kind) for x, v in zip(self.inputs, direction, strict=True)]
        meanings = self.graph.interpret(given, constant=self.constant, apply=self.apply)
        return [_array(meanings[at]) for at in self.graph.outputs]

    def constant(self, node: Node) -> Any:
        """The meaning of a constant, the same on every line."""
        found = self._constants.get(id(node))
        if found is None:
            found = self._constants[id(node)] = super().constant(node)
        return found

    def apply(self, node: Node, args: list[Any]) -> Any:
        """The meaning of an operation; a tuple of meanings for several outputs."""
        row = node.row
        if not any(map(_moves, args)):
            return self._still.apply(node, args)
        if row.stops:
            # By its meaning a constant, whatever it was computed from.
            return _hold_value(args[0])
        try:
            if is_operator(row) and node.dtype.kind != "b":
                return row.ball(functions, *map(_numbers, args))
            if row.elementwise and row.ball is not None:
                return self._apply_to_elements(node, row, args)
            result = self._apply_to_whole(node, row, args)
        except (AttributeError, NotImplementedError, TypeError) as error:
            raise Unsupported(
                f"{row.name} at {node.origin} has no reading in jets: {error}"
            ) from error
        if type(result) is tuple:
            return tuple(_settle_result(part, "f") for part in result)
        return _settle_result(result, node.dtype.kind)

    def _apply_to_elements(self, node: Node, row: Primitive, args: list[Any]) -> Any:
        truths = node.dtype.kind == "b"
        if truths and row.of_truths:
            return _OF_TRUTHS[row.of_truths](*args)
        scalar: Callable[..., Any] = functools.partial(_scalar, row, self._kind, node.params)
        if len(args) == 1 and not node.params and row.ball is not None:
            # Balls beside jets need no lifting where there is nothing beside.
            scalar = bind_reading(row.ball, functions)
        if not truths and row.decision != "condition":
            args = [_numbers(arg) for arg in args]
        if any(isinstance(arg, np.ndarray) and arg.ndim for arg in args):
            found = np.frompyfunc(scalar, len(args), 1)(*args)
            return _each_truth(found) if truths else found
        found = scalar(*args)
        return functions.truth(found) if truths else found

    def _to_array(self, arg: Any) -> Any:
        return _plain_truths(_array(arg))

    def _ranks(self, node: Node, arrays: Sequence[Any]) -> list[Any]:
        return _ranks(node.name, arrays, str(node.origin), zero=node.row.decision in _BY_SIGN)


def _line(x: Any, v: Any, kind: type[Jet]) -> Any:
    """The meaning of an input; elements that do not move are balls."""
    if x.dtype.kind != "f":
        return x if x.ndim else x[()]
    values = x.ravel().tolist()
    speeds = np.broadcast_to(np.asarray(v), x.shape).ravel().tolist()
    found = np.fromiter(
        (
            kind(arb_series([a, b])) if b else to_ball(a)
            for a, b in zip(values, speeds, strict=True)
        ),
        dtype=object,
        count=x.size,
    ).reshape(x.shape)
    return found if x.ndim else found[()]


def _moves(arg: Any) -> bool:
    if isinstance(arg, np.ndarray):
        if arg.dtype != object or kept_size(arg) is not None:
            return False
        return not _MOVING.isdisjoint(map(type, arg.ravel().tolist()))
    return arg is None or isinstance(arg, Jet)


def _scalar(row: Primitive, kind: type[Jet], params: Any, *args: Any) -> Any:
    """An elementwise reading of elements, balls beside jets made jets that stand still."""
    assert row.ball is not None
    if any(isinstance(x, Jet) for x in args):
        args = tuple(kind(x) if type(x) is arb else x for x in args)
    return row.ball(functions, *args, **params)


def _number(x: Any) -> Element:
    """A number as a ball; a truth that is undecided is one that may jump."""
    if isinstance(x, Jet):
        return x
    return Lost(to_ball(None)) if x is None else to_ball(x)


_NUMBERS: Final = np.frompyfunc(_number, 1, 1)


def _numbers(arg: Any) -> Any:
    if type(arg) is arb or isinstance(arg, Jet):
        return arg
    if isinstance(arg, np.ndarray) and arg.ndim:
        if arg.dtype == object and arg.size and isinstance(arg.flat[0], Jet | arb):
            return arg
        return _NUMBERS(arg)
    return _number(arg[()] if isinstance(arg, np.ndarray) else arg)


_TRUTHS: Final[Callable[..., Any]] = np.frompyfunc(functions.truth, 1, 1)


def _each_truth(array: Any) -> Any:
    return _TRUTHS(array)


def _array(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value
    array = np.empty((), dtype=object)
    array[()] = value
    if isinstance(value, bool | np.bool_ | int | np.integer):
        return np.asarray(value)
    return array


def _plain_truths(array: Any) -> Any:
    """An array of truths as plain booleans; as numbers if some are undecided."""
    if array.dtype != object or not array.size or isinstance(array.flat[0], Jet | arb):
        return array
    if all(isinstance(x, bool | np.bool_) for x in array.flat):
        return array.astype(bool)
    return _map_array(_number, array)


def _map_array(function: Callable[[Any], Any], array: Any) -> Any:
    found = np.fromiter(map(function, array.flat), dtype=object, count=array.size)
    return found.reshape(array.shape)


_MOVING: Final = frozenset([Jet, Germ, Lost, type(None)])
"""What is not fixed; a truth that is undecided may jump."""

_ELEMENTS: Final = frozenset([arb, Jet, Germ, Lost])


def _settle_result(result: Any, kind: str) -> Any:
    """A result with the integers that leaked into it made balls, or truths where `kind` is b."""
    if kind in "biu" and np.asarray(result).dtype.kind in "biu":
        array = np.asarray(result)
        return array if array.ndim else array[()]
    array = np.asarray(result, dtype=object)
    if kind in "iu" and all(isinstance(x, int | np.integer) for x in array.flat):
        return array.astype(int) if array.ndim else int(array[()])
    if kind != "b" and _ELEMENTS.issuperset(map(type, array.ravel().tolist())):
        return array if array.ndim else array[()]
    found = _map_array(functions.truth if kind == "b" else _number, array)
    return found if found.ndim else found[()]


def _ranks(name: str, arrays: Sequence[Any], place: str, zero: bool) -> list[Any]:
    """Numbers of the same order as the jets near ``t = 0``, and of the same signs if `zero`."""
    elements: list[Element] = [to_ball(0)] if zero else []
    for array in arrays:
        elements.extend(_number(x) for x in array.flat)
    order = sorted(range(len(elements)), key=functools.cmp_to_key(_compare_places(elements)))
    ranks = np.zeros(len(elements))
    for before, after in itertools.pairwise(order):
        side = ordering(elements[before], elements[after])
        if side is None or side > 0:
            raise Unsupported(
                f"undecided: {name} at {place} depends on the order of {elements[before]} and "
                f"{elements[after]}, which is open; move the point off the tie"
            )
        ranks[after] = ranks[before] - side
    if zero:
        ranks -= ranks[0]
    return separate_entries(ranks[1:] if zero else ranks, map(np.shape, arrays))


def _compare_places(elements: Sequence[Element]) -> Callable[[int, int], int]:
    middles = [functions.midpoints([x])[0] for x in elements]

    def compare(i: int, j: int) -> int:
        side = ordering(elements[i], elements[j])
        # Of what is not known there is no order, and none is asked for: the next one raises.
        return (
            side
            if side is not None
            else int(middles[i] > middles[j]) - int(middles[i] < middles[j])
        )

    return compare


def _hold_value(meaning: Any) -> Any:
    """What does not move, with the value that `meaning` has at the point."""
    if isinstance(meaning, np.ndarray):
        return np.frompyfunc(value_of, 1, 1)(meaning)
    return value_of(meaning)
