"""Elementwise operations of the primitive table, spelled so that they are defined everywhere.

Which values an operation takes is asked of its row: of the guards below, the loosest is put
around an argument under which the row's ``domain`` holds wherever that guard may lead.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any, Final

import numpy as np
from scipy import special

from symtape.primitives.primitive import Primitive
from symtape.primitives.vocabulary import examples, has_rule, vocabulary

_GUARDS: Final = (
    "{}",
    "1.5 + np.tanh({})",
    "0.9 * np.tanh({})",
    "0.5 + 0.45 * np.tanh({})",
    "2.5 + np.tanh({})",
    "-1.5 + np.tanh({})",
)
"""Loosest first; that which bounds an argument leads into a set of its own."""

_HOMES: Final = {"np": np, "special": special}
"""Where functions that have a name for everybody are."""

_SAMPLE: Final = np.array([-30.0, -3.0, -2.0, -1.0, -0.5, 0.0, 0.25, 1.0, 2.0, 3.0, 30.0])
"""The ends, the middle and the whole numbers of what an argument may be."""


@cache
def elementwise() -> dict[str, str]:
    """An expression for each row that is a ufunc, with ``{x}``, ``{y}``, ``{z}`` for arguments.

    Arguments by which a row has no derivative are the constants of its example.

    Examples
    --------
    >>> elementwise()["sin"], elementwise()["log"], elementwise()["divide"]
    ('np.sin({x})', 'np.log(1.5 + np.tanh({x}))', 'np.divide({x}, 1.5 + np.tanh({y}))')
    """
    spelled = {row.name: _spell_row(row) for row in vocabulary() if row.elementwise and row.ufunc}
    return {name: text for name, text in spelled.items() if text is not None}


def _spell_row(row: Primitive) -> str | None:
    called = getattr(row.ufunc, "__name__", "")
    home = next((it for it, of in _HOMES.items() if getattr(of, called, None) is row.ufunc), None)
    (inputs, _), *_ = examples(row)
    moving = [k for k in range(len(row.inputs)) if has_rule(row, k)]
    guards = _guards(row, moving, inputs)
    if home is None or guards is None or not moving:
        return None
    letters = iter("xyz")
    shown = [
        guards[moving.index(k)].format("{" + next(letters) + "}")
        if k in moving
        else repr(inputs[k])
        for k in range(len(inputs))
    ]
    return f"{home}.{called}({', '.join(shown)})"


def _guards(row: Primitive, moving: list[int], inputs: tuple[Any, ...]) -> tuple[str, ...] | None:
    if row.domain is None:
        return (_GUARDS[0],) * len(moving)
    choices = product(range(len(_GUARDS)), repeat=len(moving))
    for chosen in sorted(choices, key=sum):
        guards = tuple(_GUARDS[k] for k in chosen)
        if _holds(row, moving, inputs, guards):
            return guards
    return None


def _holds(
    row: Primitive, moving: list[int], inputs: tuple[Any, ...], guards: tuple[str, ...]
) -> bool:
    assert row.domain is not None
    sets = [eval(guard.format("s"), {"np": np, "s": _SAMPLE}) for guard in guards]
    grid = iter(np.meshgrid(*sets, indexing="ij"))
    values = [next(grid) if k in moving else inputs[k] for k in range(len(inputs))]
    with np.errstate(all="ignore"):
        return bool(np.all(row.domain(*values)))
