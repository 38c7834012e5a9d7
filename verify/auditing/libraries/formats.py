"""Formats: the float types that an audit covers, bfloat16 among them.

NumPy has no bfloat16. Its numbers are those of float32 with the last 16 bits zero, so they live in
arrays of float32 here, and their ordinals are float32's divided by 2^16.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from verify.regions.ordinals import from_ordinal, ordinal

HALVES: Final = ("bfloat16", "float16")
"""The formats of half precision."""


@dataclass(frozen=True, slots=True)
class Format:
    """A binary float format.

    Attributes
    ----------
    name : str
    carrier : str
        The NumPy dtype that holds its numbers.
    digits : int
        Of the significand, the hidden one too.
    least_exponent : int
        The least normal number is ``2**least_exponent``.
    greatest : float
        The largest finite number.
    """

    name: str
    carrier: str
    digits: int
    least_exponent: int
    greatest: float

    @property
    def unit(self) -> float:
        """Unit roundoff."""
        return float(2.0**-self.digits)

    @property
    def least_normal(self) -> float:
        """The least positive normal number."""
        return float(2.0**self.least_exponent)

    @property
    def least(self) -> float:
        """The least positive number."""
        return float(np.ldexp(1.0, self.last_place))

    @property
    def last_place(self) -> int:
        """The exponent of the least positive number."""
        return self.least_exponent - self.digits + 1

    @property
    def _step(self) -> int:
        return 1 << (np.finfo(self.carrier).nmant + 1 - self.digits)

    def round_numbers(self, x: Any) -> Any:
        """The nearest numbers of the format, in an array of its carrier.

        Examples
        --------
        >>> [float(FORMATS["bfloat16"].round_numbers(x)) for x in (0.1, 3e38)]
        [0.10009765625, 3.00405527047391e+38]
        """
        with np.errstate(all="ignore"):
            array = np.asarray(x).astype(self.carrier)
        step = self._step
        if step == 1:
            return array
        numbers = ordinal(np.where(np.isnan(array), np.float32(0), array))
        whole, rest = np.divmod(numbers, step)
        odd = whole % 2 == 1
        whole = whole + ((rest > step // 2) | ((rest == step // 2) & odd))
        near = from_ordinal(whole * step, self.carrier)
        return np.where(np.isnan(array), array, near)

    def ordinal(self, x: Any) -> Any:
        """The number of each float in the order of the format; int64."""
        numbers: Any = ordinal(np.asarray(x, dtype=self.carrier))
        return numbers // self._step

    def decode_ordinal(self, k: Any) -> Any:
        """The floats with the numbers `k`.

        Examples
        --------
        >>> form = FORMATS["bfloat16"]
        >>> float(form.decode_ordinal(form.ordinal(1.0) + 1))
        1.0078125
        """
        return from_ordinal(np.asarray(k, dtype=np.int64) * self._step, self.carrier)


FORMATS: Final = {
    form.name: form
    for form in (
        Format("float64", "float64", 53, -1022, float(np.finfo(np.float64).max)),
        Format("float32", "float32", 24, -126, float(np.finfo(np.float32).max)),
        Format("bfloat16", "float32", 8, -126, float(2.0**128 - 2.0**120)),
        Format("float16", "float16", 11, -14, 65504.0),
    )
}
"""By name, the most precise first."""
