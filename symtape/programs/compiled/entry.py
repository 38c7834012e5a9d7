"""How Python enters machine code: a builtin function that reads NumPy's objects where they lie.

Arguments that are no arrays of the right layout, or no floats where numbers are due, get None, as
those that take another path do. Nothing of Python's runs in between, so that
a call costs no more than that of a builtin function and the results that it makes.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from symtape.errors import Unsupported
from symtape.programs.compiled.addresses import address_in, type_of_numbers

Shape = tuple[int, ...]


_FLOATS: Final = np.dtype(np.float64)


@dataclass(frozen=True, slots=True)
class Layout:
    """How an argument or a result lies in memory.

    Attributes
    ----------
    shape : tuple of int
        Of a number it is empty.
    strides : tuple of int, optional
        Bytes; by default those of a contiguous array.
    dtype : numpy.dtype
        float64, float32, bool or int64.
    """

    shape: Shape
    strides: tuple[int, ...] | None = None
    dtype: np.dtype[Any] = _FLOATS

    @property
    def kind(self) -> str:
        """The type of its numbers in machine code."""
        return type_of_numbers(self.dtype)

    @property
    def type(self) -> tuple[int, str]:
        """NumPy's number of the dtype, and its byte order."""
        return self.dtype.num, self.dtype.byteorder


DATA: Final = 16
"""Bytes from the start of an object to its number, or to the address of its numbers."""

_TYPE, _NDIM, _DIMENSIONS, _STRIDES, _DTYPE, _FLAGS = 8, 24, 32, 40, 56, 64
_BYTE_ORDER, _NUMBER_OF_TYPE = 26, 28
"""Bytes from the start of an object, of an array, and of a dtype to its fields."""

_FLOAT64: Final = 12
_CONTIGUOUS: Final = 0x1
_ALIGNED: Final = 0x100
_ITEMS: Final = 24
"""Bytes from the start of a tuple to its items."""

ON_STACK: Final = 1 << 15
"""Bytes of memory that lie on the stack; more are asked for at each call."""

_FASTCALL: Final = 0x80

_NEW_ARRAY, _NEW_NUMBER = 93, 60
"""Places of ``PyArray_New`` and ``PyArray_Scalar`` in the table of NumPy's C functions."""


VECTORISED: Final = ", !llvm.loop !0"
"""After the branch of a loop that LLVM may give vectors. Each turn by several copies of its body
takes LLVM twice as long and gains little."""

_HINTS: Final = (
    '!0 = distinct !{!0, !{!"llvm.loop.unroll.disable"}, !{!"llvm.loop.interleave.count", i32 1}}'
)


def check_layout() -> None:
    """Refuse a Python or a NumPy whose objects keep their fields elsewhere."""
    if not has_known_layout():
        raise Unsupported("machine code finds no numbers in the objects of this Python")


def has_known_layout() -> bool:
    """Whether objects of this Python and this NumPy keep their fields where machine code looks."""
    # Each has a name: what is gone when it is looked at, another thread may have written over.
    array, number, single = np.array([[0.1, 0.3]]), np.float64(0.2), np.float32(0.25)
    whole, of_python, pair = np.int64(-3), float("0.4"), (array, number)
    dtype = _word(array, _DTYPE)
    return bool(
        _word(array, DATA) == array.__array_interface__["data"][0]
        and ctypes.c_double.from_address(id(number) + DATA).value == number
        and ctypes.c_float.from_address(id(single) + DATA).value == 0.25
        and ctypes.c_int64.from_address(id(whole) + DATA).value == -3
        and ctypes.c_bool.from_address(id(np.True_) + DATA).value
        and not ctypes.c_bool.from_address(id(np.False_) + DATA).value
        and ctypes.c_double.from_address(id(of_python) + DATA).value == 0.4
        and _word(array, _TYPE) == id(np.ndarray)
        and _small(id(array) + _NDIM) == 2
        and ctypes.c_int64.from_address(_word(array, _DIMENSIONS) + 8).value == 2
        and ctypes.c_int64.from_address(_word(array, _STRIDES)).value == 16
        and dtype == id(array.dtype)
        and _small(dtype + _NUMBER_OF_TYPE) == _FLOAT64
        and ctypes.c_char.from_address(dtype + _BYTE_ORDER).value == b"="
        and _small(id(array) + _FLAGS) == array.flags.num
        and _word(pair, _ITEMS + 8) == id(number)
    )


def _word(of: Any, offset: int) -> int:
    return ctypes.c_void_p.from_address(id(of) + offset).value or 0


def _small(address: int) -> int:
    return ctypes.c_int32.from_address(address).value


def addresses_source() -> list[str]:
    """Assembly that all entries of a module share."""
    return [
        *(
            f"@{name} = private constant ptr inttoptr (i64 {at} to ptr)"
            for name, at in _addresses().items()
        ),
        "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
        _HINTS,
        _NUMBERS,
        _ARRAY,
    ]


