"""How a value leaves a tensor for plain Python, and what of Python a tensor refuses."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from symtape.errors import NotOnTape
from symtape.recording.stack import STACK

__all__ = ["Leaving"]


class Leaving:
    """The conversions of an array, each of which tells the recorders that a value left."""

    __slots__ = ()
    _value: Any
    shape: Any

    def numpy(self) -> Any:
        """The value as a plain NumPy array (a copy), or NumPy scalar; it leaves the tape."""
        STACK.escape(self, ".numpy()")
        return self._value.copy()

    def item(self, *args: Any) -> Any:
        """The value as a Python scalar; it leaves the tape."""
        STACK.escape(self, ".item()")
        return self._value.item(*args)

    def tolist(self) -> Any:
        """The value as nested Python lists; it leaves the tape."""
        STACK.escape(self, ".tolist()")
        return self._value.tolist()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        STACK.escape(self, "np.asarray()")
        if copy is None and dtype is None:
            view = np.asarray(self._value).view()
            view.flags.writeable = False
            return view
        return np.array(self._value, dtype=dtype, copy=bool(copy) or None)

    def __float__(self) -> float:
        return float(self._scalar("float()"))

    def __int__(self) -> int:
        return int(self._scalar("int()"))

    def __complex__(self) -> complex:
        return complex(self._scalar("complex()"))

    def __index__(self) -> int:
        return operator.index(self._scalar("an index"))

    def _scalar(self, how: str) -> Any:
        STACK.escape(self, how)
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

    def __len__(self) -> int:
        if not self._value.ndim:
            raise TypeError("len() of a tensor of shape () ; it has no axis to count")
        return len(self._value)

    def __setitem__(self, index: Any, value: Any) -> None:
        raise NotOnTape(
            "a tensor cannot be changed once made, so 't[index] = value' cannot be followed; "
            "build the result with np.where, np.concatenate or np.stack, or keep state in a "
            "symtape.Variable and use assign()"
        )

    def __format__(self, spec: str) -> str:
        return format(self._scalar("format()"), spec) if spec else str(self)
