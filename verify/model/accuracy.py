"""Accuracy over a region: how many bits a claim loses where, thinned for a plot and a table.

A survey holds thousands of points. What a report keeps of it are the largest error in each stretch
of each coordinate, counts for a table, and a few hundred of the points, all chosen by rule, so
that the same survey gives the same report. Errors are bits, ``log2(1 + ulps)``; a value that is
not finite loses all the bits there are. (Herbie's measure: Panchekha, Sanchez-Stern, Wilcox and
Tatlock, *Automatically improving accuracy for floating point expressions*, PLDI 2015.)
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal, Self

import numpy as np
from numpy.typing import NDArray

from symtape.one_line import OneLineRepr
from verify.model.segments import Segment, segments
from verify.regions.ordinals import ordinal

BINS: Final = 48
"""Stretches of an axis, in each of which the largest error is kept."""

MARKS: Final = {"0": "wrong zero", "-": "wrong sign", "!": "not finite"}
"""What is wrong with a claimed value, beyond its size; ``.`` stands for nothing of that kind."""

_SCALES: Final = {"floats": "floats evenly spaced", "values": "values evenly spaced"}
_BITS: Final = {"float64": 64, "float32": 32, "float16": 16, "bfloat16": 16}
_CARRIERS: Final = {"bfloat16": "float32"}
"""NumPy's type for floats that it has not: the same ones, in the same order."""
_FEW, _MANY, _MARKED = 120, 360, 100
_WIDEST: Final = 1e9
"""A coordinate that ranges farther is not drawn by value: all but its largest would be one dot."""

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True, repr=False)
class Profile(OneLineRepr):
    """The largest errors along one coordinate, on one scale.

    Attributes
    ----------
    scale : {"floats", "values"}
        Each float as wide as any other, or each value.
    low, high : float
        The ends of the axis, in values.
    peaks : tuple of float or None
        Bits; of equal stretches of the axis from `low` to `high`. None for one without points.
    zeros, signs, lost : tuple of int
        The stretches with wrong zeros, wrong signs, and values that are not finite.
    dtype : str
        Whose floats are as wide as each other.
    """

    scale: Literal["floats", "values"]
    low: float
    high: float
    peaks: tuple[float | None, ...]
    zeros: tuple[int, ...] = ()
    signs: tuple[int, ...] = ()
    lost: tuple[int, ...] = ()
    dtype: str = "float64"


