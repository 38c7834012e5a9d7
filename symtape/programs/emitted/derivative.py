"""The derivative that is to be written: recorded, taken apart for a language, optimised, named.

A derivative computes again what the function computes: there values have the user's names. Rows
that a language has nothing for are taken apart into what they are made of.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from symtape.errors import NotTraceable
from symtape.graph.freeze import hashable
from symtape.graph.graph import Graph, Node
from symtape.primitives.arithmetic import POSITIVE
from symtape.primitives.banded import SOLVE_BANDED, write_out_matrix
from symtape.primitives.diagonals import DIAGONAL_MATRIX
from symtape.primitives.extrema import SHARE
from symtape.primitives.indexing import SCATTER
from symtape.primitives.linear_algebra import COFACTOR
from symtape.primitives.norms import EUCLIDEAN_NORM
from symtape.primitives.primitive import Array, Primitive
from symtape.primitives.reductions import STD, VAR
from symtape.primitives.softmax import (
    LOG_SOFTMAX,
    LOG_SOFTMAX_PULL_BACK,
    LOGSUMEXP,
    SOFTMAX,
    SOFTMAX_PULL_BACK,
)
from symtape.programs.compiled.expanding import expand_graph
from symtape.programs.compiled.parts import PARTS
from symtape.programs.compiled.passes import optimise_graph
from symtape.programs.emitted.readable import READABLE, generate_constants
from symtape.programs.notation.names import local_names
from symtape.reading.record import record
from symtape.transforms.gradients import grad, hessian, jacobian, value_and_grad
from symtape.transforms.products import hvp

IsSpelled = Callable[[Graph, Node], bool]


def _softmax(a: Array, axis: Any) -> Array:
    shares = np.exp(a - np.max(a, axis=axis, keepdims=True))
    return shares / np.sum(shares, axis=axis, keepdims=True)


def _logsumexp(a: Array, axis: Any, keepdims: bool) -> Array:
    largest = np.max(a, axis=axis, keepdims=True)
    found = largest + np.log(np.sum(np.exp(a - largest), axis=axis, keepdims=True))
    return found if keepdims else np.squeeze(found, axis)


def _log_softmax(a: Array, axis: Any) -> Array:
    lower = a - np.max(a, axis=axis, keepdims=True)
    return lower - np.log(np.sum(np.exp(lower), axis=axis, keepdims=True))


def _cofactor(a: Array) -> Array:
    return np.linalg.det(a)[..., None, None] * np.swapaxes(np.linalg.inv(a), -1, -2)


def _diagonal_matrix(x: Array, offset: int, shape: tuple[int, int]) -> Array:
    k = np.arange(x.shape[-1])
    places = (..., k + max(-offset, 0), k + max(offset, 0))
    return SCATTER(x, shape=(*x.shape[:-1], *shape), index=places)


def _var(x: Array, axis: Any, ddof: float, keepdims: bool) -> Array:
    around = x - np.mean(x, axis=axis, keepdims=True)
    freedom = np.size(x) / max(1, math.prod(np.shape(np.sum(x, axis=axis)))) - ddof
    return np.sum(around * around, axis=axis, keepdims=keepdims) / freedom


def _std(x: Array, axis: Any, ddof: float, keepdims: bool) -> Array:
    return np.sqrt(_var(x, axis, ddof, keepdims))


def _solve_banded(ab: Array, b: Array, below: int, above: int, definite: bool) -> Array:
    found: Array = np.linalg.solve(write_out_matrix(ab, below, above, definite), b)
    return found


_COMPOSED: Final[Mapping[Primitive, Callable[..., Any]]] = {
    **{row: PARTS[row] for row in (EUCLIDEAN_NORM, SHARE)},
    **{row: PARTS[row] for row in (SOFTMAX_PULL_BACK, LOG_SOFTMAX_PULL_BACK)},
    COFACTOR: _cofactor,
    DIAGONAL_MATRIX: _diagonal_matrix,
    LOGSUMEXP: _logsumexp,
    LOG_SOFTMAX: _log_softmax,
    SOFTMAX: _softmax,
    SOLVE_BANDED: _solve_banded,
    STD: _std,
    VAR: _var,
}
"""What rows are made of whose own code decides by what it is given; without any decision."""


def lower_graph(graph: Graph, is_spelled: IsSpelled) -> Graph:
    """`graph` with what has no spelling taken apart, as far as it can be."""
    return expand_graph(
        graph, lambda graph, node: not is_spelled(graph, node), _COMPOSED, may_decide=False
    ).graph


def found_in(graph: Graph, part: Graph) -> dict[int, int]:
    """Where the nodes of `part` are in `graph`, which begins with the same computation."""
    alike = list(range(len(graph)))
    known: dict[Any, int] = {}
    for at, node in enumerate(graph.nodes):
        if node.primitive is POSITIVE:
            # Transforms copy an argument, so that it is no other one.
            alike[at] = alike[node.inputs[0]]
        elif _is_kept(node):
            known.setdefault(_key(node, tuple(alike[i] for i in node.inputs)), at)
    places = dict(zip(part.inputs, graph.inputs, strict=False))
    for at, node in enumerate(part.nodes):
        if at in places or not _is_kept(node) or any(i not in places for i in node.inputs):
            continue
        if node.primitive is POSITIVE:
            places[at] = places[node.inputs[0]]
        elif (key := _key(node, tuple(places[i] for i in node.inputs))) in known:
            places[at] = known[key]
    return places


def _is_kept(node: Node) -> bool:
    return node.primitive is not None or node.constant is not None


def _key(node: Node, inputs: tuple[int, ...]) -> Any:
    constant = None if node.primitive is not None else hashable(node.constant)
    return id(node.primitive), inputs, hashable(node.params), node.part, constant


Tree = Any
"""The number of an output, or a tuple of trees."""


@dataclass(frozen=True)
class Quantity:
    """A derivative that can be written.

    Attributes
    ----------
    name : str
        What ``what=`` takes.
    prefix : str
        Of the function's name.
    words : str
        For people.
    of_scalars : bool
        The function is to return one number.
    transform : callable ``(function, argnums) -> function``
    """

    name: str
    prefix: str
    words: str
    of_scalars: bool
    transform: Callable[..., Callable[..., Any]]


QUANTITIES: Final[Mapping[str, Quantity]] = {
    one.name: one
    for one in (
        Quantity("gradient", "grad", "The gradient", True, grad),
        Quantity("value_and_grad", "value_and_grad", "Value and gradient", True, value_and_grad),
        Quantity("jacobian", "jacobian", "The Jacobian", False, jacobian),
        Quantity("hessian", "hessian", "The Hessian", True, hessian),
        Quantity("hvp", "hvp", "The product of the Hessian with a vector v", True, hvp),
    )
}
"""By name."""


@dataclass(frozen=True)
class Derivative:
    """A derivative as it is recorded, or as a program to be written.

    Attributes
    ----------
    function : str
        What the function is called that is differentiated.
    quantity : Quantity
    forward : Graph
        The function itself.
    graph : Graph
        Its outputs are those of the derivative.
    arguments : list of str
        The names of the inputs.
    by : list of str
        Those by which it is differentiated.
    place : str
        Where the function is written.
    names : mapping of int to str
        What the user calls the values of nodes.
    sizes : tuple of str
        The lengths that are symbols.
    fixed : str
        Why the shapes are those of the point, where they are.
    least : mapping of str to int
        The least length of a symbol that is taken, where shorter ones were not found to be right.
    """

    function: str
    quantity: Quantity
    forward: Graph
    graph: Graph
    arguments: list[str]
    by: list[str]
    place: str
    names: Mapping[int, str] = field(default_factory=dict)
    sizes: tuple[str, ...] = ()
    fixed: str = ""
    least: Mapping[str, int] = field(default_factory=dict)

    @property
    def places(self) -> list[int]:
        """The numbers of the arguments by which it is differentiated."""
        return [self.arguments.index(name) for name in self.by]

    @property
    def name(self) -> str:
        """Of the function that is written."""
        return f"{self.quantity.prefix}_{self.function}"

    @property
    def results(self) -> list[str]:
        """What the outputs are called where they are variables; empty where nothing is fitting."""
        if self.quantity.name not in ("gradient", "value_and_grad"):
            return [""] * len(self.graph.outputs)
        grads = ["grad"] if len(self.by) == 1 else [f"grad_{name}" for name in self.by]
        return grads if self.quantity.name == "gradient" else ["value", *grads]

    @property
    def outputs(self) -> Tree:
        """How the results are put together, which are recorded in order."""
        count = len(self.by)
        if self.quantity.name == "hvp":
            return 0
        if self.quantity.name == "hessian":
            rows = [tuple(range(k * count, (k + 1) * count)) for k in range(count)]
            return 0 if count == 1 else tuple(rows)
        if self.quantity.name == "value_and_grad":
            return (0, 1 if count == 1 else tuple(range(1, count + 1)))
        return 0 if count == 1 else tuple(range(count))

    def written_for(self, is_spelled: IsSpelled, makes_arrays: bool = True) -> Derivative:
        """The program of what a language spells, that makes its constant arrays where it can."""
        named = local_names(self.forward)
        places = found_in(self.graph, self.forward)
        wanted = [(places[at], name) for at, name in named.items() if at in places]
        count = len(self.graph.outputs)
        more = tuple(at for at, _ in wanted)
        whole = dataclasses.replace(self.graph, outputs=(*self.graph.outputs, *more))
        made = optimise_graph(lower_graph(whole, is_spelled), READABLE)
        if makes_arrays:
            made = generate_constants(made)
        names = {
            at: name
            for at, (_, name) in zip(made.outputs[count:], wanted, strict=True)
            if made.nodes[at].primitive is not None
        }
        graph = dataclasses.replace(made, outputs=made.outputs[:count])
        return dataclasses.replace(self, graph=graph, names=names)


def recorded_derivative(
    function: Callable[..., Any],
    args: Sequence[Any],
    names: Sequence[str],
    name: str,
    what: str | None,
    wrt: Sequence[int],
) -> Derivative:
    """The derivative of a function of numbers and arrays, as it is recorded at `args`.

    Raises
    ------
    ValueError
        `what` is no derivative, or none of such a function.
    Escaped, NotTraceable, Unsupported
        As :func:`symtape.record`.
    """
    forward = record(function, *args)
    if len(forward.outputs) != 1:
        raise NotTraceable(
            f"the function returned {len(forward.outputs)} values; derive takes one at a time, "
            "so derive a function that returns one of them"
        )
    quantity = _quantity(what, forward)
    point = [arg[()] for arg in forward.cast(args)]
    argnums: Any = tuple(wrt) if len(wrt) > 1 else wrt[0]
    arguments = list(names)
    if quantity.name == "hvp":
        if len(wrt) > 1:
            raise ValueError(
                f"what='hvp' takes one argument, whose Hessian it is; name it: wrt={names[0]!r}"
            )
        point.append(np.ones_like(point[wrt[0]]))
        arguments.append(_free("v", arguments))
    graph = record(quantity.transform(function, argnums), *point)
    code = getattr(function, "__code__", None)
    file = Path(code.co_filename if code else "")
    place = f"{file.name}:{code.co_firstlineno}" if code and file.is_file() else ""
    by = [names[k] for k in wrt]
    return Derivative(name, quantity, forward, graph, arguments, by, place)


def _quantity(what: str | None, forward: Graph) -> Quantity:
    shape = forward.nodes[forward.outputs[0]].shape
    if what is None:
        what = "jacobian" if shape else "gradient"
    if what not in QUANTITIES:
        raise ValueError(f"what={what!r}: expected one of {', '.join(QUANTITIES)}")
    if QUANTITIES[what].of_scalars and shape:
        raise ValueError(
            f"what={what!r}: the function returns an array of shape {shape}, and only one number "
            "has a gradient; pass what='jacobian'"
        )
    return QUANTITIES[what]


def _free(name: str, taken: Sequence[str]) -> str:
    while name in taken:
        name += "_"
    return name
