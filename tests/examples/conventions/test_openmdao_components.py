"""Blocks of OpenMDAO's components: declared, constant, and left out."""

import os
import sys
import types

import pytest

from symtape_conventions.openmdao_components import CONVENTION
from verify.auditing import Pair
from verify.judging.judge import verify_case

SOURCE = """
import openmdao.api as om

class Plate(om.ExplicitComponent):
    def setup(self):
        self.add_input("x", val=0.7)
        self.add_input("y", val=1.3)
        self.add_input("z", val=0.4)
        self.add_output("area")
        self.declare_partials("area", "x")
        self.declare_partials("area", "z", val=3.0)

    def compute(self, inputs, outputs):
        outputs["area"] = inputs["x"] ** 2 * inputs["y"] + 3.0 * inputs["z"]

    def compute_partials(self, inputs, partials):
        partials["area", "x"] = 2 * inputs["x"] * inputs["y"]

class Root(om.ImplicitComponent):
    def setup(self):
        self.add_input("a", val=2.0)
        self.add_output("x", val=1.0)
        self.declare_partials("*", "*")

    def apply_nonlinear(self, inputs, outputs, residuals):
        residuals["x"] = outputs["x"] ** 2 - inputs["a"]

    def linearize(self, inputs, outputs, partials):
        partials["x", "a"] = 1.0
        partials["x", "x"] = 2 * outputs["x"]

class Approximated(Plate):
    def setup(self):
        super().setup()
        self.declare_partials("area", "y", method="fd")
"""

SAID = {
    "Plate.compute_partials[area by x]": "CORRECT",
    "Plate.compute_partials[area by y]": "WRONG",
    "Plate.compute_partials[area by z]": "CORRECT",
    "Root.linearize[x by a]": "WRONG",
    "Root.linearize[x by x]": "CORRECT",
    "Approximated.compute_partials[area by x]": "CORRECT",
    "Approximated.compute_partials[area by y]": "'fd'",
    "Approximated.compute_partials[area by z]": "CORRECT",
}


def test_blocks(monkeypatch):
    monkeypatch.setitem(os.environ, "OPENMDAO_USE_MPI", "0")
    pytest.importorskip("openmdao.api")
    module = types.ModuleType("components")
    monkeypatch.setitem(sys.modules, "components", module)
    exec(SOURCE, vars(module))
    found = {each.id.partition(":")[2]: each for each in CONVENTION.find(module)}
    assert sorted(found) == sorted(SAID)
    for name, said in SAID.items():
        if isinstance(found[name], Pair):
            result = verify_case(CONVENTION.pose(found[name]), effort=0.02)
            assert result.verdict.value == said, (name, result.message)
        else:
            assert said in found[name].reason


def test_a_module_without_components():
    assert list(CONVENTION.find(types)) == []