def _load(name: str, kind: str, of: str, offset: int) -> str:
    at = f"  {name}.at = getelementptr i8, ptr {of}, i64 {offset}"
    return f"{at}\n  {name} = load {kind}, ptr {name}.at"


_NUMBERS: Final = f"""
define internal ptr @numbers(ptr %o, i32 %ndim, ptr %sizes, ptr %strides, i32 %number, i8 %order,
                             i32 %flags) {{
begin:
  %class = load ptr, ptr @PyArray_Type
{_load("%class.o", "ptr", "%o", _TYPE)}
  %is_array = icmp eq ptr %class.o, %class
  br i1 %is_array, label %array, label %refuse
array:
{_load("%ndim.o", "i32", "%o", _NDIM)}
{_load("%dtype", "ptr", "%o", _DTYPE)}
{_load("%number.o", "i32", "%dtype", _NUMBER_OF_TYPE)}
{_load("%order.o", "i8", "%dtype", _BYTE_ORDER)}
{_load("%flags.o", "i32", "%o", _FLAGS)}
{_load("%sizes.o", "ptr", "%o", _DIMENSIONS)}
{_load("%strides.o", "ptr", "%o", _STRIDES)}
  %flags.both = and i32 %flags.o, %flags
  %has_ndim = icmp eq i32 %ndim.o, %ndim
  %has_number = icmp eq i32 %number.o, %number
  %has_order = icmp eq i8 %order.o, %order
  %has_flags = icmp eq i32 %flags.both, %flags
  %has_dtype = and i1 %has_number, %has_order
  %has_rest = and i1 %has_ndim, %has_flags
  %has_all = and i1 %has_dtype, %has_rest
  %any_stride = icmp eq ptr %strides, null
  br i1 %has_all, label %axis, label %refuse
axis:
  %k = phi i32 [ 0, %array ], [ %k.next, %next ]
  %size.at = getelementptr i64, ptr %sizes, i32 %k
  %size.o.at = getelementptr i64, ptr %sizes.o, i32 %k
  %size = load i64, ptr %size.at
  %size.o = load i64, ptr %size.o.at
  %has_size = icmp eq i64 %size.o, %size
  br i1 %has_size, label %sized, label %refuse
sized:
  %is_short = icmp ult i64 %size, 2
  %is_fit = or i1 %is_short, %any_stride
  br i1 %is_fit, label %next, label %step
step:
  %stride.at = getelementptr i64, ptr %strides, i32 %k
  %stride.o.at = getelementptr i64, ptr %strides.o, i32 %k
  %stride = load i64, ptr %stride.at
  %stride.o = load i64, ptr %stride.o.at
  %has_stride = icmp eq i64 %stride.o, %stride
  br i1 %has_stride, label %next, label %refuse
next:
  %k.next = add i32 %k, 1
  %is_more = icmp ult i32 %k.next, %ndim
  br i1 %is_more, label %axis, label %take
take:
{_load("%data", "ptr", "%o", DATA)}
  ret ptr %data
refuse:
  ret ptr null
}}"""
"""The address of the numbers of an array that lies as it should; null of any other object.

An axis of one element has any stride.
"""

_ARRAY: Final = """
define internal ptr @array(ptr %given, i32 %ndim, ptr %sizes, i32 %number) {
begin:
  %none = load ptr, ptr @none
  %is_new = icmp eq ptr %given, %none
  br i1 %is_new, label %new, label %old
new:
  %class = load ptr, ptr @PyArray_Type
  %make = load ptr, ptr @PyArray_New
  %made = call ptr %make(ptr %class, i32 %ndim, ptr %sizes, i32 %number, ptr null, ptr null,
                         i32 0, i32 0, ptr null)
  ret ptr %made
old:
  %hold = load ptr, ptr @Py_IncRef
  call void %hold(ptr %given)
  ret ptr %given
}"""
"""A reference to the array that is given to be written into, or to a new one if None is."""


