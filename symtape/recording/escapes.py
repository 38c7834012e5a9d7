"""How a value leaves a tensor for plain Python, and what of Python a tensor refuses.

Numbers that may reach a result leave with notice to the recorders: an *escape*. Truth values and
whole numbers are steps of the value: the derivative of what is made of them is right as long as
they stay the same, and that they do is a *decision* of the recording, as ``if x > 0`` is one.
Text is for people, and no escape.
"""

from __future__ import annotations

import math
import operator
import os
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, Final

import numpy as np

from symtape.errors import NotOnTape
from symtape.recording.calling import calls, find_called, formats
from symtape.recording.stack import STACK

_PREDICATES: Final[dict[str, Any]] = {
    predicate.__name__: predicate for predicate in (np.isnan, np.isinf, np.isfinite)
}
"""Questions of the module ``math`` about a number, as they are asked of a tensor."""

_INTERFACES: Final = frozenset(("__array_interface__", "__array_struct__"))
"""What NumPy looks for before it asks for ``__array__``, which tells more."""

_OF_VALUES: Final = _INTERFACES | frozenset(
    ("__dlpack__", "as_integer_ratio", "byteswap", "choose", "device", "getfield", "hex")
)
"""Attributes of arrays, or of numbers, through which contents leave; code asks for them as well."""

_NUMPY: Final = os.path.dirname(np.__file__) + os.sep
_TESTING: Final = os.path.join(_NUMPY, "testing") + os.sep

_EXACT: Final = 2**53
"""Up to here the next whole number is another float."""


def _method(name: str) -> Any:
    """A method, or an attribute, through which the contents of an array leave."""

    def escape(self: Any, *args: Any, **kwargs: Any) -> Any:
        self._escape(f".{name}()")
        return getattr(self._value, name)(*args, **kwargs)

    escape.__name__ = name
    escape.__doc__ = f"As ``numpy.ndarray.{name}``; the value leaves the tape."
    return escape


def _attribute(name: str) -> Any:
    def escape(self: Any) -> Any:
        self._escape(f".{name}")
        return getattr(np.asarray(self._value).copy(), name)

    return property(escape, doc=f"As ``numpy.ndarray.{name}``; the value leaves the tape.")


