"""The documentation lists the operations of which shadow and balls share the meaning."""

import re
from pathlib import Path

import symtape.scipy
from symtape.primitives.primitive import PRIMITIVES
from symtape.primitives.vocabulary import vocabulary

ROOT = Path(__file__).parents[3]


def test_shared_meanings_are_listed() -> None:
    vocabulary()
    assert symtape.scipy
    shared = {
        name
        for name, row in PRIMITIVES.items()
        if not row.elementwise and row.elements is not None and row.ball is None
    }
    text = (ROOT / "docs/evidence.md").read_text()
    section = text.partition("### What they share")[2].partition("\n## ")[0]
    named = set(re.findall(r"`(\w+)`", section)) & set(PRIMITIVES)
    assert named == shared
