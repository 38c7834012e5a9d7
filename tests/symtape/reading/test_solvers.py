"""Which code calls a solver of SciPy's, known before SciPy is loaded."""

from __future__ import annotations

import importlib

import pytest

from symtape.reading.solvers import SOLVERS


@pytest.mark.parametrize("module", SOLVERS)
def test_each_solver_that_is_offered_is_known_before_scipy_is_loaded(module):
    assert set(SOLVERS[module]) == set(importlib.import_module(f"symtape.{module}").__all__)
