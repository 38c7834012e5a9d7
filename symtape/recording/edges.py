"""What a tape takes note of: the edges from each output to the traced inputs it came from.

A sweep from the last edge to the first pulls cotangents back to the inputs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, ClassVar, Final

import numpy as np

from symtape.numeric.batch import Batch
from symtape.numeric.masked import masked_sweep
from symtape.numeric.reverse import WIDTH, Edges, drain_edges, walk_edges
from symtape.primitives.power import ONE
from symtape.primitives.primitive import Params, Primitive
from symtape.recording.acceleration import bind_classes, sweep
from symtape.recording.complex_numbers import TRANSPOSE, Convention, conjugate_cotangent
from symtape.recording.for_programs import are_finite
from symtape.recording.origin import Origin
from symtape.recording.registry import missing_rules
from symtape.recording.stack import ELSEWHERE, STACK, Recorder
from symtape.recording.tensor import Tensor, as_operand, record_output
from symtape.recording.variable import Variable

_ONE: Final = np.float64(1.0)


class EdgeRecorder(Recorder):
    """A recorder that keeps, of what traced tensors take part in, what VJP rules need."""

    __slots__ = (
        "_answered",
        "_edges",
        "_first",
        "_ids",
        "_left",
        "_locator",
        "_on_stack",
        "_origins",
        "_persistent",
        "_selects",
        "_variables",
        "_watch_accessed",
    )

    keeps_all: ClassVar[bool] = False

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._persistent = persistent
        self._watch_accessed = watch_accessed_variables
        self._answered = False
        self._on_stack = False
        self._left: tuple[str, Origin | None] | None = None
        self._locator: Any = None
        self._first = -math.inf
        self.forget()

    def forget(self) -> None:
        """Begin again with nothing recorded and nothing watched."""
        self._edges: Edges = []
        self._selects = False
        self._origins: dict[Any, Any] = {}
        self._ids: set[int] = set()
        self._variables: dict[int, Variable] = {}

    def _push(self) -> None:
        outer = STACK.recorders
        self._locator = next((one for one in outer if one.locates), None) if outer else None
        self._on_stack = True  # before it is there: an interrupt may come between the two
        STACK.push(self)

    def _pop(self) -> None:
        STACK.remove(self)
        self._on_stack, self._locator = False, None

    def traces(self, tensor: Any) -> bool:
        """Whether `tensor` is watched, or was computed from what is."""
        return isinstance(tensor, Tensor) and tensor._id in self._ids

    def sequence(self) -> int:
        """A number of the operations that are recorded and of what they were applied to."""
        edges, first = self._edges, self._first
        return hash((*edges[3::WIDTH], *[x - first for x in edges[2::WIDTH]]))

    def meet_unwatched(self, tensor: Tensor) -> None:
        """Take note of a tensor that is older than what is recorded, and not watched."""

    def meet_cut(self, primitive: Primitive, inputs: tuple[Any, ...], output: Any) -> None:
        """Take note of an operation through which no derivative is taken."""

    def read_variable(self, variable: Variable) -> None:
        """Watch a trainable variable that is read."""
        if not (self._watch_accessed and variable.trainable) or variable._id in self._variables:
            return
        if variable._value.dtype.kind in "fc":
            self._ids.add(variable._id)
            self._variables[variable._id] = variable

    def record(
        self, primitive: Primitive, inputs: tuple[Any, ...], params: Params, output: Any
    ) -> None:
        """Take note of one application if a traced tensor takes part in it."""
        if primitive.cuts and primitive.complex_rules is None:
            self.meet_cut(primitive, inputs, output)
            return
        single = output._value if type(output) is Tensor else None
        ids, rules, identity = self._ids, None, None
        for argnum, x in enumerate(inputs):
            if type(x) is not Tensor:
                continue
            source = x._id
            if source not in ids:
                if source < self._first:
                    self.meet_unwatched(x)
                continue
            if rules is None:
                is_complex = primitive.of_reals and _is_complex(inputs, output)
                rules = primitive.complex_rules if is_complex else primitive.rules
                if rules is None or primitive.missing:
                    if _has_floats(output):
                        traced = missing_rules(primitive, inputs, params, output, ids)
                        self.append_edges(output, traced)
                    return
            rule = rules[0 if primitive.variadic else argnum]
            if rule is None:
                continue
            only = rule.only
            if rule.selects and len(inputs) > 2:  # a condition, and what it chooses from
                self._selects = True
            if only < 0:
                kept: Any = rule.keep(argnum, inputs, output, params)
            else:
                kept = output if only == 3 else inputs[only - 1] if only else None
            like, value = None, x._value
            if single is not None and (
                value.dtype is not single.dtype
                or (primitive.elementwise and value.shape != single.shape)
            ):
                like = (value.shape, value.dtype)  # it was promoted, or broadcast
            last = identity is None
            if last:
                identity = _identify(output) if single is None else output._id
            self._edges.extend((identity, last, source, rule, kept, like))
        if identity is not None:
            self._follow(output, identity)

    def append_edges(self, output: Any, traced: list[Any]) -> None:
        """Append the edges of one operation: `traced` lacks only what concerns the output."""
        identity = _identify(output)
        for number, edge in enumerate(traced):
            self._edges.extend((identity, number == 0, *edge))
        self._follow(output, identity)

    def _follow(self, output: Any, identity: Any) -> None:
        """Trace from here on what was computed from what is traced."""
        if type(output) is Tensor:
            self._ids.add(identity)
        else:
            self._ids.update([part._id for part in output])
        if self._locator is not None:
            origin = self._locator.origin_of(identity)
            if origin is not None:
                self._origins[identity] = origin

    def pull_back(
        self,
        target: Tensor,
        cotangent: Any,
        sources: list[Tensor],
        convention: Convention = TRANSPOSE,
    ) -> list[Any]:
        """One sweep for one target, asked by a transform that has checked its arguments.

        Returns bare arrays, or tensors where the sweep is recorded; zeros for what the target
        does not depend on.
        """
        if len(ELSEWHERE) and STACK.others_trace(target):
            with STACK.join():
                return self.pull_back(target, cotangent, sources, convention)
        wanted = {source._id for source in sources}
        if STACK.recorders or self._persistent or self._selects:
            found = self._sweep({target._id: cotangent}, wanted)
        else:
            edges, self._edges = self._edges, []
            found = sweep(drain_edges(edges), {target._id: cotangent}, wanted, Tensor)
        parts = []
        for source in sources:
            part = found.get(source._id)
            if part is None:
                part = np.zeros(source.shape, source.dtype)[()]
            elif type(part) is not np.float64 and source._value.dtype.kind == "c":
                part = conjugate_cotangent(part, convention)
            parts.append(part)
        return parts

    def _sweep(
        self, seeds: dict[int, Any], wanted: set[int], rows: dict[int, Any] | None = None
    ) -> dict[int, Any]:
        """Pull `seeds` back; of the elements of `rows` that are not 0 an answer is asked."""
        edges, before = self._edges, STACK.forced_origin
        # A second sweep may be needed beside a branch that is not taken, or for a row.
        again = self._selects or rows is not None
        first = dict(seeds) if again else {}
        if self._persistent:
            given = walk_edges(edges)
        else:
            self._edges = []
            given = walk_edges(edges) if again else drain_edges(edges)
        wrapper = None if STACK.recorders else Tensor
        try:
            found = sweep(self._locate_edges(given), seeds, wanted, wrapper)
            if not again or are_finite(found):
                return found
            given = self._locate_edges(walk_edges(edges))
            masks = {identity: Batch(chunk != 0) for identity, chunk in (rows or {}).items()}
            return masked_sweep(given, first, wanted, wrapper, masks)
        finally:
            STACK.forced_origin = before

    def _locate_edges(self, edges: Iterator[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
        """The edges; what their rules compute is put down to the user's lines they serve."""
        if not (STACK.recorders and self._origins):
            return edges

        def locate() -> Iterator[tuple[Any, ...]]:
            for edge in edges:
                STACK.forced_origin = self._origins.get(edge[-1])
                yield edge

        return locate()