@dataclass
class Entry:
    """The writer of ``@entry_NAME``, which calls ``i32 @NAME(ptr %table)``.

    What was made so far lies in one tuple, which is given up as a whole.

    Attributes
    ----------
    name : str
    inputs, outputs : sequence of Layout
    filled : sequence of array or None
        For each output the array whose numbers it begins with, which somebody keeps.
    memory : int
        Floats that the program needs besides.
    given : bool
        Whether, after its inputs, it is given for each output an array to write into, or None.
    """

    name: str
    inputs: Sequence[Layout]
    outputs: Sequence[Layout]
    filled: Sequence[Any] = ()
    memory: int = 0
    given: bool = False
    _lines: list[str] = field(default_factory=list)
    _globals: list[str] = field(default_factory=list)
    _checks: int = 0

    def source(self) -> list[str]:
        """The assembly: globals, and the function."""
        on_stack = 8 * self.memory <= ON_STACK
        # Of a loop, it takes longer to optimise than it takes of all calls.
        kind = "noinline optnone " if self.given else ""
        self._write(f"define ptr @entry_{self.name}(ptr %self, ptr %args, i64 %count) {kind}{{")
        self._write("begin:")
        self._write(f"  %table = alloca ptr, i64 {len(self.inputs) + len(self.outputs) + 1}")
        if on_stack:
            self._write(f"  %memory = alloca double, i64 {max(1, self.memory)}, align 64")
        for k, one in enumerate(self.outputs):
            if not one.shape:
                self._write(f"  %z{k} = alloca {one.kind}")
        self._take_arguments()
        self._make_results()
        if not on_stack:
            self._call("%memory", "PyMem_RawMalloc", f"i64 {8 * self.memory}")
            self._go_on_unless_null("%memory")
        self._put(len(self.inputs) + len(self.outputs), "%memory")
        self._write(f"  %off = call i32 @{self.name}(ptr %table)")
        if not on_stack:
            self._call("", "PyMem_RawFree", "ptr %memory")
        self._go_on_if("icmp eq i32 %off, 0", "left")
        self._return()
        return [*self._globals, *self._lines]

    def _write(self, *lines: str) -> None:
        self._lines += lines

    def _go_on_if(self, condition: str, otherwise: str = "refuse") -> None:
        k, self._checks = self._checks, self._checks + 1
        self._write(f"  %c{k} = {condition}", f"  br i1 %c{k}, label %on{k}, label %{otherwise}")
        self._write(f"on{k}:")

    def _go_on_unless_null(self, made: str) -> None:
        self._go_on_if(f"icmp ne ptr {made}, null", "failed")

    def _call(self, result: str, name: str, given: str) -> None:
        k, self._checks = self._checks, self._checks + 1
        self._write(f"  %call{k} = load ptr, ptr @{name}")
        called = f"{result} = call ptr" if result else "call void"
        self._write(f"  {called} %call{k}({given})")

    def _field(self, of: str, offset: int, kind: str) -> str:
        name = f"{of}.{offset}"
        self._write(f"  {name}.at = getelementptr i8, ptr {of}, i64 {offset}")
        self._write(f"  {name} = load {kind}, ptr {name}.at")
        return name

    def _put(self, place: int, address: str) -> None:
        self._write(f"  %t{place} = getelementptr ptr, ptr %table, i64 {place}")
        self._write(f"  store ptr {address}, ptr %t{place}")

    def _take_arguments(self) -> None:
        count = len(self.inputs) + (len(self.outputs) if self.given else 0)
        self._go_on_if(f"icmp eq i64 %count, {count}")
        for k, one in enumerate(self.inputs):
            self._take(f"%o{k}", k)
            if one.shape:
                self._take_array(k, one)
            else:
                self._take_number(k, one)

    def _take(self, name: str, place: int) -> None:
        """The argument at a place."""
        self._write(f"  {name}.w = getelementptr ptr, ptr %args, i64 {place}")
        self._write(f"  {name} = load ptr, ptr {name}.w")

    def _take_array(self, k: int, one: Layout) -> None:
        number, order = one.type
        flags = _ALIGNED | (_CONTIGUOUS if one.strides is None else 0)
        strides = "null" if one.strides is None else self._table(one.strides)
        sizes = f"i32 {len(one.shape)}, ptr {self._table(one.shape)}, ptr {strides}"
        kind = f"i32 {number}, i8 {ord(order)}, i32 {flags}"
        self._write(f"  %d{k} = call ptr @numbers(ptr %o{k}, {sizes}, {kind})")
        self._go_on_if(f"icmp ne ptr %d{k}, null")
        self._put(k, f"%d{k}")

    def _table(self, numbers: Sequence[int]) -> str:
        """The name of a constant."""
        name = f"@{self.name}.shape{len(self._globals)}"
        items = ", ".join(f"i64 {n}" for n in numbers)
        self._globals.append(f"{name} = private constant [{len(numbers)} x i64] [{items}]")
        return name

    def _take_number(self, k: int, one: Layout) -> None:
        kind = self._field(f"%o{k}", _TYPE, "ptr")
        names = {
            "bool": ("PyBoolArrType_Type",) * 2,
            "float32": ("PyFloatArrType_Type",) * 2,
            "int64": ("PyInt64ArrType_Type",) * 2,
        }.get(one.dtype.name, ("PyFloat_Type", "PyDoubleArrType_Type"))
        for name in dict.fromkeys(names):
            self._write(f"  %{name}{k} = load ptr, ptr @{name}")
            self._write(f"  %is_{name}{k} = icmp eq ptr {kind}, %{name}{k}")
        self._go_on_if(f"or i1 %is_{names[0]}{k}, %is_{names[1]}{k}")
        self._write(f"  %n{k} = getelementptr i8, ptr %o{k}, i64 {DATA}")
        self._put(k, f"%n{k}")

    def _make_results(self) -> None:
        self._call("%results", "PyTuple_New", f"i64 {len(self.outputs)}")
        self._go_on_if("icmp ne ptr %results, null", "nothing")
        for k, one in enumerate(self.outputs):
            address = f"%z{k}"
            if one.shape:
                self._make_array(k, one)
                address = self._field(f"%y{k}", DATA, "ptr")
            part = self.filled[k] if self.filled else None
            if part is not None:
                begun = part.__array_interface__["data"][0]
                self._write(
                    f"  call void @llvm.memcpy.p0.p0.i64(ptr {address}, "
                    f"ptr inttoptr (i64 {begun} to ptr), i64 {part.nbytes}, i1 false)"
                )
            self._put(len(self.inputs) + k, address)

    def _make_array(self, k: int, one: Layout) -> None:
        """A new array, unless there is one to write into."""
        if self.given:
            self._take(f"%b{k}", len(self.inputs) + k)
        else:
            self._write(f"  %b{k} = load ptr, ptr @none")
        sizes = f"i32 {len(one.shape)}, ptr {self._table(one.shape)}"
        self._write(f"  %y{k} = call ptr @array(ptr %b{k}, {sizes}, i32 {one.type[0]})")
        self._go_on_unless_null(f"%y{k}")
        self._hold(k)

    def _hold(self, k: int) -> None:
        """Give a result to the tuple."""
        self._write(f"  %i{k} = getelementptr i8, ptr %results, i64 {_ITEMS + 8 * k}")
        self._write(f"  store ptr %y{k}, ptr %i{k}")

    def _return(self) -> None:
        for k, one in enumerate(self.outputs):
            if not one.shape:
                self._write(f"  %kind{k} = load ptr, ptr @{one.dtype.name}")
                self._call(f"%y{k}", "PyArray_Scalar", f"ptr %z{k}, ptr %kind{k}, ptr null")
                self._go_on_unless_null(f"%y{k}")
                self._hold(k)
        self._write("  ret ptr %results")
        self._write("failed:")
        self._call("", "Py_DecRef", "ptr %results")
        self._write("  br label %nothing", "nothing:", "  ret ptr null", "left:")
        self._call("", "Py_DecRef", "ptr %results")
        self._write("  br label %refuse", "refuse:", "  %none = load ptr, ptr @none")
        self._call("", "Py_IncRef", "ptr %none")
        self._write("  ret ptr %none", "}")


