"""All readings together, and the operations that need none."""

from __future__ import annotations

from typing import Final

from symtape.frontends.aten import (  # noqa: F401 -- each fills the table
    activations,
    contraction,
    elementwise,
    indexing,
    linear_algebra,
    normalisation,
    pooling,
    reductions,
    shapes,
)
from symtape.frontends.aten.table import READINGS, Reading, refuse

SILENT: Final = frozenset(
    (
        *("empty_like", "zeros_like", "full_like", "rand_like", "randn_like", "randint_like"),
        *("new_empty", "new_ones", "new_full", "new_empty_strided"),
        *("is_same_size", "_has_same_storage_numel", "sym_size", "sym_stride", "sym_numel"),
        *("sym_storage_offset", "sym_is_contiguous", "is_contiguous", "dim", "size", "stride"),
        *("_has_compatible_shallow_copy_type", "result_type", "_version", "_efficientzerotensor"),
    )
)
"""Operations whose result says nothing of the numbers in their arguments."""

LOOKING: Final = frozenset(("alias", "as_strided", "detach", "lift_fresh", "_fw_primal"))
"""Operations that only look at memory; where they look says what they give."""

OVERWRITING: Final = frozenset(
    (
        *("zero_", "normal_", "uniform_", "random_", "exponential_", "cauchy_", "log_normal_"),
        *("geometric_", "bernoulli_"),
    )
)
"""Operations that write what does not depend on what was there."""

refuse("it works on complex numbers", "_fft_r2c", "_fft_c2r", "_fft_c2c", "linalg_eig")
refuse("it gives memory another size", "resize", "set")


def reading_of(name: str, overload: str) -> Reading | None:
    """The reading of an operation: of this overload, or of all of them."""
    return READINGS.get(f"{name}.{overload}") or READINGS.get(name)
