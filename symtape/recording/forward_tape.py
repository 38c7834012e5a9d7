"""The tape of a run whose derivatives may be pushed forward, beside being pulled back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from symtape.errors import Unsupported
from symtape.numeric.forward import Plan, Step, Tangents, plan_steps, push
from symtape.numeric.reverse import Edges, sweep, walk_edges
from symtape.primitives.primitive import Array, Params, Primitive
from symtape.recording.directions import some_cotangent
from symtape.recording.run import Run, RunTape
from symtape.recording.stack import ELSEWHERE, STACK
from symtape.recording.tape import GradientTape
from symtape.recording.tensor import Tensor, tensor_of


class ForwardTape(RunTape):
    """Keeps the operations themselves, besides the edges that their VJP rules need.

    Attributes
    ----------
    steps : list of Step
        In order.
    """

    __slots__ = ("steps",)

    keeps_all: ClassVar[bool] = True

    def __init__(self, persistent: bool, sources: Sequence[Tensor]) -> None:
        self.steps: list[Step] = []
        super().__init__(persistent, sources)

    def record(
        self, primitive: Primitive, inputs: tuple[Any, ...], params: Params, output: Any
    ) -> None:
        """Take note of one application if a traced tensor takes part in it."""
        RunTape.record(self, primitive, inputs, params, output)
        # One whose gradient is the user's is noted by its edges.
        if not primitive.missing:
            first = output[0] if type(output) is tuple else output
            if first._id in self._ids:
                self.steps.append((primitive, inputs, params, output))

    def append_edges(self, output: Any, traced: list[Any]) -> None:
        """Keep what has a gradient of its own, of which its edges are all that is known."""
        start = len(self._edges)
        RunTape.append_edges(self, output, traced)
        sources = tuple([source for source, *_ in traced])
        self.steps.append((None, sources, self._edges[start:], output))

    def plan(self, targets: Sequence[Tensor]) -> Plan:
        """What is to be done for tangents of `targets`, for :meth:`push_forward`."""
        return plan_steps(self.steps, {target._id for target in targets}, Tensor)

    def push_forward(
        self,
        targets: Sequence[Tensor],
        sources: Sequence[Tensor],
        tangents: Sequence[Array],
        plan: Plan | None = None,
    ) -> list[Array | None]:
        """The tangents of `targets`, of those of `sources`, by one forward sweep.

        Parameters
        ----------
        targets, sources : sequences of Tensor
        tangents : sequence of arrays
            Like the sources, or Batched ones.
        plan : optional
            From :meth:`plan`, if it is asked more than once.

        Returns
        -------
        list of arrays, or tensors where the sweep is recorded
            None of what does not depend on the sources.
        """
        if len(ELSEWHERE) and any(map(STACK.others_trace, targets)):
            with STACK.join():
                return self.push_forward(targets, sources, tangents, plan)
        given = {source._id: t for source, t in zip(sources, tangents, strict=True)}
        plan = self.plan(targets) if plan is None else plan
        before = STACK.forced_origin
        try:
            steps = self._serve_plan(plan) if STACK.recorders and self._origins else plan
            wrapper = None if STACK.recorders else Tensor
            wanted = {target._id for target in targets}
            found = push(steps, dict(given), wanted, wrapper, self._transpose_step)
        except Unsupported:
            # Of vectors with arbitrary phases, say, of which the targets may be independent.
            return _transpose_edges(self._edges, targets, given)
        finally:
            STACK.forced_origin = before
        return [found.get(target._id) for target in targets]

    def _serve_plan(self, plan: Plan) -> Iterator[tuple[Step, tuple[int, ...]]]:
        """The plan; what is computed for a step is put down to the user's line of it."""
        for step, behind in plan:
            output = step[3]
            parts = output if type(output) is tuple else (output,)
            key = tuple([(part._id, part.shape, part.dtype) for part in parts])
            STACK.forced_origin = self._origins.get(key if parts is output else output._id)
            yield step, behind

    def _transpose_step(self, step: Step, tangents: Tangents) -> list[Array | None]:
        row, inputs, params, output = step
        if row is None:
            edges, sources = params, inputs
        else:
            # What its rules need is asked for again, of a tape that knows nothing else.
            known = {x._id for x in inputs if type(x) is Tensor and x._id in tangents}
            again = GradientTape(watch_accessed_variables=False)
            again._ids |= known
            again.record(row, inputs, params, output)
            edges, sources = again._edges, tuple(known)
        outputs = output if type(output) is tuple else (output,)
        return _transpose_edges(
            edges, outputs, {source: tangents.get(source) for source in sources}
        )


def forward_tape(run: Run) -> ForwardTape:
    """The tape of a run that was asked for one of this kind."""
    assert isinstance(run.tape, ForwardTape)
    return run.tape


def _transpose_edges(
    edges: Edges, outputs: Sequence[Tensor], tangents: Mapping[int, Array | None]
) -> list[Array | None]:
    """The tangents of outputs, of those of what they are computed of, by VJP rules alone.

    What pulls a cotangent back is linear in it, and is recorded; its transpose pushes forward.

    Source
    ------
    J. Townsend, "A new trick for calculating Jacobian vector products" (2017).
    """
    dummy = GradientTape(watch_accessed_variables=False)
    cotangents = [tensor_of(some_cotangent(y)) for y in outputs]
    with dummy:
        dummy._ids.update([cotangent._id for cotangent in cotangents])
        first: dict[int, Any] = {}
        for y, g in zip(outputs, cotangents, strict=True):
            first[y._id] = first[y._id] + g if y._id in first else g
        pulled = sweep(walk_edges(edges), first, set(tangents), None)
    seeds: dict[int, Any] = {}
    for source, cotangent in pulled.items():
        tangent = tangents[source]
        if tangent is not None and isinstance(cotangent, Tensor):
            before = seeds.get(cotangent._id)
            seeds[cotangent._id] = tangent if before is None else before + tangent
    found = dummy._sweep(seeds, {cotangent._id for cotangent in cotangents}) if seeds else {}
    return [found.get(cotangent._id) for cotangent in cotangents]
