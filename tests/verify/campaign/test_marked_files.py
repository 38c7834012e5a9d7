"""A bare ``symtape verify`` finds what is marked, runs nothing else, and says what it left out."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from click.testing import CliRunner

from verify.campaign.marked_files import is_own_checkout, marked_files
from verify.cli import cli
from verify.errors import UsageError

ROOT = Path(__file__).parents[3]
MARKED = "import verify\n\n@verify.case(at=[2.0])\ndef {}(x):\n    return x * x\n"
EXPLODES = "raise SystemExit('this file was executed')\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder; ``here(path=text)`` writes files into it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))

    def written(files):
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        return tmp_path

    return written


def bare(*args):
    return CliRunner().invoke(cli, ["verify", "--jobs", "0", *args])


MARKS = {
    "import verify\n@verify.case(at=[1.0])\ndef f(x): ...\n": True,
    "import verify as v\n@v.case(at=[1.0])\ndef f(x): ...\n": True,
    "from verify import case\n@case(at=[1.0])\ndef f(x): ...\n": True,
    "from verify import case as marked\n@marked(at=[1.0])\ndef f(x): ...\n": True,
    "from verify import *\n@case(at=[1.0])\ndef f(x): ...\n": True,
    "import verify.model.case\n@verify.case(at=[1.0])\ndef f(x): ...\n": True,
    "from verify.model.case import case\n@case(at=[1.0])\ndef f(x): ...\n": True,
    "if True:\n    import verify\n    mark = verify.case\n": True,
    "import verify\n@verify.case(at=[1.0])\ndef f(x:\n": True,
    "import verify\n\nprint('in any case')\n": False,
    "from mine import verify\nverify.case()\n": False,
    "from .verify import case\ncase()\n": False,
    "import unittest as verify\nverify.case\n": False,
    "'''import verify; verify.case'''\n": False,
    "def f(x:  # in this case nobody can verify\n": False,
    "": False,
}


@pytest.mark.parametrize(("text", "marks"), MARKS.items())
def test_what_marks_functions_is_read_from_the_text(here, text, marks):
    assert marked_files(here({"a.py": text})) == ["a.py"] * marks


def test_folders_that_hold_no_sources_are_left_out(here):
    left_out = (
        *(".hidden/a.py", ".venv/a.py", "env/lib/a.py", "lib/site-packages/a.py", "build/a.py"),
        *("dist/a.py", "a.egg-info/a.py", "__pycache__/a.py", "node_modules/x/a.py"),
    )
    found = ["b.py", "src/package/a.py", "test/builds/a.py"]
    folder = here(dict.fromkeys([*left_out, *found], MARKED.format("f")) | {"env/pyvenv.cfg": ""})
    assert marked_files(folder) == found


def test_a_loop_of_links_ends(here):
    folder = here({"src/a.py": MARKED.format("f")})
    (folder / "src" / "again").symlink_to(folder)
    assert marked_files(folder) == ["src/a.py"]


def test_the_paths_that_are_configured(here):
    files = dict.fromkeys(["src/a.py", "examples/b.py", "other/c.py"], MARKED.format("f"))
    paths = '[tool.symtape]\npaths = ["src", "examples/b.py", "src/a.py"]\n'
    folder = here({**files, "pyproject.toml": paths})
    assert marked_files(folder) == ["examples/b.py", "src/a.py"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[tool.symtape]\npaths = 'src'\n", r"paths = 'src'.*expected a list"),
        ("[tool.symtape]\npaths = [1]\n", r"paths = \[1\].*expected a list"),
        ("[tool.symtape]\npaths = ['absent']\n", r"names 'absent', which is not in"),
        ("[tool.symtape\n", r"cannot read .*pyproject\.toml"),
    ],
)
def test_a_configuration_that_cannot_be_followed(here, text, words):
    with pytest.raises(UsageError, match=words):
        marked_files(here({"pyproject.toml": text}))
    assert bare().exit_code == 2


def test_every_marked_function_is_verified_and_no_other_file_executed(here):
    folder = here(
        {
            "a.py": MARKED.format("f"),
            "src/b.py": MARKED.format("g") + MARKED.format("h"),
            "setup.py": EXPLODES,
            "src/verify_case.py": EXPLODES,
        }
    )
    done = bare()
    assert done.exit_code == 0, done.output
    for name in ("a.py:f", "src/b.py:g", "src/b.py:h"):
        assert name in done.stdout
    assert "executed" not in done.output
    assert sorted(path.name for path in folder.iterdir()) == ["a.py", "setup.py", "src"]


def test_reports_go_where_they_are_asked_for(here):
    folder = here({"a.py": MARKED.format("f")})
    assert bare("--out", "build").exit_code == 0
    assert {path.stem for path in (folder / "build").iterdir()} == {"report"}


def test_files_of_a_package_may_import_their_neighbours(here):
    marked = "from .neighbour import square\n" + MARKED.format("f").replace("x * x", "square(x)")
    here(
        {
            "src/package_of_tests/__init__.py": "",
            "src/package_of_tests/neighbour.py": "def square(x):\n    return x * x\n",
            "src/package_of_tests/inner/__init__.py": "",
            "src/package_of_tests/inner/energy.py": marked.replace(".n", "..n"),
        }
    )
    done = bare()
    assert done.exit_code == 0, done.output
    assert "src/package_of_tests/inner/energy.py:f" in done.stdout


def test_what_does_not_import_is_told_and_keeps_nobody_from_a_verdict(here):
    here(
        {
            "good.py": MARKED.format("f"),
            "bad.py": "import no_module_of_this_name\n" + MARKED.format("f"),
            "torn.py": "import verify\n@verify.case(at=[1.0])\ndef f(x:\n",
        }
    )
    done = bare()
    assert done.exit_code == 2, done.output
    assert "good.py:f" in done.stdout
    assert "Left out: bad.py does not import" in done.stderr
    assert "no_module_of_this_name" in done.stderr
    assert "Left out: torn.py does not import" in done.stderr
    assert "Traceback" not in done.output


def test_a_wrong_derivative_counts_more_than_a_file_that_does_not_import(here):
    wrong = MARKED.format("f").replace("2.0]", "2.0], claimed=lambda x: x")
    here({"wrong.py": wrong, "bad.py": EXPLODES + MARKED.format("f")})
    assert bare().exit_code == 1


def test_a_file_that_marks_within_its_tests_is_passed_over(here):
    inside = "import verify\n\ndef test():\n    verify.case(at=[1.0])(abs)\n"
    here({"a.py": MARKED.format("f"), "test_a.py": inside})
    assert bare().exit_code == 0


def test_where_nothing_is_marked_it_says_what_to_do(here, snapshot):
    here({"setup.py": EXPLODES})
    done = bare()
    assert (done.exit_code, done.stdout) == (2, "")
    snapshot("nothing-marked", done.stderr)


def test_options_of_one_function_need_its_name(here):
    here({"a.py": MARKED.format("f")})
    done = bare("--at", "1.0")
    assert done.exit_code == 2
    assert "--at: of which function? Name it: symtape verify FILE.py:FUNCTION --at" in done.stderr


def test_only_the_checkout_runs_the_built_in_suites(here, monkeypatch):
    ours = '[project]\nname = "symtape"\n'
    folder = here({"pyproject.toml": ours, "a.py": MARKED.format("f")})
    assert not is_own_checkout(folder)
    assert "a.py  " not in bare("--list").stdout
    assert "a.py:f  gradient" in bare("--list").stdout
    assert "primitives/sin" in bare("--list", "--suites").stdout
    assert is_own_checkout(ROOT)
    monkeypatch.chdir(ROOT)
    assert bare("--list").stdout == bare("--list", "--suites").stdout


@pytest.mark.campaign
def test_workers_find_the_same_functions(here):
    folder = here({"a.py": MARKED.format("f"), "src/b.py": MARKED.format("g")})
    done = subprocess.run(
        [sys.executable, "-m", "verify", "verify", "--jobs", "2"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "a.py:f" in done.stdout
    assert "src/b.py:g" in done.stdout


def test_the_message_fits_the_screen():
    from verify.campaign.marked_files import NOTHING_FOUND

    assert max(map(len, textwrap.dedent(NOTHING_FOUND).splitlines())) <= 80
