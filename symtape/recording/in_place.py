"""Arrays that are written into, recorded: each write makes a new tensor of what is there now.

A tape needs values that never change, and NumPy code changes its arrays. So an array that code may
write into is a place that holds a tensor, and views are other looks at the same place. What a rule
or a graph keeps is the tensor that was there when it was read.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from symtape.errors import NotOnTape
from symtape.primitives.indexing import SCATTER_BY, index_by_inputs, is_plain_index, takes_once
from symtape.primitives.protocol import WRITERS, ArrayStandIn
from symtape.recording.nested import (
    holds_tensor,
    join_nested,
    lower_buffers,
    plain_array_error,
    to_decision,
)
from symtape.recording.place import Place
from symtape.recording.storage import reshape_tensor
from symtape.recording.tensor import Tensor, constant
from symtape.recording.ufunc_at import apply_ufunc_at
from symtape.recording.views import VALUE_OF, VIEWING, VIEWS

# Constants, since NumPy is asked by a longer way while its names are bound anew.
_ndarray: Final = np.ndarray
_SHARING: Final = frozenset((np.may_share_memory, np.shares_memory))
_may_share_memory: Final = np.may_share_memory
_BROADCAST_ARRAYS: Final = np.broadcast_arrays
_SEQUENCES: Final = (list, tuple)


_new: Final[Callable[[type], Any]] = object.__new__


class Buffer(Place):
    """An array that can be written into, or a view of one.

    Examples
    --------
    >>> y = Buffer(np.zeros(3))
    >>> y[1:][:1] += 2.0
    >>> y
    <symtape.Tensor: shape=(3,), dtype=float64, numpy=array([0., 2., 0.])>
    """

    __slots__ = ()

    def __init__(self, value: Any) -> None:
        tensor = value if type(value) is Tensor else constant(value)
        self._kept, self._where, self._seen = None, None, 0
        self._present = tensor
        # Unlike a number, an array without axes can be written into.
        self._is_number = not tensor.ndim and not isinstance(value, np.ndarray)

    def _make_view(self, tensor: Tensor, positions: Any) -> Buffer:
        """A view, which presently shows `tensor`."""
        made: Buffer = object.__new__(Buffer)
        made._kept, made._where, made._is_number = self._storage, positions, False
        made._present, made._seen = tensor, self._storage.version
        return made

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """The type of the value, which may be that of an array without axes."""
        return type(self._value) if self._is_number else _ndarray

    def _view(self, look: Callable[[Any], Any], is_view: bool = False) -> Any:
        """What `look` gives: views where NumPy gives views, arrays of their own elsewhere.

        Where `is_view` says that NumPy gives one, nobody asks for positions until they are needed.
        """
        if is_view and (self._kept is None or self._kept.is_joined):
            found = look(self._read())
            if found._value.ndim:
                return self._make_view(found, (self._where, look))
        positions = look(self._positions)
        found = self._storage.piece_at(positions, None if self._where is not None else look)
        return self._pair_with_positions(look(self._read()) if found is None else found, positions)

    def _pair_with_positions(self, found: Any, positions: Any) -> Any:
        if type(found) is not Tensor and isinstance(found, _SEQUENCES):
            parts = zip(found, positions, strict=True)
            return type(found)(self._pair_with_positions(one, where) for one, where in parts)
        shared = isinstance(positions, _ndarray) and _may_share_memory(positions, self._positions)
        # The real part of complex numbers is no view here: positions are of whole numbers.
        shared = shared and found.dtype == self.dtype
        return self._make_view(found, positions) if shared else lift_tensors(found)

    def __getitem__(self, index: Any) -> Any:
        if type(index) is int or _is_plain(index):
            found = self._present[index] if self._kept is None else self._find_piece(index)
            if not found._value.ndim:
                return _hold_tensor(found)
            return self._make_view(found, (self._where, index))
        if holds_tensor(index):
            return _hold_tensor(self._read()[lower_buffers(index)])
        if (self._kept is None or self._kept.is_joined) and _takes_copy(index):
            return _hold_tensor(self._read()[index])
        return self._view(lambda x: x[index])

    def _find_piece(self, index: Any) -> Any:
        """What is at a plain index, without joining all that was written if it is of one write."""
        kept = self._storage
        if not kept.is_joined:
            if self._where is None and (found := kept.number_at(index)) is not None:
                return found
            look = operator.itemgetter(index)
            found = kept.piece_at(self._positions[index], None if self._where is not None else look)
            if found is not None:
                return found
        return self._read()[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        if holds_tensor(index):
            self._set_by(lower_buffers(index), value)
        elif not self._is_that(index, value) and not self._write_by_index(index, value):
            self._write(lambda target, numbers: operator.setitem(target, index, numbers), value)

    def _is_that(self, index: Any, value: Any) -> bool:
        """Whether a value is the very entries that it is assigned to, as after ``y[1:] += 1``."""
        if type(value) is not Buffer or value._kept is not self._storage:
            return False
        where = value._where
        if self._where is None and type(where) is tuple and where[0] is None and _is_plain(index):
            return where[1] == index or np.array_equal(self._positions[index], value._positions)
        return np.array_equal(self._positions[index], value._positions)

    def _write(self, put: Callable[[Any, Any], Any], value: Any) -> None:
        """Write as NumPy does.

        Parameters
        ----------
        put : callable ``(target, numbers)``
            Writes the numbers of the elements of `value` where those elements go.
        value : array_like
        """
        positions = self._positions
        if not positions.flags.writeable:
            raise ValueError("assignment destination is read-only")
        value = join_nested(value)
        value = value if value.dtype == self.dtype else value.astype(self.dtype)
        target = np.full(positions.shape, -1)
        put(target, np.arange(value.size).reshape(value.shape))
        self._storage.write(positions, target, value)

    def _write_by_index(self, index: Any, value: Any) -> bool:
        """Write at an index that takes elements once, in their order; False, and nothing, else."""
        storage, where = self._storage, self._where
        in_view = type(where) is tuple and where[0] is None and not callable(where[1])
        if index is Ellipsis and in_view:
            where, index = where  # all of a view, which an index into the whole gives
        if where is not None or self.dtype.kind not in "fc" or not storage.is_writeable:
            return False
        value = join_nested(value)
        value = value if value.dtype == self.dtype else value.astype(self.dtype)
        if index is Ellipsis:
            is_whole: bool = value.shape == self.shape
            if is_whole:
                storage.replace_all(value)
            return is_whole
        if _is_plain(index):
            items = index if type(index) is tuple else (index,)
        else:
            items = index_by_inputs(index)[0]
        taken = storage.base._value[items]
        if value.shape != taken.shape and (value.ndim or not 0 < taken.size < storage.base.size):
            return False
        if not takes_once(items):
            line = storage.positions[items].ravel()
            is_in_order = np.count_nonzero(line[1:] > line[:-1]) == line.size - 1
            if not is_in_order or line.size == storage.base.size:
                return False
            items = (_mark(line, storage.base.shape),)
            value = reshape_tensor(value, (-1,)) if value.ndim else value
        storage.write_by_index(items, value)
        return True

    def _set_by(self, index: Any, value: Any) -> None:
        """Write where a tensor says.

        Raises
        ------
        NotOnTape
            It says twice, so that the last one counts.
        """
        old, value = self._read(), join_nested(value)
        by_mask = isinstance(index, Tensor) and index.dtype.kind == "b"
        if by_mask:
            taken = index[(..., *(None,) * (old.ndim - index.ndim))]
            if not np.ndim(value):
                self[...] = np.where(taken, value, old)
                return
        template, arrays = index_by_inputs(index)
        shape = np.shape(old[index])
        if not by_mask:
            flags = SCATTER_BY(np.ones(shape), *arrays, template=template, shape=old.shape)
            if np.any(flags._value > 1):
                words = "an array was written into twice at one place"
                raise NotOnTape(words, code="inplace:twice")
            taken = flags > 0
        put = np.broadcast_to(value, shape)
        put = SCATTER_BY(put, *arrays, template=template, shape=old.shape)
        self[...] = np.where(taken, put, old)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if method == "at":
            return apply_ufunc_at(ufunc, *inputs)
        if not kwargs:
            given = [lower_buffers(x) for x in inputs]
            return lift_tensors(Tensor.__array_ufunc__(self._read(), ufunc, method, *given))
        (out,) = kwargs.pop("out", None) or (None,)
        if out is not None:
            kwargs.pop("casting", None)
        where = kwargs.pop("where", True) if out is not None and method == "__call__" else True
        if where is True:
            return _put_out(
                getattr(ufunc, method)(*lower_buffers(inputs), **lower_buffers(kwargs)), out
            )
        with np.errstate(all="ignore"):
            found = ufunc(*lower_buffers(inputs), **lower_buffers(kwargs))
        return _put_out(np.where(lower_buffers(where), found, lower_buffers(out)), out)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if func in WRITERS:
            return _written_by(func, args, kwargs)
        if func in VIEWS and args and isinstance(args[0], Buffer):
            rest, keywords = lower_buffers(args[1:]), lower_buffers(kwargs)
            return args[0]._view(lambda x: func(x, *rest, **keywords))
        if func in _SHARING:
            return len({id(getattr(x, "_storage", x)) for x in args[:2]}) == 1
        args, out = lower_buffers(args), None
        if kwargs:
            out = kwargs.pop("out", None)
            kwargs = lower_buffers(kwargs)
        if _OF_TENSORS.issuperset(types):
            found = Tensor.__array_function__(self._read(), func, types, args, kwargs)
        else:
            found = func(*args, **kwargs)
        found = _put_out(found, out)
        if func is _BROADCAST_ARRAYS:
            return tuple(to_buffer(x if isinstance(x, Tensor) else np.asarray(x)) for x in found)
        return found

    @staticmethod
    def _apply_primitive(primitive: Any, args: Sequence[Any], params: Any) -> Any:
        return lift_tensors(Tensor._apply_primitive(primitive, lower_buffers(tuple(args)), params))

    @property
    def T(self) -> Any:  # NumPy's name
        """The transpose, all axes reversed."""
        return self._view(operator.attrgetter("T"), is_view=True)

    @property
    def mT(self) -> Any:  # NumPy's name
        """The matrix transpose, the last two axes swapped."""
        return self._view(operator.attrgetter("mT"), is_view=True)

    @property
    def real(self) -> Any:
        """As ``numpy.ndarray.real``; what is assigned to it is written."""
        if self.dtype.kind != "c":
            return self._view(lambda x: x.real)
        return lift_tensors(self._read().real)

    @real.setter
    def real(self, value: Any) -> None:
        self[...] = (
            value if self.dtype.kind != "c" else lower_buffers(value) + 1j * self._read().imag
        )

    @property
    def imag(self) -> Any:
        """As ``numpy.ndarray.imag``; what is assigned to it is written."""
        return lift_tensors(self._read().imag)

    @imag.setter
    def imag(self, value: Any) -> None:
        if self.dtype.kind != "c":
            raise TypeError("array does not have imaginary part to set")
        self[...] = self._read().real + 1j * lower_buffers(value)

    @property
    def flat(self) -> Any:
        """The elements one after another."""
        return self._make_view(reshape_tensor(self._read(), (-1,)), self._positions.ravel())

    def setflags(self, write: bool | None = None, align: Any = None, uic: Any = None) -> None:
        """As ``numpy.ndarray.setflags``, for whether the array can be written into."""
        if write is not None:
            self._positions.flags.writeable = write

    def as_strided(self, shape: Any = None, strides: Any = None) -> Buffer:
        """As ``numpy.lib.stride_tricks.as_strided``."""
        positions = np.lib.stride_tricks.as_strided(self._positions, shape, strides)
        return self._make_view(np.ravel(self._storage.tensor)[positions], positions)

    @property
    def device(self) -> str:
        """As ``numpy.ndarray.device``."""
        return "cpu"

    def astype(self, dtype: Any, *args: Any, copy: bool = True, **how: Any) -> Any:
        """As ``numpy.ndarray.astype``."""
        if not copy and np.dtype(dtype) == self.dtype:
            return self
        return lift_tensors(self._read().astype(dtype))

    def item(self, *args: Any) -> Any:
        """As ``numpy.ndarray.item``; a real number is a tensor still."""
        if self.dtype.kind not in "fc":
            return super().item(*args)
        if not args:
            return lift_tensors(np.reshape(self._read(), ()))
        at = args[0] if len(args) == 1 else args
        return self[at] if isinstance(at, tuple) else self.flat[at]

    def tolist(self) -> Any:
        """As ``numpy.ndarray.tolist``; the real numbers in the lists are tensors still."""
        if self.dtype.kind not in "fc":
            return super().tolist()
        return [part.tolist() for part in self] if self.ndim else self.item()

    def fill(self, value: Any) -> None:
        """As ``numpy.ndarray.fill``."""
        self[...] = value

    def sort(self, axis: int = -1, **how: Any) -> None:
        """As ``numpy.ndarray.sort``."""
        self[...] = np.sort(self, axis, **how)

    def partition(self, kth: Any, axis: int = -1, **how: Any) -> None:
        """As ``numpy.ndarray.partition``."""
        self[...] = np.partition(self, kth, axis, **how)

    def put(self, indices: Any, values: Any, mode: Any = "raise") -> None:
        """As ``numpy.ndarray.put``."""
        _written_by(np.put, (self, indices, values, mode), {})

    def __copy__(self) -> Buffer:
        return _hold_tensor(self._read())

    def __deepcopy__(self, memo: Any) -> Buffer:
        return memo.setdefault(id(self), self.__copy__())  # type: ignore[no-any-return]


def _is_plain(index: Any) -> bool:
    """Whether an index is of whole numbers, slices between such, and new axes alone."""
    if not is_plain_index(index):
        return False
    return Ellipsis not in index if type(index) is tuple else index is not Ellipsis


def _mark(line: Any, shape: tuple[int, ...]) -> Any:
    """A mask of the elements with the numbers in `line`."""
    mask = np.zeros(shape, bool)
    mask.reshape(-1)[line] = True
    return mask


def _takes_copy(index: Any) -> bool:
    """Whether NumPy gives a copy at an index, since there is an array in it."""
    items = index if type(index) is tuple else (index,)
    return any(type(item) is _ndarray and item.ndim for item in items)


_OF_TENSORS: Final = frozenset((Buffer, Tensor))


def _put_out(found: Any, out: Any) -> Any:
    """A result in the array that was given for it; a plain one cannot hold it."""
    if not isinstance(out, Buffer):
        return lift_tensors(found)
    out[...] = found
    return out


def _written_by(writer: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> None:
    """What ``np.put(a, ...)`` and its like do; where they write is decided by the values."""
    a, *rest = args
    place = VALUE_OF.get(writer, 2) - 1
    if len(rest) <= place:
        raise NotOnTape(f"np.{writer.__name__} was not told by position what to write")
    value = rest[place]
    rest = [x if number == place else to_decision(x) for number, x in enumerate(rest)]
    kwargs = {name: to_decision(x) for name, x in kwargs.items()}

    def put(target: Any, numbers: Any) -> None:
        writer(target, *rest[:place], numbers, *rest[place + 1 :], **kwargs)

    if isinstance(a, Buffer):
        a._write(put, value)
    elif holds_tensor(value):
        raise plain_array_error(f"np.{writer.__name__}")
    else:
        put(a, value)


def apply_to_buffers(ufunc: np.ufunc, operands: tuple[Any, ...]) -> Any:
    """As ``ufunc(*operands)``, of buffers and numbers, by a shorter way than by NumPy."""
    given = [x._read() if type(x) is Buffer else x for x in operands]
    for x in given:
        if type(x) is Tensor:
            return lift_tensors(Tensor.__array_ufunc__(x, ufunc, "__call__", *given))
    return ufunc(*operands)


def _hold_tensor(tensor: Tensor) -> Buffer:
    made: Buffer = _new(Buffer)
    made._present, made._is_number = tensor, not tensor._value.ndim
    made._kept, made._where, made._seen = None, None, 0
    return made


def lift_tensors(x: Any) -> Any:
    """Results of NumPy with each tensor in an array of its own, which can be written into."""
    if type(x) is Tensor:
        return _hold_tensor(x)
    if type(x) in _SEQUENCES:
        return type(x)([lift_tensors(item) for item in x])
    if isinstance(x, tuple):
        return type(x)(*(lift_tensors(item) for item in x))
    return x


def to_buffer(x: Any) -> Any:
    """A tensor, or plain real numbers, as an array of its own, also if it has no axes."""
    if not isinstance(x, Tensor):
        return Buffer(x) if type(x) is np.ndarray and x.dtype.kind in "fc" else x
    made = _hold_tensor(lower_buffers(x))
    made._is_number = False
    return made


def _make_lifted_method(name: str) -> Callable[..., Any]:
    of_tensors = getattr(Tensor, name)

    def method(self: Buffer, *args: Any, **kwargs: Any) -> Any:
        given = [lower_buffers(x) for x in args]
        if kwargs:
            return lift_tensors(of_tensors(self._read(), *given, **lower_buffers(kwargs)))
        return lift_tensors(of_tensors(self._read(), *given))

    method.__name__, method.__doc__ = name, of_tensors.__doc__
    return method


def _make_lifted_operator(name: str) -> Callable[..., Any]:
    """An operator of two operands, by a shorter way: it is most of what code asks of arrays."""
    of_tensors = getattr(Tensor, name)

    def operator(self: Buffer, other: Any) -> Any:
        if type(other) is Buffer:
            other = other._present if other._kept is None else other._read()
        elif type(other) is not float:
            other = lower_buffers(other)
        found = of_tensors(self._present if self._kept is None else self._read(), other)
        return _hold_tensor(found) if type(found) is Tensor else lift_tensors(found)

    return operator


def _make_view_method(name: str) -> Callable[..., Any]:
    look, of_axes = operator.methodcaller, name in ("transpose", "swapaxes")
    in_order = name in ("reshape", "ravel")

    def method(self: Buffer, *args: Any, **kwargs: Any) -> Any:
        is_view = of_axes or (in_order and self._where is None and not kwargs)
        return self._view(look(name, *args, **kwargs), is_view)

    method.__name__, method.__doc__ = name, getattr(Tensor, name).__doc__
    return method


def _make_inplace_method(name: str, ufunc: np.ufunc) -> Callable[[Buffer, Any], Any]:
    of_tensors = getattr(Buffer, f"__{name}__")

    def method(self: Buffer, other: Any) -> Any:
        if self._is_number:
            return of_tensors(self, other)
        found = ufunc(self._read(), lower_buffers(other))
        if not np.can_cast(found.dtype, self.dtype, "same_kind"):
            raise TypeError(
                f"cannot cast the result of np.{ufunc.__name__} from {found.dtype} to {self.dtype}"
            )
        self[...] = found
        return self

    return method


_ARITHMETIC: Final = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul")
_BINARY: Final = (*_ARITHMETIC, "and", "or", "xor")
_COMPARING: Final = ("lt", "le", "gt", "ge", "eq", "ne")
_UNARY: Final = ("neg", "pos", "abs", "invert")

_IN_PLACE: Final = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "truediv": np.divide,
    "pow": np.power,
    "matmul": np.matmul,
    "floordiv": np.floor_divide,
    "mod": np.remainder,
}

for _name in (*_BINARY, *(f"r{name}" for name in _BINARY), *_COMPARING):
    setattr(Buffer, f"__{_name}__", _make_lifted_operator(f"__{_name}__"))
for _name in _UNARY:
    setattr(Buffer, f"__{_name}__", _make_lifted_method(f"__{_name}__"))
for _name, _ufunc in _IN_PLACE.items():
    setattr(Buffer, f"__i{_name}__", _make_inplace_method(_name, _ufunc))
for _name, _attribute in vars(ArrayStandIn).items():
    if callable(_attribute) and not _name.startswith("_") and _name not in vars(Buffer):
        setattr(
            Buffer, _name, (_make_view_method if _name in VIEWING else _make_lifted_method)(_name)
        )
