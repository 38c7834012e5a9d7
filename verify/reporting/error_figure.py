"""The error of a claim as a Matplotlib figure, for prompts and notebooks."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, NullLocator
from numpy.typing import NDArray

from symtape.recording.structure import flatten
from verify.claimants.claim import claim_of
from verify.errors import UsageError
from verify.model.outcome import PointOutcome
from verify.model.result import Result
from verify.model.searched import Survey
from verify.reporting import wording

_SIZE: Final = (6.4, 3.6)
_LEAST, _MOST = 1e-17, 1e1
"""Relative errors between which the colours of a picture change."""


class ErrorFigure(Figure):
    """A figure that a notebook shows without pyplot."""

    def _repr_png_(self) -> bytes:
        out = io.BytesIO()
        self.savefig(out, format="png", dpi=120)
        return out.getvalue()


def figure(result: Result) -> Figure:
    """The error over the region, or of each entry at the worst point where one of several fails.

    Raises
    ------
    UsageError
        The result was read from a report, or has no point with an error.

    Examples
    --------
    >>> import numpy as np, verify
    >>> def jac(x):
    ...     return np.diag(-2 * x)
    >>> drawn = verify.jacobian(lambda x: x**2, jac, at=[[1.0, 2.0]]).plot()
    >>> drawn.get_suptitle()
    'jacobian: 2 of 4 entries are wrong'
    """
    drawn = ErrorFigure(figsize=_SIZE, layout="constrained")
    survey, point = result.survey, result.worst
    entries_fail = result.fails and point is not None and point.entry
    if survey is not None and survey.names and not entries_fail:
        _draw_region(drawn.add_subplot(), survey, result)
    elif point is not None and point.worst is not None and result.case is not None:
        _draw_entries(drawn, point, result)
    else:
        raise UsageError(f"there is no error to draw for {result!r}")
    return drawn


def _draw_region(axes: Axes, survey: Survey, result: Result) -> None:
    """Dots: the error at each point, over the coordinate along which it varies most."""
    at = int(np.argmax([_spread(column, survey.ulps) for column in survey.coordinates.T]))
    axes.plot(survey.coordinates[:, at], survey.ulps + 1, ".", markersize=3, alpha=0.6)
    axes.set_yscale("log")
    axes.set_ylim(0.8, 4 * np.max(survey.ulps + 1, initial=1, where=np.isfinite(survey.ulps)))
    if _spans_decades(survey.coordinates[:, at]):
        axes.set_xscale("log")
    axes.set_xlabel(survey.names[at])
    axes.set_ylabel("error in ulps, plus 1")
    axes.set_title(f"{result.verdict.value}: error of the {result.quantity} of {result.id}")
    axes.grid(visible=True, alpha=0.3)


def _spans_decades(coordinate: NDArray[np.float64]) -> bool:
    """Whether decades suit an axis; down to subnormal numbers they would leave others no room."""
    return bool(coordinate.min() > 1e-100 and coordinate.max() > 1e3 * coordinate.min())


def _spread(coordinate: NDArray[np.float64], ulps: NDArray[np.float64]) -> float:
    """How much of the error depends on a coordinate: the spread of its means along it."""
    bits = np.log2(1 + np.nan_to_num(ulps, posinf=1e18))[np.argsort(coordinate)]
    return float(np.std([np.mean(part) for part in np.array_split(bits, 16) if part.size]))


def _draw_entries(drawn: Figure, point: PointOutcome, result: Result) -> None:
    """A picture of each part of the derivative: the relative error of each entry."""
    pictures = list(_errors(point, result))
    total = sum(errors.size for errors, _ in pictures)
    wrong = sum(int(np.sum(bad)) for _, bad in pictures)
    verb = "is" if wrong == 1 else "are"
    for number, (errors, bad) in enumerate(pictures, start=1):
        axes = drawn.add_subplot(1, len(pictures), number)
        image = axes.imshow(
            np.clip(errors, _LEAST, _MOST), norm=LogNorm(_LEAST, _MOST), cmap="magma_r"
        )
        rows, columns = np.nonzero(bad)
        axes.plot(columns, rows, "x", color="white")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.yaxis.set_major_locator(
            MaxNLocator(integer=True) if len(errors) > 1 else NullLocator()
        )
    drawn.suptitle(f"{result.quantity}: {wrong} of {total} entries {verb} wrong")
    drawn.supxlabel(", ".join(wording.input_line(it, 3) for it in point.inputs), fontsize="medium")
    drawn.colorbar(image, ax=list(drawn.axes), label="relative error")


def _errors(
    point: PointOutcome, result: Result
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.bool_]]]:
    """The relative errors beside the tape's derivative, as matrices, and which are at fault."""
    claim = claim_of(result.case)
    tape = claim.tape(len(point.x)).derivative(*point.x)
    exact = [np.asarray(part, float) for part in flatten(tape)]
    claimed = claim.answer(point.x, [part.shape for part in exact]).parts
    for one, other in zip(claimed, exact, strict=True):
        error = np.abs(np.asarray(one, float) - other)
        size = np.abs(other)
        relative = np.divide(error, size, out=np.where(error > 0, np.inf, 0.0), where=size > 0)
        rows = relative.shape[0] if relative.ndim > 1 else 1
        matrix = relative.reshape(rows, -1)
        threshold = max(point.relative_error or 0.0, 0.0) / 1e3 if result.fails else np.inf
        yield matrix, matrix > threshold
