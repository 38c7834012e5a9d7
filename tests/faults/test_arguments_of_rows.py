"""Rows with other arguments are other functions: no proof takes one for the other."""

import numpy as np
import pytest

import verify
from symtape.primitives.vocabulary import examples, vocabulary
from verify.claimants.claim import claim_of
from verify.claimants.posing import pose_case
from verify.model.case import Case
from verify.oracles.over_region.proof import prove_over

NEAR = 2.0**-5


def cases():
    for row in vocabulary():
        if row.elementwise and len(row.inputs) > 1 and row.outputs == 1:
            for given, params in examples(row)[:1]:
                floats = [k for k, x in enumerate(given) if np.asarray(x).dtype.kind == "f"]
                for k in range(len(given)):
                    moving = [at for at in floats if at != k]
                    if np.ndim(given[k]) == 0 and moving and np.ndim(given[moving[-1]]) == 0:
                        yield row, given, params, moving[-1], k


CASES = list(cases())


@pytest.mark.long
@pytest.mark.parametrize(
    ("row", "given", "params", "moving", "other"),
    CASES,
    ids=[f"{row.name}-{row.inputs[other]}" for row, _, _, _, other in CASES],
)
def test_a_row_with_another_argument_is_another_function(row, given, params, moving, other):
    def value(x, more):
        args = [x if k == moving else v + more * (k == other) for k, v in enumerate(given)]
        return row(*args, **params)

    low, high = given[moving] - NEAR, given[moving] + NEAR
    for more in (1, 1 / 8):
        if more != 1 and not isinstance(given[other], float):
            continue
        with np.errstate(all="ignore"):
            values = [np.asarray(value(np.linspace(low, high, 9), by)) for by in (0, more)]
        if not np.all(np.isfinite(values)) or np.allclose(*values, rtol=1e-9, atol=0):
            continue
        case = Case(
            "a",
            "a",
            lambda x: 1.0 * x,
            (),
            "gradient",
            claimed=lambda x, more=more: 1 + value(x, 0) - value(x, more),
        )
        case = pose_case(case, verify.box(low, high), None, None, "conjugate")
        found = prove_over(claim_of(case), case.over)
        assert found is None or found.enclosed < 1
