"""Elements: statements as numbers, on which NumPy code writes a program, and how rows read them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

import numpy as np

from symtape.graph.graph import Node
from symtape.primitives.primitive import Primitive
from symtape.symbolic.program import Program
from symtape.symbolic.template import KEPT, Local, Number, read

_NUMBERS = (int, float, Fraction, np.integer, np.floating)


def _operator(
    append: Callable[[Program, int, int], int],
) -> tuple[Callable[[Element, Any], Any], Callable[[Element, Any], Any]]:
    """The methods of an operator, with the element on the left and on the right."""

    def operate(element: Element, other: Any) -> Any:
        program = element.program
        b = other.at if type(other) is Element else element._find_statement(other)
        return NotImplemented if b is None else Element(program, append(program, element.at, b))

    def operate_reflected(element: Element, other: Any) -> Any:
        program, b = element.program, element._find_statement(other)
        return NotImplemented if b is None else Element(program, append(program, b, element.at))

    return operate, operate_reflected


class Element:
    """A statement of a program; arithmetic on it appends statements.

    Examples
    --------
    >>> program = Program()
    >>> x, y = (Element(program, program.input()) for _ in range(2))
    >>> ((x + y) * 2).at == (2 * (y + x)).at  # one statement for one value
    True
    """

    __slots__ = ("at", "program")

    def __init__(self, program: Program, at: int) -> None:
        self.program = program
        self.at = at

    def _find_statement(self, other: Any) -> int | None:
        return self.program.constant(other) if isinstance(other, _NUMBERS) else None

    __add__, __radd__ = _operator(Program.add)
    __sub__, __rsub__ = _operator(Program.subtract)
    __mul__, __rmul__ = _operator(Program.multiply)
    __truediv__, __rtruediv__ = _operator(Program.divide)
    __pow__, __rpow__ = _operator(Program.power)

    def __neg__(self) -> Element:
        return Element(self.program, self.program.negate(self.at))

    def __pos__(self) -> Element:
        return self

    def __abs__(self) -> Element:
        return self._function("Abs")

    def __bool__(self) -> bool:
        raise TypeError("an element has no truth value; decide by the values at the point")

    def abs(self) -> Element:
        """The absolute value; ``np.abs`` on object arrays calls ``__abs__`` alike."""
        return self._function("Abs")

    def sqrt(self) -> Element:
        """The square root; ``np.sqrt`` on object arrays calls this."""
        return self._function("sqrt")

    def exp(self) -> Element:
        """The exponential; ``np.exp`` on object arrays calls this."""
        return self._function("exp")

    def log(self) -> Element:
        """The natural logarithm; ``np.log`` on object arrays calls this."""
        return self._function("log")

    def sin(self) -> Element:
        """The sine; ``np.sin`` on object arrays calls this."""
        return self._function("sin")

    def cos(self) -> Element:
        """The cosine; ``np.cos`` on object arrays calls this."""
        return self._function("cos")

    def hypergeometric(self, numerator: int, denominator: int) -> Element:
        """0F1(; b; self), for b = numerator / denominator (DLMF 16.2)."""
        b = Fraction(numerator, denominator)
        meaning = read(lambda sp, b, x: sp.hyper((), (b,), x), [b, None])
        return Element(self.program, self.program.place(meaning, (self.at, self.at)))

    def conjugate(self) -> Element:
        """Itself: elements are real."""
        return self

    def _function(self, name: str) -> Element:
        return Element(self.program, self.program.function(name, self.at))

    def __repr__(self) -> str:
        return f"Element({self.at})"


def to_elements(program: Program, ids: Any) -> Any:
    """Statement ids as an object array of elements of the same shape."""
    flat = [Element(program, at) for at in ids.ravel().tolist()]
    return np.fromiter(flat, dtype=object, count=ids.size).reshape(ids.shape)


def to_statements(program: Program, elements: Any) -> Any:
    """Elements, among which may be plain numbers, as an array of statement ids."""
    array = np.asarray(elements, dtype=object)
    flat = [_statement(program, x) for x in array.ravel()]
    return np.array(flat, dtype=np.int64).reshape(array.shape)


def _statement(program: Program, x: Any) -> int:
    if type(x) is Element:
        return x.at
    return _statement(program, x.item()) if isinstance(x, np.ndarray) else program.constant(x)


_READINGS: Final[dict[Any, Local]] = {}


def is_specialised(row: Primitive) -> bool:
    """Whether constant inputs of `row` go into its template.

    Those of powers, where the partial is simpler; those a row is not differentiable by, such
    as the order of a Bessel function.
    """
    return row.power or row.vanishing or (len(row.rules) > 1 and None in row.rules)


def select_template_constants(
    row: Primitive, known: Sequence[Number | None]
) -> tuple[Number | None, ...]:
    """Of the constant inputs `known`, those that go into the template; None for the others."""
    if row.vanishing:
        return tuple(Fraction(0) if value == 0 else None for value in known)
    if not row.power:
        return tuple(
            value if rule is None else None for value, rule in zip(known, row.rules, strict=True)
        )
    base, exponent = known
    return (base if exponent is not None or (base is not None and base > 0) else None, exponent)


def constant_power(row: Primitive, known: Sequence[Number | None]) -> bool:
    """Whether it is 0 to a varying power: constant next to where it is defined."""
    return row.power and known[0] == 0 and known[1] is None


def reading(row: Primitive, node: Node, known: tuple[Number | None, ...] | None = None) -> Local:
    """The template of elementwise `row` with the parameters of `node` and constants `known`."""
    params = node.params
    key = (row, known, tuple(sorted((name, str(value)) for name, value in params.items())))
    found = _READINGS.get(key)
    if found is None:
        if len(_READINGS) >= KEPT:
            _READINGS.clear()
        found = _READINGS[key] = read_row(row, known or [None] * len(node.inputs), params)
    return found


def read_row(row: Primitive, known: Sequence[Number | None], params: Mapping[str, Any]) -> Local:
    """As :func:`reading`, of every call anew."""
    return read(row.symbolic, known, **select_static(row, params))


def select_static(row: Primitive, params: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that the template of `row` depends on."""
    accepted = inspect.signature(row.symbolic).parameters
    return {name: value for name, value in params.items() if name in accepted}
