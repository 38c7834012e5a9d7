"""Points of an audit: all over the floats of a format, and where derivatives go wrong.

A third lie evenly by float, so that the tails near underflow and overflow are seen; most others
evenly by value where people compute; the rest are special ones: whole numbers and halves, the
least and the greatest floats, both sides of the ends of the domain, of zero and of one.
"""

from __future__ import annotations

import itertools
import math
import zlib
from typing import Any, Final

import numpy as np

from verify.auditing.libraries.formats import Format
from verify.auditing.libraries.functions import Function, Range

_MODERATE: Final = ((-3.0, 3.0), (-40.0, 40.0), (-120.0, 120.0), (-800.0, 800.0))
_CORNERS: Final = (0.0, 1.0, -1.0, 0.5, 2.0)


@np.errstate(all="ignore")
def draw_points(function: Function, form: Format, count: int, seed: int) -> list[Any]:
    """The points at which a function is audited in a format.

    Parameters
    ----------
    function : Function
    form : Format
    count : int
        About how many.
    seed : int

    Returns
    -------
    list of (n,) float arrays
        One an argument, numbers of the format.

    Examples
    --------
    >>> from verify.auditing.libraries.formats import FORMATS
    >>> from verify.auditing.libraries.functions import FUNCTIONS
    >>> [x] = draw_points(FUNCTIONS["sqrt"], FORMATS["float16"], 400, 0)
    >>> bool(x.min() > 0), float(x.max())
    (True, 65504.0)
    """
    count = max(int(count * function.thin), 64)
    random = np.random.default_rng([seed, zlib.crc32(f"{function.name} {form.name}".encode())])
    if not function.is_binary:
        found = np.unique(_column(random, form, function.over, count))
        return [found[~np.isin(found, function.kinks)]]
    columns = [_column(random, form, over, count) for over in (function.over, function.second)]
    size = min(map(len, columns))
    pairs = np.stack([random.permutation(column)[:size] for column in columns])
    near = random.random(size) < 0.25
    # Arguments of like size, whose functions are not those of the larger one alone.
    like = pairs[0, near] * random.uniform(0.5, 2, near.sum())
    low, high = function.second
    pairs[1, near] = np.clip(like, np.nextafter(low, np.inf), np.nextafter(high, -np.inf))
    pairs = form.round_numbers(np.concatenate([pairs, _grid(function)], axis=1))
    pairs = np.unique(pairs.astype(np.float64), axis=1)
    return list(pairs[:, np.all(np.abs(pairs) <= form.greatest, axis=0)])


def _column(random: Any, form: Format, over: Range, count: int) -> Any:
    low, high = max(over[0], -form.greatest), min(over[1], form.greatest)
    ends = [int(form.ordinal(form.round_numbers(end))) for end in (low, high)]
    parts = [form.decode_ordinal(random.integers(*ends, count // 3, endpoint=True))]
    ranges = [(max(low, a), min(high, b)) for a, b in _MODERATE if max(low, a) < min(high, b)]
    for at, (a, b) in enumerate(ranges):
        share = count * (4, 3, 2, 1)[at] // 18
        parts.append(random.uniform(a, b, share))
    parts += [_special(form, low, high), _edges(random, form, low, high, count // 12)]
    found = form.round_numbers(np.concatenate(parts)).astype(np.float64)
    return found[(found > over[0]) & (found < over[1]) & (np.abs(found) <= form.greatest)]


def _special(form: Format, low: float, high: float) -> Any:
    whole = np.arange(-60, 61) / 1.0
    sizes = [form.least, form.least * 3, form.least_normal, form.least_normal * 2, form.greatest]
    powers = 10.0 ** np.concatenate([np.arange(-12, 7), np.arange(-300, 301, 20), [-30, 10, 30]])
    some = np.concatenate(
        [whole, whole[40:81] / 2, sizes, powers, [100.0, 200.0, 300.0, 500.0, 700.0]]
    )
    found = np.concatenate([some, -some])
    return found[(found >= low) & (found <= high)]


def _edges(random: Any, form: Format, low: float, high: float, count: int) -> Any:
    """Floats ever closer to the ends of the domain, and to 0 and ±1."""
    parts = []
    for corner in dict.fromkeys([low, high, *_CORNERS]):
        if not (low <= corner <= high and math.isfinite(corner)):
            continue
        at = int(form.ordinal(form.round_numbers(corner)))
        steps = np.unique(2.0 ** random.uniform(0, form.digits + 2, count // 6 + 1)).astype(
            np.int64
        )
        top = int(form.ordinal(form.round_numbers(form.greatest)))
        parts.append(
            form.decode_ordinal(np.clip(np.concatenate([at - steps, at + steps]), -top, top))
        )
    return np.concatenate(parts)


def _grid(function: Function) -> Any:
    """Small numbers with one another."""
    small = (-20.0, -2.0, -1.0, -0.5, 0.25, 0.5, 1.0, 2.0, 3.0, 10.0, 30.0)
    inside = [
        [x for x in small if over[0] < x < over[1]] for over in (function.over, function.second)
    ]
    return np.array(list(itertools.product(*inside)), dtype=float).T
