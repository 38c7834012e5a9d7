"""Memory: counterexamples of earlier runs, which are tried on top of what a search finds."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from verify.files import cache, places
from verify.model.case import Case, claimant
from verify.regions import Region

_SECTION: Final = "counterexamples"
_MOST: Final = 20

Point = tuple[Any, ...]


def recall(case: Case, region: Region) -> list[Point]:
    """The points at which this claim failed before, those that are of the region."""
    if not cache.is_enabled():
        return []
    found = cache.load(_SECTION, _name(case))
    if not isinstance(found, dict) or not isinstance(found.get("points"), list):
        return []
    read = [_point(saved) for saved in found["points"][:_MOST]]
    return [x for x in read if x is not None and region.contains(x)]


def remember(case: Case, failing: Sequence[Point]) -> None:
    """Keep the points at which the claim fails now, and forget those at which it did."""
    if not cache.is_enabled():
        return
    name = _name(case)
    if not failing:
        if cache.load(_SECTION, name) is not None:
            cache.store(_SECTION, name, None)
        return
    points = [[_encode_argument(arg) for arg in x] for x in failing[:_MOST]]
    cache.store(_SECTION, name, {"claim": _identity(case), "points": points})


def _identity(case: Case) -> list[str]:
    """The claim, however its source changes: who claims what of which function."""
    names = [_qualify_function(case.function), case.quantity, claimant(case)]
    return names + ([_qualify_function(case.claimed)] if case.claimed is not None else [])


def _qualify_function(function: Any) -> str:
    name = str(getattr(function, "__qualname__", type(function).__qualname__))
    file, _, line = places.place_of_function(function).rpartition(":")
    home = _seen_from_home(file) if file else str(getattr(function, "__module__", ""))
    return f"{home}:{line}" if "<lambda>" in name else f"{home}:{name}"


def _seen_from_home(file: str) -> str:
    """The same wherever a run is started from, and wherever the whole project lies."""
    return os.path.relpath(os.path.abspath(file), cache.folder().absolute().parent)


def _name(case: Case) -> str:
    return hashlib.sha256("\n".join(_identity(case)).encode()).hexdigest()[:24]


def _encode_argument(arg: Any) -> dict[str, Any]:
    array = np.asarray(arg)
    hexes = [float(x).hex() for x in array.ravel()]
    return {"dtype": array.dtype.name, "shape": list(array.shape), "values": hexes}


def _point(saved: Any) -> Point | None:
    try:
        return tuple(
            np.array([float.fromhex(x) for x in arg["values"]], dtype=arg["dtype"]).reshape(
                arg["shape"]
            )[()]
            for arg in saved
        )
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
