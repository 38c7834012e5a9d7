"""MathML: what is known passes, whatever else is refused whole."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verify.reporting.mathml import safe

PIECES = st.sampled_from(
    [
        "<mi>", "</mi>", "<mrow>", "</mrow>", "<math>", "</math>", "<script>", "</script>",
        "<mi onclick='x'>", '<mo stretchy="false">', "</mo>", "x", "&lt;b&gt;", "&#60;i&#62;",
        "<!--", "-->", "<![CDATA[", "]]>", "<img src=x>", "<", ">", "&", '"', "<mtext/>",
        "<a href=x>",
    ]
)  # fmt: skip


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<mi>x</mi>", "<mi>x</mi>"),
        ('<math xmlns="m"><mn>2</mn></math>', "<mn>2</mn>"),
        ("<mo>&InvisibleTimes;</mo>", "<mo>\u2062</mo>"),
        ("<mo>-</mo>", "<mo>\u2212</mo>"),
        ("<mo><</mo>", "<mo>&lt;</mo>"),
        ("<mtext>&lt;b&gt;</mtext>", "<mtext>&lt;b&gt;</mtext>"),
        ('<mi mathvariant="&quot;><b">x</mi>', '<mi mathvariant="&quot;&gt;&lt;b">x</mi>'),
        ("<mi>\x00\u202e</mi>", "<mi>\\x00\\u202e</mi>"),
        ("<mspace/>", "<mspace></mspace>"),
    ],
)
def test_what_is_known_is_written_anew(markup: str, expected: str) -> None:
    assert safe(markup) == expected


@pytest.mark.parametrize(
    "markup",
    [
        "",
        "x",
        "<b>x</b>",
        "<script>alert(1)</script>",
        "<mi>x</mi><script>alert(1)</script>",
        "<mi onclick='alert(1)'>x</mi>",
        "<mi href='javascript:alert(1)'>x</mi>",
        "<mi style='x'>x</mi>",
        "<maction actiontype='toggle'><mi>x</mi></maction>",
        "<semantics><mi>x</mi><annotation-xml><b>x</b></annotation-xml></semantics>",
        "<mglyph src='x'></mglyph>",
        "<mi>x",
        "<mrow><mi>x</mrow></mi>",
        "</mi>",
        "<mi><!-- x --></mi>",
        "<mi><?x?></mi>",
        "<!doctype html><mi>x</mi>",
        "<mrow>" * 300 + "</mrow>" * 300,
        f"<mi mathvariant='{'x' * 1000}'>x</mi>",
    ],
)
def test_whatever_else_is_refused(markup: str) -> None:
    assert safe(markup) is None


@pytest.mark.long
@given(st.lists(PIECES, max_size=12).map("".join))
@settings(derandomize=True, deadline=None, max_examples=300)
def test_what_passes_holds_nothing_unknown(markup: str) -> None:
    found = safe(markup)
    if found is not None:
        assert set(re.findall(r"</?([a-zA-Z!?]+)", found)) <= {"mi", "mo", "mrow", "mtext"}
        assert set(re.findall(r'(\w+)="', found)) <= {"stretchy"}
        assert safe(found) == found
