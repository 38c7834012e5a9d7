"""Conventions of potentials and of scipy.special: what they find and pose, and a lie among it."""

import sys
import types

import numpy as np
import pytest
from scipy import special

from symtape_conventions import method_families, special_functions
from verify.judging.judge import verify_case


class Well:
    def _evaluate(self, R, z):
        return R**2 * z

    def _Rforce(self, R, z):
        return -2 * R * z

    def _zforce(self, R, z):
        return R**2


@pytest.fixture
def module(monkeypatch):
    made = types.ModuleType("lying")
    monkeypatch.setitem(sys.modules, "lying", made)
    monkeypatch.setattr(Well, "__module__", "lying")
    made.Well = Well
    return made


@pytest.mark.long
def test_the_wrong_force_of_a_potential_is_caught(module):
    pairs = {pair.claim: pair for pair in method_families.CONVENTION.find(module)}
    said = {
        name: verify_case(method_families.CONVENTION.pose(pair), effort=0.02).verdict.value
        for name, pair in pairs.items()
    }
    assert said == {"Well._Rforce": "CORRECT", "Well._zforce": "WRONG"}


@pytest.mark.long
def test_special_functions_are_found_and_posed():
    pairs = [*special_functions.CONVENTION.find(special)]
    assert len({pair.id for pair in pairs}) == len(pairs)
    (pair,) = [pair for pair in pairs if pair.id == "scipy.special:jvp(0, x)"]
    case = special_functions.CONVENTION.pose(pair)
    point = next(case.over.points(0))
    assert np.isfinite(case.function(*point))
    assert np.isfinite(case.claimed(*point))
