"""What was recorded at a point, what a claim answers there, whether it fits, and what to say of it.

What fails is shown by the gravest of its entries: one at the fringe hides no other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from verify.claimants.claim import Answer, Claim
from verify.judging.rounding.comparison import Comparison, compare
from verify.judging.rounding.float_value import (
    Allowance,
    allowance,
    bound_allowance,
    claimed_unit,
    widen_allowance,
)
from verify.judging.rounding.programs import Point, Programs
from verify.model.grade import gravest
from verify.model.result import PointOutcome
from verify.model.verdict import Verdict

if TYPE_CHECKING:
    from verify.judging.diagnosis.blame import Blame
import numpy as np

from symtape.errors import NotTraceable
from symtape.graph.graph import Escape, Graph
from verify.errors import UsageError
from verify.files import places
from verify.model.case import argument_names
from verify.model.quantity import PRODUCTS


@dataclass(frozen=True, slots=True)
class AnsweredClaim:
    """What is judged.

    Attributes
    ----------
    claim : Claim
    programs : Programs
        Of the claim.
    point : Point
    answer : Answer
        Of the claim at the point.
    explain : bool
        Whether to say from which operation and which mistake a failure comes.
    """

    claim: Claim
    programs: Programs
    point: Point
    answer: Answer
    explain: bool

    @property
    def unit(self) -> float:
        """Unit roundoff of the least precise floats."""
        return claimed_unit(self.point.graph, self.answer.parts)

    def compare(self, allowed: Allowance, only: Sequence[Any] | None = None) -> Comparison:
        """The answer beside the exact derivative."""
        return compare(self.answer.parts, self.point.exact, allowed, only)

    def reference_allowance(self) -> Allowance:
        """What rounding may cost the same derivative as symtape's tape computes it."""
        program = self.programs.reference(self.point)
        return allowance(program, self.point.x, self.point.exact, self.unit)

    def widen(self, allowed: Allowance) -> Allowance:
        """As `widen_allowance` of the room of roundings, by the derivative of the tape."""
        program = self.programs.reference(self.point)
        return widen_allowance(allowed, program, self.point.x, self.point.exact, self.unit)

    def bound_unknown(self, allowed: Allowance) -> Allowance:
        """As :func:`verify.judging.rounding.float_value.bound_allowance`."""
        return bound_allowance(allowed, self.point.exact, self.unit)

    def abstain(self, compared: Comparison, words: str) -> PointOutcome:
        """That nothing is known of the answer."""
        return self.point.outcome(Verdict.UNDECIDED, compared, words)

    def wrong(self, compared: Comparison, remark: str = "") -> PointOutcome:
        """As :func:`verify.judging.diagnosis.findings.wrong`."""
        from verify.judging.diagnosis import findings

        shown = self._show_gravest(Verdict.WRONG, compared)
        return findings.wrong(self.claim, self.point, self.answer, shown, remark, self.explain)

    def inaccurate(
        self,
        compared: Comparison,
        right: bool = True,
        lost: Blame | None = None,
        remark: str = "",
    ) -> PointOutcome:
        """As :func:`verify.judging.diagnosis.findings.inaccurate`."""
        from verify.judging.diagnosis import findings

        shown = self._show_gravest(Verdict.INACCURATE, compared)
        return findings.inaccurate(self.claim, self.point, shown, self.explain, right, lost, remark)

    def _show_gravest(self, verdict: Verdict, compared: Comparison) -> Comparison:
        failing = PointOutcome.from_judgement(self.point.x, verdict, bits=self.point.exact.bits)
        entries = chain(filter(None, [compared.worst]), compared.entries())
        quantity, graph = self.claim.quantity, self.point.graph
        entry = gravest(failing, entries, quantity, graph, approximates=not self.claim.ours)
        return compared if entry is None else replace(compared, worst=entry)


@dataclass(frozen=True, slots=True)
class RecordedPoint:
    """A point with the function recorded there.

    Attributes
    ----------
    x : tuple of arrays
    graph : Graph
    values : list
        Of its nodes.
    twice : bool
        Whether the claim is asked twice there.
    modes : bool
        Whether all modes are judged.
    """

    x: tuple[Any, ...]
    graph: Graph
    values: list[Any]
    twice: bool
    modes: bool = True


def leaves_the_domain(error: Exception) -> bool:
    """Whether a function raised because it is undefined, rather than because it is broken."""
    if isinstance(error, np.linalg.LinAlgError | ArithmeticError):
        return True
    return isinstance(error, ValueError) and "math domain error" in str(error)


def float_dtype(arg: Any) -> Any:
    """The dtype in which an argument is judged."""
    dtype = np.asarray(arg).dtype
    return dtype if dtype.kind == "f" else np.float64


