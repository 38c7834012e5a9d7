"""Which code calls a solver of SciPy's, known before SciPy is loaded."""

from __future__ import annotations

import importlib

import pytest

from symtape.reading.solvers import SOLVERS


@pytest.mark.parametrize("module", SOLVERS)
def test_each_solver_that_is_offered_is_known_before_scipy_is_loaded(module):
    ours, theirs = (importlib.import_module(f"{of}{module}") for of in ("symtape.", ""))
    offered = {
        name
        for name, function in vars(ours).items()
        if name[0] != "_" and callable(function) and getattr(theirs, name, function) is not function
    }
    assert set(SOLVERS[module]) == offered
