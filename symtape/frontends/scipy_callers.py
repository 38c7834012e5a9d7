"""Which functions are stopped as they stand by SciPy's, and run with rows in place of these."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import CodeType
from typing import Any, Final

from symtape.frontends.functions import code_of

Function = Callable[..., Any]

_MOST_KEPT: Final = 512
_KNOWN: Final[dict[int, tuple[CodeType, bool]]] = {}
"""Of code that was stopped as it stands, whether it ran with rows."""


def needs_rows(function: Function) -> bool:
    """Whether a function was stopped as it stands, and ran with rows in place of SciPy's names."""
    return bool(_KNOWN) and _known(function) is True


def may_need_rows(function: Function) -> bool:
    """Whether it is not known yet if a function runs with rows, which was stopped."""
    return "scipy" in sys.modules and code_of(function) is not None and _known(function) is None


def _known(function: Function) -> bool | None:
    code = getattr(function, "__code__", None) or code_of(function)
    known = _KNOWN.get(id(code))
    return known[1] if known is not None and known[0] is code else None


def keep(function: Function, ran: bool) -> None:
    """Keep whether it ran with rows, so that it is not tried in vain in each call."""
    if (code := code_of(function)) is not None:
        _KNOWN[id(code)] = (code, ran)
        while len(_KNOWN) > _MOST_KEPT:
            _KNOWN.pop(next(iter(_KNOWN)))
