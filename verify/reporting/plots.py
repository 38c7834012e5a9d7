"""Plots as SVG that stands inside a page: its text is the page's, its colours are variables.

matplotlib draws in colours that stand for the page's own; :mod:`verify.reporting.plots` puts the
page's in their place, so that one drawing serves light, dark and paper.
"""

from __future__ import annotations

import io
import math
import re
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from verify.model.figures import HeatMap, Lines, Plot, Scatter, Series
from verify.reporting import wording
from verify.reporting.legible import one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

INK: Final = "#010101"
"""Stands for the page's ink while drawing."""
RULE: Final = "#020202"
"""Stands for the page's rules."""
LABEL: Final = "#090909"
"""Stands for text on colours: the page's ink with a rim of its paper."""
SERIES: Final = ("#030303", "#040404", "#050505", "#060606", "#070707", "#080808")
"""Stand for the colours of curves."""
NEGATIVE: Final = "#2f6fdb"
"""Below zero: as good on white as on black, for pixels cannot follow the page."""
POSITIVE: Final = "#d9622b"
"""Above zero."""

_VARIABLES: Final[Mapping[str, str]] = {
    INK: "var(--plot-ink, #555)",
    RULE: "var(--plot-rule, #bbb)",
    LABEL: "var(--ink, #111); stroke: var(--paper, #fff); stroke-width: 2.5px; "
    "stroke-linejoin: round; paint-order: stroke",
    **{stand_in: f"var(--series-{at}, #777)" for at, stand_in in enumerate(SERIES, start=1)},
}
_NUMBER: Final = re.compile(r"-?\d+\.\d{3,}")
_REFERENCE: Final = re.compile(r"#([-\w]+)")
_GEOMETRY: Final = ("d", "x", "y", "width", "height", "transform", "points")
_DULL: Final = re.compile(r"(stroke-miterlimit: [^;]*|stroke-linejoin: [^;]*);? ?")
_FONT: Final = re.compile(r"font-family: [^;]*;? ?")

CELLS: Final = 100
"""A heat map is drawn with at most this many rows, and columns."""

DASHES: Final = ("solid", (0, (5, 2)), (0, (1.5, 1.5)), (0, (5, 2, 1.5, 2)))
"""The strokes of the first curves, so that none is told by colour alone."""

_POINTS: Final = 1000
_LARGEST: Final = 1e300
_WIDTH, _LINES_HEIGHT, _MAP_HEIGHT = 4.6, 2.9, 3.7
_STYLE: Final[Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "symtape",
    "image.composite_image": False,
    "path.simplify": True,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9.0,
    "text.parse_math": False,
    "text.color": INK,
    "axes.edgecolor": RULE,
    "axes.facecolor": "none",
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.unicode_minus": True,
    "axes.formatter.useoffset": False,
    "axes.linewidth": 0.8,
    "figure.facecolor": "none",
    "grid.color": RULE,
    "grid.linewidth": 0.5,
    "xtick.color": RULE,
    "ytick.color": RULE,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.major.size": 0.0,
    "ytick.major.size": 0.0,
    "xtick.minor.size": 0.0,
    "ytick.minor.size": 0.0,
    "lines.linewidth": 1.6,
}


def svg(plot: Plot, prefix: str) -> str:
    """The plot as one ``<svg>`` element; its ids begin with `prefix`, unique on the page."""
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    height = _MAP_HEIGHT if isinstance(plot, HeatMap) else _LINES_HEIGHT
    out = io.StringIO()
    with mpl.rc_context(_STYLE), _quietly():
        figure = Figure(figsize=(_WIDTH, height), layout="tight")
        FigureCanvasSVG(figure)
        if isinstance(plot, HeatMap):
            _draw_map(figure, plot)
        else:
            _draw_series(figure.add_subplot(), plot)
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure.savefig(out, format="svg", metadata=nothing)
    return inline_drawing(out.getvalue(), prefix, one_line(plot.title), describe_plot(plot))


def describe_plot(plot: Plot) -> str:
    """What the plot shows, for those who cannot see it.

    Examples
    --------
    >>> describe_plot(Lines.from_arrays("t", [0.0, 2.0], {"y": [1.0, 3.0]}, x_label="x"))
    'Line plot of y over x; x from 0 to 2, y from 1 to 3.'
    """
    if isinstance(plot, HeatMap):
        matrix = _matrix(plot)
        size = f"{matrix.shape[0]} by {matrix.shape[1]}"
        cells, zeros = matrix.size, int(np.sum(matrix == 0.0))
        return (
            f"Heat map of a {size} matrix, centred on zero; entries from "
            f"{_extremes(matrix)}; {zeros:,} of {cells:,} are exactly zero."
        )
    kind = "Line plot" if isinstance(plot, Lines) else "Scatter plot"
    names = ", ".join(one_line(series.name, 60) for series in plot.series) or "nothing"
    x = np.concatenate([[], *(series.x for series in plot.series)])
    y = np.concatenate([[], *(series.y for series in plot.series)])
    over = f" over {one_line(plot.x_label, 60)}" if plot.x_label else ""
    return f"{kind} of {names}{over}; x from {_extremes(x)}, y from {_extremes(y)}."


