"""Plots as plain data, whatever draws them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, Self, TypeAlias

import numpy as np

from symtape.one_line import OneLineRepr

_DIGITS: Final = 4


@dataclass(frozen=True, slots=True, repr=False)
class Series(OneLineRepr):
    """One named curve or cloud of points, of as many `x` as `y`."""

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.x) != len(self.y):
            raise ValueError(
                f"series {self.name!r} has {len(self.x)} values of x and {len(self.y)} of y; "
                "give one y for each x"
            )


@dataclass(frozen=True, slots=True, repr=False)
class _Curves(OneLineRepr):
    """Series over one axis."""

    title: str
    series: tuple[Series, ...]
    x_label: str = ""
    y_label: str = ""
    x_scale: Literal["linear", "log", "symlog"] = "linear"
    y_scale: Literal["linear", "log", "symlog"] = "linear"

    @classmethod
    def from_arrays(cls, title: str, x: Any, curves: Mapping[str, Any], **labels: Any) -> Self:
        """From one array of abscissas and named arrays of ordinates.

        Examples
        --------
        >>> Lines.from_arrays("a line", [0.0, 1.0], {"y": [2.0, 3.0]}, x_label="x").series
        (Series(name='y', x=(0.0, 1.0), y=(2.0, 3.0)),)
        >>> Scatter.from_arrays("dots", [0.0], {"error": [2.0]}, y_scale="log").y_scale
        'log'
        """
        return cls(title, _series(x, curves), **labels)


@dataclass(frozen=True, slots=True, repr=False)
class Lines(_Curves):
    """A line plot."""

    kind: Literal["lines"] = "lines"


@dataclass(frozen=True, slots=True, repr=False)
class Scatter(_Curves):
    """A scatter plot."""

    kind: Literal["scatter"] = "scatter"


@dataclass(frozen=True, slots=True, repr=False)
class HeatMap(OneLineRepr):
    """A matrix as colours, centred on zero.

    Attributes
    ----------
    title, x_label, y_label : str
    rows : tuple of tuple of float
        The matrix, first row on top.
    patch : tuple of int, or None
        Height and width of the patches the matrix is made of; they are drawn apart.
    extent : tuple of float, or None
        Left, right, bottom, top, for the axes; the entries' positions by default.
    """

    title: str
    rows: tuple[tuple[float, ...], ...]
    x_label: str = ""
    y_label: str = ""
    patch: tuple[int, int] | None = None
    extent: tuple[float, float, float, float] | None = None
    kind: Literal["heat map"] = "heat map"

    def __post_init__(self) -> None:
        widths = sorted({len(row) for row in self.rows})
        if len(widths) > 1:
            raise ValueError(
                f"rows of {self.title!r} must have one length, got lengths {widths}; "
                "fill the short ones"
            )

    @classmethod
    def from_matrix(cls, title: str, matrix: Any, **rest: Any) -> Self:
        """From a matrix, any 2-D array.

        Examples
        --------
        >>> HeatMap.from_matrix("Hessian", [[2, 0], [0, -2]]).rows
        ((2.0, 0.0), (0.0, -2.0))
        """
        array = np.asarray(matrix, dtype=np.float64)
        if array.ndim != 2:
            raise ValueError(
                f"matrix must have 2 axes, got shape {array.shape}; reshape it, a patch a block"
            )
        return cls(
            title, tuple(tuple(map(round_for_drawing, row)) for row in array.tolist()), **rest
        )


Plot: TypeAlias = Lines | Scatter | HeatMap


def round_for_drawing(value: float) -> float:
    """`value` to the digits that a drawing can show.

    Examples
    --------
    >>> round_for_drawing(0.123456789), round_for_drawing(1234567.0)
    (0.1235, 1235000.0)
    """
    return float(f"{value:.{_DIGITS}g}")


def _series(x: Any, curves: Mapping[str, Any]) -> tuple[Series, ...]:
    def flat(values: Any) -> tuple[float, ...]:
        return tuple(map(round_for_drawing, np.asarray(values, dtype=np.float64).ravel().tolist()))

    return tuple(Series(name, flat(x), flat(y)) for name, y in curves.items())
