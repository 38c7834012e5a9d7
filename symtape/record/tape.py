"""GradientTape: edges operations on watched tensors and differentiates them in reverse."""

from __future__ import annotations

import enum
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Literal

import numpy as np

from symtape.errors import NotOnTape
from symtape.numeric.batch import Batched, basis, unbatch
from symtape.numeric.reverse import WIDTH, Edges, drained, sweep, walked
from symtape.primitives.power import ONE
from symtape.primitives.primitive import Params, Primitive
from symtape.record.registry import missing_rules
from symtape.record.stack import STACK, Recorder
from symtape.record.structure import flatten, flatten_like, pack
from symtape.record.tensor import Tensor, tensor_of
from symtape.record.variable import Variable

__all__ = ["GradientTape", "UnconnectedGradients"]


class UnconnectedGradients(enum.Enum):
    """What :meth:`GradientTape.gradient` answers for a source the target does not depend on."""

    NONE = "none"
    ZERO = "zero"


Unconnected = UnconnectedGradients | Literal["none", "zero"]


_float64 = np.float64


class GradientTape(Recorder):
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

    __slots__ = (
        "__weakref__",
        "_answered",
        "_ids",
        "_locating",
        "_on_stack",
        "_origins",
        "_persistent",
        "_edges",
        "_variables",
        "_watch_accessed",
    )

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._persistent = persistent
        self._watch_accessed = watch_accessed_variables
        self._edges: Edges = []
        self._origins: dict[int, Any] = {}
        self._ids: set[int] = set()
        self._variables: dict[int, Variable] = {}
        self._answered = False
        self._on_stack = False
        self._locating = False

    def __enter__(self) -> GradientTape:
        if self._on_stack:
            raise ValueError("the tape is recording already; a tape cannot be entered twice at once")
        self._push()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._on_stack:
            self._pop()

    def _push(self) -> None:
        if self._answered and not self._persistent:
            self.reset()
        outer = STACK.recorders
        self._locating = bool(outer) and any(recorder.locates for recorder in outer)
        STACK.recorders = [*outer, self]
        self._on_stack = True

    def _pop(self) -> None:
        recorders = STACK.recorders
        if recorders[-1] is self:
            STACK.recorders = recorders[:-1]
        else:
            STACK.recorders = [r for r in recorders if r is not self]
        self._on_stack = False

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
                    f"cannot watch {_shown(leaf)}: expected a symtape.Tensor or "
                    "symtape.Variable; wrap it first, x = symtape.constant(x), and compute with "
                    "the wrapped x inside the tape"
                )
            if not _differentiable(leaf, "watched tensor", "tape.watch"):
                continue
            self._ids.add(leaf._id)
            if isinstance(leaf, Variable):
                self._variables[leaf._id] = leaf

    def watched_variables(self) -> tuple[Variable, ...]:
        """The variables watched so far, in the order in which they were met."""
        return tuple(self._variables.values())

    def reset(self) -> None:
        """Forget everything recorded and watched, as if the tape began here."""
        self._edges = []
        self._origins = {}
        self._ids = set()
        self._variables = {}
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
                self._push()

    # What the tensors tell a recorder.

    def record_unary(self, primitive: Primitive, x: Any, output: Tensor) -> None:
        """As :meth:`record`, by a shorter way."""
        if not primitive.cuts:
            self._record_single(primitive, x, {}, output)

    def record_binary(self, primitive: Primitive, a: Any, b: Any, output: Tensor) -> None:
        """As :meth:`record`, by a shorter way."""
        if not primitive.cuts:
            self._record_pair(primitive, a, b, {}, output)

    def record(
        self, primitive: Primitive, inputs: tuple[Any, ...], params: Params, output: Any
    ) -> None:
        """Take note of one application if a traced tensor takes part in it."""
        if primitive.cuts:
            return
        if type(output) is Tensor and not primitive.missing and not primitive.variadic:
            if len(inputs) == 1:
                self._record_single(primitive, inputs[0], params, output)
                return
            if len(inputs) == 2:
                self._record_pair(primitive, *inputs, params, output)
                return
        self._record_any(primitive, inputs, params, output)

    def _record_single(
        self, primitive: Primitive, x: Any, params: Params, output: Tensor
    ) -> None:
        if type(x) is not Tensor or x._id not in self._ids:
            return
        rule = primitive.rules[0]
        assert rule is not None
        identity = output._id
        self._ids.add(identity)
        edge = _edge(primitive, rule, 0, x, (x,), params, output)
        self._edges.extend((identity, True, x._id, rule, *edge))
        if self._locating:
            self._locate()

    def _record_pair(
        self, primitive: Primitive, a: Any, b: Any, params: Params, output: Tensor
    ) -> None:
        ids = self._ids
        left, right = primitive.rules
        last = True
        identity = output._id
        if type(a) is Tensor and a._id in ids and left is not None:
            only = left.only
            if only == 0:
                kept: Any = None
            elif only == 2:
                kept = b
            elif only == 1:
                kept = a
            else:
                kept = output if only == 3 else left.keep(0, (a, b), output, params)
            value, result = a._value, output._value
            if type(value) is _float64 and type(result) is _float64:
                like = None
            elif value.shape == result.shape and value.dtype is result.dtype:
                like = None
            else:
                like = _like(primitive.elementwise, value, result)
            self._edges.extend((identity, True, a._id, left, kept, like))
            last = False
        if type(b) is Tensor and b._id in ids and right is not None:
            only = right.only
            if only == 0:
                kept = None
            elif only == 1:
                kept = a
            elif only == 2:
                kept = b
            else:
                kept = output if only == 3 else right.keep(1, (a, b), output, params)
            value, result = b._value, output._value
            if type(value) is _float64 and type(result) is _float64:
                like = None
            elif value.shape == result.shape and value.dtype is result.dtype:
                like = None
            else:
                like = _like(primitive.elementwise, value, result)
            self._edges.extend((identity, last, b._id, right, kept, like))
        elif last:
            return
        ids.add(identity)
        if self._locating:
            self._locate()

    def _record_any(
        self, primitive: Primitive, inputs: tuple[Any, ...], params: Params, output: Any
    ) -> None:
        ids = self._ids
        traced: list[Any] = []
        for argnum, x in enumerate(inputs):
            if type(x) is not Tensor or x._id not in ids:
                continue
            if primitive.missing:
                traced = missing_rules(primitive, inputs, params, output, ids)
                break
            rule = primitive.rule(argnum)
            if rule is not None:
                edge = _edge(primitive, rule, argnum, x, inputs, params, output)
                traced.append((x._id, rule, *edge))
        if traced:
            self.append_edges(output, traced)

    def append_edges(self, output: Any, traced: list[Any]) -> None:
        """Append the edges of one operation: `traced` lacks only what concerns the output."""
        if type(output) is Tensor:
            identity: Any = output._id
            self._ids.add(identity)
        else:
            identity = tuple((part._id, part.shape, part.dtype) for part in output)
            self._ids.update(part._id for part in output)
        for number, edge in enumerate(traced):
            self._edges.extend((identity, number == 0, *edge))
        if self._locating:
            self._locate()

    def _locate(self) -> None:
        origin = STACK.origin()
        if origin is not None:
            self._origins[self._edges[-WIDTH]] = origin

    def traces(self, tensor: Any) -> bool:
        """Whether `tensor` is watched, or was computed from what is."""
        return isinstance(tensor, Tensor) and tensor._id in self._ids

    def read_variable(self, variable: Variable) -> None:
        """Watch a trainable variable that is read."""
        if self._watch_accessed and variable.trainable and variable._id not in self._variables:
            if variable._value.dtype.kind == "f":
                self._ids.add(variable._id)
                self._variables[variable._id] = variable

    # Derivatives.

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
            What to differentiate; summed over all elements and all targets.
        sources : Tensor or Variable, or a nesting of them
            By what. The result has this structure.
        output_gradients : like `target`, optional
            Weights of the elements of `target` (the cotangent); ones by default.
        unconnected_gradients : {"none", "zero"} or UnconnectedGradients
            What to answer for a source the target does not depend on.

        Returns
        -------
        Tensor or None, in the structure of `sources`
            Shape and dtype of the source.

        Raises
        ------
        RuntimeError
            Second answer asked of a tape that is not persistent.
        LookupError
            An operation on the way has no registered gradient.
        """
        zero = _wants_zero(unconnected_gradients)
        targets, leaves = _targets(target), _sources(sources)
        weights = _weights(output_gradients, target)
        self._begin_answer("gradient")
        seeds: dict[int, Any] = {}
        for tensor, weight in zip(targets, weights, strict=True):
            if not _differentiable(tensor, "target tensor", "GradientTape.gradient"):
                continue
            seed = _seed(tensor, weight)
            seeds[tensor._id] = seed if tensor._id not in seeds else seeds[tensor._id] + seed
        for source in leaves:
            _differentiable(source, "source tensor", "GradientTape.gradient")
        found = self._sweep(seeds, {source._id for source in leaves})
        results = []
        for source in leaves:
            g = found.get(source._id)
            if g is None and zero:
                g = np.zeros(source.shape, source.dtype)
            results.append(g if g is None or isinstance(g, Tensor) else tensor_of(g))
        return pack(sources, iter(results))

    def pull_back(self, target: Tensor, cotangent: Any, sources: list[Tensor]) -> list[Any]:
        """One sweep for one target, asked by a transform that has checked its arguments.

        Returns bare arrays, or tensors where the sweep is recorded; zeros for what the target
        does not depend on.
        """
        found = self._sweep({target._id: cotangent}, {source._id for source in sources})
        return [
            np.zeros(source.shape, source.dtype)[()]
            if (g := found.get(source._id)) is None
            else g
            for source in sources
        ]

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
            False: one sweep for each output, which needs less memory.

        Returns
        -------
        Tensor or None, in the structure of `sources`
            Shape ``target.shape + source.shape``.

        Raises
        ------
        TypeError
            `target` is not a single tensor.
        """
        zero = _wants_zero(unconnected_gradients)
        if not isinstance(target, Tensor):
            raise NotOnTape(
                f"target {_shown(target)} is not a single tensor; ask for the Jacobian of one "
                "tensor at a time"
            )
        leaves = _sources(sources)
        self._begin_answer("jacobian")
        connected = _differentiable(target, "target tensor", "GradientTape.jacobian")
        parts: list[Any] = [None] * len(leaves)
        if connected:
            seeds = basis(target.shape, target.dtype)
            parts = self._rows(target, leaves, seeds, experimental_use_pfor)
        results = []
        for source, part in zip(leaves, parts, strict=True):
            shape = target.shape + source.shape
            if part is None and zero:
                part = np.zeros(shape, source.dtype)
            if part is not None:
                part = part.reshape(shape)
            results.append(part if part is None or isinstance(part, Tensor) else tensor_of(part))
        return pack(sources, iter(results))

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
        unconnected_gradients, parallel_iterations, experimental_use_pfor
            As in :meth:`jacobian`.

        Returns
        -------
        Tensor or None
            Shape ``(b, *target.shape[1:], *source.shape[1:])``.

        Raises
        ------
        ValueError
            The first dimensions differ, or there is none.
        """
        zero = _wants_zero(unconnected_gradients)
        for role, given in (("target", target), ("source", source)):
            if not isinstance(given, Tensor):
                raise NotOnTape(
                    f"{role} {_shown(given)} is not a single tensor; batch_jacobian is of one "
                    "tensor by one tensor"
                )
        if not target.ndim or not source.ndim or target.shape[0] != source.shape[0]:
            raise ValueError(
                "batch_jacobian needs a target and a source whose first dimensions, the batch, "
                f"are equal; got target shape {target.shape} and source shape {source.shape}"
            )
        self._begin_answer("batch_jacobian")
        rows, inner, outer = target.shape[0], target.shape[1:], source.shape[1:]
        part = None
        if _differentiable(target, "target tensor", "GradientTape.batch_jacobian"):
            unit = np.expand_dims(basis(inner, target.dtype), 1)
            seeds = np.broadcast_to(unit, (len(unit), *target.shape))
            (part,) = self._rows(target, [source], seeds, experimental_use_pfor)
        if part is None:
            return tensor_of(np.zeros((rows, *inner, *outer), source.dtype)) if zero else None
        part = np.moveaxis(part, 1, 0).reshape((rows, *inner, *outer))
        return part if isinstance(part, Tensor) else tensor_of(part)

    def _rows(
        self, target: Tensor, sources: list[Tensor], seeds: Any, together: bool
    ) -> list[Any | None]:
        """Cotangents of `sources` for each of `seeds`, stacked along a leading axis."""
        wanted = {source._id for source in sources}
        recorded = bool(STACK.recorders)
        kept, copied = self._edges, list(self._edges)
        collected: list[list[Any]] = [[] for _ in sources]
        for chunk in [seeds] if together else np.split(seeds, max(len(seeds), 1)):
            self._edges = list(copied)
            # Without outputs there is nothing to pull back but the shapes of what is reached.
            seed = Batched(chunk * ONE(target) if recorded else chunk) if len(chunk) else None
            plain = np.zeros(target.shape, target.dtype) if seed is None else seed
            found = self._sweep({target._id: plain}, wanted)
            for source, parts in zip(sources, collected, strict=True):
                g = found.get(source._id)
                if g is not None:
                    parts.append(unbatch(g, len(chunk)))
        self._edges = kept if self._persistent else []
        return [
            None if not parts else parts[0] if len(parts) == 1 else np.concatenate(parts)
            for parts in collected
        ]

    def _begin_answer(self, what: str) -> None:
        if self._answered and not self._persistent:
            raise RuntimeError(
                f"a tape that is not persistent answers once, and {what}() is a second question; "
                "make it with GradientTape(persistent=True)"
            )
        self._answered = True
        if self._on_stack and not self._persistent:
            self._pop()

    def _sweep(self, seeds: dict[int, Any], wanted: set[int]) -> dict[int, Any]:
        before = STACK.forced_origin
        try:
            edges = self._last_first()
            return sweep(edges, seeds, wanted, None if STACK.recorders else Tensor)
        finally:
            STACK.forced_origin = before

    def _last_first(self) -> Iterable[tuple[Any, ...]]:
        """The edges from the last; those of a tape that answers once are freed on the way."""
        edges = self._edges
        if self._persistent:
            given = walked(edges)
        else:
            self._edges = []
            given = drained(edges)
        return self._located(given) if STACK.recorders and self._origins else given

    def _located(self, edges: Iterable[list[Any]]) -> Iterator[list[Any]]:
        """The edges; what their rules compute is put down to the user's lines they serve."""
        for edge in edges:
            STACK.forced_origin = self._origins.get(edge[0])
            yield edge


