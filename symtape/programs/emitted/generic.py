"""One program for all lengths: what recordings at several lengths have in common."""

from __future__ import annotations

import dataclasses
import itertools
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from symtape.errors import SymtapeError
from symtape.graph.freeze import hashable
from symtape.graph.graph import Graph, Node
from symtape.programs.emitted.derivative import Derivative
from symtape.programs.emitted.readable import is_identity
from symtape.programs.emitted.resizing import (
    Axis,
    free_axes,
    least_lengths,
    primes,
    resize_arguments,
)
from symtape.programs.emitted.sizes import Formula, Lengths, fitted_float, fitted_int
from symtape.programs.notation.names import size_names
from symtape.recording.structure import flatten

_RECORDINGS: Final = 3
"""Two that a formula is found by, and one that it is held against."""

_LONGEST: Final = 2000
"""Nodes of what is recorded again: longer ones are loops, which differ at other lengths."""


class NotGeneric(Exception):
    """There is no such program; says why."""


_LARGE: Final = 17
"""Length of matrices, from which rules take the operations that they take of large ones."""

_MOST: Final = 60_000
"""Numbers in a recording of a Jacobian or Hessian at other lengths."""


def generalise_lengths(
    derivative: Derivative,
    again: Callable[[Sequence[Any]], Derivative],
    function: Callable[..., Any],
    args: Sequence[Any],
) -> Derivative:
    """A derivative whose lengths are symbols, where its recordings at others are the same program.

    It is held against a recording at lengths that it was not made of, at the point itself against
    the numbers of the derivative that was recorded there, and against the engine at other lengths.

    Parameters
    ----------
    derivative : Derivative
        At `args`.
    again : callable ``(args) -> Derivative``
        Records at others.
    function : callable
        Of the user.
    args : sequence
        Its point.
    """
    if not any(node.shape for node in (derivative.graph.nodes[k] for k in derivative.graph.inputs)):
        return derivative
    try:
        return _find_general_program(derivative, again, function, args)
    except NotGeneric as reason:
        return dataclasses.replace(derivative, fixed=str(reason))


def _find_general_program(
    derivative: Derivative,
    again: Callable[[Sequence[Any]], Derivative],
    function: Callable[..., Any],
    args: Sequence[Any],
) -> Derivative:
    if len(derivative.graph) > _LONGEST:
        raise NotGeneric("it is a long program, whose loops are unrolled at these shapes")
    axes = free_axes(function, args)
    if not axes:
        raise NotGeneric("the function takes no other")
    symbols = _name_axes(axes, derivative)
    recordings, lengths = [], []
    whole = derivative.quantity.name in ("jacobian", "hessian")
    for chosen in _lengths(symbols, args, 5 if whole else _LARGE):
        given = {axis: chosen[name] for name, some in symbols.items() for axis in some}
        others = resize_arguments(args, given)
        by = [others[derivative.arguments.index(name)] for name in derivative.by]
        if whole and sum(map(np.size, by)) ** 2 > _MOST:
            raise NotGeneric("at other shapes its recordings are large")
        recordings.append(_record_or_refuse(again, others))
        lengths.append(chosen)
    graph = common([one.graph for one in recordings], lengths)
    first = recordings[0]
    found = dataclasses.replace(first, graph=graph, sizes=tuple(symbols), place=derivative.place)
    here = {
        name: int(np.shape(args[i])[k]) for name, some in symbols.items() for i, k in [min(some)]
    }
    if not _agree(instance(graph, here), derivative.graph):
        raise NotGeneric("at other shapes the function computes something else")

    def evaluate_instance(at: Lengths, xs: Sequence[Any]) -> list[Any] | None:
        values = instance(graph, at).values_on_path(*xs, *_directions(found, xs))
        return values and [values[k] for k in graph.outputs]

    def values(xs: Sequence[Any]) -> list[Any]:
        return _values(found, function, xs)

    least = least_lengths(symbols, args, evaluate_instance, values, long=not whole)
    if least is None:
        raise NotGeneric("at other shapes the function computes something else")
    return dataclasses.replace(found, least=least)


