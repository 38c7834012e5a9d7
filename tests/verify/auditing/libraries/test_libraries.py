"""What audits find in the libraries that are installed: findings that are known to be true."""

from __future__ import annotations

import importlib
import warnings

import pytest

from verify.auditing.libraries.claimants import claimant
from verify.auditing.libraries.functions import FUNCTIONS
from verify.auditing.libraries.measuring import measure
from verify.model.verdict import Verdict

KNOWN = {
    "jax": {"sigmoid": "wrong zero", "expm1": "wrong zero", "tanh": "wrong zero"},
    "torch": {
        "tanh": "wrong zero",
        "sigmoid": "wrong zero",
        "expm1": "wrong zero",
        "softplus": "inaccurate",
    },
    "autograd": {"expm1": "wrong zero"},
}
RIGHT = ("sin", "exp", "log")


def installed(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reason = f"{name} is not installed; pip install 'symtape[{name}]'"
        pytest.importorskip(name, reason=reason)
    return claimant(name)


@pytest.mark.parametrize("name", KNOWN)
def test_known_faults_are_found_and_reproduced(name):
    library = installed(name)
    for function, kind in KNOWN[name].items():
        found = measure(library, FUNCTIONS[function], (0,), "float64", 300, 0)
        assert f"{kind} ×" in found.message, (function, found.message)
        assert found.fails
        # The program was run: one number is what it says, and at fault.
        said = found.remedies[0].line.rpartition("# prints ")[2].partition(";")[0]
        assert float(said) == pytest.approx(float(found.points[0].claimed.decimal), rel=0.5)


@pytest.mark.parametrize("name", KNOWN)
def test_right_derivatives_are_not_accused(name):
    library = installed(name)
    for function in RIGHT:
        found = measure(library, FUNCTIONS[function], (0,), "float64", 300, 0)
        assert found.verdict is Verdict.CORRECT, (function, found.message)


@pytest.mark.parametrize("name", ["jax", "torch"])
def test_half_precision_is_audited_in_its_own_ulps(name):
    found = measure(installed(name), FUNCTIONS["sin"], (0,), "bfloat16", 300, 0)
    assert found.verdict is Verdict.CORRECT
    assert 0 < found.ulps < 8


@pytest.mark.parametrize("name", KNOWN)
def test_every_spelling_of_the_table_means_the_row(name):
    """Where the library differentiates at all it agrees with the row at an easy point."""
    library = installed(name)
    importlib.import_module(name)
    import numpy as np

    from verify.auditing.libraries.exact import truths

    for row in FUNCTIONS.values():
        if not row.spell_for(name) or row.name == "exp1":
            continue
        points = [np.array([0.4375 + max(row.over[0], 0) // 1])]
        points += [np.array([0.8125])] if row.is_binary else []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value, _ = library.answer(row.spell_for(name), points, (), "float64")
        exact = truths(row, points, (0,)).value.value
        assert value == pytest.approx(exact, rel=1e-6), row.name