@dataclass(frozen=True, slots=True, repr=False)
class Coordinate(OneLineRepr):
    """Accuracy along one number of the input.

    Attributes
    ----------
    name : str
        ``x``, ``x[0]``.
    x : tuple of float
        Of the points that were kept, to four digits.
    profiles : tuple of Profile
    segments : tuple of Segment
        Of all points.
    """

    name: str
    x: tuple[float, ...]
    profiles: tuple[Profile, ...] = ()
    segments: tuple[Segment, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Accuracy(OneLineRepr):
    """How accurate a claim is over a region.

    Attributes
    ----------
    dtype : str
        Of the claim; errors are in its ulps.
    count : int
        Points that were read.
    bits : tuple of float
        The error at each of the points that were kept.
    marks : str
        A sign for each of these, see `MARKS`.
    coordinates : tuple of Coordinate
        The first few.
    """

    dtype: str
    count: int
    bits: tuple[float, ...]
    marks: str
    coordinates: tuple[Coordinate, ...]

    @classmethod
    def from_survey(cls, survey: Any, kept: int = 0) -> Self | None:
        """What a report keeps of a survey.

        Parameters
        ----------
        survey : verify.model.result.Survey
        kept : int
            How many of its last points stay, whatever else is left out.

        Returns
        -------
        Accuracy or None
            None of a survey without points.
        """
        table = np.asarray(survey.coordinates, dtype=np.float64)
        ulps = np.asarray(survey.ulps, dtype=np.float64)
        if not table.size or not ulps.size:
            return None
        inside: NDArray[np.bool_] = np.all(np.isfinite(table), axis=1)
        asked = np.flatnonzero(inside) >= len(inside) - kept
        table, ulps = table[inside], ulps[inside]
        if not ulps.size:
            return None
        bits = _bits(ulps, survey.dtype)
        marks = _marks(ulps, *(np.asarray(v)[inside] for v in (survey.claimed, survey.exact)))
        left = _select_rows(table, bits, marks, asked)
        return cls(
            dtype=survey.dtype,
            count=len(ulps),
            bits=tuple(round(float(value), 2) for value in bits[left]),
            marks="".join(marks[left].tolist()),
            coordinates=tuple(
                _coordinate(name, x, _floats_of(x, survey.dtype), left, ulps, bits, marks)
                for name, x in zip(survey.names, table.T, strict=True)
            ),
        )


def all_bits(dtype: str) -> int:
    """How many bits a claim of `dtype` can lose.

    Examples
    --------
    >>> all_bits("float32")
    32
    """
    return _BITS.get(dtype, 64)


def caption(profile: Profile) -> str:
    """What the scale of a plot is, in words.

    Examples
    --------
    >>> caption(Profile("values", 0.0, 1.0, ()))
    'values evenly spaced'
    """
    return _SCALES[profile.scale]


def place_on_scale(x: Any, profile: Profile) -> Any:
    """Where values stand on the axis of `profile`, from 0 to 1.

    Examples
    --------
    >>> whole = Profile("floats", -1e308, 1e308, ())
    >>> place_on_scale(0.0, whole), round(place_on_scale(1.0, whole), 2)
    (0.5, 0.75)
    """
    place = _places(np.asarray(x, dtype=np.float64), profile.scale, profile.dtype)
    ends = (profile.low, profile.high)
    low, high = (float(_places(np.float64(end), profile.scale, profile.dtype)) for end in ends)
    share = np.clip((place - low) / (high - low), 0.0, 1.0)
    return float(share) if share.ndim == 0 else share


def _places(x: Any, scale: str, dtype: str) -> Any:
    if scale == "values":
        return x
    with np.errstate(all="ignore"):
        return np.asarray(ordinal(x.astype(dtype)), dtype=np.float64)


def _floats_of(x: Numbers, dtype: str) -> str:
    """The format that the coordinate is in: that of the claim, if it holds each value."""
    if dtype not in _BITS:
        return "float64"
    dtype = _CARRIERS.get(dtype, dtype)
    with np.errstate(all="ignore"):
        return dtype if np.array_equal(x.astype(dtype), x) else "float64"


def _bits(ulps: Numbers, dtype: str) -> Numbers:
    most = float(all_bits(dtype))
    with np.errstate(all="ignore"):
        bits: Numbers = np.minimum(np.nan_to_num(np.log2(1.0 + ulps), nan=most, posinf=most), most)
    return bits


def _marks(ulps: Numbers, claimed: Any, exact: Any) -> NDArray[np.str_]:
    """The sign of each point; an honest underflow to zero is within an ulp, and gets none."""
    marks = np.full(len(ulps), ".")
    gross = ~(ulps <= 1.0) & np.isfinite(exact) & (exact != 0)
    marks[gross & (np.sign(claimed) == -np.sign(exact))] = "-"
    marks[gross & (claimed == 0)] = "0"
    marks[~np.isfinite(claimed) & np.isfinite(exact) & ~(ulps <= 1.0)] = "!"
    return marks


def _coordinate(
    name: str,
    x: Numbers,
    dtype: str,
    kept: NDArray[np.intp],
    ulps: Numbers,
    bits: Numbers,
    marks: Any,
) -> Coordinate:
    return Coordinate(
        name=name,
        x=tuple(float(f"{value:.4g}") for value in x[kept]),
        profiles=tuple(_profile(scale, x, dtype, bits, marks) for scale in _scales(x)),
        segments=tuple(segments(x, ulps, marks)),
    )


def _scales(x: Numbers) -> Iterator[Literal["floats", "values"]]:
    """On which scales a coordinate is worth drawing: one where both show the same."""
    low, high = float(x.min()), float(x.max())
    if low == high:
        return
    yield "floats"
    one_binade = low * high > 0 and np.frexp(low)[1] == np.frexp(high)[1]
    if not one_binade and max(-low, high) <= _WIDEST:
        yield "values"


def _profile(
    scale: Literal["floats", "values"], x: Numbers, dtype: str, bits: Numbers, marks: Any
) -> Profile:
    bins = _bins(x, scale, dtype, BINS)
    peaks = np.full(BINS, -1.0)
    np.maximum.at(peaks, bins, bits)
    having = {sign: tuple(np.unique(bins[marks == sign]).tolist()) for sign in MARKS}
    return Profile(
        scale=scale,
        low=float(x.min()),
        high=float(x.max()),
        peaks=tuple(None if peak < 0 else round(peak, 2) for peak in peaks.tolist()),
        zeros=having["0"],
        signs=having["-"],
        lost=having["!"],
        dtype=dtype,
    )


def _bins(x: Numbers, scale: str, dtype: str, count: int) -> NDArray[np.intp]:
    place = _places(x, scale, dtype)
    low = float(place.min())
    width = float(place.max()) - low or 1.0
    bins: NDArray[np.intp] = np.minimum((place - low) / width * count, count - 1).astype(np.intp)
    return bins


def _select_rows(
    table: Numbers, bits: Numbers, marks: Any, asked: NDArray[np.bool_]
) -> NDArray[np.intp]:
    """Those asked for, the worst of each stretch, some of each mark, and a spread."""
    order = np.lexsort(table.T[::-1])
    found = set(np.flatnonzero(asked).tolist())
    bins = max(1, BINS // table.shape[1])
    for x in table.T:
        for scale in _scales(x):
            found.update(_worst_of_each(_bins(x, scale, "float64", bins), bits))
    for sign in MARKS:
        found.update(_spread(order[marks[order] == sign], _MARKED))
    most = _MANY if (marks != ".").any() or (bits > 8).any() else _FEW
    found.update(_spread(order, max(most - len(found), _FEW)))
    return np.array(sorted(found), dtype=np.intp)


def _worst_of_each(bins: NDArray[np.intp], bits: Numbers) -> Iterable[int]:
    order = np.lexsort((-bits, bins))
    firsts = np.flatnonzero(np.diff(bins[order], prepend=-1))
    return [int(at) for at in order[firsts]]


def _spread(indices: NDArray[np.intp], most: int) -> Iterable[int]:
    if len(indices) <= most:
        return [int(at) for at in indices]
    places = np.linspace(0, len(indices) - 1, most).round().astype(np.intp)
    return [int(at) for at, _ in itertools.groupby(indices[places].tolist())]
