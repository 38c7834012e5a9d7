"""What a contributor meets first: the checks of a change, the forge's files, the metadata."""

import ast
import re
import subprocess
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest
import yaml

import symtape
import tests.changed
from tests.changed import changed, changed_rows, nearest, of_rows
from tests.documents import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
TEMPLATES = sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml"))
RESERVED = ("example.org", "example.com", "example.net")


@pytest.mark.parametrize(
    ("path", "tests"),
    [
        (
            "verify/judging/kinks/hull.py",
            ["verify/judging/kinks/hull.py", "tests/verify/judging/kinks/test_hull.py"],
        ),
        ("tests/verify/test_judge.py", ["tests/verify/test_judge.py"]),
        ("tests/conftest.py", []),
        ("reports/report.json", []),
        (
            "docs/audits.md",
            [
                "tests/test_documentation.py::test_every_block_runs[docs/audits.md]",
                "tests/test_documentation.py::test_links_lead_somewhere[docs/audits.md]",
            ],
        ),
    ],
)
def test_the_tests_nearest_to_a_file(path, tests):
    assert [str(one) for one in nearest(Path(path))] == tests


def test_a_module_without_tests_of_its_own_has_those_that_import_it(tmp_path):
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_a.py").write_text("from verify.thing import b\n")
    (tmp_path / "tests/test_b.py").write_text("from verify.things import b\n")
    assert nearest(Path("verify/thing.py"), tmp_path)[1:] == [Path("tests/test_a.py")]


def test_what_changed_is_what_was_committed_edited_and_added(tmp_path):
    def git(*words):
        who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *who, *words], cwd=tmp_path, check=True, capture_output=True)

    git("init", "-b", "main")
    for name in ("same.py", "edited.py", "deleted.py"):
        (tmp_path / name).write_text("1\n")
    git("add", ".")
    git("commit", "-m", "one")
    git("checkout", "-b", "change")
    (tmp_path / "committed.py").write_text("2\n")
    git("add", ".")
    git("commit", "-m", "two")
    (tmp_path / "edited.py").write_text("2\n")
    (tmp_path / "deleted.py").unlink()
    (tmp_path / "added.py").write_text("2\n")
    assert {path.name for path in changed(tmp_path)} == {"committed.py", "edited.py", "added.py"}


HERE = Path("symtape/primitives/sinc.py")


@pytest.mark.parametrize(
    ("old", "new", "rows"),
    [
        ("\n\n", "\n# A remark.\n\n", []),
        ('"""Row', '"""The row', []),
        ("SINC: Primitive = declare(", "SINC: Primitive = declare(convention='0 at 0', ", ["sinc"]),
        ("import numpy as np", "import numpy", ["sinc", "sinc_kernel", "sinc_slope"]),
    ],
)
def test_rows_that_say_something_else_are_changed(old, new, rows, monkeypatch):
    text = (ROOT / HERE).read_text()
    assert old in text
    monkeypatch.setattr(tests.changed, "git", lambda root, *words: text.replace(old, new, 1))
    assert changed_rows(HERE) == rows
    assert changed_rows(Path("symtape/nn.py")) == []


def test_what_loops_over_rows_is_run_for_those_that_changed():
    words = of_rows(["exp"])
    assert "[exp] or [exp- or [exp. or -exp]" in words
    assert str(ROOT / "tests/verify/test_suites.py") in words


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda it: it.name)
def test_a_workflow_has_few_rights_and_pins_what_it_uses(file):
    workflow = yaml.safe_load(file.read_text())
    assert workflow["permissions"] == {"contents": "read"}
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    assert all({"uses", "run"} & step.keys() for step in steps)
    used = re.findall(r"uses: (.*)", file.read_text())
    assert len(used) == sum("uses" in step for step in steps)
    for line in used:
        assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line)


