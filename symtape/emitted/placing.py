"""Arrays that are made by putting values into their places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from symtape.emitted.arrays import filled
from symtape.emitted.expression import Binding
from symtape.emitted.numbers import index, shape_text
from symtape.emitted.spelling import Argument, Spelling
from symtape.graph.graph import Node

PLACED: Final = ("scatter", "scatter_by", "sum_of_slices")
"""Rows that are statements, or a chain of methods, and no expression."""


def placements(s: Spelling, node: Node, args: Sequence[Argument], name: str) -> list[str]:
    """The statements that make the array `name`."""
    based = node.params.get("based", False)
    if node.name == "scatter_by":
        template = node.params["template"]
        numbered = any(not getattr(item, "boolean", True) for item in template)
        where = [filled(template, args[1:])]
        values, meets, apart = args[:1], [numbered], False
    else:
        params = node.params
        indices = params["indices"] if node.name == "sum_of_slices" else (params["index"],)
        where = [index(at, s.array) for at in indices]
        values, meets = args[1:] if based else args, _meetings(node.shape, indices)
        apart = not based and is_apart(node.shape, indices)
    start = _start(s, node, args[0] if based else None)
    places = list(zip(where, meets, strict=True))
    if s.dialect.decides:
        return _in_turn(s, name, start, places, values, based, apart)
    return _chained(name, start, places, values)


def _meetings(shape: tuple[int, ...], indices: Sequence[Any]) -> list[bool]:
    """Whether each of some indices names an element twice."""
    found = []
    for at in indices:
        count = np.zeros(shape, dtype=int)
        np.add.at(count, at, 1)
        found.append(bool((count > 1).any()))
    return found


def is_apart(shape: tuple[int, ...], indices: Sequence[Any]) -> bool:
    """Whether no two of some indices name an element together."""
    count = np.zeros(shape, dtype=int)
    for at in indices:
        np.add.at(count, at, 1)
    return not bool((count > 1).any())


def _start(s: Spelling, node: Node, base: Argument | None) -> str:
    d = s.dialect
    if base is not None:
        if not d.decides:
            return base.written.within(Binding.ATOM)
        copied = "clone" if d.of_tensors else "copy"
        return f"{base.written.within(Binding.ATOM)}.{copied}()"
    plain = node.dtype == np.float64 and not d.of_tensors
    dtype = "" if plain else f", dtype={d.dtype(node.dtype)}"
    return f"{d.module}.zeros({shape_text(node.shape)}{dtype})"


Places = Sequence[tuple[str, bool]]


def _in_turn(
    s: Spelling,
    name: str,
    start: str,
    places: Places,
    values: Sequence[Argument],
    adds: bool,
    apart: bool,
) -> list[str]:
    lines = [f"{name} = {start}"]
    for k, ((place, meets), value) in enumerate(zip(places, values, strict=True)):
        text = value.written.text
        if meets and s.dialect.of_tensors:
            lines.append(f"{name}.index_put_(({place.rstrip(',')},), {text}, accumulate=True)")
        elif meets:
            at = f"({place})" if "," in place else place
            lines.append(f"np.add.at({name}, {at}, {text})")
        elif apart or not (adds or k):
            lines.append(f"{name}[{place}] = {text}")
        elif text.startswith("-") and value.written.binding >= Binding.PRODUCT:
            lines.append(f"{name}[{place}] -= {text[1:]}")
        else:
            lines.append(f"{name}[{place}] += {text}")
    return lines


def _chained(name: str, start: str, places: Places, values: Sequence[Argument]) -> list[str]:
    lines = [f"{name} = {start}"]
    for (place, _), value in zip(places, values, strict=True):
        lines.append(f"{name} = {name}.at[{place}].add({value.written.text})")
    return lines
