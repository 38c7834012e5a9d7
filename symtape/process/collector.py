"""Python's collector of cycles, which stands aside while large programs are made."""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable
from typing import ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def suspend_collector(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Let `function` run without a look for cycles.

    Statements are tuples that hold no cycles, and balls are no containers; the collector would
    walk through all of them again and again as they become more, which costs as much as making
    them.

    Examples
    --------
    >>> suspend_collector(gc.isenabled)(), gc.isenabled()
    (False, True)
    """

    @functools.wraps(function)
    def call(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
        enabled = gc.isenabled()
        gc.disable()
        try:
            return function(*args, **kwargs)
        finally:
            if enabled:
                gc.enable()

    return call
