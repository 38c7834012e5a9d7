"""Options, where things are kept, and how the plugin is loaded."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from verify.options import defaults
from verify.options.command_lines import EFFORTS
from verify.pytest_plugin import options

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[3]
HEAVY = {"numpy", "scipy", "sympy", "flint", "matplotlib", "verify.api", "symtape", "jinja2"}

SHOWN = """
from verify.options import defaults

def test_shown():
    print("defaults are", defaults.present())
"""


def test_options_set_the_defaults_and_leave_none_behind(run, pytester):
    pytester.makepyfile(SHOWN)
    before = defaults.present()
    result = run("-s", "--symtape-seed=7", "--symtape-budget=2.5", "--symtape-effort=0.5")
    result.stdout.fnmatch_lines(["*seed=7, seconds=2.5, effort=0.5*"])
    result.stdout.fnmatch_lines(["symtape: seed 7, budget 2.5, effort 0.5"])
    assert defaults.present() == before


def test_the_configuration_sets_them_too_and_the_command_line_wins(run, pytester):
    pytester.makeini("[pytest]\nsymtape_seed = 3\nsymtape_budget = 9\nsymtape_effort = 4\n")
    pytester.makepyfile(SHOWN)
    run("-s", "--symtape-seed=8").stdout.fnmatch_lines(["*seed=8, seconds=9.0, effort=0.05*"])


def test_an_effort_may_be_given_by_name(run, pytester):
    pytester.makepyfile(SHOWN)
    result = run("-s", "--symtape-effort=thorough")
    result.stdout.fnmatch_lines([f"*effort={EFFORTS['thorough']}*"])


NOTED = """
import numpy as np
import verify

def direction(x):
    return x / np.sqrt(x[0] ** 2 + x[1] ** 2)

@verify.case(at=[[1e-200, 2e-200], [3.0, 4.0]], claimed=direction)
def length(x):
    return np.hypot(x[0], x[1])

@verify.case(at=[[1e-200, 2e-200], [3.0, 4.0]], claimed=direction, strict=True)
def strictly(x):
    return np.hypot(x[0], x[1])

def test_length():
    verify.assert_gradient(length, direction, at=[[1e-200, 2e-200], [3.0, 4.0]])
"""


@pytest.mark.parametrize("how", ["", "--symtape-strict", "symtape_strict = true"])
def test_a_note_is_a_warning_unless_all_is_strict(run, pytester, how):
    """On the command line or in the configuration; a mark that says so is strict in any case."""
    pytester.makeini(f"[pytest]\n{how if '=' in how else ''}\n")
    pytester.makepyfile(NOTED)
    # The run within this one inherits that warnings are errors.
    result = run("-W", "always:gradient of:UserWarning", *([how] if how.startswith("--") else []))
    if how:
        result.assert_outcomes(failed=3)
        result.stdout.fnmatch_lines(["symtape: *strict*"])
    else:
        result.assert_outcomes(passed=2, failed=1, warnings=2)
        result.stdout.fnmatch_lines(["*NotedWarning: *noted: INACCURATE at x*", "*2 with notes*"])


def test_the_documents_have_every_option_as_the_help_has_it(pytester):
    page = (ROOT / "docs/tutorials/oracle.md").read_text()
    parser = pytest.Parser(_ispytest=True)
    options.add(parser)
    rows = [
        f"| `{' '.join(filter(None, [it.names()[0], it.attrs().get('metavar')]))}` "
        f"| {it.attrs()['help']} |"
        for it in parser.getgroup("symtape").options
    ]
    assert "\n".join(["| option | |", "| --- | --- |", *rows, ""]) in page


WRONG = {
    "--symtape-seed=x": "*--symtape-seed: 'x': expected a whole number from 0*",
    "--symtape-seed=-1": "*--symtape-seed: '-1': expected a whole number from 0*",
    "--symtape-budget=0": "*--symtape-budget: '0': expected a number above 0*",
    "--symtape-effort=much": "*--symtape-effort: 'much': expected a number above 0*'quick'*",
    "--symtape-effort=inf": "*--symtape-effort: 'inf': expected a number above 0*'quick'*",
}


@pytest.mark.parametrize("option", WRONG)
def test_wrong_options_are_refused_in_words(run, pytester, option):
    result = run(option)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([WRONG[option]])


def test_a_wrong_configuration_is_refused_in_words(run, pytester):
    pytester.makeini("[pytest]\nsymtape_seed = many\n")
    result = run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*symtape_seed = 'many': expected a whole number from 0*"])


def test_a_folder_that_cannot_be_written_is_refused_before_the_run(run, pytester):
    pytester.makepyfile(SHOWN)
    (pytester.path / "taken").write_text("")
    result = run("--symtape-report=taken/out")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*cannot write reports into 'taken/out'*"])


def test_a_file_of_somebody_else_is_not_overwritten_and_nothing_runs(run, pytester):
    pytester.makepyfile(SHOWN)
    theirs = pytester.mkdir("out") / "report.html"
    theirs.write_text("mine")
    result = run("--symtape-report=out")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    words = "*'out/report.html' was not written by symtape*folder with --symtape-report*"
    result.stderr.fnmatch_lines([words])
    assert theirs.read_text() == "mine"


FAILS = """
import numpy as np, verify

