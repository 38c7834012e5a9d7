"""The ways to run a function, tried one after the other: as it stands, and as it is read."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from symtape.errors import BudgetSpent, Escaped, NotTraceable
from symtape.frontends.reach import stands_beside_text, unreached
from symtape.frontends.reading import asks_types, readings
from symtape.recording.refusals import TEXT, refusal
from symtape.recording.run import LEAVING, Run
from symtape.recording.stack import STACK


def first_run(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    how: tuple[Any, ...],
    more: dict[str, Any],
) -> Run:
    """The first run that nothing leaves, of ways to run one function; else what the first gave.

    A function may catch what others that record were told: they will say so.
    """
    outer = [(one, len(one.escaped())) for one in STACK.recorders] if STACK.recorders else []
    first: Run | None = None
    failed: Exception | None = None
    told: list[list[Any]] | None = None
    tried = []
    for way in itertools.chain(() if asks_types(function) else (function,), readings(function)):
        tried.append(way)
        try:
            run = Run(way, args, kwargs, *how, **more)
        except BudgetSpent:
            raise
        except Exception as error:
            if getattr(way, "own_error", None) is error:
                raise
            if first is None:
                failed = failed or error
        else:
            text = run.tape.wrote and not stands_beside_text(way, args, kwargs)
            if text and not failed:
                failed = refusal(TEXT)
            if not text and all(len(one.escaped()) == count for one, count in outer):
                return run
            first = first if failed else first or run
        told = told or [one.escaped()[count:] for one, count in outer]
        for one, count in outer:
            del one.escaped()[count:]
    if isinstance(failed, Escaped) and (found := unreached(tried, args, kwargs)):
        return _leaving(found, args, kwargs, how, more)
    for (one, _), of_it in zip(outer, told or (), strict=False):
        one.escaped().extend(of_it)
    if first is None:
        raise failed or NotTraceable("there is no way to run the function")
    return first


def _leaving(
    way: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    how: tuple[Any, ...],
    more: dict[str, Any],
) -> Run:
    """A run that values leave, of which it is known that they do not come back."""
    outer = [(one, len(one.escaped())) for one in STACK.recorders] if STACK.recorders else []
    token = LEAVING.set(True)
    try:
        return Run(way, args, kwargs, *how, **more)
    finally:
        LEAVING.reset(token)
        for one, count in outer:
            del one.escaped()[count:]
