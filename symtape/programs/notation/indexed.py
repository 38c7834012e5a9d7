"""Sums of products of indexed arrays, in a normal form in which equal ones are mostly alike.

``A @ x - b`` is the sum, with free index 0, of ``A[0, 1] * x[1]`` and ``-b[0]``: what a term has
beyond the free indices is summed over. Free indices are numbered from 0, those that are summed over
from there on.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final, TypeAlias

from symtape.errors import Unsupported

Shape: TypeAlias = tuple[int, ...]
Indices: TypeAlias = tuple[int, ...]


SYMMETRIC: Final = "symmetric"
"""The parameter of an inverse whose matrix is given by its lower half."""


class NotReadable(Unsupported):
    """What has no readable form in array notation, and why."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Base:
    """An array whose elements are factors.

    Attributes
    ----------
    kind : str
        ``leaf``, ``number``, ``size``, ``delta``, ``group``, ``each`` (a function of each element)
        or ``whole`` (of whole arrays).
    name : str
        Of the array, or of the function.
    shape : tuple of int
    arguments : tuple of Sum
        Of ``each`` and ``group`` in the indices of the array itself; of ``whole`` in their own.
    params : tuple
        What else the function is told; of a number its value.
    """

    kind: str
    name: str
    shape: Shape
    arguments: tuple[Sum, ...] = ()
    params: tuple[Any, ...] = ()
    key: str = field(init=False)

    def __post_init__(self) -> None:
        inside = [argument.key for argument in self.arguments]
        object.__setattr__(
            self, "key", digest(self.kind, self.name, self.shape, inside, self.params)
        )

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name} {self.key}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Base) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


@dataclass(frozen=True, slots=True)
class Factor:
    """``base[indices] ** power``."""

    base: Base
    indices: Indices
    power: Fraction = Fraction(1)


@dataclass(frozen=True, slots=True)
class Term:
    """A product, summed over the indices that are not free.

    Attributes
    ----------
    coefficient : Fraction
    factors : tuple of Factor
    extents : tuple of int
        How far the indices go that are summed over, in order.
    """

    coefficient: Fraction
    factors: tuple[Factor, ...] = ()
    extents: Shape = ()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Sum:
    """A sum of terms with the free indices ``0 .. len(shape) - 1``."""

    shape: Shape
    terms: tuple[Term, ...]
    key: str = field(init=False)

    def __post_init__(self) -> None:
        said = sorted(
            (str(t.coefficient), [(f.base.key, f.indices, str(f.power)) for f in t.factors])
            for t in self.terms
        )
        object.__setattr__(self, "key", digest(self.shape, said))

    def __repr__(self) -> str:
        return f"<sum {self.shape} {self.key}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sum) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    @property
    def used(self) -> frozenset[int]:
        """The free indices on which it depends."""
        rank = len(self.shape)
        return frozenset(i for t in self.terms for f in t.factors for i in f.indices if i < rank)

    @property
    def single(self) -> Term | None:
        """Its term, if it has just one."""
        return self.terms[0] if len(self.terms) == 1 else None

    @property
    def constant(self) -> Fraction | None:
        """The number that it is everywhere, if it is an exact one."""
        if not self.terms:
            return Fraction(0)
        only = self.single
        return only.coefficient if only is not None and not only.factors else None


def digest(*parts: Any) -> str:
    """A short name for what these are."""
    return hashlib.blake2b(repr(parts).encode(), digest_size=12).hexdigest()


@dataclass(slots=True)
class Product:
    """A term that is being made, with any numbers for its indices.

    Attributes
    ----------
    coefficient : Fraction
    factors : list of Factor
    extents : dict
        How far each index goes, free or not. Over one that is not free it is summed, also where
        no factor depends on it.
    """

    coefficient: Fraction
    factors: list[Factor]
    extents: dict[int, int]

    def fresh(self, extent: int) -> int:
        """A further index."""
        made = max(self.extents, default=-1) + 1
        self.extents[made] = extent
        return made

    def times(self, term: Term, free: Sequence[int]) -> None:
        """Multiply by a term whose free indices are `free` here."""
        names = dict(enumerate(free))
        for k, extent in enumerate(term.extents, len(free)):
            names[k] = self.fresh(extent)
        self.coefficient *= term.coefficient
        self.factors += [rename_indices(f, names) for f in term.factors]


def rename_indices(factor: Factor, names: Mapping[int, int]) -> Factor:
    """A factor with other numbers for its indices."""
    indices = tuple([names.get(i, i) for i in factor.indices])
    return Factor(factor.base, indices, factor.power)


def delta(extent: int) -> Base:
    """The unit matrix."""
    return Base("delta", "eye", (extent, extent))


def number(value: Fraction | int, shape: Shape = ()) -> Sum:
    """A number, everywhere in an array of that shape."""
    return Sum(shape, (Term(Fraction(value)),) if value else ())


def array_as_sum(base: Base) -> Sum:
    """An array as a sum of one term."""
    return Sum(base.shape, (Term(Fraction(1), (Factor(base, tuple(range(len(base.shape)))),)),))
