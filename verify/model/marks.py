"""Where a marked function keeps what its marks say; read without importing anything else."""

from __future__ import annotations

from typing import Any, Final

MARK: Final = "__symtape_cases__"
"""The attribute in which ``verify.case`` keeps what it was told."""


def marks_of(thing: Any) -> list[dict[str, Any]]:
    """What the marks of `thing` say, in their order; none of what is no marked function.

    Only its own attributes are looked at: what stands in a module may answer to any name, or raise.

    Examples
    --------
    >>> marks_of(len), marks_of(5)
    ([], [])
    """
    try:
        own = object.__getattribute__(thing, "__dict__")
    except (AttributeError, TypeError):
        return []
    found = own.get(MARK) if isinstance(own, dict) else None
    return found if isinstance(found, list) and callable(thing) else []
