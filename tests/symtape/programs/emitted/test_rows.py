"""Each row of which the suites have cases: written in NumPy, or refused, and then it is in a table.

That what is written equals the tape is tested in ``test_emitted_suites``.
"""

import pytest

from symtape.errors import Unsupported
from tests.symtape.programs.emitted.test_emitted_suites import cases, written

REFUSED = frozenset(
    [
        "airy_ai",
        "airy_ai_prime",
        "airy_bi",
        "airy_bi_prime",
        "boxcox",
        "boxcox1p",
        "cross",
        "cumprod",
        "dawsn",
        "dawson_derivative",
        "digamma_difference",
        "ellipe",
        "ellipk",
        "ellipkm1",
        "erf",
        "erf_slope",
        "erfc",
        "erfcx",
        "erfcx_kernel",
        "erfi",
        "erfi_slope",
        "erfinv",
        "eval_chebyt",
        "eval_gegenbauer",
        "eval_genlaguerre",
        "eval_hermite",
        "eval_hermitenorm",
        "eval_jacobi",
        "expn",
        "exprel",
        "exprel_kernel",
        "frexp_exponent",
        "gamma_by_shape",
        "gammainc",
        "gammaincc",
        "hurwitz_zeta",
        "hyp1f1",
        "hyp2f1",
        "hyperu",
        "i0e",
        "i1",
        "i1e",
        "i_moment",
        "iv",
        "j1",
        "jv",
        "kolmogorov",
        "lambertw",
        "linear_recurrence",
        "log_ndtr",
        "mills",
        "mills_slope",
        "ncx2_pdf",
        "ndtr",
        "ndtri",
        "ndtri_exp",
        "normal_density",
        "normal_tail_quotient",
        "owens_t",
        "polygamma",
        "power_norm",
        "psi",
        "recursive_filter",
        "round",
        "sinc",
        "sinc_kernel",
        "sinc_slope",
        "sine_integral",
        "sine_quotient",
        "sparse_solve",
        "spence",
        "sqrtm",
        "stdtr",
        "student_density",
        "wofz_imag",
        "wofz_real",
    ]
)
"""Rows whose own name, or a name in their derivatives, NumPy and SciPy have nothing for."""


def is_written(case):
    try:
        written(case, "numpy")
    except Unsupported:
        return False
    return True


@pytest.mark.long
def test_each_row_is_written_or_in_the_table():
    rows = {}
    for case in cases():
        suite, _, name = case.id.partition("/")
        if suite == "primitives":
            rows.setdefault(name.partition(".")[0].partition("[")[0], []).append(case)
    assert len(rows) >= 230
    refused = {row for row, some in rows.items() if not any(map(is_written, some))}
    assert refused == REFUSED
