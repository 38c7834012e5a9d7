"""Points of the regions that `verify` searches, for ``@given``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Any, Final

import numpy as np
from hypothesis import strategies as st

from verify.regions import Region, Space, Subset, arity, as_region
from verify.regions.region import Point, measure
from verify.strategies.numbers import Draw, draw_integer, one_of
from verify.strategies.spaces import value

_SPECIAL: Final = 96
"""So many of the special points of a region are drawn from."""

_MIXED: Final = 24
"""Entries up to which a special point may be mixed with a built one."""

_LONGER: Final = 64
"""So many choices are added to those of a point with an empty array."""


def points(region: Any, names: Sequence[str] | None = None) -> st.SearchStrategy[tuple[Any, ...]]:
    """Points of a region: plain ones, special ones, ties, ends, tails, and ones by chance.

    A failing point shrinks to a plain one inside the region, with entries that differ; it goes
    to zero, an end or a tie only if the failure is there. Nothing is filtered but by conditions
    (``where`` and its like), so that a draw is quick. An example that judges a claim takes some
    hundredths of a second, longer on a busy machine; ``settings(deadline=None)`` keeps Hypothesis
    from failing it for that.

    Parameters
    ----------
    region : region
        What ``over=`` of :func:`verify.gradient` takes: ``[lower, upper]``, ``verify.box(...)``
        and its like, a tuple of them, a dict of them by name, or :func:`verify.broadcasting`.
    names : sequence of str, optional
        Of the arguments, in their order; needed only for a dict in another order.

    Returns
    -------
    strategy of tuples
        One array or NumPy float an argument, of the region's dtype: ``f(*point)`` calls a
        function, ``at=[point]`` has a claim judged there.

    Raises
    ------
    UsageError
        As :func:`verify.gradient`, for what describes no region.

    Examples
    --------
    >>> from hypothesis import given, settings
    >>> import verify
    >>> @settings(max_examples=20, derandomize=True)
    ... @given(verify.strategies.points(verify.box(-3, 3, shape=(2,))))
    ... def test(point):
    ...     (x,) = point
    ...     assert x.shape == (2,) and (abs(x) <= 3).all()
    >>> test()
    """
    found = as_region(region, _names(region) if names is None else list(names))
    _warm()
    return _points(found)


def _names(region: Any) -> list[str]:
    if isinstance(region, Region):
        return list(region.names)
    if isinstance(region, Mapping):
        return list(region)
    return [f"x{k}" for k in range(arity(region))]


@cache
def _warm() -> None:
    """Load what a judge needs once, before Hypothesis times the first example."""
    from verify.api import gradient

    gradient(np.sin, at=[0.5])


def _points(region: Region) -> st.SearchStrategy[Point]:
    special = sorted(islice(region.points(0), _SPECIAL), key=measure)
    cells = [_cell(region, shapes) for shapes in _joint(region)]

    @st.composite
    def draw_point(draw: Draw) -> Point:
        ready = one_of(draw, special) if draw_integer(draw, 4) == 3 else None
        cell = one_of(draw, cells)
        built = tuple(value(draw, space) for space in cell)
        if not all(map(np.size, built)):
            for _ in range(_LONGER):
                draw_integer(draw, 1)
        # Fewer choices are simpler, and so a special point takes those of a built one too, and a
        # point without entries those of one that has some.
        if ready is None:
            return built
        mixed = tuple(
            _mix_arrays(draw, np.asarray(x), y) for x, y in zip(ready, built, strict=True)
        )
        return mixed if region.contains(mixed) else tuple(np.copy(x)[()] for x in ready)

    built = draw_point()
    return built.filter(region.contains) if isinstance(region, Subset) else built


def _mix_arrays(draw: Draw, special: np.ndarray, built: Any) -> Any:
    """A special array, with those entries of a built one that do for the failure as well."""
    mixed = special.copy()
    if special.shape == np.shape(built) and special.size <= _MIXED:
        for at, entry in zip(np.ndindex(special.shape), np.ravel(built), strict=True):
            if draw_integer(draw, 4) == 0:
                mixed[at] = entry
    return mixed[()]


def _joint(region: Region) -> list[tuple[tuple[int, ...], ...]]:
    """The shapes that go together, small ones with entries first."""
    joint = getattr(region, "joint", None) or [tuple(space.shape for space in region.arguments)]
    sizes = {shapes: [int(np.prod(shape)) for shape in shapes] for shapes in joint}
    return sorted(joint, key=lambda shapes: (0 in sizes[shapes], sum(sizes[shapes]), str(shapes)))


def _cell(region: Region, shapes: tuple[tuple[int, ...], ...]) -> tuple[Space, ...]:
    return tuple(s.pick_shape(shape) for s, shape in zip(region.arguments, shapes, strict=True))
