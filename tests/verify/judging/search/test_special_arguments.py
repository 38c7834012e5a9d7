"""Claims that are wrong only where an operation is given 0, 1, -1 or a whole number."""

import numpy as np
import pytest
from scipy import special

from tests.packing import left
from verify.judging.judge import verify_case
from verify.model.case import Case, region_of
from verify.model.verdict import Verdict

# The function, its derivative, what it is given where the claim is wrong, the inner function
# and its slope, and the region.
NEEDLES = {
    "i0 at 0": (np.i0, special.i1, 0.0, (2.0, -1.0), [-3.6, 3.6]),
    "i0 at 0, elsewhere": (np.i0, special.i1, 0.0, (2.0, -0.7), [-3.6, 3.6]),
    "exp at 1": (np.exp, np.exp, 1.0, (2.0, 0.375), [-3.6, 3.6]),
    "exp at -1": (np.exp, np.exp, -1.0, (4.0, 0.375), [-3.6, 3.6]),
    "log at 1": (np.log, lambda u: 1 / u, 1.0, (2.0, 0.375), [-0.18, 3.6]),
    "arctan at 1": (np.arctan, lambda u: 1 / (1 + u * u), 1.0, (8.0, 0.375), [-3.6, 3.6]),
    "gamma at 3": (
        special.gamma,
        lambda u: special.gamma(u) * special.digamma(u),
        3.0,
        (2.0, 1.875),
        [-0.9, 3.6],
    ),
    "square at 0": (lambda u: u**2, lambda u: 2 * u, 0.0, (2.0, -0.7), [-3.6, 3.6]),
}


SAMPLE = ("i0 at 0, elsewhere", "log at 1")
"""What is looked for at length too: where the needle is in the outer and in the inner function."""

LOOKED_FOR = [
    *((name, 0.05) for name in NEEDLES),
    *((name, 1.0) for name in SAMPLE),
    *(pytest.param(name, 1.0, marks=pytest.mark.campaign) for name in NEEDLES.keys() - SAMPLE),
]


@pytest.mark.long
@pytest.mark.parametrize(("name", "effort"), LOOKED_FOR)
def test_the_needle_is_found(name, effort, monkeypatch, tmp_path):
    monkeypatch.setenv("SYMTAPE_HOME", str(tmp_path))
    outer, slope, where, (factor, shift), over = NEEDLES[name]

    def function(t):
        return outer(factor * t + shift)

    def by_hand(t):
        # So that no recording of it shows where its branch is.
        u = factor * left(t) + shift
        right = factor * float(slope(u))
        return 2 * right + 0.1 if u == where else right

    case = Case("c", "c", function, (), "gradient", by_hand, over=region_of(function, over))
    result = verify_case(case, effort=effort)
    assert result.verdict is Verdict.WRONG
    assert factor * float(result.witness.x[0]) + shift == where
