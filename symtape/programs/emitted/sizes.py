"""Lengths as symbols: what a number is in terms of the lengths of the arguments.

Shapes of arguments: lengths that get names, and conditions under which they are refused.
"""

from __future__ import annotations

import itertools
import math
import textwrap
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from symtape.programs.emitted.expression import Binding, Written, negative, power, product, sum_of

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
    if len(message) <= _WIDTH:
        return [*head, f'    raise ValueError("{message}")']
    pieces = textwrap.wrap(message, _WIDTH, drop_whitespace=False)
    return [*head, "    raise ValueError(", *[f'        "{piece}"' for piece in pieces], "    )"]


Lengths = Mapping[str, int]
"""How much each symbol is."""

_MOST_TIMES: Final = 9
_NEAR: Final = 1e-14
"""Of a constant that was computed from lengths, in a few roundings."""


class Formula:
    """A number in terms of lengths, by what is written for it."""

    written: Written

    def __repr__(self) -> str:
        return self.written.text

    def evaluate(self, lengths: Lengths) -> Any:
        """What it is at some lengths."""
        return _evaluate(self.written, lengths)


class Size(Formula, int):
    """A length, or an index."""


class Scale(Formula, float):
    """A constant."""


def _evaluate(written: Written, lengths: Lengths) -> Any:
    return eval(written.text, {"__builtins__": {}}, dict(lengths))


def fitted_int(values: Sequence[int], lengths: Sequence[Lengths]) -> Size | None:
    """The integer that has some values at some lengths; None where no formula is found.

    Examples
    --------
    >>> lengths = [{"n": 5, "d": 7}, {"n": 11, "d": 13}, {"n": 17, "d": 19}]
    >>> [fitted_int(v, lengths) for v in ([5, 11, 17], [6, 12, 18], [35, 143, 323], [1, 2, 7])]
    [n, n + 1, n * d, None]
    """
    names = [Written(name) for name in lengths[0]]
    # A sum of two lengths may look like a multiple of one.
    for written in (*names, *_combine(names), *_affine(values, lengths)):
        if all(_evaluate(written, at) == v for v, at in zip(values, lengths, strict=True)):
            found = Size(values[0])
            found.written = written
            return found
    return None


def fitted_float(values: Sequence[float], lengths: Sequence[Lengths]) -> Scale | None:
    """The constant that has some values at some lengths; None where no formula is found.

    Examples
    --------
    >>> lengths = [{"n": 5}, {"n": 11}, {"n": 17}]
    >>> fitted_float([-2 / 5, -2 / 11, -2 / 17], lengths)
    -2 / n
    >>> fitted_float([5**0.5, 11**0.5, 17**0.5], lengths)
    n**0.5
    """
    names = [Written(name) for name in lengths[0]]
    others = ((power(name, Written("0.5")), sum_of("-", name, Written("1"))) for name in names)
    for base in (*names, *itertools.chain(*others), *_combine(names)):
        first = _evaluate(base, lengths[0])
        for below in (False, True):
            times = float(f"{values[0] * first if below else values[0] / first:.12g}")
            if not math.isfinite(times):
                continue
            written = _write_scale(times, base, below)
            pairs = [(_evaluate(written, at), v) for v, at in zip(values, lengths, strict=True)]
            if all(abs(found - v) <= _NEAR * abs(v) for found, v in pairs):
                scale = Scale(values[0])
                scale.written = written
                return scale
    return None


def _affine(values: Sequence[int], lengths: Sequence[Lengths]) -> Iterator[Written]:
    for name in lengths[0]:
        step = lengths[1][name] - lengths[0][name]
        times, left = divmod(values[1] - values[0], step) if step else (0, 1)
        if left or not times or abs(times) > _MOST_TIMES:
            continue
        offset = values[0] - times * lengths[0][name]
        written = Written(name)
        if times != 1:
            written = product("*", Written(str(times)), written)
        if offset:
            written = sum_of("+" if offset > 0 else "-", written, Written(str(abs(offset))))
        yield written


def _combine(names: Sequence[Written]) -> Iterator[Written]:
    """Products of two and of three lengths, and sums of two."""
    for a, b in itertools.combinations_with_replacement(names, 2):
        yield power(a, Written("2")) if a == b else product("*", a, b)
        if a != b:
            yield sum_of("+", a, b)
    for a, b, c in itertools.combinations(names, 3):
        yield product("*", product("*", a, b), c)


def _write_scale(times: float, base: Written, below: bool) -> Written:
    """A number times a formula, or divided by it."""
    text = Written(str(int(times)) if times == int(times) else repr(times))
    if times < 0:
        text = Written(text.text, Binding.SIGN)
    if below:
        return product("/", text, base)
    if times == -1:
        return negative(base)
    return base if times == 1 else product("*", text, base)
