"""Cases of a test file are tests of their own."""

from __future__ import annotations

import pytest

pytest_plugins = ["pytester"]

NAMES = ["fare", "fare[2]", "test_wave", "lost", "allowed", "known", "skipped"]


def collected(result):
    return [line.split("::")[1] for line in result.outlines if "::" in line]


def test_every_mark_is_an_item(run, fares):
    assert collected(run("--collect-only", "-q")) == [*NAMES, "test_two", "test_plain"]


def test_items_are_chosen_by_marker_by_name_and_by_place(run, fares):
    assert collected(run("--collect-only", "-q", "-m", "symtape")) == NAMES
    assert collected(run("--collect-only", "-q", "-k", "fare and not wave")) == NAMES[:2] + [
        name for name in (*NAMES[2:], "test_two", "test_plain") if "wave" not in name
    ]
    assert collected(run("--collect-only", "-q", "test_fares.py::fare[2]")) == ["fare[2]"]
    assert collected(run("--collect-only", "-q", "test_fares.py::fare")) == ["fare", "fare[2]"]


@pytest.mark.long
def test_outcomes_and_marks_are_those_of_any_test(run, fares):
    run().assert_outcomes(passed=4, failed=3, xfailed=1, skipped=1)


def test_an_item_stands_where_its_function_does(run, fares, pytester, plugin):
    items, _ = pytester.inline_genitems("-p", plugin, "-p", "no:cacheprovider")
    lines = fares.read_text().splitlines()
    for item in items:
        path, line, name = item.reportinfo()
        assert str(path) == str(fares)
        below = lines[line : line + 4]
        assert any(text.startswith(f"def {name.partition('[')[0]}(") for text in below), below


def test_fixtures_that_all_tests_use_are_used(run, pytester):
    pytester.makeconftest(
        """
        import pytest

        @pytest.fixture(autouse=True)
        def told(request):
            print("set up for", request.node.name)
        """
    )
    pytester.makepyfile(
        "import verify\n\n@verify.case(at=[2.0])\ndef square(x):\n    return x**2\n"
    )
    run("-s").stdout.fnmatch_lines(["*set up for square*"])


def test_imported_cases_are_tests_of_the_file_that_has_them(run, pytester):
    pytester.makepyfile(
        model="import verify\n\n@verify.case(at=[2.0])\ndef cube(x):\n    return x\n"
    )
    pytester.makepyfile(
        test_it="from model import cube\n\ndef test_other():\n    assert cube(1) == 1\n"
    )
    pytester.syspathinsert()
    assert collected(run("--collect-only", "-q")) == ["test_other"]


BROKEN = {
    "region": ("@verify.case(over=[1, 0])", "*lower*"),
    "mark": ("@verify.case()", "*verify.case needs points*"),
    "arguments": ("@verify.case(at=[(1.0, 2.0)])", "*does not take*"),
}


@pytest.mark.parametrize(("mark", "words"), BROKEN.values(), ids=BROKEN)
def test_a_broken_mark_is_an_error_of_collection_in_words(run, pytester, mark, words):
    pytester.makepyfile(f"import verify\n\n{mark}\ndef f(x):\n    return x\n")
    result = run()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([words])
    assert "verify/model/case.py" not in result.stdout.str()
    assert len(result.outlines) < 40


def test_a_module_that_does_not_import_is_an_error_of_collection(run, pytester):
    pytester.makepyfile("import verify, nothing_of_this_name\n")
    result = run()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*No module named 'nothing_of_this_name'*"])


def test_a_function_that_cannot_be_verified_fails_in_words(run, pytester):
    pytester.makepyfile(
        "import numpy as np, verify\n\n@verify.case(at=[[1.0, 2.0]])\ndef f(x):\n    return 2 * x\n"
    )
    result = run()
    result.assert_outcomes(failed=1)
    text = result.stdout.str()
    assert "gradient" in text
    assert "Traceback" not in text
    assert "api.py" not in text


RAISING = """
import numpy as np
import verify


def energy(x):
    return {}["weight"] * x


marked = verify.case(at=[1.0])(energy)


def test_energy():
    verify.assert_gradient(energy, at=[1.0])


def test_region():
    verify.assert_gradient(energy, over=[0, 1])


def test_vector():
    verify.assert_gradient(lambda x: 2 * x, at=[[1.0, 2.0]])
"""


def test_an_error_of_the_function_shows_its_own_lines_and_none_of_ours(run, pytester):
    pytester.makepyfile(RAISING)
    result = run()
    result.assert_outcomes(failed=5)
    text = result.stdout.str()
    assert text.count("this one returned shape (2,)") == 1
    assert text.count("KeyError: 'weight'") >= 4
    assert "verify/" not in text
    assert "judge" not in text


STRANGE = """
import verify


class Proxy:
    def __getattr__(self, name):
        raise RuntimeError(name)

    __getattribute__ = __getattr__


class Agreeable:
    def __getattr__(self, name):
        return [{}]

    def __call__(self):
        pass


proxy, agreeable = Proxy(), Agreeable()


def test_plain():
    pass
"""


def test_strange_things_in_a_module_are_left_alone(run, pytester):
    pytester.makepyfile(STRANGE)
    assert collected(run("--collect-only", "-q")) == ["test_plain"]


IN_CLASSES = """
import verify

class TestShapes:
    @staticmethod
    @verify.case(at=[2.0], claimed=lambda x: 2 * x)
    def square(x):
        return x**2

    @staticmethod
    @verify.case(at=[2.0], claimed=lambda x: x)
    def lost(x):
        return x**2
"""


def test_static_methods_are_items_and_methods_are_refused(run, pytester):
    pytester.makepyfile(IN_CLASSES)
    run().assert_outcomes(passed=1, failed=1)
    pytester.makepyfile(IN_CLASSES.replace("    @staticmethod\n", "").replace("(x):", "(self, x):"))
    result = run()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*takes self, and no point has an object to give*"])
