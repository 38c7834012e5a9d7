"""Audits of a package that is made for it, through the command: what is found, judged, refused."""

import json
import sys
import textwrap

import pytest
from click.testing import CliRunner

from verify.auditing.packages.walking import find_pairs
from verify.cli import cli
from verify.reporting import load

MODULES = {
    "__init__.py": "",
    "right.py": """
        import numpy as np

        def energy(x):
            return np.sum(x[:-1] * np.sin(x[1:]))

        def energy_grad(x):
            made = np.zeros(x.shape)
            made[:-1] += np.sin(x[1:])
            made[1:] += x[:-1] * np.cos(x[1:])
            return made
        """,
    "wrong.py": """
        import numpy as np

        def wave(t, omega):
            return np.sin(omega * t)

        def dwave_dt(t, omega):
            return np.where(t > 0.5, omega * np.cos(omega * t), np.cos(omega * t))
        """,
    "mispaired.py": """
        import numpy as np

        def flow(x):
            return x**3

        def flow_der(x):
            return np.exp(x) + 40
        """,
    "alone.py": "def lonely_prime(x):\n    return 1.0\n",
    "raising.py": "raise RuntimeError('no display')",
    "ending.py": "import sys\nsys.exit(3)",
    "printing.py": "print('hello')\nimport warnings\nwarnings.warn('loud')",
    "asking.py": "import socket\nsocket.create_connection(('example.org', 80), timeout=1)",
    "tests/__init__.py": "raise RuntimeError('tests are not imported')",
    "conftest.py": "raise RuntimeError('nor are these')",
}


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package in the present folder, under a name of its own."""
    name = f"audited_{abs(hash(str(tmp_path))) % 10**8}"
    for file, text in MODULES.items():
        path = tmp_path / name / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield name
    for each in [each for each in sys.modules if each.partition(".")[0] == name]:
        del sys.modules[each]


def run(*words):
    return call("audit", *words, "--jobs", "0")


def call(*words):
    done = CliRunner(env={"COLUMNS": "100", "NO_COLOR": "1"}).invoke(
        cli, words, prog_name="symtape"
    )
    assert not (done.exception and not isinstance(done.exception, SystemExit)), done.exception
    return done.exit_code, done.output


@pytest.mark.long
def test_an_audit_judges_what_it_pairs_and_says_why_of_the_rest(package, tmp_path):
    status, said = run(package, "--effort", "quick", "--out", "out")
    report = load(tmp_path / "out" / f"{package}.json")
    verdicts = {case.id.partition(":")[2]: case.verdict.value for case in report.cases}
    assert status == 1
    assert verdicts == {"energy_grad": "CORRECT", "dwave_dt": "WRONG"}
    reasons = {each.id.removeprefix(f"{package}."): each.reason for each in report.not_judged}
    assert reasons["alone:lonely_prime"] == "there is no lonely beside it"
    assert reasons["mispaired:flow_der"].startswith(
        "paired by name or behaviour, but not a derivative: at "
    )
    assert "RuntimeError: no display" in reasons["raising"]
    assert reasons["ending"] == "SystemExit: 3"
    assert "is not allowed to code" in reasons["asking"]
    assert "2 modules of tests" in reasons[package]
    assert "hello" not in said
    for ending in ("md", "html", "xml"):
        text = (tmp_path / "out" / f"{package}.{ending}").read_text()
        assert ending == "xml" or "lonely_prime" in text
        assert "dwave_dt" in text


@pytest.mark.long
def test_an_audit_is_rendered_and_compared_from_its_store(package, tmp_path):
    asked = (package, "--effort", "quick", "--store", "kept.sqlite", "--format", "json")
    assert run(*asked, "--out", "whole", "--format", "sarif")[0] == 1
    (finding,) = json.loads((tmp_path / "whole" / f"{package}.sarif").read_text())["runs"][0][
        "results"
    ]
    assert finding["ruleId"] == "WRONG"
    text = (tmp_path / "whole" / f"{package}.json").read_text()
    assert call("report", "kept.sqlite", "--format", "json") == (0, text)
    file = tmp_path / package / "wrong.py"
    file.write_text(
        file.read_text().replace(", np.cos(omega * t))", ", omega * np.cos(omega * t))")
    )
    for each in [each for each in sys.modules if each.partition(".")[0] == package]:
        del sys.modules[each]
    status, said = run(
        *(package, "--effort", "quick", "--format", "json", "--out", "fixed"),
        *("--baseline", "kept.sqlite"),
    )
    assert (status, "1 fixed" in said) == (0, True), said
    assert load(tmp_path / "fixed" / f"{package}.json").changes
    compared = call("compare", "kept.sqlite", f"fixed/{package}.json")
    assert (compared[0], "1 fixed" in compared[1]) == (0, True), compared[1]


@pytest.mark.long
def test_of_a_part_nothing_is_gone(package, tmp_path):
    asked = ("--effort", "quick", "--format", "json")
    run(package, *asked, "--out", "a")
    before = f"a/{package}.json"
    run(package, *asked, "--only", "energy", "--out", "part", "--baseline", before)
    assert load(tmp_path / "part" / f"{package}.json").changes == ()


def test_the_listing_judges_nothing_and_counts_by_convention(package, tmp_path):
    status, said = run(package, "--list")
    assert status == 0
    assert "dwave_dt, as the gradient of wave by t; `dwave_dt` agrees" in said
    assert "    t in [" in said
    assert "behaviour                    3 to be judged     1 not" in said
    assert not (tmp_path / "reports").exists()


@pytest.mark.long
def test_a_manifest_declares_regions_exclusions_and_pairs(package, tmp_path):
    (tmp_path / "audit.toml").write_text(
        f"""
        package = "{package}"
        [[pair]]
        function = "{package}.right:energy"
        claim = "{package}.right:energy_grad"
        over = {{ x = "box(1, 2, shape=4)" }}
        [region."dwave_dt"]
        t = "[0.6, 2]"
        omega = "[1, 2]"
        [[exclude]]
        pair = "flow_der"
        reason = "an invention"
        """
    )
    status, _ = run("--manifest", "audit.toml", "--effort", "quick", "--out", "out")
    report = load(tmp_path / "out" / f"{package}.json")
    assert status == 0  # where t > 0.5 the wrong claim is right
    assert {case.id for case in report.cases} == {
        f"{package}.right:energy_grad",
        f"{package}.wrong:dwave_dt",
    }
    assert "excluded by the manifest: an invention" in {it.reason for it in report.not_judged}


def test_a_manifest_alone_needs_no_package(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    manifest = '[[pair]]\nfunction = "numpy:sin"\nclaim = "numpy:{}"\nover = {{x = "[-1, 1]"}}\n'
    for claim, expected in (("cos", 0), ("sinh", 1)):
        (tmp_path / "audit.toml").write_text(manifest.format(claim))
        status, said = run("--manifest", "audit.toml", "--effort", "quick", "--format", "json")
        assert status == expected, said
        made = json.loads((tmp_path / "reports/latest/audit/audit.json").read_text())
        assert made["title"] == "Audit of a manifest"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["no_such_package_here"], "there is no package 'no_such_package_here' here"),
        (["inner/model.py"], "'inner/model.py' is a file; audit takes the name of a module: "),
        (["./model.py"], "a module: symtape audit model"),
        ([], "which package?"),
        (["jax", "--list"], "--list has no meaning here, since jax differentiates by itself"),
        (["numpy", "--points", "100"], "--points has no meaning here, since only jax, torch"),
        (["numpy.polynomial.hermite", "--convention", "x"], "there is no convention 'x'; there"),
        (["colorsys", "--only", "x"], "--only 'x': nothing that was found in colorsys has this"),
        (["--manifest", "no.toml"], "there is no manifest 'no.toml'"),
    ],
)
def test_a_wrong_use_is_refused(words, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, said = run(*words)
    assert status == 2
    assert message in " ".join(said.split())


@pytest.mark.long
def test_a_module_that_hangs_or_dies_keeps_no_other_from_being_looked_at(package, tmp_path):
    (tmp_path / package / "hanging.py").write_text("import threading\nthreading.Event().wait()")
    (tmp_path / package / "dying.py").write_text("import os\nos._exit(1)")
    found = find_pairs(package, jobs=1, patience=4.0)
    assert {pair.claim for pair in found.pairs} == {"energy_grad", "dwave_dt", "flow_der"}
    reasons = dict(found.unimported)
    assert reasons[f"{package}.hanging"] == "importing it took longer than 4 s"
    assert reasons[f"{package}.dying"].startswith("importing it ended the process")
