"""Text that was made legible can be written, shown and put into XML."""

from __future__ import annotations

import unicodedata
from xml.etree import ElementTree

from hypothesis import given, settings
from hypothesis import strategies as st

from verify.reporting.legible import legible, one_line

ANY = st.text(alphabet=st.characters(exclude_categories=()))


@given(ANY)
@settings(derandomize=True, deadline=None, max_examples=300)
def test_it_can_be_written_and_put_into_xml(text: str) -> None:
    shown = legible(text)
    shown.encode("utf-8")
    assert not any(unicodedata.category(each) == "Cc" for each in shown if each not in "\t\n")
    element = ElementTree.Element("t", text=shown)
    ElementTree.fromstring(ElementTree.tostring(element))
    assert legible(shown) == shown


@given(ANY, st.integers(1, 20))
@settings(derandomize=True, deadline=None)
def test_one_line_is_one_line_of_at_most_its_limit(text: str, limit: int) -> None:
    shown = one_line(text, limit)
    assert len(shown.splitlines()) <= 1
    assert len(shown) <= limit


def test_ordinary_text_is_left_alone() -> None:
    text = "π ≤ 4\n\tdef f(x): …  漢字 🙂 é"
    assert legible(text) == text
