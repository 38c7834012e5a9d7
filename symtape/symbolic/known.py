"""The table of what SymPy made of common templates: canonical forms and partial derivatives.

``known.json`` holds statements about SymPy alone, none about rows: "this, as it is written, is
that formula", "this formula has these derivatives". A row whose reading changes writes something
else, which the table knows or does not know; SymPy answers where it does not. ``python -m
symtape.symbolic`` makes the table, and a test has SymPy make every entry again.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

from symtape.symbolic.trees import Tree, format_tree, parse_tree

FILE: Final = Path(__file__).with_name("known.json")

Form: TypeAlias = tuple[Tree, tuple[int, ...]]
"""A formula over ``a0 ..``, and the positions of the arguments that these stand for."""


def find_reading(written: Tree | None) -> Form | None:
    """The formula that SymPy makes of what a reading writes; None if it is not in the table."""
    found = _table()["readings"].get(format_tree(written))
    return None if found is None else _decode(found)


def find_partials(tree: Tree) -> list[Form] | None:
    """SymPy's derivatives of a formula, by each argument; None if they are not in the table."""
    found = _table()["partials"].get(format_tree(tree))
    return None if found is None else list(map(_decode, found))


@functools.cache
def _table() -> dict[str, dict[str, Any]]:
    """Both parts, with formulas as text."""
    try:
        table: dict[str, dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
    except OSError:
        return {"readings": {}, "partials": {}}  # SymPy says the same
    return table


def format_table(readings: Mapping[Tree, Form], partials: Mapping[Tree, Sequence[Form]]) -> str:
    """What ``known.json`` holds: an entry a line, so that changes merge."""
    written = {format_tree(key): _encode(form) for key, form in readings.items()}
    derived = {format_tree(key): list(map(_encode, forms)) for key, forms in partials.items()}
    parts = []
    for name, entries in (("readings", written), ("partials", derived)):
        lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in entries.items()]
        parts.append(f'"{name}": {{\n' + ",\n".join(sorted(lines)) + "\n}")
    return "{" + ",\n".join(parts) + "}\n"


def _encode(form: Form) -> list[Any]:
    tree, positions = form
    return [format_tree(tree), *positions]


def _decode(form: list[Any]) -> Form:
    tree, *positions = form
    return parse_tree(tree), tuple(positions)