def _is_asserted() -> bool:
    """Whether an assertion of NumPy's asks for the value, which returns nothing."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename.startswith((__file__, _NUMPY)):
        if frame.f_code.co_filename.startswith(_TESTING):
            return True
        frame = frame.f_back
    return False


class Escapes:
    """The conversions of an array, each of which tells the recorders that a value left."""

    __slots__ = ()
    _value: Any
    shape: Any
    __getitem__: Callable[..., Any]
    _read: Callable[..., Any]

    def __getattr__(self, name: str) -> Any:
        if name in _OF_VALUES and hasattr(self._value, name):
            caller = sys._getframe(1)
            function = find_called(caller)[1]
            is_asked = function is hasattr or name == "device"
            if is_asked or name not in _INTERFACES or function is getattr or not calls(caller):
                if not is_asked:
                    self._escape(f".{name}")
                return getattr(self._value, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def numpy(self) -> Any:
        """The value as a plain NumPy array (a copy), or NumPy scalar; it leaves the tape."""
        self._escape(".numpy()")
        return self._value.copy()

    def item(self, *args: Any) -> Any:
        """The value as a Python scalar; it leaves the tape."""
        self._escape(".item()")
        return self._value.item(*args)

    def tolist(self) -> Any:
        """The value as nested Python lists; it leaves the tape."""
        self._escape(".tolist()")
        return self._value.tolist()

    tobytes, tofile = _method("tobytes"), _method("tofile")
    dump, dumps = _method("dump"), _method("dumps")
    data, ctypes = _attribute("data"), _attribute("ctypes")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        if dtype is not None and np.dtype(dtype) == object:
            return self._elements()
        self._escape("np.asarray()")
        if copy:
            return np.array(self._value, dtype=dtype)
        # Compiled code may write into what it is given.
        view = np.asarray(self._value, dtype=dtype).view()
        view.flags.writeable = False
        return view

    def _elements(self) -> Any:
        """An array of objects, each of them a tensor of one element."""
        found = np.empty(self.shape, dtype=object)
        for index in np.ndindex(self.shape):
            found[index] = self[index] if index else self._read()
        return found

    def __float__(self) -> float:
        value = self._scalar("float()")
        caller = sys._getframe(1)
        if formats(caller):
            STACK.write(self)
        else:
            self._decide_or_escape(find_called(caller)[1])
        return float(value)

    def _decide_or_escape(self, function: Any) -> None:
        """Tell what `function`, which converts the tensor, takes of it."""
        name = getattr(function, "__name__", "")
        if function is getattr(math, name, None) and name in _PREDICATES:
            bool(_PREDICATES[name](self))
        else:
            self._escape("float()")

    def __hash__(self) -> int:
        if self._value.ndim:
            raise NotOnTape(f"unhashable: a tensor of shape {self.shape}, as an array is")
        raise NotOnTape(
            "unhashable: a number that is differentiated cannot be a key of a dict, of a set or of "
            "a cache (functools.lru_cache): what is found by it would count as constant; compute "
            "without the cache, as by its __wrapped__, or write t.ref() where the tensor "
            "itself is the key",
            code="escape:hash",
        )

    def __complex__(self) -> complex:
        value = complex(self._scalar("complex()"))
        self._escape("complex()")
        return value

    def __int__(self) -> int:
        value = int(self._scalar("int()"))
        if formats(sys._getframe(1)):
            return value
        if value > 0:
            self._keep_floor(value)
        elif value < 0:
            self._keep_ceiling(value)
        else:
            self._keep_step(value, lambda x: x > -1, lambda x: x < 1)
        return value

    __trunc__ = __int__

    def __floor__(self) -> int:
        value: int = math.floor(self._scalar("math.floor()"))
        self._keep_floor(value)
        return value

    def __ceil__(self) -> int:
        value: int = math.ceil(self._scalar("math.ceil()"))
        self._keep_ceiling(value)
        return value

    def __round__(self, digits: int | None = None) -> Any:
        if digits is not None or self._value.ndim:
            return np.round(self, digits or 0)
        value = round(self._value)
        # Halves are rounded to the even number.
        low, high = (operator.gt, operator.lt) if value % 2 else (operator.ge, operator.le)
        self._keep_step(value, lambda x: low(x, value - 0.5), lambda x: high(x, value + 0.5))
        return value

    def __index__(self) -> int:
        value = operator.index(self._scalar("an index"))
        self._keep_step(value)
        return value

    def is_integer(self) -> bool:
        """As ``float.is_integer``."""
        return bool(np.equal(np.floor(self), self))

    def _keep_floor(self, value: int) -> None:
        self._keep_step(value, lambda x: x >= value, lambda x: x < value + 1)

    def _keep_ceiling(self, value: int) -> None:
        self._keep_step(value, lambda x: x > value - 1, lambda x: x <= value)

    def _keep_step(self, value: int, *near: Callable[[Any], Any]) -> None:
        """Keep that the tensor is rounded to `value`: that what is asked by `near` is so."""
        if self._value.dtype.kind == "f" and abs(value) < _EXACT:
            self._decide(*near)
        else:
            self._decide(lambda x: np.equal(x, self._value))

    def _decide(self, *predicates: Callable[[Any], Any]) -> None:
        """Keep the answers as decisions, where these are kept."""
        if any(recorder.decides and recorder.traces(self) for recorder in STACK.recorders):
            for predicate in predicates:
                bool(predicate(self))

    def _keep_count(self) -> None:
        """Keep how many elements are not 0: an array that is chosen by them has that size."""
        count = np.count_nonzero(self._value)
        self._decide(lambda x: np.equal(np.count_nonzero(x), count))

    def _escape(self, how: str) -> None:
        """Tell the recorders that the value left; of steps, keep that they are what they are."""
        if _is_asserted() or not self._value.size:
            return
        if self._value.dtype.kind in "fc":
            STACK.escape(self, how)
        else:
            self._decide(lambda x: np.all(np.equal(x, self._value)))

    def _scalar(self, how: str) -> Any:
        if self._value.size != 1:
            raise NotOnTape(
                f"{how} needs a tensor of one element, got shape {self.shape}; "
                "use the np.* function of the same name, which works on arrays and is recorded "
                "(np.sin for math.sin)"
            )
        return self._value if not self._value.ndim else self._value.reshape(())[()]

    def __bool__(self) -> bool:
        if self._value.size != 1:
            raise NotOnTape(
                f"the truth value of a tensor of shape {self.shape} is ambiguous, in 'if', "
                "'while', 'and', 'or' or 'not'; use np.where to choose by element, "
                "or np.any / np.all for one answer"
            )
        outcome = bool(self._value)
        for recorder in STACK.recorders:
            recorder.steer(self, outcome)
        return outcome

    def __setitem__(self, index: Any, value: Any) -> None:
        by_mask = np.dtype(getattr(index, "dtype", int)) == bool
        raise NotOnTape(
            "a tensor cannot be changed once made, so 't[index] = value' cannot be followed; "
            "build the result with np.where, np.concatenate or np.stack, or keep state in a "
            "symtape.Variable and use assign()",
            code="inplace:mask" if by_mask else "inplace:setitem",
        )

    def view(self, *args: Any, **kwargs: Any) -> Any:
        """Refuse ``numpy.ndarray.view``, but for that of the dtype that it has."""
        if not kwargs and (not args or args == (self._value.dtype,)):
            return self._read()
        if args and isinstance(args[0], type) and issubclass(args[0], np.matrix):
            raise NotOnTape(
                "np.matrix is not recorded, whose * and ** mean other things than an array's; "
                "compute with arrays of two axes, and write @ for the product of matrices",
                code="dtype:matrix",
            )
        raise NotOnTape(
            "t.view(...) looks at the bits of numbers as another type, through which no derivative "
            "is taken; convert them with t.astype(...)",
            code="dtype:view",
        )

    def __format__(self, spec: str) -> str:
        STACK.write(self)
        return format(self._scalar("format()"), spec) if spec else str(self)
