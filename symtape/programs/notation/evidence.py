"""What is to be printed, read back as NumPy code and compared with the exact values.

The exact values are those of the scalar shadow, and of Taylor series where there is none; neither
knows anything of array notation.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from symtape.errors import SymtapeError
from symtape.graph.fidelity import points_around
from symtape.graph.graph import Graph
from symtape.process.work import meter_work
from symtape.programs.notation.words import ELEMENTWISE, functions
from symtape.prover import prove_equal
from symtape.prover.reader import Reader
from symtape.prover.statements import Statements
from symtape.reading.answers import answer_to
from symtape.reading.record import record
from symtape.recording.structure import flatten
from symtape.rigorous import jets
from symtape.rigorous.enclose import enclose
from symtape.symbolic import derivative
from symtape.symbolic.precise import enclose as enclose_statements
from symtape.symbolic.shadow import Shadow
from symtape.symbolic.walk import shadow

BITS: Final = 212
ENOUGH: Final = 100
"""Bits in which what is printed has to agree with the exact value."""

_POINTS: Final = 3
_MOST_PROVED: Final = 250
_MOST_HARD: Final = 60
"""Most statements that the prover is asked about: of polynomials, and of others, over whose signs
it takes seconds."""

_PROVER: Final = 300_000
"""Work of a proof."""

_CONSTANT: Final = "number_"


@dataclass(frozen=True, slots=True)
class Evidence:
    """How it is known that a form is true.

    Attributes
    ----------
    proved : bool
        Whether it is the same in normal form, entry by entry, at the recorded shapes.
    points, bits : int
        At how many points it agrees, and within 2 to the power of minus how many relative to it.
    """

    proved: bool
    points: int
    bits: int

    def __str__(self) -> str:
        if self.proved:
            return "proved at these shapes"
        many = "1 point" if self.points == 1 else f"{self.points} points"
        return f"certified at {many} to 2^-{self.bits}"


@dataclass(frozen=True)
class Exact:
    """The exact value of one form.

    Attributes
    ----------
    title : str
        ``value``, ``gradient``, ``jacobian`` or ``hessian``.
    graph : Graph
        The function.
    shadow : Shadow or None
        None where the elements have no formulas.
    statements : callable
        Gives its statements in the shadow, one int array for each part; asked when they are needed.
    parts : tuple of int or None
        Those of interest, if not all.
    """

    title: str
    graph: Graph
    shadow: Shadow | None
    statements: Callable[[], list[Any]]
    parts: tuple[int, ...] | None = None

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        """Of the parts."""
        arguments = [self.graph.nodes[at].shape for at in self.graph.inputs]
        value = self.graph.nodes[self.graph.outputs[0]].shape
        match self.title:
            case "value":
                return [value]
            case "gradient":
                return arguments
            case "jacobian":
                return [value + x for x in arguments]
        return [x + y for x in arguments for y in arguments]

    def only(self, parts: Sequence[int]) -> Exact:
        """Of some parts alone."""
        return dataclasses.replace(self, parts=tuple(parts))

    def _select_chosen(self, parts: list[Any]) -> list[Any]:
        return parts if self.parts is None else [parts[k] for k in self.parts]

    @property
    def chosen_ids(self) -> list[Any]:
        """The statements of the parts of interest."""
        return self._select_chosen(self.statements())

    def evaluate(self, point: Sequence[Any]) -> list[Any]:
        """Balls, one object array for each part."""
        if self.title == "value":
            return enclose(self.graph, point, BITS)
        if self.shadow is None:
            return self._select_chosen(self._enclose_by_series(point))
        values = self.graph.values(*point)
        there = self.shadow.move_to(self.graph, values)
        if there is not None:
            return [enclose_statements(there.program, i, point, BITS) for i in self.chosen_ids]
        again = shadow(self.graph, point, None, self.shadow.names)
        parts = flatten(getattr(derivative, self.title)(again))
        return [
            enclose_statements(again.program, i, point, BITS) for i in self._select_chosen(parts)
        ]

    def _enclose_by_series(self, point: Sequence[Any]) -> list[Any]:
        return flatten(getattr(jets, self.title)(self.graph, list(point), BITS))


@dataclass(frozen=True)
class PrintedForm:
    """The lines of a form: names for what is shared, then one for each part.

    Attributes
    ----------
    names : list of str
        Of the function's arguments.
    known : mapping
        The values of other names: constant arrays and sizes.
    lets : list of (str, str)
    parts : list of str
    shapes : list of tuple of int
        Of the parts.
    """

    names: list[str]
    known: Mapping[str, Any]
    lets: list[tuple[str, str]]
    parts: list[str]
    shapes: list[tuple[int, ...]]

    def record(self, point: Sequence[Any]) -> Graph:
        """The graph of what is printed, of the arguments alone, numbers exact."""
        numbers: dict[str, Any] = {
            name: value for name, value in self.known.items() if isinstance(value, np.ndarray)
        }
        lines = [(name, _compile_line(code, numbers)) for name, code in self.lets]
        results = [_compile_line(code, numbers) for code in self.parts]
        # What is evaluated has no source that could be read.
        given = {name: answer_to(function) for name, function in functions().items()}
        given.update(self.known)

        def run(*args: Any) -> tuple[Any, ...]:
            held = dict(given)
            held |= zip((*self.names, *numbers), args, strict=True)
            for name, code in lines:
                held[name] = eval(code, {"__builtins__": {}}, held)
            found = [eval(code, {"__builtins__": {}}, held) for code in results]
            return tuple(f + np.zeros(s) for f, s in zip(found, self.shapes, strict=True))

        with np.errstate(all="ignore"):
            graph = record(run, *point, *numbers.values())
        return _fix_trailing_inputs(graph, len(point), list(numbers.values()))


class _Numbers(ast.NodeTransformer):
    """Floats, and numbers that a function is called on, become names.

    Python would compute with them, and round.
    """

    def __init__(self, numbers: dict[str, Any]) -> None:
        self._numbers = numbers
        self._elementwise = {word.text for word in ELEMENTWISE.values()} | {"sqrt"}

    def visit_Constant(self, node: ast.Constant) -> Any:
        return self._name_number(node.value) if isinstance(node.value, float) else node

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in self._elementwise:
            node.args = [
                self._name_number(a.value) if isinstance(a, ast.Constant) else a for a in node.args
            ]
        return node

    def _name_number(self, value: Any) -> ast.Name:
        name = f"{_CONSTANT}{len(self._numbers)}"
        self._numbers[name] = float(value)
        return ast.Name(name, ast.Load())


def _compile_line(code: str, numbers: dict[str, Any]) -> Any:
    tree = _Numbers(numbers).visit(ast.parse(code, mode="eval"))
    return compile(ast.fix_missing_locations(tree), "<printed>", "eval")


def _fix_trailing_inputs(graph: Graph, count: int, numbers: Sequence[Any]) -> Graph:
    """The graph with all inputs after the first ones as constants."""
    nodes = list(graph.nodes)
    for at, value in zip(graph.inputs[count:], numbers, strict=True):
        nodes[at] = dataclasses.replace(nodes[at], constant=np.asarray(value, dtype=float)[()])
    return dataclasses.replace(
        graph, nodes=tuple(nodes), inputs=graph.inputs[:count], at=graph.at[:count]
    )


def check_printed_form(
    printed: PrintedForm, exact: Exact, point: Sequence[Any], symmetric: Sequence[int]
) -> Evidence | None:
    """The evidence that what is printed is true; None if it isn't, or nothing can be said.

    Parameters
    ----------
    printed : Printed
    exact : Exact
    point : sequence of arrays
        At which the function was recorded.
    symmetric : sequence of int
        The arguments that are taken to be symmetric matrices.
    """
    try:
        written = printed.record(point)
        bits = _agreement(written, exact, point, symmetric)
    except (
        SymtapeError,
        ArithmeticError,
        LookupError,
        ValueError,
        TypeError,
        NameError,
        SyntaxError,
    ):
        # Text that cannot be read back is not printed, whatever is wrong with it.
        return None
    if not bits or min(bits) < ENOUGH:
        return None
    return Evidence(not symmetric and _is_proved(written, exact, point), len(bits), min(bits))


def _agreement(
    written: Graph, exact: Exact, point: Sequence[Any], symmetric: Sequence[int]
) -> list[int]:
    """In how many bits they agree, at point after point."""
    found = []
    for at in _points(exact.graph, point, symmetric):
        claimed, true = enclose(written, at, BITS), exact.evaluate(at)
        if not all(_is_finite(part) for part in true):
            continue
        found.append(min(map(_common_bits, claimed, true), default=BITS))
        if len(found) == _POINTS or found[-1] < ENOUGH:
            break
    return found


def _points(
    graph: Graph, point: Sequence[Any], symmetric: Sequence[int]
) -> Iterator[tuple[Any, ...]]:
    """Others that take the same path first: at them numbers are less often 0 or the same."""
    for near in points_around(graph, tuple(point)):
        moved = tuple(_mirror_lower_half(x) if k in symmetric else x for k, x in enumerate(near))
        if graph.holds(*moved):
            yield moved
    yield tuple(point)


def _mirror_lower_half(x: Any) -> Any:
    lower = np.tril(x)
    return lower + np.tril(x, -1).T


def _is_finite(balls: Any) -> bool:
    return all(b.is_finite() for b in np.ravel(balls))


def _common_bits(claimed: Any, true: Any) -> int:
    """Within 2 to which negative power, relative to the largest entry, two arrays are the same."""
    if np.shape(claimed) != np.shape(true):
        return 0
    pairs = list(zip(np.ravel(claimed), np.ravel(true), strict=True))
    if not all(c.is_finite() and c.overlaps(t) for c, t in pairs):
        return 0
    largest = max((t.abs_upper() for _, t in pairs), default=0)
    if largest == 0:
        return BITS if all((c - t).abs_upper() < 2.0**-BITS for c, t in pairs) else 0
    apart = max((c - t).abs_upper() / largest for c, t in pairs)
    return BITS if apart == 0 else min(BITS, int(-float(apart.log().mid()) / math.log(2)))


def _is_proved(written: Graph, exact: Exact, point: Sequence[Any]) -> bool:
    """Whether the prover finds each entry to be the shadow's, in normal form."""
    made = exact.shadow
    if made is None:
        return False
    try:
        other = shadow(written, point, None, made.names)
        claimed = [i for part in other.outputs for i in np.ravel(part).tolist()]
        true = [i for part in exact.chosen_ids for i in np.ravel(part).tolist()]
        if len(claimed) != len(true):
            return False
        steps = len(made.program.list_needed(true)) + len(other.program.list_needed(claimed))
        most = _MOST_PROVED if _are_polynomials(made) else _MOST_HARD
        if steps > most or other.selections or made.selections:
            return False
        names = [name for names in made.element_names for name in names]
        return _proof(made, other, list(zip(claimed, true, strict=True)), names)
    except SymtapeError:
        return False


def _are_polynomials(made: Shadow) -> bool:
    """Whether all statements of a shadow are polynomials in others."""
    used = {template for template in made.program.templates if template is not None}
    return all(template.expression.is_polynomial() for template in used)


def _proof(made: Shadow, other: Shadow, pairs: Sequence[tuple[int, int]], names: list[str]) -> bool:
    def sides(reader: Reader) -> Any:
        ours = Statements(other.program, reader, names)
        theirs = Statements(made.program, reader, names)
        return [
            (
                functools.partial(ours.find_quotient, claimed),
                functools.partial(theirs.find_quotient, true),
            )
            for claimed, true in pairs
        ]

    with meter_work(_PROVER, "the proof"):
        proof = prove_equal(sides, {}, capacity=40 + len(names))
    return proof.proved and not proof.assuming
