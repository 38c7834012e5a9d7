"""Symmetric and positive definite matrices, as spaces."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from verify.errors import UsageError
from verify.regions.box import Box, box
from verify.regions.shapes import to_count, to_dtype
from verify.regions.space import Space
from verify.regions.square import matrix_from_spectrum, rotation, symmetric_kinds


class Symmetric(Space):
    """Exactly symmetric matrices; made by :func:`symmetric`.

    The free numbers are the entries on and above the diagonal; one that is off the diagonal moves
    with its mirror image, so what moves stays symmetric.
    """

    def __init__(self, n: int, scale: float, dtype: np.dtype[Any]) -> None:
        self.n, self.scale, self.dtype = n, scale, dtype
        self.shapes = ((n, n),)
        self.rows, self.columns = np.triu_indices(n)
        self.triangle: Box = box(-scale, scale, (len(self.rows),), dtype)

    def format_call(self) -> str:
        """The call that makes it, without its module."""
        kind = "" if self.dtype == np.float64 else f", dtype='{self.dtype}'"
        return f"symmetric({self.n}, scale={self.scale!r}{kind})"

    def contains(self, value: Any) -> bool:
        """Whether `value` is symmetric, and no entry too large."""
        return (
            self.holds(value)
            and bool((value == value.T).all())
            and bool((np.abs(value) <= self.scale).all())
        )

    def describe(self, name: str) -> str:
        """A few words for people."""
        return f"{name} symmetric {self.n}×{self.n}, entries up to {self.scale:g} in size"

    def members(self, most: int) -> list[Any] | None:
        """All values, or ``None`` if there are more than `most`."""
        flat = self.triangle.members(most)
        return None if flat is None else [self.full(vector) for vector in flat]

    def full(self, triangle: np.ndarray) -> np.ndarray:
        """The matrix with these entries on and above its diagonal, row by row."""
        matrix = np.zeros((self.n, self.n), dtype=self.dtype)
        matrix[self.rows, self.columns] = triangle
        matrix[self.columns, self.rows] = triangle
        return matrix

    def kinds(self) -> list[Iterator[Any]]:
        """Special values, one finite iterator a kind."""
        made = [
            filter(self.contains, (matrix.astype(self.dtype) for matrix in kind))
            for kind in symmetric_kinds(self.n, self.scale)
        ]
        return [*made, *(map(self.full, kind) for kind in self.triangle.kinds())]

    def draw(self, random: np.random.Generator, manner: str) -> Any:
        """One value by chance; those drawn ``"mixed"`` have eigenvalues of all magnitudes."""
        if manner != "mixed" or self.n == 0:
            return self.full(self.triangle.draw(random, manner))
        sizes = 10.0 ** random.uniform(-16, 0, self.n) * random.choice([-1.0, 1.0], self.n)
        drawn = matrix_from_spectrum(
            basis_by_chance(random, self.n), sizes * min(self.scale, 1e300)
        )
        return np.clip(drawn, -self.scale, self.scale).astype(self.dtype)

    def simpler(self, value: Any) -> Iterator[Any]:
        """Proposals that may be simpler than `value`."""
        yield np.zeros_like(value)
        yield np.eye(self.n, dtype=self.dtype)
        yield np.diag(np.diag(value))
        for vector in self.triangle.simpler(value[self.rows, self.columns]):
            yield self.full(vector)

    def coordinates(self, value: Any) -> tuple[np.ndarray, list[str]]:
        """The entries on and above the diagonal."""
        labels = [f"[{i}, {j}]" for i, j in zip(self.rows, self.columns, strict=True)]
        return value[self.rows, self.columns].astype(np.float64), labels

    def freedom(self) -> int:
        """How many entries are on and above the diagonal."""
        return len(self.rows)

    def replace_coordinate(self, value: Any, k: int, number: float) -> Any | None:
        """`value` with an entry and its mirror image moved."""
        moved = self.triangle.replace_coordinate(value[self.rows, self.columns], k, number)
        if moved is None:
            return None
        matrix = self.full(moved)
        return matrix if self.contains(matrix) else None

    def bounds(self, k: int) -> tuple[float, float]:
        """The bounds of every entry."""
        return self.triangle.bounds(k)


class PositiveDefinite(Symmetric):
    """Symmetric matrices with eigenvalues above zero; made by :func:`positive_definite`.

    Moving an entry may lead out of the space; :meth:`replace_coordinate` answers ``None`` then.
    """

    def __init__(self, n: int, condition: float, scale: float, dtype: np.dtype[Any]) -> None:
        super().__init__(n, scale, dtype)
        self.condition = condition

    def format_call(self) -> str:
        """The call that makes it, without its module."""
        kind = "" if self.dtype == np.float64 else f", dtype='{self.dtype}'"
        return (
            f"positive_definite({self.n}, condition={self.condition:g}, scale={self.scale!r}{kind})"
        )

    def contains(self, value: Any) -> bool:
        """Whether `value` is symmetric with positive eigenvalues that are not too far apart."""
        if not super().contains(value):
            return False
        if self.n == 0:
            return True
        largest = float(np.abs(value).max())
        if largest < float(np.finfo(self.dtype).tiny) / float(np.finfo(self.dtype).eps):
            return False
        values = np.linalg.eigvalsh(np.asarray(value, dtype=np.float64) / largest)
        return bool(values[0] > 0 and values[-1] <= self.condition * (1 + 1e-9) * values[0])

    def describe(self, name: str) -> str:
        """A few words for people."""
        return (
            f"{name} positive definite {self.n}×{self.n}, condition up to {self.condition:g}, "
            f"entries up to {self.scale:g} in size"
        )

    def members(self, most: int) -> list[Any] | None:
        """All values if there is only one, the empty matrix."""
        return [self.full(np.empty(0))] if self.n == 0 else None

    def kinds(self) -> list[Iterator[Any]]:
        """Special values, one finite iterator a kind, the last as badly conditioned as may be."""
        made: list[Iterator[Any]] = [
            filter(self.contains, (matrix.astype(self.dtype) for matrix in kind))
            for kind in [*symmetric_kinds(self.n, self.scale), self._extreme()]
        ]
        return made if self.n else [iter([self.full(np.empty(0))])]

    def _extreme(self) -> Iterator[np.ndarray]:
        room = min(1.0, self.scale)
        for part in (1.0, 0.9, 0.5, 0.1):
            values = np.geomspace(1.0, 1 / max(1.0, part * self.condition), self.n)
            for basis in (np.eye(self.n), rotation(self.n)):
                yield room * matrix_from_spectrum(basis, values)

    def draw(self, random: np.random.Generator, manner: str) -> Any:
        """One value by chance: eigenvectors evenly, eigenvalues evenly or by magnitude."""
        if self.n == 0:
            return self.full(np.empty(0))
        least = 1 / self.condition
        part = random.random(self.n)
        spread = least + (1 - least) * part if manner in ("uniform", "whole") else least**part
        basis = basis_by_chance(random, self.n)
        size = self.scale * random.uniform(0.01, 1.0)
        if manner == "whole":
            basis, spread = np.eye(self.n), np.ceil(8 * part)
            size = min(self.scale, 8.0) / 8
        shift = 0.0
        while True:
            drawn = (size * matrix_from_spectrum(basis, spread + shift) / (1 + shift)).astype(
                self.dtype
            )
            if self.contains(drawn):
                return drawn
            shift = 2 * shift + least
            if shift > 1e3:
                return (min(1.0, self.scale) * np.eye(self.n)).astype(self.dtype)


def basis_by_chance(random: np.random.Generator, n: int) -> np.ndarray:
    """An orthogonal n×n matrix by chance (Stewart, SIAM J. Numer. Anal. 17, 1980)."""
    q, r = np.linalg.qr(random.standard_normal((n, n)))
    return np.asarray(q * np.where(np.diag(r) < 0, -1.0, 1.0))


def symmetric(n: int, scale: float = 10.0, dtype: Any = np.float64) -> Symmetric:
    """Symmetric n×n matrices with entries from -scale to `scale`.

    Parameters
    ----------
    n : int
    scale : float
    dtype : float64, float32 or float16

    Raises
    ------
    UsageError
        `n` is no whole number from 0, or `scale` no positive number.

    Examples
    --------
    >>> symmetric(3).describe("A")
    'A symmetric 3×3, entries up to 10 in size'
    """
    kind = to_dtype(dtype)
    return Symmetric(to_count(n, "n", axes=2), _scale(scale, kind), kind)


def positive_definite(
    n: int, condition: float = 1e6, scale: float = 10.0, dtype: Any = np.float64
) -> PositiveDefinite:
    """Symmetric n×n matrices with positive eigenvalues and entries up to `scale` in size.

    Parameters
    ----------
    n : int
    condition : float
        How many times the largest eigenvalue may be the smallest.
    scale : float
    dtype : float64, float32 or float16

    Raises
    ------
    UsageError
        A condition that the dtype cannot tell from singular, or as for :func:`symmetric`.

    Examples
    --------
    >>> positive_definite(2).contains(np.eye(2)), positive_definite(2).contains(np.ones((2, 2)))
    (True, False)
    """
    kind = to_dtype(dtype)
    count = to_count(n, "n", axes=2)
    most = 0.05 / float(np.finfo(kind).eps) / max(1, count)
    if not _is_number(condition) or not 1 <= condition <= most:
        raise UsageError(
            f"condition={condition!r}; expected a number from 1 to {most:.2g}, beyond which "
            f"{kind} does not tell a {count}×{count} matrix from a singular one"
        )
    limit = _scale(scale, kind)
    least = float(np.finfo(kind).tiny) / float(np.finfo(kind).eps)
    if limit < 4 * least:
        raise UsageError(f"scale={scale!r}; expected {4 * least:.2g} or more, well above underflow")
    return PositiveDefinite(count, float(condition), limit, kind)


def _scale(scale: Any, kind: np.dtype[Any]) -> float:
    if not _is_number(scale) or not 0 < scale <= float(np.finfo(kind).max):
        raise UsageError(
            f"scale={scale!r}; expected a positive number, at most {float(np.finfo(kind).max):.4g}"
        )
    return float(scale)


def _is_number(given: Any) -> bool:
    return (
        isinstance(given, int | float | np.integer | np.floating)
        and not isinstance(given, bool)
        and math.isfinite(given)
    )
