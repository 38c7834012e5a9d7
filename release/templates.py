"""What the table of common templates holds: those of the rows, at the constants that are usual."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any, Final

from symtape.errors import Unsupported
from symtape.primitives.primitive import Primitive
from symtape.primitives.vocabulary import examples, vocabulary
from symtape.symbolic import algebra
from symtape.symbolic.element import is_specialised, select_static, select_template_constants
from symtape.symbolic.known import FILE, Form, format_table, write_down
from symtape.symbolic.trees import Tree

_ORDER: Final = 3
"""The verdict on a Hessian asks how second derivatives change."""

_LONGEST: Final = 400
"""Characters of a formula; longer ones are those of rare functions."""

_STEPS: Final[tuple[Form, ...]] = tuple((("Heaviside", "a0", at), (0,)) for at in (0, 1))
"""What no row writes: the conditions of a recording with all its pieces."""

_EXPONENTS: Final = (*range(-4, 9), *(Fraction(k, 2) for k in (-5, -3, -1, 1, 3, 5)))
_BASES: Final = (2, 10, Fraction(1, 2))


def make_readings() -> dict[Tree, Form]:
    """What rows write, and what SymPy makes of it."""
    found: dict[Tree, Form] = {}
    for row in vocabulary():
        if row.elementwise and row.symbolic is not None:
            for inputs, params in examples(row):
                static = select_static(row, params)
                for known in _iterate_constants(row, inputs):
                    written = write_down(row.symbolic, known, static)
                    if written is not None and written not in found:
                        found[written] = algebra.evaluate(row.symbolic, known, static)
    return found


def _iterate_constants(row: Primitive, inputs: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Which arguments of a row may be constants, and which; None of those that are not."""
    yield [None] * len(inputs)
    if row.power:
        yield from ([None, Fraction(exponent)] for exponent in _EXPONENTS)
        yield from ([Fraction(base), None] for base in _BASES)
    elif row.vanishing:
        yield [Fraction(0), None]
    elif is_specialised(row):
        yield select_template_constants(row, [Fraction(float(x)) for x in inputs])


def make_partials(forms: Iterable[Form]) -> dict[Tree, tuple[Form, ...]]:
    """SymPy's derivatives of formulas, and the derivatives of these, as far as they are asked."""
    found: dict[Tree, tuple[Form, ...]] = {}
    waiting = [*forms, *_STEPS]
    for _ in range(_ORDER):
        following: list[Form] = []
        for tree, positions in waiting:
            if positions and tree not in found and len(str(tree)) <= _LONGEST:
                try:
                    partials = tuple(algebra.derivative(tree, k) for k in range(len(positions)))
                except Unsupported:
                    continue
                found[tree] = partials
                following += partials
        waiting = following
    return found


def write_table() -> None:
    """Write the table, as SymPy makes it."""
    readings = make_readings()
    partials = make_partials(readings.values())
    FILE.write_text(format_table(readings, partials), encoding="utf-8")
    print(f"{len(readings)} readings, {len(partials)} formulas with derivatives; wrote {FILE}")
