"""The VJP rules of rows as programs: recorded as the tape runs them, on a free cotangent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

import symtape
from symtape.errors import SymtapeError
from symtape.graph.freeze import record
from symtape.graph.graph import Graph
from symtape.primitives.primitive import Primitive
from symtape.process.budget import Budget
from symtape.prover import NotReadable, Proof, prove_equal
from symtape.prover.reader import Reader
from symtape.prover.statements import Statements
from symtape.symbolic.derivative import pull_back
from symtape.symbolic.program import ZERO
from symtape.symbolic.shadow import Shadow
from symtape.symbolic.walk import shadow


@dataclass(frozen=True, slots=True)
class Attempt:
    """What became of the proof of one rule in one place, and which rows its program is of."""

    proof: Proof
    uses: frozenset[str] = frozenset()


def make_attempt(graph: Graph, proof: Proof) -> Attempt:
    """`proof`, of the rule that `graph` is the program of."""
    names = {node.primitive.name for node in graph.nodes if node.primitive is not None}
    return Attempt(proof, frozenset(names))


def outputs_of(row: Primitive, inputs: Sequence[Any], params: dict[str, Any]) -> list[int]:
    """Which outputs of `row` are differentiable: the floating ones."""
    if row.outputs == 1:
        return [0]
    floats = [x if np.asarray(x).dtype.kind == "b" else np.asarray(x, float) for x in inputs]
    parts = row.evaluate(*floats, **params)
    return [k for k, part in enumerate(parts) if np.asarray(part).dtype.kind == "f"]


def rule_program(
    row: Primitive,
    inputs: Sequence[Any],
    params: dict[str, Any],
    free: Sequence[int],
    argnum: int,
    part: int = 0,
) -> Graph:
    """The row applied to `inputs`, and its cotangent pulled back to input `argnum`.

    Parameters
    ----------
    row : Primitive
    inputs : sequence of arrays
        The point that it is recorded at.
    params : dict
        Static parameters.
    free : sequence of int
        The inputs that become inputs of the graph; the others are constants.
    argnum : int
        One of them.
    part : int
        Which output the cotangent is of.

    Returns
    -------
    Graph
        Of the inputs at `free`, and the cotangent after them, to the output and to the pulled
        back cotangent.

    Raises
    ------
    NotReadable
        The rule goes by values in a way that no graph shows, or has no derivative to give.
    """
    shape, dtype = _evaluate_output(row, inputs, params, part)
    cotangent = np.ones(shape, dtype) if shape else np.float64(1.0)

    def program(*given: Any) -> list[Any]:
        *xs, g = given
        args = list(inputs)
        for place, x in zip(free, xs, strict=True):
            args[place] = x
        with symtape.GradientTape() as tape:
            tape.watch(args[argnum])
            result = row(*args, **params)
            output = result[part] if row.outputs > 1 else result
        pulled = tape.gradient(output, args[argnum], output_gradients=g)
        if pulled is None:
            raise NotReadable("the rule gives no gradient")
        return [output, pulled]

    try:
        graph = record(program, *[_floats(inputs[k]) for k in free], cotangent)
    except (NotReadable, SymtapeError):
        raise
    except Exception as error:  # a wrong rule may raise anything
        raise NotReadable(f"the rule raises {type(error).__name__}: {error}") from error
    if graph.path or graph.escapes:
        raise NotReadable("the rule branches on values, or takes them off the tape")
    return graph


def _floats(x: Any) -> Any:
    array = np.asarray(x)
    return array if array.ndim else array[()]


def _evaluate_output(
    row: Primitive, inputs: Sequence[Any], params: dict[str, Any], part: int
) -> tuple[tuple[int, ...], Any]:
    evaluate: Callable[..., Any] = row.evaluate
    given = [x if isinstance(x, tuple) else np.asarray(x)[()] for x in inputs]
    try:
        with np.errstate(all="ignore"):
            result = evaluate(*given, **params)
    except (TypeError, ValueError) as error:
        # An order that is no whole number, in a region.
        raise NotReadable(f"it has no value at these inputs: {error}") from error
    output = np.asarray(result[part] if row.outputs > 1 else result)
    return output.shape, output.dtype


_BUDGET: Final = Budget(statements=100_000)


def prove_at_shape(
    row: Primitive,
    inputs: Sequence[Any],
    params: dict[str, Any],
    free: Sequence[int],
    argnum: int,
    part: int,
    expand: bool = True,
) -> Attempt:
    """Whether the rule by input `argnum` is right for every entry, at the shapes of `inputs`.

    The values of `inputs` decide only what the row chooses, such as the order of a sort. Without
    `expand` it has to be the same statements, and nothing is brought to normal form.
    """
    try:
        graph = rule_program(row, inputs, params, free, argnum, part)
        made = shadow(graph, graph.at, _BUDGET)
    except NotReadable as error:
        return Attempt(Proof(False, reason=str(error)))
    except (SymtapeError, LookupError) as error:
        reason = f"{type(error).__name__}: {error}".partition(" (at ")[0]
        return Attempt(Proof(False, reason=reason))
    pairs = _pairs(made, list(free).index(argnum))
    if all(claimed == exact for claimed, exact in pairs):
        return make_attempt(graph, Proof(True))
    if not expand:
        return make_attempt(graph, Proof(False, reason="other statements than the derivative's"))
    names = _names(row, made, free)

    def sides(reader: Reader) -> Any:
        statements = Statements(made.program, reader, names)
        return [
            (
                lambda c=claimed: statements.find_quotient(c),
                lambda e=exact: statements.find_quotient(e),
            )
            for claimed, exact in pairs
            if claimed != exact
        ]

    proof = prove_equal(sides, {}, capacity=40 + len(names), one_side=True)
    return make_attempt(graph, proof)


def _pairs(made: Shadow, moving: int) -> list[tuple[int, int]]:
    """For each entry, the rule's statement and that of the derivative of the elements."""
    program = made.program
    output, pulled = made.outputs
    *_, cotangent = made.inputs
    seeds: dict[int, int] = {}
    for y, g in zip(output.ravel().tolist(), cotangent.ravel().tolist(), strict=True):
        seeds[y] = program.add(seeds.get(y, ZERO), g)
    bars = pull_back(program, seeds)
    exact = [bars.get(x, ZERO) for x in made.inputs[moving].ravel().tolist()]
    return list(zip(np.ravel(pulled).tolist(), exact, strict=True))


def _names(row: Primitive, made: Shadow, free: Sequence[int]) -> list[str]:
    called = [row.inputs[min(k, len(row.inputs) - 1)] for k in free]
    if row.variadic:
        called = [f"{row.inputs[0]}{k}" for k in free]
    names = []
    for name, ids in zip([*called, "g"], made.inputs, strict=True):
        names += [f"{name}{list(place) if place else ''}" for place in np.ndindex(ids.shape)]
    return names
