"""Walking a package: what is left out unless asked for, and why a module does not import."""

import sys

import pytest

from verify.auditing.packages.manifest import Manifest
from verify.auditing.packages.planning import plan_pairs
from verify.auditing.packages.walking import find_pairs

PAIR = "def rise(x):\n    return x**3\n\ndef rise_der(x):\n    return 3 * x**2\n"
MODULES = {
    "__init__.py": "",
    "tests/__init__.py": "",
    "tests/test_all.py": PAIR,
    "examples/__init__.py": PAIR,
    "conftest.py": "raise RuntimeError('never imported')",
    "first.py": "import no_such_framework.nn",
    "second.py": "from no_such_framework import grad",
    "third.py": "import cv2_is_not_here",
    "quitting.py": "print('Set the variable HOME_OF_IT.')\nraise SystemExit(1)",
}


@pytest.fixture
def package(tmp_path, monkeypatch):
    name = f"walked_{abs(hash(str(tmp_path))) % 10**8}"
    for file, text in MODULES.items():
        path = tmp_path / name / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield name
    for each in [each for each in sys.modules if each.partition(".")[0] == name]:
        del sys.modules[each]


@pytest.mark.parametrize(
    ("include", "expected"),
    [
        ((), set()),
        (("tests",), {"tests.test_all"}),
        (("tests", "examples"), {"tests.test_all", "examples"}),
    ],
)
def test_tests_and_examples_count_if_they_are_asked_for(include, expected, package):
    found = find_pairs(package, ("behaviour",), jobs=0, include=include)
    assert {pair.module.partition(".")[2] for pair in found.pairs} == expected
    left_out = {name.partition(".")[2] for name in found.left_out}
    assert "conftest" in left_out
    assert not expected & left_out
    (told,) = [each for each in plan_pairs(found, Manifest()).not_judged if each.id == package]
    assert "--include tests,examples,benchmarks" in told.reason


def test_what_is_named_like_a_test_and_holds_none_is_looked_at(package, tmp_path):
    released, tests = tmp_path / package / "test_functions", tmp_path / package / "rise_test"
    for folder, text in ((released, PAIR), (tests, f"{PAIR}\ndef test_rise():\n    pass\n")):
        folder.mkdir()
        (folder / "__init__.py").write_text("")
        (folder / "rises.py").write_text(text)
    (tmp_path / package / "test_problem.py").write_text(PAIR)
    found = find_pairs(package, ("behaviour",), jobs=0)
    modules = {pair.module.partition(".")[2] for pair in found.pairs}
    assert modules == {"test_functions.rises", "test_problem"}
    assert f"{package}.rise_test" in found.left_out


def test_what_is_missing_is_named_once_with_the_command_that_installs_it(package):
    found = find_pairs(package, ("behaviour",), jobs=0)
    reasons = {each.id: each.reason for each in plan_pairs(found, Manifest()).not_judged}
    assert reasons[f"{package}.first and 1 other module"] == (
        "it needs no_such_framework, which is not installed: pip install no-such-framework "
        f"({package}.first, {package}.second)"
    )
    assert "pip install cv2-is-not-here" in reasons[f"{package}.third"]


def test_a_missing_module_of_what_is_installed_asks_for_no_installation(package, tmp_path):
    (tmp_path / package / "older.py").write_text("import numpy.no_such_module")
    reasons = dict(find_pairs(package, ("behaviour",), jobs=0).unimported)
    assert reasons[f"{package}.older"] == (
        "it needs numpy.no_such_module, which the installed numpy does not have"
    )


def test_a_module_that_exits_shows_its_own_words(package):
    reasons = dict(find_pairs(package, ("behaviour",), jobs=0).unimported)
    assert reasons[f"{package}.quitting"] == (
        "SystemExit: 1; it said: Set the variable HOME_OF_IT."
    )


@pytest.mark.long
def test_what_was_found_is_kept_when_the_calls_of_a_module_take_too_long(
    package, tmp_path, monkeypatch
):
    slow = "\n\nclass Slow:\n    def wait(self, x):\n        while True:\n            pass\n"
    slow += "\n    def end(self, x):\n        return x\n"
    (tmp_path / package / "fourth.py").write_text(PAIR + slow)
    monkeypatch.setattr("verify.auditing.packages.walking._CALLING", 3.0)
    found = find_pairs(f"{package}.fourth", ("behaviour",), jobs=0)
    assert [pair.claim for pair in found.pairs] == ["rise_der"]
    assert [each.reason for each in found.unpaired] == [
        "it took longer than 3 s; what was found until then is kept"
    ]