def _edge(
    primitive: Primitive,
    rule: Any,
    argnum: int,
    x: Tensor,
    inputs: tuple[Any, ...],
    params: Params,
    output: Any,
) -> tuple[Any, Any]:
    """What an edge says of what its rule needs, and of its input."""
    only = rule.only
    if only < 0:
        kept: Any = rule.keep(argnum, inputs, output, params)
    else:
        kept = output if only == 3 else inputs[only - 1] if only else None
    if type(output) is not Tensor:
        return kept, None
    value, result = x._value, output._value
    # Scalars of the default dtype, the commonest small case, are settled by two comparisons.
    if type(value) is _float64 and type(result) is _float64:
        return kept, None
    return kept, _like(primitive.elementwise, value, result)


def _like(elementwise: bool, x: Any, y: Any) -> Any:
    """What the cotangent of `x` has to be brought back to, where that is in doubt."""
    if x.dtype == y.dtype and (not elementwise or x.shape == y.shape):
        return None
    return (x.shape, x.dtype)


def _differentiable(tensor: Tensor, role: str, caller: str) -> bool:
    kind = tensor._value.dtype.kind
    if kind == "f":
        return True
    if kind == "c":
        raise NotOnTape(
            f"the dtype of the {role} is {tensor.dtype}, and derivatives are taken by, and of, "
            f"real numbers; differentiate by real and imaginary parts ({caller})"
        )
    warnings.warn(
        f"The dtype of the {role} must be floating (e.g. float64) when calling {caller}, "
        f"got {tensor.dtype}; its gradient is None. Make it of floats, 10.0 rather than 10.",
        stacklevel=3,
    )
    return False


