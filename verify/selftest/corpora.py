"""Right claims of a corpus that is no part of the package, at points of their regions."""

from __future__ import annotations

import functools
import importlib
import os
import reprlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from verify.campaign.importing import see
from verify.errors import UsageError
from verify.model.case import Case, region_of, to_points
from verify.regions import Region
from verify.selftest.alarms import try_claim
from verify.selftest.outcome import Pair
from verify.selftest.points import generator

_POINTS: Final = 8
_GROUP: Final = "by hand, corpus"
_QUANTITIES: Final = ("gradient", "jacobian", "hessian")
"""Those that there is a reference for."""


def names(module: str) -> list[str]:
    """The exact claims of a module, which has ``rows()``: entries by their names.

    An entry says ``function``, ``derivative``, ``quantity``, ``over`` or ``at``, and whether it is
    ``approximate``.

    Raises
    ------
    UsageError
        There is no such module, or it has no rows.

    Examples
    --------
    >>> names("math")
    Traceback (most recent call last):
    ...
    verify.errors.UsageError: corpus='math' has no function rows(); expected a module with one, \
which gives entries by their names
    """
    return [
        f"{module}: {name}"
        for name, row in _rows(module).items()
        if row.quantity in _QUANTITIES and not row.approximate
    ]


@functools.cache  # of modules, which stay as long
def _rows(module: str) -> Mapping[str, Any]:
    folder = os.getcwd()
    see(folder)
    told = f"corpus={reprlib.repr(module)}"
    try:
        loaded = importlib.import_module(module)
        rows = loaded.rows() if hasattr(loaded, "rows") else None
    except Exception as error:  # whatever a module raises, it is told in words
        raise UsageError(
            f"{told}: {error}; expected a module that can be imported in {folder}"
        ) from error
    if isinstance(rows, Mapping) and all(hasattr(row, "derivative") for row in rows.values()):
        return rows
    raise UsageError(
        f"{told} has no function rows(); expected a module with one, which gives entries by their "
        "names"
    )


def try_corpus(name: str, keep: Callable[[str], bool], seed: int) -> list[Pair]:
    """One claim of a corpus, of :func:`names`, at points of its region."""
    module, _, key = name.partition(": ")
    row = _rows(module)[key]
    return [
        try_claim(_case(row, key, point), _GROUP, label=label)
        for number, point in enumerate(_points(row, seed, name))
        if keep(label := f"{name} #{number}")
    ]


def _points(row: Any, seed: int, name: str) -> Iterator[tuple[Any, ...]]:
    if row.over is None:
        yield from to_points(row.at)
        return
    region: Region = region_of(row.function, row.over)
    draw = generator(seed, f"corpus {name}")
    for turn in range(_POINTS):
        yield region.draw(draw, "mixed" if turn % 2 else "uniform", turn)


def _case(row: Any, key: str, point: tuple[Any, ...]) -> Case:
    return Case(
        id=key,
        title=key,
        function=row.function,
        at=(point,),
        quantity=row.quantity,
        claimed=row.derivative,
        suite="selftest",
    )