def slope(x):
    return np.cos(x) * (1 + (x > 41.7))

def test_sine():
    verify.assert_gradient(np.sin, slope, over=[-60, 60])
"""


@pytest.mark.long
def test_counterexamples_are_kept_at_the_root_and_tried_again(run, pytester, monkeypatch):
    pytester.makepyfile(FAILS)
    pytester.makeini("[pytest]")
    run("--symtape-effort=0.2").assert_outcomes(failed=1)
    assert list((pytester.path / ".symtape" / "counterexamples").glob("*.json"))
    monkeypatch.chdir(pytester.mkdir("below"))
    result = run("--symtape-seed=1", "..")
    result.stdout.fnmatch_lines(["*earlier counterexamples tried as well*"])
    result.stdout.fnmatch_lines(["*replay *pytest ../test_*.py::test_sine --symtape-seed=1"])


@pytest.mark.long
def test_a_folder_of_the_environment_comes_first(run, pytester, monkeypatch):
    pytester.makepyfile(FAILS)
    monkeypatch.setenv("SYMTAPE_HOME", str(pytester.path / "elsewhere"))
    run("--symtape-effort=0.2").assert_outcomes(failed=1)
    assert (pytester.path / "elsewhere" / "counterexamples").is_dir()
    assert not (pytester.path / ".symtape").exists()


def outer(code, **environment):
    env = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env
    ).stdout


def test_the_plugin_starts_without_the_engines(tmp_path):
    (tmp_path / "test_plain.py").write_text("def test_plain():\n    pass\n")
    code = (
        "import sys, pytest\n"
        "status = pytest.main(['-q', '-p', 'verify.pytest_plugin', '-p', 'no:cacheprovider', "
        f"{str(tmp_path)!r}, '--rootdir', {str(tmp_path)!r}])\n"
        "print('loaded', *sorted(sys.modules), 'status', int(status))"
    )
    words = outer(code, PYTEST_DISABLE_PLUGIN_AUTOLOAD="1").split("loaded ")[1].split()
    assert words[-1] == "0"
    assert "verify.pytest_plugin" in words
    assert not HEAVY & set(words)


ENTRY_POINT = "[pytest11]\nsymtape = verify.pytest_plugin\n"
LOADED = {
    "by its entry point": ([], ""),
    "by both names": (["-p", "verify.pytest_plugin"], ""),
    "by name of the entry point": (["-p", "symtape"], ""),
    "once more in a conftest": ([], "pytest_plugins = ['verify.pytest_plugin']"),
}


@pytest.mark.long
def test_it_may_be_loaded_by_either_name_or_both(tmp_path):
    """As where it is installed: a distribution on the path that has the entry point."""
    info = tmp_path / "site" / "elsewhere-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: elsewhere\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY_POINT)
    runs = []
    for number, (words, conftest) in enumerate(LOADED.values()):
        folder = tmp_path / f"project{number}"
        folder.mkdir()
        (folder / "conftest.py").write_text(conftest)
        (folder / f"test_plain{number}.py").write_text("def test_plain():\n    pass\n")
        runs.append([*words, "--symtape-seed=1", str(folder), "--rootdir", str(folder)])
    code = (
        "import sys, pytest\n"
        f"sys.path.insert(0, {str(info.parent)!r})\n"
        f"for words in {runs!r}:\n"
        "    status = pytest.main(['-q', '-p', 'no:cacheprovider', '-p', 'no:hypothesispytest', "
        "'--import-mode=importlib', *words])\n"
        "    print('status', int(status))"
    )
    statuses = re.findall(r"status (\d+)", outer(code))
    assert dict(zip(LOADED, statuses, strict=True)) == dict.fromkeys(LOADED, "0")
