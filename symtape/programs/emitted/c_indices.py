"""Indices and loops over arrays in C, which lie row by row."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final


def place(name: str, shape: Sequence[int], index: Sequence[str]) -> str:
    """An element of an array that lies row by row.

    Examples
    --------
    >>> place("a", (2, 3), ("i", "j")), place("a", (4, 1), ("i + 1", "0"))
    ('a[3 * i + j]', 'a[i + 1]')
    """
    terms = []
    for k, (i, n) in enumerate(zip(index, shape, strict=True)):
        step = math.prod(shape[k + 1 :])
        if n == 1 or i == "0":
            continue
        grouped = i if i.isalnum() or step == 1 else f"({i})"
        if i.isdigit():
            terms.append(str(step * int(i)))
        else:
            terms.append(grouped if step == 1 else f"{step} * {grouped}")
    return f"{name}[{' + '.join(terms) or '0'}]"


_LETTERS: Final = "ijklmn"


def write_loops(
    shape: Sequence[int], inside: Callable[[tuple[str, ...]], Sequence[str]]
) -> list[str]:
    """Loops over an array, with statements of the innermost one."""
    names = [*_LETTERS, *(f"i{k}" for k in range(len(shape)))]
    index = tuple("0" if n == 1 else names[k] for k, n in enumerate(shape))
    lines, depth = [], 1
    for name, n in zip(index, shape, strict=True):
        if name != "0":
            lines.append("    " * depth + f"for (int {name} = 0; {name} < {n}; {name}++) {{")
            depth += 1
    opened = len(lines)
    lines += ["    " * depth + line for line in inside(index)]
    for k in range(opened):
        lines.append("    " * (depth - 1 - k) + "}")
    return lines


def broadcast_index(
    shape: Sequence[int], to: Sequence[int], index: Sequence[str]
) -> tuple[str, ...]:
    """The index, into an array that is broadcast, of an element."""
    behind = index[len(to) - len(shape) :]
    return tuple("0" if n == 1 else i for n, i in zip(shape, behind, strict=True))


def shift_index(i: str, by: int) -> str:
    """``i + by``."""
    if i.lstrip("-").isdigit():
        return str(int(i) + by)
    if i.startswith("-"):
        return f"{by} - {i[1:]}" if i[1:].isalnum() else f"{by} - ({i[1:]})"
    return i if not by else f"{i} + {by}" if by > 0 else f"{i} - {-by}"


def index_before_reshape(
    shape: Sequence[int], before: Sequence[int], index: Sequence[str]
) -> tuple[str, ...]:
    """The index before a reshape: the same where only axes of length 1 come or go."""
    long = [i for i, n in zip(index, shape, strict=True) if n > 1]
    if [n for n in shape if n > 1] == [n for n in before if n > 1]:
        rest = iter(long)
        return tuple(next(rest) if n > 1 else "0" for n in before)
    flat = place("", shape, index)[1:-1]
    found: list[str] = []
    for k, n in enumerate(before):
        step = math.prod(before[k + 1 :])
        text = flat if step == 1 else f"({flat}) / {step}"
        whole = k == 0 or math.prod(before[:k]) == 1
        if n == 1:
            found.append("0")
        elif whole:
            found.append(text)
        else:
            found.append(f"({text}) % {n}")
    return tuple(found)


def index_before_indexing(at: Any, shape: Sequence[int], index: Sequence[str]) -> tuple[str, ...]:
    """The index, into an array, of an element of what an index of it gives."""
    items = list(at if isinstance(at, tuple) else (at,))
    if Ellipsis in items:
        k = items.index(Ellipsis)
        count = len(shape) - sum(item is not None for item in items) + 1
        items[k : k + 1] = [slice(None)] * count
    items += [slice(None)] * (len(shape) - sum(item is not None for item in items))
    rest, axes, found = iter(index), iter(shape), []
    for item in items:
        if item is None:
            next(rest)
        elif isinstance(item, slice):
            start, _, step = item.indices(next(axes))
            found.append(_write_strided_index(next(rest), start, step))
        else:
            n = next(axes)
            found.append(str(int(item) % n))
    return tuple(found)


def _write_strided_index(i: str, start: int, step: int) -> str:
    if i == "0":
        return str(start)
    if step == 1:
        return shift_index(i, start)
    grouped = i if i.isalnum() else f"({i})"
    if step < 0:
        inside = grouped if step == -1 else f"{-step} * {grouped}"
        return f"{start} - {inside}"
    return f"{step} * {grouped}" + (f" + {start}" if start else "")
