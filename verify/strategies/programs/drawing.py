"""Drawing programs: statement after statement, each tried at the point, the dead ones left out."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any, Final

import numpy as np
from hypothesis import strategies as st

from verify.errors import UsageError
from verify.strategies.arrays import dyadics, kink_safe, with_ties
from verify.strategies.numbers import Draw, draw_integer, one_of
from verify.strategies.programs.elementwise import elementwise
from verify.strategies.programs.program import HEAD, NAMES, Program
from verify.strategies.programs.spellings import WHOLE

_SHAPES: Final = ((), (3,), (2, 3), (3, 3), (2,), (1, 3), (2, 1), (1,), (2, 2, 3))
_LARGEST: Final = 1e3
"""Values beyond it are not gone on with: sums of them would only show how floats round."""
_MOST: Final = 48
"""Entries of a value at most."""

_POINTS: Final[dict[str, Callable[[Any], st.SearchStrategy[Any]]]] = {
    "kink_safe": kink_safe,
    "dyadic": dyadics,
    "ties": with_ties,
}
_NAMES: Final = "xyzuvw"
_PLACE: Final = re.compile(r"\{(\w+)\}")


def programs(
    arguments: int | Sequence[tuple[int, ...]] | None = None,
    size: int = 6,
    operations: Iterable[str] | None = None,
    *,
    entries: str = "kink_safe",
    scalar: bool = True,
) -> st.SearchStrategy[Program]:
    """Programs over the primitive table, each with a point at which it is defined.

    Arguments of functions that are not defined everywhere are bounded first, so programs are
    defined near and far from their points too; shapes come about by broadcasting, reductions,
    contractions and indexing. A failing program shrinks to a short one.

    Parameters
    ----------
    arguments : int, or sequence of shapes, optional
        How many, up to 6, or their shapes; by default one or two.
    size : int
        Most statements.
    operations : names, optional
        Which to use, from ``operation_names``; by default all.
    entries : str
        Of the point: ``"kink_safe"``, ``"dyadic"``, or ``"ties"``, at which much is a kink.
    scalar : bool
        Whether the program returns a number, the sum of its last value.

    Returns
    -------
    strategy of Program

    Raises
    ------
    UsageError
        An operation or a kind of entries that there is not, or counts out of range.

    Examples
    --------
    >>> from hypothesis import find
    >>> found = find(programs([(3,)], operations=["sin", "sum"]), lambda p: "sin" in p.source)
    >>> print(found.source.partition("def ")[2], end="")
    program(x):
        a = np.sin(x)
        return np.sum(a)
    """
    texts = _texts(operations)
    shapes = _shapes(arguments)
    if entries not in _POINTS:
        raise UsageError(f"entries={entries!r}; expected one of {', '.join(map(repr, _POINTS))}")
    if not 1 <= size <= 24:
        raise UsageError(f"size={size!r}; expected a whole number from 1 to 24")

    @st.composite
    def draw_program(draw: Draw) -> Program:
        chosen = (
            shapes if shapes else [one_of(draw, _SHAPES) for _ in range(1 + draw_integer(draw, 2))]
        )
        point = tuple(draw(_POINTS[entries](shape))[()] for shape in chosen)
        scope = dict(zip(_NAMES, point, strict=False))
        body: list[tuple[str, str]] = []
        for name in map(_variable, range(size)):
            more, made = draw(_statement(texts, scope, may_end=bool(body)))
            if not more:
                break
            if made is not None:
                body.append((name, made[0]))
                scope[name] = made[1]
        else:
            _draw_more(draw)  # an end, so that a program of the full size may lose a statement
        return Program(_format_program(list(_NAMES[: len(point)]), body, scope, scalar), point)

    return draw_program()


@cache
def operation_names() -> tuple[str, ...]:
    """The operations that programs are made of, elementwise ones first.

    Examples
    --------
    >>> "sin" in operation_names(), "einsum" in operation_names()
    (True, True)
    """
    return (*elementwise(), *(name for name in WHOLE if name not in elementwise()))


def _texts(operations: Iterable[str] | None) -> tuple[tuple[str, ...], ...]:
    """The spellings of each operation."""
    names = operation_names() if operations is None else tuple(operations)
    unknown = [name for name in names if name not in operation_names()]
    if unknown or not names:
        raise UsageError(
            f"operations={list(names)!r}: no operation is called "
            f"{', '.join(map(repr, unknown)) or '(none given)'}; see operation_names()"
        )
    return tuple(WHOLE.get(name) or (elementwise()[name],) for name in names)


def _shapes(arguments: int | Sequence[tuple[int, ...]] | None) -> list[Any]:
    if arguments is None:
        return []
    found = [(3,)] * arguments if isinstance(arguments, int) else list(arguments)
    if not 1 <= len(found) <= len(_NAMES):
        raise UsageError(f"arguments={arguments!r}; expected from 1 to {len(_NAMES)} of them")
    return found


def _variable(k: int) -> str:
    return "abcdefghijklmnopqrst"[k] if k < 20 else f"t{k}"


@st.composite
def _statement(
    draw: Draw, texts: tuple[tuple[str, ...], ...], scope: dict[str, Any], *, may_end: bool
) -> tuple[bool, tuple[str, Any] | None]:
    """Whether to go on, and an expression over the scope with its value, if it fits.

    Both in one strategy, so that Hypothesis can leave a statement out as a whole.
    """
    if not _draw_more(draw) and may_end:
        return False, None
    # A row in two is of those that work on whole arrays, which are fewer.
    several = [spelled for spelled in texts if len(spelled) > 1]
    pool = several if several and draw_integer(draw, 2) else texts
    text = one_of(draw, one_of(draw, pool))
    filled = _fill_places(draw, text, scope)
    if filled is None:
        return True, None
    expression = text.format(**filled)
    value = _try_expression(expression, scope)
    return True, None if value is None else (expression, value)


def _draw_more(draw: Draw) -> bool:
    return draw_integer(draw, 8) > 0


def _fill_places(draw: Draw, text: str, scope: dict[str, Any]) -> dict[str, str] | None:
    """What stands in the places of a spelling; None where an argument has nothing to put there."""
    names = list(scope)[::-1]
    filled: dict[str, str] = {}
    for place in dict.fromkeys(_PLACE.findall(text)):
        if place in ("x", "y", "z"):
            filled[place] = one_of(draw, names)
            continue
        shape = np.shape(scope[filled["x"]]) if "x" in filled else ()
        given = _FILLERS[place](draw, shape)
        if given is None:
            return None
        filled[place] = given
    return filled


def _try_expression(expression: str, scope: dict[str, Any]) -> Any:
    """The value of an expression; None where there is none to go on with."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            value = eval(expression, {**NAMES, **scope})
        except (ValueError, TypeError, IndexError, ArithmeticError, AttributeError):
            return None
    array = np.asarray(value)
    if array.dtype != np.float64 or not 0 < array.size <= _MOST or array.ndim > 4:
        return None
    return value if np.isfinite(array).all() and np.abs(array).max() <= _LARGEST else None


