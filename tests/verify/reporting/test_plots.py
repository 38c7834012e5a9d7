"""Plots are deterministic SVG with ids of their own, and lose nothing that is not zero."""

from __future__ import annotations

import math
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verify.model.figures import HeatMap, Lines, Series
from verify.reporting import Report
from verify.reporting.plots import CELLS, _thin_series, describe_plot, reduce_matrix, svg

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def drawings(sample: Report, hostile: Report) -> dict[str, ElementTree.Element]:
    plots = sample.cases[0].plots + hostile.cases[0].plots
    return {f"p{at}": ElementTree.fromstring(svg(plot, f"p{at}")) for at, plot in enumerate(plots)}


@pytest.mark.long
def test_every_id_has_the_prefix_and_every_reference_leads_somewhere(drawings) -> None:
    for prefix, root in drawings.items():
        ids = [it.attrib["id"] for it in root.iter() if "id" in it.attrib]
        assert len(set(ids)) == len(ids)
        assert all(name.startswith(f"{prefix}-") for name in ids)
        text = ElementTree.tostring(root, encoding="unicode")
        links = re.findall(r'href="#([^"]*)"|url\(#([^)]*)\)', text)
        assert {one or other for one, other in links} <= set(ids)
        assert set(root.attrib["aria-labelledby"].split()) <= set(ids)


def test_nothing_is_fetched_or_run(drawings) -> None:
    for root in drawings.values():
        assert {it.tag.removeprefix(SVG) for it in root.iter()} <= {
            "svg", "g", "path", "use", "defs", "clipPath", "rect", "text", "image", "title", "desc"
        }  # fmt: skip
        for it in root.iter():
            assert all(not name.startswith("on") for name in it.attrib)
            href = it.attrib.get("href", "#")
            assert href.startswith(("#", "data:image/png;base64,"))


def test_colours_are_the_pages(drawings) -> None:
    for root in drawings.values():
        text = ElementTree.tostring(root, encoding="unicode")
        assert not re.search(r"#(0[1-9])\1\1\b", text)
        assert set(re.findall(r"#[0-9a-f]{6}\b", text)) <= set()


@pytest.mark.long
def test_the_same_plot_is_the_same_text(sample: Report) -> None:
    for plot in sample.cases[0].plots:
        once = svg(plot, "a")
        assert once == svg(plot, "a")
        assert svg(plot, "b") == re.sub(r'(["# (])a-(\d|title|desc)', r"\1b-\2", once)


@pytest.mark.long
def test_plots_are_small(sample: Report) -> None:
    for plot in sample.cases[0].plots:
        assert len(svg(plot, "a")) < 20_000


def test_a_curve_is_drawn_where_its_points_are() -> None:
    root = ElementTree.fromstring(
        svg(Lines.from_arrays("t", [0.0, 1.0, 2.0], {"y": [0.0, 1.0, 4.0]}), "p")
    )
    paths = [it for it in root.iter(f"{SVG}path") if "--series-1" in it.attrib.get("style", "")]
    numbers = [float(number) for number in re.findall(r"[\d.]+", paths[0].attrib["d"])]
    x, y = np.array(numbers[::2]), np.array(numbers[1::2])
    assert np.allclose(np.diff(x), np.diff(x)[0], rtol=1e-3)
    assert np.allclose((y[0] - y) / (y[0] - y[-1]), [0.0, 0.25, 1.0], atol=1e-3)


@given(
    st.tuples(st.integers(1, 350), st.integers(1, 350)),
    st.lists(st.tuples(st.integers(0, 349), st.integers(0, 349), st.floats(-9, 9)), max_size=5),
)
@settings(derandomize=True, deadline=None, max_examples=60)
def test_reduction_keeps_what_is_largest(shape, entries) -> None:
    matrix = np.zeros(shape)
    for row, column, value in entries:
        matrix[row % shape[0], column % shape[1]] = value
    small = reduce_matrix(matrix)
    assert max(small.shape) <= CELLS
    assert np.abs(small).max() == np.abs(matrix).max()
    assert np.any(small) == np.any(matrix)
    if max(shape) <= CELLS:
        assert np.array_equal(small, matrix)


def test_reduction_keeps_nan() -> None:
    matrix = np.ones((1, 250))
    matrix[0, 137] = math.nan
    assert np.isnan(reduce_matrix(matrix)).sum() == 1


def test_thinning_keeps_the_extremes() -> None:
    y = np.sin(np.arange(50_000.0))
    y[31_415], y[27_182] = 5.0, -7.0
    x, thin = _thin_series(Series("s", tuple(np.arange(50_000.0).tolist()), tuple(y.tolist())))
    assert len(thin) <= 1100
    assert (thin.max(), thin.min()) == (5.0, -7.0)
    assert np.all(np.diff(x) > 0)


def test_descriptions_say_what_is_seen() -> None:
    words = describe_plot(HeatMap.from_matrix("h", [[1.0, 0.0], [-2.0, math.nan]]))
    assert words == (
        "Heat map of a 2 by 2 matrix, centred on zero; entries from -2 to 1; "
        "1 of 4 are exactly zero."
    )
