"""Replaying a jaxpr, equation by equation, on Tensors and plain arrays.

Of the bits of a number only the one that is its sign can be read. The line of an equation is the
innermost one of the user's that led to it.
"""

from __future__ import annotations

import functools
import importlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from symtape.errors import SymtapeError, Unreadable
from symtape.frontends.jaxpr.control import RUNNERS
from symtape.frontends.jaxpr.table import READINGS, REFUSALS, Call, reads
from symtape.recording.origin import Origin, record_from
from symtape.recording.tensor import Tensor

_OURS: Final[tuple[str, ...]] = tuple(
    os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(__file__)))), name)
    + os.sep
    for name in ("symtape", "verify")
)


@functools.cache
def _source_info() -> Any:
    try:
        return importlib.import_module("jax._src.source_info_util")
    except ImportError:
        return None


def origin_of(equation: Any, caller: Origin | None = None, within: str = "") -> Origin | None:
    """The innermost line of the user's that led to an equation.

    Parameters
    ----------
    equation : JaxprEqn
    caller : Origin, optional
        Where the jaxpr that it is in was called; stands in for what JAX did not keep.
    within : str
        The name of the function that was compiled to that jaxpr. JAX keeps compiled functions of
        its own from other calls of theirs, whose lines say nothing of this one.
    """
    frames = _frames(equation)
    if not frames or (within and not any(_is_in(frame, within) for frame in frames)):
        return caller
    frame = frames[0]
    return Origin(str(frame.file_name), int(frame.start_line), str(frame.function_name))


def _is_in(frame: Any, name: str) -> bool:
    return name in str(frame.function_name).replace("<locals>", "").split(".")


def _frames(equation: Any) -> list[Any]:
    """The user's frames; older versions of JAX take the whole, newer ones the traceback of it."""
    source, info = _source_info(), getattr(equation, "source_info", None)
    if source is None or info is None:
        return []
    for argument in (getattr(info, "traceback", None), info):
        try:
            found = list(source.user_frames(argument))
        except (AttributeError, TypeError):
            continue
        return [frame for frame in found if not str(frame.file_name).startswith(_OURS)]
    return []


BITS_REFUSED: Final = "it works on the bits of numbers, which are no functions of real numbers"

ASK_BITS: Final = frozenset(["shift_right_arithmetic", "shift_right_logical"])
"""What may be asked of bits."""


@dataclass(frozen=True, slots=True)
class Bits:
    """An integer of the bits of floats."""

    of: Any
    refuse: Callable[[str], Exception]

    @property
    def count(self) -> int:
        """How many there are."""
        return int(self.of.dtype.itemsize) * 8


@reads("bitcast_convert_type")
def _bits(call: Call, x: Any) -> Any:
    if x.dtype.kind != "f" or call.dtype.itemsize != x.dtype.itemsize:
        raise call.refuse(BITS_REFUSED)
    return Bits(x, call.refuse)


@reads(*ASK_BITS)
def _shift_right(call: Call, x: Any, by: Any) -> Any:
    if not isinstance(x, Bits) or not np.all(np.asarray(by) == x.count - 1):
        raise call.refuse(BITS_REFUSED)
    sign = np.signbit(x.of).astype(call.dtype)
    return sign if call.name == "shift_right_logical" else -sign


_FAMILIES: Final = (
    "elementwise",
    "reductions",
    "shapes",
    "contraction",
    "indexing",
    "control",
    "linear_algebra",
    "refused",
)

_BITWISE: Final = ASK_BITS | {"bitcast_convert_type"}

_STILL: Final = "Give the function in NumPy, or pass evidence='sampled'"


@functools.cache
def load_readings() -> None:
    """Fill the table."""
    for family in _FAMILIES:
        importlib.import_module(f"symtape.frontends.jaxpr.{family}")


