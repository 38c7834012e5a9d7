"""Reprs of one line, for prompts, notebooks and the values that debuggers show."""

from __future__ import annotations

import dataclasses
import reprlib
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

LONGEST: Final = 199
"""Characters of a repr."""

_ROOM: Final = 110
"""Characters of an array within one."""

_MOST_ENTRIES: Final = 100

_SHORT: Final = reprlib.Repr()
_SHORT.maxlevel, _SHORT.maxtuple, _SHORT.maxlist, _SHORT.maxdict = 2, 3, 3, 3
_SHORT.maxstring, _SHORT.maxother = 60, 60


class OneLineRepr:
    """A dataclass that shows the fields that differ from their defaults, shortened.

    Examples
    --------
    >>> @dataclasses.dataclass(repr=False)
    ... class Measured(OneLineRepr):
    ...     name: str
    ...     values: tuple[float, ...] = ()
    ...     unit: str = "ulp"
    >>> Measured("error", tuple(map(float, range(100))))
    Measured(name='error', values=(0.0, 1.0, 2.0, ...))
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return clip_line(f"{type(self).__name__}({', '.join(self._iterate_fields())})", ")")

    def _iterate_fields(self) -> Iterator[str]:
        assert dataclasses.is_dataclass(self)
        # As one would call it: what is given by name alone comes last.
        for each in sorted(dataclasses.fields(self), key=lambda field: bool(field.kw_only)):
            value = getattr(self, each.name)
            if each.repr and not _is_default(each, value):
                yield f"{each.name}={_SHORT.repr(value)}"


def clip_line(text: str, end: str = "") -> str:
    r"""`text` on one line of at most `LONGEST` characters; one that is cut ends in `end`.

    Examples
    --------
    >>> clip_line("array([1.,\n       2.])")
    'array([1., 2.])'
    >>> shown = clip_line(f"<{'x' * 300}>", ">")
    >>> len(shown), shown[-3:]
    (199, 'x…>')
    """
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1 - len(end)]}…{end}"


def brief(value: Any) -> str:
    """An array on one line: all of it if it is short, or else its corners.

    Examples
    --------
    >>> import numpy as np
    >>> brief(np.ones((2, 2))), len(brief(np.ones((50, 50)))) < 120
    ('array([[1., 1.], [1., 1.]])', True)
    """
    if not getattr(value, "ndim", 0):
        return str(value)
    whole = " ".join(repr(np.asarray(value)).split()) if value.size <= _MOST_ENTRIES else ""
    if 0 < len(whole) <= _ROOM:
        return whole
    with np.printoptions(threshold=0, edgeitems=1, precision=4):
        return " ".join(repr(np.asarray(value)).split())[:_ROOM]


def _is_default(field: dataclasses.Field[Any], value: Any) -> bool:
    default: Any = field.default
    if field.default_factory is not dataclasses.MISSING:
        default = field.default_factory()
    # Arrays compare by entry, and are no defaults.
    return type(value) is type(default) and not hasattr(value, "shape") and bool(value == default)
