"""Claims: recordings of how a claim computes, whose own branches are worth a look as well."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from verify.claimants.claim import Claim
from verify.judging.search.evaluator import OPERATIONS
from verify.judging.search.tracks import Tracks

_MOST_RECORDED: Final = 48


def claim_tracks(claim: Claim, points: Sequence[tuple[Any, ...]]) -> Tracks:
    """The paths that the claim's code takes at some of the points, as far as it can be followed.

    That of the tape has no branches but the function's own.
    """
    tracks = Tracks(lambda *x: claim.program(x, OPERATIONS))
    if claim.ours:
        return tracks
    stride = max(1, len(points) // _MOST_RECORDED)
    for number, x in enumerate(points[::stride]):
        try:
            tracks.find_recording(x)
        except Exception:  # noqa: BLE001
            # Code that does not take tensors is a black box; it is read as such.
            if number == 0 or not tracks.known:
                return tracks
    return tracks
