"""Shapes of arguments: lengths that get names, and conditions under which they are refused."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Collection, Sequence

from symtape.programs.emitted.sizes import Size

_WIDTH = 72


def checks(
    names: Sequence[str], shapes: Sequence[tuple[int, ...]], used: Collection[str] = ()
) -> tuple[list[str], list[str]]:
    """Statements that name lengths, and what is true of arguments of other shapes.

    Parameters
    ----------
    names : sequence of str
        Of the arguments.
    shapes : sequence of tuple
        Theirs.
    used : collection of str
        The lengths that are read elsewhere.

    Examples
    --------
    >>> checks(["x", "a"], [(3,), ()])
    ([], ['x.shape != (3,)', 'a.shape != ()'])
    """
    known: set[str] = set()
    lengths: list[str] = []
    conditions: dict[str, str] = {}
    given = dict(zip(names, shapes, strict=True))
    read = {repr(n) for n, count in _uses(shapes).items() if count > 1} | set(used)
    for name in order_by_rank(names, shapes):
        shape = given[name]
        new = [isinstance(n, Size) and repr(n) not in known for n in shape]
        if any(new):
            # Of a shape of which a part is known, all of it is compared.
            targets = _targets(shape, new, read if all(new) else {*map(repr, shape)})
            if set(targets) != {"_"}:
                left = f"({targets[0]},)" if len(targets) == 1 else ", ".join(targets)
                lengths.append(f"{left} = {name}.shape")
            elif all(new):
                conditions[name] = f"{name}.ndim != {len(shape)}"
        if not all(new) or len(set(map(repr, shape))) < len(shape) or not shape:
            conditions[name] = f"{name}.shape != {shape!r}"
        known.update(map(repr, shape))
    return lengths, [conditions[name] for name in names if name in conditions]


def order_by_rank(names: Sequence[str], shapes: Sequence[tuple[int, ...]]) -> list[str]:
    """Names in the order in which lengths are read: matrices have them all, vectors one."""
    return [name for _, name in sorted(zip(shapes, names, strict=True), key=lambda x: -len(x[0]))]


def _uses(shapes: Sequence[tuple[int, ...]]) -> Counter[int]:
    return Counter(n for shape in shapes for n in shape if isinstance(n, Size))


def _targets(shape: tuple[int, ...], new: Sequence[bool], read: set[str]) -> list[str]:
    targets: list[str] = []
    for n, is_new in zip(shape, new, strict=True):
        text = repr(n)
        targets.append(text if is_new and text in read and text not in targets else "_")
    return targets


def write_refusal(conditions: Sequence[str], message: str) -> list[str]:
    """Statements that raise where one of some conditions is true."""
    line = f"if {' or '.join(conditions)}:"
    if len(line) <= _WIDTH + 12:
        head = [line]
    else:
        joined = [f"    or {one}" for one in conditions[1:]]
        head = ["if (", f"    {conditions[0]}", *joined, "):"]
    return [*head, *(f"    {line}" for line in write_raise(message))]


def write_raise(message: str) -> list[str]:
    """The statement that raises a ``ValueError``, on as many lines as it takes."""
    if len(message) <= _WIDTH:
        return [f'raise ValueError("{message}")']
    pieces = textwrap.wrap(message, _WIDTH, drop_whitespace=False)
    return ["raise ValueError(", *[f'    "{piece}"' for piece in pieces], ")"]
