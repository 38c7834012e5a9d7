"""Pages of an audit: what they say, that they stand alone, and that their programs run."""

from __future__ import annotations

import contextlib
import io
import json
import re
from dataclasses import replace
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from click.testing import CliRunner

from verify.auditing.libraries.as_html import pages
from verify.auditing.libraries.as_json import audit_schema, read, written
from verify.auditing.libraries.as_markdown import index, issue
from verify.auditing.libraries.claimants import CLAIMANTS
from verify.auditing.libraries.entries import WORDS, Audit, Entry
from verify.auditing.libraries.formats import FORMATS
from verify.auditing.libraries.functions import FUNCTIONS
from verify.auditing.libraries.measuring import measure
from verify.auditing.libraries.run import audit
from verify.auditing.libraries.workers import Task, entries
from verify.auditing.libraries.writing import write
from verify.cli import cli
from verify.commands.audit import show as shown
from verify.model.verdict import Verdict

ROOT = Path(__file__).parents[3]
COMMITTED = sorted(file.parent for file in (ROOT / "reports" / "audits").glob("*/audit.json"))


@pytest.fixture
def made(liar):
    lost = liar(lambda slope, x: np.where(np.abs(x) > 30, 0 * slope, slope))
    right = liar(lambda slope, x: slope)
    found = [
        measure(claimant, FUNCTIONS[name], (0,), "float64", 300, 0)
        for claimant, name in ((lost, "arctan"), (right, "exp"))
    ]
    return Audit("symtape", {"symtape": "0"}, "2026-01-01", 0, 300, 1.0, tuple(found))


def test_the_index_and_the_page_of_a_fault_stand_alone(made):
    found = pages(made)
    assert set(found) == {"index.html", "arctan.html"}
    for text in found.values():
        assert "://" not in re.sub(r'xmlns="[^"]*"', "", text)
        assert "<script" not in text
    assert "<svg" in found["arctan.html"]
    assert "1 of 2 functions has a derivative" in found["index.html"]


def test_markdown_is_ready_to_paste(made):
    text = issue(made, list(made.functions["arctan"]))
    assert text.startswith("### d/dx of `np.arctan(x)`: wrong zero in float64")
    assert "| Segment | Count | Max ULP |" in text
    assert "Exact derivative: `1/(x**2 + 1)`" in text
    assert index(made).count("### ") == 1


def test_what_is_said_is_what_people_would_read(made, snapshot, capsys):
    shown(made)
    told = capsys.readouterr().out
    assert len(told.splitlines()) <= 40
    snapshot("audit", f"{told}\n{issue(made, made.functions['arctan'])}\n")


def test_nothing_is_called_right_that_is_not_known():
    unknown = [Entry("j0", "j0(x)", "d/dx", form, Verdict.UNDECIDED, note="no") for form in "ab"]
    partly = Entry("j1", "j1(x)", "d/dx", "a", Verdict.CORRECT)
    partly_not = Entry("j1", "j1(x)", "d/dx", "b", Verdict.UNDECIDED, note="no")
    text = index(Audit("torch", {}, "", 0, 0, 0.0, (*unknown, partly, partly_not)))
    assert "No fault was found in: j1." in text
    assert "Not available, or not decided: j0, j1 (d/dx in b)." in text


@pytest.mark.parametrize(
    ("name", "plain", "other", "line"),
    [
        ("torch", "torch.tanh(x)", "F.elu(x)", "import functional as F"),
        ("jax", "jnp.tanh(x)", "nn.elu(x)", "from jax import nn"),
        ("autograd", "anp.tanh(x)", "asp.erf(x)", "import autograd.scipy.special as asp"),
        ("symtape", "np.tanh(x)", "special.erf(x)", "from scipy import special"),
    ],
)
def test_a_reproducer_imports_what_it_uses(name, plain, other, line):
    library = CLAIMANTS[name]()
    assert line not in library.reproducer(plain, ["1.0"], (0,), "float64", 1)
    assert line in library.reproducer(other, ["1.0"], (0,), "float64", 1)


def test_only_what_pages_draw_keeps_its_plot(made, tmp_path):
    arctan, *_ = made.entries
    many = tuple(replace(arctan, format=form) for form in FORMATS)
    write(replace(made, entries=many), tmp_path)
    kept = read((tmp_path / "audit.json").read_text()).entries
    assert sum(it.accuracy is not None for it in kept) == 1
    assert all(it.witnesses == arctan.witnesses for it in kept)