def _sources(sources: Any) -> list[Tensor]:
    leaves = flatten(sources)
    for leaf in leaves:
        if not isinstance(leaf, Tensor):
            raise NotOnTape(
                f"source {_shown(leaf)} is no tensor, so no tape can have watched it; expected "
                "symtape.Variable, or a symtape.constant given to tape.watch"
            )
    return leaves


def _targets(target: Any) -> list[Tensor]:
    leaves = flatten(target)
    for leaf in leaves:
        if not isinstance(leaf, Tensor):
            raise NotOnTape(
                f"target {_shown(leaf)} is no tensor, so no tape recorded it; expected "
                "the result of operations on tensors"
            )
    return leaves


def _weights(output_gradients: Any, target: Any) -> list[Any]:
    """One entry for each leaf of `target`: an array_like, or None for ones."""
    if isinstance(target, Tensor):
        alone = isinstance(output_gradients, list | tuple) and len(output_gradients) == 1
        if alone and (output_gradients[0] is None or np.shape(output_gradients) != target.shape):
            return [output_gradients[0]]
        return [output_gradients]
    try:
        return flatten_like(output_gradients, target)
    except ValueError as error:
        weights, count = flatten(output_gradients), len(flatten(target))
        if isinstance(output_gradients, dict) or len(weights) != count:
            raise ValueError(
                f"output_gradients has {len(weights)} entries for {count} targets; give one "
                f"for each target, or None: {error}"
            ) from None
        return weights


