"""The simple mistake that would explain a wrong derivative, when one does."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final, TypeAlias

import numpy as np

from symtape.errors import SymtapeError
from symtape.recording.structure import concatenate_entries
from verify.claimants.claim import Claim
from verify.claimants.tape import tape_derivative
from verify.errors import NotADerivative
from verify.judging.diagnosis.mistakes import Observation, times_too
from verify.model.case import argument_names
from verify.model.quantity import PRODUCTS

_NEGATED: Final = "of the wrong sign"
_ALIKE: Final = 1e-9
"""Relative difference up to which a mistake explains an entry; the verdict stands without it."""

_CONSTANTS: Final = (math.pi, math.pi / 180, math.log(2), math.log(10), math.sqrt(2), math.e)
"""Factors that are forgotten: degrees, other logarithms, normalisations."""

_MOST_NAMED: Final = 3
"""Rows, or columns, that are told by their numbers."""

_ANGLES: Final = (
    (math.pi / 180, "π/180 of what it should be: degrees for radians"),
    (180 / math.pi, "180/π times too large: radians for degrees"),
)


Parts: TypeAlias = Sequence[Any]
"""A derivative at a point: one float array for each argument."""


@dataclass(frozen=True, slots=True)
class Cause:
    """A mistake that explains a wrong derivative; without words where none does.

    Attributes
    ----------
    words : str
    local : bool
        Whether it speaks of one point, and need not explain others.
    factor : str
        What was done to the entries that it names; empty where they share no factor.
    of_a_part : bool
        Whether it tells which entries are wrong, when others are right.
    by_one : bool
        Whether these are all of those by one of several arguments.
    """

    words: str = ""
    local: bool = False
    factor: str = ""
    of_a_part: bool = False
    by_one: bool = False

    def __str__(self) -> str:
        return f"{self.words}: {self.factor}" if self.factor else self.words


def likely_cause(
    claimed: Parts,
    exact: Parts,
    names: Sequence[str] = (),
    elsewhere: Sequence[tuple[Parts, Parts]] = (),
) -> Cause:
    """The simple mistake that turns the exact derivative into the claimed one; empty if none.

    Parameters
    ----------
    claimed, exact : sequences of float arrays
        One for each part of the derivative.
    names : sequence of str
        What each part is by.
    elsewhere : sequence of pairs
        What is claimed and what is exact at other points. A mistake has to explain these as
        well, so that it is no accident of one point.

    Examples
    --------
    >>> print(likely_cause([np.array([-1.0, -4.0])], [np.array([1.0, 4.0])]))
    the sign is wrong
    >>> found = likely_cause([np.array([1.0, -4.0])], [np.array([1.0, 4.0])])
    >>> str(found), found.of_a_part
    ('1 of 2 entries is wrong: the sign is flipped', True)
    >>> one = np.array(1.0)
    >>> print(likely_cause([0 * one], [1e-9 * one], elsewhere=[([3 * one], [3 * one])]))
    zero here, and right elsewhere: a tail that is cut off
    """
    if are_parts_close(claimed, exact):
        return Cause()
    for cause in _causes(claimed, exact, names, elsewhere):
        if cause.words and (cause.local or all(_says(cause, *point) for point in elsewhere)):
            return cause
    return Cause()


def _says(cause: Cause, claimed: Parts, exact: Parts) -> bool:
    """Whether the same mistake fits another point, where the claim may also be right."""
    return are_parts_close(claimed, exact) or cause in _causes(
        claimed, exact, (), [(claimed, exact)]
    )


def are_parts_close(claimed: Parts, exact: Parts) -> bool:
    """Whether two derivatives are the same, as far as a cause is to explain."""
    return all(_are_close(ours, part) for ours, part in zip(claimed, exact, strict=True))


def _causes(
    claimed: Parts,
    exact: Parts,
    names: Sequence[str],
    elsewhere: Sequence[tuple[Parts, Parts]],
) -> Iterator[Cause]:
    yield Cause(_not_finite(claimed), local=True)
    yield Cause(_cut_off(claimed, exact, elsewhere), local=True)
    wrong_again = any(not are_parts_close(*point) for point in elsewhere)
    yield Cause(
        _describe_factor(
            _factor(concatenate_entries(claimed), concatenate_entries(exact), wrong_again)
        )
    )
    yield Cause(_describe_triangle(claimed, exact))
    yield Cause(_describe_move(claimed, exact))
    yield Cause(_describe_exchange(claimed, exact))
    yield _partly(claimed, exact, names)


def _cut_off(claimed: Parts, exact: Parts, elsewhere: Sequence[tuple[Parts, Parts]]) -> str:
    """Zero where the derivative is small, and right where it is not."""
    if any(np.any(part) for part in claimed) or not elsewhere:
        return ""
    size = max(float(np.max(np.abs(part), initial=0.0)) for part in exact)
    good = [
        max(float(np.max(np.abs(part), initial=0.0)) for part in there)
        for ours, there in elsewhere
        if are_parts_close(ours, there)
    ]
    larger = any(size < 1e-3 * other for other in good)
    return "zero here, and right elsewhere: a tail that is cut off" if larger else ""


def _describe_triangle(claimed: Parts, exact: Parts) -> str:
    """Matrices of which only the diagonal, or one triangle, is right."""
    if len(exact) != 1 or exact[0].ndim != 2 or len(set(exact[0].shape)) != 1:
        return ""
    ours, there = claimed[0], exact[0]
    for words, kept in (
        ("only the diagonal is filled", np.diag(np.diag(there))),
        ("zero below the diagonal", np.triu(there)),
        ("zero above the diagonal", np.tril(there)),
    ):
        if not _are_close(kept, there) and _are_close(ours, kept):
            return words
    return ""


def _describe_factor(factor: str) -> str:
    said = {"of the wrong sign": "the sign is wrong", "zero": "all of it is zero"}
    return said.get(factor, factor)


def _not_finite(claimed: Sequence[Any]) -> str:
    bad = sum(int(np.sum(~np.isfinite(part))) for part in claimed)
    total = sum(part.size for part in claimed)
    if not bad:
        return ""
    if total == 1:
        return "what is claimed is not finite"
    return f"{bad} of {total} entries {'is' if bad == 1 else 'are'} not finite"


def _are_close(a: Any, b: Any) -> bool:
    return bool(np.all(np.abs(a - b) <= _ALIKE * np.abs(b)))


def _factor(claimed: Any, exact: Any, telling: bool = False) -> str:
    """A factor that all entries which are not zero share, in words; the others must be zero.

    Of a single entry any number is a factor, so it has to be a telling one, unless `telling`
    says that other points will show whether it is.
    """
    sized = exact != 0
    if not np.any(sized) or np.any(claimed[~sized]):
        return ""
    ratios = claimed[sized] / exact[sized]
    factor = float(ratios[0])
    if not _are_close(ratios, np.array(factor)) or abs(factor - 1) < 1e-6:
        return ""
    if len(ratios) == 1 and not telling and not _is_telling_factor(factor):
        return ""
    if factor == 0:
        return "zero"
    if abs(factor + 1) < _ALIKE:
        return _NEGATED
    if named := next((w for f, w in _ANGLES if abs(factor - f) <= _ALIKE * abs(f)), ""):
        return named
    return times_too(factor)


def _is_telling_factor(factor: float) -> bool:
    """Whether a factor means something when a single entry shows it: some factor always fits."""
    size = abs(factor)
    simple = float(Fraction(size).limit_denominator(12))
    near = [simple, *_CONSTANTS, *(1 / constant for constant in _CONSTANTS)]
    return size < 1000 and any(abs(size - constant) <= _ALIKE * size for constant in near)


def _describe_move(claimed: Sequence[Any], exact: Sequence[Any]) -> str:
    for words, move in _moves(max(part.ndim for part in exact)):
        moved = [move(part) for part in exact]
        if any(m.shape != part.shape for m, part in zip(moved, claimed, strict=True)):
            continue
        if all(_are_close(part, m) for part, m in zip(claimed, moved, strict=True)):
            return words
    return ""


def _moves(ndim: int) -> Iterator[tuple[str, Any]]:
    if ndim > 1:
        yield "transposed", np.transpose
    for axis in range(ndim):
        for step in (1, -1):

            def roll_axis(part: Any, axis: int = axis, step: int = step) -> Any:
                return np.roll(part, step, axis) if axis < part.ndim else part

            yield (
                "the entries are off by one index" + (f", along axis {axis}" * (ndim > 1)),
                roll_axis,
            )


def _describe_exchange(claimed: Sequence[Any], exact: Sequence[Any]) -> str:
    if len(exact) != 2 or exact[0].shape != exact[1].shape:
        return ""
    if _are_close(claimed[0], exact[1]) and _are_close(claimed[1], exact[0]):
        return "the derivatives by the two arguments are exchanged"
    return ""


def _partly(claimed: Sequence[Any], exact: Sequence[Any], names: Sequence[str]) -> Cause:
    """Which entries are off, when others are right, and the factor that they share."""
    off = [np.abs(c - e) > _ALIKE * np.abs(e) for c, e in zip(claimed, exact, strict=True)]
    count, total = sum(int(np.sum(flags)) for flags in off), sum(part.size for part in exact)
    if not 0 < count < total:
        return Cause()
    bad = [k for k, flags in enumerate(off) if np.any(flags)]
    if len(bad) == 1 and len(names) > 1 and np.all(off[bad[0]]):
        factor = _factor(
            concatenate_entries([claimed[bad[0]]]), concatenate_entries([exact[bad[0]]])
        )
        words = f"only the part by {names[bad[0]]} is wrong"
        return Cause(
            words, True, _describe_effect(factor, several=False), of_a_part=True, by_one=True
        )
    factor = _factor(_select_entries(claimed, off), _select_entries(exact, off))
    words = f"{count} of {total} entries {'is' if count == 1 else 'are'} wrong"
    if len(bad) == 1 and (named := _region_of(off[bad[0]], claimed[bad[0]], exact[bad[0]])):
        by = f" of the part by {names[bad[0]]}" if len(names) > 1 else ""
        words += f", all {named}{by}"
    return Cause(words, True, _describe_effect(factor, several=count > 1), of_a_part=True)


def _describe_effect(factor: str, several: bool) -> str:
    """What a factor does to the entries; empty for none."""
    if not factor:
        return ""
    if factor == _NEGATED:
        return "the sign is flipped"
    return f"{'each' if several else 'it'} is {factor}{' here' * (factor == 'zero')}"


def _region_of(off: Any, claimed: Any, exact: Any) -> str:
    """What the wrong entries are together, if they are just that: rows, a triangle, a block."""
    if off.ndim != 2 or np.count_nonzero(off) < 2:
        return ""
    # An entry that is zero, and claimed to be, is of either kind.
    either = (exact == 0) & (claimed == 0)
    for words, region in _regions(off):
        if not np.all(region) and np.all((off == region) | (either & region)):
            return words
    return ""


def _regions(off: Any) -> Iterator[tuple[str, Any]]:
    """Regions of a matrix that hold all of some entries, in words, the simplest first."""
    rows, columns = (np.flatnonzero(np.any(off, axis=axis)) for axis in (1, 0))
    for noun, found, region in (
        ("row", rows, np.isin(np.arange(off.shape[0]), rows)[:, None] | np.zeros_like(off)),
        ("column", columns, np.isin(np.arange(off.shape[1]), columns) | np.zeros_like(off)),
    ):
        if len(found) <= _MOST_NAMED:
            yield f"in {noun}{'s' * (len(found) > 1)} {', '.join(map(str, found))}", region
    if off.shape[0] == off.shape[1]:
        i, j = np.indices(off.shape)
        yield "on the diagonal", i == j
        yield "above the diagonal", i < j
        yield "below the diagonal", i > j
        yield "in the upper triangle", i <= j
        yield "in the lower triangle", i >= j
        yield "off the diagonal", i != j
    block = np.zeros_like(off)
    spans = [slice(found[0], found[-1] + 1) for found in (rows, columns)]
    block[tuple(spans)] = True
    yield f"in the block [{', '.join(f'{span.start}:{span.stop}' for span in spans)}]", block


def _select_entries(parts: Sequence[Any], flags: Sequence[Any]) -> Any:
    return np.concatenate(
        [np.asarray(part, float)[which] for part, which in zip(parts, flags, strict=True)]
    )


_OTHER_WAY: Final = {"vjp": "jvp", "jvp": "vjp"}


def describe_misdirection(claim: Claim, observations: Sequence[Observation]) -> str:
    """What is done wrongly with the directions, in words; empty if that is not it.

    The first observation is the one to explain; the others have to fit.
    """
    if not claim.quantity.directions:
        return ""
    count = len(observations[0].x)
    along = claim.quantity.direction_places(count)
    names = [argument_names(claim.function, count)[at] for at in along]
    named = f"the {PRODUCTS[claim.quantity.name]}{'s' * (len(names) > 1)} {' and '.join(names)}"
    verb = "are" if len(names) > 1 else "is"
    tape = tape_derivative(claim.function, claim.quantity, count)
    if _fits(observations, lambda x: tape(*_fill_directions(x, along))):
        return f"{named} {verb} not used: the claim is the product with ones"
    if _fits(observations, lambda x: _transposed_product(claim, x)):
        side = (
            "transposed Jacobian" if claim.quantity.name == "jvp" else "Jacobian, not transposed,"
        )
        return f"the claim is the {side} times {named}"
    here = observations[0]
    if not any(np.any(here.x[at]) for at in along):
        return f"{named} {verb} zero here, and the product is not"
    return ""


def _fill_directions(x: Sequence[Any], along: Sequence[int]) -> list[Any]:
    return [np.ones_like(arg)[()] if at in along else arg for at, arg in enumerate(x)]


def _transposed_product(claim: Claim, x: Sequence[Any]) -> Any:
    """The product from the other side, where that has the same shape."""
    other = _OTHER_WAY.get(claim.quantity.name)
    if other is None or claim.quantity.directions != 1 or len(claim.quantity.rows(len(x))) != 1:
        return None
    return tape_derivative(claim.function, replace(claim.quantity, name=other), len(x))(*x)


def _fits(observations: Sequence[Observation], product: Callable[[Sequence[Any]], Any]) -> bool:
    """Whether `product` is what is claimed, everywhere, and not everywhere what is exact."""
    telling = False
    for seen in observations:
        try:
            found = product(seen.x)
        except (SymtapeError, NotADerivative, LookupError, ValueError, TypeError):
            return False
        parts = found if isinstance(found, list | tuple) else [found]
        if found is None or not _are_alike(parts, seen.claimed):
            return False
        telling = telling or not _are_alike(parts, seen.exact)
    return telling


def _are_alike(one: Sequence[Any], other: Sequence[Any]) -> bool:
    return list(map(np.shape, one)) == list(map(np.shape, other)) and are_parts_close(one, other)
