"""Arguments whose shapes are chosen together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from symtape.one_line import clip_line
from verify.errors import UsageError
from verify.regions.box import Box
from verify.regions.conditions import Conditional
from verify.regions.shapes import Shape, to_shape
from verify.regions.words import short

_PAIRS: Final[tuple[tuple[Shape, Shape], ...]] = (
    ((), ()),
    ((3,), (3,)),
    ((3,), ()),
    ((), (3,)),
    ((1,), (3,)),
    ((2, 3), (3,)),
    ((2, 1), (1, 3)),
    ((2, 3), (1, 1)),
    ((0,), (1,)),
    ((2, 0), (1, 0)),
)
"""The ways of broadcasting that differ: equal, scalar, stretched, more axes, no entries."""


@dataclass(frozen=True, eq=False)
class Broadcasting(Conditional):
    """One box an argument, and which shapes go together; made by :func:`broadcasting`.

    Attributes
    ----------
    spaces : tuple of Box
    joint : tuple of tuples of shapes
        Each has a shape an argument.
    """

    spaces: tuple[Box, ...]
    joint: tuple[tuple[Shape, ...], ...]

    def __repr__(self) -> str:
        inner = ", ".join(map(repr, self.spaces))
        return clip_line(f"<broadcasting {inner} over {len(self.joint)} shapes>", ">")


def broadcasting(*spaces: Any, shapes: Sequence[Sequence[Any]] | None = None) -> Broadcasting:
    """Boxes whose shapes go together, such as those that broadcast.

    Parameters
    ----------
    *spaces : Box
        One an argument, each of shape (): the bounds of every entry.
    shapes : list of tuples of shapes, optional
        Each has a shape an argument. By default equal shapes, scalars beside arrays, stretched
        axes, axes that are missing, and arrays without entries.

    Raises
    ------
    UsageError
        What is not a box, or a tuple with a wrong number of shapes.

    Examples
    --------
    >>> from verify.regions import as_region, box
    >>> pair = broadcasting(box(-1, 1), box(0, 2), shapes=[((3,), (1,)), ((2, 3), (3,))])
    >>> as_region(pair, ["x", "y"]).describe()
    'x in [-1, 1], shape (3,) or (2, 3), y in [0, 2], shape (1,) or (3,)'
    """
    if not spaces or not all(isinstance(space, Box) for space in spaces):
        raise UsageError(
            f"broadcasting({', '.join(map(short, spaces))}); expected one box(lower, upper) for "
            "each argument"
        )
    count = len(spaces)
    if shapes is None:
        joint = [tuple(pair[place % 2] for place in range(count)) for pair in _PAIRS]
    else:
        joint = [_parse_shapes(given, count) for given in shapes]
    if not joint:
        raise UsageError("shapes=[]; expected at least one tuple of shapes")
    fitted = tuple(
        space.replace_shapes(tuple(dict.fromkeys(chosen[place] for chosen in joint)))
        for place, space in enumerate(spaces)
    )
    return Broadcasting(fitted, tuple(dict.fromkeys(joint)))


def _parse_shapes(given: Any, count: int) -> tuple[Shape, ...]:
    if not isinstance(given, tuple) or len(given) != count:
        raise UsageError(
            f"shapes: {given!r}; expected a tuple of {count} shapes, one an argument, such as "
            f"{((3,),) * count!r}"
        )
    chosen = tuple(to_shape(shape) for shape in given)
    try:
        np.broadcast_shapes(*chosen)
    except ValueError as error:
        raise UsageError(f"shapes: {given!r} do not broadcast ({error})") from error
    return chosen
