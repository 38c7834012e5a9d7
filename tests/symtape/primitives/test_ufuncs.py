"""A row of a ufunc computes what the ufunc computes: a recording changes no value."""

import numpy as np
import pytest

from symtape.primitives.vocabulary import examples, vocabulary

ROWS = [row for row in vocabulary() if row.elementwise and row.ufunc is not None]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_row_has_the_values_of_its_ufunc(row, dtype):
    (inputs, params), *_ = examples(row)
    if params:
        pytest.skip("the ufunc takes no such parameter")
    near = np.random.default_rng(3).uniform(0.7, 1.3, 50)
    columns = [
        np.asarray(np.ravel(each)[0] * near, dtype) if np.asarray(each).dtype.kind == "f" else each
        for each in inputs
    ]
    with np.errstate(all="ignore"):
        theirs, ours = row.ufunc(*columns), row.evaluate(*columns)
    assert ours.dtype == theirs.dtype
    assert np.array_equal(ours, theirs, equal_nan=True)
