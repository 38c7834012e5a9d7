"""A recorded graph evaluated in mpmath."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
from mpmath import mp

from symtape.graph.graph import Graph, Node
from verify.oracles.recheck.arrays import find_array_function, map_elements
from verify.oracles.recheck.elementwise import ELEMENTWISE


class NotRechecked(Exception):
    """Why there is no second opinion."""


def exactly(x: Any) -> Any:
    """An array's numbers as mpmath's, without rounding; whole numbers and truth values stay."""
    array = np.asarray(x)
    if array.dtype == object or array.dtype.kind not in "fc":
        return array if array.ndim else array[()]
    number = mp.mpc if array.dtype.kind == "c" else mp.mpf
    return map_elements(lambda v: number(v.item() if isinstance(v, np.generic) else v), array)


def find_stopped_values(graph: Graph, inputs: Sequence[Any]) -> list[Any]:
    """The values at which `graph` stops gradients."""
    found = list[Any]()

    def apply_and_collect(node: Node, args: list[Any]) -> Any:
        value = _apply_node(node, args)
        if node.stops:
            found.append(value)
        return value

    if any(node.stops for node in graph.nodes):
        graph.interpret(inputs, lambda node: exactly(node.constant), apply_and_collect)
    return found


def evaluate_outputs(graph: Graph, inputs: Sequence[Any], held: Sequence[Any] = ()) -> list[Any]:
    """The outputs of `graph` on object arrays, at mpmath's present precision.

    Parameters
    ----------
    graph : Graph
    inputs : sequence of object arrays
    held : sequence of object arrays, optional
        As of :func:`find_stopped_values`, for what is stopped not to move with the inputs.

    Raises
    ------
    NotRechecked
        An operation has no meaning here, or the inputs leave the recorded path.
    """
    stops = iter(held)

    def apply_or_hold(node: Node, args: list[Any]) -> Any:
        return next(stops) if held and node.stops else _apply_node(node, args)

    values = graph.interpret(inputs, lambda node: exactly(node.constant), apply_or_hold)
    for step in graph.path:
        if bool(np.all(values[step.node])) != step.outcome:
            raise NotRechecked("a neighbour of the point takes another branch of the code")
    return [values[at] for at in graph.outputs]


def _apply_node(node: Node, args: list[Any]) -> Any:
    row = node.row
    if row.name in ELEMENTWISE:
        return map_elements(functools.partial(ELEMENTWISE[row.name], **node.params), *args)
    meaning = find_array_function(row)
    if meaning is None:
        raise NotRechecked(f"{row.name} has no meaning in mpmath here")
    return meaning(*(_to_object_array(arg) for arg in args), **node.params)


def _to_object_array(arg: Any) -> Any:
    if isinstance(arg, np.ndarray | tuple | list):
        return arg
    return np.asarray(arg) if isinstance(arg, bool | int | np.generic) else np.array(arg, object)