def reduce_matrix(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """`matrix` with at most `CELLS` rows and columns.

    Each block gives its entry of largest magnitude, NaN before all, so that nothing that is
    not zero is lost.
    """
    for axis in (0, 1):
        step = math.ceil(matrix.shape[axis] / CELLS)
        if step > 1:
            matrix = np.swapaxes(_largest(np.swapaxes(matrix, axis, 0), step), axis, 0)
    return matrix


def _largest(matrix: NDArray[np.float64], step: int) -> NDArray[np.float64]:
    rows, columns = matrix.shape
    blocks = np.pad(matrix, ((0, -rows % step), (0, 0))).reshape(-1, step, columns)
    chosen = np.argmax(np.abs(blocks), axis=1)
    return np.take_along_axis(blocks, chosen[:, np.newaxis], axis=1)[:, 0]


def _draw_series(axes: Axes, plot: Lines | Scatter) -> None:
    for number, series in enumerate(plot.series):
        colour = SERIES[number % len(SERIES)]
        x, y = _thin_series(series)
        if isinstance(plot, Lines):
            axes.plot(x, y, color=colour, linestyle=DASHES[number % len(DASHES)])
        else:
            marker = "osD^"[number % 4]
            axes.scatter(x, y, s=10, color=colour, alpha=0.75, marker=marker, linewidths=0)
    axes.grid(visible=True)
    axes.set_axisbelow(True)
    axes.set_xlabel(one_line(plot.x_label, 80))
    axes.set_ylabel(one_line(plot.y_label, 80))
    _scale(axes, "x", plot.x_scale)
    _scale(axes, "y", plot.y_scale)


def _scale(axes: Axes, which: str, scale: str) -> None:
    from matplotlib.ticker import FuncFormatter, NullFormatter

    if scale == "linear":
        return
    (axes.set_xscale if which == "x" else axes.set_yscale)(scale)
    axis = axes.xaxis if which == "x" else axes.yaxis
    axis.set_major_formatter(FuncFormatter(lambda value, _: wording.power_of_ten(value)))
    axis.set_minor_formatter(NullFormatter())


def _draw_map(figure: Figure, plot: HeatMap) -> None:
    matrix = _matrix(plot)
    finite = np.abs(matrix[np.isfinite(matrix)])
    limit = float(finite.max(initial=0.0)) or 1.0
    rows, columns = matrix.shape
    left, right, bottom, top = plot.extent or (-0.5, columns - 0.5, rows - 0.5, -0.5)
    axes, bar = figure.subplots(1, 2, width_ratios=[20, 1])
    _image(axes, reduce_matrix(matrix), limit, (left, right, bottom, top))
    stretched = not 1 / 3 <= abs((right - left) / ((top - bottom) or 1.0)) <= 3
    axes.set_aspect("auto" if stretched else "equal")
    axes.set_anchor("E")
    for spine in (*axes.spines.values(), *bar.spines.values()):
        spine.set_visible(True)
    if plot.extent is None:
        _whole_ticks(axes, rows, columns)
    if plot.patch is not None:
        _separate(axes, plot.patch, matrix.shape, (left, right, bottom, top))
    if plot.extent is None and max(rows, columns) <= 6:
        _number(axes, matrix)
    axes.set_xlabel(one_line(plot.x_label, 80))
    axes.set_ylabel(one_line(plot.y_label, 80))
    _colour_bar(bar, limit)


def _image(
    axes: Axes,
    matrix: NDArray[np.float64],
    limit: float,
    extent: tuple[float, float, float, float],
) -> None:
    shown = np.clip(matrix, -limit, limit) / limit
    axes.imshow(
        shown, cmap=_make_diverging_colormap(), vmin=-1, vmax=1, extent=extent, interpolation="none"
    )


def _colour_bar(axes: Axes, limit: float) -> None:
    ramp = np.linspace(1, -1, 101)[:, np.newaxis]
    _image(axes, ramp, 1.0, (0, 1, -1, 1))
    axes.set_aspect(20)
    axes.set_anchor("W")
    axes.set_xticks([])
    axes.yaxis.tick_right()
    labels = [wording.quantity(-limit).replace("-", "−"), "0", wording.quantity(limit)]
    axes.set_yticks([-1, 0, 1], labels)


def _make_diverging_colormap() -> Colormap:
    """Zero is the page itself, so that the map is centred in light and dark alike."""
    from matplotlib.colors import LinearSegmentedColormap, to_rgb

    strength = np.linspace(0.0, 1.0, 129)[1:] ** 0.8
    below = [(*to_rgb(NEGATIVE), alpha) for alpha in strength[::-1]]
    above = [(*to_rgb(POSITIVE), alpha) for alpha in strength]
    colours = [*below, (0.5, 0.5, 0.5, 0.0), *above]
    colormap = LinearSegmentedColormap.from_list("diverging", colours, N=len(colours))
    return colormap.with_extremes(bad=(0.5, 0.5, 0.5, 0.6))


def _whole_ticks(axes: Axes, rows: int, columns: int) -> None:
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(min(columns, 9), integer=True))
    axes.yaxis.set_major_locator(MaxNLocator(min(rows, 9), integer=True))


