"""Names on the command line become cases, or errors that say what to do."""

from __future__ import annotations

import math
import os
import sys
import textwrap

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verify.campaign.importing import find_function
from verify.campaign.load import Target, parse_point
from verify.campaign.tasks import plan
from verify.errors import UsageError
from verify.suites import SUITES

MARKED = """
    import verify

    def doubled(x):
        return 2.0 * x

    @verify.case(at=[1.0, 2.0], claimed=doubled, title="a square")
    def square(x):
        return x * x

    @verify.case(at=[(1.0, [2.0, 3.0])])
    @verify.case(at=[(2.0, [2.0, 3.0])], quantity="hessian")
    def scaled(a, x):
        return a * (x * x).sum()

    def unmarked(x):
        return x

    LIMIT = 3.0
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", list(sys.path))
    (tmp_path / "sample_cases.py").write_text(textwrap.dedent(MARKED))
    return tmp_path


def write(place, name, text):
    (place / name).write_text(textwrap.dedent(text))


def test_a_file_yields_its_marked_functions_in_order(place):
    cases = Target("sample_cases.py").cases()
    assert [case.id for case in cases] == [
        "sample_cases.py:square",
        "sample_cases.py:scaled#1",
        "sample_cases.py:scaled#2",
    ]
    assert [case.quantity for case in cases] == ["gradient", "gradient", "hessian"]
    assert cases[0].title == "a square"
    assert cases[0].at == ((1.0,), (2.0,))
    assert cases[0].claimed(3.0) == 6.0


def test_a_module_is_found_from_the_working_directory(place):
    (case,) = Target("sample_cases:square").cases()
    assert (case.suite, case.function(3.0)) == ("sample_cases", 9.0)


def test_options_override_the_mark(place):
    (case,) = Target("sample_cases.py:square", ("5",), "hessian", "unmarked").cases()
    assert (case.at, case.quantity, case.claimed.__name__) == (((5.0,),), "hessian", "unmarked")


def test_points_make_a_case_of_an_unmarked_function(place):
    (case,) = Target("sample_cases.py:unmarked", ("1", "[2, 3]")).cases()
    assert case.at == ((1.0,), ([2.0, 3.0],))
    assert case.claimed is None


def test_the_only_function_needs_no_name(place):
    write(place, "alone.py", "def f(x):\n    return x\n")
    assert [case.id for case in Target("alone.py", ("1.0",)).cases()] == ["alone.py:f"]
    assert find_function("alone.py")(4.0) == 4.0


def test_a_file_may_import_its_neighbours(place):
    write(place, "neighbour_of_mine.py", "def f(x):\n    return x + 1\n")
    write(place, "importing.py", "from neighbour_of_mine import f\ndef g(x):\n    return f(x)\n")
    assert find_function("importing.py:g")(1.0) == 2.0


def test_a_changed_file_is_read_again(place):
    write(place, "changing.py", "def f(x):\n    return x\n")
    assert find_function("changing.py:f")(2.0) == 2.0
    write(place, "changing.py", "def f(x):\n    return 10 * x  # longer\n")
    os.utime(place / "changing.py", ns=(1, 1))
    assert find_function("changing.py:f")(2.0) == 20.0


def test_what_a_file_prints_stays_out_of_the_output(place, capsys):
    write(place, "chatty.py", "print('hello')\ndef f(x):\n    return x\n")
    find_function("chatty.py:f")
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("name", SUITES)
def test_a_suite_is_found_by_its_name(name):
    assert Target(name).is_suite
    assert all(case.suite == name for case in Target(name).cases())


BROKEN = {
    "no_module.py": "import a_module_that_is_not_there\n",
    "syntax.py": "def f(:\n",
    "leaves.py": "raise SystemExit(4)\n",
    "raises.py": "def g():\n    return 1 / 0\ng()\n",
}

WRONG = [
    (Target("primitive"), "no suite 'primitive'", "'primitives'?", "seeds, primitives, classics"),
    (Target("sample_cases"), "no suite", "sample_cases.py"),
    (Target("sample_case.py"), "no file 'sample_case.py'", "Did you mean 'sample_cases.py'?"),
    (Target("sample_cases.py:squar"), "no 'squar'", "Did you mean 'square'?", "scaled, unmarked"),
    (Target("sample_cases.py:LIMIT"), "'LIMIT'", "float", "expected a function"),
    (Target("sample_cases.py:unmarked"), "not marked", "--at"),
    (Target("sample_cases.py", ("1.0",)), "which function", "square"),
    (Target("no_such_module_here:f"), "no module 'no_such_module_here'", ".py:function"),
    (Target("sample_cases:nothing"), "sample_cases has no 'nothing'"),
    (Target("seeds", ("1.0",)), "--at", "'seeds' is a built-in suite"),
    (Target("sample_cases.py:square", ("1.0, 2.0",)), "square(x)", "2 arguments"),
    (Target("sample_cases.py:square", ("1.0",), "curl"), "'curl'", "gradient, jacobian, hessian"),
    (Target("sample_cases.py:square", ("1.0",), None, "doubld"), "no 'doubld'", "'doubled'"),
    (Target("sample_cases.py:square", ("'a'",)), "'a'", "holds text; expected numbers"),
    (Target("sample_cases.py:square", ("[[1, 2], [3]]",)), "rectangular"),
    (Target("no_module.py"), "does not import", "line 1", "a_module_that_is_not_there"),
    (Target("syntax.py"), "does not import", "SyntaxError", "def f(:"),
    (Target("leaves.py"), "does not import", "SystemExit: 4"),
    (Target("raises.py"), "does not import", "in g", "ZeroDivisionError"),
]


@pytest.mark.parametrize(("target", "words"), [(t, w) for t, *w in WRONG], ids=str)
def test_mistakes_are_named(place, target, words):
    for name, text in BROKEN.items():
        write(place, name, text)
    with pytest.raises(UsageError) as caught:
        target.cases()
    for word in words:
        assert word in str(caught.value)
    assert "importlib" not in str(caught.value)


def test_a_file_without_a_case_says_how_to_make_one(place):
    write(place, "bare.py", "def energy(x):\n    return x\n")
    with pytest.raises(UsageError, match=r"@verify\.case.*bare\.py:energy --at"):
        Target("bare.py").cases()


numbers = st.floats(allow_nan=False) | st.integers(-(10**9), 10**9)
arguments = st.recursive(numbers, lambda inner: st.lists(inner, max_size=3), max_leaves=6)


@settings(deadline=None)
@given(st.lists(arguments, min_size=1, max_size=3))
def test_a_printed_point_reads_back(point):
    assert parse_point(", ".join(map(repr, point))) == tuple(point)


def test_names_of_numbers():
    infinite, undefined, circle = parse_point("-inf, [nan], pi")
    assert infinite == -math.inf
    assert math.isnan(undefined[0])
    assert circle == math.pi


@pytest.mark.parametrize("text", ["", "1.0,,", "__import__('os')", "x", "1 +", "[1, 2", "f(1)"])
def test_a_malformed_point_shows_a_well_formed_one(text):
    with pytest.raises(UsageError, match=r"--at .*is not a point.*--at '1\.0, \[2\.0, 3\.0\]'"):
        parse_point(text)


@pytest.mark.parametrize("other_folder", [True, False], ids=["other folder", "changed file"])
def test_the_same_name_is_another_file_elsewhere_and_later(tmp_path, monkeypatch, other_folder):
    names = []
    for number, name in enumerate(("first", "second")):
        folder = tmp_path / str(number if other_folder else 0)
        folder.mkdir(exist_ok=True)
        monkeypatch.chdir(folder)
        text = f"import verify\n@verify.case(at=[1.0])\ndef {name}(x):\n    return x\n"
        (folder / "mine.py").write_text(text)
        os.utime(folder / "mine.py", ns=(number, number))
        names += [task.case for task in plan([Target("mine.py")])]
    assert names == ["mine.py:first", "mine.py:second"]
