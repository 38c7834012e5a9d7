"""Arrays that are made by putting values into their places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from symtape.graph.graph import Node
from symtape.primitives.indexing import Slot
from symtape.programs.compiled.emitters import index
from symtape.programs.emitted.arrays import fill_index
from symtape.programs.emitted.expression import Binding, shape_text
from symtape.programs.emitted.sizes import Size
from symtape.programs.emitted.spelling import Argument, Spelling, refusal

PLACED: Final = ("scatter", "scatter_by", "sum_of_slices")
"""Rows that are statements, or a chain of methods, and no expression."""


def placements(s: Spelling, node: Node, args: Sequence[Argument], name: str) -> list[str]:
    """The statements that make the array `name`."""
    based = node.params.get("based", False)
    if node.name == "scatter_by":
        template = node.params["template"]
        numbers = [item for item in template if type(item) is Slot and not item.boolean]
        numbered = any(args[1 + item.number].node.shape for item in numbers)
        where = [fill_index(template, args[1:])]
        values, meets, apart = args[:1], [numbered], False
    else:
        params = node.params
        indices = params["indices"] if node.name == "sum_of_slices" else (params["index"],)
        where = [index(at, s.array) for at in indices]
        values = args[1:] if based else args
        meets = [_names_twice(node.shape, at) for at in indices]
        apart = not based and not _names_twice(node.shape, *indices)
    start = _start(s, node, args[0] if based else None)
    places = list(zip(where, meets, strict=True))
    if s.dialect.decides:
        return [
            f"{name} = {start}",
            *_place_one_by_one(s, node, name, places, values, based, apart),
        ]
    return [f"{name} = {start}", *_write_at_additions(name, places, values)]


def _names_twice(shape: tuple[int, ...], *indices: Any) -> bool:
    """Whether some indices may name an element more than once, at any length."""
    if any(isinstance(n, Size) for n in shape) and (len(indices) > 1 or _has_both_ends(*indices)):
        return True
    count = np.zeros(shape, dtype=int)
    for at in indices:
        np.add.at(count, at, 1)
    return bool((count > 1).any())


def _has_both_ends(index: Any) -> bool:
    """Whether an array in an index counts from both ends, which meet at some length."""
    items = index if isinstance(index, tuple) else (index,)
    arrays = [np.asarray(item) for item in items if isinstance(item, np.ndarray | list)]
    return any((one < 0).any() and (one >= 0).any() for one in arrays)


def _start(s: Spelling, node: Node, base: Argument | None) -> str:
    d = s.dialect
    if base is not None:
        if not d.decides:
            return base.written.parenthesise(Binding.ATOM)
        copied = "clone" if d.of_tensors else "copy"
        return f"{base.written.parenthesise(Binding.ATOM)}.{copied}()"
    plain = node.dtype == np.float64 and not d.of_tensors
    dtype = "" if plain else f", dtype={d.dtype(node.dtype)}"
    return f"{d.module}.zeros({shape_text(node.shape)}{dtype})"


Places = Sequence[tuple[str, bool]]


def _place_one_by_one(
    s: Spelling,
    node: Node,
    name: str,
    places: Places,
    values: Sequence[Argument],
    adds: bool,
    apart: bool,
) -> list[str]:
    lines = []
    for k, ((place, meets), value) in enumerate(zip(places, values, strict=True)):
        text = value.written.text
        if meets and s.dialect.of_tensors:
            lines.append(f"{name}.{_write_accumulation(s, node, place, value)}")
        elif meets:
            at = f"np.s_[{place}]" if ":" in place else f"({place})" if "," in place else place
            lines.append(f"np.add.at({name}, {at}, {text})")
        elif apart or not (adds or k):
            lines.append(f"{name}[{place}] = {text}")
        elif text.startswith("-") and value.written.binding >= Binding.PRODUCT:
            lines.append(f"{name}[{place}] -= {text[1:]}")
        else:
            lines.append(f"{name}[{place}] += {text}")
    return lines


def _write_accumulation(s: Spelling, node: Node, place: str, value: Argument) -> str:
    """The call of PyTorch that adds to elements that are named twice."""
    if ":" not in place:
        return f"index_put_(({place.rstrip(',')},), {value.written.text}, accumulate=True)"
    parts = [part for part in place.split(", ") if part]
    (axis, *more) = [k for k, part in enumerate(parts) if part != ":"]
    given, shape = value.node.shape, node.shape
    others = (*given[:axis], *given[axis + 1 :]) == (*shape[:axis], *shape[axis + 1 :])
    if more or not parts[axis].isidentifier() or not others or len(given) != len(shape):
        raise refusal(node, s.dialect.title)
    return f"index_add_({axis}, {parts[axis]}, {value.written.text})"


def _write_at_additions(name: str, places: Places, values: Sequence[Argument]) -> list[str]:
    return [
        f"{name} = {name}.at[{place}].add({value.written.text})"
        for (place, _), value in zip(places, values, strict=True)
    ]
