"""MathML let through only as far as it is known to be harmless.

What comes out is written anew from what was read: elements and attributes of a short list,
text escaped.  Nothing of the given markup is copied.
"""

from __future__ import annotations

import html
from html.parser import HTMLParser
from typing import Final

from verify.reporting.legible import legible

_ELEMENTS: Final = frozenset(
    (
        *("mrow", "mi", "mn", "mo", "mtext", "mspace", "ms", "mfrac", "msqrt", "mroot"),
        *("mstyle", "mpadded", "mphantom", "mfenced", "msub", "msup", "msubsup"),
        *("munder", "mover", "munderover", "mmultiscripts", "mprescripts", "none"),
        *("mtable", "mtr", "mtd"),
    )
)
_ATTRIBUTES: Final = frozenset(
    (
        *("mathvariant", "displaystyle", "scriptlevel", "stretchy", "fence", "separator"),
        *("largeop", "movablelimits", "lspace", "rspace", "form", "symmetric"),
        *("minsize", "maxsize", "linethickness", "width", "height", "depth", "accent"),
        *("columnalign", "rowalign", "columnspan", "rowspan", "columnspacing", "rowspacing"),
        *("accentunder", "open", "close", "separators"),
    )
)
_DEPTH: Final = 200
_VALUE: Final = 40


def safe(markup: str) -> str | None:
    """`markup` written anew, without a ``<math>`` around it; None if it is not as it should be.

    Examples
    --------
    >>> safe("<math><msup><mi>x</mi><mn>2</mn></msup></math>")
    '<msup><mi>x</mi><mn>2</mn></msup>'
    >>> safe("<mi>x</mi><script>alert(1)</script>") is None
    True
    >>> safe('<mi onclick="alert(1)">x</mi>') is None
    True
    """
    writer = _Writer()
    writer.feed(markup)
    writer.close()
    return writer.result()


class _Writer(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._parts: list[str] = []
        self._open: list[str] = []
        self._refused = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "math" and not self._parts:
            return
        known = tag in _ELEMENTS and len(self._open) < _DEPTH
        if not known or not all(_harmless(name, value) for name, value in attrs):
            self._refused = True
            return
        written = "".join(f' {name}="{html.escape(value or "")}"' for name, value in attrs)
        self._parts.append(f"<{tag}{written}>")
        self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag == "math" and not self._open:
            return
        if not self._open or self._open.pop() != tag:
            self._refused = True
            return
        self._parts.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        if self._open:
            minus = self._open[-1] == "mo" and data.strip() == "-"
            self._parts.append("\u2212" if minus else html.escape(legible(data)))
        elif data.strip():
            self._refused = True

    def handle_comment(self, data: str) -> None:
        self._refused = True

    handle_pi = unknown_decl = handle_comment

    def handle_decl(self, decl: str) -> None:
        self._refused = True

    def result(self) -> str | None:
        if self._refused or self._open or not self._parts:
            return None
        return "".join(self._parts)


def _harmless(name: str, value: str | None) -> bool:
    return name in _ATTRIBUTES and len(value or "") <= _VALUE