def test_the_tests_run_on_each_system_and_python_that_is_promised():
    workflows = {file.stem: yaml.safe_load(file.read_text())["jobs"] for file in WORKFLOWS}
    prefix = "Programming Language :: Python :: "
    versions = [it.removeprefix(prefix) for it in PROJECT["classifiers"] if it.startswith(prefix)]
    promised = {"os": ["ubuntu-latest", "macos-latest"], "python": versions[1:]}
    assert workflows["ci"]["tests"]["strategy"]["matrix"] == promised
    assert workflows["wheels"]["install"]["strategy"]["matrix"] == promised


@pytest.mark.parametrize("file", TEMPLATES, ids=lambda it: it.name)
def test_an_issue_template_is_a_form(file):
    form = yaml.safe_load(file.read_text())
    if file.stem != "config":
        assert form.keys() == {"name", "description", "labels", "body"}
        ids = [field["id"] for field in form["body"]]
        assert len({*ids}) == len(ids)
        assert all(field["attributes"]["label"] for field in form["body"])


def test_the_citation_is_of_this_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["version"] == symtape.__version__
    assert citation["license"] == PROJECT["license"]
    assert citation["authors"] == PROJECT["authors"] == [{"name": "symtape contributors"}]


CACHE = re.compile(r"(@|functools\.)(lru_)?cache(?=[(\s]|$)")


def unbounded(file):
    """The caches of a file that may grow without end, or do not say what their keys are."""
    lines = [*file.read_text().splitlines(), ""]
    for number, (line, below) in enumerate(pairwise(lines), start=1):
        takes_nothing = re.match(r"\s*def \w+\(\)", below)
        explained = "# " in line or takes_nothing
        if CACHE.search(line) and (not explained or "maxsize=None" in line):
            yield f"{file.name}:{number}"


def test_a_cache_is_bounded_or_says_by_what():
    files = [file for top in ("symtape", "verify") for file in (ROOT / top).rglob("*.py")]
    assert [place for file in files for place in unbounded(file)] == []


def test_a_cache_without_end_is_found(tmp_path):
    file = tmp_path / "a.py"
    file.write_text(
        "@functools.cache\ndef f(): ...\n@cache  # of dtypes\ndef g(x): ...\n"
        "@functools.cache\ndef h(x): ...\n@lru_cache(maxsize=None)\ndef k(x): ...\n"
        "m = functools.cache(h)\n@lru_cache(maxsize=8)  # rows\ndef n(x): ...\n"
    )
    assert [*unbounded(file)] == ["a.py:5", "a.py:7", "a.py:9"]


def test_urls_name_hosts_that_exist():
    hosts = {re.match(r"https://([^/]+)/", url)[1] for url in PROJECT["urls"].values()}
    assert hosts <= {*RESERVED}


def unexplained(file):
    """The lines of a file that catch every error and have no words for it, there or below."""
    text = file.read_text()
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.ExceptHandler):
            continue
        caught = (
            {"BaseException"}
            if node.type is None
            else {*re.findall(r"\w+", ast.unparse(node.type))}
        )
        here, below = lines[node.lineno - 1], lines[node.lineno]
        words = re.sub(r"# noqa: \w+", "", here)
        if caught & {"Exception", "BaseException"} and "# " not in words + below:
            yield f"{file.name}:{node.lineno}"


@pytest.mark.long
def test_what_catches_every_error_says_why():
    files = [
        file for top in ("symtape", "verify", "benchmarks") for file in (ROOT / top).rglob("*.py")
    ]
    assert [place for file in files for place in unexplained(file)] == []


def test_a_handler_without_words_is_found(tmp_path):
    file = tmp_path / "a.py"
    file.write_text(
        "try:\n    f()\nexcept Exception:  # noqa: BLE001\n    pass\n"
        "try:\n    f()\nexcept:\n    # why\n    pass\n"
        "try:\n    f()\nexcept (OSError, BaseException):  # why\n    pass\n"
        "try:\n    f()\nexcept:\n    raise\n"
    )
    assert [*unexplained(file)] == ["a.py:3", "a.py:16"]


def test_the_lowest_versions_are_those_that_are_allowed():
    lines = (ROOT / ".ci/lowest.txt").read_text().splitlines()
    pinned = [line for line in lines if "==" in line]
    allowed = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["test"]]
    assert pinned == [line.replace(">=", "==") for line in allowed]
