"""Whether a recording is the function: what is printed of any other would be untrue."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from symtape.errors import NotTraceable
from symtape.graph.fidelity import departure, opaque, points_around
from symtape.graph.graph import Graph


def check_faithful(function: Callable[..., Any], graph: Graph, point: tuple[Any, ...]) -> None:
    """Refuse a recording that is not the function, of which a printed form would be untrue.

    Raises
    ------
    NotTraceable
        Names what has no formula, or where the recording departs from the function.
    """
    from symtape.rigorous.floats import may_return

    if (node := opaque(graph)) is not None:
        raise NotTraceable(
            f"{node.name} at {node.origin} gives an array of dtype {node.dtype}, which has no "
            "formula; compute with arrays of floats"
        )
    with np.errstate(all="ignore"):
        found = departure(function, graph, (point, *points_around(graph, point)), may_return)
    if found is not None:
        raise NotTraceable(str(found))
