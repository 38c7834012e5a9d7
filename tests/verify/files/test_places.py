"""Places in the user's files, seen from here."""

from __future__ import annotations

import inspect
import os

import numpy as np
import pytest

import symtape
import verify
from symtape import nn, transforms
from symtape.graph.freeze import record
from verify.files import places
from verify.files.places import path_lines


@pytest.mark.parametrize(
    ("file", "users"),
    [
        (__file__, True),
        (nn.__file__, False),
        (transforms.__file__, False),
        (verify.__file__, False),
        (os.path.join(os.path.dirname(verify.__file__), "suites", "classics.py"), True),
        ("<string>", False),
        ("/home/someone/energy.py", True),
    ],
)
def test_whose_file_it_is(file, users):
    assert places.is_users(file) is users


def test_a_place_is_relative_to_the_present_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert places.relative(f"{tmp_path}/energy.py:3") == "energy.py:3"
    assert places.relative("/elsewhere/energy.py:3") == "/elsewhere/energy.py:3"
    assert (
        places.relativise_text(f"failed (at {tmp_path}/energy.py:3)") == "failed (at energy.py:3)"
    )


def test_a_function_without_source_has_no_place():
    assert places.place_of_function(np.exp) == ""
    line = places.place_of_function.__code__.co_firstlineno
    assert places.place_of_function(places.place_of_function) == f"verify/files/places.py:{line}"


def test_an_operation_applied_by_the_verifier_itself_has_no_users_line():
    assert verify.gradient(np.abs, at=[0.0]).witness.origin is None


def test_an_error_is_placed_at_the_users_innermost_line():
    def f(x):
        return np.reshape(x, (7,))

    with pytest.raises(ValueError, match="reshape") as caught:
        record(f, [1.0, 2.0])
    line = f.__code__.co_firstlineno + 1
    assert places.place_of_error(caught.value) == f"tests/verify/files/test_places.py:{line}"


def test_a_path_is_told_in_the_users_lines_and_repetitions_are_counted():
    def f(x):
        while x < 8:
            x = 2 * x
        if x > 9 and x < 100:
            return -x
        return x

    first = f.__code__.co_firstlineno
    place = "tests/verify/files/test_places.py"
    assert list(path_lines(record(f, 1.5))) == [
        f"while x < 8: was True 3 times and False once at {place}:{first + 1}",
        f"if x > 9 and x < 100: was True 2 times at {place}:{first + 3}",
    ]


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
    place = f"test_places.py:{f.__code__.co_firstlineno + 3}"
    assert line.endswith(place)
    assert "** 2) picked 2 entries 2 times and 1 entry once at " in line
