"""What makes an object a stand-in for an array: operators, methods, NumPy's protocols.

Everything ends in ``_apply_primitive(primitive, args, params)``, which a stand-in defines:
Tensor records there, Batched carries its leading axis through.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, ClassVar

import numpy as np

from symtape.errors import NotOnTape
from symtape.primitives import LATE
from symtape.primitives.arithmetic import to_array
from symtape.primitives.primitive import FUNCTIONS, PRIMITIVES, STAND_INS, UFUNCS, Array, opaque
from symtape.primitives.ufunc_methods import METHODS, check_method

_REDUCTIONS: dict[tuple[np.ufunc, str], Callable[..., Any]] = {
    (np.add, "reduce"): np.sum,
    (np.multiply, "reduce"): np.prod,
    (np.maximum, "reduce"): np.max,
    (np.minimum, "reduce"): np.min,
    (np.add, "accumulate"): np.cumsum,
    (np.multiply, "accumulate"): np.cumprod,
    (np.logaddexp, "reduce"): np.logaddexp.reduce,
}


WRITERS: frozenset[Callable[..., Any]] = frozenset(
    (np.copyto, np.fill_diagonal, np.place, np.put, np.put_along_axis, np.putmask)
)
"""Functions that write into their first argument."""


def _writes(name: str) -> NotOnTape:
    return NotOnTape(
        f"np.{name} would write into an array, which a tape cannot follow; build a new array "
        "and use the returned value, as with np.where, np.stack, np.concatenate",
        code=f"inplace:{name.partition('(')[0].rpartition('.')[2]}",
    )


def _leaves(args: Any) -> list[Any]:
    """Every stand-in among `args`, through lists, tuples and dicts."""
    if isinstance(args, ArrayStandIn):
        return [args]
    if isinstance(args, list | tuple):
        return [leaf for item in args for leaf in _leaves(item)]
    if isinstance(args, dict):
        return [leaf for item in args.values() for leaf in _leaves(item)]
    return []


def _replace(args: Any, values: Mapping[int, Any]) -> Any:
    if isinstance(args, ArrayStandIn):
        return values[id(args)]
    if type(args) in (list, tuple):
        return type(args)(_replace(item, values) for item in args)
    if isinstance(args, dict):
        return {key: _replace(item, values) for key, item in args.items()}
    return args


def _apply_without_row(name: str, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Apply `function`, for which no row exists: forward works, a gradient is a LookupError."""
    leaves = list({id(leaf): leaf for leaf in _leaves((args, kwargs))}.values())
    first: list[Any] = []
    is_tuple = False

    def evaluate(*values: Array) -> Any:
        nonlocal is_tuple
        by_id = {id(leaf): value for leaf, value in zip(leaves, values, strict=True)}
        found = function(*_replace(args, by_id), **_replace(kwargs, by_id))
        is_tuple = isinstance(found, tuple)
        shapes = [np.shape(part) for part in (found if is_tuple else [found])]
        first.extend([] if first else [shapes])
        if [shapes] != first:
            raise ArithmeticError(f"{name} gives arrays of shapes {shapes} here, not {first[0]}")
        # A node has one array or several: of a tuple of one, as np.unravel_index gives, the item.
        return found[0] if is_tuple and len(found) == 1 else found

    result = opaque(name, evaluate, len(leaves))(*leaves)
    return (result,) if is_tuple and not isinstance(result, tuple) else result


_WAITING: dict[str, str] = dict(LATE)


def load_late_rows() -> None:
    """Load the files of rows that waited, if the package of their functions is there."""
    for file, package in list(_WAITING.items()):
        if package in sys.modules:
            import_module(f"symtape.primitives.{file}")
            _WAITING.pop(file, None)


def _row_of(ufunc: np.ufunc) -> Any:
    """The row of `ufunc`, or None."""
    if ufunc not in UFUNCS:
        load_late_rows()
    return UFUNCS.get(ufunc)


def meaning_of(function: Callable[..., Any]) -> Callable[..., Any] | None:
    """What a NumPy function that is no ufunc means on stand-ins for arrays, or None."""
    if function not in FUNCTIONS:
        load_late_rows()
    return FUNCTIONS.get(function)


def _apply_python(ufunc: np.ufunc, inputs: tuple[Any, ...], kwargs: Any) -> Any:
    """Apply what ``np.frompyfunc`` made of a Python function: to elements, which stand for theirs.

    The numbers that it returns are joined to arrays of numbers, where NumPy leaves objects.
    """
    found = ufunc(*(np.asarray(x, dtype=object) for x in inputs), **kwargs)
    return (
        tuple(map(_stack_stand_ins, found)) if isinstance(found, tuple) else _stack_stand_ins(found)
    )


