"""Edges of an operation whose gradient, given by the user, answers for all its inputs at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from symtape.numeric.batch import call_per_entry
from symtape.primitives.primitive import Rule
from symtape.recording.complex_numbers import conjugate_cotangent
from symtape.recording.stack import STACK
from symtape.recording.tensor import Tensor, constant, tensor_of

Ask = Callable[..., Sequence[Any]]


def joint_edges(who: str, inputs: Sequence[Any], traced: Sequence[int], ask: Ask) -> list[Any]:
    """One edge for each of the `traced` positions; the user is asked once a sweep.

    Parameters
    ----------
    who : str
        The operation, for messages.
    inputs : sequence
        All its inputs.
    traced : sequence of int
        Positions of the inputs that a gradient is wanted for, in order.
    ask : callable ``(*cotangents) -> sequence``
        Cotangents of the outputs, as tensors, to one answer (or None) for each of `inputs`.
    """
    joint = _Joint(who, {position: inputs[position].shape for position in traced}, ask)
    edges = []
    for position in traced:
        # A sweep meets the edges last first.
        rule = joint.rule(position, asks=position == traced[-1], forgets=position == traced[0])
        x = inputs[position]
        edges.append((x._id, rule, None, (x.shape, x.dtype)))
    return edges


class _Joint:
    """Hands the parts of one answer to the edges of an operation."""

    __slots__ = ("answers", "ask", "shapes", "who")

    def __init__(self, who: str, shapes: dict[int, tuple[int, ...]], ask: Ask) -> None:
        self.who, self.shapes, self.ask = who, shapes, ask
        self.answers: dict[int, Any] = {}

    def rule(self, position: int, asks: bool, forgets: bool) -> Rule:
        def pull_back(g: Any) -> Any:
            if asks:
                self.answers = call_per_entry(self._find_answers, g)
            answer = self.answers.get(position)
            if forgets:
                self.answers = {}
            return answer

        return Rule(pull_back, ())

    def _find_answers(self, g: Any) -> dict[int, Any]:
        recorded = bool(STACK.recorders)
        cotangents = [
            part if isinstance(part, Tensor) else tensor_of(part)
            for part in (g if type(g) is tuple else (g,))
        ]
        # Users are asked for gradients that point uphill, as the tape answers.
        answers = self.ask(*map(conjugate_cotangent, cotangents))
        return {
            position: self._check_answer(position, shape, answers[position], recorded)
            for position, shape in self.shapes.items()
        }

    def _check_answer(
        self, position: int, wanted: tuple[int, ...], answer: Any, recorded: bool
    ) -> Any:
        if answer is None:
            return None
        tensor = answer._read() if isinstance(answer, Tensor) else constant(answer)
        if tensor.shape != wanted:
            raise ValueError(
                f"the gradient of {self.who} answered shape {tensor.shape} for argument "
                f"{position}, which has shape {wanted}; they must be equal"
            )
        tensor = conjugate_cotangent(tensor)
        return tensor if recorded else tensor._value
