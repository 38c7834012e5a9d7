"""The tree keeps its promises: imports point one way, names say something, files stay small."""

import ast
import functools
import graphlib
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import symtape
import verify

ROOT = Path(__file__).parents[1]
SOURCES = sorted([*ROOT.glob("symtape/**/*.py"), *ROOT.glob("verify/**/*.py")])

PAGE = (ROOT / "docs" / "architecture.md").read_text()


def block(name: str) -> list[str]:
    """The lines of a block of the page on the architecture."""
    (text,) = re.findall(rf"<!-- {name} -->\n```text\n(.*?)```", PAGE, re.DOTALL)
    return [line for line in text.split("\n") if line]


# From the ground up; what shares a line does not import each other.
FLOOR_OF, INNER_FLOOR_OF = (
    {room: height for height, line in enumerate(reversed(block(name))) for room in line.split()}
    for name in ("floors", "inner floors")
)

BANNED = {"utils", "util", "helpers", "helper", "common", "misc", "tools"}


def module_of(path: Path) -> str:
    """The dotted name of a source file."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {module_of(path): path for path in SOURCES}


def room_of(module: str) -> str:
    """The room that `module` is in: the first two parts of its name."""
    return ".".join(module.split(".")[:2])


def inner_room_of(module: str) -> str:
    """The room within a room that `module` is in; the outer room itself for its own files."""
    inner = ".".join(module.split(".")[:3])
    return inner if inner in INNER_FLOOR_OF else room_of(module)


@functools.cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@functools.cache
def imports_of(path: Path) -> frozenset[str]:
    """Every module of ours that a file imports, anywhere in it."""
    found = set()
    for node in ast.walk(tree_of(path)):
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
    found = [name for name in others if FLOOR_OF[room_of(name)] >= FLOOR_OF[room]]
    inner = inner_room_of(module_of(path))
    for name in imports_of(path) - others:
        other = inner_room_of(name)
        if other != inner and INNER_FLOOR_OF[other] >= INNER_FLOOR_OF[inner]:
            found.append(name)
    return sorted(found)


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


def complaints(about) -> dict[str, list[str]]:
    """What `about` has to say of the files of which it says something."""
    said = {module_of(path): about(path) for path in SOURCES}
    return {module: words for module, words in said.items() if words}


@pytest.mark.long
def test_imports_point_down():
    assert complaints(violations) == {}


def test_no_modules_import_each_other():
    roots = {"symtape", "verify"}
    assert circles({m: imports_of(p) - {m} for m, p in MODULES.items() if m not in roots}) == []


def test_the_checks_find_what_they_look_for(monkeypatch):
    monkeypatch.setitem(FLOOR_OF, "symtape.rigorous", 0)
    assert "symtape.graph.graph" in violations(ROOT / "symtape/rigorous/enclose.py")
    assert "symtape.graph.graph" in complaints(violations)["symtape.rigorous.enclose"]
    monkeypatch.setitem(INNER_FLOOR_OF, "verify.judging.kinks", -1)
    assert (
        "verify.judging.rounding.float_value"
        in complaints(violations)["verify.judging.kinks.at_kink"]
    )
    long = too_long(ROOT / "symtape/rigorous/enclose.py", lines=10, most=2)
    assert {"the file", "__init__"} <= set(long)
    planted = {"a": frozenset("b"), "b": frozenset("c"), "c": frozenset("a"), "d": frozenset("a")}
    assert sorted(*(circle[1:] for circle in circles(planted))) == ["a", "b", "c"]


@pytest.mark.parametrize("folder", sorted({path.parent for path in SOURCES}), ids=str)
def test_each_room_says_what_lives_there(folder):
    assert ast.get_docstring(tree_of(folder / "__init__.py"))


def test_names_say_what_is_inside():
    assert complaints(lambda path: BANNED & set(module_of(path).split("."))) == {}


def too_long(path: Path, lines: int = 560, most: int = 60) -> list[str]:
    """The file and the functions in it that may hold two things."""
    found = ["the file"] if path.read_text().count("\n") > lines else []
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.FunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            length = (body[-1].end_lineno - body[0].lineno + 1) if body else 0
            found += [node.name] if length > most else []
    return found


ONE_FILE = {"verify.certificates.checker": 600}
"""What is one file by design, so that somebody else can run it alone, and how long it may be."""


@pytest.mark.long
def test_files_and_functions_are_of_a_readable_size():
    assert complaints(lambda path: too_long(path, ONE_FILE.get(module_of(path), 560))) == {}


HEAVY = ("sympy", "flint", "scipy", "matplotlib", "jinja2", "rich", "click")

PASSING = (
    "import numpy as np, verify; verify.gradient(np.sin, np.cos, over=[0.1, 1.0], effort='quick')"
)
UNASKED = (
    "scipy",
    "sympy",
    "symtape.graph.cartesian.lower",
    "symtape.programs.emitted",
    "symtape.prover",
    "symtape.transforms.sparsity",
    "verify.judging.diagnosis.findings",
    "verify.judging.kinks.admissible",
    "verify.reporting.remedies",
    "verify.reporting",
    "verify.judging.sampled.judging",
)
"""What a verdict that passes has no use for."""


@pytest.mark.parametrize(
    ("statement", "banned"),
    [
        ("import symtape", HEAVY),
        ("import verify", (*HEAVY, "numpy")),
        ("import verify.cli", tuple(name for name in HEAVY if name != "click")),
        (PASSING, UNASKED),
    ],
)
def test_importing_stays_light(statement, banned):
    code = f"{statement}; import sys; print(*sorted(set(sys.modules) & {set(banned)!r}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def crossed(call):
    """The files of ours in which `call` runs, in the order in which it meets them."""
    files = {}

    def note(frame, event, arg):
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(ROOT):
            files[path.relative_to(ROOT).as_posix()] = None

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return [file for file in files if file.startswith(("symtape/", "verify/"))]


def walked(name):
    return [line.split()[0] for line in block(name)]


def test_the_walk_of_a_gradient_is_as_the_page_says():
    slope = symtape.grad(lambda x: np.sum(np.sin(x) * x))
    slope(np.ones(2))
    met = crossed(lambda: slope(np.ones(2)))
    rows = [file for file in met if file.startswith("symtape/primitives/")]
    assert {file for file in met if file not in rows} == {
        file for file in walked("gradient") if not file.startswith("symtape/primitives/")
    }


def test_the_walk_of_a_verdict_goes_where_the_page_says():
    def judged():
        verify.gradient(lambda x: np.sum(np.sin(x) * x), claimed=slope, at=[np.ones(2)])

    def slope(x):
        return np.cos(x) * x + np.sin(x)

    judged()
    assert set(walked("verdict")) <= set(crossed(judged))


MOST_FILES = {"a gradient": 13, "a verdict at a point": 60, "a failing assertion": 86}
"""How many files each crosses at most: what a stranger who follows it has to open."""


def product(x):
    return np.sum(np.sin(x) * x)


def fail_assertion():
    with pytest.raises(verify.DerivativeError):
        verify.assert_gradient(product, lambda x: np.cos(x) * x - np.sin(x), at=[np.ones(2)])


slope_of_product = symtape.grad(product)

CROSSING = {
    "a gradient": lambda: slope_of_product(np.ones(2)),
    "a verdict at a point": lambda: verify.gradient(
        product, claimed=lambda x: np.cos(x) * x + np.sin(x), at=[np.ones(2)]
    ),
    "a failing assertion": fail_assertion,
}


def count_crossed_files(name):
    """How many files a call crosses that has been made before, as the first of imports is over."""
    CROSSING[name]()
    return len(crossed(CROSSING[name]))


@pytest.mark.parametrize("name", CROSSING)
def test_few_files_are_crossed(name):
    # In a fresh process, for frameworks that other tests import are looked for in claims.
    code = f"from tests import test_architecture as it; print(it.count_crossed_files({name!r}))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    print(f"{name} crosses {int(done.stdout)} files")
    assert int(done.stdout) <= MOST_FILES[name]