@functools.cache
def _addresses() -> dict[str, int]:
    """Where the functions and objects are that the entry needs."""
    found = {
        name: _address(getattr(ctypes.pythonapi, name))
        for name in ("PyTuple_New", "PyMem_RawMalloc", "PyMem_RawFree", "Py_DecRef", "Py_IncRef")
    }
    table = address_in(importlib.import_module("numpy._core.multiarray")._ARRAY_API)
    functions = ctypes.cast(table, ctypes.POINTER(ctypes.c_void_p))
    found |= {"PyArray_New": functions[_NEW_ARRAY], "PyArray_Scalar": functions[_NEW_NUMBER]}
    objects = {
        "PyArray_Type": np.ndarray,
        "PyFloat_Type": float,
        "PyDoubleArrType_Type": np.float64,
        "PyFloatArrType_Type": np.float32,
        "PyBoolArrType_Type": np.bool_,
        "PyInt64ArrType_Type": np.int64,
        "float64": np.dtype(np.float64),
        "float32": np.dtype(np.float32),
        "int64": np.dtype(np.int64),
        "bool": np.dtype(np.bool_),
        "none": None,
    }
    return found | {name: id(value) for name, value in objects.items()}


def _address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


_NAME: Final = ctypes.create_string_buffer(b"program")


def builtin(address: int, keeps: Any) -> Callable[..., tuple[Any, ...] | None]:
    """A builtin function whose code is at an address; it keeps alive what the code needs."""
    # What CPython calls PyMethodDef, in an array: the collector of garbage frees a structure of
    # ctypes before the function that reads it, where both are garbage.
    words = struct.pack("PPiP", ctypes.addressof(_NAME), address, _FASTCALL, 0)
    method = np.frombuffer(words, np.uint8)
    new = ctypes.pythonapi.PyCFunction_NewEx
    new.restype = ctypes.py_object
    new.argtypes = (ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    made: Callable[..., tuple[Any, ...] | None] = new(method.ctypes.data, (method, keeps), None)
    return made
