"""Proofs of elementwise rules, over the region that the row declares."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

import numpy as np

from symtape.errors import SymtapeError
from symtape.graph.graph import Graph, Node
from symtape.primitives.primitive import Primitive
from symtape.prover import NotReadable, Proof, prove_equal
from symtape.prover.reader import Reader
from symtape.prover.ring import Quotient
from symtape.prover.statements import read_local
from symtape.symbolic.boxes import Box
from symtape.symbolic.element import read_row
from symtape.symbolic.signs import somewhere
from symtape.symbolic.template import Local
from verify.oracles.proofs.programs import Attempt, make_attempt, rule_program

COTANGENT: Final = "cotangent"

Meaning = Quotient | bool | None
"""What a node of a rule means: a number, or a truth value, None where it is not decided."""


def prove_on_box(
    row: Primitive, argnum: int, box: Box, held: Mapping[int, Any], params: dict[str, Any]
) -> Attempt:
    """Whether the rule by input `argnum` is the derivative of the template, all over `box`.

    Parameters
    ----------
    row : Primitive
        Acts on each element alone.
    argnum : int
    box : mapping
        An interval for each bounded input, by its name.
    held : mapping
        The inputs that are constants, such as orders, with their values.
    params : dict
        Static parameters.
    """
    free = [k for k in range(len(row.inputs)) if k not in held]
    try:
        graph = rule_program(row, _point(row, box, held), params, free, argnum)
    except (NotReadable, SymtapeError) as error:
        return Attempt(Proof(False, reason=str(error)))

    def sides(reader: Reader) -> Any:
        symbols = _symbols(reader, box, [row.inputs[k] for k in free])
        inputs: list[Meaning] = list(symbols)
        for k, value in held.items():
            inputs.insert(k, value if isinstance(value, bool) else _number(reader, value))
        g = reader.symbol(COTANGENT)

        def exact() -> Quotient:
            return g * _partial(reader, row, inputs, params, argnum)

        def read_claim() -> Quotient:
            return _interpret_program(reader, graph, [*symbols, g])

        return [(read_claim, exact)]

    try:
        return make_attempt(graph, prove_equal(sides, box))
    except SymtapeError as error:
        return Attempt(Proof(False, reason=str(error)))


def _point(row: Primitive, box: Box, held: Mapping[int, Any]) -> list[Any]:
    """A point inside the box, to record at."""
    names = [name for k, name in enumerate(row.inputs) if k not in held]
    gaps = {gap.partition(" - ")[0]: gap for gap in box if " - " in gap}
    place = somewhere(box, [*(name for name in names if name not in gaps), *gaps.values()])
    for name, gap in gaps.items():
        place[name] = place[gap.partition(" - ")[2]] + place[gap]
    return [
        held[k] if k in held else np.float64(float(place[name]))
        for k, name in enumerate(row.inputs)
    ]


def _symbols(reader: Reader, box: Box, names: Sequence[str]) -> list[Quotient]:
    """The inputs; one whose distance to another has a sign is the other and the distance."""
    gaps = {gap.partition(" - ")[0]: gap for gap in box if " - " in gap}

    def symbol(name: str) -> Quotient:
        gap = gaps.get(name)
        if gap is None:
            return reader.symbol(name)
        return symbol(gap.partition(" - ")[2]) + reader.symbol(gap)

    return [symbol(name) for name in names]


def _number(reader: Reader, value: Any) -> Quotient:
    return reader.read(Fraction(value), {})


def _partial(
    reader: Reader, row: Primitive, inputs: list[Meaning], params: dict[str, Any], argnum: int
) -> Quotient:
    """SymPy's derivative of the row's template; of a row that chooses, 1 or 0."""
    if row.symbolic is None:
        chosen = _choose_input(reader, row, inputs)
        return reader.ring.one if chosen is inputs[argnum] else reader.ring.zero
    reading, numbers = _template(row, inputs, params)
    read_local(reader, reading, numbers)
    if reading.template is None:
        whole = reading.constant is None and reading.positions[0] == argnum
        return reader.ring.one if whole else reader.ring.zero
    if argnum not in reading.positions:
        return reader.ring.zero
    partial = reading.template.partial(reading.positions.index(argnum))
    return read_local(reader, partial, [numbers[k] for k in reading.positions])


def _template(
    row: Primitive, inputs: Sequence[Meaning], params: Mapping[str, Any]
) -> tuple[Local, list[Quotient]]:
    """The template of `row`, numbers among its inputs written into it, and the inputs."""
    numbers: list[Quotient] = []
    for x in inputs:
        if not isinstance(x, Quotient):
            raise NotReadable(f"{row.name} of a truth value")
        numbers.append(x)
    return read_row(row, [x.constant for x in numbers], params), numbers


def _interpret_program(reader: Reader, graph: Graph, inputs: list[Quotient]) -> Quotient:
    """The last output of a rule's program, read on `inputs`."""

    def constant(node: Node) -> Meaning:
        value = np.asarray(node.constant)
        if value.ndim:
            raise NotReadable("an array among scalars")
        if value.dtype.kind == "b":
            return bool(value)
        if not np.isfinite(value):
            raise NotReadable(f"the constant {value}")
        return _number(reader, value.item())

    meanings = graph.interpret(inputs, constant, functools.partial(_apply_row, reader))
    result = meanings[graph.outputs[-1]]
    if not isinstance(result, Quotient):
        raise NotReadable("the rule gives a truth value")
    return result


