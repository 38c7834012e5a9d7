"""Which code calls a solver of SciPy's, known before SciPy is loaded."""

from __future__ import annotations

import importlib

import pytest

from symtape.reading.functions import SOLVERS
from symtape.reading.scipy_names import functions_of_same_name


@pytest.mark.parametrize("module", SOLVERS)
def test_each_solver_that_is_offered_is_known_before_scipy_is_loaded(module):
    offered = functions_of_same_name(f"symtape.{module}", importlib.import_module(module))
    assert set(SOLVERS[module]) == set(offered)
