"""Wrong optimised graphs, and passes that make them."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from symtape.graph.graph import Graph, Node, replace_inputs
from symtape.programs.compiled.passes import Pass
from verify.selftest.miscompiled.of_source import COMMUTATIVE
from verify.selftest.rewriting import rewritten

Made = tuple[str, str, Graph]
"""The kind of fault, what was changed, and the graph with it."""

MadePass = tuple[str, str, Pass]
"""The kind of fault, what was changed, and the pass with it."""


def wrong_graphs(graph: Graph) -> Iterator[Made]:
    """An optimised graph with one thing of it changed."""
    for at, node in enumerate(graph.nodes):
        if node.primitive is None:
            if node.constant is not None:
                yield from _wrong_constants(graph, at, node)
            continue
        for operator, words, other in _wrong_inputs(graph, at, node):
            yield operator, f"{node.name} {words}", _replace_node(graph, at, other)
        for first in (i for i in node.inputs if _is_like(graph.nodes[i], node)):
            if len(node.inputs) > 1:
                words = f"node {first} for {node.name}"
                yield "dropped operation", words, _redirect_readers(graph, at, first)
                break
        yield from _wrong_indices(graph, at, node)
    if graph.path:
        yield "stale guard", "no decision is checked", dataclasses.replace(graph, path=())
    if len(graph.outputs) > 1:
        turned = dataclasses.replace(graph, outputs=graph.outputs[::-1])
        yield "results exchanged", "outputs in another order", turned


def _wrong_constants(graph: Graph, at: int, node: Node) -> Iterator[Made]:
    value = np.asarray(node.constant)
    if value.dtype.kind == "f":
        off = dataclasses.replace(node, constant=(value * (1 + 1e-9))[()])
        yield "wrong constant folded", f"node {at} by 1e-9", _replace_node(graph, at, off)


def _wrong_inputs(graph: Graph, at: int, node: Node) -> Iterator[tuple[str, str, Node]]:
    for k, i in enumerate(node.inputs):
        # The nearest earlier value that could be taken for it, as by a wrong common subexpression.
        for other in range(at - 1, -1, -1):
            if other != i and _is_like(graph.nodes[other], graph.nodes[i]):
                inputs = (*node.inputs[:k], other, *node.inputs[k + 1 :])
                words = f"of node {other} for {i}"
                yield "two values taken for one", words, replace_inputs(node, inputs)
                break
    two = len(node.inputs) == 2 and node.name not in COMMUTATIVE
    if two and _is_like(*(graph.nodes[i] for i in node.inputs)):
        turned = replace_inputs(node, node.inputs[::-1])
        yield "operands exchanged", f"of nodes {turned.inputs}", turned


def _wrong_indices(graph: Graph, at: int, node: Node) -> Iterator[Made]:
    """Slices of the same extent elsewhere, those of several in another order, other axes."""
    params: dict[str, Any] = dict(node.params)
    indices = params.get("indices")
    if isinstance(indices, tuple) and len(set(map(str, indices))) > 1:
        changed = {**params, "indices": indices[::-1]}
        yield "slices exchanged", node.name, _replace_params(graph, at, node, changed)
    index = params.get("index")
    if type(index) is int:
        for other in {index - 1, index + 1}:
            changed = {**params, "index": other}
            yield (
                "slice moved",
                f"{node.name} {index} → {other}",
                _replace_params(graph, at, node, changed),
            )
    axes = params.get("axes")
    if isinstance(axes, tuple) and len(axes) == 2 and node.shape[:1] == node.shape[1:]:
        changed = {**params, "axes": axes[::-1]}
        yield "transposed", node.name, _replace_params(graph, at, node, changed)


def _is_like(one: Node, other: Node) -> bool:
    return one.shape == other.shape and one.dtype == other.dtype


def _replace_node(graph: Graph, at: int, node: Node) -> Graph:
    nodes = (*graph.nodes[:at], node, *graph.nodes[at + 1 :])
    return dataclasses.replace(graph, nodes=nodes)


def _replace_params(graph: Graph, at: int, node: Node, params: dict[str, Any]) -> Graph:
    return _replace_node(graph, at, dataclasses.replace(node, params=params))


def _redirect_readers(graph: Graph, at: int, to: int) -> Graph:
    """All that reads one node reads another."""

    def redirect_inputs(inputs: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(to if i == at else i for i in inputs)

    return dataclasses.replace(
        graph,
        nodes=tuple(replace_inputs(node, redirect_inputs(node.inputs)) for node in graph.nodes),
        outputs=redirect_inputs(graph.outputs),
    )


def wrong_passes(right: Pass) -> Iterator[MadePass]:
    """A pass with one place of its source changed, or with wrong answers."""
    for operator, answer in _ANSWERS.items():
        rule = _wrap_rule(right.rule, answer)
        yield operator, "", dataclasses.replace(right, rule=rule)
    for change in rewritten(right.rule):
        wrong = functools.update_wrapper(change.function, right.rule)
        yield change.operator, change.words, dataclasses.replace(right, rule=wrong)


def _first_input(build: Any, node: Node, found: int) -> int:
    return next((i for i in node.inputs if _is_like(build.nodes[i], node)), found)


def _node_before(build: Any, node: Node, found: int) -> int:
    """Another value of the same shape, as of a table of positions that is off."""
    like = [k for k in range(len(build.nodes)) if _is_like(build.nodes[k], node) and k != found]
    return like[-1] if like else found


_ANSWERS = {"first input for the answer": _first_input, "another node for the answer": _node_before}


def _wrap_rule(rule: Any, answer: Callable[[Any, Node, int], int]) -> Any:
    @functools.wraps(rule)  # with the operations that it is asked of
    def wrong(build: Any, node: Node) -> int | None:
        found = rule(build, node)
        return None if found is None else answer(build, node, found)

    return wrong