def _apply_row(reader: Reader, node: Node, args: list[Meaning]) -> Meaning:
    row = node.row
    if row.compares:
        return _compare_by_sign(reader, row, *args)
    if row.decision in _LOGIC:
        return _LOGIC[row.decision](*args)
    if chooses(row):
        return _choose_input(reader, row, args)
    if row.normal is not None:
        numbers = [_to_quotient(reader, x) for x in args]
        found: Quotient = row.normal(sys.modules[__name__], reader, *numbers)
        return found
    if row.symbolic is None:
        raise NotReadable(f"no reading of {row.name} over a region")
    reading, numbers = _template(row, [_to_quotient(reader, x) for x in args], node.params)
    return read_local(reader, reading, numbers)


def _to_quotient(reader: Reader, x: Meaning) -> Quotient:
    if x is None:
        raise NotReadable("a comparison is not decided over the region")
    return reader.ring.rational(int(x)) if isinstance(x, bool) else x


def _sign(reader: Reader, x: Quotient) -> int | None:
    return 0 if x.is_zero else reader.signs.find_quotient_sign(x)


def _compare_by_sign(reader: Reader, row: Primitive, a: Meaning, b: Meaning) -> bool | None:
    sign = _sign(reader, _to_quotient(reader, a) - _to_quotient(reader, b))
    return None if sign is None else bool(row.evaluate(sign, 0))


def chooses(row: Primitive) -> bool:
    """Whether a row chooses among its inputs by their order, or by a truth value."""
    return row.elementwise and row.decision in ("condition", "largest", "smallest")


def _choose_input(reader: Reader, row: Primitive, args: Sequence[Meaning]) -> Meaning:
    """What a row that only chooses among its inputs gives."""
    if row.decision == "condition":
        condition, a, b = args
        # Two forms of one number, each for where the other cancels.
        if condition is None and (_to_quotient(reader, a) - _to_quotient(reader, b)).is_zero:
            return a
        if not isinstance(condition, bool):
            raise NotReadable("the condition of np.where is not decided over the region")
        return a if condition else b
    a, b = args
    sign = _sign(reader, _to_quotient(reader, a) - _to_quotient(reader, b))
    if sign is None:
        raise NotReadable(f"the choice of {row.name} is not decided over the region")
    return a if (sign >= 0) == (row.decision == "largest") else b


def _and_truths(a: Meaning, b: Meaning) -> bool | None:
    if a is False or b is False:
        return False
    return None if a is None or b is None else True


def _not(a: Meaning) -> bool | None:
    return None if a is None else not a


def _or_truths(a: Meaning, b: Meaning) -> bool | None:
    return _not(_and_truths(_not(a), _not(b)))


_LOGIC: Final[dict[str, Callable[..., bool | None]]] = {
    "always": lambda a: True,
    "and": _and_truths,
    "never": lambda a: False,
    "not": _not,
    "or": _or_truths,
}


def sign_of(reader: Reader, x: Quotient) -> Quotient:
    """-1, 0 or 1, where it is the same all over the region."""
    sign = _sign(reader, x)
    if sign is None:
        raise NotReadable(f"the sign of {x} is not known")
    return reader.ring.rational(sign)


def floor_of_quotient(reader: Reader, a: Quotient, b: Quotient) -> Quotient:
    """The greatest integer not above ``a / b``."""
    reader.needs.nonzero(b)
    return reader.special.read_floor(a / b)
