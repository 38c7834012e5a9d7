"""The proof of a claim over a region."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Final

import numpy as np

from symtape.errors import BudgetSpent
from verify.claimants.claim import Claim
from verify.oracles.over_region.attempt import Attempt
from verify.oracles.over_region.cuts import Faces
from verify.oracles.over_region.part import Part, RegionProof
from verify.oracles.over_region.recordings import NotRecorded, boxes_of, find_ends
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