def _stack_stand_ins(found: Any) -> Any:
    if not isinstance(found, np.ndarray) or not any(map(_is_stand_in, found.flat)):
        return found
    if not all(is_operand(item) and np.shape(item) == () for item in found.flat):
        return found
    return FUNCTIONS[np.reshape](FUNCTIONS[np.stack](list(found.flat)), found.shape)


def _is_stand_in(x: Any) -> bool:
    return isinstance(x, ArrayStandIn)


def _is_plain(kwargs: Any) -> bool:
    """Whether a reduction is asked for without a mask and without a value to start from."""
    return kwargs.get("where", True) is True and "initial" not in kwargs


def apply_ufunc(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: Any) -> Any:
    """Apply a ufunc, or one of its methods, to arrays among which are stand-ins."""
    if kwargs.get("out") is not None:
        raise _writes(f"{ufunc.__name__}(..., out=...)")
    if method == "at":
        raise _writes(f"{ufunc.__name__}.at")
    if method == "__call__":
        row = _row_of(ufunc)
        if row is None and ufunc in FUNCTIONS:
            return FUNCTIONS[ufunc](*inputs, **kwargs)
        if row is None and all(set(kinds) <= {"O", "-", ">"} for kinds in ufunc.types):
            return _apply_python(ufunc, inputs, kwargs)
        where, dtype = kwargs.pop("where", True), kwargs.pop("dtype", None)
        if row is None or kwargs or where is not True:
            kwargs |= {} if where is True else {"where": where}
            kwargs |= {} if dtype is None else {"dtype": dtype}
            return _apply_without_row(ufunc.__name__, ufunc, inputs, kwargs)
        if dtype is not None:
            inputs = tuple(x.astype(dtype) if hasattr(x, "astype") else x for x in inputs)
        return row(*inputs)
    if (ufunc, method) in _REDUCTIONS:
        kwargs.setdefault("axis", 0)
        kwargs.pop("out", None)
        return FUNCTIONS[_REDUCTIONS[ufunc, method]](*inputs, **kwargs)
    if method == "outer" and _row_of(ufunc) is not None and not kwargs:
        a, b = inputs
        return UFUNCS[ufunc](np.reshape(a, (*np.shape(a), *(1,) * np.ndim(b))), b)
    if method in METHODS and ufunc.nin == 2 and _row_of(ufunc) is not None and _is_plain(kwargs):
        array, *rest = inputs
        if isinstance(array, ArrayStandIn) and (value := array._plain()) is not None:
            check_method(ufunc, method, value, *rest, **kwargs)
        return METHODS[method](ufunc, *inputs, **kwargs)
    function = getattr(ufunc, method)
    return _apply_without_row(f"{ufunc.__name__}.{method}", function, inputs, kwargs)


