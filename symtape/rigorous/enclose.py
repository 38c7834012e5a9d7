"""Enclosures: a graph evaluated in balls.

The inputs and the constants of the graph are taken to be exactly the numbers that they are, and
every operation encloses the exact result; what the radius holds is the error of Arb alone. The
radius of a float computation is the business of :mod:`symtape.rigorous.rounding`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from flint import arb

from symtape.errors import Unsupported
from symtape.graph.graph import Graph, Node
from symtape.primitives.arguments import takes_values
from symtape.primitives.primitive import Primitive, name_of
from symtape.process.precision import precision
from symtape.process.work import charge
from symtape.rigorous import ball, operators
from symtape.rigorous.deciding import COMPARING, ranks
from symtape.rigorous.elementary import DIRECT, ENOUGH
from symtape.rigorous.matrices import float_balls, kept_balls, only_balls
from symtape.rigorous.scalar import to_ball

_BALLS: Final = np.frompyfunc(to_ball, 1, 1)
_TRUTHS: Final = np.frompyfunc(ball.truth, 1, 1)
_OF_TRUTHS: Final = {"and": ball.logical_and, "or": ball.logical_or}
"""What arithmetic of booleans, whose result is boolean in NumPy, means."""


def enclose(graph: Graph, inputs: Sequence[Any], bits: int) -> list[Any]:
    """Enclose the outputs of `graph` at exactly the floats `inputs`.

    Parameters
    ----------
    graph : Graph
        A recorded computation.
    inputs : sequence of array_like
        One for each input of the graph, of its shape.
    bits : int
        Working precision.

    Returns
    -------
    list of object arrays
        One for each output, of its shape; entries are ``flint.arb``, or True, False and None
        (undecided) for an output of booleans. A ball that is not finite says that nothing is
        known.

    Raises
    ------
    Unsupported
        An operation has no reading in balls, or chooses by a comparison that is undecided.
    ValueError
        Wrong number or shape of inputs.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> graph = symtape.record(lambda x: np.exp(x) / 3, 0.0)
    >>> [value] = enclose(graph, [0.0], 100)
    >>> print(value[()].str(20, radius=False))
    0.33333333333333333333
    """
    with precision(bits):
        return Reading(graph, inputs).outputs()


def enclose_nodes(graph: Graph, inputs: Sequence[Any], bits: int) -> list[Any]:
    """As :func:`enclose`, of every node: a ball or an array of balls for each that is of floats."""
    with precision(bits):
        return Reading(graph, inputs).nodes()


class Reading:
    """One evaluation of a graph in balls, under the precision of its surroundings.

    The meaning of a node is a bare ball where its shape is (), and otherwise an object array of
    them; booleans are True, False and None; what is constant and integer or boolean stays a
    plain array, fit to index with.
    """

    functions: Any = ball
    """What the readings of rows call."""

    numbers = "balls"

    def __init__(self, graph: Graph, inputs: Sequence[Any]) -> None:
        self.graph = graph
        self.inputs = [
            x if _is_of_balls(x) else np.asarray(x, dtype=graph.nodes[at].dtype)
            for at, x in zip(graph.inputs, _check_inputs(graph, inputs), strict=True)
        ]

    def outputs(self) -> list[Any]:
        """Evaluate; one object array for each output of the graph."""
        meanings = self.nodes()
        return [_object_array(meanings[at]) for at in self.graph.outputs]

    def nodes(self) -> list[Any]:
        """Evaluate; the meaning of every node."""
        charge(2 * self.graph.elements)
        return self.graph.interpret(
            [self.read_input(x) for x in self.inputs], constant=self.constant, apply=self.apply
        )

    def read_input(self, x: Any) -> Any:
        """The meaning of an input, an array; balls are what it may be."""
        return _meaning(x) if x.dtype != object else x if x.ndim else x[()]

    def constant(self, node: Node) -> Any:
        """The meaning of a constant."""
        array = np.asarray(node.constant)
        return kept_balls(array) if array.ndim and _is_of_floats(array) else _meaning(array)

    def apply(self, node: Node, args: list[Any]) -> Any:
        """The meaning of an operation on meanings; a tuple of them for several outputs."""
        row = node.row
        numbers = row.elementwise and type(args[0]) is arb and node.dtype.kind == "f"
        if numbers and row.ball and not node.params and all(type(arg) is arb for arg in args):
            # The commonest case of all, without any look at arrays.
            return _functions(row)[0](*args)
        if all(_is_plain(arg) for arg in args) and row.outputs == 1:
            if node.dtype.kind != "f" or row.rounding == (0, 0):
                return _meaning(np.asarray(row.evaluate(*args, **node.params)))
            # A quotient of integers is rounded, as that of floats is.
            args = [self._to_balls(arg) for arg in args]
        if row.elementwise and row.ball is not None:
            return self._apply_by_element(node, row, args)
        result = self._apply_to_whole(node, row, args)
        if type(result) is tuple:
            return tuple(_settle_result(part, "f") for part in result)
        return _settle_result(result, node.dtype.kind)

    def _apply_by_element(self, node: Node, row: Primitive, args: list[Any]) -> Any:
        scalar, spread = _functions(row)
        if node.params:
            assert row.ball is not None
            scalar = functools.partial(row.ball, ball, **node.params)
            spread = np.frompyfunc(scalar, len(args), 1)
        truths = node.dtype.kind == "b"
        if truths and row.of_truths:
            return _OF_TRUTHS[row.of_truths](*args)
        if not truths and row.decision != "condition":
            args = [arg if type(arg) is arb else self._to_balls(arg) for arg in args]
        if any(isinstance(arg, np.ndarray) for arg in args):
            return _TRUTHS(spread(*args)) if truths else spread(*args)
        return ball.truth(scalar(*args)) if truths else scalar(*args)

    def _to_balls(self, arg: Any) -> Any:
        if isinstance(arg, np.ndarray):
            first = arg.flat[0] if arg.size else None
            return arg if type(first) is arb else _BALLS(arg)
        return to_ball(arg)

    def _apply_to_whole(self, node: Node, row: Primitive, args: list[Any]) -> Any:
        given = list(map(self._to_array, args))
        if row.ball is not None:
            return row.ball(self.functions, *given, **node.params)
        arrays = list(map(_to_booleans, given))
        if row.elements is np.matmul:
            return self.functions.matmul(*arrays)
        if row.elements is not None:
            if takes_values(row.elements):
                return row.elements(*arrays, values=self._values(node), **node.params)
            return row.elements(*arrays, **node.params)
        if row.decision in COMPARING:
            return row.evaluate(*self._ranks(node, arrays), **node.params)
        if row.select is not None:
            chosen = row.select(*self._ranks(node, arrays), **node.params)
            return np.concatenate(arrays, axis=None, dtype=object)[np.asarray(chosen)]
        raise Unsupported(f"{row.name} at {node.origin} has no reading in {self.numbers}")

    def _to_array(self, arg: Any) -> Any:
        return arg if isinstance(arg, np.ndarray) or _is_plain(arg) else _object_array(arg)

    def _ranks(self, node: Node, arrays: Sequence[Any]) -> list[Any]:
        """Floats of the order of what an operation depends on by its order alone."""
        return ranks(node.name, arrays, str(node.origin))

    def _values(self, node: Node) -> list[Any]:
        return [np.asarray(self._floats[at]) for at in node.inputs]

    @functools.cached_property
    def _floats(self) -> list[Any]:
        if any(map(_is_of_balls, self.inputs)):
            raise Unsupported("what depends on values has no reading over a box")
        with np.errstate(all="ignore"):
            return self.graph.values(*self.inputs)


def _is_of_balls(x: Any) -> bool:
    return isinstance(x, np.ndarray) and x.dtype == object


def _check_inputs(graph: Graph, inputs: Sequence[Any]) -> Sequence[Any]:
    if len(inputs) != len(graph.inputs):
        raise ValueError(f"the graph has {len(graph.inputs)} inputs, got {len(inputs)}")
    for number, (at, x) in enumerate(zip(graph.inputs, inputs, strict=True)):
        node = graph.nodes[at]
        if np.shape(x) != node.shape:
            raise ValueError(
                f"input {number} of the graph has shape {node.shape}, got {np.shape(x)}; record "
                "the function again for another shape"
            )
        if node.dtype.kind == "c" or (not _is_of_balls(x) and np.asarray(x).dtype.kind == "c"):
            raise Unsupported(f"input {number} of the graph is complex; balls here are real")
    return inputs


@functools.lru_cache(maxsize=4096)  # rows
def _functions(row: Primitive) -> tuple[Any, Any]:
    """The ball reading of an elementwise row, for scalars and for arrays."""
    assert row.ball is not None
    scalar = bind_reading(row.ball, ball)
    return scalar, vectorise(scalar, len(row.inputs))


def _meaning(array: Any) -> Any:
    """What a float array means: balls; integers and booleans mean themselves."""
    if array.ndim and _is_of_floats(array):
        return float_balls(array)
    if array.dtype.kind == "f":
        return _BALLS(array) if array.ndim else to_ball(array[()])
    if array.dtype.kind == "c":
        raise Unsupported("a complex number in the graph; balls here are real")
    return array if array.ndim else array[()]


def _is_of_floats(array: Any) -> bool:
    return bool(array.dtype.kind == "f" and array.dtype.itemsize <= 8)


def _is_plain(arg: Any) -> bool:
    if type(arg) is arb or arg is None or type(arg) is bool:
        return False
    return not (isinstance(arg, np.ndarray) and arg.dtype == object)


def _object_array(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value if value.dtype == object else _BALLS(value)
    array = np.empty((), dtype=object)
    array[()] = value if value is None or isinstance(value, bool) else to_ball(value)
    return array


def _to_booleans(array: Any) -> Any:
    """An array of truths as plain booleans; as balls from 0 to 1 if some are undecided."""
    if not isinstance(array, np.ndarray) or array.dtype != object or not array.size:
        return array
    if type(array.flat[0]) is arb:
        return array
    if any(x is None for x in array.flat):
        return np.asarray(_BALLS(array), dtype=object)
    if all(isinstance(x, bool | np.bool_) for x in array.flat):
        return array.astype(bool)
    return array


def _settle_result(result: Any, kind: str) -> Any:
    """A result with the integers that leaked into it made balls, or truths where `kind` is b."""
    if kind in "biu" and np.asarray(result).dtype.kind in "biu":
        return _meaning(np.asarray(result))
    array = np.asarray(result, dtype=object)
    if kind == "f" and array.ndim and only_balls(array):
        return array
    if kind in "iu" and all(isinstance(x, int | np.integer) for x in array.flat):
        return _meaning(array.astype(int))
    settled = (_TRUTHS if kind == "b" else _BALLS)(array)
    return settled if array.ndim else (settled[()] if isinstance(settled, np.ndarray) else settled)


def bind_reading(reading: Callable[..., Any], module: Any) -> Callable[..., Any]:
    """A reading in a module of functions; of one that is only a name the function itself."""
    name = name_of(reading)
    return functools.partial(reading, module) if name is None else getattr(module, name)


def is_operator(row: Primitive) -> bool:
    """Whether the reading of a row is an operator, which NumPy applies to arrays of objects."""
    return name_of(row.ball) in operators.__all__


def vectorise(scalar: Callable[..., Any], arity: int) -> Callable[..., Any]:
    """`scalar` by element; where Arb computes all that is asked for, without a step in Python."""
    each: Callable[..., Any] = np.frompyfunc(scalar, arity, 1)
    if scalar not in DIRECT:
        return each
    function, measure = DIRECT[scalar]
    direct: Callable[..., Any] = np.frompyfunc(function, 1, 1)

    def apply_to_array(x: Any) -> Any:
        try:
            if measure is None or min(map(measure, x.ravel().tolist()), default=0) > ENOUGH:
                return direct(x)
        except TypeError:
            # Plain numbers among the balls.
            pass
        return each(x)

    return apply_to_array
