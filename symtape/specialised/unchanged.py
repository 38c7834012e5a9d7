"""Values around a function: whether they are still what they were."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable, Iterator, Mapping
from types import FunctionType, ModuleType
from typing import Any

from symtape.frontends.origin import whose
from symtape.primitives.arguments import is_stand_in

Check = Callable[[], bool]


class _Writer(pickle.Pickler):
    """A pickler that notes what it writes down by name, or what tapes may follow."""

    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file)
        self.references: list[Any] = []

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, FunctionType | type | ModuleType) or is_stand_in(obj):
            self.references.append(obj)
        elif _writes_itself(type(obj)):
            raise pickle.PicklingError
        return NotImplemented


def _writes_itself(kind: type) -> bool:
    """Whether a class of users' says what of its objects is written down: it may be less."""
    said = (getattr(kind, name, None) for name in ("__reduce_ex__", "__reduce__", "__getstate__"))
    return any(isinstance(one, FunctionType) and whose(one.__globals__) == "user" for one in said)


def written(value: Any) -> list[Any] | None:
    """What an object refers to by name when it is written down; None if it cannot be.

    Examples
    --------
    >>> written([1, dict])
    [<class 'dict'>]
    >>> written(lambda: 1)
    """
    writer = _Writer(io.BytesIO())
    try:
        writer.dump(value)
    except Exception:  # noqa: BLE001  # of users' classes, which raise what they like
        return None
    return writer.references


def of_written(value: Any) -> Check:
    """Whether an object is as it was, of one that can be written down."""
    before = _dumped(value)
    return lambda: _dumped(value) == before


def _dumped(value: Any) -> bytes | None:
    try:
        return pickle.dumps(value)
    except Exception:  # noqa: BLE001  # of users' classes, which raise what they like
        return None


def of_array(array: Any) -> Iterator[Check]:
    """Whether nobody has written into an array, of which a copy is kept."""
    if array.dtype.hasobject:
        yield of_written(array)
    elif array.flags.c_contiguous and array.size and array.dtype.kind in "fiubc":
        view, before = memoryview(array).cast("B"), array.tobytes()
        yield lambda: view == before
    else:
        copy = array.tobytes()
        yield lambda: array.tobytes() == copy


def parts(value: Any) -> dict[Any, Any]:
    """What an object holds, as far as it can be seen."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, list | tuple | set | frozenset):
        return dict(enumerate(value))
    slots = [name for kind in type(value).__mro__ for name in _slots(kind)]
    held = {name: getattr(value, name) for name in slots if hasattr(value, name)}
    return held | dict(getattr(value, "__dict__", {}))


def _slots(kind: type) -> tuple[str, ...]:
    found = vars(kind).get("__slots__", ())
    named = (found,) if isinstance(found, str) else tuple(found)
    return tuple(name for name in named if name not in ("__dict__", "__weakref__"))


def is_opaque(value: Any) -> bool:
    """Whether an object gives something else each time and shows nothing of itself.

    Examples
    --------
    >>> is_opaque(k for k in [1]), is_opaque([1])
    (True, False)
    """
    return isinstance(value, Iterator) and not parts(value)


def of_parts(value: Any, before: dict[Any, Any]) -> Check:
    """Whether an object holds the very things that it held; what they hold is looked at apart."""

    def check() -> bool:
        now = parts(value)
        return now.keys() == before.keys() and all(now[key] is before[key] for key in before)

    return check