@pytest.mark.parametrize("folder", COMMITTED, ids=lambda it: it.name)
def test_pages_are_rendered_from_committed_measurements(folder, tmp_path):
    measured = folder / "audit.json"
    line = ["report", str(measured), "--format", "html", "--out", str(tmp_path)]
    done = CliRunner().invoke(cli, line)
    assert done.exit_code == 0, done.output
    assert done.output.startswith(f"wrote {tmp_path / 'index.html'} and ")
    pages = {it.name: it.read_text() for it in tmp_path.iterdir()}
    functions = read(measured.read_text()).functions
    faulty = [name for name, found in functions.items() if any(it.is_fault for it in found)]
    assert set(pages) == {"index.html", *(f"{name}.html" for name in faulty)}
    links = {link for text in pages.values() for link in re.findall(r'href="([^"#]+)"', text)}
    assert links <= set(pages)
    assert all(f"{name}.html" in links for name in faulty)


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        ("", 0, "1 of 2 functions has a derivative"),
        ("--format markdown", 0, "# Accuracy of the derivatives of symtape 0"),
        ("--format json", 0, '"schema":"symtape-audit-1"'),
        ("--format markdown --out there", 0, "wrote there/index.md\n"),
        ("--format html", 2, "a page for each function: say where with --out DIR"),
        ("--format html --format json", 2, "several formats go into files"),
        ("--format junit --out there", 2, "an audit has no junit files; choose among html"),
    ],
)
def test_a_saved_audit_is_rendered_again(made, tmp_path, monkeypatch, words, status, told):
    monkeypatch.chdir(tmp_path)
    write(made, tmp_path, ["json"])
    done = CliRunner().invoke(cli, ["report", "audit.json", *words.split()])
    assert done.exit_code == status
    assert told in done.output


def test_pages_are_written_again_without_measuring(made, tmp_path, monkeypatch):
    monkeypatch.setattr("verify.auditing.libraries.run.audit", None)
    files = {it: it.read_text() for it in write(made, tmp_path)}
    (tmp_path / "index.html").unlink()
    again = ["audit", "symtape", "--render", "--out", str(tmp_path)]
    assert CliRunner().invoke(cli, again).exit_code == 1
    assert files == {it: it.read_text() for it in files}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["jax"], "is an audit of symtape, not of jax"),
        (["symtape", "--points", "64"], "--render measures nothing, so that --points has no"),
        (["symtape", "--dtype", "float32"], "--render measures nothing, so that --dtype has no"),
        (["symtape", "--out", "nowhere"], "audit.json; run symtape audit symtape first"),
    ],
)
def test_what_cannot_be_written_again_is_told(made, tmp_path, monkeypatch, words, told):
    monkeypatch.chdir(tmp_path)
    write(made, tmp_path)
    place = [] if "--out" in words else ["--out", "."]
    result = CliRunner().invoke(cli, ["audit", *words, "--render", *place])
    assert result.exit_code == 2
    assert told in result.output
    assert not (tmp_path / "nowhere").exists()


def test_the_order_is_told_on_the_page(made):
    assert WORDS in index(made)
    assert WORDS in pages(made)["index.html"]


def test_json_keeps_everything_and_fits_its_schema(made):
    text = written(made)
    assert read(text) == made
    jsonschema.validate(json.loads(text), audit_schema())


def test_a_reproducer_runs_and_shows_the_fault():
    program = CLAIMANTS["symtape"]().reproducer("np.tanh(x)", ["20.0"], (0, 0), "float64", 1)
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(program, {})
    assert float(output.getvalue()) == pytest.approx(-3.3986834e-17)
    assert program.count("\n") <= 5


def test_an_audit_is_the_same_each_time():
    one, two = (audit("symtape", ["float64"], [1], "sin", 64, 3, 0) for _ in range(2))
    assert one.entries == two.entries
    names = {it.function for it in one.entries}
    assert {"sin", "sinh", "arcsin"} <= names
    assert all("sin" in name for name in names)


def test_a_claimant_that_does_not_end_is_given_up():
    tasks = [Task("symtape", "sin", (0,), "float64", 10**6, 0)]
    [(_, entry)] = entries(tasks, jobs=1, patience=0.1)
    assert entry.verdict is Verdict.UNDECIDED
    assert "no answer within" in entry.note


def test_the_command_writes_pages_and_tells_by_its_status(tmp_path):
    common = ["--points", "64", "--jobs", "0", "--order", "1", "--dtype", "float64"]
    result = CliRunner().invoke(
        cli, ["audit", "symtape", "--only", "tan", *common, "--out", str(tmp_path)]
    )
    assert result.exit_code == 0, result.output
    assert "are right" in result.output
    assert (tmp_path / "index.html").exists()
    assert (tmp_path / "audit.json").exists()
    wrong = CliRunner().invoke(
        cli, ["audit", "symtape", "--only", "nothing", *common, "--out", str(tmp_path)]
    )
    assert wrong.exit_code == 2
    assert "no function of symtape has 'nothing' in its name" in wrong.output
    half = ["audit", "symtape", "--dtype", "float16", "--out", str(tmp_path)]
    assert "symtape has no float16 to audit" in CliRunner().invoke(cli, half).output
