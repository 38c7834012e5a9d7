"""Whether what is judged is the function: its recording, compared with it before any verdict."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from symtape.errors import BudgetSpent
from symtape.graph.fidelity import departure, opaque, points_around
from symtape.graph.graph import Graph
from symtape.graph.sameness import same_computation
from symtape.recording.structure import flatten
from symtape.rigorous.floats import may_library_return
from verify.claimants.claim import Claim
from verify.files import places

_ASKED: Final = 2
"""Points of one computation around which others are compared as well."""

_MOST_KEPT: Final = 64

_ALONE: Final = (
    "its path holds at this point alone, so the recording could not be compared with the function "
    "at other points"
)

_OPAQUE: Final = (
    "the recording holds arrays of dtype {}{}, which no derivative follows; compute with arrays "
    "of floats, or pass evidence='sampled'"
)
_RAISED: Final = (
    "the recording is not the function: it raised {}: {}, where the function returns numbers; "
    "pass evidence='sampled'"
)


class Fidelity:
    """Compares the recordings of one function with the function itself.

    Parameters
    ----------
    claim : Claim
        Of its derivative.

    Attributes
    ----------
    departed : str
        Where a recording was not the function, in words; empty where all were.
    alone : str
        Words if at the last point there was no other to compare them at.
    """

    def __init__(self, claim: Claim) -> None:
        self._claim = claim
        self._passed: list[tuple[Graph, int]] = []
        self.departed = self.alone = ""

    def check(self, graph: Graph, x: tuple[Any, ...]) -> str:
        """Words if `graph`, recorded at `x`, is not the function; empty if it is.

        They are compared at `x`, and around the first points of each computation.

        Raises
        ------
        BudgetSpent
            The function took longer than a call may take.
        """
        if (node := opaque(graph)) is not None:
            place = places.relative(places.place_of_origin(node.origin))
            self.departed = _OPAQUE.format(node.dtype, f" at {place}" if place else "")
            return self.departed
        times = self._times(graph)
        around = list(points_around(graph, x)) if times < _ASKED else []
        self._compare(graph, x, around)
        if not self.departed:
            self._note(graph, times + bool(around))
            self.alone = "" if times or around else _ALONE
        return self.departed

    def check_value(self, graph: Graph, x: tuple[Any, ...]) -> str:
        """As :meth:`check`, at `x` alone, where the recording may be undefined."""
        self._compare(graph, x, [])
        return self.departed

    def check_raised(self, error: Exception, x: tuple[Any, ...]) -> str:
        """Words if the function returns numbers at `x`, where recording it raised `error`."""
        try:
            answers = flatten(self._claim.value(*(np.array(arg)[()] for arg in x)))
        except BudgetSpent:
            raise
        except Exception:  # noqa: BLE001  # users' code: where it raises, it returns no numbers
            return ""
        if all(np.all(np.isfinite(np.asarray(y, dtype=float))) for y in answers):
            self.departed = _RAISED.format(type(error).__name__, error)
        return self.departed

    def _compare(self, graph: Graph, x: tuple[Any, ...], around: list[tuple[Any, ...]]) -> None:
        found = departure(self._claim.value, graph, (x, *around), may_library_return)
        if found is not None:
            self.departed = f"{found}{_where_it_left(graph)}"

    def _times(self, graph: Graph) -> int:
        """At how many points this computation was compared."""
        return next((n for known, n in self._passed if same_computation(known, graph)), 0)

    def _note(self, graph: Graph, times: int) -> None:
        others = [pair for pair in self._passed if not same_computation(pair[0], graph)]
        self._passed = [(graph, times), *others][:_MOST_KEPT]


def _where_it_left(graph: Graph) -> str:
    """The places where values left a recording, in words."""
    left = dict.fromkeys(
        f"{escape.how} at {places.relative(str(escape.origin))}" for escape in graph.escapes[:3]
    )
    return f"; a value left it by {', '.join(left)}" if left else ""
