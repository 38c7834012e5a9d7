"""The tree keeps its promises: imports point one way, names say something, files stay small."""

import ast
import functools
import graphlib
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = sorted([*ROOT.glob("symtape/**/*.py"), *ROOT.glob("verify/**/*.py")])

FLOORS = """
symtape.version symtape.errors
symtape.budget symtape.precision symtape.work symtape.extras
symtape.primitives
symtape.numeric
symtape.recording
symtape.graph
symtape.symbolic symtape.rigorous
symtape.prover
symtape.scipy
symtape.nn symtape.frontends
symtape.record symtape.transforms
symtape.derive
symtape

verify.errors
verify.sources
verify.limits
verify.regions
verify.model
verify.files
verify.adapters
verify.claimants
verify.oracles
verify.rounding
verify.kinks
verify.diagnosis
verify.search
verify.sampled
verify.judging
verify.suites
verify.remedies
verify.report
verify.campaign.campaign
verify.selftest verify.audit
verify.docstrings verify.listeners
verify.api
verify.assertions verify.strategies
verify.optimize
verify
verify.commands verify.pytest_plugin
verify.cli
verify.__main__
"""
# From the ground up; what shares a line does not import each other.
FLOOR_OF = {
    room: height
    for height, line in enumerate(line for line in FLOORS.split("\n") if line)
    for room in line.split()
}

BANNED = {"utils", "util", "helpers", "helper", "common", "misc", "tools"}


def module_of(path: Path) -> str:
    """The dotted name of a source file."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {module_of(path): path for path in SOURCES}


def room_of(module: str) -> str:
    """The room that `module` is in: the first two parts of its name."""
    return ".".join(module.split(".")[:2])


@functools.cache
def imports_of(path: Path) -> frozenset[str]:
    """Every module of ours that a file imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            found |= {name if name in MODULES else node.module for name in names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return frozenset(found & MODULES.keys())


def violations(path: Path) -> list[str]:
    """What `path` imports from its own floor, or from one above."""
    room = room_of(module_of(path))
    if room in ("symtape", "verify"):
        return []  # names what it exports; importing it is what the floors above are for
    others = {name for name in imports_of(path) if room_of(name) != room}
    return sorted(name for name in others if FLOOR_OF[room_of(name)] >= FLOOR_OF[room])


def circles(imports: dict[str, frozenset[str]]) -> list[list[str]]:
    """Modules that import each other, round about."""
    found, order = [], graphlib.TopologicalSorter(imports)
    while True:
        try:
            order.prepare()
        except graphlib.CycleError as error:
            circle = error.args[1]
            found.append(circle)
            imports = {**imports, circle[1]: imports[circle[1]] - {circle[0]}}
            order = graphlib.TopologicalSorter(imports)
        else:
            return found


@pytest.mark.parametrize("path", SOURCES, ids=module_of)
def test_imports_point_down(path):
    assert violations(path) == []


def test_no_modules_import_each_other():
    roots = {"symtape", "verify"}
    assert circles({m: imports_of(p) - {m} for m, p in MODULES.items() if m not in roots}) == []


def test_the_checks_find_what_they_look_for(monkeypatch):
    monkeypatch.setitem(FLOOR_OF, "symtape.rigorous", 0)
    assert "symtape.graph.graph" in violations(ROOT / "symtape/rigorous/enclose.py")
    planted = {"a": frozenset("b"), "b": frozenset("c"), "c": frozenset("a"), "d": frozenset("a")}
    assert sorted(*(circle[1:] for circle in circles(planted))) == ["a", "b", "c"]


@pytest.mark.parametrize("folder", sorted({path.parent for path in SOURCES}), ids=str)
def test_each_room_says_what_lives_there(folder):
    assert ast.get_docstring(ast.parse((folder / "__init__.py").read_text()))


@pytest.mark.parametrize("path", SOURCES, ids=module_of)
def test_names_say_what_is_inside(path):
    assert not BANNED & set(path.relative_to(ROOT).with_suffix("").parts)


@pytest.mark.parametrize("path", SOURCES, ids=module_of)
def test_files_and_functions_are_of_a_readable_size(path):
    text = path.read_text()
    assert text.count("\n") <= 560, "does this file hold two things?"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            length = (body[-1].end_lineno - body[0].lineno + 1) if body else 0
            assert length <= 60, f"{node.name}: does this function hold two things?"


HEAVY = ("sympy", "flint", "scipy", "matplotlib", "jinja2", "rich", "click")


@pytest.mark.parametrize(
    ("statement", "banned"),
    [
        ("import symtape", HEAVY),
        ("import verify", (*HEAVY, "numpy")),
        ("import verify.cli", tuple(name for name in HEAVY if name != "click")),
    ],
)
def test_importing_stays_light(statement, banned):
    code = f"{statement}; import sys; print(*sorted(set(sys.modules) & {set(banned)!r}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
