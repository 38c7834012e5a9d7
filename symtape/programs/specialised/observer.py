"""The observer: a reader of plain values, who notes what a function reads from around it."""

from __future__ import annotations

import decimal
import functools
import sys
import weakref
from collections.abc import Callable
from contextvars import ContextVar
from types import (
    ClassMethodDescriptorType,
    FunctionType,
    MethodDescriptorType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any, Final

import numpy as np

from symtape.programs.specialised.contents import CONTAINERS
from symtape.programs.specialised.outside import is_silent, meets_outside, place, random_states
from symtape.programs.specialised.reads import ABSENT, Reads, is_followed, is_seen
from symtape.reading.origin import IMMUTABLE, STEADY, root_package
from symtape.reading.reader import Reader
from symtape.reading.twins import is_twin, make_twin
from symtape.recording.stack import OBSERVER
from symtape.recording.tensor import Tensor

_UNHELD: Final = frozenset((Tensor, np.ndarray, *IMMUTABLE))
"""Types of values of which the attributes say nothing that their contents do not."""

_BOUND: Final = (
    *(FunctionType, staticmethod, classmethod, property),
    *(MethodDescriptorType, WrapperDescriptorType, ClassMethodDescriptorType),
)
"""What a class has for its methods: it is the same as long as the class is."""

_SETTINGS: Final = ("get", "is")
"""How functions without effect begin that show a setting of a package."""


def observe(function: Callable[..., Any], *args: Any, **keywords: Any) -> tuple[Reads, Any]:
    """What `function` reads from around it in one call, and what it returns; None if it fails.

    Where the call fails, all is noted that the function leads to.

    Examples
    --------
    >>> __name__ = "example"  # a module of users'
    >>> scale = {"k": 2.0}
    >>> reads, returned = observe(lambda x: scale["k"] * x, 3.0)
    >>> returned, reads.is_unchanged()
    (6.0, True)
    >>> scale["k"] = 4.0
    >>> reads.is_unchanged()
    False
    """
    reads = Reads()
    reads.meet(function)
    observer = Observer(reads)
    drawn = random_states()
    token = OBSERVER.set(observer.call)
    returned = None
    try:
        returned = observer.call(function, *args, **keywords)
    except Exception as error:  # noqa: BLE001  # of users' code
        reads.failed = error
        reads.meet(function, unseen=True)
    finally:
        OBSERVER.reset(token)
    if not reads.outside and random_states() != drawn:
        reads.outside = "draws random numbers"
    return reads, returned


class Observer(Reader):
    """Whom twins ask while a function is observed: each call is made as it stands.

    Parameters
    ----------
    reads : Reads
        Where it is noted what comes from around the function.
    """

    def __init__(self, reads: Reads) -> None:
        super().__init__({}, is_seen)
        self._reads = reads
        # With the functions that they are of, by whose ids they are found.
        self._twins: dict[int, tuple[FunctionType, FunctionType]] = {}

    def twin(self, function: FunctionType) -> FunctionType:
        """The twin of a function, or itself where it is not seen or has no source."""
        known = self._twins.get(id(function))
        if known is not None:
            return known[1]
        twin = function
        if is_seen(function) and not is_twin(function):
            self._reads.enter(function)
            twin = make_twin(function, self) or function
            if twin is function:
                self._reads.enter(function, unseen=True)
        self._twins[id(function)] = function, twin
        return twin

    def workspace(self, x: Any) -> Any:
        """An array from around the function, as it is."""
        return x

    def own(self, x: Any) -> Any:
        """One that it made, as it is."""
        return x

    def target_in(self, of: Any, name: str) -> Any:
        """What is called in place of ``of.name``."""
        return self.target(self.attribute(of, name))

    def attribute(self, of: Any, name: str) -> Any:
        """``of.name``."""
        __tracebackhide__ = True
        kind = type(of)
        if kind in _UNHELD:
            found = getattr(of, name)
            if name == "base":  # of an array, of which more may be read than is compared
                self._reads.meet(found)
            return found
        if kind is ModuleType:
            return self._attribute_of_module(of, name)
        if kind is super:
            self._reads.meet(of.__self_class__, unseen=True)
            return getattr(of, name)
        raw = self._find_in_class(of, name) if isinstance(of, type) else ABSENT
        inherited = self._find_in_class(kind, name)
        if type(inherited) is property and is_seen(inherited.fget):
            self._reads.meet(inherited.fget)
            return self.call(inherited.fget, of)
        raw = inherited if raw is ABSENT else raw
        own = {} if isinstance(of, type) else getattr(of, "__dict__", {})
        if type(raw) is functools.cached_property and name not in own:
            own[name] = self.call(raw.func, of)
        get = self.method(raw, "__get__")
        if get is not None:
            self._reads.meet(raw)
            return self.call(get, raw, *((None, of) if isinstance(of, type) else (of, kind)))
        if raw is ABSENT and name not in own and (lookup := self.method(of, "__getattr__")):
            return self.call(lookup, of, name)
        outer = isinstance(of, type) or self._reads.knows(of)
        if outer and hasattr(of, "__dict__") and not isinstance(of, type):
            self._reads.note_name(own, name, own.get(name, ABSENT))
        found = getattr(of, name)
        self._reads.meet(raw)
        if outer and type(raw) not in _BOUND:
            if name not in own and (raw is ABSENT or hasattr(type(raw), "__get__")):
                self._note_given(of, name, found)
            self._reads.meet(found)
        return found

    def _attribute_of_module(self, of: ModuleType, name: str) -> Any:
        around = vars(of)
        held = around.get(name, ABSENT)
        if root_package(of.__name__) not in STEADY:
            self._reads.note_name(around, name, held)
        lookup = around.get("__getattr__")
        if held is ABSENT and is_seen(lookup):
            self._reads.meet(lookup)
            held = self.call(lookup, name)
        found = getattr(of, name) if held is ABSENT else held
        self._reads.meet(found)
        return found

    def _find_in_class(self, kind: type, name: str) -> Any:
        """What objects of a class find in it under a name."""
        raw = _found_in(kind, name)
        if is_followed(kind):
            self._reads.note_check(lambda: _found_in(kind, name) is raw, (id(kind), name))
        return raw

    def _note_given(self, of: Any, name: str, found: Any) -> None:
        """Note an attribute that compiled code answers."""
        about = id(of), name, "given"
        if getattr(of, name) is found:
            self._reads.note_check(lambda: getattr(of, name, ABSENT) is found, about)
        elif type(found) in IMMUTABLE:
            self._reads.note_check(lambda: getattr(of, name, ABSENT) == found, about)
        else:
            self._reads.meet(of, unseen=True)

    def method(self, x: Any, name: str) -> Any:
        """A method of the class of `x` that is seen; None if there is none."""
        found = super().method(x, name)
        if found is not None:
            self._find_in_class(type(x), name)
        return found

    def item(self, of: Any, key: Any) -> Any:
        """``of[key]``."""
        __tracebackhide__ = True
        if of is sys.modules:
            self._reads.note_name(sys.modules, key, sys.modules.get(key, ABSENT))
        if getter := self.method(of, "__getitem__"):
            return self.call(getter, of, key)
        if isinstance(of, type) and _found_in(of, "__class_getitem__") is not ABSENT:
            return self.call(self.attribute(of, "__class_getitem__"), key)
        found = of[key]
        # A slice of a list is the function's own, and of what is known in the list already.
        if self._reads.knows(of) and not (type(of) is list and type(key) is slice):
            self._reads.meet_part(of, found)
        return found

    def set_attribute(self, value: Any, of: Any, name: str) -> None:
        """``of.name = value``."""
        if self._reads.knows(of) and hasattr(of, "__dict__"):
            own = vars(of)
            self._reads.note_name(own, name, own.get(name, ABSENT))
        super().set_attribute(value, of, name)

    def hand_over(self, x: Any) -> Any:
        """What is handed to code that runs unseen."""
        if self._reads.knows(x) and not isinstance(x, FunctionType):
            self._reads.meet(x, unseen=True)
        return super().hand_over(x)

    def _give(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(map(self.hand_over, args))

    def _call_cached(self, function: Any, /, *args: Any, **keywords: Any) -> Any:
        __tracebackhide__ = True
        return self.call(function.__wrapped__, *args, **keywords)

    def _call_as_it_is(self, function: Any, /, *args: Any, **keywords: Any) -> Any:
        __tracebackhide__ = True
        return self._hand(function, args, keywords)

    def _target_in_python(self, function: FunctionType) -> Any:
        if is_seen(function):
            return self.twin(function)
        return functools.partial(self._call_unseen, function)

    def _call_unseen(self, function: FunctionType, /, *args: Any, **keywords: Any) -> Any:
        """Call a function of a package whose code runs unseen."""
        __tracebackhide__ = True
        if is_silent(function, args):
            self._reads.note_check(lambda: is_silent(function, args))
            return None
        wrapped = function.__dict__.get("__wrapped__")
        ours = str(function.__globals__.get("__name__")).startswith("symtape.")
        if ours:
            return self._hand(function, args, keywords, lambda x: x)
        if wrapped is not None:
            self._reads.meet(wrapped, unseen=True)
        found = self._hand(function, args, keywords)
        if function.__name__.startswith(_SETTINGS) and not args and not keywords:
            self._reads.note_check(lambda: function() == found)
        return found

    def _target_of_builtin(self, function: Any) -> Any:
        found = super()._target_of_builtin(function)
        found = functools.partial(self._call_as_it_is, function) if found is function else found
        return functools.partial(self._call_builtin, function, found)

    def _call_builtin(self, function: Any, otherwise: Any, /, *args: Any, **keywords: Any) -> Any:
        __tracebackhide__ = True
        owner = function.__self__
        found = otherwise(*args, **keywords)
        if isinstance(owner, ModuleType):
            if function.__name__.startswith("get") and not args:
                self._note_setting(function, found)
            elif function in (isinstance, issubclass) and type(args[1]) is not type:
                self._note_kind(function, args, found)
        elif type(owner) in CONTAINERS and function.__name__ == "copy":
            pass  # It is the function's own, and what is in it is known.
        elif not isinstance(owner, type) and self._reads.knows(owner):
            self._reads.meet_part(owner, found)
        return found

    def _note_setting(self, function: Any, found: Any) -> None:
        """Note what a function in compiled code shows, as a limit or the context of a module."""
        if type(found) in IMMUTABLE:
            self._reads.note_check(lambda: function() == found)
        elif function() is found:
            self._reads.note_check(lambda: function() is found)
            self._reads.meet(found)

    def _note_kind(self, function: Any, args: Any, found: bool) -> None:
        """Note what a class says itself of an object that is from around the function."""
        if self._reads.knows(args[0]) or type(args[0]) in IMMUTABLE:
            self._reads.note_check(lambda: function(*args) is found)

    def _target_of_class(self, kind: type) -> Any:
        if kind is decimal.Decimal:
            self._reads.meet(decimal.getcontext())
        found = super()._target_of_class(kind)
        return functools.partial(self._call_as_it_is, kind) if found is kind else found

    def _call_object(self, function: Any, /, *args: Any, **keywords: Any) -> Any:
        __tracebackhide__ = True
        wrapped = getattr(function, "__wrapped__", None)
        if type(function).__module__ == "symtape.programs.specialised.function":
            return self.call(wrapped, *args, **keywords)
        call = getattr(type(function), "__call__", None)  # noqa: B004 -- what runs
        if not is_seen(call):
            self._reads.meet(function, unseen=True)
        found = super()._call_object(function, *args, **keywords)
        if isinstance(function, weakref.ref | ContextVar):
            self._reads.meet(found)
        return found

    def _hand(
        self, function: Any, args: Any, keywords: Any, how: Callable[[Any], Any] | None = None
    ) -> Any:
        __tracebackhide__ = True
        if not self._reads.outside and meets_outside(function, [*args, *keywords.values()]):
            where = place(sys._getframe())
            if where:
                self._reads.outside = f"calls {function.__name__} at {where}"
        return super()._hand(function, args, keywords, how)


def _found_in(kind: type, name: str) -> Any:
    """What a class or one that it inherits from has under a name."""
    for one in kind.__mro__:
        found = one.__dict__.get(name, ABSENT)
        if found is not ABSENT:
            return found
    return ABSENT
