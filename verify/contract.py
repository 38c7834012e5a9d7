"""What a derivative has to be before its numbers mean anything: a function of its point.

A claim is called twice at the same point. One that answers differently, or that lives on
NumPy's or Python's global random state, is refused in words of its own; so is a function that
does not have one value.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from symtape.graph.freeze import record
from verify.claim import Claim
from verify.errors import NotADerivative

__all__ = ["check_repeatable", "unsteady"]


def check_repeatable(claim: Claim, point: tuple[Any, ...], shapes: list[tuple[int, ...]]) -> None:
    """Refuse a claim that answers differently when it is asked again.

    Parameters
    ----------
    claim : Claim
    point : tuple of arrays
    shapes : list of tuple of int
        Of the parts of the derivative.

    Raises
    ------
    NotADerivative
        In words; also what :meth:`Claim.answer` raises.
    """
    if claim.ours:
        return
    words = _differing(lambda: claim.answer(point, shapes).parts)
    if words:
        raise NotADerivative(f"{claim.claimant} {words}; a derivative is a function of its point")


def unsteady(function: Callable[..., Any], point: tuple[Any, ...]) -> str:
    """Words for a function that has no single value at `point`; empty if it has.

    Examples
    --------
    >>> unsteady(np.sin, (0.5,))
    ''
    >>> unsteady(lambda x: x * np.random.rand(), (0.5,))  # doctest: +ELLIPSIS
    'the function depends on the global random state of numpy.random: ...'
    """

    def recorded() -> list[Any]:
        return [np.asarray(value) for value in record(function, *point).evaluate(*point)]

    words = _differing(recorded)
    return f"the function {words}" if words else ""


def _differing(call: Callable[[], list[Any]]) -> str:
    before = _random_states()
    first = call()
    drawn = [name for name, state in _random_states().items() if state != before[name]]
    second = call()
    difference = _difference(first, second)
    if not difference:
        return ""
    if drawn:
        return (
            f"depends on the global random state of {' and '.join(drawn)}: {difference} from two "
            "calls at the same point; pass it a generator with a fixed seed"
        )
    return f"is not deterministic: {difference} from two calls at the same point"


def _difference(first: list[Any], second: list[Any]) -> str:
    """The first entry in which two answers differ, in words."""
    for one, other in zip(first, second, strict=True):
        if one.shape != other.shape:
            return f"shapes {one.shape} and {other.shape}"
        if one.dtype.kind not in "fc" or np.array_equal(one, other, equal_nan=True):
            continue
        apart = ~((one == other) | (np.isnan(one) & np.isnan(other)))
        index = tuple(np.argwhere(apart)[0].tolist())
        place = f" at {list(index)}" if index else ""
        return f"{one[index].item()!r} and {other[index].item()!r}{place}"
    return ""


def _random_states() -> dict[str, Any]:
    """The global random states that code may draw from, by name."""
    numpy_state = np.random.get_state(legacy=False)["state"]  # noqa: NPY002 -- it is what is asked for
    states = {
        "numpy.random": (int(numpy_state["pos"]), numpy_state["key"].tobytes()),
        "random": random.getstate(),
    }
    torch = sys.modules.get("torch")
    if torch is not None:
        states["torch"] = torch.get_rng_state().numpy().tobytes()
    return states