def _axis(draw: Draw, shape: tuple[int, ...]) -> str | None:
    if not shape:
        return None
    return str(one_of(draw, [*range(len(shape)), -1]))


def _index(draw: Draw, shape: tuple[int, ...]) -> str | None:
    """An index for the first axis or two: a number, a slice, a list with repeats, a mask."""
    if not shape:
        return "..."
    n = shape[0]
    forms = ["0", "-1", "1:", "::-1", "..., 0", "..., ::2", f"[0, {n - 1}, 0]", "None"]
    forms.append(f"np.array([{', '.join(str(k % 2 == 0) for k in range(n))}])")
    if len(shape) > 1:
        forms += [":, 0", f":, [0, {shape[1] - 1}]", "[0, 0], [0, 0]", "..., None, :"]
    return str(one_of(draw, forms))


_FILLERS: Final[dict[str, Callable[[Draw, tuple[int, ...]], str | None]]] = {
    "axis": _axis,
    "index": _index,
    "k": lambda draw, shape: str(1 + draw_integer(draw, 2)),
    "c": lambda draw, shape: str((1 + draw_integer(draw, 8)) / 4),
    "n": lambda draw, shape: str(shape[-1]) if shape else None,
}


def _format_program(
    arguments: list[str], body: list[tuple[str, str]], scope: dict[str, Any], scalar: bool
) -> str:
    """The source, of the statements that the last one needs."""
    last = body[-1][0] if body else arguments[0]
    needed, kept = {last}, []
    for name, text in reversed(body):
        if name in needed:
            kept.append(f"    {name} = {text}\n")
            needed |= set(re.findall(r"\b[a-z]\d*\b", text))
    result = f"np.sum({last})" if scalar and np.ndim(scope[last]) else last
    returned = f"    return {result}\n"
    return f"{HEAD}def program({', '.join(arguments)}):\n{''.join(kept[::-1])}{returned}"
