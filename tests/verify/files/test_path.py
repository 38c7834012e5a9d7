"""The path in words: a line for each line of code that decided."""

from __future__ import annotations

import inspect

import numpy as np

import symtape
from verify.files.places import path_lines


def root(c):
    low, high = 0.0 * c, c + 1
    while high - low > 1e-6:
        middle = (low + high) / 2
        if middle * middle > c:
            high = middle
        else:
            low = middle
    return low


def test_a_bisection_is_a_line_for_each_decision_with_counts():
    graph = symtape.record(root, np.float64(2.0))
    lines = list(path_lines(graph))
    first = inspect.getsourcelines(root)[1]
    assert [line.rpartition(":")[2] for line in lines] == [str(first + 2), str(first + 4)]
    assert lines[0].startswith("while high - low > 1e-6: was True 22 times and False once at ")
    true, false = (sum(step.outcome is way for step in graph.path[1::2]) for way in (True, False))
    assert f" was True {true} times and False {false} times at " in lines[1]


def test_a_single_decision_is_not_counted():
    [line] = path_lines(symtape.record(lambda x: 2 * x if x > 1 else x, 3.0))
    assert " was True at " in line


def test_a_mask_decides_by_the_number_of_its_entries():
    def f(x):
        total = 0.0
        for least in (0, 0, 2):
            total = total + np.sum(x[x > least] ** 2)
        return total

    [line] = path_lines(symtape.record(f, np.array([1.0, -2.0, 3.0])))
    place = f"test_path.py:{f.__code__.co_firstlineno + 3}"
    assert line.endswith(place)
    assert "** 2) picked 2 entries 2 times and 1 entry once at " in line
