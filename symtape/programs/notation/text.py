"""Trees as NumPy code on one line."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from symtape.programs.notation.tree import (
    Call,
    Chain,
    Literal,
    Name,
    Part,
    Power,
    Times,
    Total,
    Transpose,
    Tree,
    magnitude,
)
from symtape.programs.notation.words import COMPARISONS, word

_COMPARISON, _SUM, _PRODUCT, _SIGN, _POWER, _ATOM = range(6)
"""How strongly a text holds together, as Python's operators do."""

_POSITIONAL: Final = frozenset(("N", "shape", "subscripts"))


def text(tree: Tree) -> str:
    """One line."""
    return _write_tree(tree)[0]


def number_text(value: Fraction | float) -> str:
    """A number that is not negative."""
    if isinstance(value, float):
        return repr(value)
    if value.denominator == 1:
        return str(value.numerator)
    as_float = float(value)
    short = repr(as_float)
    if Fraction(as_float) == value and len(short) <= 6:
        return short
    return f"{value.numerator}/{value.denominator}"


def _write_tree(tree: Tree) -> tuple[str, int]:
    match tree:
        case Name():
            return tree.text, _ATOM
        case Literal():
            return _literal(tree)
        case Total():
            return _total(tree), _SUM
        case Times():
            return _times(tree)
        case Chain():
            return _chain(tree.parts), _ATOM if _find_solved_inverse(tree.parts) == 0 else _PRODUCT
        case Power():
            return _power(tree)
        case Transpose():
            held = _write_at_level(tree.of, _ATOM)
            said = f".transpose({', '.join(map(str, tree.axes))})" if tree.axes else ".T"
            return f"{held}{said}", _ATOM
        case Part():
            return f"{_write_at_level(tree.of, _ATOM)}[{', '.join(map(str, tree.index))}]", _ATOM
        case Call():
            return _call(tree)


def _write_at_level(tree: Tree, level: int) -> str:
    written, own = _write_tree(tree)
    return written if own >= level else f"({written})"


def _literal(tree: Literal) -> tuple[str, int]:
    written = number_text(magnitude(tree))
    level = _PRODUCT if "/" in written else _ATOM
    return (f"-{written}", min(level, _SIGN)) if tree.value < 0 else (written, level)


def _total(tree: Total) -> str:
    pieces: list[str] = []
    for term in tree.terms:
        written = _write_at_level(term, _PRODUCT)
        if not pieces:
            pieces.append(written)
        elif written.startswith("-"):
            pieces.append(f" - {written[1:]}")
        else:
            pieces.append(f" + {written}")
    return "".join(pieces)


def _times(tree: Times) -> tuple[str, int]:
    coefficient = tree.coefficient
    size = abs(coefficient)
    sign = "-" if coefficient < 0 else ""
    top, below = number_text(size), ""
    if "/" in top:
        top, _, below = top.partition("/")
    front = [] if top == "1" and tree.above else [top]
    written = [_factor(t, alone=len(tree.above) == 1) for t in tree.above]
    product = "*".join([*front, *written])
    bottoms = ([below] if below else []) + [_write_at_level(t, _POWER) for t in tree.below]
    over = (
        "" if not bottoms else f"/{bottoms[0]}" if len(bottoms) == 1 else f"/({'*'.join(bottoms)})"
    )
    if product == "1" and not bottoms:
        return f"{sign}1", _SIGN if sign else _ATOM
    return f"{sign}{product}{over}", _PRODUCT


def _factor(tree: Tree, alone: bool) -> str:
    if isinstance(tree, Chain) and alone:
        return text(tree)
    return _write_at_level(tree, _POWER)


def _chain(parts: Sequence[Tree]) -> str:
    at = _find_solved_inverse(parts)
    if at is None:
        return " @ ".join(_operand(p, k > 0) for k, p in enumerate(parts))
    inverse, turned = parts[at], False
    if isinstance(inverse, Transpose):
        inverse, turned = inverse.of, True
    assert isinstance(inverse, Call)
    (matrix,) = inverse.arguments
    system = f"{_write_at_level(matrix, _ATOM)}.T" if turned else text(matrix)
    rest = parts[at + 1 :]
    solution = f"solve({system}, {text(rest[0]) if len(rest) == 1 else _chain(rest)})"
    before = [_operand(p, k > 0) for k, p in enumerate(parts[:at])]
    return " @ ".join([*before, solution])


def _find_solved_inverse(parts: Sequence[Tree]) -> int | None:
    """The place of the first inverse of one matrix that has something to its right."""
    for at, part in enumerate(parts[:-1]):
        inside = part.of if isinstance(part, Transpose) and not part.axes else part
        if isinstance(inside, Call) and inside.function == "inv" and inside.rank == 2:
            return at
    return None


def _operand(tree: Tree, inner: bool) -> str:
    return _write_at_level(tree, _POWER if inner or not isinstance(tree, Times) else _ATOM)


def _power(tree: Power) -> tuple[str, int]:
    exponent = tree.exponent
    said = number_text(abs(exponent))
    said = f"({'-' if exponent < 0 else ''}{said})" if exponent < 0 or "/" in said else said
    return f"{_write_at_level(tree.base, _ATOM)}**{said}", _POWER


def _call(tree: Call) -> tuple[str, int]:
    name = word(tree.function).text
    if tree.function in COMPARISONS:
        left, right = (_write_at_level(a, _SUM) for a in tree.arguments)
        return f"{left} {name} {right}", _COMPARISON
    arguments = [text(a) for a in tree.arguments]
    for key, value in tree.options:
        if key == "subscripts":
            arguments.insert(0, repr(value))
        else:
            arguments.append(str(value) if key in _POSITIONAL else f"{key}={value}")
    return f"{name}({', '.join(arguments)})", _ATOM
