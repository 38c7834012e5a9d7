"""A tensor as a key: told from others by its identity, not by its elements."""

from __future__ import annotations

from typing import Any


class Reference:
    """An object by its identity, as ``tf.Variable.ref()`` gives it: equal to itself alone."""

    __slots__ = ("_object",)

    def __init__(self, referred: Any) -> None:
        self._object = referred

    def deref(self) -> Any:
        """The object."""
        return self._object

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and self._object is other._object

    def __hash__(self) -> int:
        return id(self._object)

    def __repr__(self) -> str:
        return f"<symtape.Reference wrapping {self._object!r}>"
