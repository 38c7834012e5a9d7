"""What is recorded of function and claim over a region, compared with what they compute."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat
from typing import Any, Final

import numpy as np

import symtape
from symtape.errors import BudgetSpent, Unsupported
from symtape.graph import freeze
from symtape.graph.fidelity import departure
from symtape.graph.graph import Graph
from symtape.reading.readings import ways_to_run
from symtape.recording.structure import separate_entries
from symtape.rigorous.floats import may_return
from verify.claimants.claim import Claim
from verify.claimants.stopped_gradients import remove_stops
from verify.oracles.over_region.choices import is_readable
from verify.regions import Region, Subset
from verify.regions.box import Box
from verify.regions.directions import RegionWithDirections
from verify.regions.region import Product

_MOST_RECORDED: Final = 12
_OPERATIONS: Final = 20_000
"""Most operations of a function, or of a claim, that is proved."""


class NotRecorded(Exception):
    """A recording is not the function; whatever was proved of it is of something else."""


class Recordings:
    """Programs of a function and of a claim, each recorded once for all points that it holds at.

    Parameters
    ----------
    claim : Claim
    spaces : sequence of Box
        Of the arguments.
    """

    def __init__(self, claim: Claim, spaces: Sequence[Box]) -> None:
        self._claim, self._spaces = claim, spaces
        self._programs: list[tuple[Graph, Graph]] = []

    def arrays(self, numbers: Sequence[Any]) -> tuple[Any, ...]:
        """The arguments that `numbers` are."""
        parts = separate_entries(np.array(numbers, dtype=object), [it.shape for it in self._spaces])
        if not isinstance(numbers[0], float):
            return tuple(part[()] for part in parts)
        return tuple(
            part.astype(space.dtype)[()] for part, space in zip(parts, self._spaces, strict=True)
        )

    def find_recording(self, x: tuple[Any, ...]) -> tuple[Graph, Graph]:
        """Function and claim as they are recorded at `x`.

        Raises
        ------
        Unsupported
            One of them is not all recorded, or there are too many.
        """
        for programs in self._programs:
            if all(program.holds(*x) for program in programs):
                return programs
        if len(self._programs) >= _MOST_RECORDED:
            raise Unsupported("it takes too many paths")
        calls = self._claim.calls
        with calls.limit_call("the function", x, BudgetSpent):
            function = record_all(self._claim.function, x)
        with calls.limit_call(self._claim.claimant, x, BudgetSpent):
            claimed = remove_stops(record_all(self._claim.derivative, x))
        made = function, claimed
        if not all(map(is_readable, made)):
            raise Unsupported("not all of it has a formula")
        self._programs.append(made)
        return made

    def check(self, programs: tuple[Graph, Graph], places: Sequence[Any]) -> None:
        """See that function and claim, on plain arrays, compute what was recorded of them.

        Raises
        ------
        NotRecorded
        """
        points = [self.arrays(place.tolist()) for place in places]
        functions = self._claim.value, self._claim.returned
        for function, graph in zip(functions, programs, strict=True):
            if departure(function, graph, points, may_return) is not None:
                raise NotRecorded


def record_all(function: Any, x: tuple[Any, ...]) -> Graph:
    """The graph of a function, run in a way in which no value leaves and may come back constant.

    Raises
    ------
    Unsupported
        There is no such way.
    Escaped
        A value comes back from where it was kept.
    """
    if not any(map(_keeps_values, ways_to_run(function), repeat(x))):
        raise Unsupported("a value leaves the recording")
    return symtape.record(function, *x, budget=_OPERATIONS)


def _keeps_values(way: Any, x: tuple[Any, ...]) -> bool:
    try:
        return not freeze.record(way, *x, budget=_OPERATIONS).escapes
    except BudgetSpent:
        raise
    except Exception:  # noqa: BLE001  # users' code, given tensors
        return False


_MOST_NUMBERS: Final = 64
"""In all arguments together."""


def _find_base(region: Region) -> Region:
    while isinstance(region, Subset):
        region = region.base
    return region


def boxes_of(region: Region) -> list[Box]:
    """The spaces of all arguments, directions too; none if they are no boxes with insides."""
    base = _find_base(region)
    product = base.base if isinstance(base, RegionWithDirections) else base
    if not isinstance(product, Product) or len(product.joint) != 1:
        return []
    spaces = [space for space in base.arguments if type(space) is Box and not space.whole]
    widths = [np.subtract(*find_ends(space)[::-1]) for space in spaces]
    has_inside = all(np.all((width > 0) & np.isfinite(2 * width)) for width in widths)
    count = sum(width.size for width in widths)
    fits = len(spaces) == len(base.arguments) and 0 < count <= _MOST_NUMBERS
    return spaces if fits and has_inside else []


def find_ends(space: Box) -> tuple[Any, Any]:
    """The least and the largest numbers of a space."""
    lower, upper = (np.broadcast_to(end, space.shape).ravel() for end in (space.lower, space.upper))
    return lower.astype(np.float64), upper.astype(np.float64)
