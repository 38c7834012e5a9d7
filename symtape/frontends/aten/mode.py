"""Repeats on Tensors what torch computes, operation by operation, while it does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from symtape.frontends.aten import rows
from symtape.frontends.aten.constants import ones
from symtape.frontends.aten.lines import Lines
from symtape.frontends.aten.memory import Memory
from symtape.frontends.aten.table import REFUSED, Seen, WithheldResult, unreadable
from symtape.frontends.aten.values import dtype_of, numpy_dtype, torch
from symtape.primitives.primitive import is_stand_in
from symtape.recording.origin import record_from
from symtape.recording.tensor import Tensor

_modes: Final[Any] = torch.utils._python_dispatch

_UNSEEN: Final = frozenset(("device", "layout", "pin_memory", "memory_format", "non_blocking"))
"""Arguments that say nothing of the numbers."""

_RANDOM: Final = "it draws random numbers; a derivative is a function of its point"


class ReadingMode(_modes.TorchDispatchMode):  # type: ignore[misc]
    """Repeats every ATen operation that depends on an input by its reading.

    It sits below autograd and ``torch.func``, so that what it reads is what they have made of a
    program: derivatives, batches and all.

    Parameters
    ----------
    memory : Memory
        Which tensor stands for what; the inputs are in it.
    lines : Lines
    inputs : sequence of Tensor
    """

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        # What torch wraps around a mode for its compiler costs seconds to import.
        return False

    def __init__(self, memory: Memory, lines: Lines, inputs: Sequence[Tensor]) -> None:
        super().__init__()
        self._memory = memory
        self._lines = lines
        self._inputs = inputs

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Compute `func`, and repeat it on what its arguments stand for."""
        kwargs = kwargs or {}
        origin = self._lines.here()
        if not any(map(self._memory.holds, _tensors((args, kwargs)))) or _is_meta(kwargs):
            return _clear_unwritten(func, func(*args, **kwargs))
        with record_from(origin):
            try:
                return self._follow(func, args, kwargs)
            except NotImplementedError as error:
                reason = str(error) or "this use of it is not read"
                name = str(func._schema.name).replace("::", ".")
                raise unreadable(name, str(origin or ""), reason) from error

    def _follow(self, func: Any, args: Any, kwargs: Any) -> Any:
        name = _name(func)
        if name in rows.SILENT:
            return _clear_unwritten(func, func(*args, **kwargs))
        parts = self._call_composite(func.decompose, args, kwargs)
        if parts is not NotImplemented:
            return parts
        if func._schema.is_mutable:
            return self._write(func, args, kwargs)
        reading = rows.reading_of(name, func._overloadname)
        if reading is None:
            return self._read_unknown(func, args, kwargs)
        given, named = self._stands_for(args), self._read_keywords(kwargs)
        if not reading.takes_withheld:
            given = _make_arguments(given)
        result = func(*args, **kwargs)
        if reading.promotes:
            given = _promote_arguments(given, result)
        if reading.sees:
            named["seen"] = Seen(args[0].is_contiguous(), tuple(map(_plain, result)))
        meaning = reading.function(*given, **named)
        if not isinstance(result, torch.Tensor | tuple | list):
            return meaning
        self._hold(result, meaning)
        return result

    def _call_composite(self, function: Any, args: Any, kwargs: Any) -> Any:
        """Call what is made of other operations, and read those."""
        with torch._C.DisableTorchFunction(), self:
            return function(*args, **kwargs)

    def _read_unknown(self, func: Any, args: Any, kwargs: Any) -> Any:
        """An operation without a reading: read as torch takes it apart, or it looks at memory."""
        name = _name(func)
        if name in REFUSED:
            raise NotImplementedError(REFUSED[name])
        if torch.Tag.nondeterministic_seeded in func.tags:
            raise NotImplementedError(_RANDOM)
        parts = NotImplemented
        if name not in rows.LOOKING and func in torch._decomp.decomposition_table:
            parts = self._call_composite(torch._decomp.decomposition_table[func], args, kwargs)
        result = func(*args, **kwargs)
        tensors = list(_tensors(result))
        if parts is not NotImplemented:
            self._hold(result, self._stands_for(parts))
            return result if tensors else parts
        if not tensors or not all(map(self._memory.holds, tensors)):
            raise NotImplementedError
        return result

    def _write(self, func: Any, args: Any, kwargs: Any) -> Any:
        """An operation that writes into its arguments, or into ``out=``: what it would return."""
        name, targets = _name(func), list(_iterate_written(func, args, kwargs))
        if name in rows.OVERWRITING:
            result = func(*args, **kwargs)
            self._memory.write(targets[0], np.array(_plain(targets[0])))
            return result
        if name == "fill_" and args[1:] == (1,):
            self._memory.write(targets[0], self._ones(targets[0]))
            return func(*args, **kwargs)
        outs = {argument.name for argument in _writes(func) if argument.kwarg_only}
        named = {key: value for key, value in kwargs.items() if key not in outs}
        pure = _pure(func, name, bool(outs))
        parts = self._call_composite(pure, self._copy_constants(args), named)
        meanings = _make_arguments(map(self._memory.find, _tensors(parts)))
        result = func(*args, **kwargs)
        returned = len(meanings) - len(targets)
        if returned < 0:
            raise NotImplementedError("it writes more than is known")
        if returned:
            self._hold(result, meanings[:returned])
        for target, meaning in zip(targets, meanings[returned:], strict=True):
            shape = tuple(target.shape)
            meaning = meaning if np.shape(meaning) == shape else np.broadcast_to(meaning, shape)
            self._memory.write(target, _cast(meaning, dtype_of(target)))
        return result

    def _copy_constants(self, args: Any) -> Any:
        """Arguments that are about to change, with constants among them as copies."""
        return tuple(
            x.clone() if isinstance(x, torch.Tensor) and not self._memory.holds(x) else x
            for x in args
        )

    def _ones(self, target: Any) -> Any:
        """Ones as an operation on an input: they are what Jacobians begin with."""
        shape, dtype = tuple(target.shape), dtype_of(target)
        like = next((x for x in self._inputs if x.size and x.dtype == dtype), None)
        return np.ones(shape, dtype) if like is None else np.broadcast_to(ones(like.flat[0]), shape)

    def _stands_for(self, value: Any) -> Any:
        """Arguments as readings take them."""
        if isinstance(value, torch.Tensor):
            return self._memory.find(value)
        if isinstance(value, list | tuple):
            parts = map(self._stands_for, value)
            return list(parts) if isinstance(value, list) else tuple(parts)
        return numpy_dtype(value) if isinstance(value, torch.dtype) else value

    def _read_keywords(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        return {k: self._stands_for(value) for k, value in kwargs.items() if k not in _UNSEEN}

    def _hold(self, result: Any, meaning: Any) -> None:
        """Remember what each tensor of `result` stands for."""
        if isinstance(result, tuple | list):
            if len(result) != len(meaning):
                raise NotImplementedError(
                    f"it gave {len(result)} results, {len(meaning)} are known"
                )
            for one, its in zip(result, meaning, strict=True):
                self._hold(one, its)
        elif isinstance(result, torch.Tensor):
            if not isinstance(meaning, WithheldResult):
                if np.shape(meaning) != tuple(result.shape):
                    raise NotImplementedError(
                        f"its result has shape {tuple(result.shape)}, its reading gave "
                        f"{np.shape(meaning)}"
                    )
                meaning = _cast(meaning, dtype_of(result))
            self._memory.hold(result, meaning)


def _clear_unwritten(func: Any, result: Any) -> Any:
    """`result`, with zeros in place of memory that nobody has written into."""
    return result.zero_() if func._opname.startswith(("empty", "new_empty")) else result


def _make_arguments(given: Any) -> Any:
    """Arguments with what was withheld among them."""
    return tuple(x.result() if isinstance(x, WithheldResult) else x for x in given)


def _is_meta(kwargs: dict[str, Any]) -> bool:
    """Whether torch only wants to know a shape, as it does of products with zero."""
    device = kwargs.get("device")
    return device is not None and torch.device(device).type == "meta"


def _name(func: Any) -> str:
    """As ATen calls it; with its namespace, if it is an operation of another library."""
    return str(func._opname if func.namespace == "aten" else func._schema.name)


def _tensors(value: Any) -> Iterator[Any]:
    """Every tensor in nested sequences and dicts."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _tensors(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _tensors(item)


def _writes(func: Any) -> Iterator[Any]:
    """The arguments that an operation writes into, by its schema."""
    return (a for a in func._schema.arguments if a.alias_info and a.alias_info.is_write)


def _iterate_written(func: Any, args: Any, kwargs: Any) -> Iterator[Any]:
    """The tensors that an operation writes into."""
    places = {argument.name: place for place, argument in enumerate(func._schema.arguments)}
    for argument in _writes(func):
        place = places[argument.name]
        yield from _tensors(args[place] if place < len(args) else kwargs.get(argument.name))


def _pure(func: Any, name: str, into_out: bool) -> Any:
    """The operation that returns what `func` writes, after what `func` returns."""
    if into_out:
        return func.overloadpacket
    pure = getattr(torch.ops.aten, f"{name}_functional", None)
    pure = pure or getattr(torch.ops.aten, name.removesuffix("_"), None)
    if pure in (None, func.overloadpacket):
        raise NotImplementedError
    return pure


def _plain(tensor: Any) -> Any:
    return tensor.detach().numpy()


def _promote_arguments(given: Any, result: Any) -> Any:
    """Array arguments in the dtype in which ATen computes."""
    first = next(_tensors(result))
    dtype = dtype_of(first)
    if dtype.kind == "b":
        dtype = _common(given)
    return tuple(_taken_to(value, dtype) for value in given)


def _common(given: Any) -> Any:
    """The dtype of a comparison: that of arrays before that of numbers without axes."""
    arrays = [x for x in given if isinstance(x, np.ndarray | np.generic) or is_stand_in(x)]
    wide = [x for x in arrays if np.ndim(x)] or arrays
    return np.result_type(*(x.dtype for x in wide)) if wide else np.dtype(bool)


def _taken_to(value: Any, dtype: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic) or is_stand_in(value):
        return _cast(value, dtype)
    return value


def _cast(value: Any, dtype: Any) -> Any:
    if isinstance(value, WithheldResult) or (hasattr(value, "dtype") and value.dtype == dtype):
        return value
    if hasattr(value, "dtype"):
        return value.astype(dtype)
    return np.asarray(value, dtype)