def _seed(target: Tensor, weight: Any) -> Any:
    value = target._value
    if weight is None:
        return ones_of(target)
    weight = weight._read() if isinstance(weight, Tensor) else np.asarray(weight)
    if not weight.ndim and value.ndim:
        weight = np.broadcast_to(weight, value.shape)
    if weight.shape != value.shape:
        raise ValueError(
            f"output_gradients has shape {weight.shape}, but its target has shape {value.shape}; "
            "they must be equal"
        )
    return weight.astype(value.dtype) if weight.dtype != value.dtype else _bare(weight)


def ones_of(target: Tensor) -> Any:
    """The cotangent that asks for the gradient of the sum of `target`.

    Where the sweep is recorded it is an operation on the target, and no constant: rules would
    fold constants with it to rounded ones, and the recorded program be wrong in exact arithmetic.
    """
    if STACK.recorders:
        return ONE(target)
    value = target._value
    return np.ones_like(value) if value.ndim else value.dtype.type(1)


def _bare(weight: Any) -> Any:
    if isinstance(weight, Tensor) and not STACK.recorders:
        return weight._value
    return weight if isinstance(weight, Tensor) or weight.ndim else weight[()]


def _wants_zero(unconnected: Unconnected) -> bool:
    try:
        return UnconnectedGradients(unconnected) is UnconnectedGradients.ZERO
    except ValueError:
        raise ValueError(
            f"unconnected_gradients={unconnected!r}; expected 'none', 'zero' or a member of "
            "symtape.UnconnectedGradients"
        ) from None


def _shown(value: Any) -> str:
    text = repr(value)
    return f"{text if len(text) <= 60 else text[:57] + '...'} ({type(value).__name__})"