def _directions(derivative: Derivative, xs: Sequence[Any]) -> list[Any]:
    """The vector that a product with a Hessian takes as well."""
    extra = len(derivative.arguments) - len(xs)
    return [np.ones_like(xs[derivative.places[0]])] * extra


def _values(derivative: Derivative, function: Callable[..., Any], xs: Sequence[Any]) -> list[Any]:
    """What the engine computes, in the order of the graph's outputs."""
    by = derivative.places
    argnums: Any = tuple(by) if len(by) > 1 else by[0]
    given = [
        np.asarray(x, dtype=derivative.graph.nodes[at].dtype)[()]
        for x, at in zip(xs, derivative.graph.inputs, strict=False)
    ]
    found = derivative.quantity.transform(function, argnums)(*given, *_directions(derivative, xs))
    return flatten(found)


def _name_axes(
    axes: Sequence[frozenset[Axis]], derivative: Derivative
) -> dict[str, frozenset[Axis]]:
    ranks = [-len(derivative.graph.nodes[at].shape) for at in derivative.graph.inputs]
    axes = sorted(axes, key=lambda some: min((ranks[i], i, k) for i, k in some))
    labels = [repr(min(some)) for some in axes]
    taken = {*derivative.arguments, *derivative.names.values(), derivative.name}
    letters = size_names(labels, taken)
    return {letters[label]: some for label, some in zip(labels, axes, strict=True)}


def _lengths(
    symbols: Mapping[str, frozenset[Axis]], args: Sequence[Any], at_least: int
) -> list[Lengths]:
    """Lengths of which no two are equal, so that each number tells by which it was made."""
    taken = [n for arg in args for n in np.shape(arg)]
    found: list[dict[str, int]] = [{} for _ in range(_RECORDINGS)]
    for k, one in enumerate(found):
        for j, (name, some) in enumerate(symbols.items()):
            number, axis = min(some)
            # Gaps that differ, so that no length is a multiple of another and a constant.
            free = primes(np.shape(args[number])[axis], taken, at_least)
            one[name] = next(itertools.islice(free, j * k + 2 * (k == 1), None))
            taken.append(one[name])
    return [*found]


def _record_or_refuse(
    again: Callable[[Sequence[Any]], Derivative], args: Sequence[Any]
) -> Derivative:
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return again(args)
    except (SymtapeError, ArithmeticError, ValueError, TypeError, LookupError) as error:
        shapes = " and ".join(str(np.shape(x)) for x in args if np.shape(x))
        raise NotGeneric(f"for {shapes} it raises {type(error).__name__}") from None


def common(graphs: Sequence[Graph], lengths: Sequence[Lengths]) -> Graph:
    """The graph that some graphs are at some lengths.

    Raises
    ------
    Fixed
        They are not one.
    """
    first = graphs[0]
    if any(_form(graph) != _form(first) for graph in graphs):
        raise NotGeneric("at other shapes it takes other operations")
    nodes = [
        _common(some, lengths) for some in zip(*(graph.nodes for graph in graphs), strict=True)
    ]
    return dataclasses.replace(first, nodes=tuple(nodes))


def _form(graph: Graph) -> Any:
    """What is the same at all lengths."""
    steps = [(step.node, step.outcome) for step in graph.path]
    nodes = [
        (id(node.primitive), node.inputs, node.dtype, node.part, len(node.shape))
        for node in graph.nodes
    ]
    return nodes, graph.inputs, graph.outputs, steps


