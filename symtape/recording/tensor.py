"""Tensor: stands in for an array and lets the recorders follow what is done to it.

Operators apply Python's own to the values: a ufunc may round otherwise, as of a power of a number.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from symtape.errors import NotOnTape
from symtape.one_line import brief
from symtape.primitives import arithmetic, comparison, contraction, indexing, power
from symtape.primitives.arithmetic import to_array
from symtape.primitives.ownership import COPIES
from symtape.primitives.primitive import (
    FUNCTIONS,
    UFUNCS,
    Array,
    Params,
    Primitive,
    holds_stand_in,
)
from symtape.primitives.protocol import ArrayStandIn, apply_function, apply_ufunc, is_operand
from symtape.process.extras import find_loaded
from symtape.recording.acceleration import accelerate_method, accelerated
from symtape.recording.escapes import Escapes
from symtape.recording.misfits import quote
from symtape.recording.reference import Reference
from symtape.recording.stack import NO_PARAMS, STACK, next_id
from symtape.recording.type_checks import TypeChecks

# NumPy is asked by a longer way while code is read.
_ndarray = np.ndarray
_generic = np.generic
_NUMPY = (_generic, _ndarray)
_OBJECT = np.dtype(object)

_new: Callable[[type], Any] = object.__new__

_SCALARS: frozenset[type] = frozenset(
    (float, int, bool, complex, np.float64, np.float32, np.int64, np.complex128)
)


def tensor_of(value: Array) -> Tensor:
    """Wrap a NumPy value without copying it; 0-d arrays become NumPy scalars."""
    tensor: Tensor = _new(Tensor)
    tensor._value = value if type(value) is not _ndarray or value.ndim else value[()]
    tensor._id = next_id()
    return tensor


def value_of(x: Any) -> Any:
    """The value of a tensor, or anything else, as an array: no derivative goes through it."""
    return np.asarray(x._value if isinstance(x, Tensor) else x)


def constant_of(value: Array) -> Tensor:
    """Wrap an array that nobody else has as a constant, without copying it."""
    tensor: Tensor = _new(Tensor)
    tensor._value, tensor._id = value, -next_id()
    return tensor


def as_operand(x: Any, primitive: Primitive) -> Any:
    """`x` as an operand of `primitive`: a Tensor, a NumPy value or a Python scalar."""
    if type(x) in _SCALARS:
        return x
    if isinstance(x, Tensor):
        return x._read()
    if isinstance(x, _ndarray):
        if type(x) is not _ndarray:
            check_plain(x)
        x = COPIES.own(x) if STACK.keeps(primitive) else x
        return x if x.dtype.kind in "fc" else _differentiable_kind(x)
    if isinstance(x, _generic):
        return _differentiable_kind(x)
    x = to_array(x)
    return x._read() if isinstance(x, Tensor) else _differentiable_kind(np.array(x))


def check_plain(x: Any, whose: str = "") -> None:
    """Refuse the arrays to which NumPy's operators mean something else.

    Raises
    ------
    NotOnTape
        `x` is a matrix or a masked array.
    """
    is_plain = type(x) is _ndarray or type(x) in _SCALARS
    masked = None if is_plain else find_loaded("numpy.ma")  # which NumPy loads when it is asked for
    if isinstance(x, np.matrix) or (masked is not None and isinstance(x, masked.MaskedArray)):
        raise NotOnTape(
            f"{whose}a {type(x).__name__} computes by rules of its own, which a tape does not "
            "know; pass a plain array, as np.asarray(x) or x.filled(0.0) gives"
        )


def _strip(x: Any) -> Any:
    """Nested sequences with the tensors in them replaced by their values."""
    if isinstance(x, list | tuple):
        return [_strip(item) for item in x]
    if isinstance(x, Tensor):
        STACK.escape(x, "a list of tensors")
        return x._value
    return x


def _differentiable_kind(x: Any) -> Any:
    if type(x) is _ndarray and x.dtype == object and holds_stand_in(x.tolist()):
        return to_array(x.tolist())
    if isinstance(x, _NUMPY) and x.dtype.kind in "OSUVMm":
        raise NotOnTape(
            f"an array of dtype {x.dtype} cannot take part in a tensor computation: "
            f"{str(x)[:60]!r}; expected numbers, convert it first, as in x.astype(float)"
        )
    return x


def apply(primitive: Primitive, args: Sequence[Any], params: Params) -> Any:
    """Evaluate `primitive` and let every active recorder know."""
    try:
        if accelerated is not None:
            output = accelerated.apply(primitive, args, params)
            if output is not NotImplemented:
                return output
        return _evaluate(primitive, args, params)
    except (ArithmeticError, np.linalg.LinAlgError) as error:
        STACK.fail(primitive.name, error)
        raise


def _evaluate(primitive: Primitive, args: Sequence[Any], params: Params) -> Any:
    inputs, values = [], []
    for x in args:
        if type(x) is not Tensor:
            x = as_operand(x, primitive)
        inputs.append(x)
        values.append(x._value if type(x) is Tensor else x)
    return record_output(primitive, tuple(inputs), params, primitive.evaluate(*values, **params))


def record_output(primitive: Primitive, inputs: tuple[Any, ...], params: Params, value: Any) -> Any:
    """What an operation evaluated to, as tensors of which every active recorder knows."""
    if isinstance(value, _NUMPY) and value.dtype is not _OBJECT:
        output: Any = tensor_of(value)
    elif isinstance(value, tuple | list):
        output = tuple([tensor_of(np.asarray(item)) for item in value])
    elif isinstance(value, bool | int | float | complex):
        output = tensor_of(np.asarray(value))
    else:
        _left_with(primitive, inputs, value)
        return value
    for recorder in STACK.recorders:
        recorder.record(primitive, inputs, params, output)
    return output if type(output) is Tensor else _nested_as(value, output)


def _left_with(primitive: Primitive, inputs: Sequence[Any], value: Any) -> None:
    """Tell that tensors left through a function that wrote them, or made objects of them."""
    if isinstance(value, str):
        for x in inputs:
            if isinstance(x, Tensor):
                STACK.write(x)
    if isinstance(value, str | type | np.dtype):
        return
    for x in inputs:
        if isinstance(x, Tensor):
            x._escape(f"{primitive.name}()")


def _nested_as(value: Any, output: tuple[Tensor, ...]) -> Any:
    """The outputs of an operation in the kind of sequence that NumPy returned."""
    if type(value) is tuple:
        return output
    return list(output) if isinstance(value, list) else type(value)(*output)


def _present(result: Any) -> Any:
    """`result` with the variables that a function handed through replaced by their state."""
    if type(result) in (list, tuple):
        return type(result)(_present(item) for item in result)
    return result._read() if isinstance(result, Tensor) else result


def square(value: Any) -> Any:
    """The value times itself, as NumPy computes a square."""
    return value * value


def _make_unary_operator(
    primitive: Primitive, function: Callable[[Any], Any]
) -> Callable[[Tensor], Any]:
    def operation(self: Tensor) -> Any:
        return record_output(primitive, (self,), NO_PARAMS, function(self._value))

    return accelerate_method(function.__name__, primitive, operation)


def _make_operator(
    primitive: Primitive, function: Callable[[Any, Any], Any], *, reflected: bool = False
) -> Callable[[Tensor, Any], Any]:
    def operation(self: Tensor, other: Any) -> Any:
        if type(other) is not Tensor and type(other) not in _SCALARS:
            if not _takes_part(other):
                return NotImplemented
            other = as_operand(other, primitive)
        its = other._value if type(other) is Tensor else other
        if reflected:
            return record_output(primitive, (other, self), NO_PARAMS, function(its, self._value))
        return record_output(primitive, (self, other), NO_PARAMS, function(self._value, its))

    return accelerate_method(function.__name__, primitive, operation, reflected=reflected)


def _takes_part(x: Any) -> bool:
    if isinstance(x, ArrayStandIn):
        return type(x)._apply_rank <= Tensor._apply_rank
    return is_operand(x)


class Tensor(TypeChecks, Escapes, ArrayStandIn):
    """An immutable array whose use is recorded by the active tapes.

    Made by :func:`constant`, and by every operation on tensors and variables. Behaves as a
    NumPy array of the same shape and dtype; ``.numpy()`` gives the plain array back.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> symtape.constant([1.0, 2.0]) * 3
    <symtape.Tensor: shape=(2,), dtype=float64, numpy=array([3., 6.])>
    >>> print(np.sum(symtape.constant([1.0, 2.0])))
    symtape.Tensor(3.0, shape=(), dtype=float64)
    """

    __slots__ = ("__weakref__", "_id", "_value")
    _apply_rank: ClassVar[int] = 1
    _value: Any
    _id: int

    def __init__(self, value: Any, dtype: Any = None) -> None:
        self._value = _constant_value(value, dtype)
        # Below those of all that was computed: it depends on nothing.
        self._id = -next_id()

    _apply_primitive = staticmethod(apply)

    def ref(self) -> Reference:
        """A reference that can be a key of a dict, for tensors are compared by their elements.

        Examples
        --------
        >>> import symtape
        >>> x = symtape.constant(3.0)
        >>> named = {x.ref(): "x"}
        >>> named[x.ref()], x.ref().deref() is x
        ('x', True)
        """
        return Reference(self)

    def _read(self) -> Tensor:
        return self

    def _plain(self) -> Any:
        return self._value

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        row = UFUNCS.get(ufunc)
        if row is not None and method == "__call__" and not kwargs:
            return row(*inputs)
        return apply_ufunc(ufunc, method, inputs, kwargs)

    __array_ufunc__ = accelerate_method("ufunc", UFUNCS, __array_ufunc__)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        meaning = FUNCTIONS.get(func)
        if meaning is None:
            return apply_function(func, args, kwargs)
        result = meaning(*args, **kwargs)
        return result if type(result) is Tensor else _present(result)

    __add__ = _make_operator(arithmetic.ADD, operator.add)
    __radd__ = _make_operator(arithmetic.ADD, operator.add, reflected=True)
    __sub__ = _make_operator(arithmetic.SUBTRACT, operator.sub)
    __rsub__ = _make_operator(arithmetic.SUBTRACT, operator.sub, reflected=True)
    __mul__ = _make_operator(arithmetic.MULTIPLY, operator.mul)
    __rmul__ = _make_operator(arithmetic.MULTIPLY, operator.mul, reflected=True)
    __truediv__ = _make_operator(arithmetic.DIVIDE, operator.truediv)
    __rtruediv__ = _make_operator(arithmetic.DIVIDE, operator.truediv, reflected=True)
    _square = _make_unary_operator(arithmetic.SQUARE, square)
    _power = _make_operator(power.POWER, operator.pow)

    def __pow__(self, other: Any) -> Any:
        # NumPy multiplies here too; the rule for a square is the quicker one.
        return self._square() if type(other) is int and other == 2 else self._power(other)

    __matmul__ = _make_operator(contraction.MATMUL, operator.matmul)
    __neg__ = _make_unary_operator(arithmetic.NEGATIVE, operator.neg)
    __lt__ = _make_operator(comparison.LESS, operator.lt)
    __le__ = _make_operator(comparison.LESS_EQUAL, operator.le)
    __gt__ = _make_operator(comparison.GREATER, operator.gt)
    __ge__ = _make_operator(comparison.GREATER_EQUAL, operator.ge)

    def __getitem__(self, index: Any) -> Any:
        if not indexing.is_plain_index(index):
            return indexing.getitem(self, index)
        return record_output(indexing.GETITEM, (self,), {"index": index}, self._value[index])

    __getitem__ = accelerate_method("index", indexing.GETITEM, __getitem__)

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the axes."""
        found: tuple[int, ...] = self._value.shape
        return found

    @property
    def dtype(self) -> np.dtype[Any]:
        """NumPy dtype of the elements."""
        found: np.dtype[Any] = self._value.dtype
        return found

    @property
    def ndim(self) -> int:
        """Number of axes."""
        found: int = self._value.ndim
        return found

    @property
    def size(self) -> int:
        """Number of elements."""
        found: int = self._value.size
        return found

    @property
    def real(self) -> Tensor:
        """The tensor itself when it is real."""
        return self._read() if self.dtype.kind != "c" else np.real(self)

    @property
    def imag(self) -> Tensor:
        """As ``numpy.ndarray.imag``."""
        result: Tensor = np.imag(self)
        return result

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.size * self.dtype.itemsize

    def astype(
        self,
        dtype: Any,
        order: Any = "K",
        casting: Any = "unsafe",
        subok: bool = True,
        copy: bool = True,
    ) -> Any:
        """Cast; to an integer or boolean dtype the gradient is cut.

        As objects the elements are tensors themselves. Of NumPy's keywords only `casting` means
        anything for a tensor.
        """
        from symtape.primitives.shape import cast

        if casting != "unsafe":
            np.empty(0, self.dtype).astype(dtype, casting=casting)
        if np.dtype(dtype) == object:
            return self._elements() if self._value.ndim else self._read()

        result: Tensor = cast(self._read(), np.dtype(dtype))
        return result

    def __eq__(self, other: Any) -> Any:
        return np.equal(self, other) if is_operand(other) else NotImplemented

    def __ne__(self, other: Any) -> Any:
        return np.not_equal(self, other) if is_operand(other) else NotImplemented

    # Equality is by element.
    __hash__ = Escapes.__hash__

    def __repr__(self) -> str:
        STACK.write(self)
        return (
            f"<symtape.Tensor: shape={self.shape}, dtype={self.dtype}, numpy={brief(self._value)}>"
        )

    def __str__(self) -> str:
        STACK.write(self)
        return f"symtape.Tensor({self._value}, shape={self.shape}, dtype={self.dtype})"

    def __copy__(self) -> Tensor:
        return self

    def __deepcopy__(self, memo: Any) -> Tensor:
        # Immutable, and another identity would be unknown to the tapes.
        return self

    def __reduce__(self) -> Any:
        self._escape("pickling")
        return Tensor, (self._value,)


def _constant_value(value: Any, dtype: Any) -> Any:
    check_plain(value)
    array = np.array(_strip(value), dtype=dtype)
    if array.dtype.kind in "OSUVMm":
        raise NotOnTape(
            f"value={quote(value)} has dtype {array.dtype}; expected real numbers, or nested lists "
            "of one shape"
        )
    return array if array.ndim else array[()]


def constant(value: Any, dtype: Any = None) -> Tensor:
    """Make a tensor from a number, nested lists or an array; the data are copied.

    Parameters
    ----------
    value : array_like
        Any shape. Python floats become float64 and Python ints int64, as in NumPy. A tensor, and
        lists of tensors, stay connected to what they were computed from.
    dtype : dtype, optional
        Defaults to NumPy's for `value`.

    Raises
    ------
    TypeError
        For strings and objects.

    Examples
    --------
    >>> import symtape
    >>> symtape.constant([1, 3.0])
    <symtape.Tensor: shape=(2,), dtype=float64, numpy=array([1., 3.])>
    """
    if holds_stand_in(value):
        tensor: Tensor = to_array(value)._read()
        return tensor if dtype is None or tensor.dtype == dtype else tensor.astype(dtype)
    return Tensor(value, dtype)
