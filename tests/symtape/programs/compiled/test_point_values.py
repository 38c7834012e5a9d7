"""How values lie where a graph was recorded, when the numbers of large ones are given back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symtape
from symtape.graph.graph import Graph
from symtape.programs.compiled.point_values import find_point_values

X = np.random.default_rng(7).normal(size=400)


def between_pairs(x: Any) -> Any:
    return np.exp(-((x[:, None] - x) ** 2)) @ x


def through_views(x: Any) -> Any:
    wide = np.multiply.outer(x, np.sin(x))
    turned = wide.T[::-1, 1:]
    return np.sum(np.cumsum(turned, axis=0) * wide[:, :-1]) + np.sum(wide.reshape(-1)[::7])


def through_a_system(x: Any) -> Any:
    wide = np.cos(np.multiply.outer(x, x)) + 40.0 * np.eye(x.size)
    return np.linalg.solve(wide * 2.0, x) @ x


def chosen_by_values(x: Any) -> Any:
    wide = np.multiply.outer(x, x)
    return np.sum(wide[wide > 0.5]) + np.sum(np.where(wide > 0.0, wide, 2.0 * wide))


GRAPHS = (
    symtape.record(symtape.jacobian(between_pairs), X[:60]),
    *(symtape.record(symtape.grad(f), X) for f in (through_views, through_a_system)),
    symtape.record(chosen_by_values, X),
)


@pytest.mark.parametrize("graph", GRAPHS)
def test_values_lie_as_they_were_computed(graph: Graph) -> None:
    values, found = graph.values(*graph.at), find_point_values(graph)
    assert [*map(describe, found)] == [*map(describe, values)]
    for at, node in enumerate(graph.nodes):
        for i in node.inputs:
            shares = np.may_share_memory(values[at], values[i])
            assert np.may_share_memory(found[at], found[i]) == shares


@pytest.mark.parametrize("graph", GRAPHS)
def test_numbers_that_are_asked_for_are_there(graph: Graph) -> None:
    values = graph.values(*graph.at)
    for first in range(5):
        kept = range(first, len(graph), 5)
        found = find_point_values(graph, kept)
        assert all(np.array_equal(found[at], values[at], equal_nan=True) for at in kept)


def test_large_arrays_are_given_back() -> None:
    graph = GRAPHS[1]
    values, found = graph.values(*graph.at), find_point_values(graph)
    forgotten = sum(not np.array_equal(a, b) for a, b in zip(values, found, strict=True))
    assert forgotten > 3


def describe(value: Any) -> Any:
    return type(value), np.shape(value), np.asarray(value).dtype, getattr(value, "strides", ())
