"""Whether floats that compute a graph may return an answer."""

from __future__ import annotations

import numpy as np
import pytest

import symtape
from symtape.rigorous.floats import may_library_return, may_return


def chaotic(x):
    for _ in range(200):
        x = 3.9 * x * (1 - x)
    return x


def linear(x):
    return np.linalg.solve(np.outer(x, x) + np.eye(3), x)


@pytest.mark.parametrize(
    ("function", "x"),
    [(np.sin, 0.5), (lambda x: np.cumsum(np.exp(x)), np.ones(3)), (linear, np.ones(3))],
)
def test_what_is_replayed_may_be_returned_and_nothing_far_from_it(function, x):
    graph = symtape.record(function, x)
    answer = np.asarray(graph.evaluate(x)[0])
    assert may_return(graph, [x], [answer])
    assert may_return(graph, [x], [answer * (1 + 2**-53)])
    assert not may_return(graph, [x], [answer * (1 + 2**-20)])
    assert not may_return(graph, [x], [answer * np.nan])
    assert may_library_return(graph, [x], [answer * (1 + 2**-46)])
    assert not may_library_return(graph, [x], [answer * (1 + 2**-34)])
    assert not may_library_return(graph, [x], [answer * np.nan])


def test_of_chaos_any_answer_may_come():
    graph = symtape.record(chaotic, 0.3)
    assert may_return(graph, [np.float64(0.3)], [np.float64(0.5)])


def test_every_output_counts():
    graph = symtape.record(lambda x: (x, x + 1), 1.5)
    one, two = np.float64(1.5), np.float64(2.5)
    assert may_return(graph, [one], [one, two])
    assert not may_return(graph, [one], [one, one])