bind_classes(Tensor, EdgeRecorder, as_operand, record_output)


def ones_of(target: Tensor) -> Any:
    """The cotangent that asks for the gradient of the sum of `target`.

    Where the sweep is recorded it is an operation on the target, and no constant: rules would
    fold constants with it to rounded ones, and the recorded program be wrong in exact arithmetic.
    """
    if STACK.recorders:
        return ONE(target)
    value = target._value
    if type(value) is np.float64:
        return _ONE
    return np.ones_like(value) if value.ndim else value.dtype.type(1)


def _is_complex(inputs: tuple[Any, ...], output: Any) -> bool:
    """Whether complex numbers take part in an operation."""
    for x in (*inputs, *output) if type(output) is tuple else (*inputs, output):
        x = x._value if type(x) is Tensor else x
        if x.dtype.kind == "c" if hasattr(x, "dtype") else type(x) is complex:
            return True
    return False


def _has_floats(output: Any) -> bool:
    """Whether a gradient could flow; whole numbers and truth values are steps."""
    parts = output if type(output) is tuple else (output,)
    return any(part.dtype.kind in "fc" for part in parts)


def _identify(output: Any) -> Any:
    """The identity of an output, or of several."""
    if type(output) is Tensor:
        return output._id
    return tuple((part._id, part.shape, part.dtype) for part in output)
