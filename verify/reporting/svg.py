"""matplotlib's SVG made fit for a page: small, the page's colours and fonts, ids of its own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final
from xml.etree import ElementTree

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
    _frame(root, prefix, title, description)
    return ElementTree.tostring(root, encoding="unicode")


def _frame(root: ElementTree.Element, prefix: str, title: str, description: str) -> None:
    box = root.attrib["viewBox"]
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
