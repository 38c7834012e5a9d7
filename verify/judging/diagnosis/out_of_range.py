"""Where a right formula leaves the range of floats: the first value that overflows or is lost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
from flint import arb

from symtape.errors import SymtapeError
from symtape.graph.graph import Graph, Node
from symtape.process.precision import precision
from symtape.rigorous.enclose import Reading
from symtape.rigorous.scalar import list_entries
from verify.files import places
from verify.judging.diagnosis.blame import Blame
from verify.judging.kinks.search import quote

_BITS: Final = 300

_LOST: Final = 2.0**-10
"""Digits are lost where a value is off by more than this, relatively."""

_GRADES: Final = ("overflows", "underflows", "loses digits")


def find_range_error(program: Graph, point: Sequence[Any]) -> Blame | None:
    """The first operation of a program whose float value has left the exact one.

    Overflow is told before underflow, and both before digits that cancel: what follows from an
    infinity may look like anything.

    The program is a claim's own, and right in exact arithmetic.

    Returns
    -------
    Blame or None
        None where nothing of the kind is seen, or a value has no reading in balls.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> def f(x):
    ...     return np.exp(x) / (1 + np.exp(x))
    >>> find_range_error(symtape.record(f, 1.0), [800.0]).words.partition(",")[0]
    'exp(800.0) overflows'
    """
    try:
        with precision(_BITS), np.errstate(all="ignore"):
            found = list(_range_errors(program, point))
    except (SymtapeError, ArithmeticError, LookupError, TypeError, ValueError):
        return None
    for grade in _GRADES:
        for how, node, words in found:
            if how == grade:
                return Blame(node.name, places.place_of_origin(node.origin), words)
    return None


def _range_errors(program: Graph, point: Sequence[Any]) -> Iterator[tuple[str, Node, str]]:
    values = program.values(*point)
    reading = Reading(program, point)
    meanings = program.interpret(
        [reading.read_input(np.asarray(x)) for x in point], reading.constant, reading.apply
    )
    told: set[str] = set()
    for at, node in enumerate(program.nodes):
        if node.primitive is None or node.dtype.kind != "f" or len(told) == len(_GRADES):
            continue
        given = [np.asarray(values[i]) for i in node.inputs]
        pairs = zip(np.ravel(values[at]).tolist(), list_entries(meanings[at]), strict=True)
        for position, (value, ball) in enumerate(pairs):
            how = _describe_range_error(value, ball, node.dtype)
            if how and how not in told:
                told.add(how)
                yield how, node, _words(node, given, position, value, ball, how)
                break


def _describe_range_error(value: float, ball: Any, dtype: np.dtype[Any]) -> str:
    """In which way a float has left the exact value; empty if it has not."""
    if not isinstance(ball, arb) or not ball.is_finite():
        return ""
    limits = np.finfo(dtype)
    if not np.isfinite(value):
        return "overflows" if abs(ball) > float(limits.max) else ""
    if ball.contains(0) or abs(ball - value) < abs(ball) * _LOST:
        return ""
    return "underflows" if abs(ball) < float(limits.smallest_normal) else "loses digits"


def _words(node: Node, given: list[Any], position: int, value: float, ball: Any, how: str) -> str:
    arguments = quote(_elements(node, given, position))
    place = places.place_of_origin(node.origin)
    where = f", at {places.relative(place)}" if place else ""
    exact = ball.str(6, radius=False)
    dtype = "" if node.dtype == np.float64 else f" in {node.dtype}"
    if how == "overflows":
        return f"{node.name}({arguments}) overflows{dtype}, and its exact value is {exact}{where}"
    if how == "underflows":
        return (
            f"{node.name}({arguments}) underflows{dtype} to {value!r}, and its exact value is "
            f"{exact}{where}"
        )
    return (
        f"{node.name}({arguments}) loses its digits{dtype}: it gives {value!r} instead of "
        f"{exact}{where}"
    )


def _elements(node: Node, given: list[Any], position: int) -> list[Any]:
    """The inputs of one element, where the operation is elementwise."""
    row = node.row
    if not row.elementwise:
        return given
    index = tuple(int(k) for k in np.unravel_index(position, node.shape)) if node.shape else ()
    return [np.broadcast_to(x, node.shape)[index] for x in given]
