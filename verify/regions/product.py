"""Several spaces together, one an argument, which conditions may hold between."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from symtape.one_line import clip_line
from verify.errors import UsageError
from verify.regions.conditions import Conditional
from verify.regions.words import short


@dataclass(frozen=True, eq=False)
class Together(Conditional):
    """One region an argument; made by :func:`product`.

    Attributes
    ----------
    spaces : tuple
        Each as it is given for one argument.
    """

    spaces: tuple[Any, ...]

    def __repr__(self) -> str:
        return clip_line(f"product({', '.join(map(repr, self.spaces))})", ")")


def product(*spaces: Any) -> Together:
    """One region an argument, as a tuple of them; conditions may then hold between arguments.

    Parameters
    ----------
    *spaces : ``[lower, upper]`` or Space
        One an argument.

    Raises
    ------
    UsageError
        No region at all.

    Examples
    --------
    >>> from verify.regions import as_region, box
    >>> import numpy as np
    >>> apart = product(box(-1, 1), [0, 1]).where(lambda x, y: x != y, "x and y apart")
    >>> region = as_region(apart, ["x", "y"])
    >>> region.describe(), region.contains((np.float64(0.5), np.float64(0.5)))
    ('x in [-1, 1], y in [0, 1] (x and y apart)', False)
    """
    if not spaces:
        raise UsageError("product() of nothing; expected one region an argument, product(a, b)")
    if len(spaces) == 1 and isinstance(spaces[0], tuple):
        raise UsageError(f"product({short(spaces[0])}); give the regions one by one: product(a, b)")
    return Together(tuple(spaces))