def describe_unregistered(graph: Graph, error: Exception) -> str:
    """The registry's words, and the lines that applied the operation."""
    words = error.args[0]
    lines = {
        places.relative(places.place_of_origin(node.origin)): None
        for node in graph.nodes
        if node.primitive is not None and node.primitive.missing and node.name in str(words)
    }
    return f"{words}, applied at {', '.join(lines)}" if any(lines) else str(words)


def escape_place(escape: Escape) -> str:
    """How a value left, and where."""
    return f"{escape.how} at {places.relative(str(escape.origin))}"


def describe_escapes(graph: Graph) -> str:
    """What left the tape, and what to write so that nothing does."""
    words = ", ".join(dict.fromkeys(escape_place(escape) for escape in graph.escapes[:3]))
    return (
        f"a value left the tape by {words}, and what came back counts as a constant; "
        f"{_suggest_replacement(graph)}, or pass evidence='sampled'"
    )


def _suggest_replacement(graph: Graph) -> str:
    """What to write so that nothing leaves the tape."""
    if any(escape.origin and places.is_library(escape.origin.file) for escape in graph.escapes):
        return "a library computed there; write it with functions of np or symtape.scipy"
    return "compute with np.* functions (np.sin for math.sin), which are recorded"


def check_output(claim: Claim, graph: Graph) -> None:
    """Refuse a function whose output has no derivative as it is claimed.

    Raises
    ------
    NotTraceable, UsageError
    """
    quantity = claim.quantity
    several = quantity.name in ("vjp", "jvp") and graph.outputs
    if len(graph.outputs) != 1 and not several:
        raise NotTraceable(
            f"the function returned {len(graph.outputs)} outputs; verify one at a time, or join "
            "them with np.stack or np.concatenate"
        )
    outputs = [graph.nodes[at] for at in graph.outputs]
    shape = outputs[0].shape
    if quantity.name in ("gradient", "hessian", "hvp") and shape != ():
        raise UsageError(
            f"the {claim.quantity.name} is that of a scalar function, and this one returned shape "
            f"{shape}; sum it, or verify its jacobian"
        )
    for output in outputs:
        if output.dtype.kind != "f":
            raise NotTraceable(
                f"the function returned dtype {output.dtype}; expected real floating-point numbers"
            )
    check_directions(claim, graph)


def check_directions(claim: Claim, graph: Graph) -> None:
    """Refuse directions that do not fit what they belong to.

    Raises
    ------
    UsageError
        A cotangent not of the shape of its output, or a tangent not of that of its argument.
    """
    quantity, count = claim.quantity, len(graph.inputs)
    if not quantity.directions:
        return
    names = argument_names(claim.function, count)
    inputs, outputs = (
        [graph.nodes[at].shape for at in ends] for ends in (graph.inputs, graph.outputs)
    )
    pull = quantity.name == "vjp"
    shapes = outputs if pull else [inputs[i] for i in quantity.rows(count)]
    owners = ["the output"] * len(outputs) if pull else [names[i] for i in quantity.rows(count)]
    if len(shapes) != quantity.directions:
        raise UsageError(
            f"the function has {len(shapes)} outputs here, and {quantity.directions} elsewhere"
        )
    for at, shape, owner in zip(quantity.direction_places(count), shapes, owners, strict=True):
        if inputs[at] != shape:
            raise UsageError(
                f"the {PRODUCTS[quantity.name]} {names[at]} has shape {inputs[at]}, but "
                f"{owner} has shape {shape}; they must be equal"
            )


def other_dtype(claim: Claim, graph: Graph, parts: Sequence[Any]) -> str:
    """Words for a derivative in another dtype than what it belongs to; empty if it is the same.

    That is an argument, or of a push-forward an output. It is no fault of the values, which are
    judged in the dtype that they come in.
    """
    quantity, count = claim.quantity, len(graph.inputs)
    if claim.ours:
        return ""
    names = argument_names(claim.function, count)
    if quantity.name == "jvp":
        owners = [("the output", graph.nodes[at]) for at in graph.outputs]
    else:
        owners = [(names[i[0]], graph.nodes[graph.inputs[i[0]]]) for i in quantity.parts(count)]
    if quantity.name == "jacobian":
        # The output of a function may be of less precision than its argument, or of more.
        least = min(graph.nodes[at].dtype.itemsize for at in graph.outputs)
        owners = [owner for owner in owners if owner[1].dtype.itemsize <= least]
        if len(owners) < len(parts):
            return ""
    for part, (name, node) in zip(parts, owners, strict=True):
        if part.dtype != node.dtype:
            by = "" if quantity.name == "jvp" else f" by {name}"
            return (
                f"the {quantity.name}{by} is {part.dtype}, where {name} is {node.dtype}: it was "
                f"answered in {part.dtype}, and is judged in the ulps of that"
            )
    return ""