def apply_function(function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Apply a NumPy function that is no ufunc to arguments among which are stand-ins."""
    meaning = meaning_of(function)
    if meaning is not None:
        return meaning(*args, **kwargs)
    if function in WRITERS:
        raise _writes(function.__name__)
    return _apply_without_row(function.__name__, function, args, kwargs)


def _unary(name: str) -> Callable[[Any], Any]:
    def operator(self: Any) -> Any:
        return self._apply_primitive(PRIMITIVES[name], (self,), {})

    return operator


def _binary(name: str) -> Callable[[Any, Any], Any]:
    def operator(self: Any, other: Any) -> Any:
        if not is_operand(other):
            return NotImplemented
        return PRIMITIVES[name](self, to_array(other))

    return operator


def _make_reflected_operator(name: str) -> Callable[[Any, Any], Any]:
    def operator(self: Any, other: Any) -> Any:
        if not is_operand(other):
            return NotImplemented
        return PRIMITIVES[name](to_array(other), self)

    return operator


def is_operand(x: Any) -> bool:
    """Whether an operator takes `x` beside a stand-in, or leaves the operation to it."""
    return isinstance(x, (ArrayStandIn, np.ndarray, np.generic, int, float, complex, list, tuple))


def _method(function: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return FUNCTIONS[function](self, *args, **kwargs)

    method.__name__ = function.__name__
    method.__doc__ = f"As ``numpy.ndarray.{function.__name__}``."
    return method


def _make_refused_method(name: str) -> Callable[..., Any]:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        raise _writes(f"ndarray.{name}")

    method.__name__ = name
    method.__doc__ = f"Refuse ``numpy.ndarray.{name}``, which works in place."
    return method


class ArrayStandIn:
    """Operators, ndarray methods and NumPy's protocols, over ``_apply_primitive``."""

    __slots__ = ()
    __array_priority__: ClassVar[float] = 1000.0
    _apply_rank: ClassVar[int] = 0

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        STAND_INS[cls] = cls._apply_rank

    def _plain(self) -> Any:
        """The array it stands for, as far as there is one."""
        return None

    def _keep_count(self) -> None:
        """Keep, where decisions are kept, how many elements are not 0."""

    @classmethod
    def _apply_primitive(cls, primitive: Any, args: Sequence[Array], params: Any) -> Any:
        raise NotImplementedError

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return apply_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return apply_function(func, args, kwargs)

    __add__, __radd__ = _binary("add"), _make_reflected_operator("add")
    __sub__, __rsub__ = _binary("subtract"), _make_reflected_operator("subtract")
    __mul__, __rmul__ = _binary("multiply"), _make_reflected_operator("multiply")
    __truediv__, __rtruediv__ = _binary("divide"), _make_reflected_operator("divide")
    __floordiv__, __rfloordiv__ = _binary("floor_divide"), _make_reflected_operator("floor_divide")
    __mod__, __rmod__ = _binary("remainder"), _make_reflected_operator("remainder")
    __pow__, __rpow__ = _binary("power"), _make_reflected_operator("power")
    __lt__, __le__ = _binary("less"), _binary("less_equal")
    __gt__, __ge__ = _binary("greater"), _binary("greater_equal")
    __and__, __rand__ = _binary("bitwise_and"), _make_reflected_operator("bitwise_and")
    __or__, __ror__ = _binary("bitwise_or"), _make_reflected_operator("bitwise_or")
    __xor__, __rxor__ = _binary("bitwise_xor"), _make_reflected_operator("bitwise_xor")
    __neg__, __pos__ = _unary("negative"), _unary("positive")
    __abs__, __invert__ = _unary("absolute"), _unary("invert")

    def __matmul__(self, other: Any) -> Any:
        return FUNCTIONS[np.matmul](self, to_array(other)) if is_operand(other) else NotImplemented

    def __rmatmul__(self, other: Any) -> Any:
        return FUNCTIONS[np.matmul](to_array(other), self) if is_operand(other) else NotImplemented

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    def __round__(self, digits: int = 0) -> Any:
        return FUNCTIONS[np.round](self, digits)

    def __getitem__(self, index: Any) -> Any:
        from symtape.primitives.indexing import getitem

        return getitem(self, index)

    def reshape(self, *shape: Any, order: str = "C") -> Any:
        """As ``numpy.ndarray.reshape``."""
        shape = shape[0] if len(shape) == 1 else shape
        return FUNCTIONS[np.reshape](self, shape, order=order)

    def transpose(self, *axes: Any) -> Any:
        """As ``numpy.ndarray.transpose``."""
        chosen = None if not axes else axes[0] if len(axes) == 1 else axes
        return FUNCTIONS[np.transpose](self, chosen)

    @property
    def T(self) -> Any:  # NumPy's name
        """The transpose, all axes reversed."""
        return FUNCTIONS[np.transpose](self)

    @property
    def mT(self) -> Any:  # NumPy's name
        """The matrix transpose, the last two axes swapped."""
        return FUNCTIONS[np.swapaxes](self, -1, -2)

    def flatten(self, order: str = "C") -> Any:
        """As ``numpy.ndarray.flatten``."""
        return FUNCTIONS[np.reshape](self, (-1,), order=order)

    sum, mean, prod = _method(np.sum), _method(np.mean), _method(np.prod)
    var, std = _method(np.var), _method(np.std)
    max, min, ptp = _method(np.max), _method(np.min), _method(np.ptp)
    cumsum, cumprod = _method(np.cumsum), _method(np.cumprod)
    dot, trace, diagonal = _method(np.dot), _method(np.trace), _method(np.diagonal)
    ravel, squeeze, swapaxes = _method(np.ravel), _method(np.squeeze), _method(np.swapaxes)
    take, repeat, clip = _method(np.take), _method(np.repeat), _method(np.clip)
    round, argmax, argmin = _method(np.round), _method(np.argmax), _method(np.argmin)
    argsort, any, all = _method(np.argsort), _method(np.any), _method(np.all)
    argpartition, searchsorted = _method(np.argpartition), _method(np.searchsorted)
    copy, nonzero = _method(np.copy), _method(np.nonzero)

    sort, partition, resize = (
        _make_refused_method("sort"),
        _make_refused_method("partition"),
        _make_refused_method("resize"),
    )
    fill, put = _make_refused_method("fill"), _make_refused_method("put")

    def conjugate(self) -> Any:
        """As ``numpy.ndarray.conjugate``."""
        return np.conjugate(self)

    conj = conjugate

    def compress(self, condition: Any, axis: int | None = None) -> Any:
        """As ``numpy.ndarray.compress``."""
        return FUNCTIONS[np.compress](condition, self, axis)

    @property
    def flat(self) -> Any:
        """The elements one after another, as a vector to index and to loop over."""
        return FUNCTIONS[np.reshape](self, (-1,))
