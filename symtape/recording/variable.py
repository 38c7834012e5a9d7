"""Variable: an array with state, watched by the tapes that see it read."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from symtape.one_line import brief
from symtape.primitives.arithmetic import POSITIVE
from symtape.primitives.protocol import ArrayStandIn, apply_ufunc
from symtape.recording.stack import STACK
from symtape.recording.tensor import Tensor, apply, tensor_of


def _reading_method(name: str) -> Callable[..., Any]:
    method = getattr(ArrayStandIn, name)

    def read_first(self: Variable, *args: Any, **kwargs: Any) -> Any:
        return method(self._read(), *args, **kwargs)

    read_first.__name__, read_first.__doc__ = name, method.__doc__
    return read_first


def _reading(operation: Callable[[Tensor, Any], Any]) -> Callable[[Any, Any], Any]:
    def read_first(self: Variable, other: Any) -> Any:
        return operation(self._read(), other)

    return read_first


class Variable(Tensor):
    """An array whose value can be assigned; trainable ones are watched when they are read.

    Parameters
    ----------
    initial_value : array_like
        Any shape; copied.
    trainable : bool
        Whether tapes watch it of themselves.
    name : str, optional
        Shown as ``name:0``, as in TensorFlow.
    dtype : dtype, optional
        Kept for the life of the variable.

    Examples
    --------
    >>> import symtape
    >>> x = symtape.Variable(3.0, name="x")
    >>> with symtape.GradientTape() as tape:
    ...     y = x**2
    >>> tape.gradient(y, x).numpy()
    np.float64(6.0)
    """

    __slots__ = ("_current", "name", "trainable")
    _current: Tensor | None

    def __init__(
        self,
        initial_value: Any,
        trainable: bool = True,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(initial_value, dtype)
        self.trainable = trainable
        self.name = f"{name or 'Variable'}:0"
        self._current = None

    def _read(self) -> Tensor:
        """The present state as a tensor, which carries the variable's identity."""
        current = self._current
        if current is None:
            current = Tensor.__new__(Tensor)
            current._value, current._id = self._value, self._id
            self._current = current
        # Of the variables that another thread reads a tape knows nothing, as in TensorFlow.
        if STACK.recorders:
            for recorder in STACK.begun_here():
                recorder.read_variable(self)
        return current

    def value(self) -> Tensor:
        """The present state as a tensor, another one at each call: each is a source of its own."""
        current = self._read()
        if not STACK.recorders:
            return tensor_of(current._value)
        read: Tensor = apply(POSITIVE, (current,), {})
        return read

    read_value = value

    def assign(self, value: Any) -> Variable:
        """Replace the state; what was computed from the old one keeps it.

        Raises
        ------
        ValueError
            `value` has another shape.
        TypeError
            The variable's dtype cannot hold the kind of `value`, as floats in an int variable.
        """
        if isinstance(value, Tensor):
            STACK.escape(value, "Variable.assign()")
            value = value._value
        new = np.array(value)
        if not np.can_cast(new.dtype, self._value.dtype, "same_kind"):
            raise TypeError(
                f"cannot assign {new.dtype} to variable {self.name!r} of dtype "
                f"{self._value.dtype}; make the variable of that kind, as in "
                "symtape.Variable(3.0) rather than symtape.Variable(3)"
            )
        new = new.astype(self._value.dtype)
        if new.shape != self._value.shape:
            raise ValueError(
                f"cannot assign a value of shape {new.shape} to variable {self.name!r} of shape "
                f"{self._value.shape}; make a new Variable to change the shape"
            )
        self._value = new if new.ndim else new[()]
        self._current = None
        for recorder in STACK.recorders:
            recorder.assign(self)
        return self

    def assign_add(self, delta: Any) -> Variable:
        """Add to the state."""
        return self._assign_by(operator.add, delta)

    def assign_sub(self, delta: Any) -> Variable:
        """Subtract from the state."""
        return self._assign_by(operator.sub, delta)

    def _assign_by(self, change: Callable[[Any, Any], Any], delta: Any) -> Variable:
        if isinstance(delta, Tensor):
            STACK.escape(delta, "Variable.assign()")
            delta = delta._value
        return self.assign(change(self._value, np.asarray(delta)))

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return apply_ufunc(ufunc, method, inputs, kwargs)

    def __neg__(self) -> Any:
        return -self._read()

    def __bool__(self) -> bool:
        return bool(self._read())

    def __iadd__(self, other: Any) -> Any:
        return self + other

    def __repr__(self) -> str:
        value = brief(self._value)
        return (
            f"<symtape.Variable {self.name!r} shape={self.shape} dtype={self.dtype}, numpy={value}>"
        )

    __str__ = __repr__

    def __copy__(self) -> Variable:
        return Variable(self._value, self.trainable, self.name.removesuffix(":0"))

    def __deepcopy__(self, memo: Any) -> Variable:
        return memo.setdefault(id(self), self.__copy__())  # type: ignore[no-any-return]

    def __reduce__(self) -> Any:
        return Variable, (self._value, self.trainable, self.name.removesuffix(":0"))


for _name in (
    *("__add__", "__radd__", "__sub__", "__rsub__", "__mul__", "__rmul__", "__truediv__"),
    *("__rtruediv__", "__matmul__", "__pow__", "__getitem__"),
    *("__lt__", "__le__", "__gt__", "__ge__"),
):
    setattr(Variable, _name, _reading(getattr(Tensor, _name)))

# Some return the array itself when there is nothing to do, and a state must not leak that way.
for _name, _attribute in vars(ArrayStandIn).items():
    if callable(_attribute) and not _name.startswith("_"):
        setattr(Variable, _name, _reading_method(_name))
