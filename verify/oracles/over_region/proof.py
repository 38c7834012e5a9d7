"""The proof of a claim over a region, and the bound of its rounding."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from symtape.errors import BudgetSpent, Unsupported
from symtape.graph.fidelity import departure
from symtape.graph.graph import Graph
from symtape.process.work import suspend_meter
from symtape.recording.structure import flatten, separate_entries
from symtape.rigorous.error_bound import ErrorBound, bound_errors
from symtape.rigorous.floats import may_return
from verify.claimants.claim import Claim
from verify.errors import UsageError
from verify.model.case import region_of
from verify.model.searched import RoundingBound
from verify.oracles.over_region.attempt import Attempt
from verify.oracles.over_region.cuts import Faces
from verify.oracles.over_region.part import Part, RegionProof
from verify.oracles.over_region.recordings import NotRecorded, boxes_of, find_ends, record_all
from verify.regions import Region, Subset

MOST_WORK: Final = 2_000_000
"""Operations that a proof may take which is asked for."""


def prove_over(
    claim: Claim,
    region: Region,
    most: float = MOST_WORK,
    note: Callable[[str], None] = lambda reason: None,
    where_defined: bool = True,
) -> RegionProof | None:
    """Where over `region` the formula of a claim is proved to be that of the derivative.

    Parameters
    ----------
    claim : Claim
        By somebody whose code can be recorded.
    region : Region
        Boxes of floats; of a subset of them nothing is known unless the claim is proved on all.
    most : float
        Operations that it may take.
    note : callable
        Told why a part is neither proved nor enclosed, once for each part and attempt.
    where_defined : bool
        Whether it is proved also on parts that are not all in the domain of the function.

    Returns
    -------
    RegionProof or None
        None where nothing is proved.
    """
    spaces = boxes_of(region)
    if not spaces or claim.is_read:
        note("it is no box, or is of another framework")
        return None
    lower, upper = (np.concatenate(ends) for ends in zip(*map(find_ends, spaces), strict=True))
    whole = Part(lower, upper, Faces.none(lower.size))
    found = None
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # Pieces in one formula, or else each by itself, where less has to be proved at once; last
        # where the operations of the function are defined.
        has_pieces = has_domain = False
        for in_pieces, partial in ((True, False), (False, False), (False, True)):
            if (partial and not (has_domain and where_defined)) or not (
                in_pieces or partial or has_pieces
            ):
                continue
            attempt = Attempt(claim, spaces, whole, in_pieces, partial, note)
            try:
                attempt.run(most)
            except BudgetSpent:
                note("it takes too much work")
            except NotRecorded:
                note("the recording is not the function")
                return None
            proof = attempt.proof()
            if proof is not None and (found is None or _extent(proof) > _extent(found)):
                found = proof
            has_pieces, has_domain = attempt.has_pieces, has_domain or attempt.has_domain
            if found is not None and found.enclosed == 1:
                break
    partly = found is not None and found.covered < 1
    return None if partly and isinstance(region, Subset) else found


def _extent(proof: RegionProof) -> tuple[float, float, float]:
    return proof.covered, proof.enclosed, proof.share


MOST_NUMBERS: Final = 4
"""More inputs make too many boxes."""

_SHARES: Final = (0.53125, 0.0, 0.171875, 0.84375, 1.0)
"""Where in the region functions are compared with what was recorded of them."""

_MOST_WORK: Final = 2_000_000
_OF_ELEMENT: Final = 200
"""Operations for each number in a graph, at the middle of a box and over the box."""

_MOST_BOXES: Final = 200
"""For each entry, in each unit."""


def rounding_bound(function: Callable[..., Any], *, over: Any) -> RoundingBound:
    """Bound the rounding error of a function, for every float of a region.

    Parameters
    ----------
    function : callable
        Of arrays or numbers, such as ``symtape.grad(f)`` for the gradient that it computes.
    over : region
        A box of floats, or one for each argument, of at most four numbers in all. They are taken
        to be exact.

    Returns
    -------
    RoundingBound
        Of the distance of each number that is returned from the exact result of the same
        operations; its `reason` says why there is none.

    Raises
    ------
    UsageError
        The region is no box with an inside.

    Examples
    --------
    >>> import verify
    >>> print(verify.rounding_bound(lambda x: x / (x + 1), over=verify.box(1, 100)))
    the rounding error is at most 2.1 ulps
    """
    spaces = boxes_of(region_of(function, over))
    if not spaces:
        raise UsageError(f"rounding_bound(over={over}): expected a box of floats with an inside")
    lower, upper = (np.concatenate(ends) for ends in zip(*map(find_ends, spaces), strict=True))
    if lower.size > MOST_NUMBERS:
        return _no_bound(f"it has more than {MOST_NUMBERS} numbers")
    points = [tuple(_arrays(spaces, lower + (upper - lower) * share)) for share in _SHARES]
    try:
        with np.errstate(all="ignore"):
            graph = record_all(function, points[0])
            departs = departure(lambda *x: flatten(function(*x)), graph, points, may_return)
    except Unsupported as error:
        return _no_bound(str(error))
    if departs is not None:
        return _no_bound("what was recorded of it is something else")
    return bound_programs([(graph, lower, upper)])


def _no_bound(reason: str) -> RoundingBound:
    return RoundingBound(math.inf, math.inf, reason)


def bound_claim(proof: RegionProof) -> RoundingBound | None:
    """The bound of the claim that is proved; None unless it is on the whole region, exactly."""
    if proof.share != 1 or proof.rounded or proof.parts[0].lower.size > MOST_NUMBERS:
        return None
    return bound_programs([(part.programs[1], part.lower, part.upper) for part in proof.parts])


def bound_programs(parts: Sequence[tuple[Graph, Any, Any]]) -> RoundingBound:
    """The bound of programs, each over a box of the numbers in all of its inputs together."""
    found: list[ErrorBound] = []
    work = sum(_work_of_box(graph) for graph, _, _ in parts)
    most = int(min(max(_MOST_WORK / work, 1), _MOST_BOXES))
    try:
        # By sizes, and not by what is left of a budget: a search that stops has a bound, too.
        with suspend_meter():
            for graph, lower, upper in parts:
                inputs = [graph.nodes[at] for at in graph.inputs]
                ends = (_arrays(inputs, lower), _arrays(inputs, upper))
                for entries in bound_errors(graph, *ends, most=most):
                    found += entries
    except Unsupported as error:
        return _no_bound(str(error))
    return RoundingBound(
        max(bound.absolute for bound in found),
        max(bound.ulps for bound in found),
        next((bound.reason for bound in found if bound.reason), ""),
    )


def _work_of_box(graph: Graph) -> int:
    """About the operations that a box takes, for all entries, in both units."""
    entries = sum(math.prod(graph.nodes[at].shape) for at in graph.outputs)
    return 2 * entries * graph.elements * _OF_ELEMENT


def _arrays(inputs: Sequence[Any], numbers: Any) -> list[Any]:
    """The arguments that some numbers are, of the shapes and dtypes of nodes or spaces."""
    parts = separate_entries(np.asarray(numbers), [one.shape for one in inputs])
    return [part.astype(one.dtype)[()] for part, one in zip(parts, inputs, strict=True)]
