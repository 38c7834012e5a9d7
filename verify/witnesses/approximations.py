"""Branches of a claim that approximate: a series near a removable point, an asymptote far out.

Code that is right in floats often takes a short series where the formula cancels. In exact
arithmetic that is another function; where it differs from the derivative by less than half a
unit in the last place, no float can tell, and the values decide. Only code that chooses between
branches is read so: a rule of one formula is held to exact arithmetic, and so is one whose choices
are the function's own, as each of its branches is then the formula for one of the function.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from symtape.graph.graph import Graph
from symtape.precision import precision
from symtape.rigorous.enclose import enclose
from verify.witnesses.closed_form import Truth

__all__ = ["approximates"]

_BY_CONDITION: Final = frozenset({"where", "choose", "select"})
"""Choices that their first input decides."""

_CHOOSING: Final = _BY_CONDITION | {"clip", "maximum", "minimum"}


def approximates(program: Graph, point: Sequence[Any], truth: Truth, unit: float) -> bool:
    """Whether a program takes one of several branches, as good here as the exact derivative.

    Parameters
    ----------
    program : Graph
        The claim's own.
    point : sequence of arrays
    truth : Truth
    unit : float
        Unit roundoff of the claim's dtype.
    """
    if _choices(program) <= _choices(truth.shadow.graph):
        return False
    balls = enclose(program, point, truth.precision)
    with precision(truth.precision):
        return all(
            _near(ball, exact, unit)
            for part, balls_of_part in zip(truth.parts, balls, strict=True)
            for ball, exact in zip(np.ravel(balls_of_part), np.ravel(part), strict=True)
        )


def _choices(graph: Graph) -> set[Any]:
    """What each choice in a graph depends on, comparable between graphs of the same inputs."""
    terms: list[Any] = []
    for at, node in enumerate(graph.nodes):
        if at in graph.inputs:
            term: Any = graph.inputs.index(at)
        elif node.primitive is None:
            array = np.asarray(node.constant)
            term = (array.shape, repr(array.tolist()))
        else:
            below = tuple(terms[i] for i in node.inputs)
            # As a number, since a term inside a term inside a term grows without end.
            term = hash((node.name, node.part, repr(node.params), below))
        terms.append(term)
    found = {terms[step.node] for step in graph.path}
    for at, node in enumerate(graph.nodes):
        if node.primitive is not None and node.name in _CHOOSING:
            found.add(terms[node.inputs[0]] if node.name in _BY_CONDITION else terms[at])
    return found


def _near(ball: Any, exact: Any, unit: float) -> bool:
    return bool(abs(ball - exact) <= abs(exact) * unit or ball.overlaps(exact))
