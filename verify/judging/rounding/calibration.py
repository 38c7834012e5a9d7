"""Calibration: whether the rounding constants of the rows hold on this machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from verify.errors import UsageError

if TYPE_CHECKING:
    from symtape.primitives.primitive import Primitive
    from symtape.rigorous.measuring import Measurement

DTYPES: Final = ("float64", "float32", "float16")


def calibrate(
    names: Sequence[str] = (),
    points: int = 200,
    seed: int = 0,
) -> Iterator[Measurement]:
    """Measure every elementwise row in every dtype.

    Parameters
    ----------
    names : sequence of str
        Only these rows.
    points : int
        How many are tried for each row and dtype.
    seed : int

    Raises
    ------
    UsageError
        No row of a name, or one whose rounding is not measured so.

    Examples
    --------
    >>> [one.exceeds for one in calibrate(["sqrt"], points=20)]
    [False, False, False]
    """
    from symtape.rigorous.measuring import measure

    for row in _rows(names):
        for dtype in DTYPES:
            if (measured := measure(row, dtype, points, seed)) is not None:
                yield measured


def _rows(names: Sequence[str]) -> Iterator[Primitive]:
    import symtape.primitives.special  # noqa: F401  # declares its rows
    from symtape.primitives.primitive import PRIMITIVES
    from symtape.rigorous.measuring import measurable

    known = {name: row for name, row in sorted(PRIMITIVES.items()) if measurable(row)}
    for name in names:
        if name not in known:
            raise UsageError(
                f"no elementwise row {name!r} that computes floats; expected a name such as "
                f"'exp' or 'gammaln', as in 'symtape verify primitives --list'"
            )
    yield from (known[name] for name in (names or known))


def format_measurement(measured: Measurement) -> str:
    """A measurement in a line."""
    k_in, k_out = measured.constants
    head = f"{measured.name:20s} {measured.dtype:8s} k_in {k_in:g}, k_out {k_out:g}"
    if not measured.exceeds:
        return f"{head}: holds; takes {measured.scale:g} of it at {measured.points} points"
    worst = ", ".join(str(x) for x in measured.worst)
    return f"{head}: too small here; takes {measured.scale:g} times as much at {worst}"