def _common(nodes: Sequence[Node], lengths: Sequence[Lengths]) -> Node:
    first = nodes[0]
    try:
        shape = _fit_values([node.shape for node in nodes], lengths)
        params = _fit_values([dict(node.params) for node in nodes], lengths)
        constant = _constant([node.constant for node in nodes], lengths)
    except NotGeneric:
        where = (
            f" of {first.origin.file.rpartition('/')[2]}:{first.origin.line}"
            if first.origin
            else ""
        )
        what = "a constant array" if first.constant is not None else first.name
        raise NotGeneric(f"{what}{where} cannot be computed from them") from None
    return dataclasses.replace(first, shape=shape, params=params, constant=constant)


def _constant(values: Sequence[Any], lengths: Sequence[Lengths]) -> Any:
    first = values[0]
    if first is None or all(is_identity(value) for value in values):
        return first
    arrays = [np.asarray(value) for value in values]
    if arrays[0].shape or any(hashable(x) == hashable(arrays[0]) for x in arrays[1:]):
        return _fit_values(arrays, lengths) if arrays[0].shape else first
    return _fit_values([array.item() for array in arrays], lengths)


def _fit_values(values: Sequence[Any], lengths: Sequence[Lengths]) -> Any:
    """What has some values at some lengths: the same, or a formula in them, wherever they stand."""

    def fit(leaves: Sequence[Any]) -> Any:
        first = leaves[0]
        if all(hashable(leaf) == hashable(first) for leaf in leaves):
            return first
        found: Formula | None = None
        if isinstance(first, int) and not isinstance(first, bool):
            found = fitted_int(leaves, lengths)
        elif isinstance(first, float):
            found = fitted_float(leaves, lengths)
        if found is None:
            raise NotGeneric
        return found

    return _map_leaves(fit, values)


def _map_leaves(function: Callable[[Sequence[Any]], Any], values: Sequence[Any]) -> Any:
    """What `function` makes of the leaves at each place of values of one structure."""
    first = values[0]
    if len({type(value) for value in values}) > 1:
        raise NotGeneric
    if isinstance(first, slice):
        ends = [(value.start, value.stop, value.step) for value in values]
        return slice(*_map_leaves(function, ends))
    if not isinstance(first, tuple | list | dict):
        return function(values)
    keys = [tuple(value) if isinstance(value, dict) else len(value) for value in values]
    if len(set(keys)) > 1:
        raise NotGeneric
    if isinstance(first, dict):
        inside = _map_leaves(function, [tuple(value.values()) for value in values])
        return dict(zip(first, inside, strict=True))
    return type(first)(_map_leaves(function, some) for some in zip(*values, strict=True))


def instance(graph: Graph, lengths: Lengths) -> Graph:
    """A graph of formulas at some lengths."""
    nodes = []
    for node in graph.nodes:
        shape = _substitute_lengths(node.shape, lengths)
        constant = _substitute_lengths(node.constant, lengths)
        if is_identity(constant):
            constant = np.eye(*shape, dtype=node.dtype)
        params = _substitute_lengths(dict(node.params), lengths)
        nodes.append(dataclasses.replace(node, shape=shape, params=params, constant=constant))
    return dataclasses.replace(graph, nodes=tuple(nodes))


def _substitute_lengths(value: Any, lengths: Lengths) -> Any:
    def evaluate(leaves: Sequence[Any]) -> Any:
        (leaf,) = leaves
        return leaf.evaluate(lengths) if isinstance(leaf, Formula) else leaf

    return _map_leaves(evaluate, [value])


def _agree(made: Graph, recorded: Graph) -> bool:
    """Whether two graphs have the same values where the second was recorded."""
    try:
        with np.errstate(all="ignore"):
            pairs = list(
                zip(made.evaluate(*recorded.at), recorded.evaluate(*recorded.at), strict=True)
            )
    except (ValueError, TypeError, LookupError, ArithmeticError):
        return False
    return all(
        np.shape(a) == np.shape(b) and np.allclose(a, b, rtol=1e-9, atol=1e-12, equal_nan=True)
        for a, b in pairs
    )