class Replay:
    """A reader of one program; keeps what does not depend on its inputs from one run to the next.

    Parameters
    ----------
    program : ClosedJaxpr
    """

    def __init__(self, program: Any) -> None:
        load_readings()
        self._program = program
        # By the ids of equations, which are of the program and live as long as it.
        self._fixed: dict[int, list[Any]] = {}
        self._calls: dict[Any, tuple[Call, Origin | None]] = {}
        self._caller: tuple[Origin | None, str] = (None, "")

    def __call__(self, *values: Any) -> list[Any]:
        """The outputs at `values`, Tensors or arrays."""
        with np.errstate(all="ignore"):
            return self.run(self._program, *values)

    def run(self, jaxpr: Any, *values: Any) -> list[Any]:
        """Replay a jaxpr, closed over constants or not."""
        body = getattr(jaxpr, "jaxpr", jaxpr)
        known: dict[Any, Any] = {}
        asked: dict[Any, Any] = {}
        fixed: set[Any] = set(body.constvars)
        known.update(zip(body.constvars, map(_array, getattr(jaxpr, "consts", ())), strict=True))
        known.update(zip(body.invars, values, strict=True))
        for equation in body.eqns:
            operands = [self._value(x, known) for x in equation.invars]
            if equation.primitive.name == "cond":
                operands[0] = asked.get(_key(equation.invars[0]), operands[0])
            results = self._results(equation, operands, fixed)
            known.update(zip(equation.outvars, results, strict=True))
            if _makes_integer_of_truth(equation):
                asked[equation.outvars[0]] = operands[0]
        return [self._value(x, known) for x in body.outvars]

    @staticmethod
    def _value(x: Any, known: dict[Any, Any]) -> Any:
        return _array(x.val) if hasattr(x, "val") else known[x]

    def _results(self, equation: Any, operands: list[Any], fixed: set[Any]) -> Sequence[Any]:
        """The values of an equation; remembered if nothing that it takes can ever change."""
        if not all(hasattr(x, "val") or x in fixed for x in equation.invars):
            return self._apply_equation(equation, operands)
        fixed.update(equation.outvars)
        found = self._fixed.get(id(equation))
        if found is None:
            found = self._fixed[id(equation)] = list(self._apply_equation(equation, operands))
        return found

    def _apply_equation(self, equation: Any, operands: list[Any]) -> Sequence[Any]:
        call, origin = self._call(equation)
        moving = any(isinstance(x, Tensor | Bits) for x in operands)
        takes_bits = call.name in ASK_BITS or call.name in RUNNERS
        for bits in operands:
            if isinstance(bits, Bits) and not takes_bits:
                raise bits.refuse(BITS_REFUSED)
        if not moving and (call.name in _BITWISE or not _is_computed_by_numpy(call, equation)):
            return _bind_primitive(equation, operands)
        reading = READINGS.get(call.name)
        if reading is None:
            raise call.refuse(REFUSALS.get(call.name, "symtape's table has no reading of it"))
        if call.name in RUNNERS:
            return self._run_inside(call, origin, reading, operands)
        if not moving:
            operands = [_widen_constant(x) for x in operands]
        with record_from(origin):
            try:
                results = self._list_results(call, reading(call, *operands))
            except (SymtapeError, np.linalg.LinAlgError):
                raise  # a matrix that has no solution is one point, and says nothing of others
            except (TypeError, NotImplementedError, ValueError) as error:
                raise call.refuse(f"{type(error).__name__}: {error}") from error
        return (
            results if moving else [_cast(x, a) for x, a in zip(results, call.outputs, strict=True)]
        )

    def _run_inside(
        self, call: Call, origin: Origin | None, reading: Any, operands: Any
    ) -> list[Any]:
        """What a primitive gives that runs jaxprs, in which it is the caller."""
        before = self._caller
        self._caller = (origin, str(call.params.get("name") or ""))
        try:
            with record_from(origin):
                return self._list_results(call, reading(call, *operands))
        finally:
            self._caller = before

    @staticmethod
    def _list_results(call: Call, results: Any) -> list[Any]:
        return list(results) if isinstance(results, list | tuple) else [results]

    def _call(self, equation: Any) -> tuple[Call, Origin | None]:
        key = (id(equation), self._caller)
        found = self._calls.get(key)
        if found is None:
            found = self._calls[key] = self._new_call(equation)
        return found

    def _new_call(self, equation: Any) -> tuple[Call, Origin | None]:
        name, origin = str(equation.primitive.name), origin_of(equation, *self._caller)
        place = f" (at {origin})" if origin else ""

        def refuse(words: str) -> Unreadable:
            return Unreadable(f"JAX's operation {name}{place} cannot be read: {words}. {_STILL}")

        outputs = [variable.aval for variable in equation.outvars]
        return Call(name, equation.params, outputs, self.run, refuse), origin


def _key(x: Any) -> Any:
    return None if hasattr(x, "val") else x


def _makes_integer_of_truth(equation: Any) -> bool:
    if equation.primitive.name != "convert_element_type":
        return False
    (x,) = equation.invars
    return bool(x.aval.dtype == np.bool_ and np.dtype(equation.params["new_dtype"]).kind in "iu")


def _is_computed_by_numpy(call: Call, equation: Any) -> bool:
    """Whether what depends on no input is computed here, rather than by JAX, which compiles."""
    if call.name in RUNNERS:
        return True
    dtypes: list[Any] = [
        getattr(x.aval, "dtype", None) for x in (*equation.invars, *equation.outvars)
    ]
    if call.name not in READINGS or not all(isinstance(d, np.dtype) for d in dtypes):
        return False
    return all(dtype.kind in "fiub" for dtype in dtypes)


def _widen_constant(x: Any) -> Any:
    """A constant of less precision in double, so that what is made of it is rounded once."""
    return x.astype(np.float64) if type(x) is np.ndarray and x.dtype.kind == "f" else x


def bind_params(equation: Any) -> tuple[Any, Any]:
    """The functions among the parameters of an equation, where they are apart, and the others."""
    # Versions before 0.10 give them apart.
    given = equation.primitive.get_bind_params(equation.params)
    return given if isinstance(given, tuple) else ((), given)


def _bind_primitive(equation: Any, operands: list[Any]) -> list[Any]:
    primitive = equation.primitive
    subfunctions, params = bind_params(equation)
    results = primitive.bind(*subfunctions, *operands, **params)
    return [_array(x) for x in (results if primitive.multiple_results else [results])]


def _array(x: Any) -> Any:
    """A constant as an array of NumPy; random keys, which are none, as they are."""
    if isinstance(x, np.ndarray | Tensor):
        return x
    try:
        return np.asarray(x)
    except TypeError:
        return x


def _cast(x: Any, aval: Any) -> Any:
    array = np.asarray(x)
    return array if array.dtype == aval.dtype else array.astype(aval.dtype)
