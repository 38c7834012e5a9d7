"""What rules of arithmetic compute by a shorter way on bare arrays."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from symtape.primitives import arithmetic


@given(
    hnp.arrays(complex, 3, elements=st.complex_numbers(allow_nan=True, allow_infinity=True)),
)
def test_the_phase_of_bare_numbers_is_that_of_numpy(x):
    with np.errstate(all="ignore"):
        found, exact = arithmetic._phase(x), np.sign(x)
    np.testing.assert_allclose(found, exact, rtol=0, atol=4 * np.finfo(float).eps)
