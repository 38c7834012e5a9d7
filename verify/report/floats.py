"""One float as a report keeps it: for people, and exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

__all__ = ["Float"]


@dataclass(frozen=True, slots=True)
class Float:
    """One float, for people (`decimal`, the shortest that reads back) and exactly (`hex`)."""

    decimal: str
    hex: str

    @classmethod
    def of(cls, value: Any) -> Self:
        """From a Python or NumPy float, in the digits of its own dtype.

        Examples
        --------
        >>> Float.of(0.1)
        Float(decimal='0.1', hex='0x1.999999999999ap-4')
        >>> import numpy as np
        >>> Float.of(np.float32(0.1)).decimal
        '0.1'
        """
        return cls(str(value), float(value).hex())
