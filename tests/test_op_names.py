"""What is known of an op stands in its row: nothing else asks for one by its name."""

import ast
from pathlib import Path

import pytest

from symtape.primitives.primitive import PRIMITIVES
from symtape.primitives.vocabulary import vocabulary

ROOT = Path(__file__).parents[1]

ROWS = ("symtape/primitives/",)

SPELLINGS = {
    "symtape/programs/emitted/": "what languages call an op, by its row's name",
    "symtape/programs/compiled/functions.py": "what glibc calls an op, by its row's name",
    "symtape/programs/compiled/complex_parts.py": "readings by both parts that programs use",
    "symtape/programs/compiled/own_functions.py": "what LLVM calls one",
    "symtape/frontends/": "what other frameworks call an op, by its name in NumPy",
    "symtape/reading/": "what NumPy and SciPy call an op",
    "symtape/scipy/": "what SciPy calls one",
    "symtape/graph/cartesian/": "readings of rows by both parts, each by its row's name",
    "symtape/nn.py": "what other frameworks call an activation",
    "verify/suites/": "cases of ops",
    "verify/selftest/": "faults planted in ops",
    "verify/auditing/libraries/": "claims about the ops of other frameworks",
    "verify/auditing/rules/": "functions of other frameworks, whose rules are proved",
    "verify/auditing/packages/": "names of parameters, and of functions of other libraries",
    "verify/strategies/": "programs of ops, as source code",
    "verify/oracles/recheck/": "a second opinion that shares nothing with rows and their readings",
}

OTHER_THINGS = {
    "symtape/prover/": "functions of SymPy, of which the prover's ring is made",
    "symtape/symbolic/languages.py": "functions of SymPy, as languages spell them",
    "symtape/symbolic/element.py": "functions of SymPy, by which elements are read",
    "verify/oracles/over_region/constants.py": "functions of SymPy, in numbers that are meant",
    "symtape/symbolic/template.py": "powers of the numbers that templates are computed with",
    "symtape/symbolic/arb_functions.py": "powers of balls",
    "symtape/symbolic/extended.py": "functions of SymPy, and powers, of extended floats",
    "symtape/symbolic/rational.py": "powers of fractions",
    "symtape/recording/refusals.py": "functions of the module math, and what NumPy calls them",
    "symtape/programs/compiled/emitters.py": "ufuncs whose reductions NumPy source calls",
    "symtape/programs/compiled/instructions.py": "functions of the C library",
    "symtape/programs/compiled/bodies.py": "the type of a truth value in LLVM's assembly",
    "symtape/programs/compiled/assembly.py": "the same, of which LLVM has some of its own",
    "symtape/programs/notation/": "functions as array notation reads and spells them",
    "symtape/recording/complex_numbers.py": "conventions of gradients by complex numbers",
    "verify/claimants/complex_arguments.py": "the same",
    "verify/options/keywords.py": "the same",
    "verify/options/signatures.py": "the same",
    "symtape/recording/in_place.py": "the argument `where` of a ufunc",
    "verify/model/figures.py": "words of plots",
    "verify/oracles/over_region/bounds.py": "functions of SymPy, in intervals",
    "verify/oracles/over_region/conditions.py": "functions of SymPy, and where they are zero",
    "verify/oracles/over_region/needs.py": "functions of SymPy, and where they are defined",
    "verify/certificates/": "operations of certificates, and functions of SymPy",
    "verify/regions/": "words of a region",
    "verify/reporting/": "words of a report, and methods of matplotlib",
}


def literals(path: Path) -> list[str]:
    """The strings of a file but its docstrings, its exports and the names of keyword arguments."""
    tree = ast.parse(path.read_text())
    left_out: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            left_out.add(id(node.value))
        if isinstance(node, ast.Assign) and "__all__" in map(ast.unparse, node.targets):
            left_out.update(map(id, ast.walk(node.value)))
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in left_out
    ]


def named_in(path: Path) -> list[str]:
    vocabulary()
    return sorted({text for text in literals(path) if text in PRIMITIVES})


FILES = {
    path.relative_to(ROOT).as_posix(): path
    for folder in ("symtape", "verify")
    for path in sorted((ROOT / folder).rglob("*.py"))
}
EXCEPTIONS = (*ROWS, *SPELLINGS, *OTHER_THINGS)


@pytest.mark.long
def test_no_op_is_asked_for_by_its_name():
    found = {
        name: ops
        for name, path in FILES.items()
        if not name.startswith(EXCEPTIONS) and (ops := named_in(path))
    }
    assert found == {}, "put what is known of these ops into their rows, as a field of Primitive"


@pytest.mark.parametrize("start", [*ROWS, *SPELLINGS, *OTHER_THINGS])
def test_no_exception_is_left_over(start):
    assert any(named_in(path) for name, path in FILES.items() if name.startswith(start))


def test_a_name_is_found(tmp_path):
    path = tmp_path / "engine.py"
    path.write_text('"""sin"""\n__all__ = ["cos"]\nif row.name == "exp":\n    pass\n')
    assert named_in(path) == ["exp"]
