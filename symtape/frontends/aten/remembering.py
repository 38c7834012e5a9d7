"""Remembering: a program that does not depend on values is repeated without torch.

A program is read twice, at different points. If it did the same both times, took no decision on
values and let none leave, it is a list of operations that can be repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from symtape.primitives.indexing import Slot
from symtape.recording.origin import record_from
from symtape.recording.recording import AppliedPrimitive, Recording
from symtape.recording.structure import flatten, pack
from symtape.recording.tensor import Tensor, constant

_MOST_OPERATIONS: Final = 20_000
"""Of a program that is remembered, so that a long search stays small."""

_MOST_KEPT: Final = 32

Key = tuple[Any, ...]


class RememberedPrograms:
    """The programs of one function, by the shapes and dtypes of its arguments.

    Parameters
    ----------
    read : callable
        Takes Tensors and returns Tensors, or nested sequences of them.
    """

    def __init__(self, read: Callable[..., Any]) -> None:
        self._read = read
        self._programs: dict[Key, _Program | None] = {}

    def __call__(self, *tensors: Tensor) -> Any:
        """Repeat the program; read it, if it is not yet known that it is always the same."""
        key = tuple((x.shape, x.dtype.str) for x in tensors)
        known = self._programs.get(key)
        if known is not None and known.confirmed:
            return known.repeat_operations(tensors)
        if key in self._programs and known is None:
            return self._read(*tensors)
        with Recording() as recording:
            for tensor in tensors:
                recording.add_input(tensor)
            answer = self._read(*tensors)
        found = _program_of(recording, answer)
        if known is not None and found is not None:
            found = known.compared(found)
        if len(self._programs) < _MOST_KEPT or key in self._programs:
            self._programs[key] = found
        return answer


class _Program:
    """A list of operations.

    Attributes
    ----------
    confirmed : bool
        Whether two points gave the same.
    """

    def __init__(self, recording: Recording, answer: Any, outputs: list[int]) -> None:
        self.confirmed = False
        self._at = [np.asarray(x) for x in recording.given]
        self._inputs = list(recording.inputs)
        self._constants = dict(recording.constants)
        self._applied = list(recording.applied)
        self._answer = answer
        self._outputs = outputs

    def compared(self, other: _Program) -> _Program | None:
        """Confirmed if `other` did the same at another point; None if it did anything else."""
        same = (
            len(self._applied) == len(other._applied)
            and self._outputs == other._outputs
            and all(map(_same_step, self._applied, other._applied))
            and _are_identical(self._constants, other._constants)
        )
        if not same:
            return None
        self.confirmed = not all(map(np.array_equal, self._at, other._at))
        return self

    def repeat_operations(self, tensors: Sequence[Tensor]) -> Any:
        """The operations once more, each recorded under the line that it came from."""
        values: dict[int, Any] = dict(self._constants)
        values |= zip(self._inputs, tensors, strict=True)
        for step in self._applied:
            with record_from(step.origin):
                result = step.primitive(*[values[i] for i in step.inputs], **step.params)
            if len(step.outputs) == 1:
                values[step.outputs[0]] = result
            else:
                values |= zip(step.outputs, result, strict=True)
        return pack(self._answer, iter([_tensor(values[at]) for at in self._outputs]))


def _tensor(value: Any) -> Tensor:
    return value if isinstance(value, Tensor) else constant(value)


def _program_of(recording: Recording, answer: Any) -> _Program | None:
    """What was recorded, if it is the same for all values."""
    leaves = flatten(answer)
    if (
        recording.decisions
        or recording.escapes
        or recording.customised
        or len(recording.applied) > _MOST_OPERATIONS
        or any(map(_depends_on_values, recording.applied))
        or not all(isinstance(leaf, Tensor | np.ndarray | np.generic) for leaf in leaves)
    ):
        return None
    return _Program(recording, answer, [recording.index_of(_tensor(leaf)) for leaf in leaves])


def _depends_on_values(step: AppliedPrimitive) -> bool:
    """Whether the shape of a result says something of values."""
    if step.primitive.name == "argwhere":
        return True
    template = step.params.get("template", ())
    return any(isinstance(item, Slot) and item.boolean for item in template)


def _same_step(one: AppliedPrimitive, other: AppliedPrimitive) -> bool:
    return (
        one.primitive is other.primitive
        and one.inputs == other.inputs
        and one.outputs == other.outputs
        and _are_identical(dict(one.params), dict(other.params))
    )


def _are_identical(one: Any, other: Any) -> bool:
    """Whether two parameters or constants are equal to the last bit."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(
            _are_identical(one[key], other[key]) for key in one
        )
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(_are_identical, one, other))
    if isinstance(one, np.ndarray | np.generic) and not isinstance(one, Tensor):
        bits = (one.dtype, one.shape, one.tobytes())
        return bits == (other.dtype, other.shape, other.tobytes())
    return bool(one == other)
