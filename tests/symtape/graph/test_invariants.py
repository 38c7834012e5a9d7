"""The table of invariants: sound graphs pass it, and each broken one is caught by its check."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import symtape
from symtape.graph.graph import CustomGradient, Decision, Escape, Node
from tests.symtape.graph.invariants import INVARIANTS, violations


def test_every_recorded_graph_is_sound(program):
    function, args = program
    assert violations(symtape.record(function, *args)) == []


def test_every_gradient_graph_is_sound_and_its_gradient_too(program):
    function, args = program
    graph = symtape.record(function, *args)
    if any(node.primitive is not None and node.primitive.missing for node in graph.nodes):
        with pytest.raises(LookupError, match="gradient registry has no entry for"):
            symtape.differentiate(graph)
        return
    first = symtape.differentiate(graph)
    assert violations(first) == []
    assert violations(symtape.differentiate(first)) == []


def test_names_are_unique_and_statements_say_something():
    assert len({check.name for check in INVARIANTS}) == len(INVARIANTS)
    assert all(check.statement for check in INVARIANTS)


GRAPH = symtape.record(lambda x: np.sin(x) * 2.0 + x, np.array([1.0, 2.0]))


def _node(position, **changes):
    nodes = list(GRAPH.nodes)
    nodes[position] = dataclasses.replace(nodes[position], **changes)
    return dataclasses.replace(GRAPH, nodes=tuple(nodes))


def _with(**changes):
    return dataclasses.replace(GRAPH, **changes)


def _position(name):
    return [node.name for node in GRAPH.nodes].index(name)


SINE, TWO, LAST = _position("sin"), _position("constant"), len(GRAPH) - 1
ORIGIN = GRAPH.nodes[SINE].origin

BROKEN = {
    "in range": [
        _with(outputs=(99,)),
        _with(path=(Decision(-3, True, ORIGIN),)),
        _with(escapes=(Escape(99, "float()", ORIGIN),)),
        _with(customs=(CustomGradient("f", np.sin, (99,), ORIGIN),)),
    ],
    "topological": [_node(SINE, inputs=(SINE,)), _node(SINE, inputs=(LAST,))],
    "leaves": [
        _with(inputs=(0, 0), at=(GRAPH.at[0],) * 2),
        _node(TWO, inputs=(0,)),
        _node(TWO, constant=None),
        _node(0, constant=np.ones(2)),
        _node(SINE, constant=np.ones(2)),
    ],
    "arity": [_node(SINE, inputs=(0, 0))],
    "hash-consed": [
        _with(nodes=(*GRAPH.nodes, GRAPH.nodes[SINE]), outputs=(LAST, LAST + 1)),
        _with(nodes=(*GRAPH.nodes, GRAPH.nodes[TWO]), outputs=(LAST, LAST + 1)),
    ],
    "needed": [_with(outputs=(SINE,))],
    "located": [_node(SINE, origin=None)],
    "constants": [_node(TWO, shape=(2,))],
    "point": [_with(at=()), _with(at=(np.ones(3),)), _with(at=(np.float32([1.0, 2.0]),))],
    "replays": [
        _node(SINE, shape=(3,)),
        _node(SINE, dtype=np.dtype(np.float32)),
        _with(
            nodes=(
                *GRAPH.nodes,
                Node(None, (), {}, (), np.dtype(bool), constant=np.bool_(True)),
            ),
            path=(Decision(LAST + 1, False, ORIGIN),),
        ),
    ],
}


def test_every_invariant_has_a_graph_that_breaks_it():
    assert BROKEN.keys() == {check.name for check in INVARIANTS}


@pytest.mark.parametrize(
    ("name", "number"), [(name, n) for name, graphs in BROKEN.items() for n in range(len(graphs))]
)
def test_a_broken_graph_is_caught(name, number):
    graph = BROKEN[name][number]
    (check,) = [check for check in INVARIANTS if check.name == name]
    assert list(check.find(graph))
