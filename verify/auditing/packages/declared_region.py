"""Regions that a manifest declares, made when the function is there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from verify.auditing.packages.convention import NotPosed
from verify.auditing.packages.silence import silence
from verify.errors import UsageError
from verify.regions import Region, parse

Function = Callable[..., Any]


def declared_region(over: Mapping[str, str], function: Function, names: Sequence[str]) -> Region:
    """The region of a function, from what a manifest has for each of its arguments.

    Raises
    ------
    NotPosed
        It is not of these arguments, or nowhere in it the function is finite.
    """
    missing = [name for name in names if name not in over]
    unknown = [name for name in over if name not in names]
    if missing or unknown:
        words = [f"has none for {', '.join(missing)}"] if missing else []
        words += [f"names the unknown {', '.join(unknown)}"] if unknown else []
        raise NotPosed(
            f"the manifest's region, of the arguments {', '.join(names)}, {' and '.join(words)}"
        )
    spaces = ", ".join(f"{name!r}: {over[name]}" for name in names)
    try:
        made = parse(f"{{{spaces}}}", list(names))
    except UsageError as error:
        raise NotPosed(f"the manifest's region is not valid: {error}") from error
    _check_domain(function, made)
    return made


def _check_domain(function: Function, region: Region) -> None:
    """Refuse a region nowhere in which the function is finite."""
    random, reason = np.random.default_rng(0), ""
    for _ in range(16):
        point = region.draw(random, "uniform")
        try:
            with silence():
                value = np.asarray(function(*point), dtype=np.float64)
        except Exception as error:  # noqa: BLE001  # whatever the package raises
            reason = f"{type(error).__name__}: {error}"
            continue
        if np.isfinite(value).all():
            return
        reason = f"at {', '.join(map(str, point))} it is {value}"
    raise NotPosed(
        f"the manifest's region, {region.describe()}, is outside of the function's domain: {reason}"
    )
