"""Nothing in the documents is untested: examples run, commands work, names are documented."""

import re
import shlex
import sys
import warnings

import pytest
import yaml

import symtape
import verify
from symtape.primitives.primitive import PRIMITIVES, UFUNCS
from symtape.primitives.vocabulary import vocabulary
from tests.documents import ROOT, Block, Run, blocks
from tests.releases import use_releases, write_release
from verify import api
from verify.campaign import deciding
from verify.cli import cli

README = ROOT / "README.md"
DOCS = [path for path in (ROOT / "docs").rglob("*.md") if "_build" not in path.parts]
PAGES = [README, ROOT / "CONTRIBUTING.md", *sorted(DOCS)]
EXAMPLES = sorted((ROOT / "examples").rglob("*.py"))
LANGUAGES = {"python", "console", "text", "toml", "yaml", "{toctree}", "{include}", "{audits}"}
LANGUAGES |= {"{code-cell}", "{glossary}", "{image}"}


def name_of(page):
    return str(page.relative_to(ROOT))


@pytest.fixture(autouse=True)
def as_before(monkeypatch, tmp_path):
    """No memory of earlier searches; a page's precision and rows are not those of later tests."""
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # pages rewrite files within a second
    vocabulary()
    tables = [(table, dict(table)) for table in (PRIMITIVES, UFUNCS)]
    yield
    for table, before in tables:
        table.clear()
        table.update(before)
    if jax := sys.modules.get("jax"):
        jax.config.update("jax_enable_x64", False)


RUNNING = [page for page in PAGES if blocks(page.read_text())]


SHOWN = {"docs/tutorials/report.md"}
"""Pages that show what a whole search prints."""

LONG = {
    "README.md",
    *("docs/guide.md", "docs/tutorials/oracle.md", "docs/sparse.md", "docs/evidence.md"),
    *("docs/adding-an-operation.md", "docs/tutorials/report.md", "docs/auditing-a-library.md"),
    *("docs/complex-numbers.md", "docs/certificates.md"),
}
"""Pages whose code takes seconds."""


def with_marks(page):
    return pytest.param(page, marks=pytest.mark.long if name_of(page) in LONG else ())


@pytest.mark.parametrize("page", [*map(with_marks, RUNNING)], ids=[*map(name_of, RUNNING)])
def test_every_block_runs(page, tmp_path, monkeypatch):
    """Regions are searched less where the page neither says how much nor shows it."""
    if name_of(page) not in SHOWN:
        monkeypatch.setitem(api._DEFAULTS, "effort", 0.2)
        monkeypatch.setattr(deciding, "_EFFORT", 0.2)
    run_page(page, tmp_path, monkeypatch)


@pytest.mark.campaign
@pytest.mark.parametrize("page", RUNNING, ids=name_of)
def test_every_block_runs_as_for_a_reader(page, tmp_path, monkeypatch):
    run_page(page, tmp_path, monkeypatch)


def run_page(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if name_of(page) == "docs/auditing-a-library.md":
        release_springs(page, tmp_path / "index")
        monkeypatch.setenv("PYTHONPATH", str(ROOT))
        use_releases(monkeypatch, tmp_path / "index")
    run = Run(page, tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run.all()
    if run.skipped:
        absent = ", ".join(sorted(set(run.skipped)))
        pytest.skip(f"{absent} not installed: its blocks were left out, the others run")


def release_springs(page, folder):
    """The package that a page writes, as it is and with its fault mended."""
    folder.mkdir()
    text = next(it.text for it in blocks(page.read_text()) if it.text.startswith("# springs.py"))
    write_release(folder, "springs", "0.1", text)
    mended = text.replace("np.where(t < 1.0, -rate, -1.0)", "-rate")
    assert mended != text
    write_release(folder, "springs", "0.2", mended)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_blocks_are_of_kinds_that_are_run_or_are_no_code(page):
    assert {block.language for block in blocks(page.read_text())} <= LANGUAGES


def test_blocks_of_yaml_are_workflows_and_hooks():
    texts = (ROOT / "docs" / "continuous-integration.md").read_text()
    workflow, hooks = (yaml.safe_load(b.text) for b in blocks(texts) if b.language == "yaml")
    runs = [step["run"] for step in workflow["jobs"]["verify"]["steps"] if "run" in step]
    (hook,) = hooks["repos"][0]["hooks"]
    for line in (runs[-1], hook["entry"]):
        command, *options = shlex.split(line)[1:]
        cli.commands[command].make_context(command, options)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", ">>> 1 + 1\n3\n"),
        ("python", "assert False\n"),
        ("console", "symtape no-such-command\n"),
        ("console", "$ symtape --version\nsymtape 0.0.0\n"),
        ("console", "$ symtape --version\nsymtape ...\n$ echo $?\n1\n"),
    ],
)
def test_a_block_that_is_wrong_fails(language, text, tmp_path):
    with pytest.raises(AssertionError):
        Run(README, tmp_path).block(Block(language, text, 1))


