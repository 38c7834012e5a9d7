"""What ``import symtape`` brings along."""

from __future__ import annotations

import ast
import importlib
import inspect
import subprocess
import sys

import pytest

import symtape

PACKAGES = ("sympy", "flint", "scipy", "matplotlib", "mpmath", "click", "rich", "jinja2", "pebble")
HEAVY = (*PACKAGES, "verify")

PUBLIC_MODULES = {
    "symtape": {"errors", "jets", "nn", "scipy"},
    "verify": {"adapters", "auditing", "errors", "strategies"},
}


def _loaded_after(statement):
    code = f"{statement}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    return {name.split(".")[0] for name in done.stdout.split()}


@pytest.mark.slow
@pytest.mark.parametrize(
    "statement",
    [
        "import symtape",
        "import symtape; symtape.grad(lambda x: x * x)(3.0)",
        "import symtape, numpy as np; symtape.record(lambda x: np.sum(np.sin(x)), [1.0, 2.0])",
    ],
)
def test_nothing_heavy_is_loaded(statement):
    assert not _loaded_after(statement) & set(HEAVY)


@pytest.mark.parametrize("package", ["symtape", "verify"])
def test_the_names_of_a_package_are_its_api_before_use_and_after(package):
    listed = f"import {package}; names = dir({package}); "
    used = {"symtape": "symtape.nn", "verify": "verify.box(0, 1); verify.gradient"}[package]
    code = f"{listed}{used}; assert dir({package}) == names; print(*names)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names = set(done.stdout.split())
    module = importlib.import_module(package)
    assert names == {*module.__all__, *PUBLIC_MODULES[package]}
    assert all(not name.startswith("_") or name == "__version__" for name in names)
    modules = {name for name in names if inspect.ismodule(getattr(module, name))}
    assert modules == PUBLIC_MODULES[package]


@pytest.mark.parametrize(("package", "other"), [("symtape", "verify"), ("verify", "symtape")])
def test_listing_the_names_of_a_package_loads_nothing(package, other):
    assert not _loaded_after(f"import {package}; dir({package})") & {other, "numpy", *PACKAGES}


def test_every_public_name_is_there():
    for name in symtape.__all__:
        assert getattr(symtape, name) is not None


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'gradient_tape'"):
        _ = symtape.gradient_tape


@pytest.mark.parametrize("package", ["symtape", "verify"])
def test_types_and_values_are_from_the_same_places(package):
    """What type checkers import is what an attribute gives, name by name."""
    module = importlib.import_module(package)
    tree = ast.parse(inspect.getsource(module))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    told = {alias.name: imported.module for imported in block.body for alias in imported.names}
    late = set(module.__all__) | PUBLIC_MODULES[package]
    assert set(told) == late
    for name, home in told.items():
        expected = getattr(importlib.import_module(home), name)
        assert getattr(module, name) is expected


WAITING = "[file for file in LATE if f'symtape.primitives.{file}' in sys.modules]"
"""The files of rows that are loaded though they might wait."""

ASKING = {
    "of a gradient": "symtape.grad(lambda x: np.sum(np.sin(x)) * x[0])(np.ones(2)); late = []",
    "of a function": "symtape.grad(np.linalg.det)(np.eye(2)); late = NUMPYS",
    "of a graph": "symtape.record(np.sum, np.ones(2)); late = NUMPYS",
    "of a name": """
try:
    symtape.RegisterGradient("solve")
except KeyError:
    late = NUMPYS
""",
}


@pytest.mark.parametrize("statement", ASKING.values(), ids=ASKING)
def test_rows_wait_until_they_are_asked_for(statement):
    code = "import sys, symtape, numpy as np; from symtape.primitives import LATE\n"
    code += "NUMPYS = [file for file, package in LATE.items() if package in sys.modules]\n"
    code += f"{statement}\nassert {WAITING} == late, {WAITING}"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_methods_of_arrays_are_no_reason_to_load_rows():
    code = """
import numpy as np, symtape
from symtape.primitives import LATE, primitive, protocol
for member in vars(protocol.ArrayStandIn).values():
    for cell in getattr(member, "__closure__", None) or ():
        function = cell.cell_contents
        if callable(function) and not isinstance(function, type):
            assert function in primitive.FUNCTIONS, function
assert set(protocol._REDUCTIONS.values()) <= primitive.FUNCTIONS.keys()
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
