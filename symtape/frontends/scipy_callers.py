"""Which functions are stopped as they stand by SciPy's, and run with rows in place of these."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import CodeType
from typing import Any, Final

from symtape.frontends.functions import code_of

Function = Callable[..., Any]

_MOST_KEPT: Final = 512
_RAN: Final[dict[int, CodeType]] = {}
"""Code that was stopped as it stands, and ran with rows.

Rows compute what SciPy's functions compute, so that they change nothing where nothing stops. What
did not run with rows is not kept: at another point, or of another closure, it may.
"""


def needs_rows(function: Function) -> bool:
    """Whether a function was stopped as it stands, and ran with rows in place of SciPy's names."""
    code = code_of(function) if _RAN else None
    return code is not None and _RAN.get(id(code)) is code


def may_need_rows(function: Function) -> bool:
    """Whether a function which was stopped may run with rows."""
    return "scipy" in sys.modules and code_of(function) is not None


def keep(function: Function) -> None:
    """Keep that it ran with rows, so that it is not run in vain in each call."""
    if (code := code_of(function)) is not None:
        _RAN[id(code)] = code
        while len(_RAN) > _MOST_KEPT:
            _RAN.pop(next(iter(_RAN)))
