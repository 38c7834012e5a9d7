"""What a derivative has to be before its numbers mean anything: a function of its point.

A claim is called twice at the same point. One that answers differently, or that lives on
NumPy's or Python's global random state, is refused in words of its own; so is a function that
does not have one value.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symtape.graph.freeze import record
from symtape.graph.graph import Graph
from verify.cases import argument_names
from verify.claim import Claim
from verify.errors import NotADerivative, UsageError
from verify.wanted import PRODUCTS

__all__ = ["check_directions", "check_repeatable", "other_dtype", "unsteady"]


def check_directions(claim: Claim, graph: Graph) -> None:
    """Refuse directions that do not fit what they belong to.

    Raises
    ------
    UsageError
        A cotangent not of the shape of its output, or a tangent not of that of its argument.
    """
    wanted, count = claim.wanted, len(graph.inputs)
    if not wanted.directions:
        return
    names = argument_names(claim.function, count)
    inputs, outputs = (
        [graph.nodes[at].shape for at in ends] for ends in (graph.inputs, graph.outputs)
    )
    pull = wanted.quantity == "vjp"
    shapes = outputs if pull else [inputs[i] for i in wanted.rows(count)]
    owners = ["the output"] * len(outputs) if pull else [names[i] for i in wanted.rows(count)]
    if len(shapes) != wanted.directions:
        raise UsageError(
            f"the function has {len(shapes)} outputs here, and {wanted.directions} elsewhere"
        )
    for at, shape, owner in zip(wanted.along(count), shapes, owners, strict=True):
        if inputs[at] != shape:
            raise UsageError(
                f"the {PRODUCTS[wanted.quantity]} {names[at]} has shape {inputs[at]}, but "
                f"{owner} has shape {shape}; they must be equal"
            )


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


def other_dtype(claim: Claim, graph: Graph, parts: Sequence[Any]) -> str:
    """Words for a derivative in another dtype than what it belongs to; empty if it is the same.

    That is an argument, or of a push-forward an output. It is no fault of the values, which are
    judged in the dtype that they come in.
    """
    wanted, count = claim.wanted, len(graph.inputs)
    if claim.ours:
        return ""
    names = argument_names(claim.function, count)
    if wanted.quantity == "jvp":
        owners = [("the output", graph.nodes[at]) for at in graph.outputs]
    else:
        owners = [(names[i[0]], graph.nodes[graph.inputs[i[0]]]) for i in wanted.parts(count)]
    if wanted.quantity == "jacobian":
        # The output of a function may be of less precision than its argument, or of more.
        least = min(graph.nodes[at].dtype.itemsize for at in graph.outputs)
        owners = [owner for owner in owners if owner[1].dtype.itemsize <= least]
        if len(owners) < len(parts):
            return ""
    for part, (name, node) in zip(parts, owners, strict=True):
        if part.dtype != node.dtype:
            by = "" if wanted.quantity == "jvp" else f" by {name}"
            return (
                f"the {claim.quantity}{by} is {part.dtype}, where {name} is {node.dtype}: it was "
                f"answered in {part.dtype}, and is judged in the ulps of that"
            )
    return ""


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