def test_the_two_first_commands_set_up_what_they_need():
    consoles = [block.text for block in blocks(README.read_text()) if block.language == "console"]
    commands = [text.splitlines()[0] for text in consoles if not text.startswith("$ ")]
    first, second, *_ = commands
    assert first.startswith("python3 -m venv .venv && .venv/bin/pip install")
    assert first.endswith(".venv/bin/symtape verify")
    assert second.endswith(".venv/bin/python -m pytest -n auto")
    [pattern] = re.findall(r"grep -E '([^']*)' README\.md", (ROOT / ".ci/run").read_text())
    assert re.findall(f"{pattern}.*", README.read_text(), re.MULTILINE) == [first, second]


def anchors(page):
    """The anchors that GitHub, and the site, give to the headings of a page."""
    titles = re.findall(r"^#+ (.*)$", page.read_text(), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def dead_links(page):
    """What the links of a page to files and headings do not find."""
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        if re.match(r"\w+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = page if not path else page.parent / path
        generated = {"gallery", "guides"} & {
            it.name for it in (page.parent / path).resolve().parents
        }
        if not (file.exists() or generated) or (anchor and anchor not in anchors(file)):
            yield target


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CHANGELOG.md"], ids=name_of)
def test_links_lead_somewhere(page):
    assert list(dead_links(page)) == []


def missing_paths(page):
    """The paths into this project that a page names and that are not there."""
    rooms = "symtape|verify|tests|benchmarks|examples|release|docs"
    named = set(re.findall(rf"`((?:{rooms})/[\w./-]*\w)`", page.read_text()))
    return sorted(it for it in named if not (ROOT / it).exists() and it != "docs/_build/html")


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_paths_exist(page):
    assert missing_paths(page) == []


def test_a_missing_path_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("`verify/api.py`, `verify/no_room`, `docs`\n")
    assert missing_paths(page) == ["verify/no_room"]


def test_a_dead_link_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# A title\n[1](#a-title) [2](#no) [3](no.md) [4](https://example.org)\n")
    assert list(dead_links(page)) == ["#no", "no.md"]


INSIDE = ROOT / "docs" / "adding-an-operation.md"  # what it says is written in the package


@pytest.mark.parametrize("page", [it for it in (*PAGES, *EXAMPLES) if it != INSIDE], ids=name_of)
def test_what_people_write_needs_no_inner_module(page):
    text = page.read_text()
    code = (
        [text] if page in EXAMPLES else [it.text for it in blocks(text) if it.language == "python"]
    )
    used = re.findall(r"(?:^|[\s(\[,=@])(symtape|verify)\.(\w+)", "\n".join(code))
    assert [
        it for it in used if it[1] not in dir({"symtape": symtape, "verify": verify}[it[0]])
    ] == []


@pytest.mark.parametrize(
    ("package", "name"),
    [(symtape, name) for name in symtape.__all__] + [(verify, name) for name in verify.__all__],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_public_names_are_documented(package, name):
    if name != "__version__":
        assert getattr(package, name).__doc__
