"""Agreement: how much answers have in common with differences, entry by entry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

from verify.auditing.packages.behaviour.numbers import Path
from verify.auditing.packages.behaviour.sampling import Calls, Sample

Form = Literal["parts", "stacked", "transposed", "diagonal", "summed"]

_CLOSE: Final = 1e-4
"""Of an answer to a difference, relative to it."""

LEAST: Final = 0.4
"""The share of entries that agree by no accident."""

ALIKE_IN_NAME: Final = 0.7
"""The least correlation that is said of a claim, which is named after the function."""

_SMALL: Final = 1e-6
"""What is zero beside the largest entry."""


@dataclass(frozen=True, slots=True)
class Target:
    """Differences that an answer is set against.

    Attributes
    ----------
    item : tuple of int
        Of what the function returns.
    by : tuple of int
        The arguments.
    second : bool
    form : {"parts", "stacked", "transposed", "diagonal", "summed"}
        The axes of the argument behind those of the value; one row for each of several arguments;
        the axes of the argument first; the diagonal of an elementwise function's; the derivative
        of the sum of the value's entries.
    shape : tuple of int
        That an answer of this form has.
    slopes, errors : array
        A row for each point.
    """

    item: Path
    by: tuple[int, ...]
    second: bool
    form: Form
    shape: tuple[int, ...]
    slopes: np.ndarray
    errors: np.ndarray


@dataclass(frozen=True, slots=True)
class Agreement:
    """How an answer agrees with differences.

    Attributes
    ----------
    right, entries, points_right, points : int
        Entries over all points that say something, and points at which all of them agree.
    factor : float
        What the answer is of the differences if it is a multiple at all points, else 0.
    correlation : float
        Of ranks.
    varies, plain : bool
        Whether the differences vary over the points, and whether the answer is no more than
        multiples of arguments, or of the value and a constant, as of ``1 - exp(-r)``.
    """

    right: int
    entries: int
    points_right: int
    points: int
    factor: float
    correlation: float
    varies: bool
    plain: bool

    @property
    def share(self) -> float:
        """Of the entries that agree."""
        return self.right / self.entries

    @property
    def is_exact(self) -> bool:
        """Whether all agree."""
        return self.right == self.entries

    def describe(self, what: str, of: str) -> str:
        """How an answer agrees with differences, in words; empty where nothing speaks for it."""
        at = f"{self.points_right} of {self.points} points"
        if self.is_exact:
            return f"{what} agrees with {of} at {at}"
        if self.share >= LEAST:
            in_all = f"{self.right} of {self.entries} entries"
            return f"{what} agrees with {of} in {in_all}, and in all at {at}"
        if self.factor:
            return f"{what} is {self.factor:g} times the {of} at all points"
        if self.correlation < ALIKE_IN_NAME:
            return ""
        return f"{what} is ranked as {of} are, with a correlation of {self.correlation:.2f}"


def targets_of(sample: Sample, calls: Calls, second: bool = False) -> Iterator[Target]:
    """The first derivatives of a sample by each argument, and by several, or the second ones."""
    shapes = [np.shape(x) for x in sample.points[0]]
    made = [sample.differentiate(calls, (k,) * (1 + second)) for k in range(len(shapes))]
    for item, places in sample.layout.items():
        each = [[np.asarray(part[:, places]) for part in pair] for pair in made]
        for k, (d, e) in enumerate(each):
            if np.isfinite(d).any() and np.nanmax(np.abs(d)) > 0:
                yield from _forms(item, k, second, places.shape, shapes[k] * (1 + second), d, e)
        if len(shapes) > 1 and not second and not any(shapes):
            yield from _stack_targets(item, places.shape, each)


def _stack_targets(
    item: Path, out: tuple[int, ...], each: Sequence[Sequence[np.ndarray]]
) -> Iterator[Target]:
    """By the first arguments, or by the last ones, if all are numbers."""
    count = len(each)
    spans = {(0, m) for m in range(2, count + 1)} | {(count - m, count) for m in range(2, count)}
    for first, last in sorted(spans):
        d, e = (np.stack([pair[k] for pair in each[first:last]], axis=1) for k in (0, 1))
        if np.isfinite(d).any() and np.nanmax(np.abs(d)) > 0:
            rows = (np.reshape(x, (len(x), -1)) for x in (d, e))
            by = tuple(range(first, last))
            yield Target(item, by, False, "stacked", (len(by), *out), *rows)


def _forms(
    item: Path,
    k: int,
    second: bool,
    out: tuple[int, ...],
    shape: tuple[int, ...],
    d: np.ndarray,
    e: np.ndarray,
) -> Iterator[Target]:
    count = len(d)

    def target(form: Form, wanted: tuple[int, ...], slopes: Any, errors: Any) -> Target:
        rows = (np.reshape(each, (count, -1)) for each in (slopes, errors))
        return Target(item, (k,), second, form, wanted, *rows)

    yield target("parts", out + shape, d, e)
    if not out or second:
        return
    size = int(np.prod(out))
    flat, errors = (np.reshape(each, (count, size, -1)) for each in (d, e))
    if shape and size > 1 and flat.shape[2] > 1:
        yield target("transposed", shape + out, *(np.swapaxes(x, 1, 2) for x in (flat, errors)))
    if out == shape:
        yield target("diagonal", out, *(np.diagonal(x, 0, 1, 2) for x in (flat, errors)))
    elif size > 1:
        yield target("summed", shape, flat.sum(axis=1), errors.sum(axis=1))


def fits(target: Target, shape: tuple[int, ...]) -> bool:
    """Whether an answer of a shape may be of a form: but for axes of one, or in one row."""
    if int(np.prod(shape)) != int(np.prod(target.shape)):
        return False
    plain = [tuple(n for n in each if n != 1) for each in (shape, target.shape)]
    return plain[0] == plain[1] or min(map(len, plain)) == 1


def compare(target: Target, answer: np.ndarray, sample: Sample, kin: int) -> Agreement | None:
    """How an answer, of a row for each point, agrees; None where nothing speaks for it.

    Ranks count only where the names have much to do with each other.
    """
    d, e = target.slopes, target.errors
    with np.errstate(all="ignore"):
        size, scale = np.abs(d), np.nanmax(np.abs(d))
        settled = e <= _CLOSE * scale
        says = settled & ((size > _SMALL * scale) | ~(np.abs(answer) <= _SMALL * scale))
        right = says & (np.abs(answer - d) <= _CLOSE * size + 3 * e + 1e-9 * scale)
    entries, agreed = np.count_nonzero(says), np.count_nonzero(right)
    factor = 1.0 if entries == agreed else _factor(answer, d, e, says)
    if not entries or (kin < 2 and not factor and agreed < LEAST * entries):
        return None
    both = says & np.isfinite(answer)
    told = says.any(axis=1)
    columns = np.where(settled, d, np.mean(d[settled]))
    return Agreement(
        int(agreed),
        int(entries),
        int(np.count_nonzero(told & (right | ~says).all(axis=1))),
        int(np.count_nonzero(told)),
        factor,
        0.0 if kin < 2 or agreed == entries else _rank_correlation(answer[both], d[both]),
        bool(np.any(np.ptp(columns, axis=0) > 10 * _CLOSE * scale)),
        _is_plain(answer, target, sample),
    )


def _factor(answer: np.ndarray, d: np.ndarray, e: np.ndarray, says: np.ndarray) -> float:
    """By what the differences are multiplied, if it is the same everywhere."""
    a, b, errors = answer[says], d[says], e[says]
    size = float(b @ b)
    if not np.isfinite(a).all() or not np.any(a) or not size:
        return 0.0
    made = float(a @ b) / size
    close = np.abs(a - made * b) <= _CLOSE * np.abs(a) + 3 * abs(made) * errors
    return float(f"{made:.4g}") if close.all() else 0.0


def _rank_correlation(a: np.ndarray, b: np.ndarray) -> float:
    if a.size < 5 or not np.ptp(a) or not np.ptp(b):
        return 0.0
    ranks = [np.argsort(np.argsort(each)).astype(float) for each in (a, b)]
    ours, theirs = (each - each.mean() for each in ranks)
    return float(ours @ theirs / np.sqrt((ours @ ours) * (theirs @ theirs)))


def _is_plain(answer: np.ndarray, target: Target, sample: Sample) -> bool:
    """Whether each entry is a multiple of an argument's, or the value's up to a constant."""
    own = sample.values[:, sample.layout[target.item].ravel()]
    arguments = np.stack([np.concatenate([np.ravel(x) for x in p]) for p in sample.points])
    return all(
        any(_is_multiple(entry, each) for each in arguments.T)
        or any(_is_multiple(entry - entry.mean(), each - each.mean()) for each in own.T)
        for entry in answer.T
    )


def _is_multiple(a: np.ndarray, b: np.ndarray) -> bool:
    size = float(b @ b)
    if not size or not np.isfinite(a).all():
        return not size
    return bool(np.all(np.abs(a - (a @ b) / size * b) <= 1e-8 * np.max(np.abs(a), initial=0.0)))
