"""GradientTape: records operations on watched tensors and differentiates them in reverse."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from math import prod
from typing import Any, Final

import numpy as np

from symtape.errors import NotOnTape
from symtape.numeric.batch import Batch, basis, unbatch
from symtape.numeric.heap import keep_freed_memory
from symtape.numeric.reverse import WIDTH, Edges
from symtape.primitives.power import ONE
from symtape.primitives.primitive import Rule
from symtape.recording.complex_numbers import (
    CONJUGATE,
    Convention,
    conjugate_cotangent,
    derivative_of,
    is_complex,
    refuse_complex_target,
)
from symtape.recording.edges import EdgeRecorder
from symtape.recording.gradient_arguments import (
    Unconnected,
    differentiable,
    quote,
    seed_of,
    sources_of,
    targets_of,
    wants_zero,
    weights_of,
)
from symtape.recording.gradient_arguments import UnconnectedGradients as UnconnectedGradients
from symtape.recording.origin import locate
from symtape.recording.refusals import STATE, warn_of
from symtape.recording.stack import ELSEWHERE, STACK
from symtape.recording.structure import flatten, pack
from symtape.recording.tensor import Tensor, tensor_of
from symtape.recording.variable import Variable

keep_freed_memory()

_AT_ONCE: Final = 2**19
"""Numbers of the largest array in one sweep of several rows: more no longer fit the cache."""

_RECORDED_AT_ONCE: Final = 2**24
"""As many where a sweep is recorded: each adds its operations to the program."""

_FEW: Final = 8
"""Rows that are pulled back together, whatever their size: it is not worth looking for."""


class GradientTape(EdgeRecorder):
    """Record operations for automatic differentiation.

    Trainable variables are watched when they are read; tensors when :meth:`watch` names them.
    The semantics are those of ``tf.GradientTape``.

    Parameters
    ----------
    persistent : bool
        Whether the tape may answer more than once. Otherwise what it holds is freed by the
        first answer.
    watch_accessed_variables : bool
        Whether trainable variables are watched of themselves.

    Examples
    --------
    >>> import numpy as np, symtape
    >>> x = symtape.constant([0.0, 1.0])
    >>> with symtape.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = np.sum(np.sin(x) * x)
    >>> tape.gradient(y, x).numpy()
    array([0.        , 1.38177329])
    """

    __slots__ = ("__weakref__",)

    def __enter__(self) -> GradientTape:
        if self._on_stack:
            raise ValueError(
                "the tape is recording already; a tape cannot be entered twice at once"
            )
        self._resume()
        return self

    def __exit__(self, *error: object) -> None:
        if self._on_stack:
            self._pop()

    def __repr__(self) -> str:
        kept = "persistent, " if self._persistent else ""
        state = "recording" if self._on_stack else "stopped"
        return f"<GradientTape: {kept}{state}, {len(self._variables)} variables watched>"

    def _resume(self) -> None:
        if self._answered and not self._persistent:
            self.reset()
        self._push()

    def escape(self, tensor: Tensor, how: str) -> None:
        """Remember where the first value left, in case that an answer is missing."""
        if (
            self._left is None
            and how != STATE
            and (self.traces(tensor) or isinstance(tensor, Variable))
        ):
            self._left = how, locate()

    def watch(self, tensor: Any) -> None:
        """Trace what is computed from `tensor`, a tensor, a variable, or any nesting of them.

        Raises
        ------
        ValueError
            For anything that is not a tensor, a bare ndarray above all.
        """
        for leaf in flatten(tensor):
            if not isinstance(leaf, Tensor):
                raise ValueError(
                    f"cannot watch {quote(leaf)}: expected a symtape.Tensor or "
                    "symtape.Variable; wrap it first, x = symtape.constant(x), and compute with "
                    "the wrapped x inside the tape"
                )
            if not differentiable(leaf, "watched tensor", "tape.watch"):
                continue
            self._ids.add(leaf._id)
            if isinstance(leaf, Variable):
                self._variables[leaf._id] = leaf

    def watched_variables(self) -> tuple[Variable, ...]:
        """The variables watched so far, in the order in which they were made, as in TensorFlow."""
        return tuple(sorted(self._variables.values(), key=lambda variable: -variable._id))

    def reset(self) -> None:
        """Forget everything recorded and watched, as if the tape began here."""
        self.forget()
        self._answered = False

    @contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Pause this tape; what is computed meanwhile is constant to it.

        Raises
        ------
        ValueError
            The tape is not recording.
        """
        if not self._on_stack:
            raise ValueError("stop_recording() needs a tape that is recording; enter it first")
        self._pop()
        try:
            yield
        finally:
            if not self._on_stack:
                self._resume()

    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Unconnected = UnconnectedGradients.NONE,
    ) -> Any:
        """Gradient of the sum of `target` by each of `sources`, by one reverse sweep.

        Parameters
        ----------
        target : Tensor, or nested lists, tuples and dicts of them
            What to differentiate; summed over all elements and all targets. Of complex numbers
            it is the real part of the sum, as in TensorFlow.
        sources : Tensor or Variable, or a nesting of them
            By what. The result has this structure.
        output_gradients : like `target`, optional
            Weights of the elements of `target` (the cotangent); ones by default.
        unconnected_gradients : {"none", "zero"} or UnconnectedGradients
            What to answer for a source the target does not depend on.

        Returns
        -------
        Tensor or None, in the structure of `sources`
            Shape and dtype of the source. By complex numbers it points uphill: the conjugate of
            the derivative, if there is one.

        Raises
        ------
        TypeError
            A complex target without `output_gradients` is differentiated by real numbers.
        RuntimeError
            Second answer asked of a tape that is not persistent.
        LookupError
            An operation on the way has no registered gradient.
        """
        self._check_unspent("gradient")
        zero = wants_zero(unconnected_gradients)
        targets, leaves = targets_of(target), sources_of(sources)
        weights = weights_of(output_gradients, target)
        self._begin_answer(targets)
        seeds: dict[int, Any] = {}
        for tensor, weight in zip(targets, weights, strict=True):
            if not differentiable(tensor, "target tensor", "GradientTape.gradient"):
                continue
            if weight is None and is_complex(tensor):
                _check_complex(tensor, leaves)
            seed = conjugate_cotangent(seed_of(tensor, weight))
            seeds[tensor._id] = seed if tensor._id not in seeds else seeds[tensor._id] + seed
        for source in leaves:
            differentiable(source, "source tensor", "GradientTape.gradient")
        with STACK.join() if any(map(STACK.others_trace, targets)) else nullcontext():
            found = self._sweep(seeds, {source._id for source in leaves})
            found = {identity: conjugate_cotangent(g) for identity, g in found.items()}
        parts = [self._part(found.get(x._id), x.shape, x.dtype, zero) for x in leaves]
        return pack(sources, iter(parts))

    def _part(self, found: Any, shape: tuple[int, ...], dtype: Any, zero: bool) -> Tensor | None:
        """A part of an answer; where there is no path, None or zeros, and a word if one ended."""
        if found is None:
            if self._left is not None:
                warn_of(*self._left)
            if not zero:
                return None
            found = np.zeros(shape, dtype)
        return found if isinstance(found, Tensor) else tensor_of(found)

    def jacobian(
        self,
        target: Tensor,
        sources: Any,
        unconnected_gradients: Unconnected = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """Jacobian of `target` by each of `sources`.

        All outputs go through one sweep, whose cotangents carry a leading axis.

        Parameters
        ----------
        target : Tensor
            One tensor, any shape.
        sources : Tensor or Variable, or a nesting of them
            By what. The result has this structure.
        unconnected_gradients : {"none", "zero"} or UnconnectedGradients
            As in :meth:`gradient`.
        parallel_iterations : int, optional
            Accepted for TensorFlow's sake; has no effect.
        experimental_use_pfor : bool
            False: one sweep for each output, which needs less memory; here the tape need not be
            persistent for it.

        Returns
        -------
        Tensor or None, in the structure of `sources`
            Shape ``target.shape + source.shape``. Of complex numbers by real ones it is complex;
            by complex ones its rows are gradients, as :meth:`gradient` answers.

        Raises
        ------
        TypeError
            `target` is not a single tensor, or it is complex, and a source is.
        """
        self._check_unspent("jacobian")
        zero = wants_zero(unconnected_gradients)
        if not isinstance(target, Tensor):
            raise NotOnTape(
                f"target {quote(target)} is not a single tensor; ask for the Jacobian of one "
                "tensor at a time"
            )
        leaves = sources_of(sources)
        self._begin_answer([target])
        parts: list[Any] = [None] * len(leaves)
        if differentiable(target, "target tensor", "GradientTape.jacobian"):
            parts = self.blocks(target, leaves, together=experimental_use_pfor)
        results = [
            self._part(part, target.shape + source.shape, source.dtype, zero)
            for source, part in zip(leaves, parts, strict=True)
        ]
        return pack(sources, iter(results))

    def blocks(
        self,
        target: Tensor,
        sources: list[Tensor],
        *,
        holomorphic: bool = False,
        convention: Convention = CONJUGATE,
        together: bool = True,
    ) -> list[Any | None]:
        """The Jacobian of `target` by each of `sources`; None of what it does not depend on.

        Parameters
        ----------
        target, sources
            Tensors, checked by the caller.
        holomorphic : bool
            All of them are complex, and there is a derivative.
        convention
            Of gradients of a real target by complex sources.
        together : bool
            In one sweep.

        Raises
        ------
        NotOnTape
            The target is complex, a source is, and there is no derivative.
        """
        seeds = basis(target.shape, target.dtype)
        shapes = [target.shape + source.shape for source in sources]
        if not is_complex(target):
            rows = self._rows(target, sources, seeds, together)
            rows = [
                None if part is None else conjugate_cotangent(part, convention) for part in rows
            ]
        else:
            if not holomorphic and any(map(is_complex, sources)):
                refuse_complex_target(target, by_complex=True)
            # A second sweep for what the first, of real parts, does not see.
            turned = seeds * 1j if holomorphic else seeds * -1j
            rows = self._rows(target, sources, np.concatenate([seeds, turned]), together)
            join = derivative_of if holomorphic else _complex_of
            rows = [
                None if part is None else join(part[: len(seeds)], part[len(seeds) :])
                for part in rows
            ]
        return [
            part if part is None else part.reshape(shape)
            for part, shape in zip(rows, shapes, strict=True)
        ]

    def batch_jacobian(
        self,
        target: Tensor,
        source: Tensor,
        unconnected_gradients: Unconnected = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """Jacobian of each row of `target` by the same row of `source`.

        Only meaningful if row i of the target depends on row i of the source alone, which is
        not checked.

        Parameters
        ----------
        target : Tensor, shape (b, ...)
            The rows to differentiate.
        source : Tensor, shape (b, ...)
            By what.
        unconnected_gradients
            Accepted for TensorFlow's sake; what is not connected has zeros, as there.
        parallel_iterations, experimental_use_pfor
            As in :meth:`jacobian`.

        Returns
        -------
        Tensor
            Shape ``(b, *target.shape[1:], *source.shape[1:])``. TensorFlow asks for two axes at
            least; one is enough here.

        Raises
        ------
        ValueError
            The first dimensions differ, or there is none.
        """
        self._check_unspent("batch_jacobian")
        zero = wants_zero(unconnected_gradients)
        for role, given in (("target", target), ("source", source)):
            if not isinstance(given, Tensor):
                raise NotOnTape(
                    f"{role} {quote(given)} is not a single tensor; batch_jacobian is of one "
                    "tensor by one tensor"
                )
        if not target.ndim or not source.ndim or target.shape[0] != source.shape[0]:
            raise ValueError(
                f"Need first dimension of target shape {target.shape} and source shape "
                f"{source.shape} to match: it is the batch"
            )
        self._begin_answer([target])
        rows, inner, outer = target.shape[0], target.shape[1:], source.shape[1:]
        part = None
        if is_complex(target):
            refuse_complex_target(target, by_complex=False)
        of_floats = differentiable(target, "target tensor", "GradientTape.batch_jacobian")
        if of_floats:
            unit = np.expand_dims(basis(inner, target.dtype), 1)
            seeds = np.broadcast_to(unit, (len(unit), *target.shape))
            (part,) = self._rows(target, [source], seeds, experimental_use_pfor)
            part = part if part is None else conjugate_cotangent(part)
        shape = (rows, *inner, *outer)
        part = part if part is None else np.moveaxis(part, 1, 0).reshape(shape)
        return self._part(part, shape, source.dtype, zero or of_floats)

    def _rows(
        self, target: Tensor, sources: list[Tensor], seeds: Any, together: bool
    ) -> list[Any | None]:
        """Cotangents of `sources` for each of `seeds`, stacked along a leading axis."""
        if len(ELSEWHERE) and STACK.others_trace(target):
            with STACK.join():
                return self._rows(target, sources, seeds, together)
        wanted = {source._id for source in sources}
        recorded = bool(STACK.recorders)
        edges = self._edges
        collected: list[list[Any]] = [[] for _ in sources]
        count = _count_sweeps(len(seeds), edges, recorded) if together else max(len(seeds), 1)
        for chunk in np.array_split(seeds, count) if count > 1 else [seeds]:
            if count > 1 and not self._persistent:
                self._edges = list(edges)
            # Without outputs there is nothing to pull back but the shapes of what is reached.
            seed = Batch(chunk * ONE(target) if recorded else chunk) if len(chunk) else None
            plain = np.zeros(target.shape, target.dtype) if seed is None else seed
            rows = None if seed is None else {target._id: chunk}
            found = self._sweep({target._id: plain}, wanted, rows)
            for source, parts in zip(sources, collected, strict=True):
                g = found.get(source._id)
                if g is not None:
                    parts.append(unbatch(g, len(chunk)))
        return [
            None if not parts else parts[0] if len(parts) == 1 else np.concatenate(parts)
            for parts in collected
        ]

    def _check_unspent(self, what: str) -> None:
        if self._answered and not self._persistent:
            raise RuntimeError(
                "A non-persistent GradientTape can only be used to compute one set of gradients "
                f"(or Jacobians), and {what}() is a second question; make it with "
                "GradientTape(persistent=True)"
            )

    def _begin_answer(self, targets: Sequence[Tensor]) -> None:
        for target in targets:
            target._read()  # what was written into it may not be recorded yet
        self._answered = True
        if not self._persistent:
            self._ids = set()
            if self._on_stack:
                self._pop()


def _count_sweeps(rows: int, edges: Edges, recorded: bool) -> int:
    """In how many sweeps `rows` cotangents are pulled back, as many at once as fit."""
    if rows <= _FEW:
        return 1
    largest = max(map(_size_of_largest, edges[4::WIDTH], edges[3::WIDTH]), default=1)
    return min(rows, -(-rows * largest // (_RECORDED_AT_ONCE if recorded else _AT_ONCE)))


def _size_of_largest(kept: Any, rule: Rule) -> int:
    """How many numbers the largest cotangent has, of those whose shapes a rule keeps."""
    if type(kept) is Tensor:
        return kept.size
    size = 1
    if rule.only < 0:
        for need, item in zip(rule.needs, kept, strict=True):
            if type(item) is Tensor:
                size = max(size, item.size)
            elif need.endswith("_shape"):
                size = max(size, prod(item))
    return size


def _check_complex(target: Tensor, sources: list[Tensor]) -> None:
    """Refuse ones for the weights of a complex target, but by complex sources, as TensorFlow."""
    if not all(map(is_complex, sources)):
        refuse_complex_target(target, by_complex=False)


def _complex_of(real: Any, imaginary: Any) -> Any:
    return real + imaginary * 1j
