"""Methods that Python calls by itself, as for an operator or a loop, where classes are read.

No call in the source names them, so that each is looked for where its operator, its statement or
its builtin stands.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType
from typing import Any, Final

import numpy as np

from symtape.reading.origin import IMMUTABLE
from symtape.recording.in_place import Buffer
from symtape.recording.tensor import Tensor

PLAIN: Final = IMMUTABLE.union(
    (Tensor, Buffer, np.ndarray, np.float64, np.int64, np.bool_, ModuleType, FunctionType),
    (list, tuple, dict, range, set, type),
)
"""Types without a method of Python's protocols that is written by a user or a library."""

BINARY: Final = {
    name: getattr(operator, f"__{name}__")
    for name in (
        *("add", "sub", "mul", "truediv", "pow", "matmul", "floordiv", "mod"),
        *("and", "or", "xor", "lshift", "rshift"),
    )
}
IN_PLACE: Final = {name: getattr(operator, f"__i{name}__") for name in BINARY}
UNARY: Final[dict[str, Callable[[Any], Any]]] = {
    "neg": operator.neg,
    "pos": operator.pos,
    "invert": operator.invert,
}
COMPARISONS: Final = {
    name: getattr(operator, f"__{name}__") for name in ("lt", "le", "eq", "ne", "gt", "ge")
}
_MIRRORED: Final = {"lt": "gt", "le": "ge", "eq": "eq", "ne": "ne", "gt": "lt", "ge": "le"}

ONE_METHOD: Final[dict[Any, str]] = {
    abs: "__abs__",
    len: "__len__",
    iter: "__iter__",
    next: "__next__",
    round: "__round__",
    float: "__float__",
    int: "__int__",
    complex: "__complex__",
    reversed: "__reversed__",
}
"""Builtins that call one method of their first argument."""

CONSUMERS: Final = frozenset(
    (
        *(sum, list, tuple, set, frozenset, min, max, sorted, any, all, zip, enumerate, map),
        *(filter, itertools.accumulate, itertools.starmap, itertools.chain, itertools.islice),
    )
)
"""Builtins that iterate over their arguments."""


def finds_method(kind: type, name: str) -> Any:
    """A method of a class, as a function; None where it has none, or is of a plain type."""
    return None if kind in PLAIN else getattr(kind, name, None)


def precedes(kind: type) -> bool:
    """Whether an array leaves its operators to objects of a class."""
    if getattr(kind, "__array_ufunc__", kind) is None:
        return True
    return not hasattr(kind, "__array_ufunc__") and getattr(kind, "__array_priority__", 0) > 0


class Protocols:
    """Operators, loops and contexts, by methods that are read where classes have such."""

    call: Callable[..., Any]

    def __init__(self, is_read: Callable[[Any], bool]) -> None:
        self._is_read = is_read

    def method(self, x: Any, name: str) -> Any:
        """A method of the class of `x` that is read; None if there is none."""
        found = finds_method(type(x), name)
        return found if found is not None and self._is_read(found) else None

    def binary(self, name: str, a: Any, b: Any) -> Any:
        """``a + b`` and its like."""
        __tracebackhide__ = True
        left, right = type(a), type(b)
        if left in PLAIN and right in PLAIN:
            return BINARY[name](a, b)
        if method := self.method(a, f"__{name}__"):
            found = self.call(method, a, b)
            if found is not NotImplemented:
                return found
        method = self.method(b, f"__r{name}__") if left in PLAIN else None
        if method and (left is not np.ndarray or precedes(right)):
            return self.call(method, b, a)
        return BINARY[name](a, b)

    def operate_in_place(self, name: str, a: Any, b: Any) -> Any:
        """What ``a += b`` binds `a` to."""
        __tracebackhide__ = True
        if type(a) in PLAIN and type(b) in PLAIN:
            return IN_PLACE[name](a, b)
        if method := self.method(a, f"__i{name}__"):
            return self.call(method, a, b)
        return IN_PLACE[name](a, b) if hasattr(a, f"__i{name}__") else self.binary(name, a, b)

    def unary(self, name: str, a: Any) -> Any:
        """``-a`` and its like."""
        __tracebackhide__ = True
        method = self.method(a, f"__{name}__")
        return self.call(method, a) if method else UNARY[name](a)

    def compare(self, name: str, a: Any, b: Any) -> Any:
        """``a < b`` and its like."""
        __tracebackhide__ = True
        if type(a) in PLAIN and type(b) in PLAIN:
            return COMPARISONS[name](a, b)
        for method_name, x, y in ((name, a, b), (_MIRRORED[name], b, a)):
            if method := self.method(x, f"__{method_name}__"):
                found = self.call(method, x, y)
                if found is not NotImplemented:
                    return found
        return COMPARISONS[name](a, b)

    def contains(self, item: Any, x: Any) -> bool:
        """``item in x``."""
        __tracebackhide__ = True
        if type(x) in PLAIN:
            return item in x
        method = self.method(x, "__contains__")
        return bool(self.call(method, x, item)) if method else item in x

    def iterate(self, x: Any) -> Any:
        """What a loop over `x` goes over."""
        if type(x) in PLAIN:
            return x
        if method := self.method(x, "__iter__"):
            x = self.call(method, x)
        return self._items(x) if self.method(x, "__next__") else x

    def _items(self, iterator: Any) -> Iterator[Any]:
        following = type(iterator).__next__
        while True:
            try:
                item = self.call(following, iterator)
            except StopIteration:
                return
            yield item

    def context(self, manager: Any) -> Any:
        """What ``with manager`` enters."""
        return _Context(self, manager) if self.method(manager, "__enter__") else manager

    def set_item(self, value: Any, of: Any, key: Any) -> None:
        """``of[key] = value``."""
        __tracebackhide__ = True
        if method := self.method(of, "__setitem__"):
            self.call(method, of, key, value)
        else:
            of[key] = value

    def set_attribute(self, value: Any, of: Any, name: str) -> None:
        """``of.name = value``."""
        __tracebackhide__ = True
        found = finds_method(type(of), name)
        if type(found) is property and self._is_read(found.fset):
            self.call(found.fset, of, value)
        elif method := self.method(of, "__setattr__"):
            self.call(method, of, name, value)
        else:
            setattr(of, name, value)


class _Context:
    """A context whose methods are read."""

    def __init__(self, protocols: Protocols, manager: Any) -> None:
        self._call, self._manager = protocols.call, manager

    def __enter__(self) -> Any:
        return self._call(type(self._manager).__enter__, self._manager)

    def __exit__(self, *error: Any) -> Any:
        return self._call(type(self._manager).__exit__, self._manager, *error)
