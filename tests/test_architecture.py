"""The tree keeps its promises: imports point one way, names say something, files stay small."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = sorted([*ROOT.glob("symtape/**/*.py"), *ROOT.glob("verify/**/*.py")])

# What a file may import, by the room it is in. Rooms come in order: those above are below.
ROOMS = {
    "symtape.errors": set(),
    "symtape.version": set(),
    "symtape.precision": {"symtape.errors"},
    "symtape.work": {"symtape.errors"},
    "symtape.extras": {"symtape.errors"},
    "symtape.first_order": set(),
    "symtape.primitives": {"symtape.errors"},
    "symtape.numeric": {"symtape.errors", "symtape.primitives"},
    "symtape.recording": {"symtape.errors", "symtape.primitives", "symtape.numeric"},
    "symtape.graph": {"symtape.errors", "symtape.work", "symtape.primitives", "symtape.recording"},
    "symtape.symbolic": {
        "symtape.errors",
        "symtape.first_order",
        "symtape.work",
        "symtape.precision",
        "symtape.primitives",
        "symtape.graph",
        "symtape.recording",
    },
    "symtape.rigorous": {
        "symtape.errors",
        "symtape.first_order",
        "symtape.work",
        "symtape.precision",
        "symtape.primitives",
        "symtape.graph",
        "symtape.recording",
    },
    "symtape.readers": {
        "symtape.errors",
        "symtape.extras",
        "symtape.primitives",
        "symtape.recording",
        "symtape.scipy",
    },
    "symtape.transforms": {
        "symtape.errors",
        "symtape.primitives",
        "symtape.readers",
        "symtape.recording",
    },
    "symtape.record": {
        "symtape.errors",
        "symtape.graph",
        "symtape.readers",
        "symtape.recording",
    },
    "symtape.derive": {
        "symtape.errors",
        "symtape.graph",
        "symtape.record",
        "symtape.rigorous",
        "symtape.symbolic",
    },
    "symtape.scipy": {"symtape.errors", "symtape.primitives", "symtape.recording"},
    "symtape.nn": {"symtape.errors", "symtape.primitives", "symtape.recording", "symtape.scipy"},
}

BANNED = {"utils", "util", "helpers", "helper", "common", "misc", "tools"}


def room_of(module: str) -> str:
    """The room that `module` is in: the first two parts of its name."""
    return ".".join(module.split(".")[:2])


def module_of(path: Path) -> str:
    """The dotted name of a source file."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imports_of(path: Path) -> set[str]:
    """Every module of ours that a file imports, anywhere in it but for types only."""
    found = set()
    tree = ast.parse(path.read_text())
    typing_only = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if node in typing_only:
            continue
        if isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return {name for name in found if name.split(".")[0] in ("symtape", "verify")}


def violations(path: Path) -> list[str]:
    """What `path` imports and may not."""
    module = module_of(path)
    room = room_of(module)
    if module in ("symtape",) or room.startswith("verify"):
        return []
    allowed = ROOMS[room] | {room}
    return [name for name in imports_of(path) if room_of(name) not in allowed]


@pytest.mark.parametrize("path", SOURCES, ids=module_of)
def test_imports_point_one_way(path):
    assert violations(path) == []


def test_the_check_of_imports_finds_a_violation(tmp_path, monkeypatch):
    planted = ROOT / "symtape/rigorous/enclose.py"
    monkeypatch.setitem(ROOMS, "symtape.rigorous", {"symtape.errors"})
    assert "symtape.graph.graph" in violations(planted)


def test_engines_do_not_see_each_other():
    engines = {"symtape.numeric", "symtape.symbolic", "symtape.rigorous"}
    for path in SOURCES:
        room = room_of(module_of(path))
        if room in engines:
            assert not {room_of(name) for name in imports_of(path)} & (engines - {room}), path


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