def _separate(
    axes: Axes,
    patch: tuple[int, int],
    shape: tuple[int, ...],
    extent: tuple[float, float, float, float],
) -> None:
    left, right, bottom, top = extent
    for count, size, draw, start, end in (
        (shape[0], patch[0], axes.axhline, top, bottom),
        (shape[1], patch[1], axes.axvline, left, right),
    ):
        edges = np.arange(size, count, size) if size > 0 else np.array([])
        for edge in edges if len(edges) <= CELLS else ():
            draw(start + (end - start) * float(edge) / count, color=RULE, linewidth=0.6)


def _number(axes: Axes, matrix: NDArray[np.float64]) -> None:
    for (row, column), value in np.ndenumerate(matrix):
        text = f"{value:.3g}".replace("-", "−")
        axes.text(column, row, text, ha="center", va="center", fontsize=8, color=LABEL)


def _matrix(plot: HeatMap) -> NDArray[np.float64]:
    if not plot.rows or not plot.rows[0]:
        return np.full((1, 1), np.nan)
    return np.array(plot.rows, dtype=np.float64)


def _thin_series(series: Series) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """At most about `_POINTS` points: the lowest and the highest of each run."""
    x, y = (
        np.clip(np.array(values, dtype=np.float64), -_LARGEST, _LARGEST)
        for values in (series.x, series.y)
    )
    run = math.ceil(2 * len(x) / _POINTS)
    if run <= 2:
        return x, y
    kept = set()
    for start in range(0, len(x), run):
        part = np.nan_to_num(y[start : start + run])
        kept |= {start + int(np.argmin(part)), start + int(np.argmax(part))}
    order = sorted(kept)
    return x[order], y[order]


def _extremes(values: NDArray[np.float64]) -> str:
    finite = values[np.isfinite(values)]
    if not finite.size:
        return "nothing finite"
    return f"{wording.quantity(float(finite.min()))} to {wording.quantity(float(finite.max()))}"


@contextmanager
def _quietly() -> Iterator[None]:
    """Without matplotlib's remarks on data as it comes: no range, a glyph its font lacks."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def inline_drawing(drawing: str, prefix: str, title: str, description: str) -> str:
    """The ``<svg>`` element of a drawing by matplotlib.

    Its ids begin with `prefix`; title and description are for those who cannot see it.
    """
    root = ElementTree.fromstring(drawing)
    for parent in root.iter():
        for child in [child for child in parent if _local(child.tag) in ("metadata", "style")]:
            parent.remove(child)
    names = _references(root, prefix)
    for element in root.iter():
        element.tag = _local(element.tag)
        element.tail = None
        if element.tag != "text":
            element.text = None
        element.attrib = {
            _local(name): _value(_local(name), value, names)
            for name, value in element.attrib.items()
            if _local(name) != "id" or value in names
        }
    frame_drawing(root, root.attrib["viewBox"], prefix, title, description)
    return ElementTree.tostring(root, encoding="unicode")


def frame_drawing(
    root: ElementTree.Element, box: str, prefix: str, title: str, description: str
) -> None:
    """Make an ``<svg>`` element say what it shows; ids begin with `prefix`."""
    root.attrib = {
        "xmlns": "http://www.w3.org/2000/svg",
        "viewBox": box,
        "role": "img",
        "aria-labelledby": f"{prefix}-title {prefix}-desc",
        "class": "plot",
    }
    for tag, text in (("desc", description), ("title", title)):
        element = ElementTree.Element(tag, id=f"{prefix}-{tag}")
        element.text = text
        root.insert(0, element)


def _references(root: ElementTree.Element, prefix: str) -> dict[str, str]:
    """The ids that are referred to, and their new names."""
    used: dict[str, str] = {}
    for element in root.iter():
        for name, value in element.attrib.items():
            if _local(name) in ("href", "clip-path"):
                for found in _REFERENCE.findall(value):
                    used.setdefault(found, f"{prefix}-{len(used)}")
    return used


def _value(name: str, value: str, names: Mapping[str, str]) -> str:
    if name == "id":
        return names[value]
    if name in ("href", "clip-path") and not value.startswith("data:"):
        return _REFERENCE.sub(lambda match: f"#{names[match[1]]}", value)
    if name in ("style", "fill", "stroke"):
        value = _FONT.sub("", _DULL.sub("", value))
        for stand_in, variable in _VARIABLES.items():
            value = value.replace(stand_in, variable)
    if name in _GEOMETRY:
        value = _NUMBER.sub(lambda match: f"{float(match[0]):.2f}", " ".join(value.split()))
    return value


def _local(name: str) -> str:
    return name.rpartition("}")[2]
