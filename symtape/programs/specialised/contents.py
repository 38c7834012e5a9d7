"""Values around a function: whether they are still what they were."""

from __future__ import annotations

import functools
import gc
import io
import operator
import pickle
from collections.abc import Callable, Iterator, Mapping
from types import FunctionType, MappingProxyType, ModuleType
from typing import Any, Final

import numpy as np

from symtape.primitives.primitive import is_stand_in
from symtape.reading.origin import IMMUTABLE, whose

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


def list_pickled(value: Any) -> list[Any] | None:
    """What an object refers to by name when it is written down; None if it cannot be.

    Examples
    --------
    >>> list_pickled([1, dict])
    [<class 'dict'>]
    >>> list_pickled(lambda: 1)
    """
    writer = _Writer(io.BytesIO())
    try:
        writer.dump(value)
    except Exception:  # noqa: BLE001  # of users' classes, which raise what they like
        return None
    return writer.references


def check_memory(cached: functools._lru_cache_wrapper[Any]) -> Check:
    """Whether a cache of results still holds those that it held at any earlier check."""
    (memory,) = (x for x in gc.get_referents(cached) if type(x) is dict and x is not vars(cached))
    held: dict[Any, Any] = {}

    def check() -> bool:
        same = all(memory.get(key) is value for key, value in held.items())
        held.update(memory)
        return same

    return check


def check_pickled(value: Any) -> Check:
    """Whether an object is as it was, of one that can be written down.

    It is written down only where it does not hold the very things that it held.
    """
    before, held = _dump(value), _everything_in(value)
    return lambda: (held is not None and all(map(_is_as, held))) or _dump(value) == before


_Held = tuple[Any, bytes | dict[Any, Any]]


def _everything_in(value: Any) -> list[_Held] | None:
    """The arrays and objects in an object, with what they hold; None if something is not seen."""
    found: dict[int, _Held] = {}
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if id(one) in found or type(one) in IMMUTABLE or isinstance(one, _STEADY):
            continue
        if type(one) is np.ndarray and not one.dtype.hasobject:
            found[id(one)] = one, one.tobytes()
        elif type(one) in CONTAINERS or all(getattr(type(one), n, None) is f for n, f in _PLAINLY):
            held = parts(one)
            found[id(one)] = one, held
            waiting.extend(held.values())
        else:
            return None
    return list(found.values())


_STEADY: Final = (FunctionType, type, ModuleType, np.generic)
CONTAINERS: Final = frozenset((list, tuple, dict, set, frozenset, MappingProxyType))
"""Types of containers that hold what they show."""

_PLAINLY: Final = [
    (name, getattr(object, name, None)) for name in ("__reduce_ex__", "__reduce__", "__getstate__")
]
"""How an object is written down that holds its attributes and items, and nothing besides."""


def _is_as(known: _Held) -> bool:
    one, held = known
    return one.tobytes() == held if isinstance(held, bytes) else _holds(one, held)


def _holds(value: Any, before: dict[Any, Any]) -> bool:
    """Whether an object holds the very things that it held."""
    now = parts(value)
    return [*now] == [*before] and all(now[key] is before[key] for key in before)


def _dump(value: Any) -> bytes | None:
    try:
        return pickle.dumps(value)
    except Exception:  # noqa: BLE001  # of users' classes, which raise what they like
        return None


def check_array(value: Any) -> Check:
    """Whether nobody has written into an array, of which a copy is kept, or given it a shape."""
    array = np.asarray(value) if isinstance(value, memoryview) else value
    if array.dtype.hasobject:
        return check_pickled(array)
    before, shape, dtype = bytearray(array.tobytes()), array.shape, array.dtype
    return lambda: (
        # Python compares a bytearray with the memory itself, and without a copy.
        before
        == (array if array.flags.c_contiguous and type(array) is np.ndarray else array.tobytes())
        and array.shape == shape
        and array.dtype == dtype
    )


def memory_of(value: Any) -> Any:
    """The bytes that an object of compiled code shows, as an array; None if it shows none."""
    try:
        return np.asarray(memoryview(value).cast("B"))
    except TypeError:
        return None


def items(value: Any) -> list[Any]:
    """All that a container holds, keys among them."""
    return [*value, *value.values()] if isinstance(value, Mapping) else [*value]


def check_items(value: Any) -> Check:
    """Whether a container holds the very things that it held, in the same order."""
    if isinstance(value, Mapping):
        keys, held = [*value], [*value.values()]
        return lambda: (
            len(value) == len(keys)
            and all(map(operator.is_, value, keys))
            and all(map(operator.is_, value.values(), held))
        )
    held = items(value)

    def check() -> bool:
        now = value if type(value) is list else items(value)
        return len(now) == len(held) and all(map(operator.is_, now, held))

    return check


def parts(value: Any) -> dict[Any, Any]:
    """What an object holds, as far as it can be seen."""
    held: dict[Any, Any] = {}
    if isinstance(value, dict | MappingProxyType):
        held.update(value)
    elif isinstance(value, list | tuple | set | frozenset):
        held.update(enumerate(value))
    kind: Any = type(value)
    for name in (*_slots(kind), *getattr(value, "__dict__", ())):
        if hasattr(value, name):
            held["attribute", name] = getattr(value, name)
    return held


@functools.lru_cache(maxsize=1024)  # classes
def _slots(kind: Any) -> tuple[str, ...]:
    found = [vars(one).get("__slots__", ()) for one in kind.__mro__]
    named = [name for one in found for name in ((one,) if isinstance(one, str) else one)]
    return tuple(name for name in named if name not in ("__dict__", "__weakref__"))


def is_opaque(value: Any) -> bool:
    """Whether an object gives something else each time and shows nothing of itself.

    Examples
    --------
    >>> is_opaque(k for k in [1]), is_opaque([1])
    (True, False)
    """
    return isinstance(value, Iterator) and not parts(value)


def check_parts(value: Any) -> Check:
    """Whether an object holds the very things that it held; what they hold is looked at apart."""
    before = parts(value)
    return lambda: _holds(value, before)
